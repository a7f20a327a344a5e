"""The page in words: which run is best, where it fails, what it missed, what the judgements leave open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pres_eval.analysis.compare_settings import least_p
from pres_eval.analysis.every_pair import Against, PairTable
from pres_eval.analysis.other_judgements import OtherJudgements
from pres_eval.analysis.pools import Trust
from pres_eval.analysis.reproducible import rounded
from pres_eval.arrays import FloatArray
from pres_eval.errors import plural
from pres_eval.measures.base import Format
from pres_eval.measures.selection import BOUNDS_NOTE
from pres_eval.report.markup import (
    Cell,
    Content,
    Html,
    detail,
    element,
    link,
    scrolling,
    section,
    table,
    without_links,
)
from pres_eval.report.page.headline import headline, headline_picture, share
from pres_eval.report.text import (
    UNKNOWN,
    equal_or_less,
    interval,
    percentage,
    shown,
    signed_difference,
    text_of,
)
from pres_eval.report.trec_report import DIGITS, Report

MOST_NAMED = 3
"""Runs or topics that a sentence names; of further ones it gives the number."""


def summary(report: Report, *, links: bool = True) -> Html:
    """Return the section with one or two sentences for each of a reader's first questions.

    They describe the best or only run; where no run is called best, none.

    links: whether sentences have links to the sections with their details
    """
    leaders = report.leaders(report.main)
    answers = {"Result": _best(report, leaders)}
    if len(report.names) > 1:
        answers["Significance"] = _tests_in_words(report, leaders)
    if leaders:
        run = leaders[0]
        if report.column(report.main).measure.per_topic:
            answers["Topics"] = _topics(report, run)
        answers["Documents"] = _missed(report, run)
        answers["Judgements"] = _judged(report, run)
    elif report.trust is not None:
        answers["Judgements"] = [detail(link("trust", "Can I trust these judgements?"))]
    rows = []
    for question, sentences in answers.items():
        if sentences:
            rows.append(element("li", element("strong", f"{question}: "), *sentences))
    list_of_answers = element("ul", *rows, class_="plain")
    picture = headline_picture(report)
    if picture:
        list_of_answers = element("div", list_of_answers, picture, class_="beside")
    if not links:
        list_of_answers = without_links(list_of_answers)
    return section("summary", "In short", headline(report), list_of_answers)


def named(report: Report, runs: Sequence[int]) -> str:
    """Return the names of runs, and how many more there are: `a, b and 3 more`."""
    names = [report.names[run] for run in runs]
    if len(names) == 1:
        return names[0]
    if len(names) > MOST_NAMED + 1:
        names = [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _best(report: Report, leaders: Sequence[int]) -> list[Content]:
    """Return in words which run is best by the main measure, or why none is called best."""
    label = report.main
    why_none = report.why_none_is_best(label)
    if why_none is not None:
        return [f"No run is called best: {why_none}."]
    less = " (less is better)" if report.less_is_better(label) else ""
    unranked = ""
    lacking = [run for run in range(len(report.names)) if not report.has_all_topics(run)]
    if lacking:
        unranked = f" Not ranked, as they lack topics: {named(report, lacking)}."
    value = _value(report, leaders[0])
    if len(leaders) > 1:
        return [f"{named(report, leaders)} tie for the best {label}{less}: {value}.{unranked}"]
    name = report.names[leaders[0]]
    words = f" is best by {label}{less}: {value}."
    if len(report.names) == 1:
        words = f" has {label} {value}{less}."
    return [link("runs", name, run=name), words, unranked]


def _value(report: Report, run: int) -> str:
    """Return a run's mean of the main measure in words, with its interval and its number of topics."""
    pairs = report.compared.pairs
    mean = report.text(run, report.main)
    num_topics = report.topic_counts()[run]
    if report.compared.headline is not None:  # without topics that weigh nothing
        num_topics = report.compared.headline.num_topics
    topics = plural(num_topics)
    if pairs is None or not np.isfinite(pairs.lower[0, run]):
        return f"{mean} over {topics}, without an interval"
    lower, upper = pairs.lower[0, run], pairs.upper[0, run]
    return f"{mean} ({percentage(1 - pairs.settings.alpha)} interval {lower:.4f} to {upper:.4f}, {topics})"


def _tests_in_words(report: Report, leaders: Sequence[int]) -> list[Content]:
    """Return the results of the tests between the best run and the others, or the baseline, in words.

    If no run is best: the test of the first run that overtakes, or a link to the tests of any two runs.
    """
    pairs = report.compared.pairs
    if pairs is None:
        return ["there is no mean over topics to test."]
    overtaking = report.overtaking(report.main)
    if pairs.baseline is not None:
        parts = _tests_with_baseline(report, pairs, pairs.baseline, leaders)
    elif leaders:
        parts = _tests_with_best(report, pairs, leaders)
    elif overtaking:
        parts = [_tested_pair(report, pairs, overtaking[0].run, overtaking[0].best, aside="")]
    else:
        return [
            detail("see ", link("pair", "any two runs")),
            f" over the topics that both have ({pairs.family}).",
        ]
    return [*parts, f" ({pairs.family}, p < {pairs.settings.alpha:g}.)"]


def _tests_with_best(report: Report, pairs: PairTable, leaders: Sequence[int]) -> list[Content]:
    """Return the tests of the best run, or of those that tie, against all others.

    In words the first two runs alone are compared; of the others there is the number.
    """
    parts: list[Content] = []
    if len(leaders) > 1:
        parts.append(_tested_pair(report, pairs, leaders[0], leaders[1], aside=""))
    others = [run for run in report.best_first(report.main) if run not in leaders]
    if others:
        if parts:
            parts.append(" ")
        next_run = others[0]
        parts.append(_tested_pair(report, pairs, leaders[0], next_run, _place_of(report, next_run)))
    nothing_significant = _nothing_significant(pairs)
    if nothing_significant:
        parts.append(nothing_significant)
    elif len(report.names) > 2:
        parts += [_significant_differences(report, pairs, leader) for leader in leaders[:MOST_NAMED]]
    return parts


def _significant_differences(report: Report, pairs: PairTable, run: int) -> str:
    """Return the sentence `a is significantly better than 3 of the 5 other runs [and worse than 1]`."""
    num_others = len(report.names) - 1
    num_better, num_worse = _count_significant(report, pairs, run)
    amount = f"{num_worse} of the {num_others} other runs"
    if num_worse == num_others:
        amount = "every other run"
    words = f" {report.names[run]} is significantly better than {amount}"
    if num_better:
        words += f" and significantly worse than {num_better}"
    return f"{words}."


def _tests_with_baseline(
    report: Report, pairs: PairTable, baseline: int, leaders: Sequence[int]
) -> list[Content]:
    """Return the tests of the runs against the baseline asked for; p-values are corrected for these."""
    others = [run for run in report.best_first(report.main) if run != baseline]
    name = report.names[baseline]
    parts: list[Content]
    if baseline in leaders:
        parts = [_tested_pair(report, pairs, baseline, others[0], _place_of(report, others[0]))]
    else:
        run = leaders[0] if leaders else others[0]
        parts = [_tested_pair(report, pairs, run, baseline, ", the baseline")]
    nothing_significant = _nothing_significant(pairs)
    if nothing_significant:
        parts.append(nothing_significant)
    elif len(others) > 1:
        num_better, num_worse = _count_significant(report, pairs, baseline)
        verb = "is" if num_better == 1 else "are"
        parts.append(
            f" {num_better} of the {len(others)} other runs {verb} significantly better than {name},"
            f" {num_worse} significantly worse."
        )
    return parts


def _nothing_significant(pairs: PairTable) -> str:
    """Return the sentence that no test over so few topics can be significant; empty if one can be."""
    topics = int(pairs.topics.max())
    lowest_possible_p = least_p(pairs.settings, topics, pairs.comparisons)
    if lowest_possible_p < pairs.settings.alpha:
        return ""
    return f" Over {plural(topics)} nothing can be significant."


def _count_significant(report: Report, pairs: PairTable, run: int) -> tuple[int, int]:
    """Count the runs that are significantly better than this one by the first measure, and those worse."""
    directions = []
    for other in range(len(report.names)):
        if other != run:
            test = pairs.against(measure=0, run=other, other=run)
            if test.p_value < pairs.settings.alpha:
                directions.append(test.direction)
    return directions.count(1), directions.count(-1)


def _place_of(report: Report, run: int) -> str:
    """Return what the first run behind the best is: ", the next", or ", which lacks 2 topics"."""
    if report.has_all_topics(run):
        return ", the next"
    num_lacking = len(report.topics) - len(report.evaluations[run].topics)
    return f", which lacks {plural(num_lacking)}"


def _tested_pair(report: Report, pairs: PairTable, run: int, other: int, aside: str) -> Content:
    """Return the test of two runs in words, with a link to them; `aside`: a comma, and what the other is."""
    name, other_name = report.names[run], report.names[other]
    test = pairs.against(measure=0, run=run, other=other)
    verdict = _verdict(test, pairs.settings.alpha, name, other_name, aside)
    return [verdict, detail("; ", link("pair", "topic by topic", a=name, b=other_name)), "."]


def _verdict(test: Against, alpha: float, name: str, other: str, aside: str) -> str:
    """Return the result of the test of two runs in words; `aside`: a comma, and what the other run is."""
    end = f"{aside}," if aside else ""
    if not test.topics:
        return f"{name} and {other}{end} have no topic in common"
    if np.isnan(test.p_value):
        return f"{name} against {other}{end} could not be tested ({signed_difference(test.difference)})"
    other += aside
    numbers = f"{signed_difference(test.difference)}, p {equal_or_less(test.p_value)}, {plural(test.topics)}"
    is_significant = test.p_value < alpha and test.direction != 0
    if not is_significant:
        return f"no significant difference was found between {name} and {other} ({numbers})"
    side = "better" if test.direction > 0 else "worse"
    return f"{name} is significantly {side} than {other} ({numbers})"


def _topics(report: Report, run: int) -> list[Content]:
    """Return on how many topics a run is first, and on which it is weakest; nothing for one topic."""
    label = report.main
    # (runs, topics): more is better; values that differ by a rounding error alone become equal.
    values = rounded(report.matrix(label).ravel()).reshape(len(report.names), -1)
    gains = report.sign(label) * values
    topics = np.flatnonzero(np.isfinite(gains[run]))
    if len(topics) < 2:
        return []
    gains_of_run = gains[run, topics]
    weakest = topics[gains_of_run == gains_of_run.min()].tolist()
    if len(report.names) == 1:
        return _weakest_topics(report, run, weakest, rival="")
    best = np.fmax.reduce(gains, axis=0)  # of the runs that have the topic
    won_topics = topics[gains_of_run == best[topics]]
    words = f"{report.names[run]} is first on {len(won_topics)}"
    words += f" of {_topics_of_run(report, run, len(topics))}"
    num_first_runs = (gains[:, won_topics] == best[won_topics]).sum(axis=0)
    num_shared = int(np.count_nonzero(num_first_runs > 1))
    if num_shared:
        words += f", on {num_shared} of these together with others"
    topic = weakest[0]
    if best[topic] == gains[run, topic]:
        rival = "; no run does better"
    else:
        best_run = int(np.flatnonzero(gains[:, topic] == best[topic])[0])
        value = _value_of_topic(report, best_run, topic)
        rival = f"; the best there: {report.names[best_run]}, {value}"
    return [f"{words}. ", *_weakest_topics(report, run, weakest, rival)]


def _weakest_topics(report: Report, run: int, topics: Sequence[int], rival: str) -> list[Content]:
    """Return the topic on which a run is weakest, how many others have the same value, and this value.

    topics  numbers of the topics with the lowest value
    rival   the best run on the first of them, in words behind a semicolon; may be empty
    """
    name, topic = report.names[run], text_of(report.topics[topics[0]])
    more = ""
    if len(topics) > 1:
        more = f" and {len(topics) - 1} more"
    value = _value_of_topic(report, run, topics[0])
    link_to_topic = link("topic", topic, topic=topic, run=name)
    return [f"{name} is weakest on ", link_to_topic, f"{more} ({report.main} {value}{rival})."]


def _value_of_topic(report: Report, run: int, topic: int) -> str:
    """Return a run's value of the main measure on a topic, by their numbers, as people are shown it."""
    value = float(report.matrix(report.main)[run, topic])
    return shown(value, DIGITS, report.column(report.main).measure.format)


def _topics_of_run(report: Report, run: int, count: int) -> str:
    """Return how many topics a run has, and how many others count as 0."""
    zeros = report.counted_as_0(run)
    if zeros:
        return f"the {plural(count)} that it has, the other {zeros:,} counting as 0"
    return plural(count)


def _missed(report: Report, run: int) -> list[Content]:
    """Describe how many relevant documents a run missed, and on which topic most of them."""
    documents, limit = report.documents, report.depth
    num_relevant = np.diff(documents.offsets)
    topic_of = np.repeat(np.arange(len(num_relevant)), num_relevant)
    # (topics,): those that the run has, and with -c, where a topic that it lacks counts as 0, all.
    is_counted = np.isfinite(report.matrix("num_rel"))[run] | report.options.complete
    missing = (documents.ranks == 0) | (documents.ranks > limit)  # (runs, documents)
    missed_by_run = missing[run] & is_counted[topic_of]
    missed_by_all = missed_by_run & missing.all(axis=0)
    # Relevant documents of topics that no run has, which `ranks` lacks: all runs miss them.
    beyond = report.documents_beyond
    total = int(is_counted[topic_of].sum()) + beyond
    num_missed = int(missed_by_run.sum()) + beyond
    num_missed_by_all = int(missed_by_all.sum()) + beyond
    words = f"{report.names[run]} misses {num_missed} of {plural(total, 'relevant document')} by rank {limit}"
    if not missed_by_run.any():
        return [f"{words}."]
    missed_by_topic = np.bincount(topic_of[missed_by_run], minlength=len(num_relevant))
    most = int(missed_by_topic.argmax())
    topic = text_of(report.topics[most])
    link_to_topic = link("topic", topic, topic=topic, run=report.names[run], nmax=str(limit))
    if len(report.names) > 1 and num_missed_by_all:
        words += f"; every run misses {num_missed_by_all} of these"
    elif len(report.names) > 1:
        words += "; another run finds each of these"
    return [f"{words}. The most, {missed_by_topic[most]} of {num_relevant[most]}, on ", link_to_topic, "."]


def _judged(report: Report, run: int) -> list[Content]:
    """Describe how much of the head of a run was judged, and what that leaves open."""
    trust = report.trust
    if trust is None:
        return []
    judged_of_first_10 = trust.judged[10]  # (runs,) shares
    judged = _amount(float(judged_of_first_10[run]))
    bounds = _bounds_of_run(report, trust, run)
    words = f"{judged} of the first 10 documents of {report.names[run]} are judged{bounds}."
    ties = trust.ties[run]
    if ties and ties.is_wide:
        words += f" Equal scores: {ties} by how they are ordered."
    return [words, detail(" ", link("trust", "Can I trust these judgements?"))]


def _bounds_of_run(report: Report, trust: Trust, run: int) -> str:
    """Return in words between which values the main measure of a run lies, by what unjudged documents are.

    P_10 stands for a measure without bounds.  Empty if both bounds look the same.
    """
    label = report.main if report.main in trust.bounds else "P_10"
    if label not in trust.bounds:
        return ""
    kind = report.column(label).measure.format
    low, high = (shown(value, DIGITS, kind) for value in trust.bounds[label][:, run].tolist())
    if low == high:
        return ""
    return f": {label} lies between {low} and {high}, by what the unjudged ones are"


def _amount(judged: float) -> str:
    """Return a share of judged documents, which is an average over topics: `all`, `on average 97 %`."""
    return "all" if judged == 1 else f"on average {share(judged)}"


FEW_RELEVANT = 5
"""A topic with fewer relevant documents than this is uncertain: each moves its values by a fifth or more."""


def trust_view(report: Report) -> Html:
    """Return the section on what the judgements lack: facts, and a table of the runs."""
    trust = report.trust
    if trust is None:
        return section("trust", "Can I trust these judgements?", element("p", "This was not checked."))
    headings = ["run"]
    headings += [f"judged in the first {rank}" for rank in trust.judged]
    headings += trust.bounds  # labels of measures
    headings += ["equal scores", "only it found", "topics lacking"]
    rows: list[Sequence[Cell]] = []
    for run in report.best_first(report.main):
        row: list[Cell] = [link("runs", report.names[run], run=report.names[run])]
        row += [percentage(round(float(shares[run]), 3)) for shares in trust.judged.values()]
        row += [interval(*bounds[:, run].tolist()) for bounds in trust.bounds.values()]
        ties = trust.ties[run]
        row.append(str(ties) if ties is not None and ties.is_wide else UNKNOWN)
        row.append(str(report.unique_relevant[run]))
        row.append(str(len(report.topics) - len(report.evaluations[run].topics)))
        rows.append(row)
    caption = (
        "Documents judged, by run, on average over topics; the least and the greatest value of measures,"
        " of each run alone (other judgements may lower or raise both);"
        " what the main measure is by how equal scores are ordered; relevant documents that no other run has"
    )
    by_run = table(caption, headings, rows, sortable=True, name="trust-table")
    facts = [element("li", *words) for words in (*_few_relevant(report), *_stability_of_order(report, trust))]
    return section(
        "trust",
        "Can I trust these judgements?",
        element("ul", *facts, class_="plain"),
        scrolling("What the judgements leave open, by run", by_run, rows=len(rows)),
        element("p", f"{BOUNDS_NOTE}.", class_="dim") if trust.bounds else "",
    )


def _few_relevant(report: Report) -> Iterator[Sequence[Content]]:
    """Yield how many topics have no and how many have few relevant documents, with links to some of them."""
    counts = np.diff(report.documents.offsets)
    kinds = {
        "without a relevant document": counts == 0,
        f"with fewer than {FEW_RELEVANT} relevant documents": (counts > 0) & (counts < FEW_RELEVANT),
    }
    for words, is_of_kind in kinds.items():
        topics = np.flatnonzero(is_of_kind).tolist()
        parts: list[Content] = [f"{plural(len(topics))} of {len(report.topics)} {words}"]
        if topics:
            parts.append(":")
        for topic in topics[:MOST_NAMED]:
            name = text_of(report.topics[topic])
            parts += [" ", link("topic", name, topic=name)]
        if len(topics) > MOST_NAMED:
            parts.append(f" and {len(topics) - MOST_NAMED} more")
        yield parts


def _stability_of_order(report: Report, trust: Trust) -> list[list[Content]]:
    """Describe how the order of the runs changes with fewer relevant documents, and who could be best.

    One or two sentences; none where runs have no order, or it was not tried.
    """
    if trust.order is None:
        return []
    tried, measure = trust.order, trust.order.labels.index(report.main)
    plan = tried.plan
    # The tau of the order with itself: below 1 where runs tie, nan where all do.
    tau_of_same_order = float(tried.unchanged[measure])
    unweighted = "" if report.inputs.weights is None else ", without weights of topics"
    words = (
        f"With {percentage(plan.fractions[0])} of each topic's relevant documents, drawn {plan.samples} times"
        f" (seed {plan.seed}), the order of the runs by {report.main} correlates with this one by Kendall's"
        f" τ = {tried.averages[0, measure]:.2f} on average, {tried.lowest[0, measure]:.2f} at worst"
        f" ({tau_of_same_order:.2f}: the same order){unweighted}"
    )
    leaders = report.leaders(report.main)
    if np.isnan(tau_of_same_order):
        return []
    with_all_topics = [run for run in range(len(report.names)) if report.has_all_topics(run)]
    has_rivals = len(leaders) == 1 and len(with_all_topics) > 1
    if report.main not in trust.bounds or not has_rivals:
        return [[words]]
    if trust.other_judgements is not None:
        return [[words], [_under_other_judgements(report, trust.other_judgements, leaders[0])]]
    return [[words], [_who_could_be_best(report, trust.bounds[report.main], leaders[0])]]


def _under_other_judgements(report: Report, tried: OtherJudgements, best: int) -> str:
    """Return in words whether other grades of unjudged documents could put another run first.

    tried: the grades that were tried, and what they show; best: the number of the run that is best now
    """
    leader, rival = report.names[best], report.names[tried.nearest]
    others = plural(tried.rivals, "other run")
    of_runs = ""
    no_run = "no other run"
    lacking = len(report.names) - 1 - tried.rivals
    if lacking:
        verb = "lacks" if lacking == 1 else "lack"
        of_runs = f" of the runs with all topics ({lacking} more {verb} some)"
        no_run = f"none{of_runs}"
    is_count = report.column(report.main).measure.format is Format.COUNT
    values = (
        f"{leader} would have {_as_read(tried.value_of_best, is_count=is_count)}"
        f" and {rival} {_as_read(tried.value_of_rival, is_count=is_count)}"
    )
    within = ""
    if tried.depth is not None:
        within = f", both down to rank {tried.depth}"
    case = (
        f"Suppose that, of the documents that nobody judged, those that {rival} has and {leader} has not, or"
        f" has further down{within} (here {tried.documents:,}), had the highest grade of their topic (or the"
        f" level, if that is higher), and all others 0: then {values}."
    )
    if tried.better:
        return (
            f"Other judgements could put another run first by {tried.label}. {case} {tried.better} of"
            f" {others}{of_runs} could be better in this way"
        )
    if tried.is_proof:
        return (
            f"By {tried.label} {no_run} can be better than {leader}, whatever grades the unjudged"
            f" documents of these topics have. {case} No grades favour {rival}, the nearest of {others}, more"
            " than these"
        )
    return (
        f"By {tried.label} {leader} stays the best{of_runs} under the judgements that were tried. {case}"
        f" {rival} is the nearest of {others} then. This is no proof: other judgements, and documents that"
        " neither retrieved, may change more"
    )


def _as_read(value: float, *, is_count: bool) -> str:
    """Return a value for a sentence: a count without decimals, others with four."""
    return f"{value:,.0f}" if is_count else f"{value:.4f}"


def _who_could_be_best(report: Report, bounds: FloatArray, best: int) -> str:
    """Return whether the bounds of other runs reach into those of the best, in words.

    bounds: (2, R) the lowest and the highest value of the main measure; best: the number of the best run

    Bounds are of each run alone, with the unjudged documents that it retrieved itself.  So neither way is a
    proof: a document that two runs retrieved is relevant for both or for none, and one that only another run
    has can lower this run's value, where a measure divides by the number of relevant documents.
    """
    # With the sign turned where less is better, which exchanges the two ends.
    low, high = np.sort(report.sign(report.main) * bounds, axis=0)
    others = [run for run in range(len(high)) if run != best and report.has_all_topics(run)]
    over = int(np.count_nonzero(high[others] > low[best]))
    reach = (
        f"the bounds of {report.main} of {over} of {plural(len(others), 'other run')} reach into those of"
        f" {report.names[best]}"
    )
    lacking = len(high) - 1 - len(others)
    if lacking:
        verbs = "lacks topics and is" if lacking == 1 else "lack topics and are"
        reach += f" ({lacking} more {verbs} not compared)"
    if np.array_equal(low, high):
        return (
            f"The bounds of {report.main} are one value for each run. Documents that they are not over"
            " (further down, of other runs, not retrieved, of topics left out) may still change the order"
        )
    if not over:
        return (
            f"The bounds do not overlap: {reach}. They are of each run alone: an unjudged document that only"
            " another run retrieved could be relevant too, and change the order"
        )
    return (
        f"These bounds do not show that no other run could be best: {reach}. They are of each run alone:"
        f" as runs share unjudged documents, {report.names[best]} may still be best whatever these are"
    )
