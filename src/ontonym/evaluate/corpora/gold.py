"""The common output of all readers of gold data: gold documents and mentions, and the counts of rows."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from ontonym.documents import CharSpan
from ontonym.documents.text import text_of
from ontonym.errors import FormatError
from ontonym.files.source import Source, open_source
from ontonym.types import Mention

NIL_WORDS = frozenset({"", "-", "-1", "cui-less", "cui_less", "none", "nil", "null"})
"""The words for "no concept" in corpora, in any case."""

MALFORMED_SHOWN = 5

_SPACELESS = frozenset({"MESH", "OMIM", "SCTID", "UMLS"})
"""Prefixes whose codes never have white space; where a corpus has some it is a slip."""

_CUI = re.compile(r"[Cc]\d{7}")
_DIGITS = 12
"""Offsets have at most this many digits, as no text is longer."""


@dataclass(frozen=True, slots=True)
class GoldMention:
    """A mention and its meaning by annotators.

    ``parts`` has one set of acceptable ids (CURIEs) for every concept the mention names; any id of a set is right. A
    set is empty if no concept fits that part. ``composite`` is true for several parts, ``joined`` if one part's ids
    together make, or may make, one meaning (``+``), ``nil`` if no part has an id. ``part_texts`` are the parts' names
    as the annotators wrote them (BC5CDR), for judging a splitter; a normalizer under evaluation must not see them. A
    mention in several pieces ("pain … leg") has their words with a space between as its text, and no offsets.
    """

    mention: Mention
    parts: tuple[frozenset[str], ...]
    joined: bool = False
    part_texts: tuple[str, ...] = ()

    @property
    def composite(self) -> bool:
        """Whether the mention names several concepts."""
        return len(self.parts) > 1

    @property
    def nil(self) -> bool:
        """Whether no concept fits the mention."""
        return not any(self.parts)

    @property
    def ids(self) -> frozenset[str]:
        """Every acceptable id of every part."""
        return frozenset().union(*self.parts)


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """A document of a corpus with its gold mentions, in the order of the file.

    The mentions' offsets count in its ``text``, which is empty if mentions come without a text.
    """

    id: str
    text: str
    mentions: tuple[GoldMention, ...]


@dataclass(slots=True)
class CorpusCounts:
    """Counts of all non-empty rows: ``rows == text + mentions + sum(skipped) + malformed``.

    Each reader defines what a row is. ``without_offsets`` counts kept mentions whose offsets do not point at their
    text, ``discontinuous`` those in several pieces; ``repeated_documents`` counts documents whose id occurred before
    (both are kept), ``missing_documents`` those that a split lists and the corpus lacks, ``reencoded`` rows that are
    not UTF-8 and were read as Windows-1252. ``leaked`` counts the mentions whose text and concept the training part of
    their fold has too, and ``in_other_folds`` those that the same part of another fold has; None if there is no such
    part. ``examples`` are the first malformed rows.
    """

    rows: int = 0
    documents: int = 0
    text: int = 0
    mentions: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    without_offsets: int = 0
    discontinuous: int = 0
    repeated_documents: int = 0
    missing_documents: int = 0
    reencoded: int = 0
    leaked: int | None = None
    in_other_folds: int | None = None
    examples: list[str] = field(default_factory=list)

    def notes(self) -> list[str]:
        """Caveats for figures on this corpus, in words; malformed rows are in `examples` instead."""
        return [
            words.format(number, self.mentions)
            for words, number in (
                ("{:,} of {:,} mentions are, with their concept, in the training part of their fold too", self.leaked),
                (
                    "{:,} of {:,} mentions are, with their concept, in this part of another fold too",
                    self.in_other_folds,
                ),
                ("{:,} of {:,} mentions are in several pieces, and looked up as one text", self.discontinuous),
                ("documents of the split that the corpus lacks: {:,}", self.missing_documents),
                ("rows that are not UTF-8, read as Windows-1252: {:,}", self.reencoded),
            )
            if number
        ]


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """What to read of a corpus: mentions of ``types`` only (None: of every type), with ``default_prefix`` before ids
    without one (empty: as they are). ``strict`` stops at the first malformed row.
    """

    types: frozenset[str] | None = None
    default_prefix: str = ""
    strict: bool = False


def has_type(kind: str, types: Collection[str]) -> bool:
    """Whether a mention's type is one of ``types``; of MedMentions' types, separated by commas, one is enough."""
    return kind in types or any(part.strip() in types for part in kind.split(","))


def curies(ids: Iterable[str], prefix: str) -> frozenset[str]:
    """The ids as CURIEs, with ``prefix`` if they have none; words that say "no concept" give none.

    A UMLS concept is written with a capital C.
    """
    between = "" if prefix in _SPACELESS else " "
    bare = [between.join(id_.split()) for id_ in ids]
    kept = [id_ for id_ in bare if id_.lower() not in NIL_WORDS]
    if prefix == "UMLS":
        kept = [id_.upper() if _CUI.fullmatch(id_) else id_ for id_ in kept]
    return frozenset(id_ if ":" in id_ or not prefix else f"{prefix}:{id_}" for id_ in kept)


class Corpus(ABC):
    """Gold data: each iteration reads the files anew, streams the documents, and resets ``counts``.

    Offsets count the characters of the text file as it is, a line break of two characters as two, without a byte order
    mark. A mention in several pieces has the words of all as its text, and their offsets if only white space separates
    them, else none. Offsets outside the text make a row malformed. Iterating raises FormatError if there is no
    document, and with ``strict`` for a malformed row.
    """

    nothing = ("no document in it", "Is it a corpus of this format?")
    """The problem with a file without documents, and the hint."""

    def __init__(self, path: Path | str, options: CorpusOptions, source: Source | None = None) -> None:
        self.path = Path(path)
        self.options = options
        self.counts = CorpusCounts()
        self._given = source

    @property
    def source(self) -> Source:
        """The file to read: the given one, else that at ``path``."""
        return self._given or open_source(self.path)

    def __iter__(self) -> Iterator[GoldDocument]:
        self.counts = counts = CorpusCounts()
        seen: set[str] = set()
        for document in self._documents():
            counts.documents += 1
            counts.repeated_documents += document.id in seen
            seen.add(document.id)
            counts.mentions += len(document.mentions)
            yield document
        if not counts.documents and not counts.skipped["other type"]:
            raise FormatError(self.path, self.nothing[0], hint=self.nothing[1])

    @abstractmethod
    def _documents(self) -> Iterator[GoldDocument]:
        """The documents with the mentions that are kept; all rows except mentions are counted."""

    def _wanted(self, kind: str) -> bool:
        """Whether mentions of this type are wanted; otherwise the row is counted as skipped."""
        if self.options.types is None or has_type(kind, self.options.types):
            return True
        self.counts.skipped["other type"] += 1
        return False

    def _malformed(self, place: Path | str, line: int | None, problem: str) -> None:
        """Counts a malformed row, or raises FormatError under ``strict``."""
        if self.options.strict:
            raise FormatError(place, problem, line=line, hint="Fix the row, or read without `strict=`")
        self.counts.malformed += 1
        if len(self.counts.examples) < MALFORMED_SHOWN:
            where = f"{place}:{line}" if line is not None else f"{place}"
            self.counts.examples.append(f"{where}: {problem}")

    def _ids(self, *ids: str) -> frozenset[str]:
        """The ids as CURIEs, with the default prefix."""
        return curies(ids, self.options.default_prefix)

    def _text(self, source: Source) -> str:
        """The text of a document, counted."""
        self.counts.rows += 1
        self.counts.text += 1
        return text_of(source)

    def _rows(self, source: Source) -> Iterator[tuple[int, str]]:
        """The non-blank lines of a file with their numbers, counted."""
        for number, line in enumerate(text_of(source).split("\n"), 1):
            if line.strip():
                self.counts.rows += 1
                yield number, line.removesuffix("\r")

    def _document(self, id: str, text: str, golds: Iterable[GoldMention | None]) -> GoldDocument:
        """A document with its annotations that are mentions."""
        return GoldDocument(id, text, tuple(gold for gold in golds if gold is not None))

    def _gold(
        self,
        at: tuple[Source, int | None],
        document: str,
        text: str,
        spans: Sequence[CharSpan],
        ids: frozenset[str],
        *,
        kind: str = "",
        words: str = "",
    ) -> GoldMention | None:
        """The mention of an annotation, ``at`` a line of a file; None for invalid offsets, which are counted.

        ``words`` are the annotation's own, if it has them; if the text at its offsets differs, it keeps them and has no
        offsets.
        """
        source, line = at
        if not self._wanted(kind):
            return None
        try:
            found, whole = spelled(text, spans)
        except ValueError as error:
            self._malformed(source.label, line, str(error))
            return None
        place = ",".join(f"{start}-{end}" for start, end in ([whole] if whole else spans))
        self.counts.discontinuous += whole is None
        if words and words.split() != found.split():
            if self.options.strict:
                self._malformed(source.label, line, f"{place} does not point at {words!r}")
            self.counts.without_offsets += 1
            found, whole = " ".join(words.split()), None
        start, end = whole or (None, None)
        return GoldMention(Mention(found, f"{document}:{place}", document, start, end, kind, text), (ids,))


def spelled(text: str, spans: Iterable[CharSpan]) -> tuple[str, CharSpan | None]:
    """The words at the spans, with single spaces, and the one span that they cover: None if other words are between.

    Raises ValueError for a span that covers no word of the text.
    """
    ordered = sorted(spans)
    words = []
    for start, end in ordered:
        if not 0 <= start < end <= len(text):
            raise ValueError(f"{start}-{end} is no place in the text, which has {len(text):,} characters")
        words.append(" ".join(text[start:end].split()))
    if not any(words):
        raise ValueError("no words at its place in the text")
    whole = not any(text[before:after].strip() for (_, before), (after, _) in pairwise(ordered))
    joined = " ".join(word for word in words if word)
    return joined, (ordered[0][0], max(end for _, end in ordered)) if whole else None


def spans_of(cells: Sequence[str]) -> list[CharSpan]:
    """Alternating starts and ends as spans; none if they are not whole numbers in pairs."""
    numbers = [cell.strip() for cell in cells]
    if len(numbers) % 2 or not all(number.isdecimal() and len(number) <= _DIGITS for number in numbers):
        return []
    return [(int(start), int(end)) for start, end in zip(numbers[::2], numbers[1::2], strict=True)]
