"""A judged sample and the documents that the review found, as parts for the estimates.

The review is the search whose recall is estimated: it found some documents.  A part is the documents of one
stratum that the review found, or those that it missed: how many they are, were judged, and are relevant.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from pres_eval.analysis.pooling import Key, first_documents
from pres_eval.analysis.yields import SampledPart
from pres_eval.errors import InputError, UsageError, plural, quoted
from pres_eval.reading.id_files import read_pairs
from pres_eval.reading.judgements.samples import Place, Sampled, Sizes, Stratum
from pres_eval.reading.lines import RUN
from pres_eval.reading.run_files import text_at


def read_review(path: str, depth: int | None = None) -> set[Key]:
    """Return the documents that a review found, read from lines of `topic docno` or from a run.

    depth  the first documents of a run's topics that count as found; None: all
    Raises UsageError for a depth with lines that have no ranks, InputError for malformed lines.
    """
    source = text_at(path)
    if len(source.head().lstrip().partition(b"\n")[0].split()) >= RUN.width:
        return set(first_documents(source, depth=depth).pairs())
    if depth is not None:
        raise UsageError(f"--depth goes with a run ({RUN.names}), not with lines of topic docno: {path}")
    topics, documents, _ = read_pairs(source, "topic docno")
    return set(zip(topics, documents, strict=True))


def sampled_parts(
    sample: Sequence[Sampled],
    review: Collection[Key],
    level: int = 1,
    collection: int | None = None,
    sizes: Sizes | None = None,
) -> list[SampledPart]:
    """Return the non-empty parts of each stratum: documents that the review found, and missed ones.

    level       the least grade of a relevant document
    collection  number of documents, if the sample was drawn from all of them
    sizes       number of documents of each stratum
    If both are None, the sample's file lists all documents of a stratum, those that nobody judged with a
    negative grade.

    Raises InputError for a document that comes twice, a topic that the review lacks unless `sizes` has it, a
    topic of the review without a sample, a stratum without a size in `sizes` or without a sample, one smaller
    than its sample, and parts of which nothing was judged or whose size cannot be known; UsageError for a
    stratum whose size neither the file nor an argument gives.
    """
    topics = _by_stratum(sample)
    found_of_topic = Counter(topic for topic, _ in review)
    if found_of_topic and topics:  # a review that found nothing has missed parts alone
        _check_topics(topics, found_of_topic, sizes or {})
    for stratum, (size, place) in (sizes or {}).items():  # the size and its file and line
        if size and stratum not in topics.get(stratum.topic, ()):
            raise InputError(*place, f"no judged document in {stratum}", "a sample of each stratum")
    parts: list[SampledPart] = []
    for topic, strata in topics.items():
        sizes_of_strata = _sizes_of_strata(strata, collection, sizes)
        found_in = _found_in(strata, sizes_of_strata, review, found_of_topic[topic])
        parts.extend(_parts(strata, sizes_of_strata, found_in, review, level))
    return parts


def _by_stratum(sample: Sequence[Sampled]) -> dict[bytes, dict[Stratum, list[Sampled]]]:
    """Return the documents of each stratum of each topic; raise InputError for one that comes twice."""
    topics: dict[bytes, dict[Stratum, list[Sampled]]] = {}
    seen: set[Key] = set()
    for document in sample:
        docno = document.key[1]
        if document.key in seen:
            remedy = ""
            if docno in (b"0", b"Q0"):
                remedy = "these look like qrels, expected topic docno stratum relevance"
            raise InputError(
                *document.place,
                f"document {quoted(docno)} again",
                "each document once, in one stratum",
                remedy,
            )
        seen.add(document.key)
        topics.setdefault(document.stratum.topic, {}).setdefault(document.stratum, []).append(document)
    return topics


def _check_topics(
    topics: Mapping[bytes, Mapping[Stratum, Sequence[Sampled]]],
    found_of_topic: Mapping[bytes, int],
    sizes: Sizes,
) -> None:
    """Raise InputError unless the sample and the review are of the same topics.

    found_of_topic  how many documents of each topic the review found
    sizes           may name topics of which the review found nothing
    """

    def first_place(topic: bytes) -> Place:
        """Return the file and the line of the topic's first document."""
        return next(iter(topics[topic].values()))[0].place

    if not found_of_topic.keys() & topics.keys():
        first = next(iter(topics))
        raise InputError(
            *first_place(first),
            f"topic {quoted(first)}",
            f"a topic of the review, such as {quoted(min(found_of_topic))}",
        )
    lacking = sorted(found_of_topic.keys() - topics.keys())
    if lacking:
        documents = plural(found_of_topic[lacking[0]], "document")
        raise InputError(
            first_place(next(iter(topics)))[0],
            None,
            f"no sample of topic {quoted(lacking[0])}, of which the review found {documents}",
            "one of each topic of the review",
        )
    absent = sorted(topics.keys() - found_of_topic.keys() - {stratum.topic for stratum in sizes})
    if absent:
        raise InputError(
            *first_place(absent[0]),
            f"topic {quoted(absent[0])}, of which the review found nothing",
            f"topics of the review, such as {quoted(min(found_of_topic))}",
            "if that is so, name the topic in --sizes",
        )


def _sizes_of_strata(
    strata: Mapping[Stratum, Sequence[Sampled]], collection: int | None, sizes: Sizes | None
) -> dict[Stratum, int]:
    """Return how many documents each stratum of a topic has, see `sampled_parts`.

    Raises UsageError if that is unknown, InputError for a stratum that `sizes` lacks or has smaller than its
    sample.
    """
    sizes_of_strata = {}
    for stratum, documents in strata.items():
        place = documents[0].place
        if sizes is not None:
            if stratum not in sizes:
                raise InputError(
                    *place,
                    f"{stratum}, which has no size",
                    "a line of --sizes FILE (topic, stratum, size) for it",
                )
            size, place = sizes[stratum]  # a size below the sample is an error of its own line
        elif collection and len(strata) == 1:
            size = collection
        elif not collection and _lists_unjudged(strata):
            size = len(documents)
        else:
            or_collection = ", or --collection NUM" if len(strata) == 1 else ""
            raise UsageError(
                f"how many documents {stratum} has is not known:"
                f" expected --sizes FILE (lines of topic, stratum, size){or_collection}"
            )
        if size < len(documents):
            raise InputError(
                *place,
                f"{plural(size, 'document')} in {stratum}, of which {len(documents)} are in the sample",
                f"{len(documents)} at least, or inclusion probabilities are above 1",
            )
        sizes_of_strata[stratum] = size
    return sizes_of_strata


def _lists_unjudged(strata: Mapping[Stratum, Sequence[Sampled]]) -> bool:
    """Return whether a topic has documents that were not judged: then its file lists all documents."""
    return any(document.grade < 0 for documents in strata.values() for document in documents)


def _parts(
    strata: Mapping[Stratum, Sequence[Sampled]],
    sizes_of_strata: Mapping[Stratum, int],
    found_in: Mapping[Stratum, int],
    review: Collection[Key],
    level: int,
) -> Iterator[SampledPart]:
    """Yield the parts of a topic; raise InputError for a part without a judged document.

    sizes_of_strata  number of documents of each stratum
    found_in         how many of these the review found
    """
    for stratum, documents in strata.items():
        judged = [document for document in documents if document.grade >= 0]
        found_grades = [document.grade for document in judged if document.key in review]
        missed_grades = [document.grade for document in judged if document.key not in review]
        sides = (
            (True, "found", found_in[stratum], found_grades),
            (False, "missed", sizes_of_strata[stratum] - found_in[stratum], missed_grades),
        )
        for is_found, verb, size, grades in sides:
            least_judged = min(size, 1)  # an empty part needs no judgement
            if not least_judged <= len(grades) <= size:
                raise InputError(
                    *documents[0].place,
                    f"{len(grades)} judged documents among the {size:,} of {stratum} that the review {verb}",
                    "a sample of these",
                )
            if size:
                relevant = sum(grade >= level for grade in grades)
                yield SampledPart(
                    topic=stratum.topic,
                    stratum=stratum.name,
                    found=is_found,
                    size=size,
                    sampled=len(grades),
                    relevant=relevant,
                )


def _found_in(
    strata: Mapping[Stratum, Sequence[Sampled]],
    sizes_of_strata: Mapping[Stratum, int],
    review: Collection[Key],
    num_found: int,
) -> dict[Stratum, int]:
    """Return how many documents of each stratum of a topic the review found.

    sizes_of_strata  number of documents of each stratum
    num_found        how many documents of the topic it found in all: the strata have to add up to this

    If the file lists all documents of a stratum, they are counted.  If one other stratum is left, it has the
    rest of the documents found; if several, each must be found or missed as a whole, like its sample.
    Raises InputError where the strata do not add up to the review.
    """
    found_in = {}
    for stratum, sampled in strata.items():
        found_in[stratum] = sum(document.key in review for document in sampled)
    others = [stratum for stratum, sampled in strata.items() if len(sampled) < sizes_of_strata[stratum]]
    for stratum in others:
        if len(others) == 1:
            found_in[stratum] += num_found - sum(found_in.values())
        elif found_in[stratum] in (0, len(strata[stratum])):
            found_in[stratum] = sizes_of_strata[stratum] if found_in[stratum] else 0
        else:
            raise InputError(
                *strata[stratum][0].place,
                f"{stratum}: the review found some of its sample; of how many in all is not known",
                "strata that were found or missed as a whole",
                "list all documents of the stratum, those that nobody judged with relevance -1",
            )
    question = "are sizes, strata and the review of the same collection?"
    for stratum, size in sizes_of_strata.items():
        if found_in[stratum] > size:
            raise InputError(
                *strata[stratum][0].place,
                f"{found_in[stratum]:,} documents of {stratum} in the review",
                f"at most {size:,}, the size of the stratum",
                question,
            )
    if sum(found_in.values()) != num_found:
        first = next(iter(strata.values()))[0]
        raise InputError(
            *first.place,
            f"{num_found:,} documents of topic {quoted(first.stratum.topic)} in the review",
            f"the {sum(found_in.values()):,} of the strata that it found",
            question,
        )
    return found_in


def control_parts(
    control: Sequence[Sampled], parts: Sequence[SampledPart], level: int = 1
) -> dict[bytes, SampledPart]:
    """Return the control sample of each topic of the parts, as a part: it was drawn from all documents.

    Raises InputError for a document that comes twice, a sample in strata or larger than the collection, and
    a topic without one.
    """
    grades: dict[bytes, dict[bytes, int]] = {}
    for document in control:
        docno = document.key[1]
        grade_of_docno = grades.setdefault(document.stratum.topic, {})
        expected = "a control sample of all documents, without strata"
        if docno in grade_of_docno:
            raise InputError(*document.place, f"document {quoted(docno)} again", expected)
        if document.stratum.name != control[0].stratum.name:
            raise InputError(*document.place, f"{document.stratum}", expected)
        grade_of_docno[docno] = document.grade
    part_of_topic = {}
    for topic in dict.fromkeys(part.topic for part in parts):
        judged = [grade for grade in grades.get(topic, {}).values() if grade >= 0]
        size = sum(part.size for part in parts if part.topic == topic)
        if not 1 <= len(judged) <= size:
            where = control[0].place[0] if control else "the control sample"
            raise InputError(
                where, None, f"{len(judged)} judged documents of topic {quoted(topic)}",
                f"a sample of its {size:,} documents",
            )  # fmt: skip
        relevant = sum(grade >= level for grade in judged)
        part_of_topic[topic] = SampledPart(
            topic=topic,
            stratum="control",
            found=True,  # has no meaning here: the part has found documents and missed ones
            size=size,
            sampled=len(judged),
            relevant=relevant,
        )
    return part_of_topic


LOG_OF_NO_CHANCE = math.log(1e-6)
"""Logarithm of the probability below which an overlap of samples is no accident."""


def check_independent(
    control: Sequence[Sampled],
    sample: Sequence[Sampled],
    review: Collection[Key],
    parts: Sequence[SampledPart],
) -> None:
    """Raise InputError if a control sample has more of the sample's documents than chance explains.

    Documents that the review missed are compared: of n in the control sample, k are in the sample too.  If
    all missed documents of a stratum were judged, the topic is left out: its overlap is certain.
    Formula:  P(k or more) is at most (n p / k)^k (n (1 - p) / (n - k))^(n - k), p the largest share of a
      stratum's missed documents that was judged
    Source: Hoeffding, JASA 1963, doi:10.1080/01621459.1963.10500830.
    """
    shares: dict[bytes, float] = {}
    for part in parts:
        if not part.found:
            shares[part.topic] = max(shares.get(part.topic, 0.0), part.sampled / part.size)
    topics = {topic for topic, share in shares.items() if share < 1}
    in_control = _judged_and_missed(control, topics, review)
    in_both = in_control & _judged_and_missed(sample, topics, review)
    n, k = len(in_control), len(in_both)
    p = max((shares[topic] for topic in topics), default=1.0)
    if k <= n * p:
        return
    log_chance = k * math.log(n * p / k)
    log_chance += (n - k) * math.log(n * (1 - p) / max(n - k, 1))
    if log_chance < LOG_OF_NO_CHANCE:
        raise InputError(
            control[0].place[0],
            None,
            f"{k} of its {plural(n, 'judged document')} that the review missed are in the sample too",
            f"a sample that was drawn independently of it, of which chance has about {n * p:.0f} there",
        )


def _judged_and_missed(
    sample: Sequence[Sampled], topics: Collection[bytes], review: Collection[Key]
) -> set[Key]:
    """Return the documents of a sample, of these topics, that were judged and that the review missed."""
    keys = set()
    for document in sample:
        topic, _ = document.key
        if document.grade >= 0 and topic in topics and document.key not in review:
            keys.add(document.key)
    return keys
