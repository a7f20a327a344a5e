"""What about a run and its judgements is no error but should not go unsaid."""

from __future__ import annotations

from pres_eval.errors import quoted
from pres_eval.options import Options
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.relevance import Relevance


def warnings_about(ranking: Ranking, relevance: Relevance, options: Options) -> list[str]:
    """What is no error but should not go unsaid."""
    warnings = []
    if ranking.longer_line is not None:
        warnings.append(
            f"{ranking.name}:{ranking.longer_line}: more than 6 columns; the first 6 are used"
            " (topic Q0 docno rank score tag), which is wrong if an id has a blank in it"
        )
    num_topics = len(relevance.pool.topics)
    lacking = num_topics - len(ranking.topic)
    if lacking and not options.complete and len(ranking.topic) and options.only_topic is None:
        warnings.append(
            f"{ranking.name}: {lacking} of {num_topics} topics of {relevance.name} are not in the run"
            " and are left out of the averages; -c counts them as 0"
        )
    if len(ranking.unjudged_ids) and len(ranking.topic):
        count = ranking.unjudged_ids.num_distinct()
        number = f"more than {count}" if ranking.more_unjudged else str(count)
        have = (
            "1 topic has no judgements and is"
            if number == "1"
            else f"{number} topics have no judgements and are"
        )
        warnings.append(f"{ranking.name}: {have} ignored (such as {quoted(ranking.unjudged_ids[0])})")
    return warnings
