"""Headless Chromium through chromedriver's HTTP interface, with nothing but the standard library."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

DRIVER = shutil.which("chromedriver")
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
AVAILABLE = DRIVER is not None and CHROMIUM is not None

_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
    " --disable-quic --disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars"
)


class Browser:
    """One window; `with Browser() as browser: browser.open(path)`."""

    def __init__(self, width: int = 1280, height: int = 900) -> None:
        self._size = width, height
        self._profile = tempfile.TemporaryDirectory(prefix="chromium")
        self._base = ""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Browser:
        assert DRIVER is not None
        self._process = subprocess.Popen(
            [DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                self._base = f"http://127.0.0.1:{found[1]}/session"
                break
        flags = [
            *_FLAGS.split(),
            f"--user-data-dir={self._profile.name}",
            "--window-size={},{}".format(*self._size),
        ]
        wanted = {
            "goog:chromeOptions": {"binary": CHROMIUM, "args": flags},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        session = self._call("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self._base += f"/{session['sessionId']}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        try:
            if process is not None and self._base.count("/") > 3:
                self._call("DELETE", "")
        finally:
            if process is not None:
                # The whole group: a browser that no longer answers outlives its driver.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=20)
                if process.stdout is not None:
                    process.stdout.close()
            self._profile.cleanup()

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self._base + path, data, {"Content-Type": "application/json"}, method=method
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            return json.loads(answer.read())["value"]

    def open(self, path: Path, fragment: str = "", *, scripts: bool = True) -> None:
        """Load a file; with scripts wait until the page says that it is ready."""
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        ready = "return document.documentElement.dataset.ready"
        self.visit(path.as_uri() + fragment, ready if scripts else "")

    def visit(self, address: str, ready: str) -> None:
        """Load an address; wait until the script `ready` returns true, unless it is empty."""
        # The same address with another fragment would not load it again.
        self._call("POST", "/url", {"url": "about:blank"})
        self._call("POST", "/url", {"url": address})
        end = time.monotonic() + 30
        while ready and not self.run(ready):
            assert time.monotonic() < end, self.messages()
            time.sleep(0.02)

    def key(self, key: str, code: int) -> None:
        """Press a key and let it go."""
        text = {"Enter": "\r"}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.command(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text, windowsVirtualKeyCode=code
            )

    def click(self, x: float, y: float) -> None:
        """Point at a place of the window and click."""
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def run(self, script: str, *arguments: Any) -> Any:
        """The value that a script returns."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_later(self, script: str, *arguments: Any) -> Any:
        """The value that a script gives to the function that it gets as its last argument."""
        return self._call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def command(self, name: str, **parameters: Any) -> Any:
        """A command of the DevTools protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def messages(self) -> list[str]:
        """What was written to the console since the last call, errors of the page included."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def requested(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        events = (
            json.loads(e["message"])["message"]
            for e in self._call("POST", "/se/log", {"type": "performance"})
        )
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def look(self, scheme: str = "light", width: int | None = None) -> None:
        """Show the page in a colour scheme and at a width."""
        self.command(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )
        if width is not None:
            self.command(
                "Emulation.setDeviceMetricsOverride",
                width=width,
                height=844,
                deviceScaleFactor=2,
                mobile=True,
            )

    def as_window(self) -> None:
        """The window as it was before `look`."""
        self.command("Emulation.clearDeviceMetricsOverride")
        self.command("Emulation.setEmulatedMedia", media="", features=[])

    def print_page(self, path: Path) -> None:
        """Print the page to a PDF."""
        path.write_bytes(base64.b64decode(self._call("POST", "/print")))
