"""Names for the types of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
AnyArray = NDArray[Any]
Grades = NDArray[Any]
"""Grades of documents: whole numbers, or doubles with -R qrels_float."""
AnyInts = NDArray[np.signedinteger[Any]]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
TopicNumbers = NDArray[np.int32]
