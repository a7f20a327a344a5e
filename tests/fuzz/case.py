"""One case of the fuzzer: files as lists of lines, options that can be dropped one by one."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path

Lines = tuple[bytes, ...]
"""The lines of a file, each with its own end."""


@dataclass(frozen=True)
class Case:
    """Input files and options, for trec_eval and for us.

    version   the trec_eval to compare with
    qrels, run, zscores   the files (no Z-scores: None)
    options   groups of arguments; each group can be left out without breaking another
    trailing  how many of the groups come after the two files on the command line
    jobs      threads that ours may use, or processes (see compare.COPIES)
    small     whether ours reads in chunks of some lines and scores some topics at a time
    """

    version: str
    qrels: Lines
    run: Lines
    options: tuple[tuple[str, ...], ...]
    zscores: Lines | None = None
    trailing: int = 0
    jobs: int = 1
    small: bool = False

    def files(self) -> dict[str, bytes]:
        files = {"qrels": b"".join(self.qrels), "run": b"".join(self.run)}
        return files if self.zscores is None else {**files, "zscores": b"".join(self.zscores)}

    def write(self, folder: Path) -> None:
        for name, content in self.files().items():
            (folder / name).write_bytes(content)

    def arguments(self, folder: str = "") -> list[str]:
        """trec_eval's command line, with the files in a folder."""
        at = f"{folder}/" if folder else ""
        groups = [[f"{at}zscores" if part == "ZSCORES" else part for part in group] for group in self.options]
        split = len(groups) - self.trailing
        before = [part for group in groups[:split] for part in group]
        after = [part for group in groups[split:] for part in group]
        return [*before, f"{at}qrels", f"{at}run", *after]

    def our_arguments(self, folder: str = "") -> list[str]:
        """The same for us; without -m ours would add PRES, so the official measures are named."""
        chosen = any(part.startswith(("-m", "--me")) for group in self.options for part in group)
        extra = ["--compat", self.version, "--jobs", str(self.jobs), "--quiet"]
        return [*extra, *([] if chosen else ["-m", "official"]), *self.arguments(folder)]

    def without_option(self, index: int) -> Case:
        """The case without one group of options, and without the file that only it names."""
        options = (*self.options[:index], *self.options[index + 1 :])
        zscores = self.zscores if any("ZSCORES" in group for group in options) else None
        trailing = self.trailing - (index >= len(self.options) - self.trailing)
        return replace(self, options=options, zscores=zscores, trailing=trailing)

    def text(self) -> str:
        """The case as a person can type it again: the files, then both commands."""
        parts = []
        for name, content in self.files().items():
            shown = "".join(f"    {line!r}\n" for line in content.split(b"\n"))
            parts.append(f"{name}:\n{shown}")
        parts.append(f"trec_eval {self.version}: trec_eval {shlex.join(self.arguments())}\n")
        parts.append(f"ours: python -m pres_eval {shlex.join(self.our_arguments())}\n")
        if self.small:
            parts.append("(read in small chunks: see fuzz.compare.small_chunks)\n")
        return "".join(parts)
