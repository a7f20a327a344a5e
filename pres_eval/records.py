"""Records: frozen dataclasses that are fast to make, for modules that every run of the command imports.

`dataclasses.dataclass` writes the methods of each class as text and compiles it, which takes a third of a
millisecond: for 50 classes 17 ms, an eighth of a small run.  Here all classes share the same few methods.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
    from inspect import Signature
else:

    def dataclass(kind=None, *, frozen=True, eq=True, kw_only=False):
        """Make a class a frozen record as `dataclasses.dataclass` does; `dataclasses.fields` takes it too.

        Other than there, `compare` and `hash` of fields have no effect, nor have `__eq__` and `__hash__` that
        the class defines; no record uses these.  `__init__` takes fields with `init=False` too.
        """
        assert frozen, "records don't change"
        if kind is None:
            return partial(dataclass, eq=eq, kw_only=kw_only)
        # The standard library does what needs no generated source.  It is told that a class is frozen only
        # where it demands that: for one that inherits from a record.  Of others it would compile methods.
        inherits = any(dataclasses.is_dataclass(base) for base in kind.__bases__)
        dataclasses.dataclass(init=False, repr=False, eq=False, frozen=inherits, kw_only=kw_only)(kind)
        kind.__dataclass_params__.frozen = True
        fields = dataclasses.fields(kind)
        missing = dataclasses.MISSING
        # Facts about this class for the methods that all classes share.
        kind._field_facts = SimpleNamespace(
            names=tuple([field.name for field in fields]),
            all_names=frozenset([field.name for field in fields]),
            shown=tuple([field.name for field in fields if field.repr]),
            positional=tuple([field.name for field in fields if not field.kw_only]),
            has_post_init=hasattr(kind, "__post_init__"),
            defaults={field.name: field.default for field in fields if field.default is not missing},
            factories=[
                (field.name, field.default_factory)
                for field in fields
                if field.default_factory is not missing
            ],
        )
        kind.__init__, kind.__signature__ = _init, _SignatureWhenAsked()
        kind.__setattr__ = kind.__delattr__ = _refuse
        if "__repr__" not in kind.__dict__:
            kind.__repr__ = _repr
        if eq:
            kind.__eq__, kind.__hash__ = _equal, _hash
        return kind


class _SignatureWhenAsked:
    """The signature of a class, for `help` and for errors; made when it is first used."""

    def __get__(self, instance: object, kind: Any) -> Signature:
        """Return the signature that `inspect` and editors show."""
        from inspect import Parameter, Signature

        parameters = []
        for field in dataclasses.fields(kind):
            default = field.default if field.default is not dataclasses.MISSING else field.default_factory
            parameters.append(
                Parameter(
                    field.name,
                    Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
                    default=default if default is not dataclasses.MISSING else Parameter.empty,
                    annotation=field.type,
                )
            )
        return Signature(sorted(parameters, key=lambda parameter: parameter.kind), return_annotation=None)


def _init(self: Any, /, *arguments: Any, **named: Any) -> None:
    """Set all fields: the `__init__` that all records share."""
    fields = self._field_facts
    values = self.__dict__
    values.update(fields.defaults)
    has_wrong = False
    if arguments:
        by_place = fields.positional[: len(arguments)]
        has_wrong = len(by_place) < len(arguments) or not named.keys().isdisjoint(by_place)
        values.update(zip(by_place, arguments, strict=False))
    values.update(named)
    for name, make in fields.factories:
        if name not in values:
            values[name] = make()
    if has_wrong or values.keys() != fields.all_names:
        type(self).__signature__.bind(*arguments, **named)  # raises the TypeError that Python would raise
    if fields.has_post_init:
        self.__post_init__()


def _values(record: Any) -> tuple[Any, ...]:
    """Return the values of all fields, in the order of the class."""
    return tuple([getattr(record, name) for name in record._field_facts.names])


def _repr(self: Any) -> str:
    shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in self._field_facts.shown])
    return f"{type(self).__qualname__}({shown})"


def _equal(self: object, other: object) -> bool:
    return _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def _hash(self: object) -> int:
    return hash(_values(self))


def _refuse(self: object, name: str, *value: object) -> None:
    """Refuse to assign a value to a field, or to delete it."""
    fault = "cannot assign to field" if value else "cannot delete field"
    raise dataclasses.FrozenInstanceError(f"{fault} {name!r}")
