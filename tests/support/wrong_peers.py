"""Peers that take a connection and are no Dask scheduler."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator

PEERS: dict[str, bytes | None] = {
    "says nothing": b"",
    "hangs up": None,
    "a web server": b"HTTP/1.0 400 Bad request\r\n\r\n",
    "frames without end": struct.pack("<QQ", 2**62, 2**62),
    "one frame of text": struct.pack("<QQ", 8, 5) + b"hello",
    "no frames": struct.pack("<Q", 0) * 4,
}
"""What each sends to whoever comes; None: it closes the connection."""


@contextlib.contextmanager
def wrong_peer(sends: bytes | None) -> Iterator[str]:
    """Its address, where it takes connections for as long as the block goes."""
    with socket.create_server(("127.0.0.1", 0)) as server, contextlib.ExitStack() as opened:

        def serve() -> None:
            with contextlib.suppress(OSError):  # the end: the server is closed
                while True:
                    connection = server.accept()[0]
                    if sends is None:
                        connection.close()
                    else:
                        opened.enter_context(connection).sendall(sends)

        threading.Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
