"""Medians of other runs: both layouts that are read, and what is wrong in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pres_eval.errors import InputError
from pres_eval.reading.file import File
from pres_eval.reading.topic_files import Medians, read_medians


def medians_in(folder: Path, text: str) -> Medians:
    (folder / "medians").write_text(text)
    return read_medians(File(str(folder / "medians")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("map 301 0.25\nmap all 0.3\nP_10\t302\t0.5\n", {"map": {b"301": 0.25}, "P_10": {b"302": 0.5}}),
        ("topic best median worst\n301 0.5 0.25 0\n", {"map": {b"301": 0.25}}),
        ("# of all\n\nTopic,median\n301,0.25\n302,1e-1", {"map": {b"301": 0.25, b"302": 0.1}}),
        ("topic map PRES_100\n301 .25 .5\n", {"map": {b"301": 0.25}, "PRES_100": {b"301": 0.5}}),
        ("topic P_10_min P_10_median P_10_max\r\n301 0 .5 1\r\n", {"P_10": {b"301": 0.5}}),
    ],
)
def test_layouts(tmp_path: Path, text: str, expected: Medians) -> None:
    assert medians_in(tmp_path, text) == expected


def test_medians_that_excel_saved(tmp_path: Path) -> None:
    (tmp_path / "medians").write_bytes("topic\tmedian\r\n301\t0.25\r\n".encode("utf-16"))
    assert read_medians(File(str(tmp_path / "medians"))) == {"map": {b"301": 0.25}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "medians: the file is empty, expected"),
        ("# no\n", "medians: nothing in the file, expected"),
        ("map 301\n", "medians:1: 2 columns, expected"),
        ("map 301 0.2\nmap 302 abc\n", "medians:2: 'abc', expected a number, the median of map"),
        ("map 301 inf\n", "medians:1: 'inf', expected a number"),
        ("map 301 0.2\nmap 301 0.3\n", "medians:2: topic '301' a second time, expected one median of map"),
        ("topic best worst\n301 1 0\n", "medians:1: no column of medians, expected one called median"),
        ("topic median\n301 0.1\n302 0.1 0.2\n", "medians:3: 3 columns, expected 2 as in the heading"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        medians_in(tmp_path, text)
    assert words in str(error.value)
