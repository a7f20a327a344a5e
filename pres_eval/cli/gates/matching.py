"""--match: which earlier run is the counterpart of which run now?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pres_eval.cli.gates.counterparts import AGAINST, Counterparts
from pres_eval.cli.gates.findings import GateFinding, Verdict, run_name
from pres_eval.reading.topic_files import Weights
from pres_eval.report.records import RunRecord
from pres_eval.report.text import file_name, text_of

RunPair = tuple[RunRecord, RunRecord]
"""A run now and its counterpart earlier."""


def _tag(run: RunRecord) -> str:
    """Return the tag of a run."""
    return run.evaluation.tag


def _path(run: RunRecord) -> str:
    """Return the path of a run."""
    return run.evaluation.path


def _file_name(run: RunRecord) -> str:
    """Return the name of a run's file, without its folder."""
    return file_name(run.evaluation.path)


AUTO = "auto"
"""Default of --match: a single run is matched with a single run, several by tag, and else by file."""

MATCHES: dict[str, tuple[Callable[[RunRecord], str], ...]] = {
    AUTO: (_tag, _path, _file_name),
    "tag": (_tag,),
    "file": (_path, _file_name),
    "order": (),
}
"""Values of --match, each with the keys that runs are matched by, one after the other."""


@dataclass(frozen=True)
class Matching:
    """Runs now and earlier.

    counterparts  runs of both evaluations
    new           runs of the present evaluation alone
    gone          runs of the earlier evaluation alone
    """

    counterparts: list[Counterparts]
    new: list[RunRecord]
    gone: list[RunRecord]


def match_runs(
    now: Sequence[RunRecord], before: Sequence[RunRecord], match: str, weights: Weights | None = None
) -> Matching:
    """Return which runs now and earlier are counterparts, and which have none.

    match    a name of MATCHES.  Its keys are tried one after the other: two runs are paired if only one run
             now and only one run earlier, of those not paired yet, has this tag or file.
    weights  of topics, for the counterparts

    With "auto" a single run is the counterpart of a single run, whatever they are called.
    """
    pairs: list[RunPair] = []
    if match == "order" or (match == AUTO and len(now) == len(before) == 1):
        pairs.extend(zip(now, before, strict=False))  # further runs of the longer list have no counterpart
    for key in MATCHES[match]:
        new, gone = _unpaired(now, before, pairs)
        earlier_run_of = _by_unique_key(gone, key)
        for name, run in _by_unique_key(new, key).items():
            if name in earlier_run_of:
                pairs.append((run, earlier_run_of[name]))
    new, gone = _unpaired(now, before, pairs)
    counterparts = [Counterparts(now=run, before=earlier, weights=weights) for run, earlier in pairs]
    return Matching(counterparts, new, gone)


def _unpaired(
    now: Sequence[RunRecord], before: Sequence[RunRecord], pairs: Sequence[RunPair]
) -> tuple[list[RunRecord], list[RunRecord]]:
    """Return the runs now and earlier that have no counterpart so far."""
    paired = {id(run) for pair in pairs for run in pair}
    new = [run for run in now if id(run) not in paired]
    gone = [run for run in before if id(run) not in paired]
    return new, gone


def _by_unique_key(runs: Sequence[RunRecord], key: Callable[[RunRecord], str]) -> dict[str, RunRecord]:
    """Return the runs by their tag or file, which `key` returns, without runs that share it with another."""
    num_runs_of_key = Counter(map(key, runs))
    return {key(run): run for run in runs if num_runs_of_key[key(run)] == 1}


def doubtful_pairs(matching: Matching, path: str, match: str) -> Iterator[GateFinding]:
    """Yield a note for each pair of runs whose tags or files suggest other pairs; none with --match.

    A single run is compared with a single earlier run even if neither tag nor file is the same.  Of several
    runs, the tag decides, also if the run's file was that of an earlier run with another tag.

    path   of the earlier evaluation
    match  the value of --match
    """
    if match != AUTO:
        return
    earlier_runs = [runs.before for runs in matching.counterparts] + matching.gone
    for runs in matching.counterparts:
        now, before = runs.now, runs.before
        same_tag, same_file = _tag(now) == _tag(before), _file_name(now) == _file_name(before)
        reason = ""
        if not same_tag and not same_file:
            reason = "which has another tag and another file"
        elif same_tag and not same_file:
            runs_of_file = [run for run in earlier_runs if _file_name(run) == _file_name(now)]
            if runs_of_file:
                reason = f"by their tag, though its file was that of run {text_of(_tag(runs_of_file[0]))}"
        elif same_file and not same_tag:
            runs_of_tag = [run for run in earlier_runs if _tag(run) == _tag(now)]
            if runs_of_tag:
                earlier_name = run_name(runs_of_tag[0].evaluation)
                reason = f"by their file, though its tag was that of run {earlier_name}"
        if reason:
            yield GateFinding(
                gate=AGAINST,
                message=f"run {run_name(now.evaluation)} is compared with run {run_name(before.evaluation)}"
                f" of {text_of(path)}, {reason} (--match)",
                path=now.evaluation.path,
                verdict=Verdict.NOTE,
            )


def unmatched(
    new: Sequence[str],
    gone: Sequence[str],
    path: str,
    *,
    allowed: bool,
    any_matched: bool,
    gate: str = AGAINST,
) -> Iterator[GateFinding]:
    """Yield a finding for each run of only one of the two evaluations, and one if no run is in both.

    new          names of the runs of the present evaluation alone
    gone         names of the runs of the earlier evaluation alone
    path         of the earlier evaluation
    allowed      whether such runs are no failure
    any_matched  whether a run is in both; if none is, that fails even if it is allowed
    """
    name = text_of(path)
    advice = " (--allow-unmatched lets this pass)"
    if allowed:
        advice = ""
    verdict = Verdict.from_difference(allowed)
    messages = [f"run {run}: not in {name}{advice}" for run in new]
    messages += [f"run {run}: not evaluated now, but in {name}{advice}" for run in gone]
    for message in messages:
        yield GateFinding(gate=gate, message=message, path=path, verdict=verdict)
    if not any_matched:
        yield GateFinding(gate=gate, message=f"{name}: no run has a counterpart in it", path=path)
