"""Releases: nothing that scripts rely on goes unnoticed; the steps and the recipe name what there is."""

from __future__ import annotations

import copy
import json
import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from support.public_api import STORED, Listing, broken, may_break, public_api
from support.workflows import ROOT

from pres_eval import __version__

pytestmark = pytest.mark.slow

CONTRIBUTING = (ROOT / "docs" / "maintainers" / "contributing.md").read_text(encoding="utf-8")
STEPS = CONTRIBUTING.partition("\n## Release\n")[2]
SETTINGS = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
RECIPE = (ROOT / "docs" / "recipe.yaml").read_text(encoding="utf-8")
NOW = public_api()


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def test_nothing_is_gone_since_the_last_release() -> None:
    """Unless the first number of the version has grown."""
    last = json.loads(STORED.read_text(encoding="utf-8"))
    assert numbers(last["version"]) <= numbers(__version__)
    assert may_break(last, NOW) or broken(last, NOW) == []


def change(*path: str, to: Any = None) -> Callable[[Listing], None]:
    """Something of the listing is another one, or gone."""

    def changed(api: Listing) -> None:
        *outer, last = path
        for key in outer:
            api = api[key]
        if to is None:
            api.pop(last)
        else:
            api[last] = to

    return changed


EVALUATE = "pres_eval.evaluate"
ARGUMENTS = NOW["python"][EVALUATE]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (change("python", EVALUATE), "pres_eval.evaluate: gone"),
        (change("python", EVALUATE, to=ARGUMENTS[1:]), "argument qrels is gone"),
        (change("python", EVALUATE, to=[*ARGUMENTS, "keyword_only more"]), "argument more is new and must"),
        (change("python", EVALUATE, to=[*ARGUMENTS[1::-1], *ARGUMENTS[2:]]), "in another order"),
        (
            change("python", EVALUATE, to=["keyword_only qrels", *ARGUMENTS[1:]]),
            "argument qrels was positional",
        ),
        (change("python", EVALUATE, to=[each.removesuffix("=") for each in ARGUMENTS]), "must be given"),
        (change("options", "compare", "--test"), "compare --test: gone"),
        (change("options", "pres-eval", "-q", to=True), "pres-eval -q: value"),
        (change("options", "check"), "check --strict: gone"),
        (change("measures", to=["map"]), "measures PRES: gone"),
        (change("formats", to=["trec"]), "formats json: gone"),
        (change("exit codes", to=[0, 1]), "exit codes 3: gone"),
        (change("nicknames", "10.0", to=[]), "-m official: gone (10.0)"),
    ],
)
def test_what_is_gone_is_noticed(changed: Callable[[Listing], None], said: str) -> None:
    later = copy.deepcopy(NOW)
    changed(later)
    assert any(said in fault for fault in broken(NOW, later)), broken(NOW, later)
    later["version"] = f"{numbers(NOW['version'])[0] + 1}.0.0"
    assert may_break(NOW, later)


@pytest.mark.parametrize(
    "changed",
    [
        change("python", "pres_eval.more", to=[]),
        change("python", EVALUATE, to=[*ARGUMENTS, "keyword_only more="]),
        change("options", "check", "--more", to=True),
        change("measures", to=["first", *NOW["measures"]]),
    ],
)
def test_what_is_added_breaks_nothing(changed: Callable[[Listing], None]) -> None:
    later = copy.deepcopy(NOW)
    changed(later)
    assert broken(NOW, later) == []
    assert not may_break(NOW, later)


def test_the_recipe_is_that_of_the_metadata() -> None:
    recipe = yaml.safe_load(RECIPE)
    assert recipe["context"]["version"] == __version__
    (core,) = re.findall(r"^dependencies = (\[.*\])$", SETTINGS, re.MULTILINE)
    needed = {text.replace(">=", " >=") for text in json.loads(core)}
    assert {text for text in recipe["requirements"]["run"] if not text.startswith("python ")} == needed
    (backend,) = re.findall(r'^requires = \["(\w+)"\]$', SETTINGS, re.MULTILINE)
    assert backend in recipe["requirements"]["host"]
    (command,) = recipe["build"]["python"]["entry_points"]
    name, _, target = command.partition(" = ")
    assert f'{name} = "{target}"' in SETTINGS
    assert recipe["about"]["summary"] in SETTINGS and recipe["about"]["license"] in SETTINGS


def test_the_steps_name_what_there_is() -> None:
    """The checks of the rehearsal are those of the workflow; files and this version are named as they are."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    checked = {step.get("name"): step.get("run", "") for step in workflow["jobs"]["build"]["steps"]}
    tools = re.sub(r"build/tools/bin/", "", STEPS)
    assert [
        line
        for line in checked["Check the files"].splitlines()
        if line.removeprefix("python -m ") not in tools
    ] == []
    assert shlex.split(checked["Build"].splitlines()[-1]) == ["python", "-m", "build"]
    assert f"git tag -s v{__version__} " in STEPS
    for name in re.findall(r"`([\w./-]+\.(?:py|md|yaml|cff|json|1))`", STEPS):
        assert (
            any((ROOT / place / name).exists() for place in (".", ".github/workflows"))
            or name == "release.yml"
        )


def test_history_of_speed_has_no_version_twice() -> None:
    rows = json.loads((ROOT / "docs" / "speed.json").read_text(encoding="utf-8"))
    versions = [numbers(row["version"]) for row in rows]
    assert versions == sorted(versions) and len({str(each) for each in versions}) == len(rows) >= 5
    assert versions[-1] <= numbers(__version__)
    assert all(0 < row["seconds"] < row["pytrec_eval"] for row in rows)
