"""Adds terms to an index and removes them: the index is replaced in one step by one that shares all other files.

Of a shared index the database has them (`ontonym.index.shared.changing`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ontonym.artifact import is_url
from ontonym.errors import InputError
from ontonym.index.added import AddedTerm, Entry, Journal, is_of_terms, write_added
from ontonym.index.amend import amended
from ontonym.index.extra import ADDED
from ontonym.index.open import Index, IndexPlace, open_index
from ontonym.text.normalization import tokens
from ontonym.types import NIL


@dataclass(frozen=True, slots=True)
class Holding:
    """An added term that is in effect, and its concept's present id.

    ``concept`` is None if the terminologies have no such active concept: the term is then kept, but not searched. Of a
    text without a concept it is `NIL`.
    """

    term: AddedTerm
    concept: str | None

    @property
    def moved(self) -> bool:
        """Whether the term's id is an alternative id, or its concept was replaced by another."""
        return self.concept is not None and self.concept != self.term.id


@dataclass(frozen=True, slots=True)
class TermsChange:
    """The result of adding or removing terms.

    ``added`` counts new terms, ``replaced`` those that were in effect before, ``removed`` those no longer in effect,
    and ``held`` those in effect now. ``unknown`` terms have an id of no active concept, and not `NIL`; they are added
    all the same. ``shared`` are terms whose text is also a name of other concepts of the same terminology, or was added
    to them, each with their ids. ``missing`` terms were to be removed, but were not in effect.
    """

    added: int = 0
    replaced: int = 0
    removed: int = 0
    held: int = 0
    unknown: tuple[AddedTerm, ...] = ()
    shared: tuple[tuple[AddedTerm, tuple[str, ...]], ...] = ()
    missing: tuple[AddedTerm, ...] = ()


def add_terms(
    path: Path | str,
    terms: Iterable[AddedTerm],
    *,
    terminologies: Sequence[Path | str] | None = None,
    encoder: Path | str | None = None,
) -> TermsChange:
    """Adds a user's terms to the index at ``path``; `Index.refreshed` gives an open index with them.

    A term that is in effect is replaced; the counts of equal terms in ``terms`` add up. ``terminologies`` and
    ``encoder`` are as in `open_index`. Raises LockedError while another process writes the index, ArtifactError if
    there is none.
    """
    given = [term for term in terms if tokens(term.text)]

    def change(journal: Journal, index: Index) -> TermsChange:
        distinct = {(term.id, term.text): term for term in given}
        _refuse_swapped(distinct.values(), index)
        new = journal.add(given)
        unknown = tuple(term for term in distinct.values() if term.id != NIL and index.find(term.id) is None)
        shared = tuple(_shared(distinct.values(), journal, index))
        return TermsChange(new, len(distinct) - new, held=len(journal.held), unknown=unknown, shared=shared)

    return _changed(Path(path), change, terminologies, encoder)


def _refuse_swapped(terms: Iterable[AddedTerm], index: Index) -> None:
    """Raises InputError for a term whose text is an id of the index, and whose id is none."""
    for term in terms:
        if term.id != NIL and index.find(term.id) is None and index.find(term.text) is not None:
            hint = "swap the two (of a file without a header the text is the first column)"
            raise InputError(f"{term.text!r} is an id, and {term.id!r} is none: {hint}")


def _shared(terms: Iterable[AddedTerm], journal: Journal, index: Index) -> Iterator[tuple[AddedTerm, tuple[str, ...]]]:
    """The terms of active concepts whose words are those of a name, published or added, of another concept of the same
    terminology, with the ids of such. Of a shared index only added names are looked at: the others are in a database.
    """
    added: dict[frozenset[str], list[int]] = defaultdict(list)
    for one in journal.held.values():
        if one.id != NIL and (concept := index.find(one.id)) is not None:
            added[frozenset(tokens(one.text))].append(concept)
    for term in terms:
        own = None if term.id == NIL else index.find(term.id)
        if own is None:
            continue
        words = tokens(term.text)
        named = [] if is_url(index.path) else index.signals.concepts_named(words).tolist()
        alike = {*named, *added[frozenset(words)]} - {own}
        if others := [one for one in alike if index.place(one) == index.place(own)]:
            yield term, tuple(map(index.id, sorted(others)))


def remove_terms(
    path: Path | str,
    terms: Iterable[AddedTerm],
    *,
    terminologies: Sequence[Path | str] | None = None,
    encoder: Path | str | None = None,
) -> TermsChange:
    """Removes added terms, given by id and text (all of a concept's if the text is empty); see `add_terms`.

    The journal keeps what was added, and who removed it when and why.
    """
    gone = tuple(terms)

    def change(journal: Journal, index: Index) -> TermsChange:
        before = len(journal.held)
        missing = journal.remove(gone)
        return TermsChange(removed=before - len(journal.held), held=len(journal.held), missing=tuple(missing))

    return _changed(Path(path), change, terminologies, encoder)


def holdings(index: Index) -> list[Holding]:
    """The added terms in effect, in the order in which they were first added."""
    return [Holding(term, NIL if term.id == NIL else index.resolve(term.id)) for term in _journal(index).held.values()]


def read_journal(index: Index) -> list[Entry]:
    """All additions to an index and removals from it, in order."""
    return _journal(index).entries


def _journal(index: Index) -> Journal:
    if is_url(index.path):
        from ontonym.index.shared.changing import shared_journal

        return Journal(shared_journal(index))
    return Journal.open(index.path)


def _changed(
    path: Path,
    change: Callable[[Journal, Index], TermsChange],
    terminologies: Sequence[Path | str] | None,
    encoder: Path | str | None,
) -> TermsChange:
    if is_url(path):
        from ontonym.index.shared.changing import change_terms

        return change_terms(IndexPlace(path, tuple(terminologies or ()), encoder), change)
    with open_index(path, terminologies=terminologies, encoder=encoder):
        pass  # an index that cannot be opened is refused before anything is written
    with (
        amended(path, is_of_terms) as writer,
        open_index(path, terminologies=terminologies, encoder=encoder) as index,
    ):
        journal = Journal.open(path)
        done = change(journal, index)
        writer.content.pop("added", None)
        write_added(writer, journal, index.find, index.signals.ontology, index.encoder, path / ADDED)
    return done
