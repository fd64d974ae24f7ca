"""Options from keywords: the names of fields of an options class, or of options inside of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass, replace
from numbers import Integral, Real
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, TypeVar

from ontonym.errors import UnknownNameError, WrongTypeError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")

_SEVERAL = "tuple[str, ...]"
"""The type of a field of several texts, as it is written."""


def chosen(given: object, defaults: Options, keywords: Mapping[str, Any], *, also: Collection[str] = ()) -> Options:
    """Options as given, or their defaults, with the fields that keywords name changed.

    A keyword may name a field of options inside of these (``k`` of ``NormalizeOptions.search``). A field that holds
    several texts takes one too, and a concept for its id. Raises WrongTypeError for options of another class and for a
    value that the field does not take, UnknownNameError for a keyword that no field has; all are what the user can fix.
    The errors list the fields, and what keywords there are ``also``.
    """
    kind, names = type(defaults), [*also, *_all_names(defaults)]
    if given is not None and not isinstance(given, kind):
        if isinstance(given, str) and "column" in also:
            raise WrongTypeError(given, "the name of a column as a keyword, `column=`")
        raise WrongTypeError(given, f"{kind.__name__}, or its fields as keywords ({', '.join(names)})")
    options = defaults if given is None else _sound(given)
    for name, value in keywords.items():
        if name not in names:
            raise UnknownNameError("option", name, names)
        options = _changed(options, name, value)
    return options


def _sound(options: Options) -> Options:
    """The options with a tuple in each field of several texts, where a list or one text was given in its place."""
    changed: dict[str, Any] = {}
    for field in fields(options):
        value = getattr(options, field.name)
        if field.type == _SEVERAL and not isinstance(value, tuple):
            changed[field.name] = _tuple(value)
            _check(field.name, field.type, changed[field.name])
        elif is_dataclass(value) and not isinstance(value, type) and (inner := _sound(value)) is not value:
            changed[field.name] = inner
    return replace(options, **changed) if changed else options


def given_to(
    keywords: Mapping[str, Any], *defaults: DataclassInstance, without: Collection[str] = (), also: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The keywords of several options classes, shared out: each goes to the first whose field it names.

    ``without`` are fields that nobody may name here. Raises UnknownNameError for any other keyword, which lists the
    fields of all and what there is ``also``.
    """
    names = [{*_all_names(one)} - {*without} for one in defaults]
    shares: list[dict[str, Any]] = [{} for _ in defaults]
    for name, value in keywords.items():
        takers = [share for share, ours in zip(shares, names, strict=True) if name in ours]
        if not takers:
            raise UnknownNameError("option", name, {*also}.union(*names))
        takers[0][name] = value
    return shares


def _changed(options: Options, name: str, value: Any) -> Options:
    for field in fields(options):
        now = getattr(options, field.name)
        if field.name == name:
            if isinstance(now, tuple):
                value = _tuple(value)
            _check(field.name, field.type, value)
            return replace(options, **{name: value})
    for field in fields(options):
        now = getattr(options, field.name)
        if is_dataclass(now) and not isinstance(now, type) and name in _all_names(now):
            return replace(options, **{field.name: _changed(now, name, value)})
    raise UnknownNameError("option", name, _all_names(options))


def _tuple(value: Any) -> tuple[Any, ...]:
    """Several values, or one in their place, with the ids of concepts that are given themselves."""
    return tuple(map(_named, value if isinstance(value, list | set | tuple) else (value,)))


def _named(value: Any) -> Any:
    """The id of a concept that is given itself; any other value as it is."""
    concept_id = getattr(value, "id", None)
    return concept_id if isinstance(concept_id, str) else value


_TAKEN: Mapping[str, tuple[str, type | tuple[type, ...]]] = MappingProxyType(
    {
        "bool": ("True or False", bool),
        "int": ("a whole number", Integral),
        "float": ("a number", Real),
        "str": ("a text", str),
        "None": ("None", NoneType),
    }
)
"""What a field of a plain type takes, in words and as types."""


def _check(name: str, kind: object, value: object) -> None:
    """Raises WrongTypeError for a value that a field of a plain type, or of several texts, does not take."""
    kinds = str(kind).split(" | ")
    if kinds == [_SEVERAL]:
        for one in value if isinstance(value, tuple) else [value]:
            if not isinstance(one, str):
                raise WrongTypeError(one, f"a text, or several, for `{name}=`")
        return
    if not all(one in _TAKEN for one in kinds):
        return
    number = isinstance(value, bool) and "bool" not in kinds
    if number or not any(isinstance(value, _TAKEN[one][1]) for one in kinds):
        raise WrongTypeError(value, f"{' or '.join(_TAKEN[one][0] for one in kinds)} for `{name}=`")


def _all_names(options: DataclassInstance) -> list[str]:
    own = [field.name for field in fields(options)]
    inner = [getattr(options, name) for name in own]
    inside = [name for one in inner if is_dataclass(one) and not isinstance(one, type) for name in _all_names(one)]
    return list(dict.fromkeys([*own, *inside]))
