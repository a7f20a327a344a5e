"""Random cases against trec_eval (where TREC_EVAL_9 or TREC_EVAL_10 name a binary) and against pytrec_eval.

PRES_EVAL_FUZZ_CASES says how many cases per version, PRES_EVAL_FUZZ_SEED where to begin.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import pytrec_eval
from fuzz.case import Case
from fuzz.compare import Difference, Outcome, compare, run_ours
from fuzz.generator import make_case
from fuzz.shrink import shrink
from support.trials import ALL

pytestmark = pytest.mark.slow

CASES = int(os.environ.get("PRES_EVAL_FUZZ_CASES", "300"))
FIRST = int(os.environ.get("PRES_EVAL_FUZZ_SEED", "0"))
BLOCKS = 10
VERSIONS = ("9.0.8", "10.0")


@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("version", VERSIONS)
def test_like_trec_eval(version: str, block: int, trec_eval: Callable[[str], str], tmp_path: Path) -> None:
    """Not one byte of stdout differs from trec_eval's."""
    binary = trec_eval(version)
    compared = 0
    for seed in range(FIRST + block, FIRST + CASES, BLOCKS):
        difference = compare(make_case(seed, version), binary, tmp_path)
        if difference is not None:
            pytest.fail(f"seed {seed}\n{smallest(difference, binary, tmp_path).text()}", pytrace=False)
        compared += 1
    assert compared == len(range(FIRST + block, FIRST + CASES, BLOCKS))


def smallest(difference: Difference, binary: str, folder: Path) -> Difference:
    """The same difference on as little input as possible."""

    def again(case: Case) -> Difference | None:
        found = compare(case, binary, folder)
        return found if found is not None and found.kind == difference.kind else None

    return again(shrink(difference.case, lambda case: again(case) is not None)) or difference


@pytest.mark.parametrize("seed", range(4))
def test_cases_do_not_depend_on_the_process(seed: int) -> None:
    """A seed names one case; another seed or version another."""
    case = make_case(seed, "9.0.8")
    assert case == make_case(seed, "9.0.8")
    assert case.run != make_case(seed + 1, "9.0.8").run
    assert case.run != make_case(seed, "10.0").run


def test_shrinking_finds_the_line_that_matters(tmp_path: Path) -> None:
    """Of a case that fails because of one document only its line, and what it needs, is left."""
    case = replace(make_case(2, "9.0.8"), options=(("-q",), ("-m", "P.5,10"), ("-c",)))
    guilty = case.run[len(case.run) // 2]
    small = shrink(case, lambda candidate: guilty in candidate.run and ("-c",) in candidate.options)
    assert small.run == (guilty,)
    assert len(small.qrels) == 1
    assert small.options == (("-c",),)


# What pytrec_eval (9.0.x inside, with its own reading of dictionaries) prints per topic as numbers.
SKIPPED = ("runid", "num_q", "relstring", "gm_map", "gm_bpref")
NUMBERS = tuple(sorted(set(pytrec_eval.supported_measures) - set(SKIPPED)))


@pytest.mark.parametrize("seed", range(40))
def test_like_pytrec_eval(seed: int, tmp_path: Path) -> None:
    """Per topic all measures that pytrec_eval has agree to the printed digits."""
    case = plain_case(seed)
    case.write(tmp_path)
    ours = run_ours(case, tmp_path)
    assert ours.success, ours.complaint
    assert ours_by_topic(ours) == theirs_by_topic(case)


def plain_case(seed: int) -> Case:
    """A case of the fuzzer with all measures, its ids turned into text that dictionaries can hold."""
    found = next(
        case
        for number in range(1000 * seed, 1000 * seed + 1000)
        if not uses_other_format(case := make_case(number, "9.0.8")) and is_plain(case)
    )
    measures = tuple(("-m", name) for name in NUMBERS)
    return replace(found, options=(*measures, ("-q",), ("-n",)), zscores=None, trailing=0)


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_chunks_and_threads_do_not_matter(first: int, tmp_path: Path) -> None:
    """The same bytes whether a run is read at once or in small chunks; by one thread, three, or processes."""
    for seed in range(first, first + (10 if ALL else 5)):
        case = make_case(seed, VERSIONS[seed % 2])
        case.write(tmp_path)
        at_once = run_ours(replace(case, small=False, jobs=1), tmp_path)
        for jobs in (1, 2, 3):
            assert run_ours(replace(case, small=True, jobs=jobs), tmp_path) == at_once, case.text()


def uses_other_format(case: Case) -> bool:
    return any(part == "-R" for group in case.options for part in group)


def is_plain(case: Case) -> bool:
    """No fault put in on purpose, UTF-8 ids, finite scores that Python reads."""
    qrels, run = ([line.split() for line in lines if line.strip()] for lines in (case.qrels, case.run))
    try:
        scores = [float(fields[4]) for fields in run]
        text = b"".join((*case.qrels, *case.run)).decode("utf-8")
    except (ValueError, IndexError):
        return False
    whole = all(len(fields) == 4 for fields in qrels) and all(len(fields) > 5 for fields in run)
    once = all(
        len({(fields[0], fields[2]) for fields in rows}) == len(rows) for rows in (qrels, run) if whole
    )
    return whole and once and "#" not in text and all(abs(score) < 1e300 for score in scores)


def ours_by_topic(outcome: Outcome) -> dict[str, dict[str, str]]:
    values: dict[str, dict[str, str]] = {}
    for line in outcome.stdout.decode("utf-8").splitlines():
        name, topic, value = (part.strip() for part in line.split("\t"))
        values.setdefault(topic, {})[name] = value
    return values


def theirs_by_topic(case: Case) -> dict[str, dict[str, str]]:
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for line in case.qrels:
        topic, _, docno, grade = line.decode("utf-8").split()
        qrels.setdefault(topic, {})[docno] = int(grade)
    for line in case.run:
        if line.strip():
            topic, _, docno, _, score, *_ = line.decode("utf-8").split()
            run.setdefault(topic, {})[docno] = float(score)
    values = pytrec_eval.RelevanceEvaluator(qrels, set(NUMBERS)).evaluate(run)
    return {
        topic: {
            name: f"{value:.0f}" if name.startswith("num_") else f"{value:.4f}" for name, value in row.items()
        }
        for topic, row in values.items()
    }
