"""PubTator: a title and an abstract, then one row for each mention. NCBI disease, BC5CDR and MedMentions come so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ontonym.errors import InputError
from ontonym.evaluate.corpora.files import Found, first_line, only
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions, CorpusReader, Document, GoldMention, curies
from ontonym.evaluate.corpora.notes import spans_of
from ontonym.files.source import Source, open_source
from ontonym.types import Mention

COMPOSITE_TYPES = frozenset({"CompositeMention"})
"""Types whose mentions name several concepts: both ``|`` and ``+`` separate the parts."""

MIXED_TYPES = frozenset({"SpecificDisease", "DiseaseClass", "Modifier"})
"""NCBI's other types, where ``|`` means parts in a coordination and alternatives elsewhere."""

TITLE = re.compile(r"[^|\t]+\|t\|")
"""How a document begins."""

_TEXT_LINE = re.compile(r"^([^|\t]+)\|([ta])\|(.*)$")
_COORDINATION = re.compile(r"\b(?:and|or|to)\b|[/,]", re.IGNORECASE)


class PubTatorCorpus(CorpusReader):
    """The documents of a PubTator file, plain or packed; iterating streams them, ``counts`` tells what was read.

    ``types`` keeps only mentions of these types (every type by default). An id without a prefix gets
    ``default_prefix``; ids with one (``OMIM:``) stay as they are. ``strict`` stops at the first malformed row. Each
    iteration reads the file anew and starts new counts. A row is a line that is not blank.

    How several ids in one column are read (found in the NCBI disease corpus and BC5CDR; PubTator itself has no rule):

    - ``|`` separates the parts of a composite in ``CompositeMention`` and in BC5CDR, whose last column then often names
      the parts. In NCBI's other types it is used both ways: as parts in coordinations ("breast and ovarian cancer" as
      a Modifier) and as alternatives elsewhere ("cat eye syndrome", ``C535918|OMIM:115470``). So there it is read as
      parts when the text has "and", "or", "to", a comma or a slash, else as alternatives.
    - ``+`` joins ids that together make one meaning ("hereditary deafness"). One answer can name only one of them, and
      each is accepted, as Sung et al. (2020) do. In the one ``CompositeMention`` that has it, it separates parts.
    - ``-1``, ``-`` and an empty column say that no concept fits; a composite can have one such part.

    ``documents`` keeps only the documents with these ids, those of a split; the rows of the others are skipped.
    ``source`` is the file where it lies in a folder or archive. Raises FormatError for what is not a PubTator file, and
    for a malformed row when ``strict``.
    """

    nothing = ("no PubTator document found", "A document begins with a line like '12345|t|Title'")

    def __init__(
        self,
        path: Path | str,
        *,
        types: frozenset[str] | None = None,
        default_prefix: str = "MESH",
        strict: bool = False,
        documents: frozenset[str] | None = None,
        source: Source | None = None,
    ) -> None:
        super().__init__(path, CorpusOptions(types, default_prefix, strict))
        self._wanted_documents = documents
        self._given = source
        if documents is not None:
            self.nothing = ("no document of the split in it", "Is the list of documents that of this corpus?")

    def _source(self) -> Source:
        if self._given is not None:
            return self._given
        if self.path.is_dir():
            raise InputError(f"cannot read {self.path}: it is a folder. Give the path of a PubTator file")
        return open_source(self.path)

    def _documents(self) -> Iterator[Document]:
        wanted, found = self._wanted_documents, set()
        for draft in self._drafts():
            if wanted is None or draft.id in wanted:
                found.add(draft.id)
                self.counts.text += draft.texts
                yield self._document(draft)
            else:
                self.counts.skipped["other split"] += draft.texts + len(draft.rows)
        self.counts.missing_documents = len(wanted - found) if wanted is not None else 0

    def _drafts(self) -> Iterator[_Draft]:
        """The rows gathered into documents; a document ends at a blank row or at the next title."""
        draft: _Draft | None = None
        for number, line in enumerate(self._source().lines(), 1):
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
            elif match is not None and draft is not None and draft.id == match[1]:
                draft.abstract = match[3]
                draft.texts += 1
            elif draft is not None and line.startswith(f"{draft.id}\t"):
                draft.rows.append((number, line))
            else:
                self._malformed(self.path, number, "not a row of the document above it")
        if draft is not None:
            yield draft

    def _document(self, draft: _Draft) -> Document:
        text = f"{draft.title}\n{draft.abstract}"
        golds = [gold for number, line in draft.rows if (gold := self._mention(number, line, text)) is not None]
        return Document(draft.id, draft.title, draft.abstract, tuple(golds))

    def _mention(self, number: int, line: str, text: str) -> GoldMention | None:
        """The mention of one row, or None where the row was skipped or malformed (and counted as such)."""
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) in (4, 5) and not columns[1].isdigit():
            self.counts.skipped["relation"] += 1
            return None
        spans = spans_of(columns[1:3])
        if len(columns) < 6 or not spans or not columns[3]:
            problem = "expected document, start, end, text, type and id, separated by tabs"
            self._malformed(self.path, number, problem)
            return None
        (start, end), (document, words, kind, ids) = spans[0], (columns[0], *columns[3:6])
        if not self._wanted(kind):
            return None
        mention = Mention(words, f"{document}:{start}-{end}", document, start, end, kind, text)
        if text[start:end].split() != words.split():
            if self.options.strict:
                self._malformed(self.path, number, f"offsets {start}-{end} do not point at {words!r}")
            self.counts.without_offsets += 1
            mention = replace(mention, start=None, end=None)
        parts, joined = several(ids, words, kind, self.options.default_prefix)
        names = tuple(name.strip() for name in columns[6].split("|")) if len(columns) > 6 and columns[6] else ()
        return GoldMention(mention, parts, joined, names)


def pubtator(source: Source, options: CorpusOptions, documents: frozenset[str] | None = None) -> PubTatorCorpus:
    """The corpus in a file, wherever that lies."""
    return PubTatorCorpus(
        source.label,
        types=options.types,
        default_prefix=options.default_prefix,
        strict=options.strict,
        documents=documents,
        source=source,
    )


def is_pubtator(found: Found) -> bool:
    """Whether the first line of a file, that is not blank, is the title of a document."""
    return any(map(_is_pubtator, found.samples))


def _is_pubtator(source: Source) -> bool:
    return bool(TITLE.match(first_line(source)))


def open_pubtator(found: Found, split: str | None, options: CorpusOptions) -> Corpus:
    """The documents of the only PubTator file."""
    return pubtator(only(found, _is_pubtator, PubTatorCorpus.nothing), options)


def several(ids: str, words: str, kind: str, prefix: str) -> tuple[tuple[frozenset[str], ...], bool]:
    """The acceptable ids of each part, and whether a part's ids were joined with ``+``; `PubTatorCorpus` says how."""
    if kind in COMPOSITE_TYPES:
        return tuple(curies([part], prefix) for part in re.split(r"[|+]", ids)), False
    if kind in MIXED_TYPES and not _COORDINATION.search(words):
        return (curies(re.split(r"[|+]", ids), prefix),), "+" in ids
    return tuple(curies(part.split("+"), prefix) for part in ids.split("|")), "+" in ids


@dataclass(slots=True)
class _Draft:
    """A document while its rows are read; ``texts`` are the rows of its title and abstract."""

    id: str
    title: str
    abstract: str = ""
    rows: list[tuple[int, str]] = field(default_factory=list)
    texts: int = 1
