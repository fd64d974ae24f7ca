"""Frozen records that are made and pickled fast: an answer to one mention is made of thirty of them.

``dataclass(frozen=True)`` sets each field by a call that goes around its own guard, and to pickle a record that has
slots it looks its fields up each time. A third of the time of making one is enough, and a tenth of that of pickling.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import wraps
from operator import attrgetter
from typing import Any, TypeVar

_Record = TypeVar("_Record")


def quick(cls: type[_Record]) -> type[_Record]:
    """The class, a frozen dataclass of several fields with slots and without subclasses, whose records are made fast.

    While its fields are set a record is one of a class of the same slots that is not frozen.
    """
    own: Any = cls
    names = [one.name for one in fields(own)]
    plain = type(cls.__name__, (), {"__slots__": tuple(names)})
    scope: dict[str, Any] = {"plain": plain, "own": cls, "missing": MISSING}
    given, steps = ["cls"], ["self = plain()"]
    for one in fields(own):
        scope[f"default_{one.name}"], scope[f"made_{one.name}"] = one.default, one.default_factory
        has_default = one.default is not MISSING or one.default_factory is not MISSING
        given.append(f"{one.name}=default_{one.name}" if has_default else one.name)
        is_made = one.default_factory is not MISSING
        value = f"made_{one.name}() if {one.name} is missing else {one.name}" if is_made else one.name
        steps.append(f"self.{one.name} = {value}")
    lines = "\n    ".join((*steps, "self.__class__ = own", "return self"))
    exec(f"def made({', '.join(given)}):\n    {lines}", scope)  # noqa: S102 (as dataclasses do; of our own fields)
    values = attrgetter(*names)
    own.__new__ = wraps(own.__init__)(scope["made"])
    own.__init__ = object.__init__  # which leaves it at what was made
    own.__reduce__ = lambda self: (cls, values(self))
    return cls
