"""Tables that add to a release of another format: translations, synonyms and cross-references of its concepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ontonym.files.source import Source
from ontonym.ontology.batch import Batch
from ontonym.ontology.options import REPEATED
from ontonym.ontology.release import Reader, ReleaseLog
from ontonym.types import Concept, Term


@dataclass(slots=True)
class _Known:
    """The ids and names of a release, by their hashes: about 100 bytes per concept and name."""

    ids: set[int] = field(default_factory=set)
    names: set[int] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    alternatives: dict[str, str] = field(default_factory=dict)

    def __contains__(self, concept_id: object) -> bool:
        return hash(concept_id) in self.ids or concept_id in self.alternatives

    def own_id(self, concept_id: str) -> str:
        """The id of the release's concept with this id or alternative id."""
        return concept_id if hash(concept_id) in self.ids else self.alternatives.get(concept_id, concept_id)

    def add(self, concept: Concept) -> None:
        """Adds a concept of the release."""
        self.ids.add(hash(concept.id))
        self.alternatives.update(dict.fromkeys(concept.alternative_ids, concept.id))
        for term in concept.terms:
            self.names.add(hash((concept.id, term.language, term.text)))
            if term.kind == "preferred":
                self.languages.add(term.language)

    def new_terms(self, concept: Concept, log: ReleaseLog) -> tuple[Term, ...]:
        """The names that the release does not have, preferred only in languages in which it has no preferred term."""
        terms = []
        for term in concept.terms:
            if hash((concept.id, term.language, term.text)) in self.names:
                log.counts.skip_term(REPEATED)
            elif term.kind == "preferred" and term.language in self.languages:
                terms.append(replace(term, kind="synonym"))
            else:
                terms.append(term)
        return tuple(terms)


def adding(base: Reader, sources: Sequence[Source], more: Reader, added: Sequence[Source]) -> Reader:
    """A reader of the release in ``sources``, and then of the additions to its concepts in the ``added`` files.

    Additions to other concepts are left out and counted. The store merges the records of one concept.
    """

    def read(_sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept | Batch]:
        known = _Known()
        for item in base(sources, log):
            concepts: Iterable[Concept] = (item,) if isinstance(item, Concept) else item.concepts()
            for concept in concepts:
                known.add(concept)
            yield item
        log.base = known
        for part in more(added, log):
            for concept in (part,) if isinstance(part, Concept) else part.concepts():
                own = replace(concept, id=known.own_id(concept.id))
                yield replace(own, terms=known.new_terms(own, log))

    return read  # type: ignore[return-value]
