"""Records are dataclasses in all that can be seen of them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest

from pres_eval.records import dataclass


@dataclass(frozen=True)
class Ours:
    """A record."""

    first: int
    second: str = "b"
    kept: list[int] = dataclasses.field(default_factory=list, repr=False)


@dataclass(frozen=True, kw_only=True)
class OursNamed(Ours):
    """One more field, by name alone."""

    third: float


@dataclasses.dataclass(frozen=True)
class Theirs:
    """A record."""

    first: int
    second: str = "b"
    kept: list[int] = dataclasses.field(default_factory=list, repr=False)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TheirsNamed(Theirs):
    """One more field, by name alone."""

    third: float


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, "x"), {}),
    ((1,), {"second": "x", "kept": [3]}),
    ((), {"first": 1, "third": 2.0}),
    ((1, "x", [], 2.0), {}),
    ((), {}),
    ((1,), {"first": 1, "third": 2.0}),
    ((1,), {"fourth": 4, "third": 2.0}),
]


def outcome(kind: type, arguments: tuple[Any, ...], named: dict[str, Any]) -> object:
    """What can be seen of a record made so, or that it is none."""
    try:
        record: Any = kind(*arguments, **named)
    except TypeError:
        return TypeError
    return (
        repr(record).replace("Theirs", "Ours"),
        dataclasses.asdict(record),
        record == kind(*arguments, **named),
        record == dataclasses.replace(record, first=2),
        record == 1,
    )


@pytest.mark.parametrize(("arguments", "named"), CALLS)
@pytest.mark.parametrize(("ours", "theirs"), [(Ours, Theirs), (OursNamed, TheirsNamed)])
def test_records_are_as_dataclasses(
    ours: type, theirs: type, arguments: tuple[Any, ...], named: dict[str, Any]
) -> None:
    assert outcome(ours, arguments, named) == outcome(theirs, arguments, named)


def test_signatures_are_as_those_of_dataclasses() -> None:
    for ours, theirs in ((Ours, Theirs), (OursNamed, TheirsNamed)):
        shown = str(inspect.signature(ours)).replace("<class 'list'>", "<factory>")
        assert shown == str(inspect.signature(theirs))


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'first'"):
        Ours()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        Ours(1, other=2)  # type: ignore[call-arg]


@pytest.mark.parametrize("change", [lambda r: setattr(r, "first", 2), lambda r: delattr(r, "first")])
def test_records_do_not_change(change: Callable[[Any], None]) -> None:
    record = Ours(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match=re.escape("field 'first'")):
        change(record)
    assert record.first == 1


def test_equal_records_are_one_key() -> None:
    @dataclass(frozen=True)
    class Pair:
        left: int
        right: int

    assert {Pair(1, 2): "a"}[Pair(1, 2)] == "a"
    assert Pair(1, 2) != Pair(2, 1)


def test_records_can_be_copied_and_pickled() -> None:
    record = Ours(1, kept=[2])
    assert pickle.loads(pickle.dumps(record)) == record == copy.deepcopy(record)


def test_users_dataclasses_can_inherit_from_records() -> None:
    @dataclasses.dataclass(frozen=True)
    class Own(Ours):
        more: int = 3

    assert repr(Own(1)).endswith("Own(first=1, second='b', more=3)")


def test_each_default_is_made_anew() -> None:
    assert Ours(1).kept is not Ours(1).kept
