"""Frozen records that are made and pickled fast: an answer to one mention is made of thirty of them.

``dataclass(frozen=True)`` sets each field by a call that goes around its own guard, and to pickle a record that has
slots it looks its fields up each time. A third of the time of making one is enough, and a tenth of that of pickling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from functools import wraps
from operator import attrgetter
from typing import Any, TypeVar

_Record = TypeVar("_Record")


def quick(cls: type[_Record]) -> type[_Record]:
    """The class, a frozen dataclass of several fields with slots and without subclasses, whose records are made fast.

    While its fields are set a record is one of a class of the same slots that is not frozen.
    """
    own: Any = cls
    columns = [
        (one.name, one.type, field(default=one.default, default_factory=one.default_factory)) for one in fields(own)
    ]
    plain: Any = make_dataclass(cls.__name__, columns, slots=True)
    filled: Callable[..., None] = plain.__init__
    values = attrgetter(*(name for name, *_ in columns))

    @wraps(own.__init__)
    def made(self: Any, *args: Any, **named: Any) -> None:
        object.__setattr__(self, "__class__", plain)
        filled(self, *args, **named)
        self.__class__ = cls

    own.__init__ = made
    own.__reduce__ = lambda self: (cls, values(self))
    return cls
