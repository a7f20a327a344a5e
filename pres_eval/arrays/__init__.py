"""Arrays of ids and numbers, whatever they mean: no files, no retrieval."""

from pres_eval.arrays.decimals import LARGEST, all_digits, are_short_numbers, decimal_ids, nearest_integer
from pres_eval.arrays.endings import DIGITS, LOWER, bytes_among, ending_in, stripped
from pres_eval.arrays.exact import accumulate, add_in_order, add_rows_in_order, divide, elementwise, log2
from pres_eval.arrays.growing import GrowingColumns, narrow
from pres_eval.arrays.ids import EVERY_PROCESS, PADDING, WORD, Ids, equal, load_pairs, load_words, odd_numbers
from pres_eval.arrays.matching import NO_ROWS, KeyTable, Matches, match, repeated
from pres_eval.arrays.ordering import (
    absent,
    byte_order,
    changed,
    changes,
    distinct,
    has_equal,
    present,
    stable_order,
)
from pres_eval.arrays.remembered import Remembered, read_only
from pres_eval.arrays.stretches import BLOCK, Stretches, blocks, consecutive, gathered, lengths_at, ragged
from pres_eval.arrays.types import (
    AnyArray,
    AnyInts,
    BoolArray,
    Bytes,
    FloatArray,
    Grades,
    IntArray,
    TopicNumbers,
    Words,
)
from pres_eval.arrays.word_ids import NO_IDS, WordIds

__all__ = [
    "BLOCK",
    "DIGITS",
    "EVERY_PROCESS",
    "LARGEST",
    "LOWER",
    "NO_IDS",
    "NO_ROWS",
    "PADDING",
    "WORD",
    "AnyArray",
    "AnyInts",
    "BoolArray",
    "Bytes",
    "FloatArray",
    "Grades",
    "GrowingColumns",
    "Ids",
    "IntArray",
    "KeyTable",
    "Matches",
    "Remembered",
    "Stretches",
    "TopicNumbers",
    "WordIds",
    "Words",
    "absent",
    "accumulate",
    "add_in_order",
    "add_rows_in_order",
    "all_digits",
    "are_short_numbers",
    "blocks",
    "byte_order",
    "bytes_among",
    "changed",
    "changes",
    "consecutive",
    "decimal_ids",
    "distinct",
    "divide",
    "elementwise",
    "ending_in",
    "equal",
    "gathered",
    "has_equal",
    "lengths_at",
    "load_pairs",
    "load_words",
    "log2",
    "match",
    "narrow",
    "nearest_integer",
    "odd_numbers",
    "present",
    "ragged",
    "read_only",
    "repeated",
    "stable_order",
    "stripped",
]
