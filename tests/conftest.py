"""What several test modules share: the real command, trec_eval where there is one, shared data."""

from __future__ import annotations

import functools
import gc
import itertools
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from support import commands, prepared
from support.browser import Browser

settings.register_profile("ci", derandomize=True, print_blob=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")

QUICK_EXAMPLES, FEWEST_EXAMPLES = 3, 4
"""Examples of each property in the quick run (-m 'not slow'), and the fewest in the whole suite."""

SHARE_OF_EXAMPLES = 5
"""The whole suite tries one in five of the examples that a property names, as does --cov.

PRES_EVAL_EXAMPLES=all tries all of them: by hand, after a change of what a property is about.
"""

FOLDER_NUMBERS = itertools.count()
"""The numbers of the folders that tests have got, each once."""

ROOT = Path(__file__).parent.parent
Command = Callable[..., "subprocess.CompletedProcess[bytes]"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let properties be tried with few examples where few are enough."""
    if os.environ.get("PRES_EVAL_EXAMPLES") == "all":
        return
    quick = config.option.markexpr == "not slow"
    # Once for each function: parametrised items share it.
    for function in {getattr(item, "function", None): None for item in items}:
        own: settings | None = getattr(function, "_hypothesis_internal_use_settings", None)
        if own is None:
            continue
        examples = QUICK_EXAMPLES if quick else max(FEWEST_EXAMPLES, own.max_examples // SHARE_OF_EXAMPLES)
        if own.max_examples > examples:
            vars(function)["_hypothesis_internal_use_settings"] = settings(own, max_examples=examples)


def pytest_configure(config: pytest.Config) -> None:
    """Let commands be interrupted also where a shell that ignores interrupts runs the suite behind it.

    Neighbouring tests go to one worker, so that few clusters, servers and browsers are started twice.
    """
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "worksteal"
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep what was imported out of garbage collections, which some of what we compare with asks for."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def bytecode(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let commands compile the package once a session, where nothing may be written beside the sources."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        folder = tmp_path_factory.getbasetemp()
        shared_by_workers = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
        os.environ["PYTHONPYCACHEPREFIX"] = str(shared_by_workers / "bytecode")


@pytest.fixture(scope="session")
def folder_of_all_tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the folders of the tests."""
    return tmp_path_factory.mktemp("each", numbered=False)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, folder_of_all_tests: Path) -> Path:
    """A folder of the test's own.

    pytest's fixture looks at all folders of the session for each new one: 6 ms where there are 6000.
    """
    # Without _ before the hyphen, which Markdown tables escape.
    words = re.sub(r"\W", "_", request.node.name)[:30].rstrip("_")
    folder = folder_of_all_tests / f"{words}-{next(FOLDER_NUMBERS)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The folder fixtures/."""
    return ROOT / "fixtures"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data beside the checkout; the test is skipped where there is none."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no ../shared beside the checkout")
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built offline by the build backend of pyproject.toml."""
    pytest.importorskip("hatchling", reason="no hatchling here to build with")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    return folder


@pytest.fixture(scope="session")
def pres_eval() -> Command:
    """The command in a process of its own, which starts at once: stdout and stderr are bytes."""
    return functools.partial(_run_process, [prepared.program()])


@pytest.fixture(scope="session")
def new_process() -> Command:
    """The command as users start it, `python -m pres_eval ARGUMENTS`: stdout and stderr are bytes."""
    return functools.partial(_run_process, [sys.executable, "-m", "pres_eval"])


def _run_process(
    program: list[str], *arguments: str | Path, stdin: bytes | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [*program, *map(str, arguments)],
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def call(capfdbinary: pytest.CaptureFixture[bytes]) -> commands.Command:
    """pres-eval in this process: `call.ok(ARGUMENTS)` gives what it printed; some files write input first."""
    return commands.Command(capfdbinary)


@pytest.fixture
def command(capfdbinary: pytest.CaptureFixture[bytes]) -> commands.Command:
    """The same without any input."""
    return commands.Command(capfdbinary)


@pytest.fixture(scope="session")
def browser_of_all_tests() -> Iterator[Browser]:
    """Chromium, which takes a second to start."""
    with Browser() as opened:
        yield opened


@pytest.fixture
def browser(browser_of_all_tests: Browser) -> Iterator[Browser]:
    """A browser of usual size without messages; tests that want a page open it."""
    browser_of_all_tests.messages()
    yield browser_of_all_tests
    browser_of_all_tests.as_window()


@pytest.fixture(scope="session")
def trec_eval() -> Callable[[str], str]:
    """The binary of a version, as TREC_EVAL_9 or TREC_EVAL_10 name it; skips where none is named."""
    variables = {"9.0.8": "TREC_EVAL_9", "10.0": "TREC_EVAL_10"}

    def binary(version: str) -> str:
        variable = variables[version]
        path = os.environ.get(variable)
        if not path:
            pytest.skip(f"{variable} names no trec_eval {version}")
        return path

    return binary
