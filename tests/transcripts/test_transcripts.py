"""Commands print what the transcripts beside this file show, to the byte; every option changes it.

PRES_EVAL_TRANSCRIPTS=write writes into the transcripts what is printed: read the differences first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from support.transcripts import Player, Transcript, all_transcripts

from pres_eval.cli.commands import COMMANDS, command_of

TRANSCRIPTS = all_transcripts()

SHOWN_ELSEWHERE = {
    "help_wanted": "tests/project/test_docs.py",
    "help_all": "tests/project/test_docs.py",
    "version_wanted": "tests/cli/test_command_line.py",
    "cluster": "tests/engines",
    "cluster_timeout": "tests/engines",
    "jobs": "tests/engines; it changes nothing that is printed",
}
"""Options that no transcript shows, and where they are tried."""

GUARDED: list[str | None] = [
    "agreement",
    "check",
    "compare",
    "convert",
    "power",
    "robustness",
    "sweep",
]

Play = Callable[[], Player]


@pytest.fixture
def player(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Play:
    """Make a player in a new folder."""
    folders = iter(range(1_000_000))

    def new_player() -> Player:
        folder = tmp_path / str(next(folders))
        folder.mkdir()
        return Player(folder, capfdbinary, monkeypatch)

    return new_player


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: transcript.path.stem)
def test_transcripts(transcript: Transcript, player: Play) -> None:
    before = str(transcript)
    playing = player()
    for step in transcript.steps:
        step.printed = playing.play(step)
    after = str(transcript)
    if os.environ.get("PRES_EVAL_TRANSCRIPTS") == "write":
        transcript.path.write_text(after)
    else:
        assert after.splitlines() == before.splitlines()


@pytest.mark.parametrize("name", GUARDED)
def test_every_option_changes_what_is_printed(name: str | None, player: Play) -> None:
    """Of each option a transcript has a call that does something else without it."""
    without_effect = [
        option.opts[-1]
        for option in command_of(name).params
        if isinstance(option, click.Option) and option.name not in SHOWN_ELSEWHERE
        if not any(_differs(player, *call) for call in _calls_with(name, option))
    ]
    assert without_effect == []


def _calls_with(
    command: str | None, option: click.Option
) -> Iterator[tuple[Transcript, int, list[str], list[str]]]:
    """Yield the calls with an option: transcript, the step's number, its words with and without it."""
    for transcript in TRANSCRIPTS:
        for number, step in enumerate(transcript.steps):
            words = step.words
            if step.is_input or "pres-eval" not in words:
                continue
            start = words.index("pres-eval") + 1
            if command != (words[start] if words[start] in COMMANDS else None):
                continue
            for name in (*option.opts, *option.secondary_opts):
                if name in words:
                    at = words.index(name)
                    num_words = 1 if option.is_flag else 2
                    yield transcript, number, words, [*words[:at], *words[at + num_words :]]


def _differs(player: Play, transcript: Transcript, number: int, words: list[str], without: list[str]) -> bool:
    """Whether two commands print or write something else, each after the inputs that stand before it."""
    outcomes = []
    for typed in (words, without):
        playing = player()
        for step in transcript.steps[:number]:
            if step.is_input:
                playing.play(step)
        printed = playing.call(typed)
        outcomes.append((printed, playing.files()))
    return outcomes[0] != outcomes[1]
