"""Names under which other rooms still know files."""

from __future__ import annotations

from pres_eval.reading.cuts import behind_last_line
from pres_eval.reading.file import BYTE_ORDER_MARK, CHUNK, HEAD, NO_CHUNK, Chunk, File

__all__ = ["BYTE_ORDER_MARK", "CHUNK", "HEAD", "NO_CHUNK", "Chunk", "Source", "behind_last_line"]

Source = File
