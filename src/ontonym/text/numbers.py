"""Whole numbers that strangers wrote: Python makes none of more than 4,300 digits, and of others a mess of Unicode."""

from __future__ import annotations

_DIGITS = 18


def whole_number(text: str) -> int | None:
    """The number that 1 to 18 ASCII digits spell; None for anything else."""
    return int(text) if len(text) <= _DIGITS and text.isascii() and text.isdigit() else None
