"""Headers of runs, as ir_metadata writes them: comments at the beginning that are `# key: value`."""

from __future__ import annotations

import re
from collections import Counter

from pres_eval.errors import InputError
from pres_eval.reading.source import Source

MARK = "# "


def header_of(path: str) -> dict[str, str]:
    """Return the values of a file's header by key: of its leading lines those that begin with `# ` and have a
    colon.

    The key of a line that is indented below another one follows that key and a point: `platform.os`.  Items
    of a list are numbered: `retrieval.1.name`.  A key that comes again keeps its first value.  Nothing of a
    file that cannot be read; of long headers 64 KiB.
    """
    try:
        lines = Source(path).head().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").splitlines()
    except InputError:
        return {}
    found: dict[str, str] = {}
    above: list[tuple[float, str]] = []
    items: Counter[str] = Counter()
    for line in lines:
        if not line.startswith("#"):
            break
        if not line.startswith(MARK):
            continue
        text = line.removeprefix(MARK)
        item = re.match(r"\s*- +(?=\S)", text) if above else None
        if item is not None:  # it may be as far to the right as the key of its list
            place = text.index("-") + 0.5
            above = [one for one in above if one[0] < place]
            parent = _path(above)
            items[parent] += 1
            above.append((place, str(items[parent])))
            text = " " * item.end() + text[item.end() :]
        key, colon, value = f"{text.rstrip()} ".partition(":" if item is None else ": ")
        if colon:
            indent = len(key) - len(key.lstrip())
            above = [*(one for one in above if one[0] < indent), (indent, key.strip())]
        elif item is not None:
            value = key
        if value.strip():
            found.setdefault(_path(above), value.strip())
    return found


def _path(above: list[tuple[float, str]]) -> str:
    return ".".join(name for _, name in above)
