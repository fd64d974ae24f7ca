"""The mistakes file for people: every wrong first answer beside the gold concept, by kind of mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Literal

from ontonym.evaluate.corpora import GoldMention
from ontonym.evaluate.measures import NOT_FOUND, Resolve
from ontonym.files.output import tsv_line, write_lines
from ontonym.types import Hit

Relative = Literal["parent", "child", "sibling"]

CATEGORIES = {
    "gold missing from terminology": "no gold id is a concept of the terminology",
    "answered where none fits": "the corpus says that no concept fits",
    "no answer": "nothing was answered, and a concept fits",
    "composite": "the mention names several concepts",
    "duplicate record": "the answer is another record of the gold concept",
    "ambiguous name": "the gold concept shares the name that was matched",
    "abbreviation": "a short form of capitals or digits",
    "parent of gold": "the answer is a parent of the gold concept: too general",
    "child of gold": "the answer is a child of the gold concept: too specific",
    "sibling of gold": "answer and gold concept have a parent in common",
    "other": "none of the above",
}
"""Kinds of mistake; each mention gets the first that applies, and the file is sorted in this order."""

_LONGEST_ABBREVIATION = 8


@dataclass(frozen=True, slots=True)
class Lookup:
    """Facts from the terminology about a mistake.

    ``preferred`` gives a concept's preferred term, or None. ``kinship(answered, gold)`` gives the relation of the
    answered concept to the gold one (``parent``: more general), or None if they are not near.
    """

    preferred: Callable[[str], str | None] = lambda _id: None
    kinship: Callable[[str, str], Relative | None] = lambda _answered, _gold: None


@dataclass(frozen=True, slots=True)
class Mistake:
    """One row of the mistakes file. ``gold_rank`` is a number, ``not in top answers`` or ``not in terminology``."""

    category: str
    mention: str
    gold_rank: str
    gold_ids: str
    gold_names: str
    predicted_id: str
    predicted_name: str
    matched_term: str
    confidence: str
    document: str
    context: str


def mistake(
    gold: GoldMention,
    hits: Sequence[Hit],
    rank: int,
    resolve: Resolve,
    lookup: Lookup,
    *,
    parts: Sequence[Sequence[Hit]] = (),
    context: str = "",
) -> Mistake:
    """The row of a mention whose gold concept was found at ``rank`` (0: not found).

    For a composite asked part by part, the first answers of the parts are listed, separated by ``|``.
    """
    known = [[resolve(id_) for id_ in sorted(part)] for part in gold.parts]
    first = [answers[0] for answers in (parts or [hits]) if answers]
    missing = not any(id_ for part in known for id_ in part) and not gold.nil
    found = "not in terminology" if missing else "not in top answers"
    names = [
        "; ".join((lookup.preferred(id_) or id_) if id_ else "(not in terminology)" for id_ in part) for part in known
    ]
    return Mistake(
        category=_category(gold, first, missing, {id_ for part in known for id_ in part if id_}, lookup),
        mention=gold.mention.text,
        gold_rank="NIL" if gold.nil else found if rank == NOT_FOUND else str(rank),
        gold_ids=" | ".join("; ".join(sorted(part)) or "NIL" for part in gold.parts),
        gold_names=" | ".join(name or "(no concept)" for name in names),
        predicted_id=" | ".join(hit.id for hit in first) or "NIL",
        predicted_name=" | ".join(hit.preferred for hit in first),
        matched_term=" | ".join(hit.matched for hit in first),
        confidence=" | ".join(f"{hit.confidence:.3f}" for hit in first),
        document=gold.mention.document,
        context=context,
    )


def _category(gold: GoldMention, first: Sequence[Hit], missing: bool, known: set[str], lookup: Lookup) -> str:
    facts = (
        ("gold missing from terminology", missing),
        ("answered where none fits", gold.nil),
        ("no answer", not first),
        ("composite", gold.composite),
        ("duplicate record", bool(first) and not known.isdisjoint(first[0].equivalents)),
        ("ambiguous name", bool(first) and not known.isdisjoint(first[0].ambiguous)),
        ("abbreviation", is_abbreviation(gold.mention.text)),
    )
    for category, holds in facts:
        if holds:
            return category
    near = [kin for id_ in sorted(known) if (kin := lookup.kinship(first[0].id, id_)) is not None]
    return f"{near[0]} of gold" if near else "other"


def is_abbreviation(text: str) -> bool:
    """Whether a mention looks like a short form: one word, up to 8 characters, two capitals or one with a digit."""
    if len(text) > _LONGEST_ABBREVIATION or len(text.split()) != 1:
        return False
    capitals = sum(character.isupper() for character in text)
    return capitals >= 2 or (capitals == 1 and any(character.isdigit() for character in text))


def write_mistakes(path: Path | str, mistakes: Iterable[Mistake]) -> int:
    """Writes a TSV with a header, sorted by category, then mention, then document; returns the number of rows.

    Equal mentions are adjacent, so one cause shows as one block. Tabs and line breaks in texts become spaces. Raises
    InputError if the file cannot be written.
    """
    order = {category: row for row, category in enumerate(CATEGORIES)}
    rows = sorted(mistakes, key=lambda row: (order[row.category], row.mention.casefold(), row.mention, row.document))
    header = [field.name for field in fields(Mistake)]
    write_lines(path, map(tsv_line, [header, *map(astuple, rows)]))
    return len(rows)
