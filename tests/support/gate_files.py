"""Judgements, runs and other files of the scenarios of gates."""

from __future__ import annotations

from collections.abc import Sequence

DEPTH = 12


def qrels(topics: int, also: int = 0) -> str:
    """Judgements in which each topic has one relevant document; `also` topics have a second one."""
    lines = [f"q{topic:02} 0 relevant 1\n" for topic in range(1, topics + 1)]
    return "".join(lines + [f"q{topic:02} 0 other2 1\n" for topic in range(1, also + 1)])


def run(tag: str, ranks: Sequence[int], first: int = 1) -> str:
    """A run that has the relevant document at these ranks, one for each topic from the first on."""
    return "".join(
        f"q{topic:02} Q0 {'relevant' if place == rank else f'other{place}'} {place} {DEPTH - place} {tag}\n"
        for topic, rank in enumerate(ranks, first)
        for place in range(1, DEPTH + 1)
    )


FILES = {
    "qrels": qrels(10),
    "qrels20": qrels(20),
    "changed": qrels(10, also=4),
    "qrels1": qrels(1),
    "qrels2": qrels(2),
    "qrels3": qrels(3),
    "a": run("a", [2] * 10),
    "a.gz-twin/a": run("z", [2] * 10),
    "better": run("better", [1] * 10),
    "a.gz-twin/better": run("elsewhere", [3, 4] * 5),
    "cut": "".join(
        f"q{topic:02} Q0 other{place} {place} {DEPTH - place} cut\n"
        for topic in range(1, 11)
        for place in (2, 3, 4)
    ),
    "worse": run("worse", [3, 4] * 5),
    "slip": run("slip", [2] * 9 + [3]),
    "retagged": run("r", [2] * 10),
    "short": run("short", [2] * 9),
    "long": run("long", [2] * 20),
    "easy": run("easy", [3, 4] * 5 + [1] * 10),
    "three": run("three", [2, 2, 3]),
    "three-worse": run("three-worse", [4, 6, 9]),
    "third": run("third", [3] * 10),
    "few": run("few", [2] * 5 + [3] * 5),
    "edge": run("edge", [2] * 7 + [3] * 3),
    "edge-too": run("edge-too", [2] * 7 + [3] * 3),
    "pair": run("pair", [2] * 2),
    "pair-worse": run("pair-worse", [4] * 2),
    "single": run("single", [2]),
    "easy-half": run("easy-half", [2] * 5),
    "single-worse": run("single-worse", [4]),
    "dots/A.txt": run("one", [2] * 10),
    "dots/B.txt": run("one", [1] * 10),
    "far": run("far", [2] * 5, first=11),
    "halves": "".join(f"q{topic:02} {'head' if topic < 6 else 'tail'}\n" for topic in range(1, 11)),
    "heavy": "".join(f"q{topic:02} {topic}\n" for topic in range(1, 11)),
    "four-of-none": "".join(f"q{topic:02} {int(topic > 4)}\n" for topic in range(1, 11)),
    "empty": "",
    "blank": "\n \n",
    "expected": "map                   \tall\t0.5000\n",
    "two-digits": "map                   \tall\t0.50\n",
    "utf-16": "map                   \tall\t0.5000\n",
    "not-expected": "map                   \tall\t0.5001\n",
}
