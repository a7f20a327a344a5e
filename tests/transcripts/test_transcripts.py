"""Commands print what the transcripts beside this file show, to the byte; every option changes it.

PRES_EVAL_TRANSCRIPTS=write writes into the transcripts what is printed: read the differences first.
"""

from __future__ import annotations

import functools
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
    "validate quiet": "tests/cli/test_progress.py; it prints no warnings and notes, but has a bar",
}
"""Options that no transcript shows, and where they are tried."""

COUNTS_OF_DRAWS = {"samples", "trials"}
"""Options whose usual values take too long here: with another value something else has to be printed."""

GUARDED: list[str | None] = [None, *COMMANDS]

Play = Callable[[], Player]

Outcome = tuple[list[str], dict[str, bytes]]
"""The lines that a command prints, and the contents of the files behind it."""


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
        transcript.path.write_text(after, encoding="utf-8")
    else:
        assert after.splitlines() == before.splitlines()


@pytest.mark.parametrize("name", GUARDED)
def test_every_option_is_shown(name: str | None) -> None:
    """A transcript calls the command with it."""
    assert [option.opts[-1] for option in _options(name) if not any(_calls_with(name, option))] == []


@pytest.mark.parametrize("name", GUARDED)
def test_every_option_changes_what_is_printed(name: str | None, player: Play) -> None:
    """Of each option a transcript has a call that does something else without it, or is refused with it."""
    calls = _Calls(player)
    without_effect = [
        option.opts[-1]
        for option in _options(name)
        if not any(calls.differ(*call) for call in _calls_with(name, option))
    ]
    assert without_effect == []


def _options(command: str | None) -> list[click.Option]:
    """Return the options of a command that transcripts have to show."""
    return [
        option
        for option in command_of(command).params
        if isinstance(option, click.Option)
        if SHOWN_ELSEWHERE.keys().isdisjoint((option.name, f"{command} {option.name}"))
    ]


def _calls_with(
    command: str | None, option: click.Option
) -> Iterator[tuple[Transcript, int, list[str], list[str]]]:
    """Yield the calls with an option: transcript, the step's number, its words with and without it."""
    for transcript, number, words in _calls_of_commands()[command]:
        for name in (*option.opts, *option.secondary_opts):
            if name in words:
                yield transcript, number, words, _without(words, words.index(name), option)


@functools.cache
def _calls_of_commands() -> dict[str | None, list[tuple[Transcript, int, list[str]]]]:
    """Return the calls of each command, None for the evaluator: transcript, the step's number, its words."""
    calls: dict[str | None, list[tuple[Transcript, int, list[str]]]] = {name: [] for name in GUARDED}
    for transcript in TRANSCRIPTS:
        for number, step in enumerate(transcript.steps):
            words = step.words
            if step.is_input or "pres-eval" not in words:
                continue
            start = words.index("pres-eval") + 1
            named = words[start] if words[start:] and words[start] in COMMANDS else None
            calls[named].append((transcript, number, words))
    return calls


def _without(words: list[str], at: int, option: click.Option) -> list[str]:
    """Return the words without the option at an index; with one draw more if it is one of draws."""
    if option.name in COUNTS_OF_DRAWS:
        one_more = str(int(words[at + 1]) + 1)
        return [*words[: at + 1], one_more, *words[at + 2 :]]
    num_words = 1 if option.is_flag else 1 + option.nargs
    return [*words[:at], *words[at + num_words :]]


class _Calls:
    """Calls each command of the transcripts in a new folder, with the inputs that stand before it.

    A command as it stands is called once, whatever the number of its options.
    """

    def __init__(self, player: Play) -> None:
        self._player = player
        self._as_typed: dict[tuple[Path, int], Outcome] = {}

    def differ(self, transcript: Transcript, number: int, words: list[str], without: list[str]) -> bool:
        """Whether two commands, a step's and that without an option, print or write something else."""
        key = transcript.path, number
        if key not in self._as_typed:
            self._as_typed[key] = self._call(transcript, number, words)
        return self._as_typed[key] != self._call(transcript, number, without)

    def _call(self, transcript: Transcript, number: int, words: list[str]) -> Outcome:
        """Return what a command prints and the files that there are behind it."""
        playing = self._player()
        for step in transcript.steps[:number]:
            if step.is_input:
                playing.play(step)
        printed = playing.call(words)
        return printed, playing.files()
