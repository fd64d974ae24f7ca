"""What a prescription says beside its drug: "Metformin HCl 500 mg tablets bd" asks for metformin.

Its strength, form and way, and how often it is taken, are set aside; so is the salt, where a terminology has a name
without it. What is measured is no strength: "ferritin 12 ng/ml", "glucose 250 mg/dl".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_NUMBER = r"\d+(?:[.,]\d+)*"
_AMOUNT = rf"(?:{_NUMBER}\s*[-–/x]\s*){{0,3}}{_NUMBER}"
_UNIT = (
    r"(?:micrograms?|milligrams?|grams?|mcgs?|mgs?|[uµμ]g|gm?|mls?|milli?lit(?:er|re)s?|i\.?[eu]\.?|u\.?i\.?|international\s+units"
    r"|units?|u|meq)"
    r"(?:\s*/\s*(?:\d+(?:\.\d+)?\s*)?(?:ml|h|hr|hour|dose|actuation|puff|spray|tab(?:let)?|cap(?:sule)?|vial|kg|g))?"
    r"(?!\s*/\s*(?:d?l|mm|mol|min|m2|d|day|24)\b|\w)"
)
_PERCENT = (
    r"%(?=\s+(?:(?:w/[wv]|eye|ear|nasal|ophthalmic|otic|topical)\s+)?"
    r"(?:cream|ointment|gel|lotion|foam|drops|spray|solution|mouthwash|shampoo)\b)"
)
_OFTEN = (
    r"o\.?d\.?|b\.?d\.?|b\.?i\.?d\.?|t\.?d\.?s\.?|t\.?i\.?d\.?|q\.?d\.?s\.?|q\.?i\.?d\.?|q\.?d\.?|qod|qhs|hs|q\d+h|nocte"
    r"|mane|prn|daily|nightly"
)
_RELEASE = r"ec|er|xr|sr|mr|xl|cr|la"
_ASIDE = (
    r"(?:film|enteric|sugar)[- ]?coated|(?:modified|extended|sustained|slow|prolonged|delayed|immediate)[- ]release"
    r"|tab(?:let)?s?|cap(?:sule)?s?|caplets?|chewables?|dispersible|effervescent|soluble|inhalers?|nebuli[sz]ers?"
    r"|nebules?|puffs?|cream|foam|shampoo|oint(?:ment)?|gel|lotion"
    r"|(?:eye|ear|nasal|ophthalmic|otic)\s+(?:drops?|gel|ointment|solution|spray|suspension)|drops?|spray|sol(?:utio)?n"
    r"|susp(?:ension)?|syrup|elixir|inj(?:ections?)?|infusion|suppositor(?:y|ies)|pessar(?:y|ies)"
    r"|patch(?:es)?|vials?|amp(?:oule)?s?|sachets?|lozenges?|powder|pen|syringe|mouthwash|for\s+injection"
    r"|oral(?:ly)?|topical(?:ly)?|inhaled|rectal|vaginal|intravenous|subcutaneous|intramuscular|sublingual"
    r"|[#x]\s?\d+|p\.?o\.?|i\.?v\.?|i\.?m\.?|s/?c|subcut|s\.?l\.?|p\.?v\.?|p\.?r\.?"
    r"|(?:film|brause|kau|schmelz|retard)?-?(?:tabl|tbl|tabletten?)|(?:hart|weich|retard)?-?(?:kapseln?|kaps|kps)"
    r"|drag[eé]es?|drg|(?:augen|nasen|ohren)?-?tropfen|trpf|gtt|(?:augen)?salbe|creme|crème|zäpfchen|supp|dosieraerosol"
    r"|(?:inj|inf)(?:ektions|usions)?\.?-?(?:lsg|l(?:ö|oe)sung)|magensaftres(?:istente?)?|ret(?:ard)?"
    r"|comprim(?:é|ido)s?|cpr|cp|gélules?|c[aá]psulas?|caps|gouttes|gotas|pommade|crema|pomada|jarabe|sirop|sirup"
    r"|ampollas?|collyre|druppels|zalf|capsules|[\d½](?:-[\d½]){2,3}"
    rf"|{_RELEASE}|{_OFTEN}|stat|weekly|monthly|(?:once|twice|three\s+times)(?:\s+(?:a|per)\s+(?:day|week))?"
    r"|at\s+(?:night|bedtime)|in\s+the\s+(?:morning|evening)|(?:every|each|per)\s+(?:day|night|morning|week)"
)
_STRENGTH = re.compile(
    rf"(?<![\w.]){_AMOUNT}\s*(?:{_UNIT}|{_PERCENT})"
    rf"|(?<![\w.])(?=\d{{2}}){_AMOUNT}\s+(?=(?:{_OFTEN})(?!\w))"
    rf"|(?<=\s)(?:{_RELEASE})\s+{_NUMBER}\s*$"
    r"|(?<![\w.])1\s?:\s?\d{1,3}[ ,.]?000(?!\w)",
    re.IGNORECASE,
)
_SAID = re.compile(rf"(?<![\w.])(?:{_ASIDE})(?![\w-])\.?", re.IGNORECASE)
_SAID_LAST = re.compile(rf"(?:(?<![\w.])(?:{_ASIDE})\.?\s*)+$", re.IGNORECASE)
_SALT_AFTER = re.compile(r"(?<=[a-z]{4})-(?:Na|K|Ca|Mg|HCl)\b")
_WHEN_NEEDED = re.compile(r"(?<![\w.])prn\s.*", re.IGNORECASE)
"""What a drug is taken for stands after this word; not one of `_ASIDE`, which may follow each other in many ways."""
_NEAR = 200
"""Characters before a strength where form and frequency stand."""
_LETTERS = re.compile(r"[^\W\d_]{2}")
_EDGES = " ,;:-–()/.+"
_TAKEN_SO = re.compile(
    rf"(?<![\w.]){_AMOUNT}\s*(?:{_UNIT}|(?:{_ASIDE})(?![\w-]))\s*(?:(?:{_ASIDE})\s+)*$", re.IGNORECASE
)
_GIVEN_AS = re.compile(rf"\s+(?:{_ASIDE})(?![\w-])", re.IGNORECASE)
_IS_OFTEN = re.compile(rf"{_OFTEN}|o\.?[mn]\.?", re.IGNORECASE)

DOSE_FORMS = frozenset(
    "tablet tab capsule inhaler cream ointment gel syrup suppository lotion injection tablette tabletten filmtabletten "
    "kapseln tropfen salbe sirup comprimidos comprimes capsulas gelules".split()
)
"""Normalized words for what a drug is given as."""
_FORMS_OF_TWO = frozenset(
    {("eye", "drop"), ("ear", "drop"), ("nasal", "spray"), ("oral", "solution"), ("oral", "suspension")}
)
_SALTS = frozenset(
    "acetate anhydrous axetil benzoate besilate besylate bisulfate bitartrate bromide calcium citrate dihydrate "
    "dihydrochloride dipropionate disodium fumarate furoate gluconate hcl hemifumarate hemihydrate hyclate "
    "hydrobromide hydrochloride lactate magnesium maleate medoxomil mesilate mesylate monohydrate nitrate oxalate "
    "pamoate phosphate potassium propionate sodium succinate sulfate sulphate tartrate tosylate trihydrate "
    "trometamol tromethamine valerate xinafoate".split()
)
_MEASURES = frozenset(
    "blood body decreased dietary elevated fecal high increased intravenous low oral plasma salivary serum stool sweat "
    "total urinary urine".split()
)
"""Normalized words before a salt that say where or how much of it there is."""


def without_dose(text: str) -> str:
    """A text without the strength of a drug and what belongs to it; empty where it has none, or nothing else."""
    first, *others = _STRENGTH.split(text)
    if not others:
        return ""
    first = _SALT_AFTER.sub("", first)
    said = _SAID_LAST.sub("", first[-_NEAR:])
    kept = (first[:-_NEAR] + said, *(_SAID.sub(" ", _WHEN_NEEDED.sub(" ", part)) for part in others))
    rest = " ".join(" ".join(part.strip(_EDGES) for part in kept).split())
    return rest if _LETTERS.search(rest) else ""


def says_how_taken(text: str, start: int, end: int) -> bool:
    """Whether an abbreviation at a place of a text says how often a drug is taken, as in "Bumetanide 2 mg OD"."""
    near = max(start - _NEAR, text.rfind("\n", 0, start) + 1)
    return bool(_IS_OFTEN.fullmatch(text, start, end) and _TAKEN_SO.search(text, near, start))


def is_given(text: str, end: int) -> bool:
    """Whether what ends at a place of a text is a drug, by its form or how it is given, as in "GTN spray"."""
    return bool(_GIVEN_AS.match(text, end))


def drug_names(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The normalized words of a query without the form of a drug that they end with, then without its salt."""
    rest = tuple(words)
    while size := _form_size(rest):
        rest = rest[:-size]
        yield rest
    while len(rest) > 1 and rest[-1] in _SALTS and rest[-2] not in _MEASURES:
        rest = rest[:-1]
        yield rest


def _form_size(words: tuple[str, ...]) -> int:
    """How many words at the end say the form of a drug that is named before them."""
    if len(words) > 2 and words[-2:] in _FORMS_OF_TWO:
        return 2
    return int(len(words) > 1 and words[-1] in DOSE_FORMS)
