"""What carries out the long loops of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pres_eval.cli.progress import Bar, is_watched
from pres_eval.engines.copies import by_copies
from pres_eval.reading.storage import is_remote
from pres_eval.workers import Loop, Result


def steps(label: str, jobs: int | None, quiet: bool = False, paths: Iterable[str] = ()) -> Loop:
    """Return what carries out loops: by up to `jobs` copies, with a bar over their steps on a terminal.

    paths  the files that the steps read: fsspec's threads do not come along with copies
    """
    most = 1 if any(map(is_remote, paths)) else jobs

    def carried_out(work: Callable[[int], Result], count: int) -> Iterator[Result]:
        """Yield work(0) to work(count - 1)."""
        if not is_watched(quiet):
            yield from by_copies(work, count, most)
            return
        with Bar(label, count).shown() as bar, bar.ticking():
            for result in by_copies(work, count, most):
                yield result
                bar.advance(1)

    return carried_out
