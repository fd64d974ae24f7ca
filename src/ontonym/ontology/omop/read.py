"""OMOP's tables joined into concepts, all in columns: ten million concepts are never objects at once."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ontonym.arrays import Column, Mask
from ontonym.files.csvtext import csv_reader
from ontonym.files.records import column_places
from ontonym.files.source import Source
from ontonym.ontology.batch import Batch, BatchBuilder
from ontonym.ontology.omop.concepts import Concepts, concepts_of
from ontonym.ontology.omop.files import EMPTY, IdSet, OmopFiles, delimiter_of, sorted_files
from ontonym.ontology.omop.sides import (
    INVALID,
    ConceptTexts,
    Linked,
    OmopLinks,
    links,
    repeated,
    strengths,
    synonyms,
)
from ontonym.ontology.omop.words import NO_CONCEPT, PREFIX, code_prefix
from ontonym.ontology.options import OTHER_LANGUAGE, OTHER_SOURCE, REPEATED
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.xrefs import prefixed
from ontonym.ragged import owners_of
from ontonym.text.counting import count
from ontonym.text.numbers import whole_number
from ontonym.text.strings import Coded, Strings, mixed
from ontonym.text.strings import gathered as slices
from ontonym.types import Concept, Mapping, Term

NEEDED = ("source_code", "source_vocabulary_id", "target_concept_id")
NO_TAGS = "row of a source code, which has no domain or class"
STATED_BY = "SOURCE_TO_CONCEPT_MAP"


@dataclass(slots=True)
class _Code:
    """The contents of the rows of one source code; ``targets`` in the order of the rows."""

    vocabulary: str
    name: str = ""
    own: dict[int, None] = field(default_factory=dict)
    targets: dict[int, None] = field(default_factory=dict)


def mapped_concepts(files: OmopFiles, log: ReleaseLog) -> Iterator[Concept]:
    """The source codes as concepts, by first mention, with mappings to the concepts of OMOP."""
    found: dict[str, _Code] = {}
    for source in files.kinds.get("source map", []):
        _read(source, found, log)
    for concept_id, code in found.items():
        yield Concept(
            concept_id,
            (Term(code.name, "preferred", source=code.vocabulary),) if code.name else (),
            alternative_ids=tuple(f"{PREFIX}{number}" for number in code.own),
            mappings=tuple(_mapping(concept_id, target, code) for target in code.targets),
        )


def _mapping(concept_id: str, target: int, code: _Code) -> Mapping:
    """One target of the code: a close match if it is the only one, else related."""
    predicate = "skos:closeMatch" if len(code.targets) == 1 and target != NO_CONCEPT else "skos:relatedMatch"
    return Mapping(
        concept_id,
        predicate,
        f"{PREFIX}{target}" if target != NO_CONCEPT else "",
        "semapv:UnspecifiedMatching",
        source=STATED_BY,
    )


def _read(source: Source, found: dict[str, _Code], log: ReleaseLog) -> None:
    """Adds the rows of a SOURCE_TO_CONCEPT_MAP, separated by tabs without quotes or by commas with them."""
    delimiter = delimiter_of(source)
    lines = (f"{line}\n" for line in source.lines())
    quotes = delimiter != "\t"  # in tables parted by tabs they are part of the text, as in Athena's
    rows = csv_reader(lines, delimiter, strict=quotes, quotes=quotes)
    header = [name.strip().casefold() for name in next(rows)]
    column_places(source, header, NEEDED)
    while True:
        try:
            values = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            log.malformed(source, rows.line_num, f"not valid CSV ({error})")
            continue
        if not values:
            continue
        if len(values) != len(header):
            problem = f"{count(len(values), 'field')} where {len(header)} are needed"
            log.malformed(source, rows.line_num, problem, delimiter.join(values))
        else:
            _take(dict(zip(header, values, strict=True)), source, rows.line_num, values, found, log)


def _take(
    row: dict[str, str], source: Source, line: int, values: Sequence[str], found: dict[str, _Code], log: ReleaseLog
) -> None:
    """Adds one row to its source code in ``found``, unless it is malformed, no longer valid or not asked for."""
    code, vocabulary = row["source_code"].strip(), row["source_vocabulary_id"].strip()
    target, own = row["target_concept_id"].strip(), _given_text(row, "source_concept_id")
    number = whole_number(target)
    if not code or not vocabulary or number is None:
        problem = "no source_code, no source_vocabulary_id, or target_concept_id is not a number"
        log.malformed(source, line, problem, " | ".join(values))
        return
    asked = [name.casefold() for name in log.options.sources]
    tags = [name.casefold() for name in log.options.tags]
    if _given_text(row, "invalid_reason"):
        log.counts.skip(INVALID)
    elif asked and vocabulary.casefold() not in asked:
        log.counts.skip(OTHER_SOURCE)
    elif tags and vocabulary.casefold() not in tags:
        log.counts.skip(NO_TAGS)
    else:
        log.counts.keep()
        entry = found.setdefault(log.identifier(f"{code_prefix(vocabulary)}:{code}"), _Code(vocabulary))
        entry.name = entry.name or _given_text(row, "source_code_description")
        entry.targets[number] = None
        if (other := whole_number(own)) not in (None, NO_CONCEPT):
            entry.own[other] = None


def _given_text(row: dict[str, str], column: str) -> str:
    text = row.get(column, "").strip()
    return "" if text.encode() in EMPTY else text


BATCH = 1 << 16
"""Concepts in one batch."""
GENERATED = "OMOP generated"
"""The code of concepts that OMOP itself needs, such as vocabularies and domains; it is not a real code."""
PREDICATES = ("skos:closeMatch", "skos:broadMatch", "skos:relatedMatch")
"""What *Maps to* means alone, with others or with a value beside it, and what *Maps to value* means.

OMOP maps a source concept to the standard concept that has its meaning, or where there is none, to one that is broader
(The Book of OHDSI, 5.2.6); so it is never known to be exact. Analyses put the one in the other's place, which is what
SKOS calls a close match. Several targets only together have the meaning, so each is broader; a value is another thing
than what has the value.
"""
_STANDARD_VOCABULARIES = "None"
"""The row of VOCABULARY with the version of the whole download."""


def read_omop(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Batch] | Iterator[Concept]:
    """The concepts of an OMOP download by ascending id, then those of the user's own SOURCE_TO_CONCEPT_MAP.

    Options: ``sources`` are vocabularies, ``languages`` those of synonyms, ``tags`` domains, concept classes or
    vocabularies.

    Raises:
        FormatError: files that cannot be read, or no concepts.
    """
    files = sorted_files(sources)
    _describe(files, log)
    yield Batch.of(())
    if "concept" in files.kinds:
        yield from _Release(files, log).batches()
    yield from mapped_concepts(files, log)


def _describe(files: OmopFiles, log: ReleaseLog) -> None:
    """Notes which release it is, and the versions of its vocabularies; notes which files are not needed."""
    versions: dict[str, str] = {}
    for table in files.open("vocabulary", log):
        there = ["vocabulary_id", *(["vocabulary_version"] if table.has_column("vocabulary_version") else [])]
        for block in table.blocks():
            texts = [block.texts(place).tolist() for place in table.columns(*there)]
            log.counts.keep(len(block))
            versions.update(zip(texts[0], texts[-1] if len(texts) > 1 else [""] * len(block), strict=True))
    unread = [source for kind in ("domain", "class", "relationship type") for source in files.kinds.get(kind, [])]
    log.details["files_not_read"] = sorted(source.name for source in unread)
    log.used = tuple(s for listed in files.kinds.values() for s in listed if s not in unread)
    if "concept" in files.kinds:
        version = versions.pop(_STANDARD_VOCABULARIES, "")
        log.describe(name="omop", title="OMOP Standardized Vocabularies", version=version)
        log.details["source_versions"] = dict(sorted(versions.items()))


class _Release:
    """One pass over a download."""

    def __init__(self, files: OmopFiles, log: ReleaseLog) -> None:
        self._log = log
        self._concepts = concepts_of(files, log)
        known = IdSet(self._concepts.ids)
        self._synonyms, self._languages = synonyms(files, known, self._concepts, log)
        self._strengths: ConceptTexts = strengths(files, known, self._concepts, log)
        self._links: OmopLinks = links(files, known, log)
        self._english = log.options.takes_language("en")

    def batches(self) -> Iterator[Batch]:
        vocabularies = self._concepts.coded("vocabularies", slice(None))
        counts = np.bincount(vocabularies.codes, minlength=len(vocabularies.names)).tolist()
        known = sorted((name, count) for name, count in zip(vocabularies.names, counts, strict=True) if count)
        self._log.details["concepts_by_vocabulary"] = dict(known)
        for start in range(0, len(self._concepts), BATCH):
            yield self._batch(slice(start, min(start + BATCH, len(self._concepts))))

    def _batch(self, rows: slice) -> Batch:
        """The concepts at some rows with everything known of them, as a batch."""
        concepts, ids = self._concepts, self._concepts.ids[rows]
        count = len(ids)
        retired = concepts.retired(rows)
        gathered = BatchBuilder(count)
        self._add_terms(rows, ids, gathered)
        for group, linked in (
            ("parents", self._links.parents),
            ("replaced_by", self._links.replaced_by),
            ("consider", self._links.consider),
        ):
            counts, places = linked.of(ids)
            gathered.add(group, owners_of(counts), {group: _curies(linked, places)})
        counts, places = self._links.relations.of(ids)
        predicates = Coded(self._links.relations.codes[places], self._links.relations.names)
        gathered.add(
            "relations",
            owners_of(counts),
            {"relation_target": _curies(self._links.relations, places)},
            {"relation_predicate": predicates},
        )
        _add_mappings(self._links.mappings, ids, gathered)
        _add_tags(concepts, rows, gathered)
        _add_codes(concepts, rows, gathered)
        self._add_properties(rows, ids, retired, gathered)
        return Batch(Strings.decimal(ids, PREFIX), retired, gathered.parts(np.arange(count)))

    def _add_terms(self, rows: slice, ids: Column, gathered: BatchBuilder) -> None:
        """The concept's name, which is English, and its synonyms; one that repeats the name or another is left out."""
        concepts = self._concepts
        own = concepts.name.take(concepts.order[rows])
        named = np.flatnonzero(own.lengths > 0)
        if not self._english:
            self._log.counts.skip_term(OTHER_LANGUAGE, len(named))
            named = named[:0]
        counts, places = self._synonyms.of(ids)
        owners = np.concatenate([named, owners_of(counts)])
        texts = Strings.joined([own.take(named), self._synonyms.texts.take(places)])
        tags = dict.fromkeys(("en", *self._languages))
        numbers = np.array([list(tags).index(tag) for tag in self._languages], dtype=np.int64)
        language = np.zeros(len(owners), dtype=np.int64)
        if len(places):
            language[len(named) :] = numbers[self._synonyms.numbers[places]]
        first = _first_of(owners, language, texts, counts > 0)
        self._log.counts.skip_term(REPEATED, len(owners) - len(first))
        vocabularies = concepts.coded("vocabularies", rows)
        gathered.add(
            "terms",
            owners[first],
            {"term_text": texts.take(first)},
            {
                "term_kind": Coded((first >= len(named)).astype(np.uint8), ("preferred", "synonym")),
                "term_scope": Coded.same("exact", len(first)),
                "term_status": Coded.same("active", len(first)),
                "term_language": Coded(language[first], tuple(tags)),
                "term_source": Coded(vocabularies.codes[owners[first]], vocabularies.names),
            },
        )

    def _add_properties(self, rows: slice, ids: Column, retired: Column, gathered: BatchBuilder) -> None:
        """Whether the concept is standard, why and since when it is not valid, and how strong a drug is."""
        every = np.ones(len(ids), dtype=np.bool_)
        for name, column, chosen in (
            ("standard concept", "standards", every),
            ("invalid reason", "reasons", retired),
            ("valid end date", "ends", retired),
        ):
            coded = self._concepts.coded(column, rows)
            texts = coded.strings()
            given = np.flatnonzero(chosen & (texts.lengths > 0))
            names = Coded.same(name, len(given))
            gathered.add("properties", given, {"property_value": texts.take(given)}, {"property_name": names})
        counts, places = self._strengths.of(ids)
        gathered.add(
            "properties",
            owners_of(counts),
            {"property_value": self._strengths.texts.take(places)},
            {"property_name": Coded.same("strength", len(places))},
        )


def _first_of(owners: Column, language: Column, texts: Strings, has_synonyms: Mask) -> Column:
    """The terms that repeat no other of their concept in their language, those of a concept together."""
    checked = np.flatnonzero(has_synonyms[owners])
    hashes = mixed(owners[checked], language[checked], texts.take(checked).hashes())
    _, first = np.unique(hashes, return_index=True)
    kept = np.concatenate([np.flatnonzero(~has_synonyms[owners]), checked[first]])
    kept.sort()
    return kept[np.argsort(owners[kept], kind="stable")]


def _curies(linked: Linked, places: Column) -> Strings:
    return Strings.decimal(linked.targets(places), PREFIX)


def _add_mappings(mappings: Linked, ids: Column, gathered: BatchBuilder) -> None:
    """Where concepts map to, with the predicate that `PREDICATES` explains."""
    counts, places = mappings.of(ids)
    owners = owners_of(counts)
    is_value = mappings.codes[places] == 1
    several = np.bincount(owners, minlength=len(ids)) > 1
    predicate = np.where(is_value, 2, several[owners].astype(np.int64))
    gathered.add_mappings(
        owners,
        _curies(mappings, places),
        Coded(predicate, PREDICATES),
        "semapv:UnspecifiedMatching",
        Coded(is_value.astype(np.uint8), mappings.names),
    )


def _add_tags(concepts: Concepts, rows: slice, gathered: BatchBuilder) -> None:
    """The domain, and the concept class where it is called otherwise."""
    domains, classes = concepts.coded("domains", rows), concepts.coded("classes", rows)
    given = _given(domains)
    gathered.add("tags", np.flatnonzero(given), coded={"tag": Coded(domains.codes[given], domains.names)})
    first = {name: place for place, name in enumerate(domains.names)}
    same_as = np.array([first.get(name, -1) for name in classes.names], dtype=np.int64)
    other = _given(classes) & (same_as[classes.codes] != domains.codes)
    gathered.add("tags", np.flatnonzero(other), coded={"tag": Coded(classes.codes[other], classes.names)})


def _given(coded: Coded) -> Mask:
    """A bitmap of the rows that have a name."""
    return ~coded.among(("",))


def _add_codes(concepts: Concepts, rows: slice, gathered: BatchBuilder) -> None:
    """The code that the vocabulary has for the concept, as a CURIE."""
    vocabularies = concepts.coded("vocabularies", rows)
    codes = concepts.code.take(concepts.order[rows])
    names = [code_prefix(name) for name in vocabularies.names]
    generated = codes.equal(repeated(GENERATED, len(codes)))
    given = np.flatnonzero(_given(vocabularies) & (codes.lengths > 0) & ~generated)
    codes, systems = codes.take(given), vocabularies.codes[given]
    heads = Coded(systems, [f"{name}:" for name in names]).strings()
    starts = slices(codes.data, codes.offsets[:-1], np.minimum(heads.lengths, codes.lengths))
    systems = np.where(starts.equal(heads), len(names), systems)  # HP:0000118 has its prefix already
    gathered.add("xrefs", given, {"xrefs": prefixed(codes, Coded(systems, (*names, "")))})
