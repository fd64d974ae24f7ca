"""Mantra GSC: text units of drug labels, patents and titles in five languages, as XML or as BRAT files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from lxml import etree

from ontonym.documents import CharSpan
from ontonym.errors import InputError
from ontonym.evaluate.corpora.files import CorpusFiles, base, chosen, folder_of
from ontonym.evaluate.corpora.gold import (
    NIL_WORDS,
    Corpus,
    CorpusOptions,
    GoldDocument,
    GoldMention,
    spans_of,
)
from ontonym.files.source import Source
from ontonym.files.xml import iter_elements, line_of

_XML = re.compile(r"<document\b[^>]*>\s*<unit\b")
_CUI = re.compile(r"C\d{7}")
_MARK = re.compile(r"(T\S*)\t(\S+) ([\d ;]+)\t(.+)")
_NOTE = re.compile(r"#\S*\tAnnotatorNotes (T\S*)\t(.*)")
_REFERENCE = re.compile(r"N\S*\tReference (T\S*) (\S+)")
_QUOTED = re.compile(r'"([^"]*)"')
_OTHER = "REA*M"
"""The first characters of BRAT lines that do not mark text: relations, events, attributes, equivalences."""


class MantraCorpus(Corpus):
    """Text units of Mantra's XML: ``<unit>`` with a ``<text>``, and an ``<e>`` with CUI, group and offset for a
    mention.

    A row is a unit or an ``<e>``; a document is a unit. The type is the semantic group (``DISO``). A stretch with
    several concepts has one ``<e>``, and gives one mention, for each.
    """

    nothing = ("no text unit of Mantra in it", "A unit is an element <unit> in a <document>")

    def _documents(self) -> Iterator[GoldDocument]:
        for element in iter_elements(self.source, ["document"]):
            for unit in element.iter("unit"):
                self.counts.rows += 1
                self.counts.text += 1
                name = str(unit.get("id") or element.get("id", ""))
                text = unit.findtext("text") or ""
                yield self._document(name, text, (self._mention(mark, name, text) for mark in unit.iter("e")))

    def _mention(self, mark: etree._Element, document: str, text: str) -> GoldMention | None:
        self.counts.rows += 1
        at = (self.source, line_of(mark))
        spans = spans_of([str(mark.get("offset", "")), str(mark.get("len", ""))])
        if not spans or mark.get("cui") is None:
            self._malformed(at[0].label, at[1], "expected the attributes cui, offset and len")
            return None
        ids, (start, length) = self._ids(str(mark.get("cui"))), spans[0]
        return self._gold(
            at, document, text, [(start, start + length)], ids, kind=str(mark.get("grp", "")), words=mark.text or ""
        )


@dataclass(slots=True)
class _Marked:
    """A marked stretch of text, and the notes on it."""

    line: int
    type: str
    spans: list[CharSpan]
    words: str
    ids: list[str] = field(default_factory=list)
    group: str = ""


class BratCorpus(Corpus):
    """BRAT files: a ``.txt`` for each document, and an ``.ann`` with the marked stretches and their concepts.

    A row is a text or a line of an ``.ann``. The concept is the type of the stretch (``T1``, then ``C0000001 0 5``, as
    in Mantra), or in a note on it (``AnnotatorNotes``), or a reference (``N1``, ``Reference T1 UMLS:C0000001``);
    several references are alternatives. The last quoted word of Mantra's notes, the semantic group, becomes the type of
    the mention, else it is BRAT's. A stretch without a concept is skipped and counted. Raises InputError for an
    ``.ann`` without its text.
    """

    nothing = ("no BRAT document in it", "A document is a .txt file, and its annotations an .ann file of the same name")

    def __init__(self, path: Path, options: CorpusOptions, files: Mapping[str, Mapping[str, Source]]) -> None:
        super().__init__(path, options)
        self._files = files

    def _documents(self) -> Iterator[GoldDocument]:
        for name, files in sorted(self._files.items()):
            if ".txt" not in files:
                raise InputError(f"{files['.ann'].label}: its text {name}.txt is not there")
            text = self._text(files[".txt"])
            source = files.get(".ann")
            marked = ((source, mark) for mark in self._marks(source)) if source else ()
            yield self._document(name, text, (self._mention(at, name, text, mark) for at, mark in marked))

    def _marks(self, source: Source) -> list[_Marked]:
        """The marked stretches of a file with the notes of later lines; each line is counted."""
        marks: dict[str, _Marked] = {}
        for number, line in self._rows(source):
            mark, note, reference = (pattern.match(line) for pattern in (_MARK, _NOTE, _REFERENCE))
            spans = spans_of(mark[3].replace(";", " ").split()) if mark else []
            if mark and spans:
                marks[mark[1]] = _Marked(number, mark[2], spans, mark[4], [mark[2]] if _CUI.fullmatch(mark[2]) else [])
            elif line[0] == "T":
                self._malformed(source.label, number, "expected 'T1', type with start and end, and text, with tabs")
            elif note and note[1] in marks:
                self.counts.skipped["note"] += 1
                _noted(marks[note[1]], note[2])
            elif reference and reference[1] in marks:
                self.counts.skipped["note"] += 1
                marks[reference[1]].ids.append(reference[2])
            elif line[0] in _OTHER or line[0] in "#N":
                self.counts.skipped["other annotation"] += 1
            else:
                self._malformed(source.label, number, "not a line of BRAT")
        return list(marks.values())

    def _mention(self, source: Source, name: str, text: str, mark: _Marked) -> GoldMention | None:
        if not mark.ids:
            self.counts.skipped["no concept given"] += 1
            return None
        at, kind = (source, mark.line), mark.group or mark.type
        return self._gold(at, name, text, mark.spans, self._ids(*mark.ids), kind=kind, words=mark.words)


def _noted(mark: _Marked, note: str) -> None:
    """Adds the content of a note to a stretch: quoted CUI, name, semantic type and group, or ids as plain text."""
    quoted = _QUOTED.findall(note)
    if len(quoted) > 2:
        mark.group = quoted[-1]
    found = _CUI.findall(quoted[0] if quoted else note)
    if found or (not quoted and note.strip().casefold() in NIL_WORDS - {""}):
        mark.ids = found or [note]


def is_mantra(found: CorpusFiles) -> bool:
    """Whether a file is Mantra's XML, or a name ends in ``.ann``."""
    return any(base(one).endswith(".ann") or _is_xml(one) for one in found.sources)


def _is_xml(source: Source) -> bool:
    return base(source).endswith(".xml") and bool(_XML.search(source.head()))


def open_mantra(found: CorpusFiles, split: str | None, options: CorpusOptions) -> Corpus:
    """The units of one XML file, or of one folder of BRAT files."""
    files: dict[str, Source] = {}
    folders = defaultdict[str, dict[str, dict[str, Source]]](lambda: defaultdict(dict))
    for source in found.sources:
        path = PurePosixPath(source.name)
        if _is_xml(source):
            files[path.with_suffix("").as_posix()] = source
        elif path.suffix in (".txt", ".ann"):
            folders[folder_of(source)][path.stem][path.suffix] = source
    marked = {found.name_of(name): one for name, one in folders.items() if any(".ann" in two for two in one.values())}
    parts: dict[str, Source | Mapping[str, Mapping[str, Source]]] = {**files, **marked}
    part = chosen(found, parts, split, MantraCorpus.nothing)
    if isinstance(part, Source):
        return MantraCorpus(found.path, options, part)
    return BratCorpus(found.path, options, part)
