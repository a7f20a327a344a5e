"""Hostile bytes for every reader: mutations of valid files through the command, run by hand.

    python tests/fuzz/hostile.py --cases 20000 --seed 1
    python tests/fuzz/hostile.py --guided --cases 200000      (coverage-guided; needs the package atheris)

Each case is one input for one reader.  The command has to print the right result (the same for any size of
chunks, number of threads and compression), or to say in one line what is wrong and exit with 1, 2, 3 or 7.
Counts are printed at the end; what fails is kept in the folder given with --keep.  Exit code 1 if any did.
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import gzip
import hashlib
import importlib
import io
import lzma
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

QRELS = b"1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 d -1\n10 0 e 3\n"
RUN = (
    b"1 Q0 a 1 3.5 t\n1 Q0 x 2 3.25 t\n1 Q0 c 3 3.25 t\n2 Q0 d 1 1e-3 t\n2 Q0 a 2 -7 t\n10 Q0 e 1 inf t\n"
    b"11 Q0 e 1 0x1p3 t\n"
)
PREFERENCES = b"1 g s a 3\n1 g s b 2\n1 g s c 1\n2 g s a 1\n2 g s d 0.5\n10 g s e 1\n"
GROUPS = b"1 g a 1\n1 h a 0\n1 h c 1\n2 g a 1\n10 g e 1\n"
ZSCORES = b"1 map 0.5 0.1\n2 map 0.25 0.2\n10 map 0.1 0.3\n"
EXPECTED = b"map                   \t1\t0.5000\nmap                   \tall\t0.5000\n"


@dataclass(frozen=True)
class Reader:
    """A kind of file: a valid one, and the command's arguments with {} where its path goes."""

    valid: bytes
    arguments: tuple[str, ...]


MEASURES = ("-m", "map", "-m", "num_ret", "-m", "ndcg", "-m", "PRES.10", "-m", "bpref", "-m", "runid")
READERS = {
    "run": Reader(RUN, ("-q", *MEASURES, "qrels", "{}")),
    "run 10.0": Reader(RUN, ("--compat", "10.0", "-c", "-q", "-M", "3", *MEASURES, "qrels", "{}")),
    "run json": Reader(RUN, ("--format", "json", "-J", "-m", "map", "qrels", "{}")),
    "qrels": Reader(QRELS, ("-q", "-c", *MEASURES, "{}", "run")),
    "check run": Reader(RUN, ("check", "qrels", "{}")),
    "check qrels": Reader(QRELS, ("check", "--format", "json", "{}", "run")),
    "preferences": Reader(PREFERENCES, ("-R", "prefs", "-q", "-m", "all_prefs", "{}", "run")),
    "qrels as preferences": Reader(QRELS, ("-R", "qrels_prefs", "-m", "prefs_simp", "{}", "run")),
    "judgement groups": Reader(GROUPS, ("-R", "qrels_jg", "-q", "-m", "map_avgjg", "{}", "run")),
    "Z-scores": Reader(ZSCORES, ("-Z", "{}", "-q", "-m", "map", "qrels", "run")),
    "--against": Reader(b"", ("--against", "{}", "-m", "map", "qrels", "run")),
    "--expect": Reader(EXPECTED, ("--expect", "{}", "-q", "-m", "map", "qrels", "run")),
}
CODES = {0, 1, 2, 3, 7}

TOKENS = (
    *(b"\0", b"\r", b"\r\n", b"\n", b"\t", b"\x0b", b"\x0c", b" ", b"  ", b"#", b"\xef\xbb\xbf", b"\xff\xfe"),
    *(
        b"nan",
        b"-nan",
        b"inf",
        b"-inf",
        b"1e400",
        b"1e-400",
        b"0x",
        b"0x1p9999",
        b"+",
        b"-",
        b".",
        b"1.",
        b"e",
    ),
    *(b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808", b"2147483648", b"1e"),
    *(
        b"9" * 400,
        b"0" * 5000 + b"1",
        b"9" * 5000,
        b"1" * 70_000 + b"x",
        b"1e" + b"9" * 400,
        b"0." + b"3" * 900,
    ),
    *(
        b"a" * 300,
        b"\xe2\x80\xa8",
        b"\x1b[2J",
        b"::error::x",
        b"\xff",
        "é".encode(),
        b"a" * (1 << 20),
        b"x " * 90_000,
    ),
    *(b"[" * 5000, b"{", b'"', b"1" + b"0" * 400, b"null", b"true"),
)


def bytes_of(reader: Reader, chance: random.Random) -> bytes:
    """A mutation of the reader's valid file."""
    data = bytearray(reader.valid)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        _mutate(data, chance)
    compress = chance.randrange(12)
    if compress < 4:
        packed = bytearray(_COMPRESS[compress](bytes(data)))
        for _ in range(chance.choice((0, 0, 1, 2))):
            _mutate(packed, chance)
        if not chance.randrange(3):
            packed += _COMPRESS[chance.randrange(4)](reader.valid)
        return bytes(packed)
    return bytes(data)


def _zstandard(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


_COMPRESS = (lambda data: gzip.compress(data, mtime=0), bz2.compress, lzma.compress, _zstandard)


def _mutate(data: bytearray, chance: random.Random) -> None:
    place = chance.randrange(len(data) + 1)
    end = min(len(data), place + chance.choice((1, 1, 2, 5, 20, 100)))
    kind = chance.randrange(9)
    if kind == 0 and data:
        data[min(place, len(data) - 1)] ^= 1 << chance.randrange(8)
    elif kind == 1:
        data[place:place] = bytes(chance.randrange(256) for _ in range(chance.choice((1, 2, 8))))
    elif kind == 2:
        del data[place:end]
    elif kind == 3:
        del data[place:]
    elif kind == 4:
        data[place:place] = data[chance.randrange(len(data) + 1) :][:100]
    elif kind == 5:
        data[place:end] = chance.choice(TOKENS)
    elif kind == 6:
        _replace_field(data, chance)
    elif kind == 7:
        lines = bytes(data).splitlines(keepends=True)
        chance.shuffle(lines)
        data[:] = b"".join(lines)
    else:
        data[:] = bytes(data) * chance.choice((2, 3))


def _replace_field(data: bytearray, chance: random.Random) -> None:
    """One field becomes something else, or is doubled, or goes."""
    fields = bytes(data).split(b" ")
    number = chance.randrange(len(fields))
    fields[number] = chance.choice((chance.choice(TOKENS), b"", fields[number] * 2, chance.choice(fields)))
    data[:] = b" ".join(fields)


class WrongError(Exception):
    """What must not happen."""


@dataclass(frozen=True)
class Outcome:
    """What the command did."""

    code: int
    out: bytes
    err: bytes


def call(arguments: Sequence[str]) -> Outcome:
    """The command, in this process."""
    from pres_eval.cli import INTERRUPTED, main

    before = sys.stdout, sys.stderr
    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8"),
        io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace"),
    )
    sys.stdout, sys.stderr = out, err
    try:
        code = main(list(arguments))
    finally:
        sys.stdout, sys.stderr = before
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    for stream in (out, err):
        stream.flush()
    return Outcome(code, _bytes(out), _bytes(err))


def _bytes(stream: io.TextIOWrapper) -> bytes:
    buffer: Any = stream.buffer
    value: bytes = buffer.getvalue()
    return value


def judge(kind: str, data: bytes, chunk: int) -> Outcome:
    """Run the case in three ways; raises WrongError, or whatever the command lets through."""
    from support.small_chunks import chunks_of

    arguments = [argument.format("input") for argument in READERS[kind].arguments]
    Path("input").write_bytes(data)
    found = call(arguments)
    _check(found)
    if kind in ("--against", "--expect"):
        return found
    with chunks_of(chunk):
        again = call([*arguments, "--jobs", "2"])
    if not _same(again, found) and not _both_unreadable(again, found):
        raise WrongError(f"chunks of {chunk} bytes: {again} instead of {found}")
    if not data.startswith((b"\x1f\x8b", b"BZh", b"\xfd7z", b"\x28\xb5")) and data[1:4] != b"\x2a\x4d\x18":
        Path("input").write_bytes(gzip.compress(data, 1, mtime=0))
        packed = call(arguments)
        if packed != found and "json" not in "".join(arguments):
            raise WrongError(f"compressed: {packed} instead of {found}")
    return found


def _same(one: Outcome, other: Outcome) -> bool:
    """Whether all is the same but the hint at distances, for which only the first chunk is looked at."""
    texts = [
        [line for line in each.err.splitlines() if b": scores rise with the rank column (" not in line]
        for each in (one, other)
    ]
    return (one.code, one.out) == (other.code, other.out) and texts[0] == texts[1]


def _both_unreadable(one: Outcome, other: Outcome) -> bool:
    """Whether both stop, and one of them at damage that the other has not come to yet."""
    stopped = (one.code, one.out) == (other.code, other.out) == (2, b"")
    damage = b"cannot be read ("
    return (stopped and damage in one.err + other.err) or (damage in one.out and damage in other.out)


def _check(found: Outcome) -> None:
    lines = found.err.decode().splitlines(keepends=True)
    if found.code not in CODES:
        raise WrongError(f"exit code {found.code}")
    if not all(line.startswith("pres-eval: ") and line[:-1].isprintable() for line in lines):
        raise WrongError(f"stderr {found.err!r}")
    remarks = ("pres-eval: warning: ", "pres-eval: note: ")
    complaints = [line for line in lines if not line.startswith(remarks)]
    # check has its findings on stdout and exits with 1.
    if len(complaints) != (found.code in (2, 7)) and found.code != 3:
        raise WrongError(f"exit code {found.code} with {len(complaints)} lines on stderr: {found.err!r}")


def prepare(folder: Path) -> None:
    """The valid files beside the input; the JSON is what the command itself writes."""
    (folder / "qrels").write_bytes(QRELS)
    (folder / "run").write_bytes(RUN)
    evaluation = call(["--format", "json", "-m", "map", "qrels", "run"]).out
    READERS["--against"] = Reader(evaluation, READERS["--against"].arguments)


class Campaign:
    """Counts cases, and keeps those that fail."""

    def __init__(self, keep: Path | None) -> None:
        self.outcomes: Counter[str] = Counter()
        self.faults: dict[str, str] = {}
        self._keep = keep

    def case(self, kind: str, data: bytes, chunk: int) -> None:
        """Try one."""
        started = time.process_time()
        try:
            found = judge(kind, data, chunk)
            if time.process_time() - started > 10:
                raise WrongError("it took more than 10 seconds")
            self.outcomes[f"{kind}: exit {found.code}"] += 1
        except Exception as problem:
            frames = traceback.extract_tb(problem.__traceback__)
            where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
            text = f"{kind}: {type(problem).__name__} at {where}: {str(problem)[:300]}"
            self.outcomes[f"{kind}: FAULT"] += 1
            if len(self.faults) < 50 and text not in self.faults:
                name = hashlib.sha256(data).hexdigest()[:12]
                self.faults[text] = name
                print(f"FAULT {name} {text}", file=sys.__stdout__, flush=True)
                if self._keep is not None:
                    (self._keep / f"{kind.replace(' ', '_').strip('-')}-{name}").write_bytes(data)

    def report(self) -> int:
        """Print the counts; 1 if anything failed."""
        for name, count in sorted(self.outcomes.items()):
            print(f"{count:9,}  {name}")
        failed = sum(count for name, count in self.outcomes.items() if "FAULT" in name)
        print(f"{self.outcomes.total():9,}  inputs tried, {failed} faults")
        return int(failed > 0)


def import_watched() -> None:
    """Import the code that reads so that atheris sees which branches are taken."""
    import atheris

    rooms = [f"pres_eval.{room}" for room in ("arrays", "reading", "ranking", "checking", "report.records")]
    with atheris.instrument_imports(include=rooms):
        for path in sorted((ROOT / "pres_eval").rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            if name.startswith(tuple(rooms)) and not name.endswith("__init__"):
                importlib.import_module(name)


def guided(campaign: Campaign, cases: int, seed: int) -> None:
    """Let atheris choose the bytes by what they reach in our readers; does not come back."""
    import atheris

    kinds = list(READERS)
    tried = 0

    def one(data: bytes) -> None:
        nonlocal tried
        tried += 1
        if len(data) > 2:
            campaign.case(kinds[data[0] % len(kinds)], data[2:], data[1] + 1)
        if tried == cases:
            code = campaign.report()
            sys.stdout.flush()
            shutil.rmtree(Path.cwd())
            os._exit(code)  # an exception would be a find to atheris

    corpus = Path("corpus")
    corpus.mkdir(exist_ok=True)
    for number, reader in enumerate(READERS.values()):
        (corpus / str(number)).write_bytes(bytes([number, 40]) + reader.valid)
    # What atheris itself keeps of each case adds up to gigabytes; without it memory stays the same.
    options = (f"-seed={seed}", "-max_len=4000", "-verbosity=0", "-rss_limit_mb=0")
    atheris.Setup([sys.argv[0], *options, str(corpus)], one)
    atheris.Fuzz()


def main() -> int:
    """Run the campaign that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--guided", action="store_true")
    parser.add_argument("--keep", type=Path)
    said = parser.parse_args()
    keep = said.keep.resolve() if said.keep else None
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    if said.guided:
        import_watched()
    campaign = Campaign(keep)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare(Path())
        if said.guided:
            guided(campaign, said.cases, said.seed)
        chance = random.Random(said.seed)
        kinds = list(READERS)
        with contextlib.suppress(KeyboardInterrupt):  # the counts so far
            for number in range(said.cases):
                kind = kinds[number % len(kinds)]
                campaign.case(kind, bytes_of(READERS[kind], chance), chance.choice((1, 3, 17, 40, 64, 300)))
        os.chdir("/")
    return campaign.report()


if __name__ == "__main__":
    sys.exit(main())
