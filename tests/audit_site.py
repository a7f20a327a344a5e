"""Audit every page of the built site with axe-core: light and dark, on a desktop and on a phone.

    mkdocs build --strict -f docs/mkdocs/mkdocs.yml
    python tests/audit_site.py AXE.MIN.JS [FOLDER]

FOLDER is build/site unless given.  Needs Chromium and chromedriver.  Prints what each rule found, and exits
with 1 if a rule found something.
"""

from __future__ import annotations

import functools
import http.server
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.browser import AVAILABLE, Browser

ROOT = Path(__file__).parents[1]
VIEWS = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 390)]
AUDIT = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(violations.map(
  ({ id, impact, nodes }) => [id, impact, nodes.length, nodes[0].html.slice(0, 160)]
)));
"""
READY = "return document.readyState === 'complete' && !!document.querySelector('.md-content')"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that does not log requests."""

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine; give its address."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def audit(folder: Path, axe: str) -> dict[str, list[str]]:
    """Return, for each rule of axe that found something, where and how often."""
    found = defaultdict(list)
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    with served(folder) as address, Browser() as browser:
        for page in pages:
            for scheme, width in VIEWS:
                browser.look(scheme, width)
                browser.visit(address + page, READY)
                browser.run(axe)
                for rule, impact, count, example in browser.run_later(AUDIT):
                    found[f"{rule} ({impact})"].append(f"{page} {scheme} {width}: {count}, {example}")
    print(f"{len(pages)} pages, {len(VIEWS)} views of each")
    return found


if __name__ == "__main__":
    if not AVAILABLE or len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} AXE.MIN.JS [FOLDER]; needs chromium and chromedriver")
    site = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "build" / "site"
    violations = audit(site, Path(sys.argv[1]).read_text(encoding="utf-8"))
    for rule, places in sorted(violations.items()):
        print(f"{rule}: {len(places)} views", *places[:8], sep="\n  ")
    sys.exit(1 if violations else 0)
