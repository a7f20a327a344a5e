"""Faults of the system around the real command: the right result, or one line and an exit code; nothing left.

What is slow or random is in tests/fuzz/faults.py and is run by hand.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from support import prepared

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals, pipes and limits as POSIX has them"),
]

ROOT = Path(__file__).parents[2]
RUN = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n"
MAP = b"map                   \tall\t0.7500\n"
TOPICS = 4000


def environment(**changed: str) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **changed}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("1 0 b 1\n1 0 c 0\n2 0 a 1\n")
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "many.qrels").write_text("".join(f"{topic} 0 a 1\n" for topic in range(TOPICS)))
    (tmp_path / "many").write_text("".join(f"{topic} Q0 a 1 1 t\n" for topic in range(TOPICS)))
    return tmp_path


def shell(
    line: str,
    folder: Path,
    before: Callable[[], None] | None = None,
    timeout: float = 60,
    command: str = f"{shlex.quote(sys.executable)} -m pres_eval",
    **changed: str,
) -> subprocess.CompletedProcess[bytes]:
    """A line of bash in which $PRES is the command; the exit code is the command's."""
    return subprocess.run(
        ["bash", "-c", f"PRES={shlex.quote(command)}\n{line}"],
        cwd=folder,
        env=environment(**changed),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        check=False,
        preexec_fn=before,
    )


def quick(line: str, folder: Path, timeout: float = 60, **changed: str) -> subprocess.CompletedProcess[bytes]:
    """The same of a command that starts at once, where the start of Python is not the point."""
    return shell(line, folder, None, timeout, shlex.quote(prepared.program()), **changed)


def start(*arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    return started([sys.executable, "-m", "pres_eval"], arguments, folder)


def started(program: list[str], arguments: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    """The same of a program."""
    return subprocess.Popen(
        [*program, *arguments],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def failed(done: subprocess.CompletedProcess[bytes], code: int, *said: str) -> None:
    """One line on stderr and this exit code."""
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(b"pres-eval: ") and done.stderr.count(b"\n") == 1, done.stderr
    assert all(text in done.stderr.decode() for text in said), done.stderr


@pytest.fixture
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system of 64 KB."""
    place = tmp_path_factory.mktemp("disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


# Standard output


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_full_disk_behind_stdout(unbuffered: str, folder: Path, small_disk: Path) -> None:
    line = f"$PRES -q -m all_trec many.qrels many > {small_disk}/out"
    failed(shell(line, folder, PYTHONUNBUFFERED=unbuffered), 2, "output cannot be written: no space left")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_full_disk_behind_output(unbuffered: str, folder: Path, small_disk: Path) -> None:
    (small_disk / "out").write_text("old")
    line = f"$PRES -q -m all_trec --output {small_disk}/out many.qrels many"
    failed(shell(line, folder, PYTHONUNBUFFERED=unbuffered), 2, "/out: cannot be written: No space left")
    assert [file.name for file in small_disk.iterdir()] == ["out"]
    assert (small_disk / "out").read_text() == "old"


@pytest.mark.parametrize(("options", "reader"), [("--format csv", "true"), ("", "head -1"), ("", "true")])
def test_gate_is_judged_whatever_the_reader_does(options: str, reader: str, folder: Path) -> None:
    line = f"set -o pipefail; $PRES -q --fail-under num_q=999999 {options} many.qrels many | {reader}"
    failed(quick(line, folder), 3, "num_q: wanted at least 999999, got")


def test_gate_with_output_into_a_pipe_that_closes(folder: Path) -> None:
    gate = "$PRES -q -m all_trec --fail-under num_q=999999 --output >(true) many.qrels many"
    line = f"{gate}; code=$?; wait; exit $code"
    assert shell(line, folder).returncode in (2, 3)


@pytest.mark.parametrize(
    "options", ["--output >(cat)", "--output /dev/stdout | cat", "--output /dev/fd/5 5>out"]
)
def test_output_into_what_has_no_name_of_its_own(options: str, folder: Path) -> None:
    """What bash's >(...) names, and the system's names of open files."""
    done = shell(f"$PRES -m map qrels run {options}; code=$?; wait; cat out 2>/dev/null; exit $code", folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, MAP, b"")
    assert not temporary(folder)


@pytest.mark.parametrize("command", ["check qrels run", "-q many.qrels many", "compare qrels run run -m map"])
def test_reader_that_has_seen_enough(command: str, folder: Path) -> None:
    done = quick(f"set -o pipefail; $PRES {command} | head -c 1", folder)
    assert (done.returncode, done.stderr) == (0, b"")


def test_check_fails_whatever_the_reader_does(folder: Path) -> None:
    (folder / "bad").write_text("1 Q0\n" * 5000)
    done = quick("set -o pipefail; $PRES check --max 100000 qrels bad | true", folder)
    assert (done.returncode, done.stderr) == (1, b"")


def test_stderr_that_nobody_reads(folder: Path) -> None:
    done = quick("(sleep 0.2; $PRES -c -m map qrels run >out) 2> >(true); cat out", folder)
    assert done.stdout == MAP


def test_stdout_that_does_not_wait(folder: Path) -> None:
    """A pipe that someone else made non-blocking: nothing is lost while the reader sleeps."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = subprocess.Popen(
        [sys.executable, "-m", "pres_eval", "-q", "-m", "all_trec", "many.qrels", "many"],
        cwd=folder,
        env=environment(),
        stdout=writing,
    )
    os.close(writing)
    time.sleep(0.5)
    with os.fdopen(reading, "rb") as stream:
        text = stream.read()
    assert process.wait() == 0
    assert text == quick("$PRES -q -m all_trec many.qrels many", folder).stdout


@pytest.mark.parametrize(
    ("encoding", "command"),
    [
        ("latin-1", "-h -m PRES"),
        ("latin-1", "measures"),
        ("latin-1", "-m xé"),
        ("ascii", "-h"),
        ("ascii", "man"),
    ],
)
def test_any_encoding(encoding: str, command: str, folder: Path) -> None:
    done = shell(f"$PRES {command}", folder, PYTHONIOENCODING=encoding)
    assert b"Traceback" not in done.stderr
    assert done.returncode == ("xé" in command)


# Closed standard streams


def test_closed_stdin(folder: Path) -> None:
    failed(shell("$PRES qrels - <&-", folder), 2, "<stdin>: standard input is closed, expected a file")


@pytest.mark.parametrize("runs", ["run", "run run short"])
def test_closed_stderr(runs: str, folder: Path) -> None:
    """The same results as with an open one, and no warning among them."""
    (folder / "short").write_text("1 Q0 a 1 2 t\n")
    closed = shell(f"$PRES --format json -m map qrels {runs} 2>&-", folder)
    opened = quick(f"$PRES --format json -m map qrels {runs}", folder)
    assert (closed.returncode, closed.stdout) == (0, opened.stdout)


def test_closed_streams_are_not_taken_by_files(folder: Path) -> None:
    done = shell("$PRES -m map qrels run short x --output out <&- >&- 2>&-; echo $?; cat out", folder)
    assert done.stdout.startswith(b"2\n")
    done = shell("$PRES -m map qrels run --output out <&- >&- 2>&-; echo $?; cat out", folder)
    assert done.stdout == b"0\n" + MAP


# Files that are not what they should be


def limited(megabytes: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


@pytest.mark.parametrize("options", ["", "check", "-R prefs -m prefs_simp", "-R qrels_jg -m map_avgjg", "-Z"])
def test_lines_without_end(options: str, folder: Path) -> None:
    zero = "/dev/zero run" if options != "-Z" else "/dev/zero qrels run"
    done = shell(f"$PRES {options} {zero}", folder, limited(1500))
    message = "/dev/zero:1: a line of more than 1,048,576 bytes, expected lines of text"
    if options == "check":
        assert done.returncode == 1 and b"a line of more than 1,048,576 bytes" in done.stdout
    else:
        failed(done, 2, message)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_line_of_a_bomb(compress: Callable[[bytes], bytes], folder: Path) -> None:
    (folder / "bomb").write_bytes(compress(RUN.encode() * 1000 + b"1 Q0 " + b"x" * 40_000_000))
    done = shell("$PRES qrels bomb", folder, limited(1500))
    failed(done, 2, "bomb:3001: a line of more than 1,048,576 bytes, expected lines of text")


def test_longest_line(folder: Path) -> None:
    docno = "d" * ((1 << 20) - len("1 Q0  1 1 t"))
    (folder / "run").write_text(f"1 Q0 {docno} 1 1 t\n2 Q0 a 1 1 t\n")
    assert quick("$PRES -m num_ret qrels run", folder).returncode == 0
    (folder / "run").write_text(f"2 Q0 a 1 1 t\n1 Q0 {docno}d 1 1 t\n")
    failed(quick("$PRES -m num_ret qrels run", folder), 2, "run:2: a line of more than 1,048,576 bytes")


@pytest.mark.parametrize("column", ["relevance", "score", "hexadecimal", "zeros"])
def test_thousands_of_digits(column: str, folder: Path) -> None:
    digits = "9" * 80_000
    line, message = {
        "relevance": (f"1 0 a {digits}", "qrels:1: relevance '999"),
        "score": (f"1 Q0 a 1 {digits}x t", "run:1: score '999"),
        "hexadecimal": (f"1 Q0 a 1 0x{digits}x t", "run:1: score '0x999"),
        "zeros": (f"1 0 b {'0' * 80_000}1\n2 0 a 1", ""),
    }[column]
    (folder / ("run" if "Q0" in line else "qrels")).write_text(line + "\n")
    done = quick("$PRES -m map qrels run", folder, timeout=20)
    if message:
        failed(done, 2, message, "...', expected ")
    else:
        assert done.stdout == MAP


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (f"--nmax {'9' * 5000}", 1, "--nmax: found"),
        (f"-m P.{'9' * 5000}", 0, ""),
        (f"-m P.-{'9' * 5000}", 1, "a whole number of at least 1"),
        (f"-m ndcg.1={'9' * 5000}", 1, "expected "),
        ("--fail-under map=0.1 --against run --tolerance nan", 1, "expected a number of at least 0"),
        ("--fail-under map=0.1 --against run --tolerance inf", 1, "expected a number of at least 0"),
        ("--against brackets", 2, "brackets: this is no JSON"),
        ("--against digits", 2, "digits: this is"),
    ],
)
def test_options_beyond_all_measure(arguments: str, code: int, said: str, folder: Path) -> None:
    (folder / "brackets").write_text('{"runs": ' + "[" * 100_000)
    (folder / "digits").write_text('{"runs": 1' + "0" * 10_000 + "}")
    done = quick(f"$PRES {arguments} qrels run", folder, timeout=30)
    if code:
        failed(done, code, said)
    else:
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        "sweep --nmax 1:99999999999999999999:1 qrels run",
        "sweep --nmax 1:999999999999:1 qrels run",
        "compare --alpha nan qrels run run",
        "compare --samples 99999999999 qrels run run",
        "report --samples 99999999999 qrels run run",
    ],
)
def test_options_of_commands_beyond_all_measure(arguments: str, folder: Path) -> None:
    failed(quick(f"$PRES {arguments}", folder), 1, f"{arguments.split()[1]}: ")


def test_fifo_whose_first_write_is_short(folder: Path) -> None:
    data = gzip.compress(RUN.encode(), mtime=0)
    os.mkfifo(folder / "fifo")
    process = start("-m", "map", "qrels", "fifo", folder=folder)
    with (folder / "fifo").open("wb", buffering=0) as stream:
        for byte in data:
            stream.write(bytes([byte]))
            time.sleep(0.01 if byte in data[:8] else 0)
    assert process.communicate(timeout=30) == (MAP, b"")


def test_stdin_that_does_not_wait(folder: Path) -> None:
    """A pipe that gives nothing for a while is not at its end."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    process = subprocess.Popen(
        [sys.executable, "-m", "pres_eval", "-m", "map", "qrels", "-"],
        cwd=folder,
        env=environment(),
        stdin=reading,
        stdout=subprocess.PIPE,
    )
    for line in RUN.splitlines(keepends=True):
        time.sleep(0.2)
        os.write(writing, line.encode())
    os.close(writing)
    os.close(reading)
    assert process.communicate(timeout=30)[0] == MAP


# Resources


def test_no_threads(folder: Path) -> None:
    """Threads that the system does not grant are done without."""
    code = (
        "import threading, sys\n"
        'def refuse(self): raise RuntimeError("can\'t start new thread")\n'
        "threading.Thread.start = refuse\n"
        "from pres_eval.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["--jobs", "4", "-m", "num_ret", "qrels", "run", "run", "run"]
    expected = start(*arguments, folder=folder).communicate(timeout=60)[0]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
    assert expected


def test_little_memory(folder: Path) -> None:
    """Scattered topics have to be kept: too much for this process."""
    with (folder / "run").open("w") as stream:
        for number in range(600_000):
            stream.write(f"{1 + number % 2} Q0 {'d' * 80}{number} 1 {-number} t\n")
    done = shell("$PRES --jobs 1 -m map qrels run", folder, limited(230), OPENBLAS_NUM_THREADS="1")
    if done.returncode:  # how much is needed before we begin differs between systems
        failed(done, 2, "not enough memory")


@pytest.mark.parametrize(
    ("said", "code"), [("x.so: failed to map segment from shared object", 2), ("no module named x", 1)]
)
def test_no_memory_for_a_module(said: str, code: int, folder: Path) -> None:
    """As the system says it of a compiled one; any other that cannot be imported is a mistake of ours."""
    program = (
        "import sys\n"
        "from pres_eval.cli import evaluate, main\n"
        f"def fail(*_): raise ImportError({said!r})\n"
        "evaluate.print_results = fail\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    arguments = [sys.executable, "-c", program, "qrels", "run"]
    done = subprocess.run(arguments, cwd=folder, env=environment(), capture_output=True, check=False)
    assert done.returncode == code
    if code == 2:
        failed(done, 2, f"not enough memory ({said})")
    else:
        assert b"Traceback" in done.stderr


@pytest.mark.parametrize("count", [12, 32])
def test_few_file_handles(count: int, folder: Path) -> None:
    runs = " ".join(["run"] * 40)
    before = quick(f"$PRES --jobs 2 -m map qrels {runs}", folder)
    done = shell(f"ulimit -n {count}; $PRES --jobs 2 -m map qrels {runs}", folder)
    assert (done.returncode, done.stdout) == (0, before.stdout) or b"Traceback" not in done.stderr


def test_no_room_for_a_copy_of_a_pipe(folder: Path, small_disk: Path) -> None:
    """A pipe whose topics are in order needs no copy; one whose topics are not says why it can't be read."""
    ordered = "".join(f"1 Q0 d{n} 1 {-n} t\n" for n in range(20_000))
    (folder / "ordered").write_text(ordered)
    (folder / "mixed").write_text("2 Q0 z 1 1 t\n" + ordered + RUN)
    done = quick("cat ordered | $PRES -m num_ret qrels -", folder, TMPDIR=str(small_disk))
    assert done.stdout == b"num_ret               \tall\t20000\n"
    failed(
        quick("cat mixed | $PRES -m num_ret qrels -", folder, TMPDIR=str(small_disk)),
        2,
        "<stdin>: cannot be read (its topics are not together, and the disk has no room",
    )
    assert not list(small_disk.iterdir())


# Signals


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def temporary(folder: Path) -> list[Path]:
    return list(folder.glob(".pres-eval-*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signals_leave_nothing_behind(number: signal.Signals, folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    (folder / "out").write_text("old")
    before = signal.signal(number, signal.SIG_DFL)  # under nohup the tests ignore SIGHUP, and what they start
    try:
        process = start("--output", "out", "qrels", "fifo", folder=folder)
    finally:
        signal.signal(number, before)
    wait_for(lambda: bool(temporary(folder)))
    process.send_signal(number)
    assert process.communicate(timeout=10) == (b"", b"")
    assert process.returncode == -number
    assert not temporary(folder) and (folder / "out").read_text() == "old"


def test_first_interrupt_while_runs_wait_for_pipes(folder: Path) -> None:
    names = [f"fifo{number}" for number in range(4)]
    for name in names:
        os.mkfifo(folder / name)
    process = start("--output", "out", "--jobs", "3", "qrels", "run", *names, folder=folder)
    wait_for(lambda: bool(temporary(folder)))
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10) == (b"", b"")
    assert process.returncode == -signal.SIGINT


def test_an_error_does_not_wait_for_pipes(folder: Path) -> None:
    (folder / "bad").write_text("1 Q0\n")
    os.mkfifo(folder / "fifo")
    process = start("--jobs", "3", "qrels", "bad", "fifo", "fifo", folder=folder)
    _, said = process.communicate(timeout=10)
    assert process.returncode == 2 and said.startswith(b"pres-eval: bad:1: 2 columns, expected 6")


def test_ignored_hang_up_stays_ignored(folder: Path) -> None:
    """As under nohup."""
    os.mkfifo(folder / "fifo")
    process = subprocess.Popen(
        ["bash", "-c", f"trap '' HUP; exec {sys.executable} -m pres_eval --output out -m map qrels fifo"],
        cwd=folder,
        env=environment(),
    )
    wait_for(lambda: bool(temporary(folder)))
    process.send_signal(signal.SIGHUP)
    (folder / "fifo").write_text(RUN)
    assert process.wait(timeout=10) == 0
    assert (folder / "out").read_bytes() == MAP


def test_interrupts_at_any_time_of_starting(folder: Path) -> None:
    """While our modules are imported there is no traceback either; before that it is Python's own."""
    for delay in (0.05, 0.1, 0.2):
        process = start("-q", "-m", "all_trec", "--output", "out", "many.qrels", "many", folder=folder)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
        own_start_of_python = process.returncode == 1 and b"KeyboardInterrupt" in said
        assert process.returncode in (0, -signal.SIGINT) or own_start_of_python
        assert b"pres_eval/cli" not in said and b"numpy" not in said, said
        assert not temporary(folder)


# Files written


def test_long_name_of_two_byte_letters(folder: Path) -> None:
    name = "é" * 125 + ".csv"
    done = quick(f"$PRES -m map --format csv --output {name} qrels run", folder)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (folder / name).stat().st_size


def test_content_is_never_seen_by_others(folder: Path) -> None:
    """The mode of the old file holds before the first byte is in the new one."""
    os.mkfifo(folder / "fifo")
    (folder / "out").write_text("old")
    (folder / "out").chmod(0o600)
    process = start("--output", "out", "qrels", "fifo", folder=folder)
    wait_for(lambda: bool(temporary(folder)))
    assert temporary(folder)[0].stat().st_mode & 0o777 == 0o600
    process.kill()
    process.communicate()


def test_picture_takes_no_settings_from_the_folder(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    line = "$PRES sweep -m recall --nmax 1,2 --plot {}.svg qrels run > /dev/null"
    assert shell(line.format("plain"), folder).returncode == 0
    (folder / "matplotlibrc").write_text("savefig.facecolor: red\nlines.linewidth: 9\n")
    done = shell(line.format("other"), folder, MPLBACKEND="no_such_backend")
    assert (done.returncode, done.stderr) == (0, b"")
    assert (folder / "plain.svg").read_bytes() == (folder / "other.svg").read_bytes()


# What is said


@pytest.mark.parametrize("name", ["a\n::error::x", "\r\x1b[31mred\u202e", "a\udcffb"])
def test_names_of_files_in_messages(name: str, folder: Path) -> None:
    (folder / name).write_text("1 Q0 a 1 x t\n")
    for arguments in (["qrels", name], ["qrels", "run", "--output", name + "/x"]):
        process = started([prepared.program()], arguments, folder)
        said = process.communicate(timeout=30)[1]
        assert process.returncode == 2
        assert said.startswith(b"pres-eval: ") and said.count(b"\n") == 1
        assert said[:-1].decode().isprintable()


def test_tags_in_messages(folder: Path) -> None:
    (folder / "run").write_text(RUN.replace(" t\n", " \x1b]0;x\x07\u2028::error::\n"))
    done = quick("GITHUB_ACTIONS=1 $PRES -m map --fail-under map=0.9 qrels run", folder)
    assert done.returncode == 3
    lines = done.stderr.decode().split("\n")
    assert len(lines) == 3 and all(line.isprintable() for line in lines)
    assert lines[0].startswith("pres-eval: map: ") and lines[1].startswith("::error file=run,title=pres-eval")


def test_a_gate_s_file_without_end(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from pres_eval.cli import baselines, main

    monkeypatch.setattr(baselines, "MOST_BYTES", 1000)
    patents = ROOT / "fixtures" / "patents"
    files = [str(patents / "qrels.txt"), str(patents / "run_broad.txt")]
    assert main(["--expect", "/dev/zero", *files]) == 2
    assert "/dev/zero:1: a line of more than 1,048,576 bytes, expected lines" in capfd.readouterr().err
    assert main(["--expect", str(ROOT / "README.md"), *files]) == 2
    assert "README.md: more than 1,000 bytes, expected a readable file" in capfd.readouterr().err


# Files that change


def test_a_run_that_grows_while_it_is_read(folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    process = start("-m", "map", "fifo", "run", folder=folder)
    with (folder / "fifo").open("w") as stream:
        stream.write("1 0 b 1\n1 0 c 0\n2 0 a 1\n")
    assert process.communicate(timeout=30)[0] == MAP, "a file that is whole before it is opened is no fault"

    from pres_eval.errors import InputError
    from pres_eval.reading.file import File

    source = File(str(folder / "run"))
    chunks = source.chunks(size=10)
    next(chunks)
    with (folder / "run").open("a") as stream:
        stream.write("2 Q0 b 1 1 t\n")
    with pytest.raises(InputError, match="run: the file changed while it was read, expected one that nobody"):
        list(chunks)


def test_a_run_that_is_another_the_second_time(folder: Path) -> None:
    from pres_eval.errors import InputError
    from pres_eval.reading.file import File

    source = File(str(folder / "run"))
    assert list(source.chunks()) and list(source.chunks())
    (folder / "new").write_text(RUN)
    (folder / "new").replace(folder / "run")
    with pytest.raises(InputError, match="the file changed while it was read"):
        list(source.chunks())


def test_a_run_that_is_rewritten_in_place(folder: Path) -> None:
    """The same file, as long as before, written to between two readings."""
    from pres_eval.errors import InputError
    from pres_eval.reading.file import File

    run = folder / "run"
    source = File(str(run))
    assert list(source.chunks())
    before = run.stat()
    run.write_text(RUN.replace("1 Q0", "2 Q0"))
    os.utime(run, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000_000))
    after = run.stat()
    assert (after.st_ino, after.st_size) == (before.st_ino, before.st_size)
    with pytest.raises(InputError, match="the file changed while it was read"):
        list(source.chunks())


def test_a_library_leaves_malloc_alone(folder: Path) -> None:
    """Only the command tells the C library how to treat memory: a library's host decides for itself."""
    code = (
        "import ctypes, sys\n"
        "real = ctypes.CDLL\n"
        "told = []\n"
        "class Spy:\n"
        "    def __init__(self, name): self.mallopt = lambda *given: told.append(given)\n"
        "ctypes.CDLL = Spy\n"
        "from pres_eval.reading.file import File\n"
        "from pres_eval.cli import main\n"
        "chunks = list(File('many').chunks(size=1000)); assert len(chunks) > 2\n"
        "assert not told\n"
        "from pres_eval.engines.memory import allow_keeping_memory\n"
        "allow_keeping_memory(); list(File('many').chunks(size=1000)); assert told\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_writes_beyond_what_one_call_takes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the system takes only a part of is written again: shown with calls that take 7 bytes at most."""
    from pres_eval.cli import streams

    taken: list[int] = []
    write = os.write

    def some(descriptor: int, data: bytes | memoryview) -> int:
        taken.append(len(data))
        return write(descriptor, bytes(data[:7]))

    target = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    monkeypatch.setattr(streams, "WRITTEN_AT_ONCE", 100)
    with contextlib.ExitStack() as closing:
        closing.callback(os.close, target)
        monkeypatch.setattr(os, "write", some)
        monkeypatch.setattr(sys, "stdout", open(target, "w", closefd=False, encoding="utf-8"))  # noqa: SIM115
        with streams.safe_streams():
            sys.stdout.write("0123456789" * 1000)
    assert (tmp_path / "out").read_text() == "0123456789" * 1000
    assert max(taken) == 100
