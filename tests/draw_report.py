"""Draw the pictures of the report page in the documentation, docs/report.png and docs/report-narrow.png.

    python tests/draw_report.py

needs Chromium with chromedriver, and matplotlib's pillow.  Each picture keeps the digest of the words and
numbers that it shows, so that a test without a browser sees when the page has changed since.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from support.browser import Browser
from support.made_reports import PATENT_QRELS, PATENT_RUNS, report_of

from pres_eval.report.html import as_html

DOCS = Path(__file__).parents[1] / "docs"

PICTURES = {"report.png": (1280, 900, 1), "report-narrow.png": (390, 690, 2)}
"""Widths and heights of the windows, and the pixels of the picture for one of the page."""

COLOURS = 32
"""Colours of a picture: with more it is larger than 100 kB."""

SHOWN = re.compile(r"<header>.*?</header>|<section id=\"(?:summary|leaderboard)\".*?</section>", re.DOTALL)


def digest_of_page() -> str:
    """Return the digest of what the pictures show: the text of the head, the summary and the leaderboard."""
    page = as_html(report_of(PATENT_QRELS, PATENT_RUNS))
    text = " ".join(re.sub("<[^>]*>", " ", part) for part in (match[0] for match in SHOWN.finditer(page)))
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


def digest_in(picture: Path) -> str:
    """Return the digest that a picture keeps; empty if it has none."""
    with Image.open(picture) as image:
        return str(image.info.get("page", ""))


def draw() -> None:
    """Write the pictures."""
    facts = PngInfo()
    facts.add_text("page", digest_of_page())
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        page = Path(folder) / "report.html"
        page.write_text(as_html(report_of(PATENT_QRELS, PATENT_RUNS)), encoding="utf-8")
        for name, (width, height, scale) in PICTURES.items():
            metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
            browser.command("Emulation.setDeviceMetricsOverride", **metrics)
            browser.open(page)
            browser.run("return new Promise(done => setTimeout(done, 500))")
            screenshot = base64.b64decode(browser.command("Page.captureScreenshot")["data"])
            with Image.open(io.BytesIO(screenshot)) as image:
                few_colours = image.convert("RGB").quantize(
                    COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
                )
                few_colours.save(DOCS / name, optimize=True, pnginfo=facts)


if __name__ == "__main__":
    draw()
