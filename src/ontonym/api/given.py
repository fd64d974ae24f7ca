"""What users give, read as what is meant: paths with ``~``, keywords as options, one text in place of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ontonym.errors import UnknownNameError, WrongTypeError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")


def place_of(value: object, wanted: str = "a path") -> Path:
    """A path, with ``~`` for the home folder; raises WrongTypeError for anything else."""
    if not isinstance(value, str | Path):
        raise WrongTypeError(value, wanted)
    return Path(value).expanduser()


def name_or_place(value: object, wanted: str) -> str:
    """A name such as ``default``, or a path with ``~`` written out, as text."""
    return str(place_of(value, wanted))


def concept_id_of(concept_id: object) -> str:
    """The id of a concept; raises WrongTypeError for anything but a text."""
    if not isinstance(concept_id, str):
        raise WrongTypeError(concept_id, 'the id of a concept as text, such as "HP:0001250"')
    return concept_id


def given_places(value: object, wanted: str) -> list[Path]:
    """One path or several."""
    several = value if isinstance(value, list | tuple) else [value]
    return [place_of(one, wanted) for one in several]


def given_texts(value: object, wanted: str) -> list[str]:
    """One text or several; raises WrongTypeError for anything else."""
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, Iterable):
        raise WrongTypeError(value, wanted)
    texts = list(several)
    for one in texts:
        if not isinstance(one, str):
            raise WrongTypeError(one, wanted)
    return texts


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
