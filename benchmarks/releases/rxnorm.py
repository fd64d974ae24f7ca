"""RxNorm releases in Rich Release Format: ingredients, components, drugs and brands that are made of one another.

Small enough for plain Python: a few ten thousand concepts, each made of older ones (RxNorm Technical Documentation,
sections 4 and 5 for the term types, section 11 for the files).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import words
from .draws import Draws, Ints
from .grammar import GrammarNames
from .kinds import KINDS
from .package import Written, zipped
from .render import text
from .rrf_files import Folder
from .world import FIRST, NEVER, Options, date_of

_TURNS = ("IN", "IN", "IN", "PIN", "BN", *["SCDC"] * 6, *["SCD"] * 6, *["SBD"] * 3)
_MADE_OF = {"PIN": ("IN",), "BN": ("IN",), "SCDC": ("IN",), "SCD": ("SCDC", "DF"), "SBD": ("SCD", "BN")}
_MORTAL = ("PIN", "SBD")
_RELA = {
    ("PIN", "IN"): ("form_of", "has_form"), ("BN", "IN"): ("tradename_of", "has_tradename"),
    ("SCDC", "IN"): ("has_ingredient", "ingredient_of"), ("SCD", "SCDC"): ("consists_of", "constitutes"),
    ("SCD", "DF"): ("has_dose_form", "dose_form_of"), ("SBD", "SCD"): ("tradename_of", "has_tradename"),
    ("SBD", "BN"): ("has_ingredient", "ingredient_of"),
}  # fmt: skip
"""How a concept is related to what it is made of, and the other way round."""

_TYPES = {
    **dict.fromkeys(("IN", "PIN", "BN"), ("T121", "A1.4.1.1.1", "Pharmacologic Substance")),
    "DF": ("T122", "A1.4.1.1.4", "Biomedical or Dental Material"),
    **dict.fromkeys(("SCDC", "SCD", "SBD"), ("T200", "A1.3.3", "Clinical Drug")),
}
_FORMS = [noun for noun, _, _ in words.entries(words.FORMS)]
_SALTS = [noun for noun, _, _ in words.entries(words.SALTS)]
_SUBSTANCE = next(number for number, kind in enumerate(KINDS) if kind.tag == "substance")
_AMOUNTS = (0.5, 1, 2.5, 5, 10, 20, 25, 50, 100, 250, 500)
_STRENGTHS = [f"{number:g} {unit}" for number in _AMOUNTS for unit in ("MG", "MG/ML")]
_TRIES = 50
"""How often other parts are tried for a drug whose name is there already."""

_EARLY = 0.03
_BRAND_ENDS = ("ix", "or", "an", "el")
_CHANGES = [noun for noun, _, _ in words.entries(words.CHANGES)]


@dataclass(frozen=True, slots=True)
class _Drug:
    """A concept: number, term type, name, what it is made of (numbers), and when it was retired (a time)."""

    number: int
    tty: str
    name: str
    parts: tuple[int, ...]
    dead: int
    strength: str = ""

    @property
    def rxcui(self) -> int:
        return self.number + 1


def write_rxnorm(out: Path | str, options: Options, *, split: int = 0, zip: bool = False) -> Written:
    """Writes a folder RxNorm_full_MMDDYYYY/rrf under ``out``, or a zip of it.

    ``concepts`` of the options counts retired ones too. The next release repeats this one but for its changes: drugs
    renamed, retired (in RXNATOMARCHIVE and RXNCUI) and new.
    """
    now = FIRST + options.release - 1
    date = str(date_of(now))
    drugs = _drugs(options, now)
    alive = {drug.number for drug in drugs if drug.dead == NEVER}
    path = Path(out) / f"RxNorm_full_{date[4:]}{date[:4]}" / "rrf"
    with Folder(path, split) as folder:
        live = [drug for drug in drugs if drug.number in alive]
        folder.write_rows("RXNCONSO.RRF", (row for drug in live for row in _names(drug)))
        folder.write_rows("RXNREL.RRF", (row for drug in live for row in _relations(drug, drugs)))
        folder.write_rows("RXNSTY.RRF", ((drug.rxcui, *_TYPES[drug.tty], f"AT{drug.rxcui:08d}", "") for drug in live))
        folder.write_rows("RXNSAT.RRF", (row for drug in live for row in _attributes(drug, options)))
        gone = [(drug, _successor(drug, drugs)) for drug in drugs if drug.number not in alive]
        folder.write_rows("RXNATOMARCHIVE.RRF", (_archived(drug, successor) for drug, successor in gone))
        folder.write_rows(
            "RXNCUI.RRF",
            ((drug.rxcui, date_of(0), date_of(drug.dead), 1, successor.rxcui) for drug, successor in gone),
        )
        folder.write_rows("RXNSAB.RRF", _sources(date))
        folder.write_rows("RXNDOC.RRF", _documented())
    folder_path = path.parent
    return Written(zipped(folder_path) if zip else folder_path, dict(sorted(folder.rows.items())))


def _drugs(options: Options, now: int) -> list[_Drug]:
    """All concepts up to a time, in the order of their numbers."""
    draws = Draws(options.seed)
    new = max(1, round(options.changed * options.concepts))
    size = options.concepts + new * options.release - new
    numbers = np.arange(size)
    picks = draws.bits("rxnorm", numbers[:, None], np.arange(3)[None, :]) >> np.uint64(40)
    substances = _substances(draws, numbers)
    dead = _dead(options, draws, numbers, now, new)
    renamed = np.zeros(size, dtype=np.int64)
    for time in range(FIRST + 1, now + 1):
        happens = draws.happens(options.changed, "rxnorm.rename", numbers, time)
        renamed += happens & (_born(options, numbers, new) < time)
    by_tty: dict[str, list[_Drug]] = {tty: [] for tty in _TYPES}
    taken: set[str] = set()
    drugs: list[_Drug] = []
    for number in range(size):
        tty = "DF" if number < len(_FORMS) else _TURNS[(number - len(_FORMS)) % len(_TURNS)]
        for further in range(_TRIES):
            first, second, third = (int(pick) + further for pick in picks[number])
            parts = [
                by_tty[kind][pick % len(by_tty[kind])]
                for kind, pick in zip(_MADE_OF.get(tty, ()), (first, second), strict=False)
            ]
            strength = _STRENGTHS[third % len(_STRENGTHS)] if tty == "SCDC" else ""
            name = _named(tty, parts, third, substances[number], len(by_tty[tty]), strength)
            if name not in taken:
                break
        taken.add(name)
        if renamed[number] and tty in ("SCD", "SBD"):
            name += f", {_CHANGES[(third + int(renamed[number])) % len(_CHANGES)]}"
        strength = strength or next((part.strength for part in parts if part.strength), "")
        numbers_ = tuple(part.number for part in parts)
        drugs.append(_Drug(number, tty, name, numbers_, int(dead[number]) if tty in _MORTAL else NEVER, strength))
        by_tty[tty] += [drugs[-1]] if tty not in _MORTAL else []
    return drugs


def _born(options: Options, numbers: Ints, new: int) -> Ints:
    return np.where(numbers < options.concepts, 0, FIRST + 1 + (numbers - options.concepts) // new)


def _dead(options: Options, draws: Draws, numbers: Ints, now: int, new: int) -> Ints:
    early = draws.happens(_EARLY, "rxnorm.early", numbers) & (numbers < options.concepts)
    dead = np.where(early, 1 + draws.below("rxnorm.when", FIRST - 1, numbers), NEVER)
    for time in range(FIRST, now + 1):
        going = draws.happens(options.changed, "rxnorm.retire", numbers, time) & (_born(options, numbers, new) < time)
        dead = np.where(going & (dead == NEVER), time, dead)
    return dead


def _substances(draws: Draws, numbers: Ints) -> list[str]:
    """Names of substances that are no salts: those are precise ingredients."""
    unsalted = [turn for turn, family in enumerate(KINDS[_SUBSTANCE].families) if "salt" not in family.split()]
    members = numbers // len(unsalted) * 10 + np.array(unsalted)[numbers % len(unsalted)]
    none = 0 * numbers
    cells = GrammarNames(draws).names(none + _SUBSTANCE, members, none, none, none > 0)
    return [text(row).decode().lower() for row in cells]


def _named(tty: str, parts: list[_Drug], pick: int, substance: str, count: int, strength: str) -> str:
    """The name of a concept made of others, as RxNorm composes it."""
    if not parts:
        return _FORMS[count].title() if tty == "DF" else substance
    if tty == "BN":
        return _brand(pick) + _BRAND_ENDS[count % len(_BRAND_ENDS)]
    rest = {"PIN": _SALTS[pick % len(_SALTS)], "SCDC": strength, "SCD": parts[-1].name, "SBD": f"[{parts[-1].name}]"}
    return f"{parts[0].name} {rest[tty]}"


def _brand(pick: int) -> str:
    sounds = []
    for part in (words.ONSETS, words.VOWELS, words.ONSETS, words.VOWELS):
        pick, place = divmod(pick, len(part))
        sounds.append(part[place])
    return "".join(sounds).capitalize()


def _names(drug: _Drug) -> Iterator[tuple[object, ...]]:
    """The RXNCONSO rows: RxNorm's name, and for some a synonym and the name in another source."""
    atoms = [("RXNORM", drug.tty, drug.name, "N")]
    if drug.tty in ("SCD", "SBD"):
        atoms.append(("RXNORM", "PSN", drug.name.replace(" MG", " mg").replace("/ML", "/mL"), "N"))
        if drug.number % 3 == 0:
            atoms.append(("RXNORM", "SY", f"{drug.name} (generated)", "N"))
    if drug.tty == "IN":
        atoms.append(("VANDF", "IN", drug.name.upper(), "N"))
    if drug.number % 11 == 0:
        atoms.append(("MTHSPL", "SU", f"{drug.name.upper()}, obsolete", "O"))
    for turn, (sab, tty, name, suppress) in enumerate(atoms):
        code = drug.rxcui if sab == "RXNORM" else drug.rxcui + 4_000_000
        yield (
            drug.rxcui, "ENG", "", "", "", "", "", drug.number * 8 + turn + 1, code, code, "", sab, tty, code, name, "",
            suppress, 4096 if sab == "RXNORM" else "",
        )  # fmt: skip


def _relations(drug: _Drug, drugs: list[_Drug]) -> Iterator[tuple[object, ...]]:
    """The RXNREL rows in both directions; a row is read from the second concept to the first."""
    for turn, part in enumerate(drug.parts):
        other = drugs[part]
        ahead, back = _RELA[drug.tty, other.tty]
        for way, (first, second, rela) in enumerate(((other, drug, ahead), (drug, other, back))):
            rel = "RO" if "tradename" not in rela else ("RN" if rela == "tradename_of" else "RB")
            yield (
                first.rxcui, "", "CUI", rel, second.rxcui, "", "CUI", rela, drug.number * 8 + turn * 2 + way + 1, "",
                "RXNORM", "", "", "", "", 4096,
            )  # fmt: skip


def _attributes(drug: _Drug, options: Options) -> Iterator[tuple[object, ...]]:
    """The RXNSAT rows: the strength of components, product codes of drugs."""
    found = []
    if drug.strength and drug.tty in ("SCDC", "SCD"):
        found.append(("RXN_STRENGTH" if drug.tty == "SCDC" else "RXN_AVAILABLE_STRENGTH", drug.strength))
    if drug.tty in ("SCD", "SBD"):
        found.append(("NDC", f"{(drug.rxcui * 7919 + options.seed) % 10**11:011d}"))
    for turn, (name, value) in enumerate(found):
        yield (
            drug.rxcui, "", "", drug.number * 8 + 1, "AUI", drug.rxcui, f"AT{drug.number * 4 + turn:09d}", "", name,
            "RXNORM", value, "N", 4096,
        )  # fmt: skip


def _successor(drug: _Drug, drugs: list[_Drug]) -> _Drug:
    """What a retired concept was merged into: the first thing it is made of, which is never retired."""
    return drugs[drug.parts[0]]


def _archived(drug: _Drug, successor: _Drug) -> tuple[object, ...]:
    date = date_of(drug.dead)
    return (
        drug.number * 8 + 1, f"A{drug.number * 8 + 1:08d}", drug.name, date, date_of(0), date, drug.rxcui, "Y" if
        drug.tty == "SBD" else "N", "ENG", date, drug.rxcui, f"RXNORM_{date}", drug.rxcui, "RXNORM", drug.tty,
        successor.rxcui,
    )  # fmt: skip


def _sources(date: str) -> Iterator[tuple[object, ...]]:
    for number, sab in enumerate(("RXNORM", "VANDF", "MTHSPL")):
        yield (
            f"C{9_100_000 + number}", f"C{9_100_100 + number}", f"{sab}_{date}", sab, f"Generated names as {sab}", sab,
            date, "", "", "", "", "", "", 0, "", "", "FULL", "", "", "ENG", "UTF-8", "Y", "Y", f"Generated {sab}", "",
        )  # fmt: skip


def _documented() -> Iterator[tuple[object, ...]]:
    for tty in _TYPES:
        yield "TTY", tty, "expanded_form", f"Generated {tty}"
    for pair in _RELA.values():
        for rela in pair:
            yield "RELA", rela, "expanded_form", rela.replace("_", " ")
