"""Random sampled judgements beside NIST's sample_eval.pl: every printed digit, topic by topic.

    python tests/fuzz/sample_eval.py path/to/sample_eval.pl 5000

The script is in the public repository geo-awad/testLB.  Its greatest result size is varied, as -M is here.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pres_eval.measures.selection import select
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import read_relevance
from pres_eval.scoring import evaluate

SIZES = (1, 3, 8, 25, 1000)
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500)
TOPICS = 25


def main(script: str, cases: int) -> int:
    """Compare so many topics, which are in files of 25; return how many values differ."""
    text = Path(script).read_text(encoding="latin-1")
    different = compared = 0
    for number in range(0, cases, TOPICS):
        rng = random.Random(number)
        size = rng.choice(SIZES)
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder)
            (here / "s.pl").write_text(re.sub(r"(?m)^(\$maxResultSize =).*", rf"\1 {size};", text))
            judged, run = _files(rng)
            (here / "qrels").write_text(judged)
            (here / "run").write_text(run)
            theirs = dict(_theirs(here))
            ours = dict(_ours(here, size))
        for key in ours.keys() | theirs.keys():
            compared += 1
            if ours.get(key) != theirs.get(key):
                different += 1
                print(f"case {number}, size {size}: {key}: {ours.get(key)}, theirs {theirs.get(key)}")
    print(f"{compared} values of {cases} topics compared, {different} differ")
    return different


def _files(rng: random.Random) -> tuple[str, str]:
    """Return judgements drawn within strata, and a run that has some of the documents and others."""
    judged, run = [], []
    for topic in range(1, TOPICS + 1):
        documents = [f"d{number}" for number in rng.sample(range(1000), rng.randint(1, 60))]
        strata = rng.sample(("1", "2", "10", "a", "B"), rng.randint(1, 4))
        rate = {stratum: rng.choice((0.1, 0.3, 0.7, 1)) for stratum in strata}
        hidden = rng.random() < 0.3  # some strata may have no document that was drawn
        highest = rng.choice((1, 2, 3))
        seen = set()
        for docno in documents:
            stratum = rng.choice(strata)
            first = stratum not in seen and not hidden
            drawn = first or rng.random() < rate[stratum]
            seen.add(stratum)
            grade = rng.choice((0, rng.randint(0, highest))) if drawn else -1
            judged.append(f"{topic} 0 {docno} {stratum} {grade}\n")
        found = rng.sample(documents, rng.randint(0, len(documents))) + [
            f"x{number}" for number in range(rng.randint(0, 20))
        ]
        for docno in found or ["x"]:
            run.append(f"{topic} 0 {docno} 0 {rng.randint(0, rng.choice((3, 1000))) / 4} r\n")
    rng.shuffle(judged)
    rng.shuffle(run)
    return "".join(judged), "".join(run)


def _theirs(here: Path) -> Iterator[tuple[tuple[str, str], str]]:
    command = ["perl", str(here / "s.pl"), "-q", str(here / "qrels"), str(here / "run")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in printed.splitlines():
        name, topic, value = line.split()
        cutoff = re.fullmatch(r"iP(\d+)", name)
        if name.startswith("iprec") or name == "num_ret" or (cutoff and int(cutoff[1]) not in CUTOFFS):
            continue
        name = {"infAP": "xinfAP"}.get(name, f"iP_{cutoff[1]}" if cutoff else name)
        yield (name, topic), value


def _ours(here: Path, size: int) -> Iterator[tuple[tuple[str, str], str]]:
    options = Options(max_retrieved=size, compat="10.0")
    judged = read_relevance(str(here / "qrels"), "strata")
    wanted = ["xinfAP", "infNDCG", "iP." + ",".join(map(str, CUTOFFS)), "inum_rel_ret", "inum_rel"]
    selection = select(wanted, options, relevance=RelevanceInfo.STRATA)
    run = read_run(File(str(here / "run")), judged, options)
    evaluation = evaluate(judged, run, selection, options)
    for column, values, summary in zip(selection, evaluation.values, evaluation.summary, strict=True):
        for topic, value in zip(evaluation.topics, values, strict=True):
            yield (column.label, topic.decode()), f"{value:.4f}"
        yield (column.label, "all"), f"{summary:.4f}"


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1], int(sys.argv[2]))))
