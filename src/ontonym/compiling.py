"""Functions that numba compiles; it is imported when the first of them is defined, so their modules are imported late.

What is compiled is kept beside the source file, or in numba's folder in the user's cache where that is not writable.
It is kept by the source file alone: a compiled function takes what other files define as an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from types import UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def compiled(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Compiles a function for the types of the arguments with which it is called, when it first is.

    It runs without Python's lock. Floating-point numbers are added and multiplied in the order that is written.
    """
    from numba import njit

    made: Callable[_Given, _Result] = njit(nogil=True, cache=True, error_model="numpy")(function)
    return made


def loop(*written: str) -> Callable[[Callable[_Given, _Result]], Callable[_Given, _Result]]:
    """Compiles a function when its module is imported, for the types that its annotations name, and for no others.

    Arrays are of one dimension and contiguous. Those ``written`` to are named; all others may be read-only, as mapped
    files are. Nothing is then compiled in the midst of a search; another type of array raises TypeError.
    """

    def decorated(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
        made: Any = compiled(function)
        hints = get_type_hints(function)
        del hints["return"]
        for types in product(*(_types(hint, name in written) for name, hint in hints.items())):
            made.compile(types)
        made.disable_compile()
        found: Callable[_Given, _Result] = made
        return found

    return decorated


def _types(hint: Any, is_written: bool) -> list[Any]:
    """numba's types for an annotation: a number, an array, or one of several."""
    from numba import from_dtype, types

    if get_origin(hint) in (Union, UnionType):
        return [found for one in get_args(hint) for found in _types(one, is_written)]
    if hint in (bool, int, float):
        return [{bool: types.boolean, int: types.int64, float: types.float64}[hint]]
    (kind,) = get_args(get_args(hint)[1])
    import numpy as np

    return [types.Array(from_dtype(np.dtype(kind)), 1, "C", readonly=not is_written)]
