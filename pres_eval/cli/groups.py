"""The option --group: which runs belong together."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from pres_eval.cli.said import option
from pres_eval.errors import UsageError

GROUPS = option(
    "--group", type=(str, str), multiple=True, metavar="NAME PATTERN",
    help="A group of runs, and the pattern of their names, such as LM 'lm-*'; several allowed.",
)  # fmt: skip


def groups_of_runs(
    groups: Sequence[tuple[str, str]], names: Sequence[str], wanted: bool = True
) -> dict[str, list[int]]:
    """Return the runs of each group by their places; each run by itself if no groups are wanted.

    Raises UsageError for a pattern that no run matches, and where groups are wanted and none is given.
    """
    if not wanted:
        return {name: [place] for place, name in enumerate(names)}
    if not groups:
        raise UsageError("no groups: expected --group NAME PATTERN, such as --group LM 'lm-*'")
    found: dict[str, list[int]] = {}
    for name, pattern in groups:
        places = [place for place, run in enumerate(names) if fnmatch.fnmatchcase(run, pattern)]
        if not places:
            raise UsageError(
                f"--group {name} {pattern}: matches no run, expected names such as {', '.join(names[:5])}"
            )
        found[name] = sorted({*found.get(name, []), *places})
    return found
