"""Write fixtures/exports/clients: the same run and judgements, written by libraries and clients themselves.

`python tests/make_client_exports.py FOLDER [CLIENT ...]` writes the files of the clients that are installed
(or of those named), and prints which versions wrote them.  Clients of engines ask a server on this machine
that answers as their documentation shows; MTEB's tasks save predictions of a search that never took place.
The files in the repository were written by pandas 3.1.1, polars 2.1.0, datasets 5.2.0, ranx 0.3.21,
ir_measures 0.4.3, pyterrier 1.1.2, elasticsearch 9.5.1, opensearch-py 3.2.0 and mteb 2.26.24.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module, metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from make_exports import GRADES, NAMES, QRELS, RUN, TEXTS, engine_files, frame


def run_of(library: str) -> Any:
    """The run as a frame of pandas with the names of a library."""
    return frame(NAMES[library], RUN, text=library == "pyterrier")


def qrels_of(library: str) -> Any:
    """The judgements as a frame of pandas with the names of a library."""
    return frame((*NAMES[library][:2], GRADES[library]), QRELS, text=False)


def write_pandas(folder: Path) -> None:
    """Parquet as pandas writes it: plain, with an index of two columns, compressed in two ways."""
    run, judged = run_of("pyterrier"), qrels_of("pyterrier")
    run.to_parquet(folder / "run-pandas.parquet")
    run.set_index(["qid", "docno"]).to_parquet(folder / "run-pandas-index.parquet")
    run.to_parquet(folder / "run-pandas-gzip.parquet", index=False, compression="gzip")
    run.to_json(folder / "run-pandas-lines.json", orient="records", lines=True)
    judged.to_parquet(folder / "qrels-pandas.parquet")
    judged.set_index(["qid", "docno"]).to_parquet(folder / "qrels-pandas-index.parquet")


def write_polars(folder: Path) -> None:
    """The four files that Polars has writers for."""
    polars = import_module("polars")
    run, judged = polars.DataFrame(run_of("ir-measures").to_dict("list")), qrels_of("ir-measures")
    run.write_csv(folder / "run-polars.csv")
    run.write_csv(folder / "run-polars.tsv", separator="\t")
    run.write_ndjson(folder / "run-polars.ndjson")
    run.write_parquet(folder / "run-polars.parquet")
    polars.DataFrame(judged.to_dict("list")).write_csv(folder / "qrels-polars.csv")


def write_datasets(folder: Path) -> None:
    """Hugging Face's datasets, with the names of BEIR."""
    datasets = import_module("datasets")
    for name, table in (("run", run_of("beir")), ("qrels", qrels_of("beir"))):
        made = datasets.Dataset.from_dict(table.to_dict("list"))
        made.to_csv(folder / f"{name}-datasets.csv")
        made.to_parquet(folder / f"{name}-datasets.parquet")
        made.to_json(folder / f"{name}-datasets.json")


def write_ranx(folder: Path) -> None:
    """What ranx's `save` writes."""
    ranx = import_module("ranx")
    for name, made in (("run", ranx.Run(RUN, name="bm25")), ("qrels", ranx.Qrels(QRELS))):
        for ending in ("json", "trec", "parquet"):
            made.save(str(folder / f"{name}-ranx.{ending}"))


def write_ir_measures(folder: Path) -> None:
    """What the converters of ir_measures make: frames, and files of TREC."""
    util = import_module("ir_measures.util")
    for name, converter, table in (
        ("run", util.RunConverter, run_of("ir-measures")),
        ("qrels", util.QrelsConverter, qrels_of("ir-measures")),
    ):
        converter(table).as_pd_dataframe().to_csv(folder / f"{name}-ir_measures.csv", index=False)
        with converter(table).as_tmp_file() as file:
            shutil.copyfile(file.name, folder / f"{name}-ir_measures.txt")


def write_pyterrier(folder: Path) -> None:
    """What PyTerrier's `write_results` writes, and its frame as CSV."""
    io = import_module("pyterrier.io")
    results = run_of("pyterrier")
    io.write_results(results, str(folder / "run-pyterrier.txt"))
    io.write_results(results, str(folder / "run-pyterrier.txt.gz"))
    io.write_results(
        results.assign(rank=results["rank"] + 1), str(folder / "run-pyterrier-minimal.tsv"), format="minimal"
    )
    results.to_csv(folder / "run-pyterrier-frame.csv")


@contextmanager
def answering(answers: dict[str, Any], asked: dict[str, bytes]) -> Iterator[str]:
    """A server that gives the answer of the last part of a path, and keeps what it was asked."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # both clients ask so
            what = self.path.split("?")[0].rsplit("/", 1)[-1]
            asked[what] = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer = json.dumps(answers[what]).encode()
            self.send_response(200)
            accepted = self.headers.get("Accept", "application/json").split(",")[0]
            self.send_header("Content-Type", accepted if "json" in accepted else "application/json")
            self.send_header("X-Elastic-Product", "Elasticsearch")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: Any) -> None:
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def write_engine(folder: Path, name: str, client: Callable[[str], Any], dumps: Callable[[Any], Any]) -> None:
    """What a client of an engine gets for `msearch` and `rank_eval`, and what it asks for judgements."""
    made = engine_files()
    answers = {
        "_msearch": made["run-elasticsearch-msearch"],
        "_rank_eval": made["run-elasticsearch-rank-eval"],
    }
    rated = made["qrels-elasticsearch-rank-eval"]
    searches: list[Any] = []
    for text in TEXTS.values():
        searches += [{"index": "films"}, {"query": {"match": {"title": text}}}]
    asked: dict[str, bytes] = {}
    with answering(answers, asked) as address:
        engine = client(address)
        new = name == "elasticsearch"
        found = engine.msearch(searches=searches) if new else engine.msearch(body=searches)
        scored = (
            engine.rank_eval(index="films", **rated) if new else engine.rank_eval(index="films", body=rated)
        )
        engine.close()
    for what, response in (("msearch", found), ("rank-eval", scored)):
        body = response.body if new else response
        text = dumps(body)
        (folder / f"run-{name}-{what}.json").write_bytes(text.encode() if isinstance(text, str) else text)
        (folder / f"run-{name}-{what}-indent.json").write_text(json.dumps(body, indent=4))
    (folder / f"qrels-{name}-rank-eval.json").write_bytes(asked["_rank_eval"])


def write_elasticsearch(folder: Path) -> None:
    """Responses and requests, through elasticsearch-py's own serializer."""
    dumps = import_module("elasticsearch.serializer").JsonSerializer().dumps
    write_engine(folder, "elasticsearch", import_module("elasticsearch").Elasticsearch, dumps)


def write_opensearch(folder: Path) -> None:
    """Responses and requests, through opensearch-py's own serializer."""
    dumps = import_module("opensearchpy.serializer").JSONSerializer().dumps
    write_engine(folder, "opensearch", import_module("opensearchpy").OpenSearch, dumps)


def write_mteb(folder: Path) -> None:
    """Predictions as MTEB's tasks save them; those of one subset and split in one file."""
    saves = import_module("mteb.abstasks.abstask").AbsTask._save_task_predictions
    model = SimpleNamespace(mteb_model_meta=SimpleNamespace(name="organisation/model", revision="0a1b2c"))
    for name, subset, split in (
        ("default", "default", "test"),
        ("dev", "default", "dev"),
        ("german", "de", "test"),
        ("pair", "deu-eng", "train"),
    ):
        path = folder / f"run-mteb-{name}.json"
        path.unlink(missing_ok=True)
        task = SimpleNamespace(_predictions_path=lambda _, path=path: path)
        saves(task, RUN, model, folder, split, subset)


CLIENTS: dict[str, Callable[[Path], None]] = {
    "pandas": write_pandas,
    "polars": write_polars,
    "datasets": write_datasets,
    "ranx": write_ranx,
    "ir_measures": write_ir_measures,
    "pyterrier": write_pyterrier,
    "elasticsearch": write_elasticsearch,
    "opensearch-py": write_opensearch,
    "mteb": write_mteb,
}


def main(arguments: Sequence[str]) -> None:
    """Write the files of the clients that are installed, or of those named, into a folder."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for client in arguments[1:] or CLIENTS:
        try:
            version = metadata.version(client)
        except metadata.PackageNotFoundError:
            print(f"{client}: not installed")
            continue
        CLIENTS[client](folder)
        print(f"{client} {version}")


if __name__ == "__main__":
    main(sys.argv[1:])
