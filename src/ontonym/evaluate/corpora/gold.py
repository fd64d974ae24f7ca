"""What every reader of gold data gives and counts: gold documents and mentions, and what became of each row."""

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
"""What corpora write, in any case, where no concept fits."""

MALFORMED_SHOWN = 5

_CUI = re.compile(r"[Cc]\d{7}")
_DIGITS = 12
"""No text is so long that an offset in it has more."""


@dataclass(frozen=True, slots=True)
class GoldMention:
    """A mention and what its annotators say it means.

    ``parts`` has one set of acceptable ids (CURIEs) for every concept the mention names; any id of a set is right. A
    set is empty where no concept fits that part. ``composite`` is true for several parts, ``joined`` where one part's
    ids together make, or may make, one meaning (``+``), ``nil`` where no part has an id. ``part_texts`` are the parts'
    names as the annotators wrote them (BC5CDR), for judging a splitter; a normalizer under evaluation must not see
    them.

    A mention in several pieces ("pain … leg") has their words with a space between as its text, and no offsets.
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
    """One document of a corpus with its gold mentions, in the order of the file.

    The mentions' offsets count in its ``text``, which is empty where mentions come without a text.
    """

    id: str
    text: str
    mentions: tuple[GoldMention, ...]


@dataclass(slots=True)
class CorpusCounts:
    """What became of every non-empty row: ``rows == text + mentions + sum(skipped) + malformed``.

    What a row is each reader says. ``without_offsets`` counts kept mentions whose offsets do not point at their text,
    ``discontinuous`` those in several pieces; ``repeated_documents`` counts documents whose id was seen before (both
    are kept), ``missing_documents`` those that a split lists and the corpus lacks, ``reencoded`` rows that are not
    UTF-8 and were read as Windows-1252. ``leaked`` counts the mentions whose text and concept the training part of
    their fold has too, and ``in_other_folds`` those that the same part of another fold has; None where no other part
    was there to look in. ``examples`` shows the first malformed rows.
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
        """What to know when reading a figure on this corpus, in words; malformed rows have `examples` instead."""
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
    """What to take from a corpus: mentions of one of ``types`` only (None: of every type), ``default_prefix`` before
    ids that have none (empty: as they are), and ``strict``, which stops at the first malformed row."""

    types: frozenset[str] | None = None
    default_prefix: str = ""
    strict: bool = False


def has_type(kind: str, types: Collection[str]) -> bool:
    """Whether a mention's type is one of ``types``; MedMentions lists several with a comma, of which one is enough."""
    return kind in types or any(part.strip() in types for part in kind.split(","))


def curies(ids: Iterable[str], prefix: str) -> frozenset[str]:
    """The ids as CURIEs, ``prefix`` before those that have none; words that say "no concept" give none.

    A UMLS concept is written with a capital C.
    """
    bare = ["".join(id_.split()) for id_ in ids]
    kept = [id_ for id_ in bare if id_.lower() not in NIL_WORDS]
    if prefix == "UMLS":
        kept = [id_.upper() if _CUI.fullmatch(id_) else id_ for id_ in kept]
    return frozenset(id_ if ":" in id_ or not prefix else f"{prefix}:{id_}" for id_ in kept)


class Corpus(ABC):
    """Gold data: each iteration reads the files anew, streams the documents, and starts new ``counts``.

    Offsets count the characters of the text file as it is, a line break of two characters as two, a byte order mark not
    at all. A mention in several pieces has the words of all as its text; where only white space is between them it has
    their offsets, else none. Places outside the text make a row malformed.

    Iterating raises FormatError where there is no document, and under ``strict`` for a malformed row.
    """

    nothing = ("no document in it", "Is it a corpus of this format?")
    """What is wrong with a file without documents, and the hint."""

    def __init__(self, path: Path | str, options: CorpusOptions, source: Source | None = None) -> None:
        self.path = Path(path)
        self.options = options
        self.counts = CorpusCounts()
        self._given = source

    @property
    def source(self) -> Source:
        """The file that is read: the one given, else that at ``path``."""
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
        """The documents with the mentions that are kept; every row is counted, but for the mentions."""

    def _wanted(self, kind: str) -> bool:
        """Whether mentions of this type are asked for; the row is counted as skipped where not."""
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
        """The lines of a file that are not blank, with their numbers; counted."""
        for number, line in enumerate(text_of(source).split("\n"), 1):
            if line.strip():
                self.counts.rows += 1
                yield number, line.removesuffix("\r")

    def _document(self, id: str, text: str, golds: Iterable[GoldMention | None]) -> GoldDocument:
        """A document with those of its annotations that are mentions."""
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
        """The mention of an annotation, ``at`` a line of a file; None where its places are wrong, which is counted.

        ``words`` are those that the annotation itself gives, if it does; where other ones are at its places it keeps
        them, and has no offsets.
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
    """The words at the spans, white space made single, and the one span that they fill: None where words lie between.

    Raises ValueError for a span that is no stretch of the text with words in it.
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
    """Starts and ends in turn as spans; none where they are not whole numbers in pairs."""
    numbers = [cell.strip() for cell in cells]
    if len(numbers) % 2 or not all(number.isdecimal() and len(number) <= _DIGITS for number in numbers):
        return []
    return [(int(start), int(end)) for start, end in zip(numbers[::2], numbers[1::2], strict=True)]
