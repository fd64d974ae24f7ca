"""RRF tables joined into concepts: names are streamed, the other tables are kept in compact arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Column, begins, joined
from ontonym.files.source import Source
from ontonym.ontology.batch import Batch, BatchPart
from ontonym.ontology.options import REPEATED
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.rrf.atoms import Atoms, AtomTables, atoms_of
from ontonym.ontology.rrf.files import RrfFiles, sorted_files
from ontonym.ontology.rrf.sides import (
    ByConcept,
    definitions,
    links,
    ranks,
    retired_ids,
    semantic_types,
    source_versions,
)
from ontonym.ontology.xrefs import canonical_prefix, prefixed
from ontonym.ragged import owners_of
from ontonym.text.strings import Coded, Strings, mixed
from ontonym.types import KINDS, Concept, Property

NOT_TYPED = "name of a concept without one of the semantic types asked for"
ABBREVIATIONS = ("AA", "AB", "ABB", "ABX", "ACR")
ENTRIES = ("EN", "ET", "EP")
FULL_NAMES = ("FN",)
RXNORM_SYNONYMS = ("PSN", "SY", "TMSY", "ET")
"""Types of RxNorm's own names beside those that say what the concept is (IN, SCD, BN…)."""
LAY_SOURCES = ("CHV", "MEDLINEPLUS")
NO_CODE = "NOCODE"
CODES_OF = MappingProxyType(
    {"ICD10AE": "ICD10", "ICD10DUT": "ICD10", "DMDICD10": "ICD10", "ICD10AMAE": "ICD10AM", "MTHICD9": "ICD9CM"}
)
"""Sources with the codes of another: translations, spellings and entry terms of ICD."""
_TRANSLATION = re.compile(r"(MSH|MDR|LNC|SCT|ICPC|WHO)[-_]?[A-Z]{2,3}(?:[-_][A-Z]{2})?$")


def read_rrf(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Batch]:
    """The concepts of a UMLS or RxNorm release, in the order of its names table, then the retired ids.

    Options: ``sources`` (SAB), ``languages``, ``term_types`` (TTY), ``tags`` (semantic types, by name or TUI) and
    ``suppressible``. The preferred term is the one of highest MRRANK in the first of the languages, or English.

    Raises:
        FormatError: files that cannot be read, or no names table.
    """
    files = sorted_files(sources, log)
    describe(files, log)
    yield Batch.of(())
    yield from _Concepts(files, log).batches()


def source_prefix(source: str) -> str:
    """The prefix of a source's codes; a translation (MSHSPA, MDRGER) has the codes of what it translates."""
    translation = _TRANSLATION.match(source)
    return canonical_prefix(translation[1] if translation else CODES_OF.get(source, source))


def describe(files: RrfFiles, log: ReleaseLog) -> None:
    """Records the release's name and version, and the versions of its sources."""
    versions = source_versions(files, log)
    log.details["source_versions"] = versions
    if files.is_rxnorm:
        log.describe(name="rxnorm", title="RxNorm", version=versions.get("RXNORM", ""))
    else:
        licence = "UMLS Metathesaurus License"
        log.describe(name="umls", title="UMLS Metathesaurus", version=versions.get("MTH", ""), licence=licence)


class _Concepts:
    """One pass over a release."""

    def __init__(self, files: RrfFiles, log: ReleaseLog) -> None:
        self._files = files
        self._log = log
        self._codes = AtomTables()
        self._ranks = ranks(files, log)
        types, self._type_names, tuis = semantic_types(files, log)
        self._types: ByConcept = types
        self._wanted_types = self._asked_types(tuis)
        self._links = links(files, log)
        self._definitions = definitions(files, log)

    def batches(self) -> Iterator[Batch]:
        seen = []
        for table in self._files.open("CONSO", self._log):
            for atoms in atoms_of(table, self._files.id_start, self._codes, self._log):
                typed = self._typed(atoms)
                if len(typed):
                    batch, cuis = self._batch(typed)
                    seen.append(cuis)
                    yield batch
        known = np.unique(joined(seen))
        retired = list(self._retired(known))
        if retired:
            yield Batch.of(retired)

    def _asked_types(self, tuis: dict[bytes, int]) -> Column | None:
        if not self._log.options.tags:
            return None
        asked = {tag.casefold() for tag in self._log.options.tags}
        named = {value.decode().casefold(): number for value, number in [*self._type_names.items(), *tuis.items()]}
        return np.array(sorted({number for name, number in named.items() if name in asked}), dtype=np.int64)

    def _typed(self, atoms: Atoms) -> Atoms:
        """The atoms of concepts that have one of the semantic types asked for."""
        if self._wanted_types is None:
            return atoms
        cuis, inverse = np.unique(atoms.cui, return_inverse=True)
        counts, places = self._types.of(cuis)
        owners = owners_of(counts)
        good = np.zeros(len(cuis), dtype=np.bool_)
        good[owners[np.isin(self._types.values[places], self._wanted_types)]] = True
        self._log.counts.drop(NOT_TYPED, int(np.count_nonzero(~good[inverse])))
        return atoms.only(good[inverse])

    def _batch(self, atoms: Atoms) -> tuple[Batch, Column]:
        """The concepts of some atoms, by number, and these numbers."""
        cuis, owners = np.unique(atoms.cui, return_inverse=True)
        order, is_first = self._ordered(atoms, owners)
        atoms, owners = atoms.only(order), owners[order]
        parts = {"terms": self._terms(atoms, owners, is_first, len(cuis))}
        parts["xrefs"] = self._xrefs(atoms, owners, len(cuis))
        counts, places = self._types.of(cuis)
        names = [value.decode() for value in self._type_names]
        parts["tags"] = BatchPart(counts, coded={"tag": Coded(self._types.values[places], names)})
        counts, places = self._links.parents.of(cuis)
        parts["parents"] = BatchPart(counts, {"parents": self._ids(self._links.parents.values[places])})
        if self._links.names:
            parts["relations"] = self._relations(cuis)
        if self._definitions.texts is not None and len(self._definitions.texts):
            counts, places = self._definitions.of(cuis)
            parts["definitions"] = BatchPart(counts, {"definitions": self._definitions.texts.take(places)})
        return Batch(self._ids(cuis), np.zeros(len(cuis), dtype=np.bool_), parts), cuis

    def _relations(self, cuis: Column) -> BatchPart:
        counts, places = self._links.relations.of(cuis)
        names = [value.decode() for value in self._links.names]
        return BatchPart(
            counts,
            {"relation_target": self._ids(self._links.targets[places])},
            {"relation_predicate": Coded(self._links.relations.values[places], names)},
        )

    def _ids(self, numbers: Column) -> Strings:
        return Strings.decimal(numbers, self._files.prefix, self._files.id_width)

    def _ordered(self, atoms: Atoms, owners: Column) -> tuple[Column, Column]:
        """The atoms of each concept best first, and which is the first of its language."""
        rank = self._ranked(atoms)
        tags = self._codes.tags()
        asked = [language.casefold() for language in self._log.options.languages] or ["en"]
        place = np.array(
            [next((i for i, want in enumerate(asked) if tag.casefold() == want), len(asked)) for tag in tags]
        )
        language = place[atoms.language] * len(tags) + atoms.language
        order = np.lexsort((atoms.standing, -rank, atoms.suppressed, language, owners))
        return order, begins(owners[order], atoms.language[order])

    def _ranked(self, atoms: Atoms) -> Column:
        sources, types = list(self._codes.sources), list(self._codes.types)
        pairs, inverse = np.unique(atoms.source * len(types) + atoms.type, return_inverse=True)
        found = [self._rank(sources[pair // len(types)], types[pair % len(types)]) for pair in pairs.tolist()]
        return np.array(found, dtype=np.int64)[inverse]

    def _rank(self, source: bytes, term_type: bytes) -> int:
        """The rank of a kind of names; in RxNorm, which ranks none, its own names come first, of them the concept's."""
        rank = self._ranks.get((source, term_type))
        if rank is None and self._files.is_rxnorm and source == b"RXNORM":
            return 0 if term_type.decode(errors="replace") in RXNORM_SYNONYMS else 1
        return -1 if rank is None else rank

    def _terms(self, atoms: Atoms, owners: Column, is_first: Column, count: int) -> BatchPart:
        """The names of concepts; one that repeats a better one of its concept in its language is left out."""
        _, kept = np.unique(mixed(owners, atoms.language, atoms.text.hashes()), return_index=True)
        kept.sort()
        self._log.counts.skip_term(REPEATED, len(atoms) - len(kept))
        kinds = self._kinds(atoms)
        kinds[is_first] = KINDS.index("preferred")
        languages = Coded(atoms.language[kept], self._codes.tags())
        sources = Coded(atoms.source[kept], [value.decode() for value in self._codes.sources])
        return BatchPart(
            np.bincount(owners[kept], minlength=count),
            {"term_text": atoms.text.take(kept)},
            {
                "term_kind": Coded(kinds[kept], KINDS),
                "term_scope": Coded.same("exact", len(kept)),
                "term_status": Coded(atoms.suppressed[kept].astype(np.uint8), ("active", "retired")),
                "term_language": languages,
                "term_source": sources,
            },
        )

    def _kinds(self, atoms: Atoms) -> Column:
        by_type = np.full(len(self._codes.types), KINDS.index("synonym"))
        for value, number in self._codes.types.items():
            name = value.decode(errors="replace")
            for kind, names in (("abbreviation", ABBREVIATIONS), ("entry", ENTRIES), ("fsn", FULL_NAMES)):
                if name in names:
                    by_type[number] = KINDS.index(kind)
        kinds: Column = by_type[atoms.type]
        lay = [number for value, number in self._codes.sources.items() if value.decode(errors="replace") in LAY_SOURCES]
        kinds[np.isin(atoms.source, lay) & (kinds == KINDS.index("synonym"))] = KINDS.index("lay")
        return kinds

    def _xrefs(self, atoms: Atoms, owners: Column, count: int) -> BatchPart:
        """The codes that sources have for the concept, each once, as CURIEs."""
        prefixes = Coded.of(source_prefix(value.decode()) for value in self._codes.sources)
        system = prefixes.codes[atoms.source]
        _, kept = np.unique(mixed(owners, system, atoms.code.hashes()), return_index=True)
        kept.sort()
        codes, system = atoms.code.take(kept), system[kept]
        coded = (codes.lengths > 0) & ~codes.equal(Coded.same(NO_CODE, len(kept)).strings())
        kept, codes, system = kept[coded], codes.take(np.flatnonzero(coded)), system[coded]
        system = np.where(codes.last(ord(":")) >= 0, len(prefixes.names), system)  # HP:0000118 has its prefix already
        texts = prefixed(codes, Coded(system, (*prefixes.names, "")))
        return BatchPart(np.bincount(owners[kept], minlength=count), {"xrefs": texts})

    def _retired(self, known: Column) -> Iterator[Concept]:
        for row in retired_ids(self._files, self._log):
            place = int(np.searchsorted(known, row.cui))
            if place < len(known) and known[place] == row.cui:
                continue
            yield Concept(
                id=self._ids(np.array([row.cui]))[0],
                terms=(),
                status="retired",
                replaced_by=tuple(self._ids(np.array(row.merged))) if row.merged else (),
                consider=tuple(self._ids(np.array(row.near))) if row.near else (),
                properties=(Property("last version", row.version),) if row.version else (),
            )
