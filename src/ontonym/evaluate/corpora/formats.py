"""The table of gold corpora, with the detection of each, and ``open_corpus``, which opens them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.evaluate.corpora.bioc import is_bioc, open_bioc
from ontonym.evaluate.corpora.cometa import is_cometa, open_cometa
from ontonym.evaluate.corpora.files import CorpusFiles, corpus_files
from ontonym.evaluate.corpora.folds import is_askapatient, is_twadr, open_askapatient, open_twadr
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions
from ontonym.evaluate.corpora.mantra import is_mantra, open_mantra
from ontonym.evaluate.corpora.mcn import is_mcn, open_mcn
from ontonym.evaluate.corpora.pubtator import is_medmentions, is_pubtator, open_medmentions, open_pubtator
from ontonym.evaluate.corpora.share import is_share, open_share
from ontonym.evaluate.corpora.tables import is_table, open_table
from ontonym.files.tables import table_format


@dataclass(frozen=True, slots=True)
class CorpusFormat:
    """A layout of gold data: ``matches`` detects it in the files at a path, ``prefix`` is for ids without one.

    ``open`` takes the files, the requested part (None: the only one) and the options. ``splits`` says whether the
    layout has several parts (splits, folds, languages).
    """

    name: str
    prefix: str
    matches: Callable[[CorpusFiles], bool]
    open: Callable[[CorpusFiles, str | None, CorpusOptions], Corpus]
    splits: bool = True


FORMATS: MappingProxyType[str, CorpusFormat] = MappingProxyType(
    {
        form.name: form
        for form in (
            CorpusFormat("medmentions", "UMLS", is_medmentions, open_medmentions),
            CorpusFormat("mcn", "UMLS", is_mcn, open_mcn),
            CorpusFormat("share", "UMLS", is_share, open_share),
            CorpusFormat("cometa", "SCTID", is_cometa, open_cometa),
            CorpusFormat("askapatient", "SCTID", is_askapatient, open_askapatient),
            CorpusFormat("twadr-l", "UMLS", is_twadr, open_twadr),
            CorpusFormat("mantra", "UMLS", is_mantra, open_mantra),
            CorpusFormat("bioc", "MESH", is_bioc, open_bioc, splits=False),
            CorpusFormat("pubtator", "MESH", is_pubtator, open_pubtator, splits=False),
            CorpusFormat("csv", "", is_table, open_table, splits=False),
        )
    }
)
"""All layouts by name, in the order of detection; docs/formats.md says how each is recognized."""


def detected_format(path: Path | str) -> CorpusFormat | None:
    """The layout of the files at a path, None if unknown; raises FormatError if nothing is there."""
    return _detected(corpus_files(path))


def corpus_format(path: Path | str, format: str | None = None) -> CorpusFormat:
    """The named layout, else that of the files at a path; raises what `open_corpus` raises."""
    return _format(corpus_files(path), format)


def open_corpus(
    path: Path | str,
    *,
    format: str | None = None,
    split: str | None = None,
    types: Collection[str] | None = None,
    default_prefix: str | None = None,
    strict: bool = False,
) -> Corpus:
    """The gold corpus in a file, folder or archive; iterating it streams the documents.

    ``format`` names a layout of `FORMATS`; None detects it from the content. ``split`` selects a part if the layout has
    several (a split, a fold, a language); it is not needed if there is only one. ``types`` keeps only mentions of these
    types. ``default_prefix`` is put before ids without a prefix; None is the layout's own. ``strict`` stops at the
    first malformed row.

    Raises:
        FormatError: the path is missing or of no known layout; while iterating, something cannot be read.
        UnknownNameError: ``format`` is not in ``FORMATS``.
        InputError: the split is unknown or missing, or was given for a layout that has none.
    """
    found = corpus_files(path)
    form = _format(found, format)
    if split is not None and not form.splits:
        raise InputError(f"{path}: {form.name} has no splits of its own, so there is no {split!r}; name its file")
    prefix = form.prefix if default_prefix is None else default_prefix
    return form.open(found, split, CorpusOptions(None if types is None else frozenset(types), prefix, strict))


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """How to read several corpora: ``format`` and ``prefix`` (its ``default_prefix``) are as in `open_corpus`.

    ``split`` is the part to read of those that have several, and the name of the data in reports.
    """

    format: str | None = None
    prefix: str | None = None
    split: str = ""


def open_corpora(paths: Sequence[str], choice: CorpusChoice, types: Collection[str] = ()) -> list[Corpus]:
    """The opened corpora; of those with several parts the chosen one. ``types`` is as in `open_corpus`.

    Raises InputError where a corpus is given twice, whose mentions would count twice.
    """
    opened = []
    for number, path in enumerate(paths):
        if Path(path).absolute() in [Path(one).absolute() for one in paths[:number]]:
            raise InputError(f"{path}: is given twice: give it once")
        form = corpus_format(path, choice.format)
        split = choice.split if choice.split and form.splits else None
        opened.append(
            open_corpus(path, format=form.name, split=split, types=types or None, default_prefix=choice.prefix)
        )
    return opened


def _format(found: CorpusFiles, name: str | None) -> CorpusFormat:
    if name is not None and name not in FORMATS:
        raise UnknownNameError("corpus format", name, FORMATS)
    form = FORMATS[name] if name is not None else _detected(found)
    if form is None:
        is_rows = table_format(found.path) not in (None, "jsonl")
        columns = "A table needs the columns text and id. " if is_rows else ""
        hint = f"{columns}Known: {', '.join(FORMATS)}. If it is one of them, say so: `format=NAME`"
        raise FormatError(found.path, "the format of this corpus is not recognized", hint=hint)
    return form


def _detected(found: CorpusFiles) -> CorpusFormat | None:
    return next((form for form in FORMATS.values() if form.matches(found)), None)
