"""A query beside the name that was found for it: which words only one of both has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ontonym.index.interpretation import Interpretation
from ontonym.index.query import Query
from ontonym.index.signals import Signals
from ontonym.text.denials import NEGATORS
from ontonym.text.english import is_english
from ontonym.text.wordlists import LIGHT
from ontonym.text.wordroots import root, roots_of

CALLED_AFTER_PERSONS = frozenset({"disease", "syndrome"})
"""What is left out after a person's name, which English does not know and whose letters are like those of drugs and
organisms: "Canavan", but not "serotonin"."""

_DESIGNATING = frozenset({"type", "subtype", "form", "variant"})
"""What may stand between a name and its number: "Hermansky-Pudlak type 1"."""


@dataclass(frozen=True)
class ComparedName:
    """A query beside its surest candidate: the words of the candidate's best ``name``, and of its ``preferred`` term.

    ``to_preferred`` is the cosine of the query to that preferred term; ``is_lay`` says that the name is a lay one.
    """

    query: Query
    name: tuple[str, ...]
    preferred: tuple[str, ...]
    to_preferred: float
    is_lay: bool
    signals: Signals

    @cached_property
    def only_in_query(self) -> list[str]:
        """The telling words of the query that the name lacks."""
        return words_apart(self.query.words, self.name)

    @cached_property
    def only_in_name(self) -> list[str]:
        """The telling words of the name that the query lacks."""
        return words_apart(self.name, self.query.words)

    @property
    def roots(self) -> frozenset[str]:
        """The roots of the words of the name and of the preferred term."""
        return roots_of(self.name) | roots_of(self.preferred)

    @cached_property
    def may_be_person(self) -> bool:
        """Whether the query may be a person's name, after which a disease is called ("Hermansky-Pudlak type 1")."""
        is_named = (
            bool(self.only_in_name)
            and CALLED_AFTER_PERSONS.issuperset(self.only_in_name)
            and _DESIGNATING.issuperset(self.only_in_query)
        )
        return is_named and not all(map(is_english, self.query.words))


def compared(read: Interpretation, signals: Signals, place: int | None = None) -> ComparedName:
    """The query of an interpretation beside its surest candidate, or the one at another position."""
    place = read.surest_place if place is None else place
    row = read.name_row(place)
    name, to_preferred = signals.words_of(row), float(read.evidence.to_preferred[place])
    concept, is_lay = signals.preferred_words(read.concept(place)) or name, signals.kind_of(row) == "lay"
    return ComparedName(read.query, name, concept, to_preferred, is_lay, signals)


def words_apart(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The telling words that have no form among the others; negations are compared elsewhere."""
    roots = roots_of(tuple(others))
    return [word for word in words if root(word) not in roots and word not in LIGHT and word not in NEGATORS]
