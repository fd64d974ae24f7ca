"""Numbers in the words of messages and reports."""

from __future__ import annotations


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 concept``, ``2,000 concepts``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
