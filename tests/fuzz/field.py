"""Random cases beside the peers of `overlap`, `replicate`, `stopping`, map_ret and the measures of ASReview.

    pip install rbo==0.1.3 repro_eval==0.5.0 asreview-insights==1.6.1 ragas mteb
    python tests/fuzz/field.py 1000

A peer that is not installed is left out, and named.  MTEB, ragas, TARexp and OpenSearch (Java) are compared
through twins, written from their definitions; with MTEB or ragas installed through these, too.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import math
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2])]

from pres_eval.cli import main as pres_eval  # noqa: E402

Lists = dict[str, list[str]]
PERSISTENCE = 0.9
TARGET = 0.8
COSTS = (10.0, 5.0, 2.0, 1.0)


def call(*arguments: str) -> dict[str, Any]:
    """The JSON of a command."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(stream):
        code = pres_eval([*arguments, "--format", "json", "--quiet"])
    assert code == 0, arguments
    stream.seek(0)
    found = json.loads(stream.read())
    assert isinstance(found, dict)
    return found


def write_run(path: Path, lists: Lists) -> str:
    """A run in which some neighbours tie, in the order that the tie rule gives them."""
    with path.open("w", encoding="utf-8") as stream:
        for topic, documents in lists.items():
            score = 1000.0
            for place, docno in enumerate(documents):
                if not (place % 3 == 1 and docno < documents[place - 1]):
                    score -= 1.0
                stream.write(f"{topic} Q0 {docno} 0 {score} {path.name}\n")
    return str(path)


def draw_lists(rng: random.Random, number: int, longest: int = 30) -> Lists:
    """A ranked list for each of so many topics."""
    return {
        f"t{topic:04}": rng.sample([f"d{docno:02}" for docno in range(longest + 10)], rng.randint(1, longest))
        for topic in range(number)
    }


class Comparison:
    """Counts of values that were compared, by peer and measure."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], list[float]] = {}

    def add(
        self, peer: str, measure: str, ours: float | None, theirs: float, tolerance: float = 1e-12
    ) -> None:
        """Compare two values; None is nan."""
        found = math.nan if ours is None else ours
        same = math.isclose(found, theirs, rel_tol=tolerance, abs_tol=tolerance)
        same = same or (math.isnan(found) and math.isnan(theirs))
        row = self.counts.setdefault((peer, measure), [0, 0, 0.0])
        row[0] += 1
        row[1] += not same
        row[2] = max(row[2], abs(found - theirs) if not math.isnan(found - theirs) else 0.0)
        if not same and row[1] < 3:
            print(f"{peer} {measure}: {found!r}, theirs {theirs!r}")

    def print_table(self) -> int:
        """Print a row for each measure; return how many values differ."""
        for (peer, measure), (compared, different, largest) in self.counts.items():
            print(f"{peer:28} {measure:34} {compared:6.0f} compared {different:4.0f} differ  {largest:.1e}")
        return int(sum(row[1] for row in self.counts.values()))


def peer(name: str) -> Any:
    """The module of a peer, None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name}: not compared ({error})")
        return None


def workbench_values(first: list[str], second: list[str]) -> dict[str, float]:
    """A twin of OpenSearch's PairComparison.java."""

    def rounded(value: float) -> float:
        return math.floor(value * 100.0 + 0.5) / 100.0

    def rbo(p: float) -> float:
        depth, total, weight = max(len(first), len(second)), 0.0, 1.0
        for d in range(depth):
            one, other = set(first[: d + 1]), set(second[: d + 1])
            total += weight * (len(one & other) / max(len(one), len(other)))
            weight *= p
        return rounded(total * (1 - p) / (1 - p**depth))

    shares = [dict.fromkeys(documents, 1 / len(documents)) for documents in (first, second)]
    weights = {
        docno: (shares[0].get(docno, 0.0) + shares[1].get(docno, 0.0)) / 2 for docno in [*first, *second]
    }
    both = set(first) & set(second)
    return {
        "jaccard": rounded(len(both) / len(set(first) | set(second))),
        "rbo50": rbo(0.5),
        "rbo90": rbo(0.9),
        "frequencyWeighted": rounded(sum(weights[docno] for docno in both) / math.fsum(weights.values())),
    }


def p_mrr_of_mteb(before: list[str], after: list[str], changed: list[str]) -> float:
    """A twin of MTEB's calculate_pmrr for a topic."""
    scores = []
    for docno in changed:
        old = before.index(docno) + 1 if docno in before else len(before) + 1
        new = after.index(docno) + 1 if docno in after else len(after) + 1
        scores.append((1 / old) / (1 / new) - 1 if old >= new else 1 - (1 / new) / (1 / old))
    return sum(scores) / len(scores)


def compare_overlap(rng: random.Random, number: int, folder: Path, comparison: Comparison) -> None:
    """`overlap` beside rbo, OpenSearch and MTEB."""
    before, after = draw_lists(rng, number), draw_lists(rng, number)
    changed = {
        topic: rng.sample([f"d{docno:02}" for docno in range(42)], rng.randint(1, 6)) for topic in before
    }
    pairs = folder / "changed"
    pairs.write_text("".join(f"{t} {docno}\n" for t, documents in changed.items() for docno in documents))
    runs = write_run(folder / "before", before), write_run(folder / "after", after)
    found = call("overlap", *runs, "--opensearch", "--irrelevant", str(pairs))
    p_mrr = {row["topic"]: row["p_mrr"] for row in found["p_mrr_topics"]}
    rbo, mteb = peer("rbo"), peer("mteb._evaluators.retrieval_metrics")
    for row in found["topics"]:
        first, second = before[row["topic"]], after[row["topic"]]
        if rbo is not None:
            value = rbo.RankingSimilarity(first, second).rbo_ext(PERSISTENCE)
            comparison.add("rbo 0.1.3", "rbo_ext", row["rbo(0.9)"], value)
        for name, value in workbench_values(first, second).items():
            comparison.add("OpenSearch (twin)", name, row[name], value)
        value = p_mrr_of_mteb(first, second, changed[row["topic"]])
        comparison.add("MTEB (twin)", "p-MRR", p_mrr[row["topic"]], value)
    if mteb is not None:
        value = mteb.calculate_pmrr(
            {f"{topic}-og": _scores(documents) for topic, documents in before.items()},
            {f"{topic}-changed": _scores(documents) for topic, documents in after.items()},
            changed,
        )
        comparison.add("MTEB", "p-MRR, mean", found["p_mrr"][0]["p_mrr"], float(value))


def _scores(documents: list[str]) -> dict[str, float]:
    return {docno: float(-rank) for rank, docno in enumerate(documents)}


def compare_replication(rng: random.Random, number: int, folder: Path, comparison: Comparison) -> None:
    """`replicate` beside repro_eval: effects of tables, and documents of runs."""
    effects = peer("repro_eval.measure.overall_effects")
    errors, orders = peer("repro_eval.measure.effectiveness"), peer("repro_eval.measure.document_order")
    if effects is None:
        return
    for _ in range(number):
        topics = [f"t{place}" for place in range(rng.randint(2, 12))]
        tables = [{topic: {"map": rng.random()} for topic in topics} for _ in range(4)]
        rows = [
            f"{run},{topic},{value['map']!r}\n"
            for run, table in enumerate(tables)
            for topic, value in table.items()
        ]
        path = folder / "scores.csv"
        path.write_text("run,topic,map\n" + "".join(rows))
        (found,) = call("replicate", "--scores", str(path))["effects"]
        baseline, advanced, new_baseline, new_advanced = tables
        order = (advanced, baseline, new_advanced, new_baseline)
        comparison.add("repro_eval 0.5", "ER", found["effect_ratio"], effects.ER(*order)["map"], 1e-9)
        comparison.add(
            "repro_eval 0.5", "DRI", found["delta_relative_improvement"], effects.DRI(*order)["map"], 1e-9
        )
        for name, pair in (("baseline", tables[0::2]), ("advanced", tables[1::2])):
            comparison.add("repro_eval 0.5", "RMSE", found[f"rmse_{name}"], errors.RMSE(*pair)["map"])
    lists = [draw_lists(rng, number) for _ in range(4)]
    for run in lists:  # repro_eval takes lists of the same length alone
        for topic, documents in run.items():
            del documents[min(len(other[topic]) for other in lists) :]
    qrels = folder / "qrels"
    qrels.write_text("".join(f"{topic} 0 d00 1\n" for topic in lists[0]))
    paths = [write_run(folder / f"run{place}", run) for place, run in enumerate(lists)]
    rows_by_topic = call("replicate", str(qrels), *paths, "-m", "P.1")["topics"]
    for role, places in (("baseline", (0, 2)), ("advanced", (1, 3))):
        original, new = (
            {topic: _scores(documents) for topic, documents in lists[place].items()} for place in places
        )
        theirs = orders.KTU(original, new, per_topic=True)
        for row in rows_by_topic:
            if row["run"] == role:
                comparison.add("repro_eval 0.5", "KTU", row["tau_union_by_docno"], theirs[row["topic"]])


def cost_of_tarexp(labels: list[int], stop: int, target: float) -> float:
    """A twin of TARexp's OptimisticCost for a review of all documents in this order, read down to a stop."""
    known_relevant = sum(labels[:stop])
    # Its data frame: known relevant ones, unknown ones by score, known others.
    frame = [(1, True)] * known_relevant + [(label, False) for label in labels[stop:]]
    frame += [(0, True)] * (stop - known_relevant)
    found, cut = 0, 0
    for place, (label, _) in enumerate(frame):
        found += label
        if found > sum(labels) * target:
            cut = place + 1
            break
    above = [label for label, known in frame[:cut] if not known]
    numbers = (known_relevant, stop - known_relevant, sum(above), len(above) - sum(above))
    return sum(number * cost for number, cost in zip(numbers, COSTS, strict=True))


def draw_reviews(rng: random.Random, number: int) -> dict[str, list[int]]:
    """Labels of all documents in the order of a review, some relevant and some not."""
    reviews = {}
    for topic in range(number):
        labels = [1, 0, *(int(rng.random() < 0.3) for _ in range(rng.randint(1, 60)))]
        rng.shuffle(labels)
        reviews[f"t{topic:04}"] = labels
    return reviews


def compare_screening(rng: random.Random, number: int, folder: Path, comparison: Comparison) -> None:
    """`stopping` beside TARexp's cost and loops; the measures of ASReview beside its insights."""
    reviews = draw_reviews(rng, number)
    lists = {topic: [f"d{place:03}" for place in range(len(labels))] for topic, labels in reviews.items()}
    qrels, stops = folder / "labels", folder / "stops"
    with qrels.open("w") as stream:
        for topic, labels in reviews.items():
            stream.writelines(f"{topic} 0 d{place:03} {label}\n" for place, label in enumerate(labels))
    stop_of = {topic: rng.randint(1, len(labels)) for topic, labels in reviews.items()}
    stops.write_text("".join(f"{topic} {stop}\n" for topic, stop in stop_of.items()))
    run = write_run(folder / "review", lists)
    costs = ",".join(f"{cost:g}" for cost in COSTS)
    files = (str(qrels), run, "--stops", str(stops))
    for row in call("stopping", *files, "--target", str(TARGET), "--costs", costs)["topics"]:
        labels, stop = reviews[row["topic"]], stop_of[row["topic"]]
        recall = sum(labels[:stop]) / sum(labels)
        comparison.add("by loops", "relative error", row["relative_error"], abs(recall - TARGET) / TARGET)
        comparison.add("by loops", "reached", row["reached"], 10 * sum(labels[:stop]) >= 8 * sum(labels))
        earliest = next(k for k in range(1, len(labels) + 1) if 10 * sum(labels[:k]) >= 8 * sum(labels))
        comparison.add("by loops", "excess", row["excess"], stop - earliest)
        if 8 * sum(labels) % 10:  # where T n is whole TARexp reads on
            cost = cost_of_tarexp(labels, stop, TARGET)
            comparison.add("TARexp (twin)", "OptimisticCost", row["cost"], cost)
    insights = peer("asreviewcontrib.insights.metrics")
    if insights is None:
        return
    percents = (5, 10, 25, 50, 75, 90, 95, 100)
    columns = ",".join(map(str, percents))
    names = ("wss", "erf", "tnr", "recall")
    options = [word for name in names for word in ("-m", f"{name}_asreview.{columns}")]
    found = call("-q", *options, str(qrels), run)
    ours = {row["topic"]: row for row in _rows_by_topic(found)}
    for topic, labels in reviews.items():
        for name in names:
            for percent in percents:
                value = float(getattr(insights, f"_{name}")(labels, percent / 100))
                label = f"{name}_asreview_{percent}"
                comparison.add("asreview-insights 1.6.1", f"{name}_asreview", ours[topic][label], value)


def _rows_by_topic(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The values of each topic of the evaluator's JSON."""
    for run in found["runs"]:
        for row in run["topics"]:
            yield {"topic": row["topic"], **row["values"]}


def average_precision_of_ragas(verdicts: list[int]) -> float:
    """A twin of ragas' NonLLMContextPrecisionWithReference for lists of ids."""
    hits = [sum(verdicts[: place + 1]) / (place + 1) * verdict for place, verdict in enumerate(verdicts)]
    return sum(hits) / (sum(verdicts) + 1e-10)


def compare_contexts(rng: random.Random, number: int, folder: Path, comparison: Comparison) -> None:
    """map_ret, set_recall and set_P beside ragas' measures of lists."""
    retrieved, reference = draw_lists(rng, number, 12), draw_lists(rng, number, 8)
    qrels = folder / "reference"
    with qrels.open("w") as stream:
        for topic, documents in reference.items():
            stream.writelines(f"{topic} 0 {docno} 1\n" for docno in documents)
    names = ("NonLLMContextPrecisionWithReference", "NonLLMContextRecall", "IDBasedContextPrecision")
    options = [word for name in names for word in ("-m", name)]
    found = call("-q", *options, str(qrels), write_run(folder / "retrieved", retrieved))
    for row in _rows_by_topic(found):
        documents, relevant = retrieved[row["topic"]], reference[row["topic"]]
        verdicts = [int(docno in relevant) for docno in documents]
        comparison.add("ragas (twin)", names[0], row["map_ret"], average_precision_of_ragas(verdicts), 1e-9)
        comparison.add("ragas (twin)", names[1], row["set_recall"], sum(verdicts) / len(relevant))
        comparison.add("ragas (twin)", names[2], row["set_P"], sum(verdicts) / len(documents))


PARTS: tuple[Callable[[random.Random, int, Path, Comparison], None], ...] = (
    compare_overlap,
    compare_replication,
    compare_screening,
    compare_contexts,
)


def main(number: int) -> int:
    """Compare so many cases of each kind; return how many values differ."""
    comparison = Comparison()
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            part(random.Random(2026), number, Path(folder), comparison)
    return comparison.print_table()


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]))))
