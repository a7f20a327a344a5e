"""The sizes that the differential tests make small are those of the package; needs no trec_eval."""

from __future__ import annotations

from pathlib import Path

from fuzz.compare import small_chunks

from pres_eval.reading.file import File


def test_small_chunks_are_small(tmp_path: Path) -> None:
    """What the fuzzer patches is there, and takes effect."""
    path = tmp_path / "run"
    path.write_bytes(b"1 Q0 document 1 1.0 tag\n" * 100)
    with small_chunks():
        assert len(list(File(str(path)).chunks())) > 10
    assert len(list(File(str(path)).chunks())) == 1
