"""Docstrings that users see, whether or not Python keeps them: help, the manual, texts of measures."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import lru_cache
from typing import Any

LEVEL_WITHOUT_DOCSTRINGS = 2
"""Level of PYTHONOPTIMIZE from which on Python leaves docstrings out."""


def docstring_of(thing: Any) -> str:
    """Return the docstring of a module, a class or a function without its indentation, empty if it has none.

    If Python leaves docstrings out (`-OO`), it is read from the source.
    """
    text = thing.__doc__
    if text is None and sys.flags.optimize >= LEVEL_WITHOUT_DOCSTRINGS:
        text = _docstring_in_source(thing)
    return inspect.cleandoc(text or "")


def _docstring_in_source(thing: Any) -> str | None:
    """Return the docstring that a module, a class or a function has in its source."""
    names_in_module: list[str] = []
    if inspect.ismodule(thing):
        module = thing.__name__
    else:
        module = thing.__module__
        names_in_module = thing.__qualname__.split(".")
    node: Any = _tree_of(module)
    for name in names_in_module:
        node = _definition_in(node, name)
    return None if node is None else ast.get_docstring(node, clean=False)


def _definition_in(node: Any, name: str) -> ast.FunctionDef | ast.ClassDef | None:
    """Return the function or the class of this name in a module or a class; None if there is none."""
    for child in getattr(node, "body", ()):
        if isinstance(child, ast.FunctionDef | ast.ClassDef) and child.name == name:
            return child
    return None


@lru_cache(maxsize=64)
def _tree_of(module: str) -> ast.Module | None:
    """Return the parsed source of a module; None if there is no source, as for functions of a prompt."""
    try:
        return ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, KeyError):
        return None
