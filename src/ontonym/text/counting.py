"""Numbers in the words of messages and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 concept``, ``2,000 concepts``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def first_few(names: Iterable[str], most: int = 3) -> str:
    """The first of some ids or names, and an ellipsis if there are more."""
    first = list(islice(names, most + 1))
    return ", ".join(first[:most]) + ", …" * (len(first) > most)


def first_and_more(texts: Sequence[str], most: int) -> str:
    """The first of some texts, and how many more there are: ``a, b and 3 more``."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more:,} more" if more > 0 else "")


def singular(plural: str) -> str:
    """The singular of a plural noun: ``mapping`` of ``mappings``, ``property`` of ``properties``.

    What is no noun stays: ``replaced by``, ``with aliases``.
    """
    if plural.startswith("with "):
        return plural
    if plural.endswith("ies"):
        return f"{plural.removesuffix('ies')}y"
    return plural.removesuffix("s")
