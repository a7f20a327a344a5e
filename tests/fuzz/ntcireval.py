"""Random topics beside pyNTCIREVAL: Q-measure, O-measure, nERR, nDCG, and the D-measures of global gains.

    pip install pyNTCIREVAL==0.0.3
    python tests/fuzz/ntcireval.py 1000 [FIXTURE]

With the name of a file it stores the first 60 topics there with pyNTCIREVAL's values, for the tests.
"""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from support.ntcireval_cases import HIGHEST_GRADE, Case, draw_case, our_values  # noqa: E402

STORED = 60


def their_values(case: Case) -> dict[str, float]:
    """The values that pyNTCIREVAL computes for a case; global gains are levels of their own to it."""
    from pyNTCIREVAL import Labeler
    from pyNTCIREVAL.metrics import MSnDCG, OMeasure, QMeasure, nERR

    labeler = Labeler(case.grades)
    labelled, counts = labeler.label(case.ranking), labeler.compute_per_level_doc_num(HIGHEST_GRADE + 1)
    gains = list(range(1, HIGHEST_GRADE + 1))
    values = {
        "QMeasure": QMeasure(counts, gains, case.beta).compute(labelled),
        "QMeasure@k": QMeasure(counts, gains, case.beta, case.cutoff).compute(labelled),
        "OMeasure": OMeasure(counts, gains, case.beta).compute(labelled),
        "nERR@k": nERR(counts, gains, case.cutoff).compute(labelled),
        "MSnDCG@k": MSnDCG(counts, gains, case.cutoff).compute(labelled),
    }
    documents = {document for grades in case.subtopics.values() for document in grades}
    global_gain = {
        document: sum(grades.get(document, 0) for grades in case.subtopics.values()) / len(case.subtopics)
        for document in documents
    }
    levels = sorted({gain for gain in global_gain.values() if gain > 0})
    level_of = {gain: number for number, gain in enumerate(levels, 1)}
    labeler = Labeler({document: level_of.get(gain, 0) for document, gain in global_gain.items()})
    labelled, counts = labeler.label(case.ranking), labeler.compute_per_level_doc_num(len(levels) + 1)
    values["D-MSnDCG@k"] = MSnDCG(counts, levels, case.cutoff).compute(labelled)
    values["D-QMeasure@k"] = QMeasure(counts, levels, case.beta, case.cutoff).compute(labelled)
    return values


def main(number: int, fixture: str | None = None) -> int:
    """Compare so many topics; return how many values differ by more than the last bits."""
    rng = random.Random(2026)
    cases = [draw_case(rng) for _ in range(number)]
    with tempfile.TemporaryDirectory() as folder:
        ours = our_values(cases, Path(folder))
    theirs = [their_values(case) for case in cases]
    compared = different = 0
    for place, (our, their) in enumerate(zip(ours, theirs, strict=True)):
        assert our.keys() == their.keys()
        for name, value in their.items():
            compared += 1
            if not math.isclose(our[name], value, rel_tol=1e-12, abs_tol=1e-15):
                different += 1
                print(f"topic {place}: {name}: {our[name]!r}, theirs {value!r}")
    print(f"{compared} values of {number} topics compared, {different} differ")
    if fixture is not None:
        with Path(fixture).open("w", encoding="utf-8") as stream:
            for case, values in list(zip(cases, theirs, strict=True))[:STORED]:
                record: dict[str, Any] = {**vars(case), "values": values}
                stream.write(json.dumps(record) + "\n")
    return different


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), *sys.argv[2:3])))
