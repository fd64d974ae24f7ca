"""MedMentions, full and ST21pv: one PubTator file, and a list of documents for each split beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ontonym.errors import FormatError, InputError
from ontonym.evaluate.corpora.files import Found, base, chosen, folder_of
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions
from ontonym.evaluate.corpora.pubtator import TITLE, pubtator
from ontonym.files.source import Source, open_source

_CORPUS = re.compile(r"corpus_pubtator(?:\.txt)?")
_LIST = re.compile(r"corpus_pubtator_pmids_(?P<split>trng|dev|test)\.txt")
_ROW = re.compile(
    r"^[^|\t\n]+\t\d+\t\d+\t[^\t\n]+\t(?:T\d{3}(?:,T\d{3})*|UnknownType)\t(?:UMLS:)?C\d{7}\s*$", re.MULTILINE
)


def is_medmentions(found: Found) -> bool:
    """Whether there is a file corpus_pubtator.txt, or the only file is PubTator with semantic types and CUIs."""
    if any(_CORPUS.fullmatch(base(source)) for source in found.sources):
        return True
    head = found.lone.head() if found.lone is not None else ""
    return bool(TITLE.match(head.lstrip())) and bool(_ROW.search(head))


def open_medmentions(found: Found, split: str | None, options: CorpusOptions) -> Corpus:
    """The documents of a split (``train``, ``dev``, ``test``), of the whole corpus without one.

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
        listed = chosen(found.path, lists, split)
        documents = frozenset(line.strip() for line in listed.lines() if line.strip())
    return pubtator(source, options, documents)


def _lists(found: Found, corpus: Source) -> Mapping[str, Source]:
    """The lists of documents by split: those in the folder of the corpus, else in what was given, else of ``full``."""
    inside = [source for source in found.sources if _LIST.fullmatch(base(source))]
    own = [source for source in inside if folder_of(source) == folder_of(corpus)] or inside
    home = corpus.path.resolve().parent
    places = (home, home.parent.parent / "full" / "data") if not own else ()
    for place in places:
        own = own or [open_source(path) for path in _files(place) if _LIST.fullmatch(path.name)]
    return {match["split"].replace("trng", "train"): one for one in own if (match := _LIST.fullmatch(base(one)))}


def _files(place: Path) -> list[Path]:
    """The files of a folder that are not empty; none where it is no folder."""
    if not place.is_dir():
        return []
    return sorted(path for path in place.iterdir() if path.is_file() and path.stat().st_size)
