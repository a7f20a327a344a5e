"""Compare with what CLEF TAR published in 2017: the figures of its script for each topic of each run.

    python tests/fuzz/clef_tar.py FOLDER

FOLDER is 2017-TAR of a checkout of CLEF-TAR/tar.  It prints for each measure how many figures were compared
and how many differ in the third decimal; runs that are not there under the names of results are left out.
Where a run shows more documents than were judged, tar_eval counts the rest as less than nothing, and we as
none: its total_cost_uniform and total_cost_weighted are left out there.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2])]

import pres_eval as pe  # noqa: E402
from pres_eval.errors import PresEvalWarning  # noqa: E402

RUNS = {
    "amc": "AMC/clef-finals/amc.{}.res",
    "auth": "AUTH/simple-eval/run-{number}",
    "cnrs": "CNRS/trec_{word}_ALL",
    "ecnu": "ECNU/{}.res.txt",
    "eth": "ETH/trec_final_old_{}",
    "iiit": "IIIT/{}.res.txt",
    "ncsu": "NCSU/{}_test",
    "ntu": "NTU/test_ranked_run_{number}.txt",
    "padua": "Padua/simple/{}",
    "qut": "QUT/{}.txt",
    "sheffield": "Sheffield/Test_Data_Sheffield-run-{number}",
    "ucl": "UCL/{}.txt",
    "uos": "UOS/test/{}.res",
    "waterloo": "Waterloo/{}.txt",
}
"""Where the run of TEAM.REST.results is: {} is REST, number its last letter, word its first part."""

MEASURES = {
    **{
        "num_rels": "num_rel",
        "num_shown": "num_ret",
        "rels_found": "num_rel_ret",
        "ap": "map",
        "r": "set_recall",
    },
    **{name: name for name in ("last_rel", "wss_95", "wss_100", "norm_area", "loss_e", "loss_r", "loss_er")},
    **{name: name for name in ("total_cost_uniform", "total_cost_weighted")},
}
"""tar_eval's names and ours."""

NOT_SHOWN, FEEDBACK = ("NS", "NFN"), ("AF", "AFN", "DFN", "DFS")
"""What the second column says of a document: that the reader does not see it, or is asked about it."""

PRICE_OF_FEEDBACK = 2


def run_of(results: Path) -> Path:
    """The run that results were computed of."""
    team, _, rest = results.name.removesuffix(".results").partition(".")
    known = RUNS.get(team, "{}")
    word = rest.partition(".")[0]
    return results.parents[1] / "participant-runs" / known.format(rest, number=rest[-1:], word=word)


def read_run(path: Path) -> tuple[dict[str, dict[str, float]], Counter[str]]:
    """The documents shown in the order of the file, and how often each topic asks for feedback."""
    run: dict[str, dict[str, float]] = {}
    feedback: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        topic, action, docno, *rest = [*line.split(), "", "", ""]
        if len(rest) < 6 or (topic, docno) in seen:
            continue
        seen.add((topic, docno))
        if action not in NOT_SHOWN:
            shown = run.setdefault(topic, {})
            shown[docno] = -float(len(shown))
            feedback[topic] += action in FEEDBACK
    return run, feedback


def published(path: Path) -> dict[str, dict[str, float]]:
    """The figures of each topic."""
    figures: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        topic, name, value, *_ = [*line.split(), "", "", ""]
        if topic != "ALL" and (name in MEASURES or name in ("num_docs", "num_feedback")):
            figures.setdefault(topic, {})[name] = float(value)
    return figures


def compare(
    results: Path, qrels: dict[str, dict[str, int]], compared: Counter[str], differ: Counter[str]
) -> bool:
    """Count the figures of one run; whether it is there."""
    if not run_of(results).is_file():
        return False
    run, feedback = read_run(run_of(results))
    names = ["wss" if name.startswith("wss") else name for name in MEASURES.values()]
    found = pe.evaluate(qrels, {topic: run[topic] for topic in run.keys() & qrels.keys()}, names)
    ours = {
        name: dict(zip(found.topics, found.per_topic(name).tolist(), strict=True))
        for name in MEASURES.values()
    }
    for topic, figures in published(results).items():
        if (figures["num_shown"], figures["num_feedback"]) != (len(run.get(topic, ())), feedback[topic]):
            compared["topics of another run"] += 1
            continue
        for theirs, name in MEASURES.items():
            value = ours[name][topic]
            if name.startswith("total_cost"):
                if figures["num_shown"] > figures["num_docs"]:
                    compared["more shown than judged"] += 1
                    continue
                value += PRICE_OF_FEEDBACK * feedback[topic]
            compared[name] += 1
            differ[name] += abs(value - figures[theirs]) > 0.00051
    return True


def main() -> int:
    """Compare all results of both kinds of judgements."""
    import warnings

    warnings.simplefilter("ignore", PresEvalWarning)
    folder = Path(sys.argv[1])
    compared: Counter[str] = Counter()
    differ: Counter[str] = Counter()
    there = 0
    for kind, results in (("abs", "abstract"), ("content", "document")):
        qrels: dict[str, dict[str, int]] = {}
        path = folder / "testing" / "qrels" / f"qrel_{kind}_test.txt"
        for line in path.read_text(encoding="utf-8").splitlines():
            topic, _, docno, grade = line.split()
            qrels.setdefault(topic, {})[docno] = int(grade)
        for one in sorted((folder / f"participant-results-{results}").glob("*.results")):
            there += compare(one, qrels, compared, differ)
    for name, number in compared.items():
        print(f"{name:<24}{number:>7}{f'  {differ[name]} DIFFER' if differ[name] else ''}")
    total = sum(number for name, number in compared.items() if name in MEASURES.values())
    print(f"{there} runs, {total} figures, {differ.total()} differ")
    return 1 if differ.total() or not there else 0


if __name__ == "__main__":
    sys.exit(main())
