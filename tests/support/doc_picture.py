"""The picture of the architecture: a line of a run on its way to the printed number."""

from __future__ import annotations

from dataclasses import dataclass

from pres_eval.report.markup import Html, element, raw


@dataclass(frozen=True)
class Stop:
    """What the data is at some point of its way."""

    name: str
    words: str = ""


@dataclass(frozen=True)
class Step:
    """A module on the way, and what it does; `file` is a path below pres_eval/."""

    file: str
    words: str


WAY: tuple[Stop | Step, ...] = (
    Stop("PAC-1012 Q0 EP-0938 19 2.71 broad", "a line of run.txt"),
    Step("reading/file.py", "a chunk of whole lines: one reused buffer, decompressed where needed"),
    Step("reading/tokens.py", "where each column begins and ends, and which lines are faulty"),
    Step("reading/numbers.py", "the score as a double, exactly"),
    Stop("columns", "topic ids, document ids, scores; files, frames, dicts and arrays all become this"),
    Step("ranking/runs.py", "whole topics leave at once; lines in no order are collected and ranked"),
    Step("ranking/order.py", "score descending, ties by docno descending: the rank of each judged document"),
    Stop("Ranking", "topic, num_ret, rank, document: some ten thousand numbers, whatever the run's length"),
    Step("batches/forming.py", "joined with the grades; -M, -J, -l, -c, -D"),
    Stop("Batch", "frozen arrays for many topics at once"),
    Step("measures/pres.py", "pres(batch, 100): a pure function, arrays in, (topics,) out"),
    Stop("values", "one number a topic"),
    Step("scoring/runs.py", "added topic by topic, as C does; the summary is a mean, a sum, and so on"),
    Stop("Evaluation", "all numbers of one run"),
    Step("report/trec.py", 'writes them as "%-22s\\t%s\\t%6.4f\\n"'),
    Stop("PRES_100    all    0.6637", "what is printed"),
)
"""From the top to the bottom."""

WIDTH, LEFT = 860, 24
STOP_HEIGHT, STEP_HEIGHT = 48, 30
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1b1f24}"
    ".file{font:600 13px ui-monospace,monospace;fill:#0b57b0}"
    ".name{font:600 14px ui-monospace,monospace}.page{fill:#fff}.stop{fill:#e8f0fb;stroke:#0b57b0}"
    ".way{stroke:#0b57b0;stroke-width:2;fill:none}.head{fill:#0b57b0}"
)


def architecture() -> str:
    """The picture as SVG."""
    parts: list[Html] = []
    y = 16
    for place, part in enumerate(WAY):
        if isinstance(part, Stop):
            if place:
                parts += _arrow(y)
                y += 12
            parts += _stop(part, y)
            y += STOP_HEIGHT + 6
        else:
            parts += _step(part, y)
            y += STEP_HEIGHT
    height = y + 10
    picture = element(
        "svg",
        element("title", "How a line of a run becomes a printed number"),
        element("style", raw(STYLE)),
        element("rect", class_="page", width=WIDTH, height=height),
        *(part for each in parts for part in ("\n", each)),
        "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}",
        width=WIDTH,
        height=height,
        role="img",
    )
    return f"{picture}\n"


def _stop(stop: Stop, y: int) -> list[Html]:
    box = element("rect", class_="stop", x=LEFT, y=y, width=WIDTH - 2 * LEFT, height=STOP_HEIGHT - 4, rx=6)
    name = element("text", stop.name, class_="name", x=LEFT + 16, y=y + 27)
    right = LEFT + max(160, 34 + 9 * len(stop.name))
    return [box, name, element("text", stop.words, x=right, y=y + 27)]


def _step(step: Step, y: int) -> list[Html]:
    line = element("path", class_="way", d=f"M{LEFT + 24} {y - 8}v{STEP_HEIGHT}")
    file = element("text", step.file, class_="file", x=LEFT + 44, y=y + 16)
    return [line, file, element("text", step.words, x=LEFT + 232, y=y + 16)]


def _arrow(y: int) -> list[Html]:
    middle = LEFT + 24
    return [
        element("path", class_="way", d=f"M{middle} {y - 8}v12"),
        element("path", class_="head", d=f"M{middle - 5} {y + 3}h10l-5 8z"),
    ]
