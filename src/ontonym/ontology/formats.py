"""The one table of release formats, how each is recognized, and ``read_release``, the way into this room."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.ontology.ctd import is_ctd, is_medic, read_ctd, read_medic
from ontonym.ontology.icd10cm import is_icd10cm, read_icd10cm
from ontonym.ontology.obo import read_obo
from ontonym.ontology.obographs import read_obographs
from ontonym.ontology.release import Progress, Reader, ReadOptions, Release
from ontonym.ontology.source import Source, open_source
from ontonym.ontology.table import is_table, read_table

_OBO = re.compile(r"^(?:format-version:|\[Term\])", re.MULTILINE)
_OBOGRAPHS = re.compile(r'\s*\{(?:.{0,4096}[\s,{])??"graphs"\s*:\s*\[', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Format:
    """A release format: ``title`` for people, ``recognized_by`` in words, ``matches`` on a file's beginning and its
    name; an archive's or folder's files are asked one by one."""

    name: str
    title: str
    recognized_by: str
    matches: Callable[[str, str], bool]
    reader: Reader


FORMATS: MappingProxyType[str, Format] = MappingProxyType(
    {
        form.name: form
        for form in (
            Format(
                "obo", "OBO flat file 1.2 or 1.4", "a format-version line or a [Term] stanza",
                lambda head, name: bool(_OBO.search(head)), read_obo,
            ),
            Format(
                "obographs", "OBO Graphs JSON", 'a JSON object with a list "graphs"',
                lambda head, name: bool(_OBOGRAPHS.match(head)), read_obographs,
            ),
            Format(
                "icd10cm", "ICD-10-CM tabular XML, with the order file or a list of codes",
                "an <ICD10CM.tabular> element, lines of the order file, or one code a line",
                lambda head, name: is_icd10cm(head), read_icd10cm,
            ),
            Format(
                "ctd", "CTD_diseases.tsv of the Comparative Toxicogenomics Database",
                "the column names DiseaseName and DiseaseID", lambda head, name: is_ctd(head), read_ctd,
            ),
            Format("medic", "MEDIC lines ID|ID||name|name", "ids, || and names on every line",
                   lambda head, name: is_medic(head), read_medic),
            Format(
                "table", "CSV, TSV or JSONL", "lines of equally many fields, or a JSON object a line",
                lambda head, name: is_table(head), read_table,
            ),
        )
    }
)  # fmt: skip
"""Every format by name, in the order in which sniffing asks them."""


def sniff(paths: Sequence[Path | str]) -> Format:
    """The format of the files, by their content.

    Raises:
        FormatError: a file that cannot be opened or is of no known format, or files of different formats.
    """
    return _sniff([open_source(path) for path in _some(paths)])


def read_release(
    paths: Sequence[Path | str],
    *,
    format: str | None = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    progress: Progress | None = None,
) -> Release:
    """The release in the files, ready to stream its concepts; ``format`` is sniffed where it is None.

    A column mapping in ``options`` means a table. ``progress`` gets the number of concepts since it was last called.

    Raises:
        FormatError: a file that cannot be opened, or of no known format.
        UnknownNameError: ``format`` is not in ``FORMATS``.
    """
    sources = [open_source(path) for path in _some(paths)]
    if format is None and options.columns is not None:
        format = "table"
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    chosen = FORMATS[format] if format is not None else _sniff(sources)
    return Release(sources, chosen.name, chosen.reader, options, progress)


def _some(paths: Sequence[Path | str]) -> Sequence[Path | str]:
    if not paths:
        raise InputError("no release file given; name at least one")
    return paths


def _sniff(sources: Sequence[Source]) -> Format:
    found = [_recognize(source) for source in sources]
    if len({form.name for form in found}) > 1:
        told = ", ".join(f"{s.path.name} is {f.name}" for s, f in zip(sources, found, strict=True))
        raise FormatError(sources[0].path, f"files of different formats ({told})", mend="Import them one by one")
    return found[0]


def _recognize(source: Source) -> Format:
    head = source.head()
    for form in FORMATS.values():
        if form.matches(head, source.name):
            return form
    known = "; ".join(f"{form.name} ({form.recognized_by})" for form in FORMATS.values())
    mend = f"Known: {known}. If it is one of them, say so: --format NAME (format=NAME in Python)"
    raise FormatError(source.path, "the format is not recognized", mend=mend)
