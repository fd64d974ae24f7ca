"""Adding terms to an index and removing them: the index is replaced in one step by one that shares all other files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ontonym.index.added import JOURNAL, PART, AddedTerm, Entry, Journal, write_added
from ontonym.index.amend import amended
from ontonym.index.open import Index, open_index
from ontonym.text.normalization import tokens


@dataclass(frozen=True, slots=True)
class Holding:
    """An added term that holds, and what became of its concept.

    ``concept`` is the id that its concept has today, None where the terminologies have no such active concept: the term
    is then kept, but not searched.
    """

    term: AddedTerm
    concept: str | None

    @property
    def moved(self) -> bool:
        """Whether another concept has taken the place of the one it was added to, or the id is an alternative one."""
        return self.concept is not None and self.concept != self.term.id


@dataclass(frozen=True, slots=True)
class TermsChange:
    """What a change of the added terms did.

    ``added`` terms are new, ``replaced`` ones held already; ``removed`` hold no longer. ``unknown`` terms are of ids
    that no active concept has (added all the same), ``missing`` ones were to be removed and did not hold. ``held`` is
    how many hold now.
    """

    added: int = 0
    replaced: int = 0
    removed: int = 0
    held: int = 0
    unknown: tuple[AddedTerm, ...] = ()
    missing: tuple[AddedTerm, ...] = ()


def add_terms(
    path: Path | str,
    terms: Iterable[AddedTerm],
    *,
    terminologies: Sequence[Path | str] | None = None,
    encoder: Path | str | None = None,
) -> TermsChange:
    """Adds a user's terms to the index at ``path``; `Index.refreshed` gives an open index with them.

    A term that holds already is replaced; equal ones among ``terms`` count up. ``terminologies`` and ``encoder`` as in
    `open_index`. Raises LockedError while another process writes the index, ArtifactError where it is none.
    """
    given = [term for term in terms if tokens(term.text)]

    def change(journal: Journal, index: Index) -> TermsChange:
        distinct = {(term.id, term.text): term for term in given}
        new = journal.add(given)
        unknown = tuple(term for term in distinct.values() if index.find(term.id) is None)
        return TermsChange(added=new, replaced=len(distinct) - new, held=len(journal.held), unknown=unknown)

    return _changed(Path(path), change, terminologies, encoder)


def remove_terms(
    path: Path | str,
    terms: Iterable[AddedTerm],
    *,
    terminologies: Sequence[Path | str] | None = None,
    encoder: Path | str | None = None,
) -> TermsChange:
    """Removes added terms, given by id and text (all of a concept's where the text is empty); see `add_terms`.

    The journal keeps what was added, and who removed it when and why.
    """
    gone = tuple(terms)

    def change(journal: Journal, index: Index) -> TermsChange:
        before = len(journal.held)
        missing = journal.remove(gone)
        return TermsChange(removed=before - len(journal.held), held=len(journal.held), missing=tuple(missing))

    return _changed(Path(path), change, terminologies, encoder)


def holdings(index: Index) -> list[Holding]:
    """The added terms that hold, in the order in which they were first added."""
    return [Holding(term, index.resolve(term.id)) for term in Journal.open(index.path).held.values()]


def read_journal(index: Index) -> list[Entry]:
    """All that was ever added to an index and removed from it, in order."""
    return Journal.open(index.path).entries


def _changed(
    path: Path,
    change: Callable[[Journal, Index], TermsChange],
    terminologies: Sequence[Path | str] | None,
    encoder: Path | str | None,
) -> TermsChange:
    with open_index(path, terminologies=terminologies, encoder=encoder):
        pass  # what cannot be opened is refused before anything is written
    with (
        amended(path, lambda name: name == JOURNAL or name.startswith(f"{PART}/")) as writer,
        open_index(path, terminologies=terminologies, encoder=encoder) as index,  # again: now nobody else writes it
    ):
        journal = Journal.open(path)
        done = change(journal, index)
        writer.content.pop(PART, None)
        write_added(writer, journal, index.find, index.signals.ontology, index.encoder, path)
    return done
