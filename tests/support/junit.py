"""JUnit XML: the elements and attributes of Jenkins' schema, and `file`, of which GitLab makes a link."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

NEEDED = {
    "testsuites": set(),
    "testsuite": {"name", "tests", "failures", "errors"},
    "testcase": {"name"},
    "failure": set(),
    "error": set(),
    "skipped": set(),
    "system-out": set(),
    "system-err": set(),
}
ALLOWED = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
    "testcase": {"time", "classname", "group", "file"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
}
INSIDE = {
    "testsuites": {"testsuite"},
    "testsuite": {"testsuite", "testcase", "system-out", "system-err"},
    "testcase": {"skipped", "error", "failure", "system-out", "system-err"},
}
COUNTED = {"tests": "testcase", "failures": "failure", "errors": "error"}


def faults(root: Element) -> list[str]:
    """What a strict reader would refuse."""
    found = [] if root.tag in {"testsuites", "testsuite"} else [f"root {root.tag}"]
    return [*found, *(fault for element in root.iter() for fault in _faults(element))]


def _faults(element: Element) -> Iterator[str]:
    tag = element.tag
    needed, allowed = NEEDED.get(tag, set()), ALLOWED.get(tag, set())
    yield from (f"{tag}: no {name}" for name in needed - set(element.keys()))
    yield from (f"{tag}: {name}" for name in set(element.keys()) - needed - allowed)
    yield from (f"{tag} with {child.tag}" for child in element if child.tag not in INSIDE.get(tag, set()))
    if tag == "testsuite":
        for attribute, counted in COUNTED.items():
            number = sum(1 for _ in element.iter(counted))
            if element.get(attribute) != str(number):
                yield f"{attribute}={element.get(attribute)}, but {number}"
