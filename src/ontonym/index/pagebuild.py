"""Builds a page index from terminologies imported from encyclopedias: one document for each page and field."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ontonym.artifact import ArtifactWriter, write_artifact
from ontonym.errors import InputError
from ontonym.index.char import write_char, write_name_lengths
from ontonym.index.earlier import EarlierIndex
from ontonym.index.inverted import invert
from ontonym.index.names import write_idf
from ontonym.index.newnames import SearchedTerms, write_names
from ontonym.index.pages import FIELDS, JOINED, NAMES, SIZES
from ontonym.index.sources import noted_place
from ontonym.manifest import Manifest
from ontonym.ontology.options import speaks
from ontonym.store import Terminology
from ontonym.store.columns import StringColumn, StringWriter
from ontonym.store.hierarchy import Edges
from ontonym.store.lookup import HashLookup
from ontonym.text.normalization import tokens
from ontonym.types import Progress, staged

_DRAFT = "draft"
_REPORTED = 1 << 12
"""Pages after which progress is reported."""


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What is indexed of pages: names in ``languages`` (BCP 47 tags, empty for all), and the first ``text`` letters of
    their texts (0: none).
    """

    languages: tuple[str, ...] = ()
    text: int = 1000

    def __post_init__(self) -> None:
        if self.text < 0:
            raise InputError(f"`text=` must be at least 0, which takes no text, not {self.text}")


def build_pages(
    terminologies: Sequence[Terminology],
    path: Path | str,
    *,
    options: PageOptions = PageOptions(),
    overwrite: bool = True,
    progress: Progress | None = None,
) -> Manifest:
    """Builds a page index at ``path``. An index that is there stays usable until the new one is complete.

    Every active concept is a page, with one exception: a concept that an earlier page's cross-references name, in a
    later terminology, is merged into that page and adds its names and text (Wikidata's items, then the articles of a
    Wikipedia). Raises InputError if no page has a name in the languages, ArtifactError if ``path`` holds something
    else.
    """
    if not terminologies:
        raise InputError("a page index needs at least one terminology")
    with write_artifact(path, "page index", overwrite=overwrite) as writer:
        joined = _merged_pages(terminologies)
        joined.save(writer.folder, JOINED)
        counts = _write_documents(writer, terminologies, joined, options, progress)
        for field in (NAMES, *FIELDS):
            if counts[field]:
                _write_field(writer.folder / field, letters=field == NAMES, progress=progress)
            else:
                for file in (writer.folder / field).iterdir():
                    file.unlink()
                (writer.folder / field).rmdir()
        writer.content["identity"] = {
            "terminologies": [terminology.release for terminology in terminologies],
            "options": asdict(options),
        }
        writer.content["statistics"] = {"pages": counts[NAMES], **{f"with {field}": counts[field] for field in FIELDS}}
        writer.content["terminologies"] = [noted_place(one.path, Path(path)) for one in terminologies]
    return writer.manifest


def _merged_pages(terminologies: Sequence[Terminology]) -> Edges:
    """From each page to the pages of later terminologies merged into it: each is merged once, into the first that names
    it.
    """
    total = sum(map(len, terminologies))
    merged = np.zeros(total, dtype=np.bool_)
    ends = array("q")
    offset = 0
    for place, terminology in enumerate(terminologies[:-1]):
        xrefs = terminology.lists("xrefs")
        later = offset + len(terminology)
        for row in np.flatnonzero(terminology.active & ~merged[offset:later]).tolist():
            first = later
            for other in terminologies[place + 1 :]:
                for xref in xrefs[row]:
                    found = other.find(xref)
                    if found is not None and not merged[first + found]:
                        merged[first + found] = True
                        ends.extend((offset + row, first + found))
                first += len(other)
        offset = later
    table = np.frombuffer(ends, dtype=np.int64).reshape(-1, 2)
    return Edges.of_pairs(table[:, 0], table[:, 1], total)


def _write_documents(
    writer: ArtifactWriter,
    terminologies: Sequence[Terminology],
    joined: Edges,
    options: PageOptions,
    progress: Progress | None,
) -> dict[str, int]:
    """Writes the documents of all pages; returns how many each field has."""
    streams = {}
    for field in (NAMES, *FIELDS):
        (writer.folder / field).mkdir()
        streams[field] = StringWriter(writer.folder / field, _DRAFT)
    pages = {field: array("I") for field in streams}
    for page, documents in _documents(terminologies, joined, options, progress):
        for field, document in documents.items():
            if document:
                streams[field].append([document])
                pages[field].append(page)
    for field, stream in streams.items():
        stream.close()
        np.save(writer.folder / field / f"{_DRAFT}.pages.npy", np.frombuffer(pages[field], dtype=np.uint32))
    if not pages[NAMES]:
        asked = ", ".join(options.languages) or "all"
        known = ", ".join(sorted({name for one in terminologies for name in one.term_languages().names}))
        raise InputError(f"no page has a name in the languages {asked}; names are in: {known or 'none'}")
    return {field: len(numbers) for field, numbers in pages.items()}


def _documents(
    terminologies: Sequence[Terminology], joined: Edges, options: PageOptions, progress: Progress | None
) -> Iterator[tuple[int, dict[str, str]]]:
    """Every page that is not merged into another, in order, with the documents of its fields."""
    readers = [_Reader(terminology, options) for terminology in terminologies]
    offsets = np.cumsum([0, *map(len, terminologies)])
    merged = np.zeros(int(offsets[-1]), dtype=np.bool_)
    merged[joined.indices] = True
    for reader, offset in zip(readers, offsets.tolist(), strict=False):
        for row in np.flatnonzero(
            reader.terminology.active & ~merged[offset : offset + len(reader.terminology)]
        ).tolist():
            titles, aliases = reader.names(row)
            texts = [reader.text(row)]
            for other in joined.of(offset + row).tolist():
                place = int(np.searchsorted(offsets, other, side="right")) - 1
                more, further = readers[place].names(other - int(offsets[place]))
                titles, aliases = titles + more, aliases + further
                texts.append(readers[place].text(other - int(offsets[place])))
            yield offset + row, _fields(titles, aliases, texts)
            if progress and not row % _REPORTED:
                progress("reading pages", offset + row, len(merged))


def _fields(titles: list[str], aliases: list[str], texts: list[str]) -> dict[str, str]:
    title, others = " ".join(dict.fromkeys(titles)), " ".join(dict.fromkeys(aliases))
    if not tokens(f"{title} {others}"):
        return {}
    texts_of = {"title": title, "aliases": others, "text": " ".join(filter(None, texts))}
    return {NAMES: f"{title} {others}", **{field: text for field, text in texts_of.items() if tokens(text)}}


class _Reader:
    """Reads names and texts of the concepts of one terminology without creating concept records."""

    def __init__(self, terminology: Terminology, options: PageOptions) -> None:
        self.terminology = terminology
        self._letters = options.text
        self._texts = terminology.term_texts()
        self._bounds = terminology.term_bounds()
        languages = terminology.term_languages()
        spoken = [tag for tag in languages.names if not options.languages or speaks(tag, options.languages)]
        self._taken = terminology.term_statuses().among(("active",)) & languages.among(spoken)
        self._titles = terminology.term_kinds().among(("preferred",))
        self._definitions = terminology.lists("definitions")

    def names(self, row: int) -> tuple[list[str], list[str]]:
        """The titles of a concept, one for each language that has one, and its aliases."""
        first, end = int(self._bounds[row]), int(self._bounds[row + 1])
        titles: list[str] = []
        aliases: list[str] = []
        for place, text in enumerate(self._texts[first:end], first):
            if self._taken[place]:
                (titles if self._titles[place] else aliases).append(text)
        return titles, aliases

    def text(self, row: int) -> str:
        """The beginning of the concept's texts, cut at a space."""
        if not self._letters:
            return ""
        text = " ".join(self._definitions[row])
        if len(text) <= self._letters:
            return text
        cut = text[: self._letters]
        return cut[: cut.rfind(" ")] if " " in cut else cut


def _write_field(folder: Path, *, letters: bool, progress: Progress | None) -> None:
    """Builds the search files of a field and removes its documents."""
    documents = StringColumn.open(folder, _DRAFT)
    pages = np.load(folder / f"{_DRAFT}.pages.npy")
    count = len(pages)
    none = np.zeros(count, dtype=np.uint8)
    found = SearchedTerms(
        pages, np.arange(count, dtype=np.uint32), none, none, documents.strings().hashes(),
        np.array([0, count]), (documents,), int(pages[-1]) + 1,
    )  # fmt: skip
    names = write_names(folder, found, EarlierIndex.nothing(), staged(progress, f"indexing {folder.name}", count))
    HashLookup.build(folder, "form", names.forms, np.arange(len(names)))
    postings, times = invert(folder, names.words, names.word_bounds, len(names.vocabulary))
    counts = np.diff(postings.bounds)
    write_idf(folder, counts, len(names))
    if letters:
        squares = write_char(folder, names.vocabulary, counts, len(names), sizes=SIZES)
        write_name_lengths(folder, squares, [(postings, times)], len(names))
    del documents, found
    for file in folder.glob(f"{_DRAFT}.*"):
        file.unlink()
