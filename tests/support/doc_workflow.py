"""The guide to gates in CI: the command that makes the baseline, the steps of the workflow, other blocks."""

from __future__ import annotations

import re
import textwrap

STEP = re.compile(
    r"- name: (?P<name>[^\n]*)\n +run: (?:\|\n(?P<block>(?: {10}[^\n]*\n)+)|(?P<line>[^\n]*\n))"
)


def wheel(guide: str) -> str:
    """The command that makes the wheel of pres-eval."""
    return _commands(guide)[0]


def baseline(guide: str) -> str:
    """The command that makes the stored evaluation."""
    return _commands(guide)[1]


def _commands(guide: str) -> list[str]:
    """The blocks of commands, without their indent."""
    first, second = re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)
    return [textwrap.dedent(first), textwrap.dedent(second)]


def block(guide: str, mark: str) -> str:
    """The YAML behind a mark of the guide."""
    (found,) = re.findall(rf"<!-- {mark}: [^\n]*\n```yaml\n(.*?)```", guide, re.DOTALL)
    return str(found)


def steps(guide: str) -> dict[str, str]:
    """The commands of the steps, by their names."""
    workflow = block(guide, "steps")
    found = {match["name"]: match["block"] or match["line"] for match in STEP.finditer(workflow)}
    assert len(found) == workflow.count("run:") == 5
    return found
