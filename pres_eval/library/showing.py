"""Pictures and pages of results: as files, and in a notebook."""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pres_eval.errors import extra_module

if TYPE_CHECKING:
    from pres_eval.report.paper import Figure


def plotted(make: Callable[[], Figure], path: str | os.PathLike[str] | None) -> Figure:
    """Return the matplotlib figure that is made, and write it if there is a path.

    Raises MissingExtraError without matplotlib, UsageError for an ending that is not .png, .svg or .pdf.
    """
    from pres_eval.report.paper import check_matplotlib, check_picture_ending, picture

    check_matplotlib("plot")
    if path is not None:
        check_picture_ending(os.fspath(path), f"plot({os.fspath(path)!r})")
        Path(path).write_bytes(picture(make, os.fspath(path)))
    return make()


def pandas() -> Any:
    """Return the module pandas; raise MissingExtraError if it is not there."""
    return extra_module("pandas", "to_pandas", "pandas")


class Page(str):
    """A page of HTML; a notebook shows it in a frame."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the frame: nothing of the page can reach the notebook, nor the notebook's style the page."""
        return (
            f'<iframe srcdoc="{html.escape(self)}" sandbox="allow-scripts allow-popups"'
            ' style="width: 100%; height: 45em; border: 0"></iframe>'
        )
