"""Random ids, scores, grades and line layouts, in the styles that real and hostile files come in."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from random import Random

ALPHABET = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/#"
ANY_BYTE = bytes(byte for byte in range(1, 256) if byte not in b" \t\n\v\f\r")
LENGTHS = (1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40, 60, 300)
ODD_SCORES = (
    *("1e5", "+3", ".5", "5.", "-0.0", "0", "-0", "+0.0", "inf", "-inf", "Infinity", "INF", "+inf", "0x1p3"),
    *(
        "0x.8",
        "-0X1.8p-2",
        "1e400",
        "-1e400",
        "1e-400",
        "4.9e-324",
        "2.2250738585072014e-308",
        "1e308",
        "1E+2",
    ),
    *("1e39", "3.4028235e38", "3.4028236e38", "1.4e-45", "1e-46", "0.1", "0.10000000149", "0.1000000015"),
    *("16777216", "16777217", "16777218", "9007199254740992", "9007199254740993", "9007199254740994"),
    *(
        "0.30000000000000004",
        "0.3",
        "12345678901234567890",
        "000012.5",
        "1e0",
        "10e-1",
        "-5e-1",
        "-.5",
        "1e22",
    ),
    *(
        "1e23",
        "123456789012345678901234567890",
        "0.1234567890123456789012345678901234567890",
        "-1",
        "8388608.5",
    ),
)


def topics(random: Random, count: int) -> list[bytes]:
    """Different topic ids."""
    style = random.choice(["numbers", "numbers", "prefixed", "mixed", "bytes", "long"])
    if style == "numbers":
        return [str(number).encode() for number in random.sample(range(1, 12 * count + 1), count)]
    if style == "prefixed":
        return [f"PAC-{number}".encode() for number in random.sample(range(1, 1001), count)]
    if style == "long":
        return near_ids(random, count, random.choice(LENGTHS[3:]))
    return unlike_ids(random, count, ANY_BYTE if style == "bytes" else ALPHABET)


def docnos(random: Random, count: int) -> list[bytes]:
    """Different document ids."""
    style = random.choice(["short", "numbers", "patents", "near", "near", "nested", "bytes", "mixed"])
    if style == "short":
        return [f"d{number}".encode() for number in random.sample(range(2 * count), count)]
    if style == "numbers":
        return [str(number).encode() for number in random.sample(range(10_000_000), count)]
    if style == "patents":
        return [f"EP{number}A1".encode() for number in random.sample(range(1_000_000, 2_000_000), count)]
    if style == "near":
        return near_ids(random, count, random.choice(LENGTHS[3:]))
    if style == "nested":
        return [b"a" * length for length in random.sample(range(1, count + 20), count)]
    return unlike_ids(random, count, ANY_BYTE if style == "bytes" else ALPHABET)


def near_ids(random: Random, count: int, length: int) -> list[bytes]:
    """Ids of one length that differ from each other in one or two bytes anywhere."""
    base = bytearray(random.choice(ALPHABET[:-1]) for _ in range(length))
    found: set[bytes] = set()
    while len(found) < count:
        changed = bytearray(base)
        changed[random.randrange(length)] = random.choice(ALPHABET[:-1])
        if len(found) > 20 * length:
            changed[random.randrange(length)] = random.choice(ALPHABET[:-1])
        found.add(bytes(changed))
    return shuffled(random, sorted(found))


def unlike_ids(random: Random, count: int, alphabet: bytes) -> list[bytes]:
    """Ids of all lengths; none begins as a comment does, or like a compressed file or a byte order mark."""
    found: set[bytes] = set()
    while len(found) < count:
        length = random.choice(LENGTHS)
        text = bytes(random.choice(alphabet) for _ in range(length))
        if text[:1] not in (b"#", b"\x1f", b"B", b"\xfd", b"\x28", b"\xef"):
            found.add(text)
    return shuffled(random, sorted(found))


def shuffled(random: Random, values: Sequence[bytes]) -> list[bytes]:
    return random.sample(list(values), len(values))


def score_maker(random: Random) -> Callable[[], str]:
    """A source of scores in one style."""
    same = random.choice(["0.5", "1", "0", "-3.25", "1e-5"])
    styles: list[Callable[[], str]] = [
        lambda: same,
        lambda: str(random.randint(0, 4)),
        lambda: f"{random.uniform(0, 30):.6f}",
        lambda: repr(random.gauss(0, 10 ** random.randint(-3, 6))),
        single_ties(random),
        lambda: random.choice(ODD_SCORES),
        lambda: f"{random.uniform(-9, 9):.{random.randint(0, 6)}e}",
        lambda: f"{random.randint(0, 3)}.{random.getrandbits(90):029d}",
        lambda: f"-{random.uniform(0, 12):.{random.choice([1, 2, 17])}f}",
        lambda: f"{random.randint(-20, 20) / random.choice([1, 2, 4, 10]):g}",
    ]
    return random.choice(styles)


def single_ties(random: Random) -> Callable[[], str]:
    """Scores that are equal, or nearly, in 32 bits, and not in 64."""
    exponent = random.choice([-20, -3, 0, 4, 24, 60])
    (base,) = struct.unpack("f", struct.pack("f", random.uniform(1, 2) * 2.0**exponent))
    step = 2.0 ** (exponent - 24)
    return lambda: repr(base + step * random.choice([0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3]))


def grade_maker(random: Random) -> Callable[[], str]:
    """A source of relevance judgements in one style."""
    binary, graded = ["0", "1"], ["0", "0", "0", "1", "1", "2", "3"]
    negative = ["-1", "-1", "-2", "-5", "0", "0", "1", "2"]
    wide = ["0", "1", "2", "9", "10", "11", "50", "127", "200"]
    signs = ["+1", "01", "-1", "0", "+0", "-0", "002", "1"]
    chosen = random.choice([binary, binary, graded, graded, negative, wide, signs, ["0"]])
    return lambda: random.choice(chosen)


def layout_maker(random: Random, most_hostile: bool) -> Callable[[Sequence[bytes]], bytes]:
    """A way to write fields as a line: regular for the whole file, or irregular line by line."""
    style = random.choice(
        ["plain", "plain", "tabs", "double", "padded", "hostile" if most_hostile else "plain"]
    )
    end = random.choice([b"\n", b"\n", b"\n", b"\r\n"])
    if style in ("plain", "tabs", "double"):
        separator = {"plain": b" ", "tabs": b"\t", "double": b"  "}[style]
        return lambda fields: separator.join(fields) + end
    if style == "padded":
        return lambda fields: b" ".join(field.ljust(random.choice([3, 9])) for field in fields) + end

    def hostile(fields: Sequence[bytes]) -> bytes:
        blanks = [b" ", b"\t", b"  ", b"\t ", b"\v", b"\f", b" \r ", b"      "]
        line = bytearray(random.choice([b"", b"", b"", b" ", b"\t\f"]))
        for field in fields:
            line += field + random.choice(blanks)
        while line[-1:] in b" \t\v\f\r" and random.random() < 0.7:
            del line[-1]
        return bytes(line) + random.choice([end, b"\n"])

    return hostile
