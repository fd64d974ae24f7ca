"""A release being read: its metadata, and the concepts as a stream."""

from __future__ import annotations

from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any, NoReturn, Protocol

import numpy as np

from ontonym.errors import FormatError
from ontonym.files.counts import MAX_EXAMPLES, RowLog
from ontonym.files.source import Source
from ontonym.ontology.batch import Batch, batches_of
from ontonym.ontology.counts import Counts
from ontonym.ontology.options import TOO_LONG, ReadOptions, select_terms
from ontonym.ontology.xrefs import curie
from ontonym.text.counting import count
from ontonym.types import LONGEST_ID, LONGEST_TEXT, Concept, Progress

_PROGRESS_STEP = 1000
_REFERENCES = frozenset({"parents", "relation_target", "alternative_ids", "replaced_by", "consider"})


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

    def leave_out(self, key: str, problem: str, source: Source, line: int | None) -> None:
        """Counts under ``key`` of the details a value that cannot be read, where the rest of its row is kept.

        Raises ``FormatError`` under ``strict``.
        """
        if self.strict:
            source.fail(line, problem, "Fix the file, or import without strict to leave such values out")
        self.remark(key, problem, source, line)

    def remark(self, key: str, problem: str, source: Source, line: int | None) -> None:
        """Counts under ``key`` of the details a value that is kept, and that somebody should look at."""
        known = self.details.setdefault(key, {"count": 0, "first": []})
        known["count"] += 1
        if len(known["first"]) < MAX_EXAMPLES:
            known["first"].append(f"{source.name}{'' if line is None else f':{line}'}: {problem}")

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
