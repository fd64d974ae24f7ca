"""MCN, the corpus of n2c2 2019 track 3: discharge summaries, and a ``.norm`` file for each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ontonym.errors import InputError
from ontonym.evaluate.corpora.files import CorpusFiles, base, chosen, folder_of
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions, GoldDocument, GoldMention, spans_of
from ontonym.files.source import Source, open_source

_NORM = re.compile(r"(.+?)_norm(?:_|$)")
_HIDDEN = "unk"
"""The id in the files that participants had to fill in."""


@dataclass(frozen=True)
class _Notes:
    """The notes of a split: norm files and texts by name, and the order of its file list, if there is one."""

    split: str
    norms: Mapping[str, Source]
    texts: Mapping[str, Source]
    order: Sequence[str] | None


class McnCorpus(Corpus):
    """Discharge summaries with lines ``N001||C0000001||start||end``, with a start and end for each piece.

    The notes are in the order of ``train_file_list.txt`` if it exists; norm files that it does not list are skipped and
    counted. A row whose id is hidden (``unk``) is malformed. Raises InputError for a listed note that is missing, and
    for one without its text.
    """

    nothing = (
        "no note of MCN in it",
        "There is a folder train_norm with .norm files, and one train_note with the texts",
    )

    def __init__(self, path: Path, options: CorpusOptions, notes: _Notes) -> None:
        super().__init__(path, options)
        self._notes = notes

    def _documents(self) -> Iterator[GoldDocument]:
        notes = self._notes
        order = sorted(notes.norms) if notes.order is None else notes.order
        for note in order:
            norm = notes.norms.get(note)
            if norm is None:
                raise InputError(f"{self.path}: {note}.norm is in the list of {notes.split} files, and is not there")
            text = self._text(self._text_source(norm, note))
            rows = self._rows(norm)
            yield self._document(note, text, (self._mention((norm, at), line, note, text) for at, line in rows))
        for note in sorted(notes.norms.keys() - set(order)):
            self.counts.skipped["not in the file list"] += sum(1 for _ in self._rows(notes.norms[note]))

    def _mention(self, at: tuple[Source, int], line: str, note: str, text: str) -> GoldMention | None:
        norm, number = at
        cells = [cell.strip() for cell in line.split("||")]
        spans = spans_of(cells[2:])
        if not spans:
            self._malformed(norm.label, number, "expected number, id, and start and end of each piece, with || between")
            return None
        if cells[1].casefold() == _HIDDEN:
            self._malformed(norm.label, number, "its concept is hidden (unk): these are not the gold files")
            return None
        return self._gold(at, note, text, spans, self._ids(cells[1]))

    def _text_source(self, norm: Source, note: str) -> Source:
        found = self._notes.texts.get(note)
        if found is not None:
            return found
        path = norm.path.resolve().parent.parent / f"{self._notes.split}_note" / f"{note}.txt"
        if path.is_file():
            return open_source(path)
        hint = f"Texts lie in a folder {self._notes.split}_note"
        raise InputError(f"{norm.label}: the text of the note {note} is not there. {hint}")


def is_mcn(found: CorpusFiles) -> bool:
    """Whether there are norm files in a folder named after a split."""
    return any(base(one).endswith(".norm") and _NORM.match(_folder(found, one)) for one in found.sources)


def open_mcn(found: CorpusFiles, split: str | None, options: CorpusOptions) -> Corpus:
    """The notes of one split: that of the folder ``train_norm``, ``test_norm``…

    A folder of norm files with another name is read only if it is the only one.
    """
    folders: dict[str, dict[str, Source]] = {}
    for source in found.sources:
        if base(source).endswith(".norm"):
            folders.setdefault(_folder(found, source), {})[base(source).removesuffix(".norm")] = source
    gold = {name.removesuffix("_norm"): norms for name, norms in folders.items() if name.endswith("_norm")}
    parts = gold or folders
    name = chosen(found, {name: name for name in parts}, split, McnCorpus.nothing)
    match = _NORM.match(name)
    own = match[1] if match else name
    texts: dict[str, Source] = {}
    for source in found.sources:
        if base(source).endswith(".txt"):
            stem = base(source).removesuffix(".txt")
            texts[stem] = source if _folder(found, source) == f"{own}_note" else texts.get(stem, source)
    lists = [source for source in found.sources if base(source) == f"{own}_file_list.txt"]
    order = [line.strip() for line in lists[0].lines() if line.strip()] if lists else None
    return McnCorpus(found.path, options, _Notes(own, parts[name], texts, order))


def _folder(found: CorpusFiles, source: Source) -> str:
    """The name of the folder of a file."""
    return found.name_of(folder_of(source)).rpartition("/")[2]
