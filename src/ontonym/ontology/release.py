"""A release being read: the options, the metadata, and the concepts as a stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, NoReturn, Protocol

import numpy as np

from ontonym.errors import FormatError, OntonymError
from ontonym.files.counts import RowCounts, RowLog
from ontonym.files.source import Source
from ontonym.ontology.batch import Batch, batches_of
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.ontology.xrefs import curie
from ontonym.text.counting import count
from ontonym.types import LONGEST_ID, LONGEST_TEXT, Concept, Progress, Term


@dataclass(slots=True)
class Counts(RowCounts):
    """Counts of one pass over a release, complete when all concepts have been read.

    A row is the format's record: an OBO stanza, a JSON node, an XML element or list line of a code, a line of a table.
    ``rows == kept + sum(skipped) + malformed``. Several rows may make one concept, so ``concepts`` and ``terms`` are
    counted separately: ``terms_read == sum(terms) + sum(terms_skipped)``.
    """

    concepts: Counter[str] = field(default_factory=Counter)
    terms_read: int = 0
    terms: Counter[str] = field(default_factory=Counter)
    terms_skipped: Counter[str] = field(default_factory=Counter)
    prefixes: Counter[str] = field(default_factory=Counter)

    def skip_term(self, rule: str, count: int = 1) -> None:
        """Counts names that the named rule leaves out of kept concepts."""
        if count:
            self.terms_read += count
            self.terms_skipped[rule] += count

    def add_concept(self, concept: Concept) -> None:
        """Counts a concept that leaves the reader, without its names."""
        self.concepts[concept.status] += 1
        self.prefixes[concept.id.partition(":")[0] if ":" in concept.id else ""] += 1

    def add_terms(self, concept: Concept, dropped: dict[str, int]) -> None:
        """Counts the names of a concept, or of what adds to one, and the names the options dropped."""
        self.terms_read += len(concept.terms)
        for term in concept.terms:
            self.terms[term.kind] += 1
        for rule, number in dropped.items():
            self.skip_term(rule, number)

    def add_batch(self, batch: Batch) -> None:
        """Counts many concepts that leave the reader, and their terms."""
        retired = int(np.count_nonzero(batch.retired))
        for status, number in (("active", len(batch) - retired), ("retired", retired)):
            self.concepts[status] += number
        starts = batch.ids.take(np.unique(np.linspace(0, len(batch) - 1, min(len(batch), 100)).astype(np.int64)))
        self.prefixes.update(concept_id.rpartition(":")[0] for concept_id in starts)
        terms = batch.parts.get("terms")
        if terms is not None:
            kinds = terms.coded["term_kind"]
            for name, count in zip(kinds.names, np.bincount(kinds.codes, minlength=len(kinds.names)), strict=True):
                if count:
                    self.terms[name] += int(count)
            self.terms_read += int(terms.counts.sum())

    def verify(self) -> None:
        """Raises ``OntonymError`` if the counts do not add up, which would be a bug in the reader."""
        RowCounts.verify(self)
        if self.terms_read != self.terms.total() + self.terms_skipped.total():
            raise OntonymError(f"reader counts do not add up: {self.to_dict()['terms']}")

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain JSON values, for a manifest."""
        return {
            "rows": self.row_figures(),
            "concepts": {"active": self.concepts["active"], "retired": self.concepts["retired"]},
            "terms": {
                "read": self.terms_read,
                "kept": dict(sorted(self.terms.items())),
                "skipped": dict(sorted(self.terms_skipped.items())),
            },
            "malformed_examples": self.example_figures(),
        }


_PROGRESS_STEP = 1000
REPEATED = "repeated name"
TOO_LONG = f"longer than {LONGEST_TEXT:,} characters"
_REFERENCES = frozenset({"parents", "relation_target", "alternative_ids", "replaced_by", "consider"})
OTHER_LANGUAGE = "language not asked for"
OTHER_SOURCE = "source not asked for"
ALL = "all"
"""Instead of a language or prefix: all, even if a reader takes fewer by default."""
NORWEGIAN = ("nb", "nn")
"""The languages that ``no`` stands for."""
MULTIPLE = "mul"
"""The language tag of a name that is the same in many languages (ISO 639-2); it matches each of them."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What to read of a release, and how to read what the files leave open.

    ``languages`` are BCP 47 tags; ``en`` includes ``en-GB``; empty is the reader's default, mostly all; ``all`` is all.
    ``sources`` keeps only names whose source is listed, and names without one; empty keeps all. ``strict`` stops at the
    first malformed row. ``columns`` is for tables. ``prefix`` is put before ids without one. ``name`` replaces the
    release's own name.

    The following options apply to some formats only (`SPECIAL`); ``read_release`` refuses one that the format does not
    know. ``dialects`` are BCP 47 tags, best first, by which SNOMED CT's language reference sets choose the preferred
    term. ``at`` (``YYYYMMDD``) reads a full release as of that day. ``term_types`` are UMLS term types (TTY). ``tags``
    keeps only concepts with one of these semantic types. ``suppressible`` includes UMLS names marked so.
    ``full_titles`` puts the titles above before a classification's title that cannot be understood alone (Kong, title
    concatenation). ``linked_to`` keeps only Wikidata's items with an id in one of these vocabularies (prefixes); empty
    means any of medicine, ``all`` every item.
    """

    languages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    strict: bool = False
    columns: ColumnMapping | None = None
    prefix: str = ""
    name: str = ""
    dialects: tuple[str, ...] = ()
    at: str = ""
    term_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    suppressible: bool = False
    full_titles: bool = False
    linked_to: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The options that are not the default, as JSON values, for the manifest; `from_dict` reads them."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        if self.columns is not None:
            given["columns"] = self.columns.settings()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ReadOptions:
        """The options that `to_dict` wrote, without those that this version does not know."""
        known = {f.name for f in fields(cls)}
        values: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in given.items() if n in known}
        if given.get("columns"):
            values["columns"] = ColumnMapping.parse(given["columns"])
        return cls(**values)


SPECIAL = ("columns", "dialects", "at", "term_types", "tags", "suppressible", "full_titles", "linked_to")
"""The read options that only some formats know, by name."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the release on disk: its name, alone or within the given folder, SHA-256 in hex, size in bytes."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class ReleaseMetadata:
    """The metadata of a release; a fact that it does not state is empty.

    ``prefix`` is the most common prefix of its concept ids. ``columns`` is a table's mapping, given or guessed.
    ``details`` are facts of one format only: the modules of a SNOMED CT release and their versions, files left out.
    """

    name: str
    format: str
    version: str = ""
    title: str = ""
    licence: str = ""
    prefix: str = ""
    sources: tuple[SourceFile, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The metadata as plain JSON values, for a manifest."""
        return asdict(self)


class ReleaseLog(RowLog):
    """One pass over a release: a reader reports its rows and the release's metadata here."""

    def __init__(self, options: ReadOptions, details: Mapping[str, Any] = MappingProxyType({})) -> None:
        self.counts: Counts
        super().__init__(Counts(), strict=options.strict)
        self.options = options
        self.facts: dict[str, str] = {}
        self.columns: dict[str, str] = {}
        self.details: dict[str, Any] = dict(details)
        self.base: Container[str] | None = None
        """The ids of the release to which the present rows only add; None if they are a release of their own."""
        self.used: tuple[Source, ...] | None = None
        """The files that were read, if a release has more of its format (RF2: Full beside Snapshot); None for all."""

    def describe(self, **facts: str) -> None:
        """Records name, version, title or licence; the first non-empty value of each is kept."""
        for key, value in facts.items():
            if value and not self.facts.get(key):
                self.facts[key] = value

    def identifier(self, text: str) -> str:
        """The concept id as a CURIE; a bare id gets the prefix of the options."""
        text = text.strip()
        return f"{self.options.prefix}:{text}" if self.options.prefix and ":" not in text else curie(text)


class Reader(Protocol):
    """Yields the concepts of the files of one release, and reports every row to ``log``.

    A reader of large releases yields batches, and selects the terms that the options want itself.
    """

    def __call__(self, sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept] | Iterator[Batch]:
        """The concepts, as a stream; raises ``FormatError`` for a file that cannot be read at all."""
        ...


def published_alias(text: str, concept_id: str) -> tuple[str, ...]:
    """Records the id as the release spells it, if normalizing changed its prefix, so that both are found."""
    text = text.strip()
    return () if text == concept_id or ":" not in text or "//" in text else (text,)


class Release:
    """A release opened for reading: ``concepts()`` streams it; ``counts`` and ``metadata`` are complete after that."""

    def __init__(
        self,
        sources: Sequence[Source],
        format: str,
        reader: Reader,
        options: ReadOptions,
        progress: Progress | None,
        *,
        name: str = "",
        details: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """``name`` is for a release that does not name itself; ``details`` are known before anything is read."""
        self._sources = tuple(sources)
        self._name = name or self._sources[0].path.name.split(".")[0]
        self._details = details
        self._format = format
        self._reader = reader
        self._options = options
        self._progress = progress
        self._log = ReleaseLog(options, details)

    @property
    def counts(self) -> Counts:
        """The counts of the current or last pass."""
        return self._log.counts

    @property
    def metadata(self) -> ReleaseMetadata:
        """The metadata so far; it is complete once ``concepts()`` is exhausted."""
        facts = self._log.facts
        prefixes = self.counts.prefixes.most_common(1)
        used = self._sources if self._log.used is None else self._log.used
        files = dict.fromkeys(file for source in used for file in source.files)
        return ReleaseMetadata(
            name=self._options.name or facts.get("name") or self._name,
            format=self._format,
            version=facts.get("version", ""),
            title=facts.get("title", ""),
            licence=facts.get("licence", ""),
            prefix=prefixes[0][0] if prefixes else self._options.prefix,
            sources=tuple(SourceFile(file.name, file.sha256, file.size) for file in files),
            columns=dict(self._log.columns),
            details={**self._log.details, **({"options": given} if (given := self._options.to_dict()) else {})},
        )

    def concepts(self) -> Iterator[Concept]:
        """The concepts in the order of the release; each call reads the files anew.

        Raises:
            FormatError: a file cannot be read, there is no concept in it, or a row is malformed under ``strict``.
        """
        for item in self._items():
            if isinstance(item, Concept):
                yield item
            else:
                yield from item.concepts()

    def batches(self) -> Iterator[Batch]:
        """The same concepts in columns, as the store takes them."""
        for batch in batches_of(self._items()):
            self._check_lengths(batch)
            yield batch

    def peek(self) -> ReleaseMetadata:
        """The release's own metadata near its beginning, without reading all of it.

        A reader that must read much before its first concept yields an empty batch as soon as it knows the metadata.
        """
        with closing(self._items()) as items:
            next(items, None)
        return self.metadata

    def _items(self) -> Generator[Concept | Batch]:
        """The reader's output, counted, with the terms that the options select."""
        self._log = log = ReleaseLog(self._options, self._details)
        if self._progress is not None:
            log.progress = self._progress
        done = reported = 0
        for item in self._reader(self._sources, log):
            if isinstance(item, Batch):
                batch = self._bounded(item, log.counts)
                log.counts.add_batch(batch)
                done += len(batch)
                yield batch
            else:
                if len(item.id) > LONGEST_ID:
                    self._refuse_id(item.id)
                terms, dropped = select_terms(item.terms, self._options)
                taken = item if terms is item.terms else replace(item, terms=terms)
                if log.base is None:
                    log.counts.add_concept(taken)
                log.counts.add_terms(taken, dropped)
                done += 1
                yield taken
            if done >= reported + _PROGRESS_STEP:
                log.progress("concepts", done, None)
                reported = done
        log.progress("concepts", done, done)
        log.counts.verify()
        if not log.counts.concepts.total():
            self._refuse_empty(log.counts)

    def _bounded(self, batch: Batch, counts: Counts) -> Batch:
        """The batch without names that are too long, which are counted; raises for an id that is."""
        if len(batch) and int(batch.ids.lengths.max()) > 4 * LONGEST_ID:  # bytes
            self._refuse_id(batch.ids[int(batch.ids.lengths.argmax())])
        terms = batch.parts.get("terms")
        if terms is None or terms.texts["term_text"].lengths.max(initial=0) <= LONGEST_TEXT:
            return batch
        (kept,) = np.nonzero(terms.texts["term_text"].lengths <= LONGEST_TEXT)
        counts.skip_term(TOO_LONG, int(terms.counts.sum()) - len(kept))
        return replace(batch, parts={**batch.parts, "terms": terms.only(kept)})

    def _check_lengths(self, batch: Batch) -> None:
        """Raises where an id of another concept, a tag, the version or the like is as long as no release has it."""
        for fact, text in self._log.facts.items():
            if len(text) > LONGEST_TEXT:
                self._refuse_id(text, f"a {fact}", LONGEST_TEXT)
        for part in batch.parts.values():
            for name in _REFERENCES & part.texts.keys():
                lengths = part.texts[name].lengths
                longest = part.texts[name][int(lengths.argmax())] if lengths.max(initial=0) > LONGEST_ID else ""
                if len(longest) > LONGEST_ID:
                    self._refuse_id(longest)
            for column, coded in part.coded.items():
                longest = max(coded.names, key=len, default="")
                if len(longest) > LONGEST_ID:
                    self._refuse_id(longest, f"a {column.replace('_', ' ')}")

    def _refuse_id(self, text: str, what: str = "an id", most: int = LONGEST_ID) -> NoReturn:
        problem = f"{what} of {len(text):,} characters, {text[:60]}…; {most:,} are the most"
        raise FormatError(self._sources[0].label, problem, hint="Check that the file is whole and of this format")

    def _refuse_empty(self, counts: Counts) -> NoReturn:
        """Raises an error that says why no concept was read: the wrong format, or only malformed rows."""
        found = f"read as {self._format}, {count(counts.rows, 'row')}, {counts.malformed:,} of them malformed"
        first = next((f"; the first at line {row.line}: {row.problem}" for row in counts.examples), "")
        hint = "Check that the file is whole and of that format"
        raise FormatError(self._sources[0].label, f"no concept in it ({found}{first})", hint=hint)


def select_terms(terms: tuple[Term, ...], options: ReadOptions) -> tuple[tuple[Term, ...], dict[str, int]]:
    """The names that the options select, and the number that each rule dropped; the same tuple if none was dropped."""
    languages = () if ALL in options.languages else options.languages
    too_long = any(len(term.text) > LONGEST_TEXT for term in terms)
    if not languages and not options.sources and not too_long and len(set(terms)) == len(terms):
        return terms, {}
    dropped: dict[str, int] = {}
    taken: dict[Term, None] = {}
    for term in terms:
        rule = ""
        if too_long and len(term.text) > LONGEST_TEXT:
            rule = TOO_LONG
        elif languages and not speaks(term.language, languages):
            rule = OTHER_LANGUAGE
        elif options.sources and term.source and term.source not in options.sources:
            rule = OTHER_SOURCE
        elif term in taken:
            rule = REPEATED
        if rule:
            dropped[rule] = dropped.get(rule, 0) + 1
        else:
            taken[term] = None
    return (tuple(taken) if dropped else terms), dropped


def speaks(language: str, wanted: tuple[str, ...]) -> bool:
    """Whether a name in the language is wanted, given the wanted languages."""
    language = language.casefold()
    asked = [tag.casefold() for tag in wanted]
    if "no" in asked:
        asked += NORWEGIAN
    return language == MULTIPLE or any(language == tag or language.startswith(f"{tag}-") for tag in asked)
