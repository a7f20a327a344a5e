"""Differences of two evaluations by which their numbers cannot be compared, or only some of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from pres_eval.cli.gates.counterparts import AGAINST, Counterparts
from pres_eval.cli.gates.findings import GateFinding, Verdict, listed, run_name, six_digits
from pres_eval.errors import plural
from pres_eval.report.records import FileRecord, Record
from pres_eval.report.text import plain_text, text_of
from pres_eval.scoring import ScoredRun

OPTION_OF_FIELD = {
    "compat": "--compat",
    "relevance_level": "-l",
    "max_retrieved": "-M",
    "judged_only": "-J",
    "complete": "-c",
    "num_docs_in_coll": "-N",
    "only_topic": "-D",
    "ties": "--ties",
    "duplicates": "--duplicates",
    "empty": "--empty",
}
"""The option that sets each field of Options."""

GROUPS_FILE = "groups"
"""Name of the file of groups in Record.files; if it changed, it has a message of its own."""

PROTOCOL = "protocol"
"""Name of --protocol in Record.rules; it only sets other options, which are compared themselves."""


def mismatches(
    now: Record, earlier: Record, path: str, allow_changed_judgements: bool = False
) -> Iterator[GateFinding]:
    """Yield the differences that change the numbers of two evaluations: options, files, judgements, groups.

    path                      of the earlier evaluation
    allow_changed_judgements  whether other judgements are no failure
    """
    annotated_path = now.runs[0].evaluation.path if now.runs else path
    differences = [*_different_options(now, earlier), *_different_files(now, earlier)]
    differences += _different_rules(now, earlier)
    if differences:
        yield GateFinding(
            gate=AGAINST,
            message=f"{text_of(path)} was made with other options: {', '.join(differences)};"
            " its values cannot be compared",
            path=annotated_path,
        )
    if _judgements_changed(now, earlier):
        files = f"{text_of(earlier.qrels.path)}, now {text_of(now.qrels.path)}"
        message = (
            f"{text_of(path)} cannot be compared: the judgements changed ({files}); give the earlier run"
            " itself to --against, or --allow-changed-judgements"
        )
        if allow_changed_judgements:
            message = f"{text_of(path)}: the judgements changed ({files}), and so may all values have"
        verdict = Verdict.from_difference(allow_changed_judgements)
        yield GateFinding(gate=AGAINST, message=message, path=annotated_path, verdict=verdict)
    if _groups_changed(now, earlier):
        before, present = _path(earlier.files[GROUPS_FILE]), _path(now.files[GROUPS_FILE])
        yield GateFinding(
            gate=AGAINST,
            message=f"{text_of(path)} cannot be compared: its groups changed ({before} has other contents"
            f" than --groups {present}); give the groups that it was made with, or make it again",
            path=annotated_path,
        )


def _different_rules(now: Record, earlier: Record) -> Iterator[str]:
    """Yield the options that say how documents are mapped and excluded, and were others, with earlier values.

    An option that only the earlier evaluation has is left out: its file is then one of `_different_files`.
    """
    for rule, value in sorted(earlier.rules.items()):
        if rule != PROTOCOL and now.rules.get(rule, value) != value:
            yield f"--{rule} {value}"


def _different_options(now: Record, earlier: Record) -> Iterator[str]:
    """Yield the options that change numbers and were others, with their values earlier and now."""
    values_now = asdict(now.options)
    for name, value in asdict(earlier.options).items():
        if value != values_now[name]:
            yield f"{OPTION_OF_FIELD[name]} {_value(value)} (now {_value(values_now[name])})"
    if now.relevance_format != earlier.relevance_format:
        yield f"-R {earlier.relevance_format} (now {now.relevance_format})"


def _different_files(now: Record, earlier: Record) -> Iterator[str]:
    """Yield the options that name files, but for --groups, of files that had other contents earlier."""
    for name in sorted({*now.files, *earlier.files} - {GROUPS_FILE}):
        before, present = earlier.files.get(name), now.files.get(name)
        if _content_id(before) == _content_id(present):
            continue
        if before is not None and present is not None and before.path == present.path:
            yield f"--{name} {_path(before)} (its contents differ now)"
        else:
            yield f"--{name} {_path(before)} (now {_path(present)})"


def _judgements_changed(now: Record, earlier: Record) -> bool:
    """Return whether the judgements are known to be others, in whatever file and format they are.

    Records of pres-eval 2 have no digest of the judgements: of these the bytes of the files are compared.
    """
    if now.judgements.digest is not None and earlier.judgements.digest is not None:
        return now.judgements.digest != earlier.judgements.digest
    before, present = earlier.qrels.sha256, now.qrels.sha256
    return before is not None and present is not None and before != present


def _groups_changed(now: Record, earlier: Record) -> bool:
    """Return whether both evaluations have files of groups, and with other contents."""
    before, present = earlier.files.get(GROUPS_FILE), now.files.get(GROUPS_FILE)
    return before is not None and present is not None and _content_id(before) != _content_id(present)


def unchecked_groups(now: Record, earlier: Record) -> list[str]:
    """Return the groups of the earlier evaluation that the present one does not have, in order."""
    if now.groups is None:
        return list(earlier.group_names)
    present = {text_of(name) for name in now.groups.topics}
    return [name for name in earlier.group_names if name not in present]


def _content_id(file: FileRecord | None) -> str | None:
    """Return the SHA-256 of a file; its path if it has none, as a pattern of --map-docs; None for None."""
    if file is None:
        return None
    return file.sha256 or file.path


def _path(file: FileRecord | None) -> str:
    """Return the path of a file for a message, `none` if there is no file."""
    return "none" if file is None else text_of(file.path)


def _value(value: str | bytes | float | None) -> str:
    """Return the value of an option for a message."""
    return "none" if value is None else plain_text(value, yes="on", no="off")


def not_comparable(runs: Counterparts) -> Iterator[GateFinding]:
    """Yield findings about topics and measures that only one of the two runs has; those now missing fail."""
    new, old = runs.now.evaluation, runs.before.evaluation
    if runs.lost_topics:
        yield _run_finding(new, _topics_text(runs.lost_topics, "earlier, not now"), Verdict.FAILED)
    if runs.new_topics:
        topics = _topics_text(runs.new_topics, "now, not earlier")
        yield _run_finding(new, f"{topics}{_means_text(runs)}", Verdict.NOTE)
    if not runs.topics:
        yield _run_finding(new, "no topic in both evaluations", Verdict.FAILED)
    gone = _labels_of_first_alone(old, new)
    if gone:
        yield _run_finding(new, f"{', '.join(gone)}: computed earlier, not now (-m)", Verdict.FAILED)
    added = _labels_of_first_alone(new, old)
    if added:
        yield _run_finding(new, f"{', '.join(added)}: computed now, not earlier", Verdict.NOTE)


def _run_finding(run: ScoredRun, message: str, verdict: Verdict) -> GateFinding:
    """Return a finding about a run."""
    return GateFinding(
        gate=AGAINST, message=f"{message}, run {run_name(run)}", path=run.path, verdict=verdict
    )


def _topics_text(topics: list[bytes], when: str) -> str:
    """Return the number of topics evaluated `when`, in words, with an example."""
    return f"{plural(len(topics))} evaluated {when} (such as {text_of(topics[0])})"


def _labels_of_first_alone(run: ScoredRun, other: ScoredRun) -> list[str]:
    """Return the labels of measures of quality that `run` has and `other` lacks."""
    return [
        column.label
        for column in run.columns
        if column.measure.tells_quality and column.label not in other.labels
    ]


def _means_text(runs: Counterparts) -> str:
    """Return the means of the run now over the topics of both runs and over all its topics, in words.

    Empty if the runs have no topic in common.
    """
    if not runs.topics:
        return ""
    evaluation = runs.now.evaluation
    means = []
    for index, column in enumerate(evaluation.columns):
        over_all = evaluation.summary[index]
        if column.measure.tells_quality and isinstance(over_all, float):
            in_both = six_digits(runs.summary(evaluation, index), column.measure.format)
            means.append(f"{column.label} {in_both} and {six_digits(over_all, column.measure.format)}")
    if not means:
        return ""
    topics = f"{plural(len(runs.topics))} in both and over all {evaluation.totals.num_topics}"
    return f"; over {topics}: {listed(means)}"
