"""What users give, read as what is meant: paths with ``~``, one text in place of several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ontonym.errors import InputError, WrongTypeError
from ontonym.store.lookup import AN_ID

A_MAPPING = 'what the columns of a table hold, such as ["id=code", "preferred=display"]'


def place_of(value: object, wanted: str = "a path") -> Path:
    """A path, with ``~`` for the home folder; WrongTypeError for anything else, InputError for what names no file."""
    if not isinstance(value, str | Path):
        raise WrongTypeError(value, wanted)
    if value == "" or "\0" in str(value):
        raise InputError(f"give {wanted}, not {value!r:.80}")
    return Path(value).expanduser()


def place_if_given(value: object) -> Path | None:
    """A path as of `place_of`; None stays None."""
    return None if value is None else place_of(value)


def name_or_place(value: object, wanted: str) -> str:
    """A name such as ``default``, or a path with ``~`` written out, as text."""
    return str(place_of(value, wanted))


def given_columns(value: object) -> list[str]:
    """What the columns of a table hold, as ``role=column``; a dictionary may be given from roles to columns.

    Raises WrongTypeError for anything else.
    """
    if not isinstance(value, Mapping):
        return given_texts(value, A_MAPPING)
    pairs = [(role, column) for role, some in value.items() for column in (some if isinstance(some, list) else [some])]
    return given_texts([f"{role}={column}" for role, column in pairs], A_MAPPING)


def concept_id_of(concept_id: object) -> str:
    """The id of a concept; raises WrongTypeError for anything but a text."""
    if not isinstance(concept_id, str):
        raise WrongTypeError(concept_id, AN_ID)
    return concept_id


def several(value: Any) -> Sequence[Any]:
    """The values of a list or tuple; anything else is the only one."""
    return value if isinstance(value, list | tuple) else [value]


def given_places(value: object, wanted: str) -> list[Path]:
    """One path or several."""
    return [place_of(one, wanted) for one in several(value)]


def given_files(value: object, wanted: str) -> list[str]:
    """One path or several, as text."""
    return [*map(str, given_places(value, wanted))]


def given_texts(value: object, wanted: str, read: Callable[[object], object] = lambda one: one) -> list[str]:
    """One text or several, each as ``read`` gives it; raises WrongTypeError for anything else."""
    several = [value] if isinstance(value, str) else value
    if isinstance(several, bytes | Mapping) or not isinstance(several, Iterable):
        raise WrongTypeError(value, wanted)
    texts = []
    for place, one in enumerate(map(read, several)):
        if not isinstance(one, str):
            raise WrongTypeError(one, wanted, place)
        texts.append(one)
    return texts


def values_of(value: Any) -> Any:
    """The values of a column of Arrow as Python's own; any other value as it is."""
    return value.to_pylist() if hasattr(value, "to_pylist") else value


def written_in(value: object) -> object:
    """The text of what has one, such as a document or span of spaCy; any other value as it is."""
    text = getattr(value, "text", None)
    return text if isinstance(text, str) else value
