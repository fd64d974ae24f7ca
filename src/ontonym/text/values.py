"""What a measured value says: "BP 180/110" is a high blood pressure, "K 6.2" hyperkalemia, "temp of 39" fever.

Limits are those beyond which adults are treated or looked into; a value between them says nothing, and one that the
measure cannot have is another number. Where several units are in use, that of the text tells which one is meant, or the
value does; a value without a unit that is low in one and high in another ("glucose 25") says nothing.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import NamedTuple


class Scale(NamedTuple):
    """A range of values that a measure has in one unit, and what it means to be below or above its limits.

    ``units`` are the forms of the unit, empty where there is but one. ``lowest`` and ``highest`` are the range; a value
    below ``low`` means ``below``, one from ``high`` on ``above``, which are empty where it says nothing.
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


_ROWS = """
temp temperature tmp | c | 30 35.1 38 43 | hypothermia | fever
temp temperature tmp | f | 86 95.1 100.4 109 | hypothermia | fever
pulse hr heart rate | | 20 50 101 250 | bradycardia | tachycardia
rr resp rate respiratory rate resps | | 2 10 25 80 | bradypnea | tachypnea
sats spo2 sao2 o2 sats o2 sat oxygen sats sat | | 40 92 999 100 | hypoxemia |
k k+ potassium serum potassium | | 1 3.5 5.6 10 | hypokalemia | hyperkalemia
na na+ sodium serum sodium | | 90 134 147 190 | hyponatremia | hypernatremia
hb hgb haemoglobin hemoglobin | g/dl | 2 11.5 19 25 | anemia | increased hemoglobin
hb hgb haemoglobin hemoglobin | g/l | 26 115 190 250 | anemia | increased hemoglobin
plt plts platelets platelet count | x10^9/l | 1 140 451 3000 | thrombocytopenia | thrombocytosis
wbc wcc white count white cell count | x10^9/l | 0.1 3.5 11.5 400 | leukopenia | leukocytosis
neuts neutrophils anc | x10^9/l | 0 1.5 8.5 100 | neutropenia | neutrophilia
glucose glu bsl blood sugar sugar sugars bg | mmol/l mmol | 0.5 4 11.1 40 | hypoglycemia | hyperglycemia
glucose glu bsl blood sugar sugar sugars bg fsbs | mg/dl | 11 70 200 1500 | hypoglycemia | hyperglycemia
bm bgl cbg | mmol/l mmol | 0.5 4 11.1 40 | hypoglycemia | hyperglycemia
bm bgl cbg | mg/dl | 41 70 200 1500 | hypoglycemia | hyperglycemia
ca calcium corrected calcium | mmol/l mmol | 1 2.1 2.66 4.9 | hypocalcemia | hypercalcemia
ca calcium corrected calcium | mg/dl | 5 8.4 10.6 15 | hypocalcemia | hypercalcemia
mg magnesium | mmol/l mmol | 0.1 0.65 2.7 9 | hypomagnesemia | hypermagnesemia
albumin alb | g/l | 5 34 99 60 | hypoalbuminemia |
albumin alb | g/dl | 0.5 3.4 99 4.9 | hypoalbuminemia |
egfr gfr | | 1 60 999 200 | decreased glomerular filtration rate |
creatinine creat cr | mg/dl | 0.1 0 1.6 19 | | elevated creatinine
creatinine creat cr | umol/l | 20 0 130 2000 | | elevated creatinine
urate uric acid | mmol/l mmol | 0.05 0 0.43 1.5 | | hyperuricemia
urate uric acid | umol/l | 100 0 430 1500 | | hyperuricemia
bili bilirubin | umol/l | 1.3 0 22 900 | | hyperbilirubinemia
hba1c a1c | % | 3 0 6.5 18 | | elevated hemoglobin A1c
hba1c a1c | mmol/mol | 19 0 48 180 | | elevated hemoglobin A1c
crp | mg/l | 0 0 10.1 900 | | elevated C-reactive protein
esr | | 0 0 31 200 | | elevated erythrocyte sedimentation rate
tsh | | 0 0.3 5.1 500 | decreased thyroid-stimulating hormone | elevated thyroid-stimulating hormone
inr | | 0.5 0 4.1 20 | | abnormal coagulation profile
lactate | mmol/l mmol | 0.1 0 4 30 | | elevated lactate
bmi body mass index | | 8 18.5 30 99 | underweight | obesity
gcs | | 3 9 99 15 | coma |
"""

_UNITS = (
    "mmol/l", "mmol/mol", "mmol", "meq/l", "mg/dl", "mg/l", "umol/l", "µmol/l", "μmol/l", "g/dl", "g/l", "x10^9/l",
    "kg/m2", "bpm", "%", "c", "f",
)  # fmt: skip

_NUMBER = r"\d{1,4}(?:[.,]\d{1,3})?"
_FORMS = (
    "heart rate|resp rate|respiratory rate|o2 sats?|oxygen sats|serum potassium|serum sodium|platelet count"
    "|white count|white cell count|blood sugar|corrected calcium|uric acid|body mass index"
)


def _scales() -> dict[str, tuple[Scale, ...]]:
    found: dict[str, list[Scale]] = {}
    for row in _ROWS.strip().splitlines():
        forms, units, limits, below, above = (part.strip() for part in row.split("|"))
        lowest, low, high, highest = map(float, limits.split())
        scale = Scale(frozenset(units.split()), lowest, low, high, highest, below, above)
        phrases = re.findall(rf"\b(?:{_FORMS})\b|\S+", forms)
        for form in phrases:
            found.setdefault(form, []).append(scale)
    return {form: tuple(scales) for form, scales in found.items()}


SCALES = MappingProxyType(_scales())
"""The scales of each measure, by the forms in which people write it, in lower case."""

_ANY = "|".join(re.escape(form) for form in sorted(SCALES, key=len, reverse=True))
_VALUE = re.compile(
    rf"(?<![\w/+-])(?<!\d )(?<!vitamin )(?<!vit )(?P<measure>{_ANY})"
    rf"\s*(?:of|is|was|at|up\s+to|down\s+to|[:=<>≥≤])?\s*(?P<value>{_NUMBER})(?![\w.,]*\d|\s*[-–/]\s*\d)"
    rf"(?:\s*(?:°|degrees|deg)?\s*(?P<unit>{'|'.join(map(re.escape, _UNITS))})(?!\w)|\s*(?:°|degrees|deg))?"
    r"(?![\w%])",
    re.IGNORECASE,
)
_PRESSURE = re.compile(
    r"(?<![\w/])(?:bp|blood\s+pressure)\s*(?:of|is|was|at|[:=])?\s*(?P<over>\d{2,3})\s*(?:/|over)\s*(?P<under>\d{2,3})"
    r"(?:\s*mm\s?hg)?(?![\w/])",
    re.IGNORECASE,
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
    said = _VALUE.sub(lambda found: replaced(found, _meaning(found["measure"], found["value"], found["unit"])), said)
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
        for scale in SCALES[form]
        if scale.lowest <= number <= scale.highest and (not given or not scale.units or given in scale.units)
    }
    return told.pop() if len(told) == 1 else ""
