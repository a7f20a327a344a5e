"""Search for ids of a run that match no judged id, and would match one if both were written alike.

Most ids would match none in any notation.  So their letters are compared first, without what notations differ
in: case, zeros and punctuation.  The ids whose letters are equal are candidates, for which
`checking.notations` finds out which rewriting lets them match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pres_eval.checking.notations import (
    ID_SEPARATORS,
    NAMES_OF_CHUNKS,
    PUNCTUATION_BYTES,
    SHORT_NAME_OF_CHUNKS,
    Id,
    Respelling,
    as_utf_8,
    find_respelling,
    is_utf_8,
    lower_case,
    without_chunk_number,
    without_invisible,
    without_two_numbers,
)
from pres_eval.reading.patents import any_kind_code, patent_number, patent_numbers

COMPARED_TOPICS = 1 << 14
"""Topics of each side that are compared."""

IDS_SEARCHED_FOR_PATENTS = 8
"""First ids of each side that are searched for the kind codes of patents, such as B1 of EP1234567B1."""

_ASCII_DIGITS = b"0123456789"
_ALL_NAMES_OF_CHUNKS = (*NAMES_OF_CHUNKS, SHORT_NAME_OF_CHUNKS)

TextsByTopic = Mapping[int, Sequence[bytes]]
"""Ids of some documents of each topic, by the number of the topic."""


def respelled_documents(ours: TextsByTopic, judged: TextsByTopic) -> Respelling | None:
    """Return the changes with which documents of a run would match judged ones, None if none would.

    ours    documents of a run by topic; those that are judged as they are don't count
    judged  judged documents that the run did not retrieve, by topic
    """
    candidates: list[Id] = []
    judged_candidates: list[Id] = []
    for topic, documents in ours.items():
        judged_documents = judged.get(topic)
        if not judged_documents:
            continue
        matches, judged_matches = _candidates(documents, judged_documents)
        candidates += [(topic, text) for text in matches]
        judged_candidates += [(topic, text) for text in judged_matches]
    if not candidates:
        return None
    return find_respelling(candidates, judged_candidates)


def respelled_topics(ours: Sequence[bytes], judged: Sequence[bytes]) -> Respelling | None:
    """Return the changes with which topics of a run would match judged ones, None if none would."""
    return respelled_documents({0: ours[:COMPARED_TOPICS]}, {0: judged[:COMPARED_TOPICS]})


def _candidates(ours: Sequence[bytes], judged: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Return the ids of both sides that may match one of the other side, each once."""
    our_letters, judged_letters = set(_letters(ours)), set(_letters(judged))
    common = our_letters & judged_letters
    common_to_our_chunks = _letters_without_chunk_numbers(ours) & judged_letters
    common_to_judged_chunks = our_letters & _letters_without_chunk_numbers(judged)
    common_to_chunks = common_to_our_chunks | common_to_judged_chunks
    patents = _common_patents(ours, judged)
    if not common and not common_to_chunks and not patents:
        return [], []
    our_candidates = _ids_with_letters(ours, common, common_to_chunks)
    judged_candidates = _ids_with_letters(judged, common, common_to_chunks)
    if patents:
        our_candidates = _with_patents(our_candidates, ours, patents)
        judged_candidates = _with_patents(judged_candidates, judged, patents)
    return our_candidates, judged_candidates


def _common_patents(ours: Sequence[bytes], judged: Sequence[bytes]) -> set[bytes]:
    """Return the numbers of patents that both sides have; none if the first ids are no publications."""
    first_ids = [*ours[:IDS_SEARCHED_FOR_PATENTS], *judged[:IDS_SEARCHED_FOR_PATENTS]]
    if not any_kind_code(first_ids):
        return set()
    return patent_numbers(ours) & patent_numbers(judged)


def _with_patents(candidates: Sequence[bytes], texts: Sequence[bytes], patents: set[bytes]) -> list[bytes]:
    """Return the candidates, and the publications of these patents, each once."""
    publications = (text for text in texts if patent_number(text) in patents)
    return list(dict.fromkeys((*candidates, *publications)))


def _ids_with_letters(
    texts: Sequence[bytes], common: set[bytes], common_to_chunks: set[bytes]
) -> list[bytes]:
    """Return the ids, each once, whose letters are among these, with or without the number of a chunk.

    common            letters that ids of both sides have
    common_to_chunks  letters that ids of one side have, and those of the other without numbers of chunks
    """
    matching: set[bytes] = set()
    cuts: list[Callable[[bytes], bytes]] = [bytes]  # `bytes` returns the id as it is
    if common_to_chunks:
        cuts += [without_chunk_number, without_two_numbers]
    for cut in cuts:
        documents = list(map(cut, texts))
        for text, document, letters in zip(texts, documents, _letters(documents), strict=True):
            if document and (letters in common or letters in common_to_chunks):
                matching.add(text)
    return [text for text in dict.fromkeys(texts) if text in matching]


def _letters_without_chunk_numbers(texts: Iterable[bytes]) -> set[bytes]:
    """Return the letters that ids have before the number of a chunk, or two numbers, at the end.

    Letters of other ids with a number may be among these: later steps compare the ids in full.  This is fast,
    as the chunks of a document have the same beginning.
    """
    without_number = _beginnings_before_numbers(texts)
    # Those of chunks with two numbers, d1_0_512, end in the other number.
    further = _beginnings_before_numbers(text for text in without_number if text[-1:].isdigit())
    return set(_letters([*without_number, *further]))


def _beginnings_before_numbers(texts: Iterable[bytes]) -> set[bytes]:
    """Return the beginnings of ids before a number and the name of a chunk: d1 of d1#0 and of d1_chunk_0."""
    beginnings = {text.rstrip(_ASCII_DIGITS).rstrip(ID_SEPARATORS) for text in texts}
    for text in [text for text in beginnings if text.lower().endswith(_ALL_NAMES_OF_CHUNKS)]:
        for name in _ALL_NAMES_OF_CHUNKS:
            if text.lower().endswith(name):
                beginnings.add(text[: -len(name)].rstrip(ID_SEPARATORS))
    return beginnings - {b""}


def _letters(texts: Sequence[bytes]) -> list[bytes]:
    """Return the letters of each text that count: without zeros, punctuation and blanks, in lower case."""
    if not texts:
        return []
    # No id has a NUL.  As one text they are changed by a few calls, many times faster than one by one.
    joined = b"\0".join(texts)
    if not joined.isascii() and not is_utf_8(joined):
        joined = b"\0".join(map(as_utf_8, texts))
    joined = lower_case(without_invisible(joined))
    return joined.translate(None, PUNCTUATION_BYTES + b"0").split(b"\0")
