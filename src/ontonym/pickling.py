"""Records that travel between processes are pickled as a tuple of their fields.

Python pickles a frozen dataclass that has slots with the name of each field, and looks all fields up each time; an
answer to one mention is made of thirty such records, and takes three times as long.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

_Record = TypeVar("_Record")


def pickled_as_tuple(cls: type[_Record]) -> type[_Record]:
    """The class, a dataclass of two fields or more, whose records are pickled by their values and made anew of them."""
    values = attrgetter(*(one.name for one in fields(cls)))  # type: ignore[arg-type]

    def reduced(self: _Record) -> tuple[type[_Record], Any]:
        return cls, values(self)

    cls.__reduce__ = reduced  # type: ignore[assignment,method-assign]
    return cls
