"""`python -m pres_eval`, and what the command pres-eval calls."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line and leave the process with its exit code."""
    from pres_eval.cli import main

    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
