"""The report page: self-contained, escaped, readable, and alive in a browser."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
import os
import re
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from support.browser import AVAILABLE, Browser
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of, report_of_texts

from pres_eval.cli.commands import command_of
from pres_eval.report import axes, svg
from pres_eval.report.html import as_html
from pres_eval.report.html import options_of as footer_options
from pres_eval.report.markup import element
from pres_eval.report.report_numbers import above_at_below, against_median
from pres_eval.report.trec import evaluation_lines
from pres_eval.report.trec_report import Report

pytestmark = pytest.mark.slow

VOID = {"meta", "link", "br", "wbr", "input", "img", "hr"}


class Page(HTMLParser):
    """What a page holds; fails on tags that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.letters: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts.append((self.tags[-1][1] | {"tag": self.open[-1]}, data))
            return
        self.text += data
        if "sup" in self.open:
            self.letters.append(data)
        elif "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data

    def attributes(self, name: str) -> list[str | None]:
        return [attributes[name] for _, attributes in self.tags if name in attributes]


EVIL = "</script><img/src=x/onerror=evil=1>"
TOPIC = "<script>evil=1</script>"


def evil_report(folder: Path) -> Report:
    """Two runs over topics whose ids and tags try to break out."""
    topics = (TOPIC, "'\"&amp;--><!--", "caf\u00e9")
    qrels = "".join(judgements(topic, 2) for topic in topics)
    runs = [
        "".join(ranking(topic, (place, 4), 5, tag) for topic in topics)
        for place, tag in ((1, EVIL), (2, "b"))
    ]
    return report_of_texts(folder, qrels, *runs, num_docs_in_coll=1000)


@pytest.fixture(scope="module")
def patents() -> Report:
    return report_of(PATENT_QRELS, PATENT_RUNS, num_docs_in_coll=50_000)


@pytest.fixture(scope="module")
def page(patents: Report) -> Page:
    return Page(as_html(patents))


def test_the_same_bytes_each_time(patents: Report) -> None:
    assert as_html(patents) == as_html(patents)


def test_nothing_is_loaded(patents: Report, page: Page) -> None:
    assert not {"img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in page.tags}
    for name in ("src", "srcset", "action", "style"):
        assert page.attributes(name) == []
    assert all(link == "data:," or (link or "").startswith("#") for link in page.attributes("href"))
    assert "url(" not in as_html(patents) and "@import" not in as_html(patents) and "http" not in page.text


def test_the_policy_allows_the_page_itself_alone(page: Page) -> None:
    policy = next(
        a["content"] or "" for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    for attributes, text in page.scripts:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        if attributes.get("type") not in ("application/json", "text/plain"):
            assert f"{attributes['tag']}-src 'sha256-{digest}'" in policy
    assert [a["tag"] for a, _ in page.scripts] == ["style", "script", "script", "script"]
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)


def test_the_tables_are_the_evaluators(patents: Report, page: Page) -> None:
    summary = page.tables[0]
    for evaluation in patents.evaluations:
        lines = evaluation_lines(evaluation, per_topic=False, summary=True).decode().splitlines()
        values = {label.strip(): value.strip() for label, _, value in (line.split("\t") for line in lines)}
        row = next(
            dict(zip(summary[0], cells, strict=True)) for cells in summary if cells[0] == evaluation.tag
        )
        assert row.pop("run") == evaluation.tag and row.pop("topics") == values["num_q"]
        assert row == {label: values[label] for label in row} and "PRES_100" in row
    topics = next(table for table in page.tables if table[0][0] == "topic" and "PRES_100" in table[0])
    per_topic = printed_by_topic(patents, 0)
    for row_cells in topics[1:]:
        for label, cell in zip(topics[0][1:], row_cells[1:], strict=True):
            assert cell == per_topic[label, row_cells[0]]


def printed_by_topic(report: Report, run: int) -> dict[tuple[str, str], str]:
    """What -q prints of a run."""
    lines = evaluation_lines(report.evaluations[run], per_topic=True, summary=False).decode().splitlines()
    return {(label.strip(), topic): value.strip() for label, topic, value in (x.split("\t") for x in lines)}


def test_trecs_tables_are_what_they_were(patents: Report) -> None:
    found = re.findall(r'<div class="tables">.*?</div>', as_html(patents), re.DOTALL)
    golden = Path(__file__).with_name("trec_tables.html").read_text()
    shown = "\n".join(found) + "\n"
    golden = golden.replace(
        '<th scope="col"></th>', "<td></td>"
    )  # the corner, which screen readers pass over
    assert shown == golden.replace("fixtures/patents/", "")


class Data:
    """The numbers of a page, read as its script reads them."""

    def __init__(self, page: Page) -> None:
        texts = {attributes.get("id"): text for attributes, text in page.scripts}
        self.document = json.loads(texts["data"])
        block = zlib.decompress(base64.b64decode(texts["block"]))
        self.arrays = {
            name: np.frombuffer(block, f"<{kind}", count, start)
            for name, (kind, start, count) in self.document["contents"].items()
        }
        self.labels = [measure["label"] for measure in self.document["measures"]]

    def text(self, label: str, run: int, topic: int) -> str:
        number = self.labels.index(label)
        digits = self.document["measures"][number]["digits"]
        whole = int(self.arrays[f"values{number}"][run * len(self.document["topics"]) + topic])
        return f"{whole / 10**digits:.{digits}f}"


def test_the_pages_numbers_are_the_commands(patents: Report, page: Page) -> None:
    data = Data(page)
    assert data.document["runs"] == list(patents.names)
    for run in range(len(patents.names)):
        printed = printed_by_topic(patents, run)
        for place, topic in enumerate(data.document["topics"]):
            for label in data.labels:
                assert data.text(label, run, place) == printed[label, topic], (label, run, topic)


def test_the_pages_tests_are_those_of_compare(page: Page) -> None:
    data = Data(page)
    arguments = [PATENT_QRELS, *PATENT_RUNS, "--format", "json", "--table", "comparisons", "--samples", "200"]
    for label in data.document["board"]:
        if label not in ("gm_map", "PRES_100", "PRES_1000", "recall_100", "P_10"):
            arguments += ["-m", label]
    arguments += ["-m", "PRES", "-m", "recall.100", "-m", "P.10"]
    pairs = json.loads(CliRunner().invoke(command_of("compare"), [*arguments, "--all-pairs"]).output)[
        "comparisons"
    ]
    assert len(pairs) == 3 * len(data.document["pairs"]["measures"])
    names, labels = data.document["runs"], data.document["pairs"]["measures"]
    places = {pair: number for number, pair in enumerate(itertools.combinations(names, 2))}
    for row in pairs:
        place = labels.index(row["measure"]) * 3 + places[row["run"], row["other"]]
        for key, array in (
            ("corrected", "corrected"), ("wins", "wins"), ("losses", "losses"),
            ("mean", "firstMeans"), ("other_mean", "secondMeans"),
        ):  # fmt: skip
            assert row[key] == data.arrays[array][place]
        assert row["mean"] == data.arrays["means"][labels.index(row["measure"]) * 3 + names.index(row["run"])]
    assert data.arrays["pairTopics"].tolist() == [12, 12, 12]


@pytest.fixture(scope="module")
def with_effort(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Three runs by how far one has to read: less is better."""
    folder = tmp_path_factory.mktemp("effort")
    topics = [f"{topic}" for topic in range(1, 9)]
    qrels = "".join(judgements(topic, 2) for topic in topics)
    runs = [
        "".join(ranking(topic, (1, last + at % 3), 40, tag) for at, topic in enumerate(topics))
        for tag, last in (("slow", 30), ("fast", 3), ("middle", 12))
    ]
    return report_of_texts(folder, qrels, *runs, measures=("last_rel",))


def test_the_letters_are_those_of_compare(patents: Report, with_effort: Report) -> None:
    for report, arguments in (
        (patents, ["-m", "PRES.100", "-m", "map", "-m", "Rprec", "-m", "bpref", "-m", "P.10"]),
        (with_effort, ["-m", "last_rel"]),
    ):
        files = [report.inputs.qrels.path, *(file.path for file in report.inputs.files)]
        command = [*files, *arguments, "--all-pairs", "--format", "json"]
        result = CliRunner().invoke(command_of("compare"), command)
        groups = {(row["run"], row["measure"]): row["letters"] for row in json.loads(result.output)["groups"]}
        assert report.compared.pairs is not None and len(groups) == 3 * len(arguments) / 2
        for (run, label), found in groups.items():
            row = report.compared.pairs.letters[report.compared.pairs.measures.index(label)]
            assert row[report.names.index(run)] == found
    assert with_effort.compared.pairs is not None and with_effort.compared.pairs.letters[0] == ("c", "a", "b")


def test_less_is_better_on_the_leaderboard(with_effort: Report) -> None:
    page = Page(as_html(with_effort))
    assert [row[0] for row in page.tables[0][1:]] == ["fast", "middle", "slow"]
    best = re.findall(r'class="n best" data-board="(\w+)">([\d.]+)<', as_html(with_effort))
    assert best == [("last_rel", f"{with_effort.summary(1, 'last_rel'):.4f}")]
    assert "(less is better: last_rel)" in page.text
    hardest = next(table for table in page.tables if table[0][:2] == ["topic", "num_rel"])
    assert [float(row[3]) for row in hardest[1:]] == sorted((float(r[3]) for r in hardest[1:]), reverse=True)
    assert all(float(row[2]) < float(row[4]) for row in hardest[1:])


def test_the_page_says_how_it_was_made(tmp_path: Path) -> None:
    report = report_of_texts(
        tmp_path,
        judgements("1", 2),
        ranking("1", (1,), 3, "team-a"),
        ranking("1", (2,), 3, "team-b"),
        max_retrieved=2,
        judged_only=True,
        num_docs_in_coll=70,
        measures=("map", "P.5"),
        alpha=0.01,
        seed=7,
    )
    text = Page(as_html(report)).text
    assert list(report.names) == ["a", "b"]
    for words in (
        "Documents used per topic (-M)2",
        "Only judged documents (-J)yes",
        "Missing topics count as 0 (-c)no",
        "Documents in the collection (-N)70",
        "Topics averaged over (--topics)own",
        "Judgements read as (-R)qrels",
        "Nmax (--nmax)100, 1000",
        "Measures asked for (-m)map, P.5",
        "Level of significance (--alpha)0.01",
        "seed 7",
    ):
        assert words in text
    # Options that come later are named too.
    assert len(footer_options(report)) == len(fields(report.options))


def test_the_pages_ranks_are_those_of_explain(patents: Report, page: Page) -> None:
    data, offsets = Data(page), Data(page).arrays["offsets"]
    docnos = data.arrays["docnos"].tobytes().decode().split("\n")
    ranks = data.arrays["ranks"].reshape(len(patents.names), -1)
    for run, path in enumerate(PATENT_RUNS):
        output = CliRunner().invoke(command_of("explain"), [PATENT_QRELS, path, "--format", "json"]).output
        rows = json.loads(output)["documents"]
        expected = {(row["topic"], row["docno"]): (row["rank"] or 0, row["grade"]) for row in rows}
        found = {}
        for place, topic in enumerate(data.document["topics"]):
            for number in range(offsets[place], offsets[place + 1]):
                found[topic, docnos[number]] = int(ranks[run, number]), int(data.arrays["grades"][number])
        assert found == expected


def test_it_can_be_used_without_eyes_or_mouse(page: Page) -> None:
    tags = page.tags
    assert next(a for tag, a in tags if tag == "html")["lang"] == "en"
    ids = [identifier for identifier in page.attributes("id") if identifier]
    assert len(ids) == len(set(ids))
    assert {(link or "")[1:] for link in page.attributes("href") if (link or "").startswith("#")} <= set(ids)
    assert {part for names in page.attributes("aria-labelledby") for part in (names or "").split()} <= set(
        ids
    )
    count = {
        tag: sum(found == tag for found, _ in tags)
        for tag in ("table", "caption", "select", "input", "label")
    }
    assert count["table"] == count["caption"] and count["label"] == count["select"] + count["input"]
    assert all(attributes.get("scope") in ("col", "row") for tag, attributes in tags if tag == "th")
    assert all(a.get("type") == "button" for tag, a in tags if tag == "button")
    charts = [a for tag, a in tags if tag == "svg" and (a.get("class") or "").startswith("chart")]
    assert charts and all(a["role"] == "img" and a["aria-labelledby"] for a in charts)
    assert all(a.get("tabindex") == "0" and a.get("aria-label") for _, a in tags if a.get("role") == "region")


def test_nothing_breaks_out(tmp_path: Path) -> None:
    report = evil_report(tmp_path)
    text = as_html(report)
    page = Page(text)
    assert text.count("<script") == 3 and "<img" not in text and "<!--" not in text
    assert page.text.count(TOPIC) >= 2 and page.text.count(EVIL) >= 3
    data = json.loads(next(script for attributes, script in page.scripts if attributes.get("id") == "data"))
    assert data["runs"] == [EVIL, "b"] and TOPIC in data["topics"]


def test_a_single_run(tmp_path: Path) -> None:
    text = as_html(report_of_texts(tmp_path, judgements("1", 2), ranking("1", (1,), 3, "only")))
    page = Page(text)
    assert (
        "Evaluation of only" in page.text
        and "Largest differences" not in page.text
        and "Two runs" not in page.text
        and "ROC" not in page.text
    )


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1])
def test_contrast(page: Page, scheme: int) -> None:
    """WCAG 2: 4.5 for text, 3 for lines."""
    style = next(text for attributes, text in page.scripts if attributes["tag"] == "style")
    block = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[scheme]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))

    def contrast(one: str, other: str) -> float:
        low, high = sorted((luminance(colours[one]), luminance(colours[other])))
        return (high + 0.05) / (low + 0.05)

    for ground in ("page", "panel", "best", "hover"):
        assert contrast("text", ground) >= 7
    for ground in ("page", "panel"):
        assert contrast("dim", ground) >= 4.5 and contrast("accent", ground) >= 4.5
        assert all(contrast(f"c{number}", ground) >= 3 for number in range(svg.COLOUR_CLASSES))


def test_axes() -> None:
    axis = axes.nice_axis("x", -0.37, 0.81)
    assert [label for _, label in axis.ticks] == ["-0.4", "-0.2", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert axis.low <= -0.37 and axis.high >= 0.81
    assert axes.nice_axis("x", 0, 0).high > 0 and axes.nice_axis("x", 0, 0.0019).ticks[1][1] == "0.0005"
    ranks = axes.rank_axis("Nmax", 1000)
    assert [label for _, label in ranks.ticks] == ["1", "10", "100", "1000"]
    assert [ranks.position(value, 0, 300) for value in (1, 10, 1000)] == pytest.approx([0, 100, 300])


def test_bars_are_where_the_values_are() -> None:
    """0.5 above, then -0.25 below, from the largest to the smallest, whatever the order of the topics."""
    values = np.array([-0.25, math.nan, 0.5, 0.0])
    chart = svg.difference_chart("x", "t", "d", "AP", values)
    paths = dict(re.findall(r'<path class="(above|below)" d="([^"]*)">', chart))
    (bar,) = (
        [float(part) for part in found]
        for found in re.findall(r"M([\d.]+) ([\d.]+)V([\d.]+)H([\d.]+)V([\d.]+)z", paths["above"])
    )
    (other,) = (
        [float(part) for part in found]
        for found in re.findall(r"M([\d.]+) ([\d.]+)V([\d.]+)H([\d.]+)V([\d.]+)z", paths["below"])
    )
    zero = bar[1]
    assert other[1] == bar[4] == zero and bar[0] < other[0]
    assert zero - bar[2] == pytest.approx(2 * (other[2] - zero), abs=0.2)


def test_many_bars_are_few_steps() -> None:
    """A thousand bars are as many steps as there are heights to be told apart, and end where they should."""
    values = np.sin(np.arange(5000.0))
    chart = svg.difference_chart("x", "t", "d", "AP", values)
    steps = re.findall(r"M([\d.]+) [\d.]+V([\d.]+)H([\d.]+)V", chart)
    assert len(steps) < 500 and len(chart) < 25_000
    lefts, rights = [float(step[0]) for step in steps], [float(step[2]) for step in steps]
    assert min(lefts) == 50.0 and max(rights) == pytest.approx(936.0, abs=0.1)


def seen_without(colour: str, missing: str) -> tuple[float, ...]:
    """How somebody without red or green cones sees a colour (Viénot, Brettel & Mollon 1999), linear RGB."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    share = {"red": 0.11238, "green": 0.29275}[missing]
    mixed = share * red + (1 - share) * green
    return (mixed, mixed, blue)


def test_runs_differ_without_their_colours() -> None:
    """Twelve runs: no two have the same dashes and the same marker, whatever colours somebody sees."""
    looks = [(svg.series_class(run).split()[1], svg.marker(run)) for run in range(28)]
    assert len(set(looks)) == 28
    # And the eight colours are not all the same to red-green blind readers.
    style = (Path(svg.__file__).parent / "page" / "page.css").read_text()
    for scheme in re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]:
        colours = [colour for name, colour in re.findall(r"--(c\d): (#[0-9a-f]{6})", scheme)]
        for missing in ("red", "green"):
            kinds = {tuple(round(part, 1) for part in seen_without(colour, missing)) for colour in colours}
            assert len(kinds) >= 4


def test_long_names_stay_apart_in_pictures(tmp_path: Path) -> None:
    tags = [f"university-of-somewhere-{kind}-run-with-a-long-name" for kind in ("x1a", "x1b", "x2")]
    runs = [ranking("1", (place,), 3, tag) for place, tag in enumerate(tags, 1)]
    page = Page(as_html(report_of_texts(tmp_path, judgements("1", 2), *runs, names="tag")))
    fitted = Data(page).document["fitted"]
    assert all(len(set(names)) == 3 and max(map(len, names)) <= int(most) for most, names in fitted.items())
    assert Data(page).document["runs"] == tags


def test_builder_escapes_all_but_elements() -> None:
    made = element("p", "<b>", element("b", "&"), ["x", ">"], title='"', hidden=True, lang=None)
    assert made == '<p title="&quot;" hidden>&lt;b&gt;<b>&amp;</b>x&gt;</p>'


# In a browser.

in_chromium = pytest.mark.skipif(not AVAILABLE, reason="no Chromium with chromedriver here")
AXE = os.environ.get("PRES_EVAL_AXE")
"""Where axe-core's axe.min.js is, for the audit."""


@pytest.fixture(scope="module")
def patents_page(patents: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(as_html(patents))
    return path


@pytest.fixture
def opened(browser: Browser, patents_page: Path) -> Iterator[Browser]:
    browser.open(patents_page)
    yield browser
    browser.as_window()


@pytest.fixture(params=[1280, 390])
def sized(browser: Browser, patents_page: Path, request: pytest.FixtureRequest) -> Iterator[Browser]:
    """The page in a window and on a phone."""
    if request.param == 390:
        browser.look(width=390)
    browser.open(patents_page)
    yield browser
    browser.as_window()


COLUMN = """
  const table = document.querySelector(arguments[0]);
  const names = [...table.tHead.rows[0].cells].map(cell => cell.textContent);
  return [...table.tBodies[0].rows].filter(row => !row.hidden)
    .map(row => row.cells[names.indexOf(arguments[1])].textContent);
"""
SORT = """
  const table = document.querySelector(arguments[0]);
  const header = [...table.tHead.rows[0].cells].find(cell => cell.textContent === arguments[1]);
  header.querySelector("button").click();
  return header.getAttribute("aria-sort");
"""
CHOOSE = """
  const field = document.getElementById(arguments[0]);
  field.scrollIntoView({block: "center"});
  field.value = arguments[1];
  field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input", {bubbles: true}));
  return document.getElementById("shown").textContent;
"""
TEXT = "return document.querySelector(arguments[0]).textContent"
PLACE = """
  const plot = document.querySelectorAll(arguments[0])[arguments[1]];
  plot.scrollIntoView({block: "center"});
  const area = plot.getBoundingClientRect();
  return [area.left, area.top, area.width, area.height];
"""
ADDRESS = "return Object.fromEntries(new URLSearchParams(location.hash.split('?')[1]))"
SECTION = "return location.hash.slice(1).split('?')[0]"
TABLE = "#topics-table"


def point_at(browser: Browser, plot: str, number: int, which: int = 0) -> str:
    """Click at a point of a picture, as a mouse does; what was written below it before the click."""
    left, top, _, _ = browser.run(PLACE, plot, which)
    path = browser.run(
        "return [...document.querySelectorAll(arguments[0])[arguments[1]]"
        ".querySelectorAll('svg .above, svg .below, svg .tick')].map(p => p.getAttribute('d'))",
        plot,
        which,
    )
    starts = [tuple(map(float, pair)) for d in path for pair in re.findall(r"M([\d.]+) ([\d.]+)", d)]
    x, y = starts[number]
    browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=left + x, y=top + y)
    readout = browser.run(
        "return document.querySelectorAll(arguments[0])[arguments[1]].nextSibling.textContent", plot, which
    )
    browser.click(left + x, top + y)
    return str(readout)


def wait(browser: Browser) -> None:
    """Let the page do what it does after scrolling or following a link."""
    browser.run("return new Promise(done => setTimeout(done, 200))")


@in_chromium
def test_opens_without_errors_or_requests(browser: Browser, patents_page: Path) -> None:
    browser.open(patents_page)
    browser.messages()
    browser.requested()
    browser.open(patents_page)
    assert browser.messages() == []
    asked = [address for address in browser.requested() if not address.startswith(("data:", "about:"))]
    assert asked == [patents_page.as_uri()]


@in_chromium
def test_the_leaderboard_marks_what_compare_marks(sized: Browser, patents: Report) -> None:
    result = CliRunner().invoke(
        command_of("compare"),
        [PATENT_QRELS, *PATENT_RUNS, "-m", "map", "-m", "Rprec", "--format", "json", "--all-pairs"],
    )
    expected = {}
    for row in json.loads(result.output)["comparisons"]:
        for run, other, sign in ((row["run"], row["other"], 1), (row["other"], row["run"], -1)):
            mark = "+" if sign * row["difference"] > 0 else "−"
            if other == "keyword":
                expected[run, row["measure"]] = mark if row["significant"] else ""
    sized.run(CHOOSE, "baseline", "keyword")
    marks = """
      const cells = document.querySelectorAll("#board tbody tr");
      return [...cells].map(row => [row.querySelector("[data-run]").textContent,
        ...["map", "Rprec"].map(label => {
          const mark = row.querySelector(`[data-board=${label}] .mark-of`);
          return mark ? mark.textContent[0] : "";
        })]);
    """
    for name, ap, rprec in sized.run(marks):
        if name != "keyword":
            assert (ap, rprec) == (expected[name, "map"], expected[name, "Rprec"])
    assert any(expected.values())
    letters = (
        "return [...document.querySelectorAll('#board [data-board=map] .letters')].map(s => s.textContent)"
    )
    assert patents.compared.pairs is not None
    row = patents.compared.pairs.letters[patents.compared.pairs.measures.index("map")]
    shown = sized.run(COLUMN, "#board", "run")
    assert sized.run(letters) == [row[patents.names.index(name)] for name in shown]
    assert "than keyword" in sized.run(TEXT, "#board-note")
    assert sized.run(ADDRESS)["base"] == "keyword"


@in_chromium
def test_the_bars_follow_the_measure(sized: Browser, patents: Report) -> None:
    sized.run(CHOOSE, "measure", "Rprec")
    assert sized.run(TEXT, "#board-bars figcaption strong") == "Rprec"
    sized.run("document.querySelector('#board-bars .plot').focus()")
    sized.key("Home", 36)
    pairs = patents.compared.pairs
    assert pairs is not None
    row = pairs.measures.index("Rprec")
    best = int(np.argmax(pairs.means[row]))
    words = sized.run(TEXT, "#board-bars output")
    assert words.startswith(f"{patents.names[best]}: {pairs.means[row, best]:.4f}, 95 % interval")
    assert f"{pairs.lower[row, best]:.4f} to {pairs.upper[row, best]:.4f}" in words


@in_chromium
def test_two_runs_and_their_link(sized: Browser, patents: Report, patents_page: Path) -> None:
    sized.run(CHOOSE, "pair-a", "semantic")
    sized.run(CHOOSE, "pair-b", "broad")
    sized.run(CHOOSE, "pair-measure", "map")
    words = sized.run(TEXT, "#pair-words")
    means = [patents.summary(run, "map") for run in (2, 0)]
    assert words.startswith(f"semantic against broad: map {means[0]:.4f} − {means[1]:.4f} = ")
    values = patents.per_topic(2, "map") - patents.per_topic(0, "map")
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    assert (
        f"better on {wins}, equal on {12 - wins - losses}, worse on {losses} of the 12 topics that both have"
        in words
    )
    link = sized.run("return location.hash")
    sized.open(patents_page, link)
    assert sized.run(TEXT, "#pair-words") == words and sized.run(SECTION) == "pair"
    assert [sized.run("return document.getElementById(arguments[0]).value", f"pair-{x}") for x in "ab"] == [
        "semantic",
        "broad",
    ]


@in_chromium
def test_the_first_screen_is_whole(opened: Browser) -> None:
    """At 1280 × 900 the leaderboard of three runs is cut at no side."""
    right, bottom, hidden = opened.run("""
      const frame = document.querySelector("#leaderboard .scroll");
      const cue = frame.nextElementSibling.querySelector(".more");
      return [frame.scrollWidth - frame.clientWidth, frame.getBoundingClientRect().bottom, cue.hidden];
    """)
    assert right == 0 and bottom <= 900 and hidden


@in_chromium
def test_documents_that_only_one_run_found(sized: Browser, patents: Report) -> None:
    sized.run(CHOOSE, "pair-b", "keyword")
    sized.run(CHOOSE, "pair-nmax", "10")
    table = "#pair-view .scroll.tall table"
    documents, ranks = patents.documents, patents.documents.ranks
    found = (ranks > 0) & (ranks <= 10)
    only = [place for place in range(len(documents.docnos)) if found[0, place] != found[1, place]]
    assert sized.run(COLUMN, table, "document") == [documents.docnos[place].decode() for place in only]
    assert sized.run(COLUMN, table, "found by") == [patents.names[0 if found[0, p] else 1] for p in only]
    counts = [int((found[0] & found[1]).sum()), int((found[0] & ~found[1]).sum())]
    assert f"both found {counts[0]}, only broad {counts[1]}, only" in sized.run(TEXT, "#pair-documents")
    folded = "return document.querySelector('#pair-view details').open"
    assert not sized.run(folded)
    sized.run("document.querySelector('#pair-view summary').click()")
    wait(sized)
    assert sized.run(folded) and sized.run("return document.querySelector(arguments[0]).offsetHeight", table)
    sized.run(CHOOSE, "pair-nmax", "100")
    assert sized.run(folded), "it stays open when something else is chosen"


@in_chromium
@pytest.mark.parametrize(("picture", "number"), [(0, 2), (1, 5)], ids=["a point", "a bar"])
def test_a_click_opens_the_topic(sized: Browser, picture: int, number: int) -> None:
    sized.run(CHOOSE, "pair-measure", "map")
    readout = point_at(sized, "#pair-view .plot", number, picture)
    topic = re.match(r"topic (\S+): ", readout)
    assert topic is not None
    assert sized.run(SECTION) == "topic" and sized.run(ADDRESS)["topic"] == topic[1]
    assert sized.run(TEXT, "#topic-name") == f"Topic {topic[1]}"
    sized.run("history.back()")
    wait(sized)
    assert sized.run(SECTION) != "topic"


@in_chromium
def test_a_topic_lays_ranks_open(sized: Browser, patents: Report) -> None:
    topic = patents.topics[4].decode()
    sized.run(CHOOSE, "topic-choice", topic)
    start, stop = patents.documents.offsets[4:6]
    ticks = sized.run(
        "return [...document.querySelectorAll('#topic-view .strip')].map(s =>"
        " [s.querySelector('text').textContent, s.querySelectorAll('text')[1].textContent,"
        "  (s.querySelector('.tick').getAttribute('d').match(/M/g) || []).length])"
    )
    for name, found, count in ticks:
        run = patents.names.index(name)
        expected = int((patents.documents.ranks[run, start:stop] > 0).sum())
        assert found == f"{expected} / {stop - start}" and count == expected
    readout = point_at(sized, "#topic-view .plot", 1)
    name, docno, rank = re.match(r"(\S+): (\S+), grade \d+, rank (\d+)", readout).groups()  # type: ignore[union-attr]
    place = start + patents.documents.docnos[start:stop].index(docno.encode())
    assert patents.documents.ranks[patents.names.index(name), place] == int(rank)
    assert sized.run(ADDRESS)["run"] == name


@in_chromium
def test_pres_as_areas_is_what_explain_says(sized: Browser, patents: Report) -> None:
    sized.run(CHOOSE, "topic-nmax", "100")
    sized.run(CHOOSE, "topic-run", "keyword")
    for place in (0, 7):
        topic = patents.topics[place].decode()
        sized.run(CHOOSE, "topic-choice", topic)
        output = (
            CliRunner()
            .invoke(command_of("explain"), [PATENT_QRELS, PATENT_RUNS[1], topic, "--format", "json"])
            .output
        )
        (row,) = json.loads(output)["topics"]
        words = sized.run(TEXT, "#topic-view .charts figcaption")
        assert f"{row['found']} of {row['num_rel']} relevant documents by rank 100" in words
        assert f"Σ r = {row['sum_of_ranks']}, lost A1 = {row['A1']}, kept A2 = {row['A2']}" in words
        assert words.endswith(f"= {patents.per_topic(1, 'PRES_100')[place]:.4f}")


@in_chromium
def test_documents_missed_by_all_and_by_some(sized: Browser, patents: Report) -> None:
    sized.run(CHOOSE, "topic-choice", patents.topics[2].decode())
    sized.run(CHOOSE, "topic-nmax", "10")
    start, stop = patents.documents.offsets[2:4]
    ranks = patents.documents.ranks[:, start:stop]
    finders = ((ranks > 0) & (ranks <= 10)).sum(axis=0)
    table = "#topic-view .scroll.tall table"
    assert sized.run(COLUMN, table, "runs that found it") == [
        str(count) for count in sorted(finders.tolist())
    ]
    missed = sized.run(COLUMN, table, "missed")
    assert missed.count("missed by all") == int((finders == 0).sum())
    assert missed.count("missed by some") == int(((finders > 0) & (finders < 3)).sum())
    assert f"missed by all {missed.count('missed by all')}, " in sized.run(TEXT, f"{table} caption")


@in_chromium
def test_hardest_topics_first_and_their_links(sized: Browser, patents: Report) -> None:
    sized.run(CHOOSE, "measure", "Rprec")
    sized.run("document.getElementById('topic').scrollIntoView()")
    wait(sized)
    medians = [float(value) for value in sized.run(COLUMN, "#hardest", "median")]
    assert medians == sorted(medians)
    expected = sorted(np.median(patents.matrix("Rprec").round(4), axis=0).tolist())
    assert medians == pytest.approx(expected, abs=6e-5)
    hardest = sized.run(COLUMN, "#hardest", "topic")[0]
    sized.run("document.querySelector('#hardest tbody a').click()")
    assert sized.run("return new Promise(done => setTimeout(() => done(location.hash), 200))").startswith(
        "#topic?"
    )
    assert sized.run(TEXT, "#topic-name") == f"Topic {hardest}"
    sized.run("document.querySelector('.steps button').click()")
    assert sized.run(ADDRESS)["topic"] == sized.run(COLUMN, "#hardest", "topic")[1]


@in_chromium
def test_distributions_and_the_median(sized: Browser, patents: Report) -> None:
    sized.run(CHOOSE, "spread-measure", "map")
    sized.run(CHOOSE, "spread-run", "semantic")
    sized.run("document.querySelector('#spread-view .plot').focus()")
    sized.key("Home", 36)
    best = int(np.argmax([patents.summary(run, "map") for run in range(3)]))
    five = [
        f"{float(q):.4f}"
        for q in np.quantile(patents.per_topic(best, "map").round(4), (0, 0.25, 0.5, 0.75, 1))
    ]
    words = sized.run(TEXT, "#spread-view output")
    assert words == (
        f"{patents.names[best]}: median {five[2]}, quartiles {five[1]} and {five[3]}, least {five[0]},"
        f" most {five[4]}"
    )
    figures = sized.run(
        "return [...document.querySelectorAll('#median-view figcaption')].map(f => f.textContent)"
    )
    for words, label in zip(figures, ("map",), strict=True):
        values = against_median(patents, 2, label)
        above, at, below = above_at_below(values)
        assert words.endswith(f"above it on {above}, at it on {at}, below it on {below} topics")


@in_chromium
def test_one_run_with_medians(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "medians").write_text("topic best median worst\nPAC-1001 1 0.2 0\nPAC-1002 1 0.9 0\n")
    report = report_of(PATENT_QRELS, PATENT_RUNS[:1], medians=str(tmp_path / "medians"), title="One <run>")
    (tmp_path / "report.html").write_text(as_html(report))
    browser.open(tmp_path / "report.html")
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.run(TEXT, "h1") == "One <run>" and browser.messages() == []
    words = browser.run(TEXT, "#median-view figcaption")
    assert words.endswith("minus the medians given: above it on 1, at it on 0, below it on 1 topic")
    assert browser.run("return document.getElementById('baseline').offsetHeight") == 0
    browser.run(CHOOSE, "topic-choice", "PAC-1001")
    assert "found 14, missed 0" in browser.run(TEXT, "#topic-view .scroll.tall caption")


@in_chromium
def test_a_banner_where_topics_differ(browser: Browser, tmp_path: Path) -> None:
    qrels = judgements("1", 2) + judgements("2", 2)
    one = ranking("1", (1,), 3, "a") + ranking("2", (2,), 3, "a")
    report = report_of_texts(tmp_path, qrels, one, ranking("2", (1,), 3, "b"))
    (tmp_path / "report.html").write_text(as_html(report))
    browser.open(tmp_path / "report.html")
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert "Of 2 topics b has 1." in browser.run(TEXT, ".banner")
    assert sorted(browser.run(COLUMN, "#board", "topics")) == ["1 of 2 topics", "2"]
    assert "of the 1 topic that both have" in browser.run(TEXT, "#pair-documents")
    browser.run(CHOOSE, "view", "run:b")
    assert browser.run(COLUMN, TABLE, "map") == ["–", "0.5000"] and browser.messages() == []


@in_chromium
def test_sorts(opened: Browser) -> None:
    before = opened.run(COLUMN, TABLE, "map")
    assert opened.run(SORT, TABLE, "map") == "descending"
    assert opened.run(COLUMN, TABLE, "map") == sorted(before, key=float, reverse=True)
    assert opened.run(SORT, TABLE, "map") == "ascending"
    assert opened.run(COLUMN, TABLE, "map") == sorted(before, key=float)
    assert opened.run(SORT, TABLE, "topic") == "ascending"
    assert opened.run(COLUMN, TABLE, "map") == before
    marked = opened.run("return document.querySelectorAll(`${arguments[0]} [aria-sort]`).length", TABLE)
    assert marked == 1


@in_chromium
def test_sorts_by_number_beside_a_mark(opened: Browser, patents: Report) -> None:
    by_pres, by_ap = (
        [patents.names[run] for run in np.argsort([patents.summary(run, label) for run in range(3)])[::-1]]
        for label in ("PRES_100", "map")
    )
    assert opened.run(COLUMN, "#board", "run") == by_pres != by_ap
    opened.run(SORT, "#board", "map")
    assert opened.run(COLUMN, "#board", "run") == by_ap
    # Swatches stay those of their runs.
    opened.run(CHOOSE, "measure", "map")
    looks = "return [...document.querySelectorAll(arguments[0])].map(s => s.getAttribute('class'))"
    assert opened.run(looks, "#board-bars g.series") == [
        f"series {svg.series_class(patents.names.index(name))}" for name in by_ap
    ]


@in_chromium
def test_sorts_by_keyboard(opened: Browser) -> None:
    opened.run("document.querySelector('#topics-table th:nth-child(4) button').focus()")
    opened.key("Enter", 13)
    values = opened.run(COLUMN, TABLE, "map")
    assert values == sorted(values, key=float, reverse=True)


@in_chromium
def test_pictures_are_walked_through_by_keyboard(opened: Browser, patents: Report) -> None:
    opened.run(CHOOSE, "pair-measure", "map")
    opened.run("document.querySelectorAll('#pair-view .plot')[1].focus()")
    texts = []
    for key, code in (("Home", 36), ("ArrowRight", 39), ("ArrowRight", 39), ("End", 35)):
        opened.key(key, code)
        texts.append(opened.run("return document.querySelectorAll('#pair-view output')[1].textContent"))
    assert [text.rsplit(" ", 3)[1] for text in texts] == ["1", "2", "3", "12"]
    opened.key("Enter", 13)
    assert f"topic {opened.run(ADDRESS)['topic']}:" in texts[-1] and opened.run(SECTION) == "topic"


@in_chromium
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("map < 0.1 P_10 > 0.1", "map below, P_10 above"),
        ("map<0.1 and P_10 > 0.1", "the same"),
        ("MAP < 0.1, p_10 > .1", "the same in other letters"),
    ],
)
def test_filters_by_two_conditions(opened: Browser, patents: Report, text: str, words: str) -> None:
    opened.run(CHOOSE, "view", "run:semantic")
    opened.run(CHOOSE, "filter", text)
    ap, p10 = (patents.per_topic(2, label).round(4) for label in ("map", "P_10"))
    expected = [
        topic.decode() for place, topic in enumerate(patents.topics) if ap[place] < 0.1 and p10[place] > 0.1
    ]
    assert opened.run(COLUMN, TABLE, "topic") == expected and 0 < len(expected) < 12, words


@in_chromium
def test_filters(opened: Browser, patents: Report) -> None:
    topics = [topic.decode() for topic in patents.topics]
    assert opened.run(CHOOSE, "filter", topics[3].lower()) == "1 of 12 topics shown"
    assert opened.run(COLUMN, TABLE, "topic") == [topics[3]]
    assert opened.run(CHOOSE, "filter", "mpa < 0.2") == "No measure here is called mpa: did you mean map?"
    assert opened.run(COLUMN, TABLE, "topic") == []
    assert opened.run(CHOOSE, "filter", "map <") == "map < needs a number, such as map < 0.1."
    words = opened.run(CHOOSE, "filter", "map < 0.1 map > 0.2")
    below, above = (
        (patents.per_topic(0, "map").round(4) < 0.1).sum(),
        (patents.per_topic(0, "map").round(4) > 0.2).sum(),
    )
    assert words == (
        "0 of 12 topics shown: no topic has map < 0.1 and map > 0.2"
        f" (alone: map < 0.1 on {below}, map > 0.2 on {above})."
    )
    assert opened.run(CHOOSE, "filter", "") == "12 of 12 topics shown"
    assert opened.run(ADDRESS)["filter"] == ""


@in_chromium
def test_shows_other_runs_and_measures(opened: Browser, patents: Report) -> None:
    opened.run(CHOOSE, "view", "run:semantic")
    assert opened.run(COLUMN, TABLE, "PRES_100") == [f"{v:.4f}" for v in patents.per_topic(2, "PRES_100")]
    assert opened.run(COLUMN, TABLE, "num_rel_ret") == [
        f"{v:.0f}" for v in patents.per_topic(2, "num_rel_ret")
    ]
    opened.run(CHOOSE, "view", "measure:map")
    for run, name in enumerate(patents.names):
        assert opened.run(COLUMN, TABLE, name) == [f"{v:.4f}" for v in patents.per_topic(run, "map")]
    assert opened.run(TEXT, f"{TABLE} caption").endswith(": map")


@in_chromium
def test_looks_at_one_run_and_prints_all(opened: Browser, tmp_path: Path) -> None:
    sections = "[...document.querySelectorAll('section.run')]"
    visible = f"return {sections}.filter(s => s.offsetHeight).map(s => s.dataset.run)"
    opened.run(CHOOSE, "run-choice", "semantic")
    assert opened.run(visible) == ["2"]
    opened.command("Emulation.setEmulatedMedia", media="print")
    assert opened.run(visible) == ["0", "1", "2"]
    frames = (
        "return [...document.querySelectorAll('.scroll')]"
        ".filter(s => s.scrollHeight > s.clientHeight + 1).length"
    )
    assert opened.run(frames) == 0
    opened.command("Emulation.setEmulatedMedia", media="")
    opened.print_page(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    drawn = opened.run("return document.querySelectorAll('.plot svg.drawn').length")
    assert drawn == 1 + 2 + 3 + 1 + 1


@in_chromium
def test_the_legend_hides_and_lights(opened: Browser) -> None:
    lines = "[...document.querySelectorAll('#graphs .charts g.series')]"
    shown = f"return {lines}.filter(line => line.getBoundingClientRect().width).length"
    every = opened.run(shown)
    press = "const b = document.querySelector(arguments[0]); b.click(); return b.ariaPressed"
    assert opened.run(press, ".legend button[data-run='1']") == "false"
    assert opened.run(shown) == every * 2 // 3
    opened.run(press, ".legend button[data-all=hide]")
    assert opened.run(shown) == 0
    opened.run(press, ".legend button[data-all=show]")
    assert opened.run(shown) == every
    opened.run("document.querySelector('.legend button').focus()")
    lit = "return [...document.querySelectorAll('.lit .series')].map(s => getComputedStyle(s).opacity)"
    assert opened.run(lit).count("1") == every // 3 and opened.messages() == []


def many_runs(folder: Path, count: int) -> Report:
    """Runs over three topics, each with the two relevant documents at other ranks."""
    topics = ("1", "2", "3")
    qrels = "".join(judgements(topic, 2) for topic in topics)
    runs = [
        "".join(ranking(topic, (1 + run % 7, 9 + run % 3), 12, f"team-{run:02d}-x") for topic in topics)
        for run in range(count)
    ]
    return report_of_texts(folder, qrels, *runs)


@in_chromium
def test_the_legend_is_searched(browser: Browser, tmp_path: Path) -> None:
    report = many_runs(tmp_path, 12)
    (tmp_path / "report.html").write_text(as_html(report))
    browser.open(tmp_path / "report.html")
    seen = "return [...document.querySelectorAll('.legend [data-run]')].filter(b => b.offsetHeight).length"
    assert browser.run(seen) == 12
    browser.run(CHOOSE, "legend-search", "07")
    assert browser.run(seen) == 1
    browser.run(CHOOSE, "legend-search", "")
    assert browser.run(seen) == 12


@in_chromium
@pytest.mark.parametrize("width", [1280, 390])
def test_without_scripts_tables_and_pictures_remain(browser: Browser, patents_page: Path, width: int) -> None:
    if width == 390:
        browser.look(width=width)
    browser.open(patents_page, scripts=False)
    try:
        seen = browser.command(
            "Runtime.evaluate",
            expression="""JSON.stringify([
              [...document.querySelectorAll('section')].filter(s => s.id && !s.hidden && s.offsetHeight < 80)
                .map(s => s.id),
              [...document.querySelectorAll('svg.chart')]
                .filter(s => s.getBoundingClientRect().height > 60).length,
              [...document.querySelectorAll('table')].filter(s => s.offsetHeight).length,
              [...document.querySelectorAll('select, input')].filter(s => s.offsetHeight).length,
              document.documentElement.scrollWidth])""",
        )["result"]["value"]
        empty, charts, tables, controls, wide = json.loads(seen)
        assert empty == [] and controls == 0 and wide == width
        assert charts == 1 + 1 + 1 + 1 + 4 + 2 * 3 and tables == 1 + 1 + 1 + 1 + 3 * 2 + 2 + 1 + 4 * 3
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)
        browser.as_window()


@in_chromium
def test_a_phone_says_that_columns_go_on(browser: Browser, patents_page: Path) -> None:
    browser.look(width=390)
    try:
        browser.open(patents_page)
        cue = "return document.querySelector('#leaderboard .more').checkVisibility()"
        wait(browser)
        assert browser.run(cue)
        browser.run("document.querySelector('#leaderboard .scroll').scrollLeft = 1e4")
        wait(browser)
        assert not browser.run(cue)
    finally:
        browser.as_window()


@in_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_a_phone_in_both_schemes(browser: Browser, tmp_path: Path, scheme: str) -> None:
    folder = tmp_path / ("long" * 20)  # paths wrap wherever they have to
    shutil.copytree(Path(PATENT_QRELS).parent, folder)
    runs = [str(folder / Path(run).name) for run in PATENT_RUNS]
    report = report_of(str(folder / "qrels.txt"), runs, num_docs_in_coll=50_000)
    (tmp_path / "report.html").write_text(as_html(report))
    browser.look(scheme, width=390)
    try:
        browser.open(tmp_path / "report.html")
        browser.run("window.dispatchEvent(new Event('beforeprint'))")
        assert browser.run("return document.documentElement.scrollWidth") == 390
        # The first number of each table can be seen beside the names, without scrolling.
        covered = """
          return [...document.querySelectorAll(".scroll")].filter(frame => {
            const [name, number] = frame.querySelector("tbody tr").cells;
            return number.getBoundingClientRect().right > frame.getBoundingClientRect().right;
          }).map(frame => frame.ariaLabel);
        """
        assert browser.run(covered) == []
        background = browser.run("return getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme]
        assert browser.messages() == []
    finally:
        browser.as_window()


@in_chromium
@pytest.mark.parametrize(
    "fragment", ["#pair?a=nobody&m=nothing&topic=none&nmax=-1", "#%E0%A4%A", "#nowhere?x=1"]
)
def test_an_address_that_names_nothing_opens_the_page(
    browser: Browser, patents_page: Path, fragment: str
) -> None:
    browser.messages()
    browser.open(patents_page, fragment)
    assert browser.messages() == [] and browser.run(TEXT, "h1") == "Evaluation of 3 runs"


@in_chromium
def test_nothing_is_run_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "evil.html").write_text(as_html(evil_report(tmp_path)))
    browser.open(tmp_path / "evil.html")
    for view in ("measure:map", "run:b", f"run:{EVIL}"):
        browser.run(CHOOSE, "view", view)
    browser.run(CHOOSE, "topic-choice", TOPIC)
    browser.run(CHOOSE, "baseline", "b")
    browser.run(CHOOSE, "filter", EVIL)
    browser.run(CHOOSE, "filter", "")
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    browser.run(SORT, TABLE, "topic")
    assert browser.run("return [typeof evil, document.images.length, document.scripts.length]") == [
        "undefined",
        0,
        3,
    ]
    assert TOPIC in browser.run(COLUMN, TABLE, "topic")
    assert browser.run(TEXT, "#topic-name") == f"Topic {TOPIC}"
    assert browser.run(TEXT, ".legend button") == EVIL
    link = browser.run("return location.hash")
    browser.open(tmp_path / "evil.html", link)
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert (
        browser.run(TEXT, "#topic-name") == f"Topic {TOPIC}"
        and browser.run("return typeof evil") == "undefined"
    )
    assert browser.messages() == []


@in_chromium
@pytest.mark.skipif(AXE is None, reason="PRES_EVAL_AXE does not name axe-core's axe.min.js")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(browser: Browser, patents_page: Path, width: int, scheme: str) -> None:
    assert AXE is not None
    browser.look(scheme, width=width if width == 390 else None)
    try:
        browser.open(patents_page)
        browser.run("window.dispatchEvent(new Event('beforeprint'))")
        browser.command("Runtime.evaluate", expression=Path(AXE).read_text())
        found = browser.run(
            "return axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map("
            "v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)]))"
        )
        assert found == []
    finally:
        browser.as_window()


def test_the_scripts_are_at_most_three_tenths_larger_than_in_2_6() -> None:
    """A fifth until 2.21; then "Two runs" counted missing topics; since 3.1 cues, notes, print."""
    scripts = (Path(svg.__file__).parent / "page").glob("*.js")
    assert sum(len(script.read_bytes()) for script in scripts) < 1.3 * 58_064
