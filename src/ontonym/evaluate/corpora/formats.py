"""The one table of gold corpora, how each is recognized, and ``open_corpus``, the way into this room."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.evaluate.corpora.bioc import is_bioc, open_bioc
from ontonym.evaluate.corpora.cometa import is_cometa, open_cometa
from ontonym.evaluate.corpora.files import Found, look
from ontonym.evaluate.corpora.folds import is_askapatient, is_twadr, open_askapatient, open_twadr
from ontonym.evaluate.corpora.gold import Corpus, CorpusOptions
from ontonym.evaluate.corpora.mantra import is_mantra, open_mantra
from ontonym.evaluate.corpora.mcn import is_mcn, open_mcn
from ontonym.evaluate.corpora.pubtator import is_medmentions, is_pubtator, open_medmentions, open_pubtator
from ontonym.evaluate.corpora.share import is_share, open_share
from ontonym.evaluate.corpora.tables import is_table, open_table


@dataclass(frozen=True, slots=True)
class CorpusFormat:
    """A layout of gold data: ``title`` for people, ``recognized_by`` in words, ``matches`` on what lies at a path.

    ``splits`` says in words which parts it keeps (empty: it is one file), ``prefix`` goes before ids that have none.
    ``open`` takes what lies there, the part asked for (None: the only one) and the options.
    """

    name: str
    title: str
    recognized_by: str
    splits: str
    prefix: str
    matches: Callable[[Found], bool]
    open: Callable[[Found, str | None, CorpusOptions], Corpus]


FORMATS: MappingProxyType[str, CorpusFormat] = MappingProxyType(
    {
        form.name: form
        for form in (
            CorpusFormat(
                "medmentions", "MedMentions, full and ST21pv", "a file corpus_pubtator.txt, or PubTator with semantic "
                "types (T047) and CUIs", "train, dev, test, by the lists corpus_pubtator_pmids_….txt; all without one",
                "UMLS", is_medmentions, open_medmentions,
            ),
            CorpusFormat(
                "mcn", "MCN, n2c2 2019 track 3", ".norm files in a folder that is called …_norm",
                "train, test: the folders train_norm, test_norm", "UMLS", is_mcn, open_mcn,
            ),
            CorpusFormat(
                "share", "ShARe/CLEF 2013 and 2014, SemEval 2014 and 2015", "lines "
                "note.txt||type||CUI||start||end, or note.txt|start-end|CUI|…", "the folders that annotations lie in",
                "UMLS", is_share, open_share,
            ),
            CorpusFormat(
                "cometa", "COMETA", "the columns General SNOMED ID and Specific SNOMED ID",
                "stratified_general/test and the like", "SCTID", is_cometa, open_cometa,
            ),
            CorpusFormat(
                "askapatient", "AskAPatient", "files called AskAPatient.fold-0.train.txt and the like",
                "fold-0/train, fold-0/validation, fold-0/test, fold-1/train…", "SCTID", is_askapatient,
                open_askapatient,
            ),
            CorpusFormat(
                "twadr-l", "TwADR-L", "files called TwADR-L.fold-0.train.txt and the like",
                "fold-0/train, fold-0/validation, fold-0/test, fold-1/train…", "UMLS", is_twadr, open_twadr,
            ),
            CorpusFormat(
                "mantra", "Mantra GSC, XML and BRAT; other BRAT with concepts", "an element <unit> in a <document>, or "
                ".ann files", "the XML files, the folders of .ann files", "UMLS", is_mantra, open_mantra,
            ),
            CorpusFormat(
                "bioc", "BioC, XML and JSON: BC5CDR, PubTator 3", "an element <collection>, or JSON with passages",
                "", "MESH", is_bioc, open_bioc,
            ),
            CorpusFormat(
                "pubtator", "PubTator: NCBI disease, BC5CDR", "a first line 12345|t|Title", "", "MESH", is_pubtator,
                open_pubtator,
            ),
            CorpusFormat(
                "csv", "CSV or TSV of one's own", "a header with columns text and id, or names like them", "", "",
                is_table, open_table,
            ),
        )
    }
)  # fmt: skip
"""Every layout by name, in the order in which sniffing asks them."""


def told_format(path: Path | str) -> CorpusFormat | None:
    """The layout of what lies at a path, None where it is of no known one; FormatError where nothing is there."""
    return _told(look(path))


def corpus_format(path: Path | str, format: str | None = None) -> CorpusFormat:
    """The layout named, else that of what lies at a path; raises as `open_corpus` does."""
    return _format(look(path), format)


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

    ``format`` names a layout of `FORMATS`; None tells it by the content. ``split`` chooses a part where the layout
    keeps several (a split, a fold, a language); where there is only one, none need be named. ``types`` keeps only
    mentions of these types. ``default_prefix`` goes before ids that have none, None being the layout's own.
    ``strict`` stops at the first malformed row.

    Raises:
        FormatError: what is not there, or of no known layout; while iterating, what cannot be read.
        UnknownNameError: ``format`` is not in ``FORMATS``.
        InputError: no such split, or several and none named, or one of a layout that has none.
    """
    found = look(path)
    form = _format(found, format)
    if split is not None and not form.splits:
        raise InputError(f"{path}: {form.name} has no splits of its own, so there is no {split!r}; name its file")
    prefix = form.prefix if default_prefix is None else default_prefix
    return form.open(found, split, CorpusOptions(None if types is None else frozenset(types), prefix, strict))


def _format(found: Found, name: str | None) -> CorpusFormat:
    if name is not None and name not in FORMATS:
        raise UnknownNameError("corpus format", name, FORMATS)
    form = FORMATS[name] if name is not None else _told(found)
    if form is None:
        hint = f"Known: {', '.join(FORMATS)}. If it is one of them, say so: `format=NAME`"
        raise FormatError(found.path, "the format of this corpus is not recognized", hint=hint)
    return form


def _told(found: Found) -> CorpusFormat | None:
    return next((form for form in FORMATS.values() if form.matches(found)), None)
