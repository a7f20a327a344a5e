"""What reading a run gives, as plain values that can be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pres_eval.engines.engine import Engine
from pres_eval.errors import PresEvalError
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import Runs, read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import Relevance, read_relevance
from pres_eval.reading.run_files import TREC, run_at

ARRAYS = ("topic", "num_ret", "offsets", "rank", "document")
PLAIN = ("name", "tag", "single_precision", "ascending")
WHOLE = ("more_unjudged", "tag_before", "form")


def outcome(read: Callable[[], Ranking]) -> dict[str, Any]:
    """Everything that a ranking has, or the error instead of it."""
    try:
        ranking = read()
    except PresEvalError as error:
        return {"error": type(error), "message": str(error)}
    arrays = {name: getattr(ranking, name).tolist() for name in ARRAYS}
    ties = [getattr(ranking.ties, name).tolist() for name in ("document", "first", "size")]
    others = {name: getattr(ranking, name) for name in PLAIN + WHOLE}
    others |= {name: getattr(ranking.facts, name) for name in ("num_rows", "longer_line")}
    return (
        arrays
        | others
        | {"ties": ties, "dropped": ranking.num_dropped}
        | {"unjudged": list(dict.fromkeys(ranking.unjudged_ids))}
    )


def ranked_by(
    engine: Engine,
    path: str,
    judged: Relevance,
    options: Options | None = None,
    form: str = TREC,
    checks: bool = True,
) -> Ranking:
    """The run at a path as an engine ranks it."""
    with Runs(RunRanker.for_judgements(judged, options or Options(), checks), engine) as runs:
        return runs.rank(run_at(path), form)


@dataclass(frozen=True)
class WrittenRun:
    """A run in a file, and its judgements."""

    path: str
    judged: Relevance

    def whole(self) -> dict[str, Any]:
        """What one process makes of it."""
        return outcome(lambda: read_run(File(self.path), self.judged, Options()))

    def in_splits(self, engine: Engine, checks: bool = True) -> dict[str, Any]:
        """What workers make of it."""
        return outcome(lambda: ranked_by(engine, self.path, self.judged, checks=checks))


def written(folder: Path, run: str, qrels: str) -> WrittenRun:
    """Both as files of the folder."""
    (folder / "run").write_text(run, encoding="utf-8", newline="")
    (folder / "qrels").write_text(qrels, encoding="utf-8")
    return WrittenRun(str(folder / "run"), read_relevance(str(folder / "qrels")))
