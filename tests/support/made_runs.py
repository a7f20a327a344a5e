"""Small runs and judgements with everything in them that ranking has to mind."""

from __future__ import annotations

import random
from dataclasses import dataclass

SCORES = (1, 2, 2.5, 1e-3, 16777216, 16777217, -1, 0.0, -0.0)
BAD_LINES = ("bad line", "a b c d x f", "a Q0 c 1 nan t")


@dataclass(frozen=True)
class Made:
    """The text of a run, and of its judgements."""

    run: str
    qrels: str


def made_run(rng: random.Random, *, shuffled: bool, doubled: bool, faults: bool = True) -> Made:
    """A run of a few topics; `doubled`: some lines are there twice; `faults`: some lines may be malformed."""
    topics = [rng.choice(["", "q"]) + str(number) for number in range(rng.randint(1, 7))]
    documents = [rng.choice(["d", "doc", "document-with-a-long-name-"]) + str(number) for number in range(30)]
    lines = [line for topic in topics for line in _lines_of(rng, topic, documents)]
    if shuffled:
        rng.shuffle(lines)
    if doubled:
        for _ in range(rng.randint(1, 3)):
            lines.insert(rng.randint(0, len(lines)), rng.choice(lines))
    if faults and rng.random() < 0.15:
        lines.insert(rng.randint(0, len(lines)), rng.choice(BAD_LINES))
    if faults and rng.random() < 0.3:
        lines.insert(rng.randint(0, len(lines)), rng.choice(["# comment", "", "  "]))
    text = "\n".join(lines) + rng.choice(["\n", "\n", ""])
    text = "\ufeff" + text if rng.random() < 0.2 else text
    text = text.replace("\n", "\r\n") if rng.random() < 0.2 else text
    judged = [
        f"{topic} 0 {document} {rng.randint(-1, 2)}"
        for topic in topics
        if rng.random() < 0.7
        for document in rng.sample([*documents, "zz"], rng.randint(1, 10))
    ]
    return Made(text, "\n".join([*judged, "other 0 d1 1"]) + "\n")


def _lines_of(rng: random.Random, topic: str, documents: list[str]) -> list[str]:
    chosen = rng.sample(documents, rng.randint(1, 12))
    scores = [rng.choice([*SCORES, rng.random()]) for _ in chosen]
    if rng.random() < 0.5:
        scores.sort(reverse=True)
    ends = ("", "", "", "x", " more")
    return [
        f"{topic} Q0 {document} {rank} {score} tag{rng.choice(ends)}"
        for rank, (document, score) in enumerate(zip(chosen, scores, strict=True))
    ]
