"""`pool` and `holes` of chunks: as of the files in which each chunk is its document, by hand."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
from support.commands import Command

PATTERN = r"^(.*)#\d+$"


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return call


def write_runs(draw: random.Random, left_out: set[tuple[str, str]]) -> None:
    """Write runs of chunks, and those made by hand: the first chunk of a document counts."""
    for name in ("r1", "r2"):
        chunks, whole = [], []
        for topic in ("1", "2", "3"):
            ids = [f"d{document}#{chunk}" for document in range(12) for chunk in range(3)]
            draw.shuffle(ids)
            seen = set[str]()
            for place, one in enumerate(ids[: draw.randint(1, 30)]):
                chunks.append(f"{topic} Q0 {one} {place} {100 - place} {name}\n")
                document = one.split("#")[0]
                if document not in seen and (topic, document) not in left_out:
                    whole.append(f"{topic} Q0 {document} {place} {100 - place} {name}\n")
                seen.add(document)
        Path(name).write_text("".join(chunks))
        Path("by_hand", name).write_text("".join(whole))


def rows(call: Command, *words: str) -> list[list[str]]:
    found = call(*words, "--format", "csv")
    assert found.code == 0, found.err
    return list(csv.reader(found.out.splitlines()))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("command", ["pool", "pool --judged", "holes"])
def test_chunks_are_their_documents(command: str, seed: int, call: Command) -> None:
    draw = random.Random(seed)
    Path("by_hand").mkdir()
    left_out = {(topic, f"d{draw.randrange(12)}") for topic in "123"} if seed % 2 else set()
    write_runs(draw, left_out)
    judged = [(topic, f"d{document}") for topic in "123" for document in range(12) if draw.random() < 0.3]
    Path("q").write_text("".join(f"{topic} 0 {document}#0 1\n" for topic, document in judged))
    kept = [pair for pair in judged if pair not in left_out]
    Path("by_hand/q").write_text("".join(f"{topic} 0 {document} 1\n" for topic, document in kept))
    Path("x").write_text("".join(f"{topic} {document}\n" for topic, document in sorted(left_out)))
    options = ["--map-docs", PATTERN, *(["--exclude", "x"] if left_out else [])]
    depth = str(draw.randint(1, 12))
    words = {
        "pool": ["pool", "r1", "r2", "--depth", depth],
        "pool --judged": ["pool", "r1", "r2", "--judged", "q", "--depth", depth],
        "holes": ["holes", "q", "r1", "r2", "--documents", "--table", "documents", "--depth", depth],
    }[command]
    by_hand = [f"by_hand/{word}" if word in ("q", "r1", "r2") else word for word in words]
    assert rows(call, *words, *options) == rows(call, *by_hand)


@pytest.mark.parametrize("words", [["--map-ranks", "kept"], ["--exclude-from", "run"]])
def test_rules_without_what_they_rule_are_errors(words: list[str], call: Command) -> None:
    Path("r").write_text("1 Q0 a 1 1 t\n")
    found = call("pool", "r", *words)
    assert found.code == 1 and "goes with" in found.err
