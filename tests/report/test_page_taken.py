"""What readers take away from the page: tables, pictures, paper."""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.browser import AVAILABLE, Browser
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of, report_of_texts

from pres_eval import __version__
from pres_eval.report.html import as_html

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="no Chromium with chromedriver here")

CATCH = """
  window.blobs = new Map();
  const address = URL.createObjectURL;
  URL.createObjectURL = blob => {
    const url = address.call(URL, blob);
    window.blobs.set(url, blob);
    return url;
  };
  HTMLAnchorElement.prototype.click = function () { window.taken = [this.download, this.href]; };
  window.dispatchEvent(new Event("beforeprint"));
"""
TAKE = """
  document.querySelector(`${arguments[0]} [data-take=${arguments[1]}]`).click();
  return new Promise(done => setTimeout(async () => {
    const [name, url] = window.taken;
    done([name, window.blobs.has(url) ? await window.blobs.get(url).text() : url]);
  }, 500));
"""


@pytest.fixture(scope="module")
def caught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser of its own, whose page stays open."""
    path = tmp_path_factory.mktemp("taken") / "report.html"
    path.write_text(as_html(report_of(PATENT_QRELS, PATENT_RUNS)))
    with Browser() as opened:
        opened.open(path)
        opened.run(CATCH)
        yield opened


def test_a_table_as_csv(caught: Browser) -> None:
    name, text = caught.run(TAKE, "#leaderboard", "CSV")
    report = report_of(PATENT_QRELS, PATENT_RUNS)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert name == "table.csv" and [row["run"] for row in rows] == ["broad", "semantic", "keyword"]
    assert [row["map"] for row in rows] == [f"{report.summary(run, 'map'):.4f}" for run in (0, 2, 1)]
    assert float(rows[1]["difference"]) < 0 and rows[0]["p"] == ""


def test_a_table_as_latex(caught: Browser) -> None:
    _, text = caught.run(TAKE, "#leaderboard", "LaTeX")
    assert text.endswith(
        "\\par{\\footnotesize 12 topics; paired two-sided t-test, Holm-corrected for 3 comparisons of each"
        f" measure, $\\alpha$ = 0.05; pres-eval {__version__}\\par}}\n"
    )
    assert r"\usepackage{booktabs}" in text and r"PRES\_100 & difference & p & PRES\_1000 & map" in text
    assert re.search(r"semantic & 12 & 0\.4826 & \$-\$0\.1811 & \$<\$0\.0001 & 0\.5472", text)
    assert text.count("\\\\\n") == 4 and r"\begin{tabular}{lrrrr" in text


@pytest.mark.parametrize("section", ["#pair-view", "#graphs", "#topic", "#board-bars"])
def test_a_picture_as_svg_and_png(caught: Browser, section: str) -> None:
    _, text = caught.run(TAKE, section, "SVG")
    picture = ElementTree.fromstring(text)
    caption = caught.run(f"return document.querySelector('{section} figcaption strong').textContent")
    desc = picture.find("{http://www.w3.org/2000/svg}desc")
    assert desc is not None and (desc.text or "").startswith(f"{caption}: ")
    name, url = caught.run(TAKE, section, "PNG")
    png = base64.b64decode(url.removeprefix("data:image/png;base64,"))
    width = 3 * round(float(picture.attrib["width"]))
    assert name == "picture.png" and png[:4] == b"\x89PNG"
    assert abs(int.from_bytes(png[16:20], "big") - width) <= 3 and len(png) > 5000
    assert caught.messages() == []


def test_formulas_are_text_in_a_spreadsheet(browser: Browser, tmp_path: Path) -> None:
    runs = [ranking("1", (place,), 9, tag) for place, tag in ((1, "=1+1"), (3, "+x"), (5, 'a"b'))]
    report = report_of_texts(tmp_path, judgements("1", 2), *runs, names="tag")
    (tmp_path / "report.html").write_text(as_html(report))
    browser.open(tmp_path / "report.html")
    browser.run(CATCH)
    _, text = browser.run(TAKE, "#leaderboard", "CSV")
    assert [row["run"] for row in csv.DictReader(io.StringIO(text))] == ["'=1+1", "'+x", 'a"b']


def test_seventeen_runs_on_twenty_pages(tmp_path: Path) -> None:
    topics = [str(topic) for topic in range(401, 451)]
    qrels = "".join(judgements(topic, 300 if topic == "401" else 3) for topic in topics)
    runs = [
        "".join(
            ranking(topic, (1 + run + at % 5, 30 + run), 60, f"run{run}") for at, topic in enumerate(topics)
        )
        for run in range(17)
    ]
    (tmp_path / "report.html").write_text(as_html(report_of_texts(tmp_path, qrels, *runs)))
    with Browser() as browser:
        browser.open(tmp_path / "report.html")
        browser.print_page(tmp_path / "report.pdf")
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes())
    assert 5 < len(pages) <= 20
