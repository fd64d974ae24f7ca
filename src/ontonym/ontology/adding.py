"""A release in one format with files that add to it: translations, synonyms, cross-references, mappings in tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ontonym.errors import FormatError
from ontonym.files.source import Source, open_sources
from ontonym.ontology.batch import Batch
from ontonym.ontology.release import REPEATED, Reader, ReleaseLog
from ontonym.ontology.sniffing import GENERAL, Format, choose
from ontonym.types import Concept, Term


@dataclass(slots=True)
class Known:
    """The ids of a release that was read, and its names, by their hashes: some 100 bytes a concept and a name."""

    ids: set[int] = field(default_factory=set)
    names: set[int] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    alternatives: dict[str, str] = field(default_factory=dict)

    def __contains__(self, concept_id: object) -> bool:
        return hash(concept_id) in self.ids or concept_id in self.alternatives

    def own_id(self, concept_id: str) -> str:
        """The id of the release's concept that the id, or the alternative id, is of."""
        return concept_id if hash(concept_id) in self.ids else self.alternatives.get(concept_id, concept_id)

    def add(self, concept: Concept) -> None:
        """Notes a concept of the release."""
        self.ids.add(hash(concept.id))
        self.alternatives.update(dict.fromkeys(concept.alternative_ids, concept.id))
        for term in concept.terms:
            self.names.add(hash((concept.id, term.language, term.text)))
            if term.kind == "preferred":
                self.languages.add(term.language)

    def new_terms(self, concept: Concept, log: ReleaseLog) -> tuple[Term, ...]:
        """The names that the release does not have; preferred only in a language in which it prefers none."""
        terms = []
        for term in concept.terms:
            if hash((concept.id, term.language, term.text)) in self.names:
                log.counts.skip_term(REPEATED)
            elif term.kind == "preferred" and term.language in self.languages:
                terms.append(replace(term, kind="synonym"))
            else:
                terms.append(term)
        return tuple(terms)


def adding(base: Reader, sources: Sequence[Source], added: Sequence[tuple[Reader, Sequence[Source]]]) -> Reader:
    """A reader of the release in ``sources``, then of what the ``added`` files say of its concepts.

    What they say of other concepts is left out and counted. The store merges what is said of one concept.
    """

    def read(_sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept | Batch]:
        known = Known()
        for item in base(sources, log):
            concepts: Iterable[Concept] = (item,) if isinstance(item, Concept) else item.concepts()
            for concept in concepts:
                known.add(concept)
            yield item
        log.base = known
        for reader, files in added:
            for part in reader(files, log):
                for concept in (part,) if isinstance(part, Concept) else part.concepts():
                    own = replace(concept, id=known.own_id(concept.id))
                    yield replace(own, terms=known.new_terms(own, log))

    return read  # type: ignore[return-value]


def split_additions(
    paths: Sequence[Path | str], formats: Mapping[str, Format]
) -> tuple[Sequence[Path | str], Sequence[Path | str]]:
    """The paths of the release, and those of the tables that only add to it: none where all are tables, or none is.

    A folder is a table where all it has of a known format are tables.
    """
    told: dict[Path | str, str] = {}
    for path in paths:
        try:
            told[path] = choose(open_sources([path]), path, formats).format.name
        except FormatError:  # whoever reads them all will say it
            return paths, ()
    base = [path for path in paths if told[path] != GENERAL]
    if not base or len({told[path] for path in base}) > 1:
        return paths, ()
    return base, [path for path in paths if told[path] == GENERAL]
