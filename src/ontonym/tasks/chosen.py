"""Options from keywords: the names of fields of an options class, or of options inside of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ontonym.errors import UnknownNameError, WrongTypeError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")


def chosen(given: object, defaults: Options, keywords: Mapping[str, Any]) -> Options:
    """Options as given, or their defaults, with the fields that keywords name changed.

    A keyword may name a field of options inside of these (``k`` of ``NormalizeOptions.search``). A field that holds
    several texts takes one too. Raises WrongTypeError for options of another class, UnknownNameError for a keyword that
    no field has; both are what the user can mend.
    """
    kind = type(defaults)
    if given is not None and not isinstance(given, kind):
        raise WrongTypeError(given, f"{kind.__name__}, or its fields as keywords ({', '.join(_all_names(defaults))})")
    options = defaults if given is None else given
    for name, value in keywords.items():
        options = _changed(options, name, value)
    return options


def _changed(options: Options, name: str, value: Any) -> Options:
    for field in fields(options):
        now = getattr(options, field.name)
        if field.name == name:
            if isinstance(now, tuple) and isinstance(value, str):
                value = (value,)
            elif isinstance(now, tuple) and isinstance(value, list | set):
                value = tuple(value)
            return replace(options, **{name: value})
    for field in fields(options):
        now = getattr(options, field.name)
        if is_dataclass(now) and not isinstance(now, type) and name in _all_names(now):
            return replace(options, **{field.name: _changed(now, name, value)})
    raise UnknownNameError("option", name, _all_names(options))


def _all_names(options: DataclassInstance) -> list[str]:
    own = [field.name for field in fields(options)]
    inner = [getattr(options, name) for name in own]
    inside = [name for one in inner if is_dataclass(one) and not isinstance(one, type) for name in _all_names(one)]
    return list(dict.fromkeys([*own, *inside]))
