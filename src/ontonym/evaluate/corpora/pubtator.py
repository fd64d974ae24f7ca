"""PubTator with gold concepts: NCBI disease, BC5CDR, and MedMentions with its lists of the documents of each split."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from ontonym.documents import Document, Mark
from ontonym.documents.pubtator import begins_pubtator, parse
from ontonym.errors import FormatError, InputError
from ontonym.evaluate.corpora.files import CorpusFiles, base, chosen, first_line, folder_of, only
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions, GoldDocument, GoldMention, curies
from ontonym.files.source import Source, open_source

COMPOSITE_TYPES = frozenset({"CompositeMention"})
"""Types whose mentions name several concepts: both ``|`` and ``+`` separate the parts."""

MIXED_TYPES = frozenset({"SpecificDisease", "DiseaseClass", "Modifier"})
"""NCBI's other types, in which ``|`` separates parts in a coordination and alternatives elsewhere."""

_COORDINATION = re.compile(r"\b(?:and|or|to)\b|[/,]", re.IGNORECASE)
_CORPUS = re.compile(r"corpus_pubtator(?:\.txt)?")
_LIST = re.compile(r"corpus_pubtator_pmids_(?P<split>trng|dev|test)\.txt")
_TYPED_ROW = re.compile(
    r"^[^|\t\n]+\t\d+\t\d+\t[^\t\n]+\t(?:T\d{3}(?:,T\d{3})*|UnknownType)\t(?:UMLS:)?C\d{7}\s*$", re.MULTILINE
)
"""A row with semantic types and a CUI, as in MedMentions."""


class PubTatorCorpus(Corpus):
    """The documents of a PubTator file, plain or packed; iterating streams them, ``counts`` says what was read.

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
        super().__init__(path, CorpusOptions(types, default_prefix, strict), source)
        self._split = documents
        if documents is not None:
            self.nothing = ("no document of the split in it", "Is the list of documents that of this corpus?")

    def skip(self, rule: str) -> None:
        """Counts a row that marks nothing; texts are counted with their documents, and blank lines are not rows."""
        if rule == "relation":
            self.counts.rows += 1
            self.counts.skipped[rule] += 1

    def malformed(self, line: int | None, problem: str) -> None:
        """Counts a row that is not PubTator."""
        self.counts.rows += 1
        self._malformed(self.path, line, problem)

    def _documents(self) -> Iterator[GoldDocument]:
        found: set[str] = set()
        for document in parse(self.source.lines(), self):
            rows = len(document.passages) + len(document.marks)
            self.counts.rows += rows
            if self._split is not None and document.id not in self._split:
                self.counts.skipped["other split"] += rows
                continue
            found.add(document.id)
            self.counts.text += len(document.passages)
            gold = self._document(
                document.id, document.text, (self._mention(document, mark) for mark in document.marks)
            )
            if document.passages:
                yield gold
        self.counts.missing_documents = len(self._split - found) if self._split is not None else 0

    def _mention(self, document: Document, mark: Mark) -> GoldMention | None:
        """The mention of one row, or None where the row was skipped or malformed (and counted as such)."""
        mention = mark.mention
        words, kind, ids = mention.text.strip(), mention.type.strip(), mark.infons.get("identifier")
        if not document.passages:
            self._malformed(self.path, mark.line, "not a row of the document above it")
            return None
        if not words or ids is None:
            problem = "expected document, start, end, text, type and id with tabs between"
            self._malformed(self.path, mark.line, problem)
            return None
        if not self._wanted(kind):
            return None
        mention = replace(mention, text=words, type=kind)
        if document.text[mention.start : mention.end].split() != words.split():
            if self.options.strict:
                problem = f"offsets {mention.start}-{mention.end} do not point at {words!r}"
                self._malformed(self.path, mark.line, problem)
            self.counts.without_offsets += 1
            mention = replace(mention, start=None, end=None)
        parts, joined = several(ids, words, kind, self.options.default_prefix)
        names = mark.infons.get("name", "").strip()
        return GoldMention(mention, parts, joined, tuple(name.strip() for name in names.split("|")) if names else ())


def several(ids: str, words: str, kind: str, prefix: str) -> tuple[tuple[frozenset[str], ...], bool]:
    """The acceptable ids of each part, and whether a part's ids were joined with ``+``; `PubTatorCorpus` says how."""
    if kind in COMPOSITE_TYPES:
        return tuple(curies([part], prefix) for part in re.split(r"[|+]", ids)), False
    if kind in MIXED_TYPES and not _COORDINATION.search(words):
        return (curies(re.split(r"[|+]", ids), prefix),), "+" in ids
    return tuple(curies(part.split("+"), prefix) for part in ids.split("|")), "+" in ids


def is_pubtator(found: CorpusFiles) -> bool:
    """Whether the first non-blank line of a file is the title of a document."""
    return any(map(_is_pubtator, found.samples))


def _is_pubtator(source: Source) -> bool:
    return begins_pubtator(first_line(source))


def open_pubtator(found: CorpusFiles, split: str | None, options: CorpusOptions) -> Corpus:
    """The documents of the only PubTator file."""
    return _opened(only(found, _is_pubtator, PubTatorCorpus.nothing), options)


def _opened(source: Source, options: CorpusOptions, documents: frozenset[str] | None = None) -> PubTatorCorpus:
    return PubTatorCorpus(source.label, **asdict(options), documents=documents, source=source)


def is_medmentions(found: CorpusFiles) -> bool:
    """Whether there is a file corpus_pubtator.txt, or the only file is PubTator with semantic types and CUIs."""
    if any(_CORPUS.fullmatch(base(source)) for source in found.sources):
        return True
    head = found.lone.head() if found.lone is not None else ""
    return begins_pubtator(head.lstrip()) and bool(_TYPED_ROW.search(head))


def open_medmentions(found: CorpusFiles, split: str | None, options: CorpusOptions) -> Corpus:
    """The documents of a split (``train``, ``dev``, ``test``), or of the whole corpus.

    The lists of ST21pv are those of the full corpus, in its folder ``full/data``.
    """
    corpora = [source for source in found.sources if _CORPUS.fullmatch(base(source))]
    source = found.lone or (corpora[0] if len(corpora) == 1 else None)
    if source is None:
        hint = "Name one of them" if corpora else "Its file is called corpus_pubtator.txt or corpus_pubtator.txt.gz"
        raise FormatError(found.path, f"{len(corpora)} corpora in it", hint=hint)
    documents = None
    if split is not None:
        lists = _lists(found, source)
        if not lists:
            hint = "The lists corpus_pubtator_pmids_trng.txt, …_dev.txt and …_test.txt of the full corpus go beside it"
            raise InputError(f"{found.path}: no split {split!r}, for no list of documents is there. {hint}")
        listed = chosen(found, lists, split, PubTatorCorpus.nothing)
        documents = frozenset(line.strip() for line in listed.lines() if line.strip())
    return _opened(source, options, documents)


def _lists(found: CorpusFiles, corpus: Source) -> Mapping[str, Source]:
    """The lists of documents by split: from the folder of the corpus, else from the given path, else of ``full``."""
    inside = [source for source in found.sources if _LIST.fullmatch(base(source))]
    own = [source for source in inside if folder_of(source) == folder_of(corpus)] or inside
    home = corpus.path.resolve().parent
    places = (home, home.parent.parent / "full" / "data") if not own else ()
    for place in places:
        own = own or [open_source(path) for path in _files(place) if _LIST.fullmatch(path.name)]
    return {match["split"].replace("trng", "train"): one for one in own if (match := _LIST.fullmatch(base(one)))}


def _files(place: Path) -> list[Path]:
    """The non-empty files of a folder; none if it is not a folder."""
    if not place.is_dir():
        return []
    return sorted(path for path in place.iterdir() if path.is_file() and path.stat().st_size)
