"""Headers of runs, as ir_metadata writes them: comments at the beginning that are `# key: value`."""

from __future__ import annotations

from pres_eval.errors import InputError
from pres_eval.reading.source import Source

MARK = "# "


def header_of(path: str) -> dict[str, str]:
    """Return the values of a file's header by key: of its leading lines those that begin with `# ` and have a
    colon.

    The key of a line that is indented below another one follows that key and a point: `platform.os`.  A key
    that comes again keeps its first value.  Nothing of a file that cannot be read; of long headers 64 KiB.
    """
    try:
        lines = Source(path).head().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").splitlines()
    except InputError:
        return {}
    found: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    for line in lines:
        if not line.startswith("#"):
            break
        key, colon, value = line.removeprefix(MARK).partition(":")
        if line.startswith(MARK) and colon:
            indent = len(key) - len(key.lstrip())
            above = [(before, name) for before, name in above if before < indent] + [(indent, key.strip())]
            if value.strip():
                found.setdefault(".".join(name for _, name in above), value.strip())
    return found
