"""Opened terminologies that answer as objects: a subclass of the handle of the lower rooms, so that these take it too.

What looks concepts up is imported when it is asked for: opening a terminology takes no index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ontonym.store import Terminology
from ontonym.text.counting import count

if TYPE_CHECKING:
    from ontonym.tasks.concepts import ConceptView


def with_lookup(terminology: Terminology) -> TerminologyHandle:
    """The same open terminology as a handle of ours: closing either closes both."""
    if isinstance(terminology, TerminologyHandle):
        return terminology
    made = TerminologyHandle.__new__(TerminologyHandle)
    made.__dict__ = terminology.__dict__
    return made


class TerminologyHandle(Terminology):
    """An open terminology; ``terminology["HP:0001250"]`` is a concept, and ``in`` says whether there is one.

    ``len(terminology)`` is the number of concepts, and a loop over it gives each of them. Inside, concepts are numbered
    by rows from 0: ``row`` gives the row of an id, and what takes a ``row`` is faster for many concepts.
    """

    def __getitem__(self, concept_id: str) -> ConceptView:
        from ontonym.tasks.concepts import find_concept

        return find_concept(self, concept_id)

    def get(self, concept_id: str) -> ConceptView | None:
        """The concept with this id, as ``terminology[…]`` gives it; None where there is none."""
        from ontonym.tasks.concepts import concept_at

        return concept_at(self, concept_id)

    def __contains__(self, concept_id: object) -> bool:
        from ontonym.tasks.concepts import concept_at

        return isinstance(concept_id, str) and concept_at(self, concept_id) is not None

    def __iter__(self) -> Iterator[ConceptView]:
        from ontonym.tasks.concepts import ConceptView

        return (ConceptView(self, row) for row in range(len(self)))

    def __repr__(self) -> str:
        if self.closed:
            return f"<Terminology {self.full_name}, closed>"
        return f"<Terminology {self.full_name}: {count(len(self), 'concept')}, {count(self.term_count, 'name')}>"

    def _repr_html_(self) -> str | None:
        from ontonym.tasks import cards

        if self.closed:
            return None  # a notebook then shows the text
        facts = [("concepts", [f"{len(self):,}"]), ("names", [f"{self.term_count:,}"]), ("at", [str(self.path)])]
        return cards.card(self.full_name, "terminology", "", facts)
