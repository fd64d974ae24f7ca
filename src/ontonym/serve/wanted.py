"""Whether anybody waits for what a thread computes: the server says so, and long work asks from time to time."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

_is_answered: ContextVar[Callable[[], bool]] = ContextVar("is_answered")


class AbandonedSearch(Exception):
    """Nobody waits for this search any longer."""


def ask_until(is_answered: Callable[[], bool]) -> None:
    """From now on the work of this thread is wanted until ``is_answered`` is true."""
    _is_answered.set(is_answered)


def check_wanted() -> None:
    """Raises AbandonedSearch where the request that this thread works for was answered meanwhile: it took too long."""
    is_answered = _is_answered.get(None)
    if is_answered is not None and is_answered():
        raise AbandonedSearch
