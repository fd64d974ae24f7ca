"""What a measured value says: "BP 180/110" is a high blood pressure, "K 6.2" hyperkalemia, "temp of 39" fever.

Limits are those beyond which adults are treated or looked into; a value between them says nothing, and one that the
measure cannot have is another number. Where several units are in use, that of the text tells which one is meant, or the
value does; a value without a unit that is low in one and high in another ("glucose 25") says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from ontonym.text.patterns import longest_first
from ontonym.text.tables import table


class Scale(NamedTuple):
    """A range of values that a measure has in one unit, and what it means to be below or above its limits.

    ``units`` are the forms of the unit, none where it has none. ``lowest`` and ``highest`` are the range; a value below
    ``low`` means ``below``, one from ``high`` on ``above``, which are empty where it says nothing.
    """

    units: frozenset[str]
    lowest: float
    low: float
    high: float
    highest: float
    below: str
    above: str

    def told(self, value: float) -> str:
        """What a value of the range says, empty where it is within the limits."""
        return self.below if value < self.low else self.above if value >= self.high else ""


_NUMBER = r"\d{1,4}(?:[.,]\d{1,3})?"


@cache
def scales() -> Mapping[str, tuple[Scale, ...]]:
    """The scales of each measure (``values.tsv``), by the forms in which people write it, in lower case."""
    found: dict[str, list[Scale]] = {}
    for row in table("values.tsv"):
        lowest, highest = float(row["lowest"]), float(row["highest"])
        low, high = float(row["low"] or "-inf"), float(row["high"] or "inf")
        units = frozenset(filter(None, row["unit"].split("|")))
        scale = Scale(units, lowest, low, high, highest, row["below"], row["above"])
        for form in row["measure"].split("|"):
            found.setdefault(form, []).append(scale)
    return MappingProxyType({form: tuple(some) for form, some in found.items()})


@cache
def _value() -> re.Pattern[str]:
    measure = longest_first(scales())
    unit = longest_first({unit for some in scales().values() for scale in some for unit in scale.units})
    unit = unit.replace("umol", "[uµμ]mol")
    degrees = r"(?:°|degrees|deg)"
    return re.compile(
        # "K 6.2", "temp of 39 °C", "INR: 1.1"; none in "vitamin K 50", "K 3-4", "SpO2 90%"
        rf"(?<![\w/+-])(?<!\d )(?<!vitamin )(?<!vit )(?P<measure>{measure})"
        rf"\s*(?:of|is|was|at|up\s+to|down\s+to|[:=<>≥≤])?\s*(?P<value>{_NUMBER})(?![\w.,]*\d|\s*[-–/]\s*\d)"
        rf"(?:\s*{degrees}?\s*(?P<unit>{unit})(?!\w)|\s*{degrees})?(?![\w%])",
        re.IGNORECASE,
    )


_PRESSURE = re.compile(
    r"""
    (?<![\w/]) (?:bp|blood\s+pressure) \s*(?:of|is|was|at|[:=])?\s*
    (?P<over>\d{2,3}) \s*(?:/|over)\s* (?P<under>\d{2,3}) (?:\s*mm\s?hg)? (?![\w/])   # "BP 180/110", "bp is 95 over 60"
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_SYMBOLS = frozenset("k k+ na na+ ca mg cr hr rr bm".split())
"""Measures that are something else in small letters, such as a unit."""

_HIGH_OVER, _HIGH_UNDER, _LOW_OVER = 140, 90, 90


def values_in_words(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The text with each value beyond its limits as the finding it is, and what was replaced by what; nothing is in a
    text without such a value.
    """
    if not _DIGIT.search(text):
        return text, ()
    changes: list[tuple[str, str]] = []

    def replaced(found: re.Match[str], said: str) -> str:
        if not said:
            return found[0]
        changes.append((found[0].strip(), said))
        return said.upper() if text.isupper() and found[0].strip() != text.strip() else said

    said = _PRESSURE.sub(lambda found: replaced(found, _pressure(int(found["over"]), int(found["under"]))), text)
    said = _value().sub(lambda found: replaced(found, _meaning(found["measure"], found["value"], found["unit"])), said)
    return said, tuple(changes)


def _pressure(over: int, under: int) -> str:
    if not 40 <= over <= 300 or not 20 <= under < over:
        return ""
    if over >= _HIGH_OVER or under >= _HIGH_UNDER:
        return "high blood pressure"
    return "low blood pressure" if over < _LOW_OVER else ""


def _meaning(measure: str, value: str, unit: str | None) -> str:
    """What a value says by the scales of its unit, or by all whose range has it; empty where they do not agree."""
    form, number = " ".join(measure.lower().split()), float(value.replace(",", "."))
    if form in _SYMBOLS and measure.islower():
        return ""
    given = (unit or "").lower().replace("µ", "u").replace("μ", "u")
    told = {
        scale.told(number)
        for scale in scales()[form]
        if scale.lowest <= number <= scale.highest and (not given or not scale.units or given in scale.units)
    }
    return told.pop() if len(told) == 1 else ""
