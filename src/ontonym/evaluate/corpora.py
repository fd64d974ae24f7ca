"""Readers of gold corpora: documents with their text and the mentions that experts gave concepts to."""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ontonym.errors import FormatError, InputError
from ontonym.types import Mention

NIL_WORDS = frozenset({"", "-", "-1", "cui-less", "cui_less", "none", "nil", "null"})
"""What corpora write, in any case, where no concept fits."""

COMPOSITE_TYPES = frozenset({"CompositeMention"})
"""Types whose mentions name several concepts: both ``|`` and ``+`` separate the parts."""

MIXED_TYPES = frozenset({"SpecificDisease", "DiseaseClass", "Modifier"})
"""NCBI's other types, where ``|`` means parts in a coordination and alternatives elsewhere."""

MALFORMED_SHOWN = 5

_TEXT_LINE = re.compile(r"^([^|\t]+)\|([ta])\|(.*)$")
_COORDINATION = re.compile(r"\b(?:and|or|to)\b|[/,]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GoldMention:
    """A mention and what its annotators say it means.

    ``parts`` has one set of acceptable ids (CURIEs) for every concept the mention names; any id of a set is right. A
    set is empty where no concept fits that part. ``composite`` is true for several parts, ``joined`` where one part's
    ids together make one meaning (``+``), ``nil`` where no part has an id. ``part_texts`` are the parts' names as the
    annotators wrote them (BC5CDR), for judging a splitter; a normalizer under evaluation must not see them.
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
class Document:
    """One document of a corpus with its gold mentions, in the order of the file."""

    id: str
    title: str
    abstract: str
    mentions: tuple[GoldMention, ...]

    @property
    def text(self) -> str:
        """Title, one line break, abstract: the text that the mentions' offsets count in."""
        return f"{self.title}\n{self.abstract}"


@dataclass(slots=True)
class CorpusCounts:
    """What became of every non-empty row: ``rows == text + mentions + sum(skipped) + malformed``.

    ``without_offsets`` counts kept mentions whose offsets do not point at their text; ``repeated_documents`` counts
    documents whose id was seen before (both are kept). ``examples`` shows the first malformed rows.
    """

    rows: int = 0
    documents: int = 0
    text: int = 0
    mentions: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    without_offsets: int = 0
    repeated_documents: int = 0
    examples: list[str] = field(default_factory=list)


class PubTatorCorpus:
    """The documents of a PubTator file, plain or gzip; iterating streams them, ``counts`` tells what was read.

    ``types`` keeps only mentions of these types (every type by default). An id without a prefix gets
    ``default_prefix``; ids with one (``OMIM:``) stay as they are. ``strict`` stops at the first malformed row. Each
    iteration reads the file anew and starts new counts.

    How several ids in one column are read (found in the NCBI disease corpus and BC5CDR; PubTator itself has no rule):

    - ``|`` separates the parts of a composite in ``CompositeMention`` and in BC5CDR, whose last column then often names
      the parts. In NCBI's other types it is used both ways: as parts in coordinations ("breast and ovarian cancer" as
      a Modifier) and as alternatives elsewhere ("cat eye syndrome", ``C535918|OMIM:115470``). So there it is read as
      parts when the text has "and", "or", "to", a comma or a slash, else as alternatives.
    - ``+`` joins ids that together make one meaning ("hereditary deafness"). One answer can name only one of them, and
      each is accepted, as Sung et al. (2020) do. In the one ``CompositeMention`` that has it, it separates parts.
    - ``-1``, ``-`` and an empty column say that no concept fits; a composite can have one such part.

    Raises FormatError for what is not a PubTator file, and for a malformed row when ``strict``.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        types: frozenset[str] | None = None,
        default_prefix: str = "MESH",
        strict: bool = False,
    ) -> None:
        self.path = Path(path)
        self.types = types
        self.default_prefix = default_prefix
        self.strict = strict
        self.counts = CorpusCounts()

    def __iter__(self) -> Iterator[Document]:
        self.counts = counts = CorpusCounts()
        seen: set[str] = set()
        for draft in self._drafts():
            counts.documents += 1
            counts.repeated_documents += draft.id in seen
            seen.add(draft.id)
            yield self._document(draft)
        if not counts.documents:
            raise FormatError(
                self.path,
                "no PubTator document found",
                mend="A document begins with a line like '12345|t|Title'",
            )

    def _drafts(self) -> Iterator[_Draft]:
        """The rows gathered into documents; a document ends at a blank row or at the next title."""
        draft: _Draft | None = None
        for number, line in _lines(self.path):
            if not line.strip():
                if draft is not None:
                    yield draft
                draft = None
                continue
            self.counts.rows += 1
            match = _TEXT_LINE.match(line)
            if match is not None and match[2] == "t":
                if draft is not None:
                    yield draft
                draft = _Draft(match[1], match[3])
                self.counts.text += 1
            elif match is not None and draft is not None and draft.id == match[1]:
                draft.abstract = match[3]
                self.counts.text += 1
            elif draft is not None and line.startswith(f"{draft.id}\t"):
                draft.rows.append((number, line))
            else:
                self._malformed(number, "not a row of the document above it")
        if draft is not None:
            yield draft

    def _document(self, draft: _Draft) -> Document:
        text = f"{draft.title}\n{draft.abstract}"
        golds = [gold for number, line in draft.rows if (gold := self._mention(number, line, text)) is not None]
        self.counts.mentions += len(golds)
        return Document(draft.id, draft.title, draft.abstract, tuple(golds))

    def _mention(self, number: int, line: str, text: str) -> GoldMention | None:
        """The mention of one row, or None where the row was skipped or malformed (and counted as such)."""
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) in (4, 5) and not columns[1].isdigit():
            self.counts.skipped["relation"] += 1
            return None
        if len(columns) < 6 or not (columns[1].isdigit() and columns[2].isdigit()) or not columns[3]:
            self._malformed(number, "expected document, start, end, text, type and id, separated by tabs")
            return None
        document, start, end, words, kind, ids = columns[:6]
        if self.types is not None and kind not in self.types:
            self.counts.skipped["other type"] += 1
            return None
        mention = Mention(words, f"{document}:{start}-{end}", document, int(start), int(end), kind, text)
        if text[int(start) : int(end)].split() != words.split():
            if self.strict:
                self._malformed(number, f"offsets {start}-{end} do not point at {words!r}")
            self.counts.without_offsets += 1
            mention = replace(mention, start=None, end=None)
        parts, joined = self._parts(ids, words, kind)
        names = tuple(name.strip() for name in columns[6].split("|")) if len(columns) > 6 and columns[6] else ()
        return GoldMention(mention, parts, joined, names)

    def _parts(self, ids: str, words: str, kind: str) -> tuple[tuple[frozenset[str], ...], bool]:
        """The acceptable ids of each part, and whether a part's ids were joined with ``+``."""
        if kind in COMPOSITE_TYPES:
            return tuple(self._curies(part) for part in re.split(r"[|+]", ids)), False
        if kind in MIXED_TYPES and not _COORDINATION.search(words):
            return (self._curies(ids.replace("+", "|")),), "+" in ids
        return tuple(self._curies(part.replace("+", "|")) for part in ids.split("|")), "+" in ids

    def _curies(self, ids: str) -> frozenset[str]:
        """The ids of a ``|``-separated list as CURIEs; words that say "no concept" give none."""
        bare = ["".join(id_.split()) for id_ in ids.split("|")]
        return frozenset(
            id_ if ":" in id_ else f"{self.default_prefix}:{id_}" for id_ in bare if id_.lower() not in NIL_WORDS
        )

    def _malformed(self, number: int, problem: str) -> None:
        if self.strict:
            raise FormatError(self.path, problem, line=number, mend="Mend the row or read without --strict")
        self.counts.malformed += 1
        if len(self.counts.examples) < MALFORMED_SHOWN:
            self.counts.examples.append(f"{self.path}:{number}: {problem}")


@dataclass(slots=True)
class _Draft:
    """A document while its rows are read."""

    id: str
    title: str
    abstract: str = ""
    rows: list[tuple[int, str]] = field(default_factory=list)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a UTF-8 file, plain or gzip (told by its first bytes, not by its name)."""
    try:
        with path.open("rb") as probe:
            packed = probe.read(2) == b"\x1f\x8b"
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}. Give the path of a PubTator file") from error
    number = 0
    with gzip.open(path, "rb") if packed else path.open("rb") as stream:
        try:
            for number, line in enumerate(stream, 1):
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise FormatError(path, "not UTF-8 text", line=number, mend="Convert it with iconv") from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise FormatError(path, "damaged or truncated gzip", line=number + 1, mend="Fetch it again") from error
