"""The note below tables for papers: topics, test, correction, level and version, and only what is so."""

from __future__ import annotations

from html import escape

import pytest
from support.commands import QRELS, RUNS, Command

from pres_eval import __version__

OPTIONS = ("-m", "map", "-m", "P.10")


TWO_SIDED = "paired two-sided"
HOLM = f"{TWO_SIDED} t-test, Holm-corrected for"
NOTES = {
    "": f"{HOLM} 2 comparisons of each measure, α = 0.05",
    "--all-pairs --alpha 0.01": f"{HOLM} 3 comparisons of each measure, α = 0.01",
    "--baseline best": f"{HOLM} 3 comparisons of each measure, α = 0.05",
    "--correct-over measures --correction bh": (
        f"{TWO_SIDED} t-test, Benjamini-Hochberg-corrected for 4 comparisons over all measures, α = 0.05"
    ),
    "--test randomisation --correction none": (
        f"exact {TWO_SIDED} randomisation test, 2 comparisons of each measure, uncorrected, α = 0.05"
    ),
    "--test bootstrap --samples 500 --seed 3": (
        f"{TWO_SIDED} bootstrap test (500 draws, seed 3),"
        " Holm-corrected for 2 comparisons of each measure, α = 0.05"
    ),
    "--all-pairs --test tukey": "Tukey's HSD test, for 3 comparisons of each measure together, α = 0.05",
    "--alternative greater": (
        "paired one-sided t-test (better), Holm-corrected for 2 comparisons of each measure, α = 0.05"
    ),
}


@pytest.mark.parametrize("options", NOTES)
def test_the_note_says_how_a_table_was_tested(command: Command, options: str) -> None:
    table = ("compare", QRELS, *RUNS, *OPTIONS, *options.split(), "--table", "means")
    last = command.ok(*table, "--format", "markdown").out.splitlines()[-1].rstrip()
    assert last == f"12 topics; {NOTES[options]}; pres-eval {__version__}"
    latex = command.ok(*table, "--format", "latex").out.splitlines()[-1]
    assert latex == r"\par{\footnotesize " + last.replace("α", r"$\alpha$") + r"\par}"
    assert command.ok(*table, "--style", "html").out.splitlines()[-1] == f"<p>{escape(last)}</p>"
    assert "pres-eval" not in command.ok(*table).out


def test_intervals_of_means_were_not_tested(command: Command) -> None:
    called = command.ok("compare", QRELS, *RUNS, *OPTIONS, "--format", "markdown")
    tables = called.out.split("\n\n")
    notes = [table.splitlines()[-1].strip() for table in tables if "pres-eval" in table]
    assert notes[1] == f"12 topics; pres-eval {__version__}" and len(notes) == 3


def test_one_run_was_not_tested(command: Command) -> None:
    called = command.ok("compare", QRELS, RUNS[0], *OPTIONS, "--format", "markdown", "--table", "means")
    assert called.out.splitlines()[-1].strip() == f"12 topics; pres-eval {__version__}"


def test_letters_are_explained_in_a_paper(command: Command) -> None:
    """The title of a LaTeX table is a comment: without the note nobody learns what the letters mean."""
    table = ("compare", QRELS, *RUNS, "-m", "map", "--all-pairs", "--table", "groups")
    note = f"no significant difference was found between runs that share a letter; 12 topics; {HOLM}"
    assert note in command.ok(*table, "--format", "latex").out
    assert note not in command.ok(*table).out


def test_the_level_of_relevance_stands_in_the_note(command: Command) -> None:
    table = ("compare", QRELS, *RUNS, "-m", "map", "--format", "markdown", "-l", "2", "--quiet")
    notes = [line.strip() for line in command.ok(*table).out.splitlines() if "pres-eval" in line]
    assert len(notes) == 3
    for note in notes:
        assert note.startswith("12 topics, relevant: grade 2 or above; ")


def test_options_are_for_the_terminal_alone(command: Command) -> None:
    table = ("compare", QRELS, *RUNS, *OPTIONS, "--all-pairs")
    hint = "(--correct-over measures: over all together)"
    for form in (("--format", "latex"), ("--format", "markdown"), ("--style", "html")):
        paper = command.ok(*table, *form).out
        assert "corrected within each measure" in paper and "--correct-over" not in paper
    assert hint in command.ok(*table).out
