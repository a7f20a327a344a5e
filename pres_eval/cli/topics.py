"""The runs that the evaluator reads, and the warnings about their topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pres_eval.arrays import IntArray
from pres_eval.cli.asked import Job
from pres_eval.cli.reader import warn_of_ties
from pres_eval.cli.shared import NumberOptions
from pres_eval.ranking.ranking import COMMON, OWN, Ranking
from pres_eval.reading.topic_files import Groups, Weights


class ChosenRuns:
    """Runs to iterate over once: over the topics that --topics wants.

    Several runs over common topics are all read before the first is given.
    """

    def __init__(self, rankings: Iterable[Ranking], job: Job) -> None:
        self._rankings, self._job = rankings, job
        self._facts: list[tuple[tuple[str, str], IntArray, int]] = []
        """Tag and file, topics, and the number of documents retrieved of each run read so far."""

    def __iter__(self) -> Iterator[Ranking]:
        """Yield the runs; a note reports how much equal scores could change each."""
        said = self._job.said
        in_common = len(said.runs) > 1 and said.topic_rule(OWN) == COMMON
        for ranking in self._on_common_topics() if in_common else self._seen():
            warn_of_ties(said, self._job, [ranking])
            yield ranking

    def _on_common_topics(self) -> Iterator[Ranking]:
        """Yield the runs over the topics that all of them have; those without any come last, and fail."""
        from pres_eval.analysis.topics import use_topics

        every = list(self._seen())
        failed = [each for each in every if self._job.said.keep_going and not len(each.topic)]
        kept = [each for each in every if each not in failed]
        yield from use_topics(kept, self._names(), COMMON, len(self._job.relevance.pool.topics))[0]
        yield from failed

    def _seen(self) -> Iterator[Ranking]:
        """Yield the runs as they come, and keep what the warning about all of them needs."""
        for ranking in self._rankings:
            if len(ranking.topic) or not self._job.said.keep_going:
                retrieved = int(ranking.num_ret.sum())
                self._facts.append(((ranking.tag, ranking.name), ranking.topic, retrieved))
            yield ranking

    def _names(self) -> list[str]:
        return self._job.said.named([named for named, _, _ in self._facts])

    def warning(self) -> str | None:
        """Return the warning about the runs read so far together; the reader warns of each alone."""
        said, judged = self._job.said, self._job.relevance.pool.topics
        if len(said.runs) == 1 or self._job.options.only_topic is not None or not self._facts:
            return None
        from pres_eval.analysis.paired import depth_warning
        from pres_eval.analysis.topics import used_topics

        topics = [topics for _, topics, _ in self._facts]
        used = used_topics(topics, self._names(), said.topic_rule(OWN), len(judged))
        depth = depth_warning(self._job.selection, [retrieved for _, _, retrieved in self._facts])
        return "; ".join(text for text in (used.warning, depth) if text) or None


def topic_files(
    said: NumberOptions, groups: str | None, weights: str | None, judged: Sequence[bytes]
) -> tuple[Groups | None, Weights | None]:
    """Return the groups and the weights of topics in two files, after the warnings about them."""
    if groups is None and weights is None:
        return None, None
    from pres_eval.library import file_or_dict

    return file_or_dict.topic_files(groups, weights, judged, said.warn)
