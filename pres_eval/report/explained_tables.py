"""The tables of topics whose PRES is explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pres_eval.analysis.explain import Explanation, text_plot
from pres_eval.arrays.exact import add_in_order
from pres_eval.report.layout import Shown, Table, Value
from pres_eval.report.text import text_of
from pres_eval.scoring import Evaluation


def explained_tables(
    explanations: Sequence[Explanation], evaluation: Evaluation, run: str, topics: Mapping[str, int]
) -> list[Table]:
    """Each topic with its relevant documents, and the averages of the run over so many topics."""
    labels = [column.label for column in evaluation.columns]
    scores = dict(
        zip(
            evaluation.topics,
            zip(*(evaluation.by_label(each).tolist() for each in labels), strict=True),
            strict=True,
        )
    )
    rows: list[tuple[Value, ...]] = []
    documents: list[tuple[Value, ...]] = []
    people = []
    for one in explanations:
        topic = text_of(one.topic)
        values = scores.get(one.topic, (0.0,) * len(labels))
        rows.append(
            (
                topic,
                len(one.documents),
                one.found,
                one.num_ret,
                one.sum_of_ranks,
                one.area_lost,
                one.area_kept,
                *values,
            )
        )
        documents += [
            (topic, d.place, text_of(d.docno), d.grade, d.rank, d.counted, d.lost, d.found)
            for d in one.documents
        ]
        people.append(_people(one, labels, values))
    headings = ("topic", "num_rel", "found", "num_ret", "sum_of_ranks", "A1", "A2", *labels)
    by_document = ("topic", "i", "docno", "grade", "rank", "r_i", "lost", "found")
    return [
        Table("topics", "", headings, rows, people=False),
        Table("documents", "", by_document, documents, people=False, left=1),
        *people,
        _averages(evaluation, labels, run, topics),
    ]


def _people(one: Explanation, labels: Sequence[str], values: Sequence[float]) -> Table:
    """One topic for people: the documents above, the areas as text below."""
    lines = [
        (
            str(document.place),
            text_of(document.docno),
            str(document.grade),
            "-" if document.rank is None else str(document.rank),
            ("" if document.found else "* ") + str(document.counted),
            str(document.lost),
        )
        for document in one.documents
    ]
    total, n = len(one.documents) * one.nmax, len(one.documents)
    scores = "   ".join(f"{label} {value:.4f}" for label, value in zip(labels, values, strict=True))
    notes = [f"{one.found} of {n} relevant documents by rank {one.nmax}; {one.num_ret} retrieved"]
    if n:
        notes += [
            f"Σ r_i = {one.sum_of_ranks}   A1 = {one.area_lost}   A2 = {one.area_kept}"
            f"   PRES = A2 / (A1 + A2) = {one.area_kept} / {total} = {one.score:.4f}",
            *(["* rank of the worst case: not found by rank " + str(one.nmax)] if one.found < n else []),
            "",
            *text_plot(one),
        ]
    shown = Shown(("i", "document", "grade", "rank", "r_i", "r_i - i"), lines, left=2)
    title = f"Topic {text_of(one.topic)}   {scores}"
    return Table(f"topic {text_of(one.topic)}", title, (), (), notes, shown, programs=False)


def _averages(evaluation: Evaluation, labels: Sequence[str], run: str, topics: Mapping[str, int]) -> Table:
    sums = [add_in_order(evaluation.by_label(label)) for label in labels]
    rows: list[tuple[Value, ...]] = [
        (over, count, *(total / count for total in sums)) for over, count in topics.items()
    ]
    return Table("averages", f"Averages of {run}", ("over", "topics", *labels), rows)
