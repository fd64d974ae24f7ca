"""Terms that users add to an index: the journal of who added and removed what, and the part that is searched.

The journal only grows. It is a file of the index, is carried over to every new build and update, and determines each
time which terms are searched. Terms of concepts that are gone stay in it and are listed, but are not searched.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson

from ontonym.artifact import ArtifactWriter
from ontonym.encoder.protocol import Encoder
from ontonym.errors import ArtifactError
from ontonym.index.extra import ADDED, NIL_TEXTS, ExtraTerms, write_extra
from ontonym.index.part import IndexPart
from ontonym.jsonbytes import json_bytes
from ontonym.store import Terminology
from ontonym.text.normalization import tokens
from ontonym.text.strings import Strings
from ontonym.types import KINDS, NIL, SCOPES

JOURNAL = "added_terms.jsonl"
"""The name of the journal inside an index."""

MOST_TIMES = 2**31 - 1
"""The highest count of an added term; higher ones and sums become it."""

_NIL_IDS = frozenset({"nil", "cui-less", "cui_less"})

Find = Callable[[str], int | None]
"""Returns the number of the active concept that an id means today, or None."""

Did = Literal["added", "removed"]


@dataclass(frozen=True, slots=True)
class AddedTerm:
    """A user's name for a concept, or with the id `NIL` a text that has no concept ("CUI-less" is read as NIL).

    ``count`` is how often it was seen (mentions in annotated text), from 1 to `MOST_TIMES`: if several concepts have
    the same added name, the one with the higher count comes first. ``who``, ``when`` (ISO 8601) and ``why`` are for
    people.
    """

    id: str
    text: str
    count: int = 1
    who: str = ""
    when: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        if self.id.lower() in _NIL_IDS:
            object.__setattr__(self, "id", NIL)
        object.__setattr__(self, "count", min(self.count, MOST_TIMES))


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the journal."""

    did: Did
    term: AddedTerm


class Journal:
    """All additions and removals in order; ``held`` are the terms that are in effect, by id and text."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries: list[Entry] = []
        self.held: dict[tuple[str, str], AddedTerm] = {}
        for entry in entries:
            self.write(entry)

    @classmethod
    def open(cls, index: Path) -> Journal:
        """Reads the journal of the index in a folder; empty if there is none. Raises ArtifactError if it is damaged."""
        file = index / JOURNAL
        if not file.is_file():
            return cls()
        try:
            rows = [orjson.loads(line) for line in file.read_bytes().splitlines()]
            return cls(Entry(row.pop("did"), AddedTerm(**row)) for row in rows)
        except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError) as error:
            raise ArtifactError(f"{file}: damaged: {error}; add the terms again with `add_terms()`") from None

    def write(self, entry: Entry) -> None:
        """Appends an entry."""
        self.entries.append(entry)
        place = entry.term.id, entry.term.text
        if entry.did == "added":
            self.held[place] = entry.term
        else:
            self.held.pop(place, None)

    def add(self, terms: Iterable[AddedTerm]) -> int:
        """Adds terms and returns how many are new. A term that is in effect is replaced; the counts of equal terms add
        up.
        """
        fresh: dict[tuple[str, str], AddedTerm] = {}
        for term in terms:
            place = term.id, term.text
            fresh[place] = replace(term, count=term.count + (fresh[place].count if place in fresh else 0))
        now, before = _now(), len(self.held)
        for term in fresh.values():
            self.write(Entry("added", replace(term, when=term.when or now)))
        return len(self.held) - before

    def remove(self, terms: Iterable[AddedTerm]) -> list[AddedTerm]:
        """Removes terms by id and text, or all of a concept's if the text is empty; returns those that were not in
        effect.
        """
        missing: list[AddedTerm] = []
        now = _now()
        texts: dict[str, list[str]] = {}
        for id_, text in self.held:
            texts.setdefault(id_, []).append(text)
        for term in terms:
            wanted = [term.text] if term.text else texts.get(term.id, [])
            held = [(term.id, text) for text in wanted if (term.id, text) in self.held]
            if not held:
                missing.append(term)
            for id_, text in held:
                count = self.held[id_, text].count
                gone = replace(term, id=id_, text=text, count=count, when=term.when or now)
                self.write(Entry("removed", gone))
        return missing

    def save(self, index: Path) -> None:
        """Writes the journal into the folder of an index."""
        lines = [json_bytes({"did": entry.did, **asdict(entry.term)}) for entry in self.entries]
        (index / JOURNAL).write_bytes(b"".join(line + b"\n" for line in lines))


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def find_concept(terminologies: Sequence[Terminology], concept_id: str) -> int | None:
    """The number of the active concept that an id means, counted through all terminologies, or None."""
    offset = 0
    for terminology in terminologies:
        row = terminology.current(concept_id)
        if row is not None:
            return offset + row
        offset += len(terminology)
    return None


def write_added(
    writer: ArtifactWriter, journal: Journal, find: Find, ontology: IndexPart, encoder: Encoder, old: Path | None
) -> None:
    """Writes the journal and the part of its terms in effect into an index that is being written.

    ``ontology`` is the index's main part, whose names determine the rarity of words. ``old`` is the folder of the part
    before the change, if it has the same encoder: its words and vectors are reused. The manifest's ``added`` counts the
    terms in effect and those searched. Texts of NIL are a part of their own, under the first concept number.
    """
    if not journal.entries:
        return
    journal.save(writer.folder)
    of_concepts = [term for term in journal.held.values() if term.id != NIL]
    of_none = [term for term in journal.held.values() if term.id == NIL]
    searched = 0
    before = (old, old.with_name(NIL_TEXTS) if old else None)
    for part, place, terms, numbered in zip(
        (ADDED, NIL_TEXTS), before, (of_concepts, of_none), (find, lambda _: 0), strict=True
    ):
        found, count = _by_concept(terms, numbered)
        searched += count
        if found:
            write_extra(writer.folder / part, _columns(found), ontology, encoder, place)
    writer.content["added"] = {"terms": len(journal.held), "searched": searched}


def _columns(found: Sequence[tuple[int, Sequence[AddedTerm]]]) -> ExtraTerms:
    every = [term for _, held in found for term in held]
    return ExtraTerms(
        np.repeat([number for number, _ in found], [len(held) for _, held in found]),
        Strings.of(tuple(term.text for term in every)),
        Strings.of(tuple(map(_source, every))),
        np.array([term.count for term in every]),
        np.full(len(every), KINDS.index("synonym"), dtype=np.uint8),
        np.full(len(every), SCOPES.index("exact"), dtype=np.uint8),
    )


def is_of_terms(name: str) -> bool:
    """Whether a file of an index, by its path inside, belongs to the terms that users added."""
    return name == JOURNAL or name.startswith((f"{ADDED}/", f"{NIL_TEXTS}/"))


def _by_concept(terms: Iterable[AddedTerm], find: Find) -> tuple[list[tuple[int, list[AddedTerm]]], int]:
    """The terms of each concept, one of each spelling with their counts added up, concepts ascending; and the number of
    terms.

    Terms of concepts that are gone, and those without a letter or a digit, are left out.
    """
    searched = 0
    places: dict[str, int | None] = {}
    forms: dict[tuple[int, tuple[str, ...]], AddedTerm] = {}
    for term in terms:
        if term.id not in places:
            places[term.id] = find(term.id)
        concept, words = places[term.id], tuple(sorted(tokens(term.text)))
        if concept is None or not words:
            continue
        searched += 1
        first = forms.get((concept, words))
        forms[concept, words] = replace(first, count=first.count + term.count) if first else term
    found: dict[int, list[AddedTerm]] = {}
    for (concept, _), term in forms.items():
        found.setdefault(concept, []).append(term)
    return sorted(found.items()), searched


def _source(term: AddedTerm) -> str:
    return f"added by {term.who}" if term.who else "added"


def is_added(source: str) -> bool:
    """Whether the source of a name is a user who added it."""
    return source == "added" or source.startswith("added by ")


def added_counts(content: Mapping[str, Any]) -> tuple[int, int]:
    """The numbers of added terms in effect and of those searched, from an index manifest's content."""
    added = content.get("added", {})
    return int(added.get("terms", 0)), int(added.get("searched", 0))
