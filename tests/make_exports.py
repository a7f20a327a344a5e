"""Write fixtures/exports: one run and its judgements as libraries and engines export them.

`python tests/make_exports.py FOLDER` needs pandas.  Responses of Elasticsearch, OpenSearch and
Quepid are built as their documentation shows them, MTEB's predictions as its `_save_task_predictions` does.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "d": 1}, "3": {"e": 1, "f": 2}}
RUN = {"1": {"b": 3.5, "a": 2.25, "x": 1.5}, "2": {"d": 9.75, "a": 0.5}, "3": {"y": 4.0, "f": 3.0, "e": 2.5}}
TEXTS = {"1": "star wars", "2": "blade, runner", "3": 'the "thing"'}
"""Queries of Quepid, which has no other names of topics."""

Names = tuple[str, str, str]
NAMES: dict[str, Names] = {
    "ir-measures": ("query_id", "doc_id", "score"),
    "pyterrier": ("qid", "docno", "score"),
    "ranx": ("q_id", "doc_id", "score"),
    "beir": ("query-id", "corpus-id", "score"),
}
GRADES = {"ir-measures": "relevance", "pyterrier": "label", "ranx": "score", "beir": "score"}


def frame(names: Names, data: Any, text: bool) -> pandas.DataFrame:
    """The rows of a run or of judgements; with `text` ranks and queries too, as PyTerrier's frames have."""
    rows = [(topic, docno, number) for topic, found in data.items() for docno, number in found.items()]
    table = pandas.DataFrame(rows, columns=list(names))
    if text:
        table["query"] = table[names[0]].map(TEXTS)
        table["rank"] = table.groupby(names[0]).cumcount()
    return table


WAYS: dict[str, dict[str, Any]] = {
    "index.csv": {},
    "plain.csv": {"index": False},
    "plain.tsv": {"index": False, "sep": "\t"},
    "excel.csv": {
        "index": False,
        "sep": ";",
        "decimal": ",",
        "encoding": "utf-8-sig",
        "lineterminator": "\r\n",
    },
    "quoted.csv": {"index": False, "quoting": csv.QUOTE_ALL},
}


def write_frames(folder: Path) -> None:
    """The frames of four libraries, as pandas writes them in six ways, and with a separator told to Excel."""
    for library, names in NAMES.items():
        for way, options in WAYS.items():
            text = library == "pyterrier"
            frame(names, RUN, text).to_csv(folder / f"run-{library}-{way}", **options)
            if way in ("index.csv", "excel.csv"):
                graded = (*names[:2], GRADES[library])
                frame(graded, QRELS, False).to_csv(folder / f"qrels-{library}-{way}", **options)
        frame(names, RUN, text).to_json(folder / f"run-{library}-default.json")
        frame(graded, QRELS, False).to_json(folder / f"qrels-{library}-default.json")
        excel = (folder / f"run-{library}-excel.csv").read_bytes()
        (folder / f"run-{library}-sep.csv").write_bytes(b"sep=;\r\n" + excel.removeprefix(b"\xef\xbb\xbf"))


def hits(found: dict[str, float], **more: Any) -> dict[str, Any]:
    each = [{"_index": "films", "_id": docno, "_score": score, **more} for docno, score in found.items()]
    total = {"value": len(each), "relation": "eq"}
    return {"total": total, "max_score": max(found.values()), "hits": each}


def response(found: dict[str, float], **more: Any) -> dict[str, Any]:
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    return {"took": 1, "timed_out": False, "_shards": shards, "hits": hits(found, **more), "status": 200}


def engine_files() -> dict[str, Any]:
    """Responses and requests, by the names of their files."""
    sorted_by = [response(found) for found in RUN.values()]
    for each in sorted_by:
        each["hits"]["max_score"] = None
        for place, hit in enumerate(each["hits"]["hits"]):
            hit |= {"_score": None, "sort": [place]}
    details = {
        topic: {
            "metric_score": 0.5,
            "unrated_docs": [],
            "hits": [{"hit": hit, "rating": QRELS[topic].get(hit["_id"])} for hit in hits(found)["hits"]],
        }
        for topic, found in RUN.items()
    }
    requests = [
        {
            "id": topic,
            "request": {"query": {"match": {"title": TEXTS[topic]}}},
            "ratings": [{"_index": "films", "_id": docno, "rating": grade} for docno, grade in own.items()],
        }
        for topic, own in QRELS.items()
    ]
    source = {"_source": {"title": "a title", "hits": 3}}
    return {
        "run-elasticsearch-msearch": {"took": 3, "responses": [response(each) for each in RUN.values()]},
        "run-elasticsearch7-msearch": {
            "took": 3,
            "responses": [response(each, _type="_doc", **source) for each in RUN.values()],
        },
        "run-opensearch-sorted": {"took": 3, "responses": sorted_by},
        "run-elasticsearch-rank-eval": {"metric_score": 0.5, "details": details, "failures": {}},
        "qrels-elasticsearch-rank-eval": {"requests": requests, "metric": {"precision": {"k": 20}}},
        "run-mteb": {"mteb_model_meta": {"model_name": "a", "revision": "b"}, "default": {"test": RUN}},
        "run-mteb1": RUN,
    }


def write_quepid(folder: Path) -> None:
    """Quepid's snapshots, which have positions alone, and its judgements."""
    head = ["Snapshot Name", "Snapshot Time", "Case ID", "Query Text", "Doc ID", "Doc Position"]
    rows = [
        ["first", "2024-05-01 10:00:00 UTC", 7, TEXTS[topic], docno, rank]
        for topic, found in RUN.items()
        for rank, docno in enumerate(found, 1)
    ]
    ratings = [[TEXTS[topic], docno, grade] for topic, own in QRELS.items() for docno, grade in own.items()]
    tables: dict[str, list[list[Any]]] = {
        "run-quepid": [head, *rows],
        "qrels-quepid": [["query", "docid", "rating"], *ratings],
    }
    for name, lines in tables.items():
        ways: dict[str, dict[str, Any]] = {
            "plain": {"lineterminator": "\n"},
            "excel": {"delimiter": ";"},
            "tabs": {"delimiter": "\t", "lineterminator": "\n"},
            "quoted": {"quoting": csv.QUOTE_ALL, "lineterminator": "\n"},
        }
        for way, options in ways.items():
            text = io.StringIO(newline="")
            csv.writer(text, **options).writerows(lines)
            mark = "\ufeff" if way == "excel" else ""
            (folder / f"{name}-{way}.csv").write_bytes((mark + text.getvalue()).encode())


def main(arguments: Sequence[str]) -> None:
    """Write all text files into a folder."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "qrels.txt").write_text(
        "".join(f"{t} 0 {d} {n}\n" for t, own in QRELS.items() for d, n in own.items())
    )
    (folder / "run.txt").write_text(
        "".join(f"{t} Q0 {d} 0 {n} r\n" for t, own in RUN.items() for d, n in own.items())
    )
    write_frames(folder)
    write_quepid(folder)
    layouts: dict[str, Callable[[Any], str]] = {
        "": json.dumps,
        "-pretty": lambda data: json.dumps(data, indent=2) + "\n",
    }
    for name, data in engine_files().items():
        for suffix, text in layouts.items():
            (folder / f"{name}{suffix}.json").write_text(text(data))


if __name__ == "__main__":
    main(sys.argv[1:])
