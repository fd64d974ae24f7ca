"""The changes between two releases in words: rows become changes that name concepts, terms, successors and parents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, get_args

from ontonym.store.comparing import ReleaseComparison, RowPairs
from ontonym.store.open import Terminology
from ontonym.store.replacement import Link, Replacement, link, replacement_of, successors
from ontonym.text.normalization import changes as spelling_steps

ChangeKind = Literal[
    "added", "retired", "merged", "removed", "reinstated", "replacement changed", "renamed", "fsn changed",
    "synonym respelled", "synonym gained", "synonym lost", "moved",
]  # fmt: skip
"""What can become of a concept.

``added``: a concept with a new id. ``retired``: still there, no longer active. ``merged``: its id is an alternative
id of another concept. ``removed``: its id is nowhere. ``reinstated``: active again. ``replacement changed``: it was
retired before, and other concepts are said to take its place. ``renamed``: another preferred term. ``fsn changed``:
another fully specified name. ``synonym respelled``: a name that differs only in spelling from the one before.
``synonym gained``, ``synonym lost``: a name of any kind. ``moved``: other parents.
"""

CHANGE_KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
"""The kinds of change, in the order in which they are listed."""

_TAG = re.compile(r"\(([^()]+)\)$")


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one concept.

    ``preferred`` is its preferred term today, and of a concept that is no longer active the last one that it had
    while it was. ``old`` and ``new`` are the names before and after, ``language`` is theirs (where the published
    successors changed, ``old`` are those before). ``parents_lost`` and ``parents_gained`` describe a move; an added
    concept gained its parents. ``replaced_by`` are the active concepts that take the place of one that is no longer
    active, ``consider`` weaker suggestions. ``note`` says more in words.
    """

    kind: ChangeKind
    id: str
    preferred: str
    old: str = ""
    new: str = ""
    parents_lost: tuple[Link, ...] = ()
    parents_gained: tuple[Link, ...] = ()
    replaced_by: tuple[Link, ...] = ()
    consider: tuple[Link, ...] = ()
    language: str = ""
    note: str = ""


def describe_changes(comparison: ReleaseComparison, kind: ChangeKind) -> Iterator[Change]:
    """The changes of one kind, by row."""
    return _DESCRIBE[kind](comparison)


def _added(comparison: ReleaseComparison) -> Iterator[Change]:
    new = comparison.new
    for row in comparison.added.tolist():
        yield Change("added", new.id(row), new.preferred(row), parents_gained=_links(new, new.lists("parents")[row]))


def _retired(comparison: ReleaseComparison) -> Iterator[Change]:
    return _ended(comparison, "retired", comparison.retired.before.tolist())


def _merged(comparison: ReleaseComparison) -> Iterator[Change]:
    return _ended(comparison, "merged", comparison.merged.tolist())


def _ended(comparison: ReleaseComparison, kind: ChangeKind, rows: list[int]) -> Iterator[Change]:
    for row in rows:
        concept_id = comparison.id_today(row)
        yield _with(Change(kind, concept_id, comparison.old.preferred(row)), replacement_of(comparison.new, concept_id))


def _removed(comparison: ReleaseComparison) -> Iterator[Change]:
    for row in comparison.removed.tolist():
        yield Change("removed", comparison.old.id(row), comparison.old.preferred(row))


def _reinstated(comparison: ReleaseComparison) -> Iterator[Change]:
    for before, after in _rows(comparison.reinstated):
        old, new = comparison.old.preferred(before), comparison.new.preferred(after)
        names = ("", "") if old == new else (old, new)
        yield Change("reinstated", comparison.new.id(after), new, *names)


def _replacements(comparison: ReleaseComparison) -> Iterator[Change]:
    for before, after in _rows(comparison.replacements):
        concept_id = comparison.new.id(after)
        before_ids = "|".join(successors(comparison.old, before))
        change = Change("replacement changed", concept_id, comparison.old.preferred(before), old=before_ids)
        yield _with(change, replacement_of(comparison.new, concept_id))


def _with(change: Change, replacement: Replacement) -> Change:
    """The change with what takes the concept's place."""
    found = replacement
    return replace(change, replaced_by=found.replaced_by, consider=found.consider, note=found.note)


def _renamed(comparison: ReleaseComparison) -> Iterator[Change]:
    """Renamed concepts, noting where the old name stays, or the new one was there, as a synonym."""
    old, new = comparison.old, comparison.new
    for before, after in _rows(comparison.renamed):
        names = old.preferred(before), new.preferred(after)
        language = new.term(new.terms_of(after).start).language if new.terms_of(after) else ""
        note = _same_but_for(*names) or "; ".join(
            words
            for words, there in (
                ("the old name stays as a synonym", names[0] in _others(new, after)),
                ("the new name was a synonym", names[1] in _others(old, before)),
            )
            if there
        )
        yield Change("renamed", new.id(after), names[1], *names, language=language, note=note)


def _others(terminology: Terminology, row: int) -> list[str]:
    """The active names of a concept but the preferred one."""
    terms = [terminology.term(term) for term in terminology.terms_of(row)[1:]]
    return [term.text for term in terms if term.status == "active"]


def _fsn(comparison: ReleaseComparison) -> Iterator[Change]:
    return _name_pairs(comparison, "fsn changed", comparison.names.fsn)


def _respelled(comparison: ReleaseComparison) -> Iterator[Change]:
    return _name_pairs(comparison, "synonym respelled", comparison.names.respelled)


def _name_pairs(comparison: ReleaseComparison, kind: ChangeKind, pairs: RowPairs) -> Iterator[Change]:
    old, new = comparison.old, comparison.new
    for before, after in _rows(pairs):
        row, term = int(new.term_concepts()[after]), new.term(after)
        names = old.term_texts()[before], term.text
        note = _same_but_for(*names) or changed_tag(*names)
        yield Change(kind, new.id(row), new.preferred(row), *names, language=term.language, note=note)


def _same_but_for(old: str, new: str) -> str:
    steps = spelling_steps(old, new)
    return f"the same but for {' and '.join(steps)}" if steps else ""


def changed_tag(old: str, new: str) -> str:
    """What changed of the semantic tag at the end of two fully specified names, as SNOMED CT writes it; else empty.

    Empty too where the names differ only in spelling.
    """
    if _same_but_for(old, new):
        return ""
    tags = [match[1] if (match := _TAG.search(name)) else "" for name in (old, new)]
    return f"semantic tag {tags[1]}, was {tags[0]}" if all(tags) and tags[0] != tags[1] else ""


def _gained(comparison: ReleaseComparison) -> Iterator[Change]:
    new = comparison.new
    for term_row in comparison.names.gained.tolist():
        row, term = int(new.term_concepts()[term_row]), new.term(term_row)
        note = _kind_of_name(term.kind, term.scope)
        names = "", term.text
        yield Change("synonym gained", new.id(row), new.preferred(row), *names, language=term.language, note=note)


def _lost(comparison: ReleaseComparison) -> Iterator[Change]:
    old, new, names = comparison.old, comparison.new, comparison.names
    for term_row, staying in zip(names.lost.tolist(), names.staying.tolist(), strict=True):
        row, term = int(old.term_concepts()[term_row]), old.term(term_row)
        today = int(comparison.pairing.today[row])
        notes = [_kind_of_name(term.kind, term.scope)]
        if staying >= 0:
            notes.append(f"“{new.term_texts()[staying]}” stays")
        note = "; ".join(filter(None, notes))
        yield Change("synonym lost", new.id(today), new.preferred(today), term.text, language=term.language, note=note)


def _kind_of_name(kind: str, scope: str) -> str:
    """What a name is, where it is no plain synonym."""
    words = [] if scope == "exact" else [scope]
    return " ".join(words + ([] if kind == "synonym" else [_NAME_KINDS.get(kind, kind)]))


_NAME_KINDS = MappingProxyType({"fsn": "fully specified name", "lay": "lay term", "entry": "entry term"})


def _moved(comparison: ReleaseComparison) -> Iterator[Change]:
    old, new, moves = comparison.old, comparison.new, comparison.moved
    lost_texts, gained_texts = old.lists("parents").values, new.lists("parents").values
    for place, (before, after) in enumerate(_rows(moves.pairs)):
        lost = dict.fromkeys(lost_texts.take(moves.lost[slice(*moves.lost_bounds[place : place + 2])]))
        gained = dict.fromkeys(gained_texts.take(moves.gained[slice(*moves.gained_bounds[place : place + 2])]))
        yield Change(
            "moved", new.id(after), new.preferred(after),
            parents_lost=tuple(_former(comparison, each) for each in lost), parents_gained=_links(new, gained),
            note=_direction(comparison, before, after, tuple(lost), tuple(gained)),
        )  # fmt: skip


def _former(comparison: ReleaseComparison, concept_id: str) -> Link:
    """A former parent by its name of today where it is there, else by the one that it had."""
    row = comparison.old.find(concept_id)
    today = link(comparison.new, concept_id)
    if row is None or today.status == "active":
        return today
    status = today.status if today.status == "retired" else "unknown"
    return Link(concept_id, comparison.old.preferred(row), status)


def _direction(
    comparison: ReleaseComparison, before: int, after: int, lost: tuple[str, ...], gained: tuple[str, ...]
) -> str:
    """Whether a concept stays below its former parents, or is now right below what was above it anyway."""
    if not lost or not gained:
        return ""
    if _is_below(comparison.new, after, lost):
        return "still below its former parent" + ("s" if len(lost) > 1 else "")
    if _is_below(comparison.old, before, gained):
        return "was below its new parent" + ("s" if len(gained) > 1 else "") + " before"
    return ""


def _is_below(terminology: Terminology, row: int, ids: tuple[str, ...]) -> bool:
    """Whether a concept is below all of these."""
    return {terminology.find(concept_id) for concept_id in ids} <= set(terminology.hierarchy.ancestors(row).tolist())


def _rows(pairs: RowPairs) -> Iterator[tuple[int, int]]:
    return zip(pairs.before.tolist(), pairs.after.tolist(), strict=True)


def _links(terminology: Terminology, ids: dict[str, None] | tuple[str, ...]) -> tuple[Link, ...]:
    return tuple(link(terminology, concept_id) for concept_id in dict.fromkeys(ids))


_DESCRIBE: MappingProxyType[ChangeKind, Callable[[ReleaseComparison], Iterator[Change]]] = MappingProxyType(
    {
        "added": _added,
        "retired": _retired,
        "merged": _merged,
        "removed": _removed,
        "reinstated": _reinstated,
        "replacement changed": _replacements,
        "renamed": _renamed,
        "fsn changed": _fsn,
        "synonym respelled": _respelled,
        "synonym gained": _gained,
        "synonym lost": _lost,
        "moved": _moved,
    }
)
