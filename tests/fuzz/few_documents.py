"""Compare the short way for few documents with the long one, bit for bit, on random cases.

    python tests/fuzz/few_documents.py --cases 100000

Rankings have ties in doubles and in 32 bits, infinities, scores in any order, ids that are not ASCII,
negative and large grades, topics without judgements or documents, and things that are neither.  The process
ends with 1 at the first case in which values, the order of topics or errors differ.
"""

from __future__ import annotations

import argparse
import random
import struct
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from pres_eval import pytrec_eval
from pres_eval.measures import MEASURES, measure_of
from pres_eval.measures.parameters import Cutoffs

NAMES = [measure.name for measure in MEASURES if measure.plain is not None]
"""The measures that have a plain function."""

ODD_IDS = ("é", "日本", "\udc80", "z\0", "", " a", "Z", "zz", 7, b"a")
ODD_SCORES = (float("inf"), float("-inf"), 1e39, -1e39, 1e-46, -0.0, 0.0, 16777216, 16777217, 10**400)
ODDER_SCORES = (float("nan"), "1.0", None, True)


def measures(rng: random.Random) -> list[str]:
    """Names with and without cutoffs."""
    chosen = rng.sample(NAMES, rng.randint(1, len(NAMES)))
    return [
        f"{name}.{rng.randint(1, 12)},{rng.randint(1, 3)}"
        if isinstance(measure_of(name).parameters, Cutoffs) and rng.random() < 0.7
        else name
        for name in chosen
    ]


def judgements(rng: random.Random) -> dict[str, dict[str, int]]:
    """Grades for documents of a few topics."""
    highest = rng.choice((1, 1, 3, 9, 1 << 30))
    return {
        f"q{topic}": {
            name: rng.choice((-2, -1, 0, 0, 1, rng.randint(0, highest)))
            for name in rng.sample(IDS, rng.randint(0, 12))
        }
        for topic in range(rng.randint(1, 4))
    }


IDS = [f"d{number}" for number in range(16)] + ["é", "日本", "\udc80", "Z", "zz", " a"]


def run(rng: random.Random) -> dict[Any, Any]:
    """Rankings, a few of them with something odd."""
    found: dict[Any, Any] = {}
    for topic in rng.sample(range(6), rng.randint(1, 5)):
        kind = rng.random()
        documents: dict[Any, Any] = {}
        ids = rng.sample(IDS, rng.randint(0, 14))
        if kind < 0.3:
            documents = dict(zip(ids, range(20, 20 - len(ids), -1), strict=True))
        elif kind < 0.6:
            documents = {name: rng.choice((0.1, 0.2, 0.25, 0.1 + 1e-9, 0.3, 1)) for name in ids}
        else:
            documents = {name: rng.gauss(0, 1) for name in ids}
        for name in ids:
            if rng.random() < 0.02:
                documents[name] = rng.choice(ODD_SCORES)
            if rng.random() < 0.001:
                documents[name] = rng.choice(ODDER_SCORES)
        if rng.random() < 0.01:
            documents[rng.choice(ODD_IDS)] = 0.25
        found[f"q{topic}"] = documents
    if rng.random() < 0.003:
        found[rng.choice((3, b"q1", "q\0"))] = {"d1": 1.0}
    return found


def outcome(evaluator: Any, ranked: Any) -> Any:
    """The values as bytes, in order; or the error."""
    try:
        values = evaluator.evaluate(ranked)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return [
        (topic, [(key, struct.pack("d", value)) for key, value in row.items()])
        for topic, row in values.items()
    ]


def compare(seed: int) -> tuple[bool, str]:
    """Whether the short way took the case, and how it differs from the long one (empty: not at all)."""
    rng = random.Random(seed)
    judged, ranked, names, level = judgements(rng), run(rng), measures(rng), rng.choice((1, 1, 2, 3))
    if rng.random() < 0.02:  # as gains with decimals or whole numbers of other types
        judged.setdefault("q1", {})["d1"] = rng.choice((True, 2**40, 1))
    short = pytrec_eval.RelevanceEvaluator(judged, names, level)
    long = pytrec_eval.RelevanceEvaluator(judged, names, level)
    vars(long)["_few"] = None
    taken = short._few is not None and _takes(short._few, ranked)
    one, other = outcome(short, ranked), outcome(long, ranked)
    return taken, "" if one == other else f"seed {seed}: {one} {other} of {judged} {ranked} {names} {level}"


def _takes(few: Any, ranked: Any) -> bool:
    return few.values(ranked) is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    begin, short = time.monotonic(), 0
    for seed in range(options.seed, options.seed + options.cases):
        taken, difference = compare(seed)
        short += taken
        if difference:
            print(difference)
            return 1
    seconds = time.monotonic() - begin
    print(f"{options.cases:,} cases alike, {short:,} of them by the short way, in {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
