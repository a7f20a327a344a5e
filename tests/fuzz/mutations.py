"""Small faults that can be planted in a module: another comparison, constant, operator and so on."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


_OTHER_NAMES = {
    **{"min": "max", "max": "min", "any": "all", "all": "any"},
    **{"minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin"},
    **{"floor": "ceil", "ceil": "floor", "startswith": "endswith", "endswith": "startswith"},
    **{"mean": "sum", "first": "last", "last": "first", "start": "stop", "stop": "start"},
    **{"left": "right", "right": "left"},
}
"""Functions, attributes and texts that are taken for one another."""


_OTHER_ENDS = {"0": "-1", "-1": "0", "1": "0"}
"""Indices that are taken for one another."""

_WITH_DEFAULTS = {"strip", "lstrip", "rstrip", "split", "rsplit", "encode", "decode"}
"""Methods that do something else without their last argument."""


@dataclass(frozen=True)
class Mutant:
    """One change to one module: which of the changes to which of its nodes.

    lines      the first and the last line of the statement it is in; of one with a body those before the body
    statement  these lines
    change     with (2) and so on where the module has the same text and change before
    """

    path: str
    line: int
    lines: tuple[int, int]
    statement: str
    text: str
    change: str
    node: int
    which: int

    @property
    def name(self) -> list[str]:
        """What names it among all, also as texts in files."""
        return [self.key, str(self.node), str(self.which)]

    @property
    def key(self) -> str:
        """What names the mutant as long as its line stays as it is."""
        return f"{self.path} | {self.text} | {self.change}"

    def tree(self) -> ast.Module:
        """The module with the change."""
        tree = ast.parse((ROOT / "pres_eval" / self.path).read_text())
        node = next(found for number, found in enumerate(_code(tree)) if number == self.node)
        list(changes(node))[self.which].do()
        return ast.fix_missing_locations(tree)


class Change(NamedTuple):
    """What is changed, in which line, and what does it to the tree."""

    name: str
    line: int
    do: Callable[[], None]


def changes(node: ast.AST) -> Iterator[Change]:
    """The mutations of a node."""
    line = getattr(node, "lineno", 1)
    if isinstance(node, ast.Compare):
        other = _COMPARISONS[type(node.ops[0])]
        name = f"{type(node.ops[0]).__name__} to {other.__name__}"
        yield Change(name, line, lambda: node.ops.__setitem__(0, other()))
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _OPERATORS:
        if not _adds_texts(node):
            operator = _OPERATORS[type(node.op)]
            name = f"{type(node.op).__name__} to {operator.__name__}"
            yield Change(name, line, lambda: setattr(node, "op", operator()))
    elif isinstance(node, ast.BoolOp):
        word = ast.Or if isinstance(node.op, ast.And) else ast.And
        name = f"{type(node.op).__name__} to {word.__name__}"
        yield Change(name, line, lambda: setattr(node, "op", word()))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Change("Not to bool", line, lambda: setattr(node, "op", ast.UAdd()))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        value = not node.value if isinstance(node.value, bool) else node.value + 1
        yield Change(f"{node.value} to {value}", line, lambda: setattr(node, "value", value))
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        opposite = ast.UnaryOp(op=ast.Not(), operand=node.test)
        yield Change(f"{type(node).__name__} the other way", line, lambda: setattr(node, "test", opposite))
    yield from _changes_of_parts(node, line)
    yield from _changes_of_names(node, line)
    yield from _changes_of_order(node, line)
    for name in ("body", "orelse"):
        found = getattr(node, name, None)
        block: list[ast.stmt] = found if isinstance(found, list) else []
        for number, statement in enumerate(block):
            if _can_be_left_out(statement, of_condition=isinstance(node, ast.If)):
                yield Change(
                    f"without {ast.unparse(statement)[:60]}", statement.lineno, _passing(block, number)
                )


def _changes_of_parts(node: ast.AST, line: int) -> Iterator[Change]:
    """Parts left out or exchanged: of a message, a condition, a call, a slice, a comprehension."""
    if isinstance(node, ast.JoinedStr):
        yield from _changes_of_message(node, line)
    elif isinstance(node, ast.BoolOp):
        without_effect = ast.Constant(isinstance(node.op, ast.And))
        for number, operand in enumerate(node.values):
            text = ast.unparse(operand)[:60]
            yield Change(f"without {text}", line, _replacing(node.values, number, without_effect))
    elif isinstance(node, ast.Call):
        for number, keyword in enumerate(node.keywords):
            if keyword.arg is not None and keyword.arg != "strict":
                yield Change(f"without {keyword.arg}=", line, _dropping(node.keywords, number))
    elif isinstance(node, ast.Slice):
        for end in ("lower", "upper"):
            if getattr(node, end) is not None:
                yield Change(f"without the {end} end", line, _setting(node, end, None))
    elif isinstance(node, ast.comprehension):
        for number, condition in enumerate(node.ifs):
            text = ast.unparse(condition)[:60]
            yield Change(f"without if {text}", condition.lineno, _dropping(node.ifs, number))


def _changes_of_names(node: ast.AST, line: int) -> Iterator[Change]:
    """Names, attributes and texts that are taken for others."""
    for field in ("id", "attr", "value"):
        name = getattr(node, field, None)
        if isinstance(name, str) and name in _OTHER_NAMES:
            other = _OTHER_NAMES[name]
            yield Change(f"{name} to {other}", line, _setting(node, field, other))


def _changes_of_order(node: ast.AST, line: int) -> Iterator[Change]:
    """The first taken for the last, ascending for descending, no order for one, and defaults of methods."""
    if isinstance(node, ast.Subscript):
        index = ast.unparse(node.slice)
        if index in _OTHER_ENDS:
            other = ast.parse(_OTHER_ENDS[index], mode="eval").body
            yield Change(f"[{index}] to [{_OTHER_ENDS[index]}]", line, _setting(node, "slice", other))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if not isinstance(node.operand, ast.Constant):
            yield Change("without the minus", line, _setting(node, "op", ast.UAdd()))
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "sorted" and not node.keywords:
            yield Change("sorted to list", line, _setting(node.func, "id", "list"))
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _WITH_DEFAULTS and node.args:
            last = len(node.args) - 1
            yield Change(f"{node.func.attr} without its last argument", line, _dropping(node.args, last))


def _adds_texts(node: ast.BinOp | ast.AugAssign) -> bool:
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _changes_of_message(node: ast.JoinedStr, line: int) -> Iterator[Change]:
    """A value left out, or two exchanged."""
    values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    for value in values:
        text = ast.unparse(value.value)[:60]
        yield Change(f"{text} to ?", line, _setting(value, "value", ast.Constant("?")))
    for value, following in itertools.pairwise(values):
        name = f"{ast.unparse(value.value)[:30]} for {ast.unparse(following.value)[:30]}"
        yield Change(name, line, _exchanging(value, following))


def _setting(node: ast.AST, name: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, name, value)


def _exchanging(first: ast.FormattedValue, second: ast.FormattedValue) -> Callable[[], None]:
    def exchange() -> None:
        first.value, second.value = second.value, first.value

    return exchange


def _can_be_left_out(statement: ast.stmt, *, of_condition: bool) -> bool:
    """Of a condition also what is returned or set: without it, the usual way is taken."""
    if of_condition and isinstance(statement, ast.Assign | ast.Return):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call | ast.Yield)
    return isinstance(statement, ast.AugAssign | ast.Raise | ast.Continue | ast.Break)


def _dropping(values: list[Any], number: int) -> Callable[[], None]:
    return lambda: values.__delitem__(number)


def _replacing(values: list[ast.expr], number: int, other: ast.expr) -> Callable[[], None]:
    return lambda: values.__setitem__(number, other)


def _passing(block: list[ast.stmt], number: int) -> Callable[[], None]:
    return lambda: block.__setitem__(number, ast.copy_location(ast.Pass(), block[number]))


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All mutants of a module."""
    text = path.read_text()
    lines = text.splitlines()
    name = path.relative_to(ROOT / "pres_eval").as_posix()
    tree = ast.parse(text)
    statements = _statements(tree)
    numbers = Counter[tuple[str, str]]()
    for number, node in enumerate(_code(tree)):
        for which, change in enumerate(changes(node)):
            first, last = statements.get(change.line, (change.line, change.line))
            same = lines[change.line - 1].strip(), change.name
            numbers[same] += 1
            yield Mutant(
                path=name,
                line=change.line,
                lines=(first, last),
                statement="\n".join(lines[first - 1 : last]),
                text=same[0],
                change=change.name + (f" ({numbers[same]})" if numbers[same] > 1 else ""),
                node=number,
                which=which,
            )


def _statements(tree: ast.Module) -> dict[int, tuple[int, int]]:
    """For each line the first and the last one of its innermost statement."""
    found: dict[int, tuple[int, int]] = {}
    for node in ast.walk(tree):  # outer ones come first
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
            found |= dict.fromkeys(range(node.lineno, last + 1), (node.lineno, last))
    return found


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run: no annotations, no blocks for type checkers, no values in texts, no `strict=`."""
    yield tree
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.FormattedValue):
                continue
            if (
                isinstance(child, ast.keyword) and child.arg == "strict"
            ):  # as an assertion, it changes nothing
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            yield from _code(child)
