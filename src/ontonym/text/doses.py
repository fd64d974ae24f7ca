"""What a prescription says beside its drug: "Metformin HCl 500 mg tablets bd" asks for metformin.

Its strength, form and way, and how often it is taken, are set aside; so is the salt, where a terminology has a name
without it. What is measured is no strength: "ferritin 12 ng/ml", "glucose 250 mg/dl".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ontonym.text.english import is_english
from ontonym.text.kinds import clear_kind, is_substance
from ontonym.text.patterns import any_of, lazy

_FLAGS = re.IGNORECASE | re.VERBOSE

# How much -------------------------------------------------------------------------------------------------------------

_NUMBER = r"\d+(?:[.,]\d+){0,3}"
_AMOUNT = rf"(?: (?:{_NUMBER}\s*[-–/x]\s*){{0,3}} {_NUMBER} )"
_PER = any_of("ml, h, hr, hour, dose, actuation, puff, spray, tab, tablet, cap, capsule, vial, kg, g")
_UNIT = rf"""(?:
    (?: [uµμ]g | i\.?[eu]\.? | u\.?i\.? | international\s+units
      | micrograms? | milligrams? | grams? | mcgs? | mgs? | gm? | mls? | milli?lit(?:er|re)s? | units? | u | meq )
    (?: \s*/\s* (?: \d+(?:\.\d+)?\s* )? {_PER} )?                            # "mg/ml", "mcg/puff", "mg / 5 ml"
    (?! \s*/\s*(?:d?l|mm|mol|min|m2|d|day|24)\b | \w )                       # what is measured: "250 mg/dl"
)"""
_PERCENT = rf"""
    %(?= \s+ (?: (?: w/[wv] | {any_of("eye, ear, nasal, ophthalmic, otic, topical")} ) \s+ )?
         {any_of("cream, ointment, gel, lotion, foam, drops, spray, solution, mouthwash, shampoo")} \b )
"""

# How it is made and taken ---------------------------------------------------------------------------------------------


def _dotted(abbreviations: str) -> str:
    """A pattern of abbreviations with or without full stops: "od", "o.d."."""
    return "|".join("".join(rf"{letter}\.?" for letter in short) for short in abbreviations.split())


_RELEASE = any_of("ec, er, xr, sr, mr, xl, cr, la")
_HOW_OFTEN = rf"""(?:
    {_dotted("od bd bid tds tid qds qid qd")} | {any_of("qod, qhs, hs, nocte, mane, prn, daily, nightly")} | q\d+h
)"""
_FORM = any_of(
    "film-coated|filmcoated|enteric-coated|entericcoated|sugar-coated|sugarcoated, film|enteric|sugar coated",
    "modified|extended|sustained|slow|prolonged|delayed|immediate release",
    "modified-release|extended-release|sustained-release|slow-release|prolonged-release|delayed-release",
    "immediate-release, chewable|chewables|dispersible|effervescent|soluble",
    "tab|tabs|tablet|tablets, cap|caps|capsule|capsules, caplet|caplets, lozenge|lozenges, sachet|sachets, powder",
    "inhaler|inhalers, nebuliser|nebulisers|nebulizer|nebulizers, nebule|nebules, puff|puffs, spray",
    "cream, foam, shampoo, oint|ointment, gel, lotion, mouthwash, patch|patches",
    "eye|ear|nasal|ophthalmic|otic drop|drops|gel|ointment|solution|spray|suspension, drop|drops",
    "soln|solution, susp|suspension, syrup, elixir, suppository|suppositories, pessary|pessaries",
    "inj|injection|injections, for injection, infusion, vial|vials, amp|amps|ampoule|ampoules, pen, syringe",
)
_FOREIGN_FORM = rf"""
      (?:film|brause|kau|schmelz|retard)?-?(?:tabl|tbl|tabletten?) | (?:hart|weich|retard)?-?(?:kapseln?|kaps|kps)
    | (?:augen|nasen|ohren)?-?tropfen | (?:augen)?salbe | (?:inj|inf)(?:ektions|usions)?\.?-?(?:lsg|l(?:ö|oe)sung)
    | magensaftres(?:istente?)? | ret(?:ard)? | drag[eé]es? | comprim(?:é|ido)s? | gélules? | c[aá]psulas? | ampollas?
    | {any_of("drg, trpf, gtt, creme, crème, zäpfchen, supp, dosieraerosol, cpr, cp, gouttes, gotas, pommade, crema")}
    | {any_of("pomada, jarabe, sirop, sirup, collyre, druppels, zalf")}
"""
_ROUTE = rf"""
      {any_of("oral|orally, topical|topically, inhaled, rectal, vaginal, intravenous, subcutaneous, intramuscular")}
    | {_dotted("po iv im sl pv pr")} | s/?c | subcut | sublingual
"""
_TIMES = any_of(
    "stat, weekly, monthly, once|twice, three times, once|twice a|per day|week, three times a|per day|week",
    "at night|bedtime, in the morning|evening, every|each|per day|night|morning|week",
)
_ASIDE = rf"""(?:
    {_FORM} | {_FOREIGN_FORM} | {_ROUTE} | {_RELEASE} | {_HOW_OFTEN} | {_TIMES}
    | [\#x]\s?\d+                                                           # "#30", "x 28"
    | [\d½](?:-[\d½]){{2,3}}                                                 # "1-0-1", in the morning and evening
)"""
"""What a prescription says beside drug and strength: form, way and frequency."""

_STRENGTH = lazy(
    rf"""
      (?<![\w.]) {_AMOUNT}\s* (?: {_UNIT} | {_PERCENT} )                      # "500 mg", "0.1% cream"
    | (?<![\w.]) (?=\d{{2}}) {_AMOUNT}\s+ (?= {_HOW_OFTEN} (?!\w) )          # "ramipril 10 od"
    | (?<=\s) {_RELEASE} \s+ {_NUMBER} \s*$                                  # "metoprolol XL 50"
    | (?<![\w.]) 1\s?:\s?\d{{1,3}}[ ,.]?000 (?!\w)                          # "adrenaline 1:1000"
    """,
    _FLAGS,
)
_SAID = lazy(rf"(?<![\w.]) {_ASIDE} (?![\w-]) \.?", _FLAGS)
"""One of these behind a strength: the "tablets" and the "bd" of "500 mg tablets bd"."""
_SAID_LAST = lazy(rf"(?: (?<![\w.]) {_ASIDE} \.?\s* )+ $", _FLAGS)
"""All of these right before a strength: the "eye drops" of "timolol eye drops 0.5%"."""
_SALT_AFTER = re.compile(r"(?<=[a-z]{4})-(?:Na|K|Ca|Mg|HCl)\b")  # "diclofenac-Na"
_WHEN_NEEDED = re.compile(r"(?<![\w.])prn\s.*", re.IGNORECASE)
"""What a drug is taken for stands after this word; not one of `_ASIDE`, which may follow each other in many ways."""
_NEAR = 200
"""Characters before a strength where form and frequency stand."""
_DIGIT, _LETTERS = re.compile(r"\d"), re.compile(r"[^\W\d_]{2}")
_EDGES = " ,;:-–()/.+"

# How often, in running text -------------------------------------------------------------------------------------------

_TAKEN_SO = lazy(rf"(?<![\w.]) {_AMOUNT}\s* (?: {_UNIT} | {_ASIDE} (?![\w-]) ) \s* (?: {_ASIDE}\s+ )* $", _FLAGS)
"""What stands before an abbreviation that says how often: the "5 mg po" of "apixaban 5 mg po BD"."""
_GIVEN_AS = lazy(rf"\s+ {_ASIDE} (?![\w-])", _FLAGS)
"""What follows a drug: the "spray" of "GTN spray"."""
_IS_OFTEN = lazy(rf"{_HOW_OFTEN} | {_dotted('om on')}", _FLAGS)

# Names of drugs -------------------------------------------------------------------------------------------------------

_MADE_SLOW = any_of("er, xr, sr, mr, xl, cr, la, ret|retard")
_TABLET = rf"""(?: (?:(?:film|brause|kau|schmelz)-?)? (?:tabl|tbl|tabletten?)
    | {any_of("tab|tabs|tablet|tablets|cpr, comprimé|comprimés|comprimido|comprimidos")} )"""
_CAPSULE = rf"""(?: (?:hart|weich)?-? (?:kapseln?|kaps|kps)
    | {any_of("cap|caps|capsule|capsules, gélule|gélules|cápsula|cápsulas")} )"""
_FORMS_IN_ENGLISH = tuple(
    (lazy(rf"(?<![\w.-]) (?: {written} ) (?![\w-]) \.?", _FLAGS), said)
    for written, said in (
        (
            rf"retard-?{_TABLET} | {_MADE_SLOW}\.?\s* {_TABLET} | {_TABLET}\.?\s+ {_MADE_SLOW}",
            "extended release tablet",
        ),
        (
            rf"retard-?{_CAPSULE} | {_MADE_SLOW}\.?\s* {_CAPSULE} | {_CAPSULE}\.?\s+ {_MADE_SLOW}",
            "extended release capsule",
        ),
        (_TABLET, "tablet"),
        (_CAPSULE, "capsule"),
        (r"(?:inj|inf)(?:ektions|usions)?\.?-?(?:lsg|l(?:ö|oe)sung)", "injectable solution"),
    )
)
"""How forms are written, each with what names of drugs say for it."""
_NUMBER_AND_UNIT = lazy(rf"(?<![\w.,]) (?P<number>{_NUMBER}) \s* (?P<unit>{_UNIT})", _FLAGS)
_THOUSANDS, _COMMA = re.compile(r"\d{1,3}(?:,\d{3})+"), re.compile(r"(\d+),(\d{1,2})")
_PACK = lazy(r"(?<![\w.,]) (?: \d+\s* (?:st|stk|stck|stück)\.? | N[123] ) (?!\w)", _FLAGS)
"""How many are in a pack: "100 ST N3"."""

_TOLD = 0.6
"""How likely words are of one kind where that is taken for known."""

DOSE_FORMS = frozenset(
    "tablet tab capsule inhaler cream ointment gel syrup suppository lotion injection tablette tabletten filmtabletten "
    "kapseln tropfen salbe sirup comprimido comprime capsula gelule".split()
)
"""Normalized words for what a drug is given as."""
_FORMS_OF_TWO = frozenset(
    {("eye", "drop"), ("ear", "drop"), ("nasal", "spray"), ("oral", "solution"), ("oral", "suspension")}
)
_SALTS = frozenset(
    "acetate anhydrous axetil benzoate besilate besylate bisulfate bitartrate bromide calcium citrate dihydrate "
    "dihydrochloride dipropionate disodium fumarate furoate gluconate hcl hemifumarate hemihydrate hyclate "
    "hydrobromide hydrochloride lactate magnesium maleate medoxomil mesilate mesylate monohydrate nitrate oxalate "
    "pamoate phosphate potassium propionate sodium succinate sulfate tartrate tosylate trihydrate "
    "trometamol tromethamine valerate xinafoate".split()
)
_MEASURES = frozenset(
    "blood body decreased dietary elevated fecal high increased intravenous low oral plasma salivary serum stool sweat "
    "total urinary urine".split()
)
"""Normalized words before a salt that say where or how much of it there is."""


def without_dose(text: str) -> str:
    """A text without the strength of a drug and what belongs to it; empty where it has none, or nothing else."""
    first, *others = _STRENGTH().split(text) if _DIGIT.search(text) else (text,)
    if not others:
        return ""
    first = _SALT_AFTER.sub("", first)
    said = _SAID_LAST().sub("", first[-_NEAR:])
    kept = (first[:-_NEAR] + said, *(_SAID().sub(" ", _WHEN_NEEDED.sub(" ", part)) for part in others))
    rest = " ".join(" ".join(part.strip(_EDGES) for part in kept).split())
    return rest if _LETTERS.search(rest) else ""


def dose_as_named(text: str) -> str:
    """A text with the strength and the form of a drug as names of drugs say them, without the size of a pack:
    *Warfarin 2.5 mg tablet* for "Warfarin 2,5mg Tbl. 100 ST N3". Itself where it has no strength.
    """
    if not _DIGIT.search(text) or not _NUMBER_AND_UNIT().search(text):
        return text
    said = _NUMBER_AND_UNIT().sub(lambda found: f"{_decimal(found['number'])} {found['unit']}", text)
    for written, form in _FORMS_IN_ENGLISH:
        said = written().sub(form, said)
    return " ".join(_PACK().sub(" ", said).split())


def _decimal(number: str) -> str:
    """A number with a point before its decimals, and without what parts thousands: 2.5 for "2,5", 1000 for "1,000"."""
    if _THOUSANDS.fullmatch(number):
        return number.replace(",", "")
    return _COMMA.sub(r"\1.\2", number) if _COMMA.fullmatch(number) else number


def says_how_taken(text: str, start: int, end: int) -> bool:
    """Whether an abbreviation at a place of a text says how often a drug is taken, as in "Bumetanide 2 mg OD"."""
    near = max(start - _NEAR, text.rfind("\n", 0, start) + 1)
    return bool(_IS_OFTEN().fullmatch(text, start, end) and _TAKEN_SO().search(text, near, start))


def is_given(text: str, end: int) -> bool:
    """Whether what ends at a place of a text is a drug, by its form or how it is given, as in "GTN spray"."""
    return bool(_GIVEN_AS().match(text, end))


def drug_names(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The normalized words of a query without the form of a drug that they end with, then without its salt."""
    rest = tuple(words)
    while size := _form_size(rest):
        rest = rest[:-size]
        yield rest
    while len(rest) > 1 and rest[-1] in _SALTS and rest[-2] not in _MEASURES:
        rest = rest[:-1]
        yield rest


def is_treated(words: tuple[str, ...]) -> bool:
    """Whether words before the form of a drug tell what it is for, and name no drug: "asthma inhaler", "acne cream"."""
    is_finding = clear_kind(words, _TOLD) == "finding"
    return not is_substance(words) and (is_finding or all(map(is_english, words)))


def _form_size(words: tuple[str, ...]) -> int:
    """How many words at the end say the form of a drug that is named before them."""
    if len(words) > 2 and words[-2:] in _FORMS_OF_TWO:
        return 2
    return int(len(words) > 1 and words[-1] in DOSE_FORMS)
