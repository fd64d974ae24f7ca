"""ShARe/CLEF eHealth 2013 task 1, SemEval 2014 task 7, and the templates of ShARe/CLEF 2014 and SemEval 2015."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ontonym.documents import CharSpan
from ontonym.errors import InputError
from ontonym.evaluate.corpora.files import CorpusFiles, base, chosen, first_line, folder_of
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions, GoldDocument, spans_of
from ontonym.files.source import Source, open_source

_ID = r"(?:C\d{7}|CUI-?less)"
_PIPES = re.compile(rf"[^|\t]+\|\|[^|\t]+\|\|{_ID}\|\|\d+\|\|\d+", re.IGNORECASE)
_TEMPLATE = re.compile(rf"[^|\t]+\|\d+-\d+(?:,\d+-\d+)*\|{_ID}(?:\||$)", re.IGNORECASE)
_TEXT = re.compile(r"\.(?:txt|text)$")
_NAME = re.compile(r"[^/\\\0]{1,100}")
"""A note name that is safe as a file name: it comes from a file and must not lead to another folder."""
_KIND = "Disease_Disorder"
"""The type of the templates' annotations, which have none."""

_Row = tuple[str, str, str, Sequence[CharSpan]]
"""Note, type, id and offsets."""


class ShareCorpus(Corpus):
    """Clinical notes with lines ``note.txt||Disease_Disorder||C0000001||start||end``, a start and end for each piece.

    The lines may also be those of the 2014 templates (``note.txt|start-end,start-end|C0000001|…``), whose other columns
    are ignored. A note without annotations is not read. Raises InputError for a note whose text is missing.
    """

    nothing = ("no annotation of ShARe/CLEF in it", "A line is like 'note.txt||Disease_Disorder||C0000001||0||5'")

    def __init__(
        self, path: Path, options: CorpusOptions, annotations: Sequence[Source], texts: Mapping[str, Source]
    ) -> None:
        super().__init__(path, options)
        self._annotations, self._texts = annotations, texts

    def _documents(self) -> Iterator[GoldDocument]:
        for source in self._annotations:
            rows = defaultdict[str, list[tuple[int, _Row]]](list)
            for number, line in self._rows(source):
                row = _row(line.strip())
                if row is None:
                    problem = "expected note, type, id, and start and end of each piece, with || between"
                    self._malformed(source.label, number, problem)
                else:
                    rows[_TEXT.sub("", row[0])].append((number, row))
            for note, found in rows.items():
                text = self._text(self._texts.get(note) or self._text_beside(source, note))
                golds = (
                    self._gold((source, number), note, text, spans, self._ids(id_), kind=kind)
                    for number, (_, kind, id_, spans) in found
                )
                yield self._document(note, text, golds)

    def _text_beside(self, source: Source, note: str) -> Source:
        """The text of a note in a folder beside that of the annotations."""
        near = source.path.resolve().parent.parent
        try:
            places = sorted(place for place in near.iterdir() if place.is_dir()) if _NAME.fullmatch(note) else []
        except OSError:
            places = []
        for place in places:
            for ending in (".txt", ".text"):
                path = place / f"{note}{ending}"
                if path.is_file() and path != source.path.resolve() and not is_annotation(found := open_source(path)):
                    return found
        hint = f"Put {note}.txt into a folder beside it, or name the folder that has both"
        raise InputError(f"{source.label}: the text of the note {note} is not there. {hint}")


def _row(line: str) -> _Row | None:
    """The fields of a line; None if it is not an annotation."""
    if "||" in line:
        cells = [cell.strip() for cell in line.split("||")]
        spans = spans_of(cells[3:])
        return (cells[0], cells[1], cells[2], spans) if spans else None
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) < 3:
        return None
    spans = spans_of([number for piece in cells[1].split(",") for number in piece.split("-")])
    return (cells[0], _KIND, cells[2], spans) if spans else None


def is_annotation(source: Source) -> bool:
    """Whether a file begins with a line of annotation."""
    line = first_line(source)
    return bool(_PIPES.match(line) or _TEMPLATE.match(line))


def is_share(found: CorpusFiles) -> bool:
    """Whether some folder has annotations, judged by the first file of each and those that end in ``.pipe``."""
    for sources in found.by_folder.values():
        named = [source for source in sources if ".pipe" in base(source)]
        first = [source for source in sources if _TEXT.search(base(source))][:1]
        if any(map(is_annotation, [*named[:1], *first])):
            return True
    return False


def open_share(found: CorpusFiles, split: str | None, options: CorpusOptions) -> Corpus:
    """The notes of one folder of annotations; the texts may be in the same folder, in another one, or beside it."""
    parts = defaultdict[str, list[Source]](list)
    texts: dict[str, Source] = {}
    for source in found.sources:
        if ".pipe" in base(source) or is_annotation(source):
            parts[found.name_of(folder_of(source))].append(source)
        elif _TEXT.search(base(source)):
            texts.setdefault(_TEXT.sub("", base(source)), source)
    return ShareCorpus(found.path, options, chosen(found, parts, split, ShareCorpus.nothing), texts)
