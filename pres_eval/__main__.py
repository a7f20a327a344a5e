"""Entry point of `python -m pres_eval` and of the command pres-eval."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run the command line and leave the process with its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Until there is something to clean up, Ctrl-C ends the process at once and without a traceback.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Importing makes many objects and no garbage: looking for it would take a tenth of a small run.
    gc.set_threshold(300_000, 20, 20)
    # numpy would start a thread for each processor, for linear algebra that nothing here needs.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from pres_eval.cli import main

    _leave(main(sys.argv[1:]))


def _leave(code: int) -> NoReturn:
    """End the process with this exit code, without waiting for threads whose results are not needed."""
    import contextlib
    import threading

    if threading.active_count() > 1:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        os._exit(code)
    # Python would look for garbage in all that was imported before it ends: a seventh of a small run.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    run()
