"""--output: the file appears whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest
from support.commands import Command

from pres_eval.cli.output import output_file, write_output
from pres_eval.errors import PresEvalError

posix = pytest.mark.skipif(os.name != "posix", reason="permissions, links and pipes as POSIX has them")
no_root = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="root may write anywhere")


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_writes_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    write_output(str(path), "é\n")
    assert path.read_bytes() == "é\n".encode() and names(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_keeps_the_old_file_when_something_fails(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    with pytest.raises(error), output_file(str(path)) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_text() == "old"
        raise error
    assert path.read_text() == "old" and names(tmp_path) == ["out.csv"]


@posix
def test_permissions(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("old")
    kept.chmod(0o640)
    write_output(str(kept), "new")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        write_output(str(tmp_path / "fresh"), "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target"
    target.write_text("old")
    link = tmp_path / "link"
    link.symlink_to(target)
    write_output(str(link), "new")
    assert link.is_symlink() and target.read_text() == "new" and names(target.parent) == ["target"]


@posix
def test_pipes_and_devices_are_written_to(tmp_path: Path) -> None:
    write_output(os.devnull, "x")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_output(str(pipe), "through")
    reader.join()
    assert received == [b"through"] and stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("place", ["missing/out", "."])
def test_an_error_names_the_file(tmp_path: Path, place: str) -> None:
    path = str(tmp_path / place)
    with pytest.raises(PresEvalError, match="cannot be written") as caught:
        write_output(path, "x")
    assert str(caught.value).startswith(path) and names(tmp_path) == []


@posix
@no_root
def test_a_folder_that_can_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PresEvalError, match="cannot be written"):
        write_output(str(tmp_path / "out"), "x")
    tmp_path.chmod(0o700)


def test_dash_is_stdout(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    sys.stdout.flush()
    write_output("-", "one\n")
    write_output(None, b"two\n")
    assert capfdbinary.readouterr().out == b"one\ntwo\n"


@pytest.mark.parametrize("command", [("compare",), ("overlap",), ("--output-first",)])
def test_an_html_file_has_html_tables(
    command: tuple[str, ...], call: Command, fixtures: Path, tmp_path: Path
) -> None:
    """The ending chooses the style, and another --format wins."""
    page = tmp_path / "page.html"
    runs = [fixtures / "patents" / f"run_{name}.txt" for name in ("broad", "keyword")]
    files = runs if command == ("overlap",) else [fixtures / "patents" / "qrels.txt", *runs]
    words = [] if command == ("--output-first",) else list(command)
    call.ok(*words, "--output", page, *files)
    assert "<table>" in page.read_text()
    call.ok(*words, "--output", page, "--format", "csv", *files)
    assert "<table>" not in page.read_text()


@pytest.mark.parametrize(
    ("output", "code"), [("parts/part-2", 1), ("parts_old/part-2", 0), ("part/part-2", 0)]
)
def test_only_files_of_a_run_in_parts_are_kept(
    output: str, code: int, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders whose names begin alike are others."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n")
    for folder in ("parts", "parts_old", "part"):
        Path(folder).mkdir()
        Path(folder, "part-2").write_text("1 Q0 a 1 1 run\n")
    called = command("-m", "map", "--output", output, "qrels", "parts")
    assert called.code == code and ("a file of parts," in called.err) == bool(code)
    assert (Path(output).read_text() == "1 Q0 a 1 1 run\n") == bool(code)
