"""Columns and grades that Python names, as --columns and --grades do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pres_eval as pe

QRELS = {"Frage": ["1", "1", "2"], "Treffer": ["a", "b", "c"], "Note": ["heiß", "nein", "warm"]}
RUN = {"Frage": ["1", "1", "2"], "Dokument": ["b", "a", "c"], "Punkte": [2.0, 1.0, 1.0]}
COLUMNS = {
    "topic": "Frage",
    "qrels.docno": "Treffer",
    "run.docno": "Dokument",
    "grade": "Note",
    "score": "Punkte",
}
GRADES = {"heiß": 2, "warm": 1, "nein": 0}


def frame(table: dict[str, Any]) -> Any:
    return pytest.importorskip("pandas", reason="the extra `pandas` is not installed").DataFrame(table)


def arrow(table: dict[str, Any]) -> Any:
    return pytest.importorskip("pyarrow", reason="the extra `arrow` is not installed").table(table)


def records(table: dict[str, Any]) -> Any:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


@pytest.mark.parametrize("kind", [dict, frame, arrow, records])
def test_tables_in_memory(kind: Any) -> None:
    if kind is arrow:  # a column of numbers, as Arrow's words are no numbers
        qrels, grades = arrow(QRELS | {"Note": [2, 0, 1]}), None
    else:
        qrels, grades = kind(QRELS), GRADES
    found = pe.evaluate(qrels, kind(RUN), ["map", "ndcg"], columns=COLUMNS, grades=grades)
    judged, run = {"1": {"a": 2, "b": 0}, "2": {"c": 1}}, {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 1.0}}
    plain = pe.evaluate(judged, run, ["map", "ndcg"])
    assert found.to_trec(True) == plain.to_trec(True)


def test_files_and_open_files(tmp_path: Path) -> None:
    """The second look reads the file once more, by the same headings."""
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    for path, table in ((qrels, QRELS), (run, RUN)):
        rows = [table.keys(), *zip(*table.values(), strict=True)]
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    judged = pe.Qrels(qrels, columns=COLUMNS, grades=GRADES)
    assert judged.to_dict() == {"1": {"a": 2, "b": 0}, "2": {"c": 1}}
    ranked = judged.rank(run, columns=COLUMNS)
    assert ranked.evaluate("map")["map"] == 0.75
    ranked.write(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text().startswith("1 Q0 b 1 2.0 run\n")
    with qrels.open("rb") as stream, run.open() as lines:
        found = pe.evaluate(stream, lines, "map", columns=COLUMNS, grades=GRADES)
    assert found["map"] == 0.75


def test_words_of_a_dict_of_dicts() -> None:
    judged = pe.Qrels({"1": {"a": "heiß", "b": 1}}, grades=GRADES)
    assert judged.to_dict() == {"1": {"a": 2, "b": 1}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": {"thema": "Frage"}}, "columns: thema=Frage: expected NAME=HEADING, NAME one of topic"),
        ({"columns": "topic=Frage"}, "columns='topic=Frage': expected a dict"),
        ({"grades": {"heiß": "viel"}}, "grades: heiß='viel': found"),
        ({"columns": {"topic": "Thema"}}, "no Thema among the columns Frage, Treffer, Note"),
    ],
)
def test_faulty_names(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(pe.PresEvalError, match=message):
        pe.Qrels(frame(QRELS), **arguments)


def test_grades_come_with_the_judgements() -> None:
    with pytest.raises(pe.PresEvalError, match="grades: the judgements are read already"):
        pe.evaluate(pe.Qrels({"1": {"a": 1}}), {"1": {"a": 1.0}}, "map", grades=GRADES)
