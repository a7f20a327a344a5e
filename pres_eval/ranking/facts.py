"""Facts of the lines of a run besides ranks, added up from chunk to chunk and from split to split."""

from __future__ import annotations

from typing import Any

from pres_eval.reading.lines import Lines
from pres_eval.records import dataclass

TAG = 5


@dataclass(frozen=True)
class Facts:
    """Facts of some lines.

    num_lines, num_rows  lines, and those of them that are documents
    tag, tag_before      of the last row, and of the one before it
    longer_line          the first line with more than six columns, from 1
    final_newline        whether the last line ends in one
    num_mapped, num_excluded  rows whose document became another one, and rows that were left out
    """

    num_lines: int = 0
    num_rows: int = 0
    tag: bytes = b""
    tag_before: bytes = b""
    longer_line: int | None = None
    final_newline: bool = True
    num_mapped: int = 0
    num_excluded: int = 0

    @classmethod
    def of(cls, lines: Lines) -> Facts:
        """Those of a chunk."""
        num_rows, longer = len(lines), lines.fields.longer
        return cls(
            num_lines=lines.num_lines,
            num_rows=num_rows,
            tag=lines.text(num_rows - 1, TAG) if num_rows else b"",
            tag_before=lines.text(num_rows - 2, TAG) if num_rows > 1 else b"",
            longer_line=None if longer is None else int(longer.lines[0]) + 1,
        )

    def then(self, later: Facts) -> Facts:
        """Return the facts of these lines and those that follow."""
        longer = self.longer_line
        if longer is None and later.longer_line is not None:
            longer = self.num_lines + later.longer_line
        tag, tag_before = self.tag, self.tag_before
        if later.num_rows:
            tag, tag_before = later.tag, later.tag_before or self.tag
        return Facts(
            num_lines=self.num_lines + later.num_lines,
            num_rows=self.num_rows + later.num_rows,
            tag=tag,
            tag_before=tag_before,
            longer_line=longer,
            final_newline=later.final_newline if later.num_lines else self.final_newline,
            num_mapped=self.num_mapped + later.num_mapped,
            num_excluded=self.num_excluded + later.num_excluded,
        )

    def of_ranking(self) -> dict[str, Any]:
        """Fields of a Ranking; `tag_before` if the last line was cut off in the middle of that tag."""
        cut_off = self.tag != self.tag_before and self.tag_before.startswith(self.tag)
        is_told = cut_off and not self.final_newline
        return {
            "tag": self.tag.decode("utf-8", "surrogateescape"),
            "tag_before": self.tag_before.decode("utf-8", "surrogateescape") if is_told else None,
            "num_lines": self.num_rows,
            "longer_line": self.longer_line,
            "num_mapped": self.num_mapped,
            "num_excluded": self.num_excluded,
        }
