"""Whether anybody waits for what a thread computes: a server says so, and long work asks from time to time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_answered: ContextVar[Callable[[], bool]] = ContextVar("is_answered")


class AbandonedSearch(Exception):
    """Nobody waits for this search any longer."""


@contextmanager
def wanted_until(is_answered: Callable[[], bool]) -> Iterator[None]:
    """The work of this thread in the block is wanted until ``is_answered`` is true."""
    before = _is_answered.set(is_answered)
    try:
        yield
    finally:
        _is_answered.reset(before)


def check_wanted() -> None:
    """Raises AbandonedSearch where nobody waits for this thread's work any longer; never outside of `wanted_until`."""
    is_answered = _is_answered.get(None)
    if is_answered is not None and is_answered():
        raise AbandonedSearch
