"""Exports of programs, each read at the first try: as documented, with what the documentation tells to add.

Written by hand after the documentation of the programs.  Those in fixtures/exports were written by programs.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from support.commands import Command

Row = tuple[str, str, float]

RUN: list[Row] = [("1", "d9", 3.0), ("1", "d1", 2.0), ("1", "d7", 1.0), ("2", "d2", 1.0)]
RANKS = (1, 2, 3, 1)
GRADED: list[Row] = [("1", "d1", 1), ("1", "d9", 0), ("1", "d4", 1), ("2", "d2", 1)]

EXPORTS: dict[str, tuple[str, bytes, str]] = {}
"""Role (run or qrels), bytes and options of each export."""


def export(name: str, role: str, text: str, options: str = "", encoding: str = "utf-8") -> None:
    EXPORTS[name] = role, text.encode(encoding), options


def lines(layout: str, rows: list[Row]) -> str:
    return "".join(layout.format(*row, n=n, rank=RANKS[n]) for n, row in enumerate(rows))


export("lucene benchmark", "run", lines("{0}\tQ0\t{1}\t{n}\t{2}\tlucene\n", RUN))
export("anserini", "run", lines("{0} Q0 {1} {rank} {2:.6f} Anserini\n", RUN))
export("anserini msmarco", "run", lines("{0}\t{1}\t{rank}\n", RUN))
export("indri", "run", lines("{0} Q0 {1} {rank} -{rank}.5 indri\n", RUN))
export("terrier res crlf", "run", lines("{0} Q0 {1} {n} {2} BM25b0.75\r\n", RUN))
export("msmarco qrels", "qrels", lines("{0}\t0\t{1}\t{2}\n", GRADED))
export("trec-covid qrels", "qrels", lines("{0} 4.5 {1} {2}\n", GRADED))
export("beir qrels", "qrels", "query-id\tcorpus-id\tscore\n" + lines("{0}\t{1}\t{2}\n", GRADED))
export("beir qrels mteb floats", "qrels", "query-id\tcorpus-id\tscore\n" + lines("{0}\t{1}\t{2}.0\n", GRADED))
export(
    "ir_measures qrels csv",
    "qrels",
    "query_id,doc_id,relevance,iteration\n" + lines("{0},{1},{2},0\n", GRADED),
)
export(
    "pyterrier frame csv",
    "run",
    "qid,docid,docno,rank,score,query\n"
    + '1,5,d9,0,3.0,"a, b"\n1,6,d1,1,2.0,"a, b"\n1,7,d7,2,1.0,"a, b"\n2,8,d2,0,1.0,c\n',
)
export("ranx json", "run", json.dumps({"1": {"d9": 3.0, "d1": 2.0, "d7": 1.0}, "2": {"d2": 1.0}}))
export("ranx qrels json", "qrels", json.dumps({"1": {"d1": 1, "d9": 0, "d4": 1}, "2": {"d2": 1}}))
export(
    "ragas csv",
    "run",
    "user_input,retrieved_contexts,retrieved_context_ids\n1,\"['a','b']\",\"['d9', 'd1', 'd7']\"\n"
    "2,['c'],['d2']\n",
)
export(
    "ragas jsonl ref",
    "qrels",
    '{"user_input":"1","reference_context_ids":["d1","d4"]}\n'
    '{"user_input":"2","reference_context_ids":["d2"]}\n',
)
export(
    "llamaindex eval csv",
    "run",
    "query,expected_ids,retrieved_ids\n1,\"['d1', 'd4']\",\"['d9', 'd1', 'd7']\"\n2,['d2'],['d2']\n",
)
export(
    "llamaindex dataset",
    "qrels",
    json.dumps(
        {
            "queries": {"1": "a", "2": "b"},
            "corpus": {"d1": "t"},
            "relevant_docs": {"1": ["d1", "d4"], "2": ["d2"]},
            "mode": "text",
        }
    ),
)
export(
    "haystack v1 eval",
    "run",
    "multilabel_id,query,document_id,rank,score\nm,1,d9,1,3\nm,1,d1,2,2\nm,1,d7,3,1\nm,2,d2,1,1\n",
)
export(
    "haystack documents",
    "run",
    json.dumps(
        [
            {
                "query": "1",
                "documents": [
                    {"id": "d9", "content": "t", "score": 3.0},
                    {"id": "d1", "content": "t", "score": 2.0},
                    {"id": "d7", "score": 1.0},
                ],
            },
            {"query": "2", "documents": [{"id": "d2", "score": 1.0}]},
        ]
    ),
    "--columns docnos=documents",
)
export(
    "dpr",
    "run",
    json.dumps(
        [
            {
                "question": "1",
                "answers": ["x"],
                "ctxs": [
                    {"id": "d9", "title": "t", "text": "x", "score": "80.1", "has_answer": False},
                    {"id": "d1", "score": "79"},
                    {"id": "d7", "score": "70"},
                ],
            },
            {"question": "2", "answers": [], "ctxs": [{"id": "d2", "score": "1"}]},
        ],
        indent=4,
    ),
)
export(
    "solr",
    "run",
    json.dumps(
        {
            "responseHeader": {"status": 0, "QTime": 1, "params": {"q": "a"}},
            "response": {
                "numFound": 3,
                "start": 0,
                "maxScore": 3.0,
                "docs": [{"id": "d9", "score": 3.0}, {"id": "d1", "score": 2.0}, {"id": "d7", "score": 1.0}],
            },
        }
    ),
)
export("solr csv", "run", "id,score\nd9,3.0\nd1,2.0\nd7,1.0\n", "--columns docno=id")
export(
    "vespa",
    "run",
    json.dumps(
        {
            "root": {
                "id": "toplevel",
                "relevance": 1.0,
                "fields": {"totalCount": 3},
                "coverage": {},
                "children": [
                    {"id": "id:ns:doc::d9", "relevance": 3.0, "source": "c"},
                    {"id": "id:ns:doc::d1", "relevance": 2.0},
                    {"id": "id:ns:doc::d7", "relevance": 1.0},
                ],
            }
        }
    ),
)
export(
    "tira rerank jsonl",
    "run",
    "".join(
        json.dumps({"qid": q, "query": "a", "docno": d, "text": "t", "score": s}) + "\n" for q, d, s in RUN
    ),
)
export("clef-ip", "run", lines("{0} Q0 {1} {rank} {2} bitem\n", RUN))
export(
    "lens",
    "run",
    '"#","Jurisdiction","Kind","Display Key","Lens ID","Title"\n1,"EP","A1","d9","000-1","x"\n'
    '2,"EP","A1","d1","000-2","y"\n3,"EP","A1","d7","3","z"\n',
    '--columns docno="Display Key"',
)
export(
    "google patents",
    "run",
    "search URL:,https://patents.google.com/?q=(pump)\n"
    "id,title,assignee,inventor/author,priority date,result link\nd9,x,A,B,2001-01-01,https://a\n"
    "d1,x,A,B,2001-01-01,https://a\nd7,x,A,B,2001-01-01,https://a\n",
    "--columns docno=id",
)
export(
    "derwent",
    "run",
    '\ufeff"Publication Number","Title - DWPI","Assignee"\n"d9","a","b"\n"d1","a","b"\n"d7","a","b"\n',
    '--columns docno="Publication Number"',
)
export(
    "orbit",
    "run",
    "Suche;Publikationsnummern;Titel\n1;d9;x\n1;d1;x\n1;d7;x\n2;d2;x\n",
    "--columns topic=Suche,docno=Publikationsnummern",
)
export(
    "asreview",
    "qrels",
    "record_id,title,abstract,included\nd1,t,a,1\nd9,t,a,0\nd4,t,a,1\n",
    "--columns docno=record_id,grade=included",
)
export(
    "asreview ranked",
    "run",
    "record_id,title,asreview_ranking,included\nd9,t,1,0\nd1,t,2,1\nd7,t,3,\n",
    "--columns docno=record_id,rank=asreview_ranking",
)
export(
    "relativity",
    "qrels",
    "Control Number,Designation\nd1,Responsive\nd9,Not Responsive\nd4,Responsive\n",
    '--columns docno="Control Number",grade=Designation --grades Responsive=1 --grades "Not Responsive=0"',
)
export(
    "concordance dat",
    "qrels",
    "þControl Numberþ\x14þRespþ\nþd1þ\x14þYesþ\nþd9þ\x14þNoþ\nþd4þ\x14þYesþ\n",
    '--columns docno="Control Number",grade=Resp --grades Yes=1,No=0',
)
export(
    "eppi",
    "qrels",
    '"ID","Title","I/E/D/S flag"\n"d1","t","I"\n"d9","t","E"\n"d4","t","I"\n',
    '--columns docno=ID,grade="I/E/D/S flag" --grades I=1,E=0',
)
export(
    "excel german",
    "run",
    "\ufeffFrage;Treffer;Punkte\r\n1;d9;3,0\r\n1;d1;2,5\r\n1;d7;1,0\r\n2;d2;1,0\r\n",
    "--columns topic=Frage,docno=Treffer,score=Punkte",
)
export(
    "excel german utf16",
    "run",
    "Frage\tTreffer\tPunkte\r\n1\td9\t3,0\r\n1\td1\t2,5\r\n1\td7\t1,0\r\n2\td2\t1,0\r\n",
    "--columns topic=Frage,docno=Treffer,score=Punkte",
    "utf-16",
)
export(
    "excel sep", "run", "sep=;\r\nquery_id;doc_id;score\r\n1;d9;3,0\r\n1;d1;2,5\r\n1;d7;1,0\r\n2;d2;1,0\r\n"
)
export(
    "excel sep, mark",
    "run",
    "\ufeffsep=;\r\nquery_id;doc_id;score\r\n1;d9;3,0\r\n1;d1;2,5\r\n1;d7;1,0\r\n2;d2;1,0\r\n",
)
export("pandas index csv", "run", ",qid,docno,score\n0,1,d9,3\n1,1,d1,2\n2,1,d7,1\n3,2,d2,1\n")
export(
    "R write.table",
    "run",
    '"qid" "docno" "score"\n"1" "1" "d9" 3\n"2" "1" "d1" 2\n"3" "1" "d7" 1\n"4" "2" "d2" 1\n',
)
export(
    "R write.csv",
    "run",
    '"","qid","docno","score"\n"1","1","d9",3\n"2","1","d1",2\n"3","1","d7",1\n"4","2","d2",1\n',
)
export(
    "R write.csv2",
    "run",
    '"";"qid";"docno";"score"\n"1";"1";"d9";3,5\n"2";"1";"d1";2,5\n"3";"1";"d7";1,5\n"4";"2";"d2";1,5\n',
)
export(
    "psql",
    "run",
    " qid | docno | score \n-----+-------+-------\n 1   | d9    |     3\n 1   | d1    |     2\n"
    " 1   | d7    |     1\n 2   | d2    |     1\n(4 rows)\n\n",
)
export("mysql -B", "run", "qid\tdocno\tscore\n1\td9\t3\n1\td1\t2\n1\td7\t1\n2\td2\t1\n")
export("sqlite list", "run", "qid|docno|score\n1|d9|3\n1|d1|2\n1|d7|1\n2|d2|1\n")
export(
    "ntcir qrels",
    "qrels",
    "1 d1 L1\n1 d9 L0\n1 d4 L2\n2 d2 L1\n",
    "--columns topic=1,docno=2,grade=3 --grades L0=0,L1=1,L2=2",
)
export(
    "bioasq",
    "qrels",
    json.dumps(
        {
            "questions": [
                {"id": "1", "body": "q", "documents": ["d1", "d4"]},
                {"id": "2", "body": "q", "documents": ["d2"]},
            ]
        }
    ),
    "--columns topic=id,docnos=documents",
)
export(
    "lotte",
    "qrels",
    '{"qid":1,"query":"a","answer_pids":["d1","d4"]}\n{"qid":2,"query":"a","answer_pids":["d2"]}\n',
    "--columns docnos=answer_pids",
)
export(
    "letor",
    "qrels",
    "1 qid:1 1:0.5 2:3 #docid = d1\n0 qid:1 1:0.5 #docid = d9\n1 qid:1 1:.5 #docid = d4\n"
    "1 qid:2 1:2 #docid = d2\n",
)
export("quepid ltr", "qrels", "1\tqid:1\t# d1\tlamp\n0\tqid:1\t# d9\n1\tqid:1\t# d4\n1\tqid:2\t# d2\n")
export(
    "chroma",
    "run",
    json.dumps(
        {"ids": [["d9", "d1", "d7"], ["d2"]], "distances": [[0.1, 0.2, 0.3], [0.1]], "documents": None}
    ),
)
export(
    "qdrant",
    "run",
    json.dumps(
        {
            "result": [
                {"id": "d9", "version": 1, "score": 3},
                {"id": "d1", "score": 2},
                {"id": "d7", "score": 1},
            ],
            "status": "ok",
            "time": 0.1,
        }
    ),
    "--columns docno=id,score=score",
)
export(
    "pinecone",
    "run",
    json.dumps(
        {
            "matches": [{"id": "d9", "score": 3}, {"id": "d1", "score": 2}, {"id": "d7", "score": 1}],
            "namespace": "",
        }
    ),
    "--columns docno=id,score=score",
)
export(
    "azure",
    "run",
    json.dumps(
        {
            "@odata.context": "x",
            "value": [
                {"@search.score": 3.0, "id": "d9"},
                {"@search.score": 2.0, "id": "d1"},
                {"@search.score": 1.0, "id": "d7"},
            ],
        }
    ),
    "--columns docno=id,score=@search.score",
)
export(
    "weaviate jsonl",
    "run",
    "".join(json.dumps({"query_id": q, "uuid": d, "score": s}) + "\n" for q, d, s in RUN),
    "--columns docno=uuid",
)
export(
    "patentmatch tsv",
    "qrels",
    "index\tclaim_id\tpatent_searchReport_paragraph_id\tlabel\n0\t1\td1\t1\n1\t1\td9\t0\n"
    "2\t1\td4\t1\n3\t2\td2\t1\n",
    "--columns topic=claim_id,docno=patent_searchReport_paragraph_id",
)
export(
    "opensearch search",
    "run",
    json.dumps(
        {
            "took": 1,
            "timed_out": False,
            "hits": {
                "total": {"value": 3},
                "hits": [
                    {"_index": "i", "_id": "d9", "_score": 3.0},
                    {"_id": "d1", "_score": 2.0},
                    {"_id": "d7", "_score": 1.0},
                ],
            },
        }
    ),
)
export(
    "espacenet",
    "run",
    "Patents search results\nQuery:;ti=pump\nTitle;Publication number;Priority\nx;d9;2001\n"
    "x;d1;2001\nx;d7;2001\n",
    '--columns docno="Publication number"',
)


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(lines("{0} 0 {1} {2}\n", GRADED))
    Path("run").write_text(lines("{0} Q0 {1} {rank} {2} r\n", RUN))
    return call


ONE_TOPIC = "0.2500"
"""The map of the run over topic 1 alone, as programs for one search write it."""


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read(name: str, call: Command) -> None:
    role, data, options = EXPORTS[name]
    file_name = "export.csv" if b"," in data and not data.startswith((b"{", b"[")) else "export"
    Path(file_name).write_bytes(data)
    called = call(*shlex.split(options), "-m", "map", *files(role, file_name))
    if called.code and called.err.endswith(" > NEW\n"):  # the message has the command that converts it
        command = called.err.rpartition(": ")[2]
        subprocess.run(["sh", "-c", command], check=True)
        called = call(*shlex.split(options), "-m", "map", *files(role, "NEW"))
    assert called.code == 0, called.err
    has_one_topic = "all rows are of topic 1" in called.err or b'"2"' not in data
    assert called.out.split()[-1] in ("0.6250", ONE_TOPIC if has_one_topic else "")
    others = called.err.replace("1 of 2 topics of qrels is not in the run", "")
    assert "warning" not in others or has_one_topic


def files(role: str, name: str) -> tuple[str, str]:
    return ("qrels", name) if role == "run" else (name, "run")
