"""The note below a table for a paper: what was tested, how, over how many topics, and with which version."""

from __future__ import annotations

from pres_eval import __version__
from pres_eval.analysis.compare_settings import DRAWN_TESTS, ComparedRuns, CompareSettings, is_drawn
from pres_eval.analysis.every_pair import PairTable
from pres_eval.analysis.joint import JOINT_TESTS
from pres_eval.errors import plural
from pres_eval.options import level_lines

TEST_NAMES = {
    "t": "t-test",
    "randomisation": "randomisation test",
    "bootstrap": "bootstrap test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "tukey": "Tukey's HSD test",
    "randomised-tukey": "randomised Tukey HSD test",
    "dunnett": "Dunnett's test",
}
"""Names of the tests in papers, by those of --test."""

CORRECTION_NAMES = {
    "holm": "Holm-corrected",
    "bonferroni": "Bonferroni-corrected",
    "bh": "Benjamini-Hochberg-corrected",
}
"""Names of the corrections in papers, by those of --correction."""

SIDES = {
    "two-sided": "paired two-sided {test}",
    "greater": "paired one-sided {test} (better)",
    "less": "paired one-sided {test} (worse)",
    "equivalent": "two one-sided paired {test}s of equivalence within {margin:g}",
    "non-inferior": "paired one-sided {test} of non-inferiority by {margin:g}",
}
"""Templates of tests in full, by the alternative."""


def paper_note(result: ComparedRuns) -> str:
    """Return topics, test, correction, level and version of a comparison, as a paper reports them."""
    if not result.comparisons:
        return paper_note_without_test(result)
    scores, settings = result.scores, result.settings
    # P-values are corrected for `unseen` comparisons of each measure, too, which the table does not have:
    # together with those of all measures, or measure by measure.
    num_measures = len(scores.measures)
    if settings.over == "measures":
        count = len(result.comparisons) + result.unseen * num_measures
    else:
        count = len(result.comparisons) // num_measures + result.unseen
    test = full_name_of_test(settings, len(scores.topics), count, num_measures)
    return f"{topics_words(result)}; {test}; pres-eval {__version__}"


def pairs_note(pairs: PairTable) -> str:
    """Return the note of the comparisons of a report, which are over the topics that both runs have."""
    # If any pair has too many topics for an exact test, the note is of random draws.
    most_topics = int(pairs.topics.max(initial=0))
    test = full_name_of_test(pairs.settings, most_topics, pairs.comparisons, len(pairs.measures))
    return f"{pairs.over}; {test}; pres-eval {__version__}"


def paper_note_without_test(result: ComparedRuns) -> str:
    """Return topics and version, for a table of what was not tested."""
    return f"{topics_words(result)}; pres-eval {__version__}"


def topics_words(result: ComparedRuns) -> str:
    """Return over how many topics the means are, whether these have weights, and what is relevant."""
    words = [plural(len(result.scores.topics))]
    if result.scores.weights is not None:
        words.append("weighted")
    words += level_lines(result.scores.relevance_level)
    return ", ".join(words)


def full_name_of_test(settings: CompareSettings, topics: int, count: int, num_measures: int) -> str:
    """Return the test in full, its correction, and its level, as a paper reports them.

    topics: how many the test is over
    count: comparisons that p-values are corrected for: of all measures together, or of each, by
        `settings.over`
    """
    if settings.test in JOINT_TESTS:
        test = TEST_NAMES[settings.test]
    else:
        test = SIDES[settings.alternative].format(test=TEST_NAMES[settings.test], margin=settings.margin)
    if is_drawn(settings.test, topics):
        test += f" ({settings.samples:,} draws, seed {settings.seed})"
    elif settings.test in DRAWN_TESTS:
        test = f"exact {test}"
    comparisons = plural(count, "comparison")
    if num_measures > 1:
        comparisons += " over all measures" if settings.over == "measures" else " of each measure"
    if settings.test in JOINT_TESTS:
        correction = f"for {comparisons} together"
    elif settings.correction == "none":
        correction = f"{comparisons}, uncorrected"
    else:
        correction = f"{CORRECTION_NAMES[settings.correction]} for {comparisons}"
    return f"{test}, {correction}, α = {settings.alpha:g}"
