"""Numbers in the words of messages and reports."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

_FEW = 3


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 concept``, ``2,000 concepts``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def first_few(ids: Iterable[str]) -> str:
    """The first three of some ids, and an ellipsis if there are more."""
    first = list(islice(ids, _FEW + 1))
    return ", ".join(first[:_FEW]) + "…" * (len(first) > _FEW)


def singular(plural: str) -> str:
    """The singular of a plural noun: ``mapping`` of ``mappings``, ``property`` of ``properties``.

    What is no noun stays: ``replaced by``, ``with aliases``.
    """
    if plural.startswith("with "):
        return plural
    if plural.endswith("ies"):
        return f"{plural.removesuffix('ies')}y"
    return plural.removesuffix("s")
