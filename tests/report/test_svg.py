"""Charts of the page as text."""

from __future__ import annotations

from xml.etree import ElementTree

from pres_eval.report.svg import Row, row_chart

SVG = "{http://www.w3.org/2000/svg}"


def test_a_chart_of_rows_is_named_by_its_title() -> None:
    """A reader of the screen says the title of the chart; a pointer over a row is told what is in it."""
    rows = [
        Row("keyword", 0, 0.25, (0.2, 0.3), None, "keyword: 0.25", end="a"),
        Row("semantic", 1, 0.5, (0.4, 0.6), (0.45, 0.55), "semantic: 0.5"),
    ]
    chart = str(row_chart("intervals", "map of the runs", "Two rows.", "mean map", rows))
    root = ElementTree.fromstring(chart.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))
    assert [(title.text, list(title)) for title in root.findall(f"{SVG}title")] == [("map of the runs", [])]
    tips = [group.findtext(f"{SVG}title") for group in root.findall(f"{SVG}g[@class='row']")]
    assert tips == ["keyword: 0.25; a", "semantic: 0.5"]
    assert root.attrib["aria-labelledby"].split()[0] == root[0].attrib["id"]
