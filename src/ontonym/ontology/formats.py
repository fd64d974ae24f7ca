"""The one table of release formats, how each is recognized, and ``read_release``, the way into this room."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.ontology.archive import gather
from ontonym.ontology.ctd import is_ctd, is_medic, read_ctd, read_medic
from ontonym.ontology.fhir import is_fhir, read_fhir
from ontonym.ontology.icd10cm import is_icd10cm, read_icd10cm
from ontonym.ontology.mesh import is_mesh, read_mesh
from ontonym.ontology.obo import read_obo
from ontonym.ontology.obographs import read_obographs
from ontonym.ontology.release import Progress, Reader, ReadOptions, Release
from ontonym.ontology.source import Source
from ontonym.ontology.table import is_table, read_table

GENERAL = "table"
"""The format that many a file fits: in a folder or archive it counts only where no file is of another format."""
NAMED_LEFT_OUT = 50
"""How many files that are left out are named; all are counted."""

_ARCHIVE_ENDING = re.compile(r"(\.(zip|nlm|tar|tgz|gz|bz2|xz))+$")
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
                "fhir", "FHIR CodeSystem, ValueSet, ConceptMap (R4, R5) as JSON, NDJSON, Bundle or package",
                'a JSON object with a "resourceType"', is_fhir, read_fhir,
            ),
            Format(
                "icd10cm", "ICD-10-CM tabular XML, with the order file or a list of codes",
                "an <ICD10CM.tabular> element, lines of the order file, or one code a line",
                lambda head, name: is_icd10cm(head), read_icd10cm,
            ),
            Format(
                "mesh", "MeSH descriptors, qualifiers and supplementary records, XML or ASCII",
                "a DescriptorRecordSet, QualifierRecordSet or SupplementalRecordSet, or *NEWRECORD and RECTYPE",
                lambda head, name: is_mesh(head), read_mesh,
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
    """The format of the files, by their content; of folders and archives that of the files that have one.

    Raises:
        FormatError: a file that cannot be opened or is of no known format, or files of different formats.
    """
    return choose([Source(packed) for packed in gather(_some(paths)).packed], _some(paths)[0]).format


def read_release(
    paths: Sequence[Path | str],
    *,
    format: str | None = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    progress: Progress | None = None,
) -> Release:
    """The release in the files, folders and archives, ready to stream its concepts.

    ``format`` is sniffed where it is None; a column mapping in ``options`` means a table. What a folder or archive
    holds beside files of that format is left out, counted and named in the metadata's ``files_left_out``. ``progress``
    gets the number of concepts since it was last called.

    Raises:
        FormatError: a file that cannot be opened, or of no known format, or files of different formats.
        UnknownNameError: ``format`` is not in ``FORMATS``.
    """
    gathered = gather(_some(paths))
    if format is None and options.columns is not None:
        format = "table"
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    chosen = choose([Source(packed) for packed in gathered.packed], paths[0], format)
    left_out = sorted((*gathered.left_out, *(source.name for source in chosen.left_out)))
    found = {"count": len(left_out), "first": left_out[:NAMED_LEFT_OUT]}
    details = {"files_left_out": found} if left_out else {}
    form = chosen.format
    name = release_name(Path(paths[0]), chosen.sources)
    return Release(chosen.sources, form.name, form.reader, options, progress, name=name, details=details)


def release_name(path: Path, sources: Sequence[Source]) -> str:
    """What to call a release that does not name itself: the folder, archive or file without its endings."""
    if path.is_dir():
        return path.resolve().name
    if len(sources) == 1 or not sources[0].label.startswith(f"{path}/"):
        return path.name.split(".")[0]
    return _ARCHIVE_ENDING.sub("", path.name)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The format of a release, the files that are read, and those of a folder or archive that are not."""

    format: Format
    sources: tuple[Source, ...]
    left_out: tuple[Source, ...]


def choose(sources: Sequence[Source], path: Path | str, format: str | None = None) -> Chosen:
    """The files among ``sources`` of the format named, or of the one format they have; ``path`` is where they are.

    A file that was named by the user is always read. Of those found in a folder or archive the files of a specific
    format are, and only where there are none, tables.

    Raises:
        FormatError: nothing is of a known format, or of the one named, or files are of different formats.
    """
    if format is not None:
        taken = [source for source in sources if source.packed.named or _recognize(source) is FORMATS[format]]
        if not taken:
            taken = [source for source in sources if _fits(source, FORMATS[format])]
        if not taken and len(sources) == 1:
            taken = list(sources)
        if not taken:
            problem = f"no file of the format {format} in it ({_shown(sources)})"
            raise FormatError(path, problem, mend=f"It is recognized by {FORMATS[format].recognized_by}")
        return _split(FORMATS[format], sources, taken)
    known = {source: form for source in sources if (form := _recognize(source)) is not None}
    for source in sources:
        if source.packed.named and source not in known:
            raise FormatError(source.label, "the format is not recognized", mend=_known_formats())
    if not known:
        problem = f"no file of a known format in it ({_shown(sources)})" if sources else "no file in it"
        raise FormatError(path, problem, mend=_known_formats())
    if any(form.name != GENERAL for form in known.values()):
        known = {s: form for s, form in known.items() if form.name != GENERAL or s.packed.named}
    forms = {form.name: form for form in known.values()}
    if len(forms) > 1:
        raise _different(known, path)
    return _split(next(iter(forms.values())), sources, list(known))


def _split(form: Format, sources: Sequence[Source], taken: Sequence[Source]) -> Chosen:
    chosen = set(taken)
    return Chosen(form, tuple(taken), tuple(source for source in sources if source not in chosen))


def _different(known: Mapping[Source, Format], path: Path | str) -> FormatError:
    told = []
    for name in dict.fromkeys(form.name for form in known.values()):
        names = [source.name for source, form in known.items() if form.name == name]
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        told.append(f"{', '.join(names[:3])}{more} {'are' if len(names) > 1 else 'is'} {name}")
    if all(source.packed.named for source in known):
        mend = "Import them one by one"
    else:
        mend = "Say which one: --format NAME takes just the files of that format (format=NAME in Python)"
    return FormatError(path, f"files of different formats ({'; '.join(told)})", mend=mend)


def _shown(sources: Sequence[Source]) -> str:
    names = [source.name for source in sources]
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


def _some(paths: Sequence[Path | str]) -> Sequence[Path | str]:
    if not paths:
        raise InputError("no release file given; name at least one")
    return paths


def _recognize(source: Source) -> Format | None:
    """The format of a file by its beginning; None where it has no known one."""
    head = _head(source)
    return next((form for form in FORMATS.values() if head and form.matches(head, source.name)), None)


def _fits(source: Source, form: Format) -> bool:
    return form.matches(_head(source), source.name)


def _head(source: Source) -> str:
    """The beginning of a file; empty where what was only found in a folder or archive is binary."""
    head = source.head()
    return "" if "\0" in head and not source.packed.named else head


def _known_formats() -> str:
    known = "; ".join(f"{form.name} ({form.recognized_by})" for form in FORMATS.values())
    return f"Known: {known}. If it is one of them, say so: --format NAME (format=NAME in Python)"
