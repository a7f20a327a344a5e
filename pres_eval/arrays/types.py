"""Names for the types of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
"""Row numbers, indices, lengths, offsets."""
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
AnyArray = NDArray[Any]
Grades = NDArray[Any]
"""Grades of documents: whole numbers, or doubles with -R qrels_float."""

AnyInts = NDArray[np.signedinteger[Any]]
"""Whole numbers of any width, as few bytes as they need."""

Words = NDArray[np.uint64]
"""Eight bytes each of ids or of other text, and hashes."""

Bytes = NDArray[np.uint8]
"""Text."""

TopicNumbers = NDArray[np.int32]
"""Indices of topics, in half the memory."""
