"""A difference in words: rows become changes that name concepts, terms, successors and parents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING

from ontonym.store.change import Change, Kind
from ontonym.store.comparing import Pairs
from ontonym.store.open import Terminology
from ontonym.store.replacement import Link, Proposal, link, proposal
from ontonym.text.normalization import changes as spelling_steps

if TYPE_CHECKING:
    from ontonym.store.diff import Difference

_TAG = re.compile(r"\(([^()]+)\)$")


def told(difference: Difference, kind: Kind) -> Iterator[Change]:
    """The changes of one kind, by row."""
    return _TELLING[kind](difference)


def _added(difference: Difference) -> Iterator[Change]:
    new = difference.new
    for row in difference.added.tolist():
        yield Change("added", new.id(row), new.preferred(row), parents_gained=_links(new, new.lists("parents")[row]))


def _retired(difference: Difference) -> Iterator[Change]:
    return _ended(difference, "retired", difference.retired.before.tolist())


def _merged(difference: Difference) -> Iterator[Change]:
    return _ended(difference, "merged", difference.merged.tolist())


def _ended(difference: Difference, kind: Kind, rows: list[int]) -> Iterator[Change]:
    for row in rows:
        concept_id = difference.id_today(row)
        yield _with(Change(kind, concept_id, difference.old.preferred(row)), proposal(difference.new, concept_id))


def _removed(difference: Difference) -> Iterator[Change]:
    for row in difference.removed.tolist():
        yield Change("removed", difference.old.id(row), difference.old.preferred(row))


def _reinstated(difference: Difference) -> Iterator[Change]:
    for before, after in _rows(difference.reinstated):
        old, new = difference.old.preferred(before), difference.new.preferred(after)
        names = ("", "") if old == new else (old, new)
        yield Change("reinstated", difference.new.id(after), new, *names)


def _replacements(difference: Difference) -> Iterator[Change]:
    for before, after in _rows(difference.replacements):
        concept_id = difference.new.id(after)
        before_ids = "|".join(successors(difference.old, before))
        change = Change("replacement changed", concept_id, difference.old.preferred(before), old=before_ids)
        yield _with(change, proposal(difference.new, concept_id))


def successors(terminology: Terminology, row: int) -> tuple[str, ...]:
    """The published successors of a concept, the sure ones first."""
    return tuple(dict.fromkeys(terminology.lists("replaced_by")[row] + terminology.lists("consider")[row]))


def _with(change: Change, proposed: Proposal) -> Change:
    return Change(
        change.kind, change.id, change.preferred, change.old, change.new,
        replaced_by=proposed.replaced_by, consider=proposed.consider, note=proposed.note,
    )  # fmt: skip


def _renamed(difference: Difference) -> Iterator[Change]:
    old, new = difference.old, difference.new
    for before, after in _rows(difference.renamed):
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


def _fsn(difference: Difference) -> Iterator[Change]:
    return _name_pairs(difference, "fsn changed", difference.names.fsn)


def _respelled(difference: Difference) -> Iterator[Change]:
    return _name_pairs(difference, "synonym respelled", difference.names.respelled)


def _name_pairs(difference: Difference, kind: Kind, pairs: Pairs) -> Iterator[Change]:
    old, new = difference.old, difference.new
    for before, after in _rows(pairs):
        row, term = int(new.term_concepts()[after]), new.term(after)
        names = old.term_texts()[before], term.text
        note = _same_but_for(*names) or _other_tag(*names)
        yield Change(kind, new.id(row), new.preferred(row), *names, language=term.language, note=note)


def _same_but_for(old: str, new: str) -> str:
    steps = spelling_steps(old, new)
    return f"the same but for {' and '.join(steps)}" if steps else ""


def _other_tag(old: str, new: str) -> str:
    """Whether fully specified names differ in the semantic tag at their end, as those of SNOMED CT have it."""
    tags = [match[1] if (match := _TAG.search(name)) else "" for name in (old, new)]
    return f"semantic tag {tags[1]}, was {tags[0]}" if all(tags) and tags[0] != tags[1] else ""


def _gained(difference: Difference) -> Iterator[Change]:
    new = difference.new
    for term_row in difference.names.gained.tolist():
        row, term = int(new.term_concepts()[term_row]), new.term(term_row)
        note = _kind_of_name(term.kind, term.scope)
        names = "", term.text
        yield Change("synonym gained", new.id(row), new.preferred(row), *names, language=term.language, note=note)


def _lost(difference: Difference) -> Iterator[Change]:
    old, new, names = difference.old, difference.new, difference.names
    for term_row, staying in zip(names.lost.tolist(), names.staying.tolist(), strict=True):
        row, term = int(old.term_concepts()[term_row]), old.term(term_row)
        today = int(difference.pairing.today[row])
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


def _moved(difference: Difference) -> Iterator[Change]:
    old, new, moves = difference.old, difference.new, difference.moved
    lost_texts, gained_texts = old.lists("parents").values, new.lists("parents").values
    for place, (before, after) in enumerate(_rows(moves.pairs)):
        lost = dict.fromkeys(lost_texts.take(moves.lost[slice(*moves.lost_bounds[place : place + 2])]))
        gained = dict.fromkeys(gained_texts.take(moves.gained[slice(*moves.gained_bounds[place : place + 2])]))
        yield Change(
            "moved", new.id(after), new.preferred(after),
            parents_lost=tuple(_former(difference, each) for each in lost), parents_gained=_links(new, gained),
            note=_direction(difference, before, after, tuple(lost), tuple(gained)),
        )  # fmt: skip


def _former(difference: Difference, concept_id: str) -> Link:
    """A former parent by its name of today where it is there, else by the one that it had."""
    row = difference.old.find(concept_id)
    today = link(difference.new, concept_id)
    if row is None or today.status == "active":
        return today
    status = today.status if today.status == "retired" else "unknown"
    return Link(concept_id, difference.old.preferred(row), status)


def _direction(difference: Difference, before: int, after: int, lost: tuple[str, ...], gained: tuple[str, ...]) -> str:
    """Whether a concept stays below its former parents, or is now right below what was above it anyway."""
    if not lost or not gained:
        return ""
    if _is_below(difference.new, after, lost):
        return "still below its former parent" + ("s" if len(lost) > 1 else "")
    if _is_below(difference.old, before, gained):
        return "was below its new parent" + ("s" if len(gained) > 1 else "") + " before"
    return ""


def _is_below(terminology: Terminology, row: int, ids: tuple[str, ...]) -> bool:
    """Whether a concept is below all of these; walks over few rows, where `Hierarchy` would look at all."""
    wanted = {terminology.find(concept_id) for concept_id in ids}
    if None in wanted:
        return False
    hierarchy = terminology.hierarchy
    seen: set[int] = set()
    rows = [row]
    while rows and wanted:
        for parent in hierarchy.parents(rows.pop()).tolist():
            if parent not in seen:
                seen.add(parent)
                wanted.discard(parent)
                rows.append(parent)
    return not wanted


def _rows(pairs: Pairs) -> Iterator[tuple[int, int]]:
    return zip(pairs.before.tolist(), pairs.after.tolist(), strict=True)


def _links(terminology: Terminology, ids: dict[str, None] | tuple[str, ...]) -> tuple[Link, ...]:
    return tuple(link(terminology, concept_id) for concept_id in dict.fromkeys(ids))


_TELLING: MappingProxyType[Kind, Callable[[Difference], Iterator[Change]]] = MappingProxyType(
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
