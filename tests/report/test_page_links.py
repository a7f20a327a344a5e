"""The way down: from runs, topics and documents to their views, with texts, and addresses outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.browser import AVAILABLE, Browser
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of, report_of_texts

from pres_eval.errors import InputError
from pres_eval.report.descriptions import read_texts
from pres_eval.report.html import as_html


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1\tA  text\n2\tOther\n", {b"1": "A  text", b"2": "Other"}),
        ("1 A text\n\n2 Other\n", {b"1": "A text", b"2": "Other"}),
        ('{"_id": "1", "title": "T", "text": "long"}\n{"qid": 2, "query": "Q"}\n', {b"1": "T", b"2": "Q"}),
        (
            "<top>\n<num> Number: 401\n<title> Topic: foreign\n  minorities\n\n<desc> d\n</top>\n"
            "<top><num>402</num><title>genetics</title></top>\n",
            {b"401": "foreign minorities", b"402": "genetics"},
        ),
        ("caf\u00e9\tna\u00efve\n", {"caf\u00e9".encode(): "na\u00efve"}),
        ('{"id": 0, "text": "T"}\n{"id": 1, "title": "", "text": "U"}\n', {b"0": "T", b"1": "U"}),
        ('[{"id": 0, "text": " T "}, {"id": "1", "text": "U"}]', {b"0": "T", b"1": "U"}),
        ("1, T\n2,\n", {b"1": "T", b"2": ""}),
    ],
    ids=["tabs", "blanks", "JSON lines", "TREC topics", "UTF-8", "numbers", "JSON list", "CSV"],
)
def test_reads_texts(tmp_path: Path, text: str, found: dict[bytes, str]) -> None:
    (tmp_path / "texts").write_text(text)
    assert read_texts(str(tmp_path / "texts")) == found


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_reads_texts_that_excel_saved(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "texts").write_bytes("1\tna\u00efve\r\n2\tT".encode(encoding))
    assert read_texts(str(tmp_path / "texts")) == {b"1": "na\u00efve", b"2": "T"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1 text\n2\n", "texts:2: '2'"),
        ('{"id": "1"}\n', "texts:1: '{"),
        ('{"id": \n', "texts:1: '{"),
        ("\n", "texts: no text"),
        ("1\ttext\n \ttext\n", r"texts:2: ' \\ttext'"),
        ("1\ttext\n2\t \n", r"texts:2: '2\\t '"),
        ('[\n{"id": 1, "text": "T"},\n\n{"id": 2}]\n', "texts: record 2, '{"),
        ('["q1 text"]', "texts: record 1, "),
        ('[[1, "x"]]', "texts: record 1, "),
    ],
)
def test_refuses_other_texts(tmp_path: Path, text: str, found: str) -> None:
    (tmp_path / "texts").write_text(text)
    with pytest.raises(InputError, match=f"{found}.*, expected an id and a text"):
        read_texts(str(tmp_path / "texts"))


def test_folders_are_not_shown_unless_asked_for(tmp_path: Path) -> None:
    texts = judgements("1", 2), ranking("1", (1,), 3, "a"), ranking("1", (2,), 3, "b")
    assert str(tmp_path) not in as_html(report_of_texts(tmp_path, *texts))
    assert as_html(report_of_texts(tmp_path, *texts, paths=True)).count(str(tmp_path)) >= 4


in_chromium = pytest.mark.skipif(not AVAILABLE, reason="no Chromium with chromedriver here")
TEXT = "return document.querySelector(arguments[0]).textContent"
FOLLOW = """
  const click = new MouseEvent("click", {bubbles: true, cancelable: true});
  document.querySelector(arguments[0]).dispatchEvent(click);
  return new Promise(done => setTimeout(() => done(location.hash), 200));
"""


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with texts, of which one tries to break out."""
    folder = tmp_path_factory.mktemp("linked")
    report = report_of(PATENT_QRELS, PATENT_RUNS)
    docno = report.documents.docnos[0].decode()
    (folder / "titles").write_text(f"{docno}\t</script><img src=x onerror=evil=1>\n")
    (folder / "queries").write_text('{"id": "PAC-1001", "query": "a <b>better</b> mousetrap"}\n')
    report = report_of(
        PATENT_QRELS,
        PATENT_RUNS,
        document_url="https://example.org/?d={docno}&x={docno}",
        titles=str(folder / "titles"),
        queries=str(folder / "queries"),
    )
    (folder / "report.html").write_text(as_html(report))
    return folder / "report.html"


@in_chromium
def test_from_a_topic_to_a_document_and_out(browser: Browser, linked: Path) -> None:
    browser.open(linked, "#topic?topic=PAC-1001&a=semantic&b=keyword")
    assert browser.run(TEXT, "#topic-name") == "Topic PAC-1001: a <b>better</b> mousetrap"
    pair = browser.run("return document.querySelector('#topic-view p a').hash")
    assert pair == "#pair?a=semantic&b=keyword"
    report = report_of(PATENT_QRELS, PATENT_RUNS)
    docno = report.documents.docnos[0].decode()
    rows = browser.run(
        "return [...document.querySelectorAll('#topic-view tbody th')].map(th => th.textContent)"
    )
    assert f"{docno} </script><img src=x onerror=evil=1>" in rows
    browser.open(linked, f"#document?topic=PAC-1001&doc={docno}")
    assert browser.run(TEXT, "#document-name").startswith(f"{docno}: </script>")
    address = browser.run("return document.querySelector('#document-name a').href")
    assert address == f"https://example.org/?d={docno}&x={docno}"
    ranks = browser.run(
        "return [...document.querySelectorAll('#document-view tbody tr')]"
        ".map(row => [row.cells[0].textContent, row.cells[1].textContent])"
    )
    found = {name: str(report.documents.ranks[run, 0] or "–") for run, name in enumerate(report.names)}
    assert dict(ranks) == found and [name for name, _ in ranks] == [
        report.names[run] for run in report.best_first("PRES_100")
    ]
    assert f"grade {report.documents.grades[0]}, judged in qrels.txt; found by" in browser.run(
        TEXT, "#document-view p"
    )
    assert browser.messages() == [] and browser.run("return typeof evil") == "undefined"


@in_chromium
@pytest.mark.parametrize(
    ("link", "to"),
    [
        ("#board tbody tr:last-child th a", "#runs?"),
        ("#board tbody tr:last-child .against a", "#pair?"),
        ("#summary a[href^='#topic']", "#topic?"),
        ("#differences tbody td a", "#runs?"),
        ("#board-bars svg a", "#runs?"),
        ("#topic-view tbody th a", "#document?"),
        ("#trust-table tbody a", "#runs?"),
    ],
)
def test_names_are_links(browser: Browser, linked: Path, link: str, to: str) -> None:
    browser.open(linked)
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.run(FOLLOW, link).startswith(to) and browser.messages() == []
    assert browser.run("return document.activeElement.closest('section').id") == to[1:-1]


@in_chromium
def test_a_docno_is_escaped_in_its_address(browser: Browser, tmp_path: Path) -> None:
    run = ranking("1", (1,), 3, "a").replace("R1", "x/../?q=1&b#c")
    qrels = "1 0 x/../?q=1&b#c 1\n"
    report = report_of_texts(tmp_path, qrels, run, document_url="https://example.org/{docno}")
    (tmp_path / "report.html").write_text(as_html(report))
    browser.open(tmp_path / "report.html")
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    browser.run(FOLLOW, "#topic-view tbody th a")
    address = browser.run("return document.querySelector('#document-name a').href")
    assert address == "https://example.org/x%2F..%2F%3Fq%3D1%26b%23c"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fourteen runs over three topics."""
    folder = tmp_path_factory.mktemp("many")
    runs = [
        "".join(ranking(topic, (place, place + 3), 30, f"r{place:02d}") for topic in "123")
        for place in range(1, 15)
    ]
    report = report_of_texts(folder, "".join(judgements(topic, 3) for topic in "123"), *runs, names="tag")
    (folder / "report.html").write_text(as_html(report))
    return folder / "report.html"


@in_chromium
def test_wins_of_runs_keep_their_numbers(browser: Browser, many: Path) -> None:
    rows = (
        "return [...document.querySelectorAll('#differences table')]"
        ".filter(table => /^Wins/.test(table.caption.textContent))"
        ".flatMap(table => [...table.tBodies[0].rows])"
        ".map(row => [...row.cells].map(cell => cell.textContent))"
    )
    browser.open(many, scripts=False)
    plain = browser.run(rows)
    browser.open(many)
    assert len(plain) >= 14 and all(alone.isdigit() and shared.isdigit() for _, alone, shared in plain)
    assert browser.run(rows) == plain
    assert browser.run("return document.querySelectorAll('a[href*=undefined], a:empty').length") == 0


ROWS = (
    "return [...document.querySelectorAll('#board tbody tr')].filter(row => !row.hidden)"
    ".map(row => row.querySelector('th a').textContent)"
)
COLOURED = (
    "return document.querySelector('#graphs .charts svg').querySelectorAll('.series:not(.grey)').length"
)


@in_chromium
def test_runs_are_searched_for_and_pinned(browser: Browser, many: Path) -> None:
    browser.open(many, "#graphs")
    assert browser.run(COLOURED) == 5
    browser.open(many)
    assert browser.run(ROWS) == [f"r{place:02d}" for place in range(1, 15)]
    browser.run("document.querySelector('#board [data-run=\"11\"] .pin').click()")
    assert browser.run(ROWS)[:2] == ["r12", "r01"]
    search = "const field = document.getElementById('board-search'); field.value = 'R03';"
    browser.run(f"{search} field.dispatchEvent(new Event('input'))")
    assert browser.run(ROWS) == ["r12", "r03"]
    link = browser.run("return location.hash")
    assert json.loads(browser.run("return new URLSearchParams(location.hash.split('?')[1]).get('pins')")) == [
        "r12"
    ]
    browser.open(many, link.replace("#leaderboard", "#graphs"))
    assert browser.run(COLOURED) == 1 and "the pinned runs" in browser.run(TEXT, "#coloured")
    browser.open(many, '#leaderboard?pins=["nobody"]')
    assert browser.run(ROWS)[0] == "r01" and browser.messages() == []


@in_chromium
def test_sorting_and_the_measure_are_in_the_address(browser: Browser, linked: Path) -> None:
    browser.open(linked, "#leaderboard?m=map")
    assert browser.run(TEXT, "#board caption").startswith("Averages over topics, by map, ")
    assert browser.run(ROWS) == ["keyword", "semantic", "broad"]
    browser.run(
        "[...document.querySelectorAll('#board thead button')].find(b => b.textContent === 'bpref').click()"
    )
    assert browser.run(ROWS) == ["broad", "semantic", "keyword"]
    link = browser.run("return location.hash")
    browser.open(linked, link)
    assert browser.run(ROWS) == ["broad", "semantic", "keyword"]
    assert browser.run("return document.querySelector('#board [aria-sort]').textContent") == "bpref"


@in_chromium
def test_p_values_are_cells(browser: Browser, linked: Path) -> None:
    """Reached by touch and by keyboard: no `title` holds what cannot be read elsewhere."""
    browser.open(linked, "#leaderboard?base=keyword&m=map")
    report = report_of(PATENT_QRELS, PATENT_RUNS)
    assert report.compared.pairs is not None
    found = report.compared.pairs.against(report.compared.pairs.measures.index("map"), 0, 1)
    cells = browser.run(
        "return [...document.querySelectorAll('#board [data-run=\"0\"]')].map(name =>"
        " [...name.closest('tr').querySelectorAll('.against')].map(cell => cell.textContent))[0]"
    )
    assert cells == [f"{found.difference:+.4f}".replace("-", "−"), f"{found.p_value:.4f}"]
    assert browser.run("return document.querySelectorAll('#board td[title]').length") == 0


@in_chromium
def test_runs_without_a_common_topic_have_a_sentence_and_no_table_of_nan(
    browser: Browser, tmp_path: Path
) -> None:
    runs = [ranking(topic, (1,), 3, tag) for topic, tag in (("1", "x"), ("2", "y"))]
    page = tmp_path / "report.html"
    page.write_text(as_html(report_of_texts(tmp_path, judgements("1", 1) + judgements("2", 1), *runs)))
    browser.open(page, "#pair")
    assert browser.run(TEXT, "#pair-view") == "x against y: they have no topic in common."
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert "NaN" not in browser.run("return document.body.innerText") and browser.messages() == []


@in_chromium
def test_the_difference_stands_beside_its_measure(browser: Browser, linked: Path) -> None:
    browser.open(linked, "#leaderboard?m=map")
    heads = browser.run(
        "return [...document.querySelectorAll('#board thead th')].map(cell => cell.textContent)"
    )
    assert heads[heads.index("map") + 1 :][:2] == ["difference", "p"]


@in_chromium
def test_the_topic_filter_is_a_few_keys_away(browser: Browser, many: Path) -> None:
    """Skip link, Enter, then past the choice above the table: of fourteen runs as of sixty."""
    browser.open(many)
    presses = 0
    while browser.run("return document.activeElement.id") != "filter":
        at_skip = browser.run("return document.activeElement.className") == "skip"
        browser.key(*(("Enter", 13) if at_skip else ("Tab", 9)))
        wait = "return new Promise(done => setTimeout(done, 100))"
        browser.run(wait)
        presses += 1
        assert presses < 10
