"""What a measured value says: "BP 180/110" is a high blood pressure, "K 6.2" hyperkalemia, "temp of 39" fever.

Limits are those beyond which adults are treated or looked into; a value between them says nothing, and one that the
measure cannot have is another number. Where several units are in use, that of the text tells which one is meant, or the
value does; a value without a unit that is low in one and high in another ("glucose 25") says nothing. What is usual of
pulse, breath, blood pressure and body mass depends on age: of a child they say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from ontonym.text.patterns import any_of, longest_first
from ontonym.text.tables import table
from ontonym.text.timeunits import DAY, MONTH, WEEK, YEAR


class Scale(NamedTuple):
    """A range of values that a measure has in one unit, and what it means to be below or above its limits.

    ``units`` are the forms of the unit, none where it has none. ``lowest`` and ``highest`` are the range; a value below
    ``low`` means ``below``, one from ``high`` on ``above``, which are empty where it says nothing. ``of_adults``: the
    limits of children are others.
    """

    units: frozenset[str]
    lowest: float
    low: float
    high: float
    highest: float
    below: str
    above: str
    of_adults: bool

    def meaning(self, value: float, link: str = "") -> str:
        """What a value of the range says, empty where it is within the limits, or on their side of this value by the
        ``link`` before it: a temperature *< 38* is no fever."""
        if value < self.low:
            return "" if link in {">", "≥"} else self.below
        return self.above if value >= self.high and link not in {"<", "≤"} else ""


class MeasuredValue(NamedTuple):
    """A value beyond its limits in a text, from ``start`` to ``end``, and the finding that it ``means``."""

    start: int
    end: int
    means: str


_NUMBER = r"(?:\d{1,3},\d{3}(?!\d)|\d{1,6}(?:[.,]\d{1,3})?)"
_THOUSANDS = re.compile(r"\d{1,3},\d{3}")


@cache
def scales() -> Mapping[str, tuple[Scale, ...]]:
    """The scales of each measure (``values.tsv``), by the forms in which people write it, in lower case."""
    found: dict[str, list[Scale]] = {}
    for row in table("values.tsv"):
        lowest, highest = float(row["lowest"]), float(row["highest"])
        low, high = float(row["low"] or "-inf"), float(row["high"] or "inf")
        units = frozenset(filter(None, row["unit"].split("|")))
        scale = Scale(units, lowest, low, high, highest, row["below"], row["above"], row["of"] == "adults")
        for form in row["measure"].split("|"):
            found.setdefault(form, []).append(scale)
    return MappingProxyType({form: tuple(some) for form, some in found.items()})


@cache
def _value() -> re.Pattern[str]:
    measure = longest_first(scales())
    unit = longest_first({unit for some in scales().values() for scale in some for unit in scale.units})
    unit = unit.replace("umol", "[uµμ]mol").replace("/ul", "/[uµμ]l")
    degrees = r"(?:°|degrees|deg)"
    return re.compile(
        # "K 6.2", "temp of 39 °C", "INR: 1.1"; none in "vitamin K 50", "K 3-4", "SpO2 90%"
        rf"(?<![\w/+-])(?<!vitamin )(?<!vit )(?P<measure>{measure})"
        rf"(?P<link>\s*(?:of|is|was|at|up\s+to|down\s+to|[:=<>≥≤])?\s*)(?P<value>{_NUMBER})(?![\w.,]{{0,9}}\d|\s*[-–/]\s*\d)"
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
_LETTERS = frozenset("k na ca mg cr t p".split())
"""Measures that are part of a code or another name where the number follows at once: T40.1, K02, the CA3 of a brain."""
_SYMBOLS = _LETTERS | frozenset("k+ na+ hr rr bm".split())
"""Measures that are something else in small letters, such as a unit."""
_UNITS = frozenset({"mg", "k"})
"""Measures that are a unit after a number."""
_AFTER_NUMBER = re.compile(r"\d $")
_YEARS, _SHORTER = rf"(?:(?:{YEAR})s?|yo|y/o|y)", rf"(?:(?:{MONTH}|{WEEK}|{DAY})s?|mo)"
_OLD = r"[\s-]*(?:old|of[ ]age)"
_AGE = re.compile(
    rf"""
      (?<![\w.])(?P<years>\d{{1,3}})(?:\.\d+)?[\s-]* (?: {_YEARS}{_OLD} | y/?o | y\.o\. ) (?!\w)  # "7-year-old", "8 yo"
    | (?<![\w.])\d{{1,3}}(?:\.\d+)?[\s-]* (?: {_SHORTER}{_OLD} | m/o ) (?!\w)  # "6 weeks of age"
    | \bage(?:d\s|\s?:|\s)\s*(?:of\s+)?
      (?: \d{{1,3}} (?: \s*{_SHORTER} | /(?:12|52|7) ) (?!\w)               # "aged 5 months", "age: 5/12"
        | (?P<aged>\d{{1,3}}) (?: \s*{_YEARS} )? (?![\w/]) )                # "aged 5", "age: 40y"
    | \b(?:neonate|newborn|infant|toddler)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ADULT = 12
"""Age in years from which on the limits of adults hold."""
_AIM = any_of(
    "aim|aims|aiming, goal|goals, target|targets, keep|keeping, maintain, transfuse, below, above, under, over",
    "until, till, unless",
)
_GOAL = re.compile(rf"\b{_AIM}\b[^.;,\n\d]{{0,25}}$", re.IGNORECASE)
"""What a value is not, but is to become, or would be a reason."""
_FARTHEST = 40
"""Characters before a value in which words of a goal are looked for."""

_HIGH_OVER, _HIGH_UNDER, _LOW_OVER = 140, 90, 90
"""Millimetres of mercury: 140/90 and more is a high blood pressure, less than 90 above a low one."""


def values_in_words(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The text with each value beyond its limits as the finding it is, and what was replaced by what; nothing is in a
    text without such a value.
    """
    changes: list[tuple[str, str]] = []
    said, end, is_shouted = "", 0, text.isupper()
    for value in measured(text):
        written = text[value.start : value.end]
        changes.append((written, value.means))
        as_written = value.means.upper() if is_shouted and written != text.strip() else value.means
        said += text[end : value.start] + as_written
        end = value.end
    return said + text[end:], tuple(changes)


def measured(text: str) -> list[MeasuredValue]:
    """The values beyond their limits in a text, in order, none overlapping."""
    return sorted(_measured(text)) if _DIGIT.search(text) else []


def is_measured(text: str) -> bool:
    """Whether a text is a value beyond its limits, and no more."""
    return [(value.start, value.end) for value in measured(text)] == [(0, len(text))]


def _measured(text: str) -> Iterator[MeasuredValue]:
    of_child = _is_of_child(text)
    for found in () if of_child else _PRESSURE.finditer(text):
        if (means := _pressure(int(found["over"]), int(found["under"]))) and not _is_goal(text, found.start()):
            yield MeasuredValue(found.start(), found.end(), means)
    for found in _value().finditer(text):
        if (means := _meaning(text, found, of_child=of_child)) and not _is_goal(text, found.start()):
            yield MeasuredValue(found.start(), found.end(), means)


def _is_goal(text: str, start: int) -> bool:
    return bool(_GOAL.search(text, max(0, start - _FARTHEST), start))


def _is_of_child(text: str) -> bool:
    """Whether the first age that a text tells is a child's."""
    age = _AGE.search(text)
    if age is None:
        return False
    years = age["years"] or age["aged"]  # neither of those whose age is told in months or weeks
    return not years or int(years) < _ADULT


def _pressure(over: int, under: int) -> str:
    if not 40 <= over <= 300 or not 20 <= under < over:
        return ""
    if over >= _HIGH_OVER or under >= _HIGH_UNDER:
        return "high blood pressure"
    return "low blood pressure" if over < _LOW_OVER else ""


def _meaning(text: str, found: re.Match[str], *, of_child: bool) -> str:
    """What a value says by the scales of its unit, or by all whose range has it; empty where they do not agree."""
    measure = found["measure"]
    form, value = " ".join(measure.lower().split()), found["value"]
    number = float(value.replace(",", "" if _THOUSANDS.fullmatch(value) else "."))
    if (form in _SYMBOLS and measure.islower()) or (form in _LETTERS and not found["link"]):
        return ""
    if form in _UNITS and _AFTER_NUMBER.search(text, max(0, found.start() - 2), found.start()):
        return ""
    given = (found["unit"] or "").lower().replace("µ", "u").replace("μ", "u")
    meant = {
        scale.meaning(number, found["link"].strip())
        for scale in scales()[form]
        if scale.lowest <= number <= scale.highest
        and (not given or not scale.units or given in scale.units)
        and not (scale.of_adults and of_child)
    }
    return meant.pop() if len(meant) == 1 else ""
