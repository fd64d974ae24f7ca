"""AskAPatient and TwADR-L (Limsopatham and Collier 2016): patients' phrases, with their concept, in ten folds each.

The folds were drawn from repeated phrases, so much of each test part is in its training part too. That is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from ontonym.errors import FormatError
from ontonym.evaluate.corpora.files import CorpusFiles, base, chosen, corpus_files, mixed_lines
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions, GoldDocument, GoldMention
from ontonym.files.source import Source, open_source
from ontonym.types import Mention

_NAME = re.compile(
    r"(?P<corpus>AskAPatient|TwADR-L)\.fold-(?P<fold>\d+)\.(?P<part>train|validation|test)\.(?:txt|csv|tsv)"
)
_TRAIN = "train"

CORPORA = ("AskAPatient", "TwADR-L")

_PhraseAndId = tuple[str, str]
"""A phrase, without case and extra spaces, and its id."""


@dataclass(frozen=True, slots=True)
class FoldOverlap:
    """How much of a part of a fold is in other parts too: phrases with their concept, ignoring case and spaces.

    Of its ``mentions``, ``leaked`` are in the training part of the fold (None for that part itself, and if it is
    missing), ``in_other_folds`` in the same part of another fold (None if there is none), and ``repeated`` occurred
    before in the part itself.
    """

    corpus: str
    fold: int
    part: str
    mentions: int
    leaked: int | None
    in_other_folds: int | None
    repeated: int


class FoldsCorpus(Corpus):
    """The phrases of a part of a fold: lines of id, name of the concept and phrase, separated by tabs. A row is a line.

    Each phrase is a document. A line that is not UTF-8 is read as Windows-1252, and counted. ``counts.leaked`` are the
    mentions that the training part of the fold has too, with the same concept; `fold_overlap` counts them in all parts.
    """

    nothing = ("no phrase in it", "A line has the id of a concept, its name and a phrase, with tabs between")

    def __init__(self, path: Path, options: CorpusOptions, source: Source, near: Mapping[str, Source]) -> None:
        super().__init__(path, options, source)
        self._near = near

    def _documents(self) -> Iterator[GoldDocument]:
        match = _NAME.fullmatch(base(self.source))
        training, others = _other_parts(self._near, int(match["fold"]), match["part"]) if match else (None, None)
        found: list[_PhraseAndId] = []
        for number, (line, mixed) in enumerate(mixed_lines(self.source), 1):
            if not line.strip():
                continue
            self.counts.rows += 1
            self.counts.reencoded += mixed
            cells = _cells(line)
            if cells is None:
                problem = "expected the id of a concept, its name and a phrase, with tabs between"
                self._malformed(self.source.label, number, problem)
            elif self._wanted(""):
                found.append(_phrase_and_id(cells))
                mention = Mention(cells[2], str(number), str(number))
                yield GoldDocument(mention.id, "", (GoldMention(mention, (self._ids(cells[0]),)),))
        self.counts.leaked, self.counts.in_other_folds = _shared(found, training), _shared(found, others)


def fold_overlap(path: Path | str) -> list[FoldOverlap]:
    """How much of each part of each fold below a path is in other parts, by corpus, fold and part.

    Raises FormatError if no file there is named like those of AskAPatient and TwADR-L.
    """
    found = corpus_files(path)
    overlaps = []
    for corpus in CORPORA:
        files = _files(found, corpus)
        for name, source in sorted(files.items()):
            fold, part = _fold_and_part(name)
            phrases = _phrases(source)
            leaked, elsewhere = (_shared(phrases, others) for others in _other_parts(files, fold, part))
            repeated = len(phrases) - len(set(phrases))
            overlaps.append(FoldOverlap(corpus, fold, part, len(phrases), leaked, elsewhere, repeated))
    if not overlaps:
        hint = "The files are called AskAPatient.fold-0.train.txt and the like"
        raise FormatError(found.path, "no folds of AskAPatient or TwADR-L in it", hint=hint)
    return overlaps


def _other_parts(files: Mapping[str, Source], fold: int, part: str) -> list[set[_PhraseAndId] | None]:
    """The phrases of the fold's training part, and of the same part of all other folds; None for a missing one."""
    training = [files[f"fold-{fold}/{_TRAIN}"]] if part != _TRAIN and f"fold-{fold}/{_TRAIN}" in files else []
    others = [files[name] for name in files if _fold_and_part(name)[1] == part and _fold_and_part(name)[0] != fold]
    return [{pair for one in sources for pair in _phrases(one)} if sources else None for sources in (training, others)]


def _shared(found: list[_PhraseAndId], others: set[_PhraseAndId] | None) -> int | None:
    return None if others is None else sum(pair in others for pair in found)


def _phrases(source: Source) -> list[_PhraseAndId]:
    return [_phrase_and_id(cells) for line, _ in mixed_lines(source) if (cells := _cells(line)) is not None]


def _cells(line: str) -> list[str] | None:
    """Id, name and phrase; None if the line does not have these columns."""
    cells = [cell.strip() for cell in line.split("\t")]
    return cells if len(cells) == 3 and cells[2] else None


def _phrase_and_id(cells: list[str]) -> _PhraseAndId:
    return " ".join(cells[2].casefold().split()), cells[0]


def _fold_and_part(name: str) -> tuple[int, str]:
    fold, _, part = name.removeprefix("fold-").partition("/")
    return int(fold), part


def _files(found: CorpusFiles, corpus: str) -> dict[str, Source]:
    """The parts of the folds of a corpus by their names, ``fold-0/train``."""
    files: dict[str, Source] = {}
    for source in found.sources:
        match = _NAME.fullmatch(base(source))
        if match and match["corpus"] == corpus:
            files[f"fold-{int(match['fold'])}/{match['part']}"] = source
    return files


def _siblings(path: Path) -> dict[str, Source]:
    """The other parts in the folder of a file, of the same corpus."""
    own = _NAME.fullmatch(base(open_source(path)))
    near = {}
    for each in sorted(path.resolve().parent.iterdir()) if own else ():
        match = _NAME.fullmatch(each.name)
        if own and match and match["corpus"] == own["corpus"] and each.is_file() and each.stat().st_size:
            near[f"fold-{int(match['fold'])}/{match['part']}"] = open_source(each)
    return near


def _is_folds(found: CorpusFiles, corpus: str) -> bool:
    return bool(_files(found, corpus))


def _open_folds(found: CorpusFiles, split: str | None, options: CorpusOptions, corpus: str) -> Corpus:
    """One part of one fold; beside a lone file the other parts are looked for in its folder."""
    files = _files(found, corpus) or {PurePosixPath(source.name).stem: source for source in found.sources}
    source = chosen(found, files, split, FoldsCorpus.nothing)
    near = {**_siblings(found.path), **files} if found.path.is_file() and found.lone is not None else files
    return FoldsCorpus(Path(source.label), options, source, near)


is_askapatient = partial(_is_folds, corpus="AskAPatient")
open_askapatient = partial(_open_folds, corpus="AskAPatient")
is_twadr = partial(_is_folds, corpus="TwADR-L")
open_twadr = partial(_open_folds, corpus="TwADR-L")
