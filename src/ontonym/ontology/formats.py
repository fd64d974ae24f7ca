"""The table of release formats, the detection of a file's format, and ``read_release``, which reads any of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from ontonym.artifact import read_manifest
from ontonym.errors import ArtifactError, FormatError, InputError, UnknownNameError
from ontonym.files.archive import gather
from ontonym.files.source import Source, open_sources
from ontonym.files.tables import table_format
from ontonym.files.workbooks import other_sheets_hint, workbook_and_sheet
from ontonym.manifest import MANIFEST, called
from ontonym.ontology.additions import adding
from ontonym.ontology.ctd import is_ctd, is_medic, read_ctd, read_medic
from ontonym.ontology.fhir import is_fhir, read_fhir
from ontonym.ontology.icd.claml import is_claml, read_claml
from ontonym.ontology.icd.icd10cm import is_icd10cm, read_icd10cm
from ontonym.ontology.icd.icd11 import is_icd11, read_icd11
from ontonym.ontology.loinc.files import is_loinc
from ontonym.ontology.loinc.read import read_loinc
from ontonym.ontology.mesh.read import is_mesh, read_mesh
from ontonym.ontology.obo.flat import read_obo
from ontonym.ontology.obo.graphs import read_obographs
from ontonym.ontology.obo.nodelink import is_nodelink, read_nodelink
from ontonym.ontology.omop import is_omop, read_omop
from ontonym.ontology.options import SPECIAL, ReadOptions
from ontonym.ontology.owl import read_owl
from ontonym.ontology.rdf import is_owl, is_skos
from ontonym.ontology.release import Reader, Release
from ontonym.ontology.rf2 import is_rf2, read_rf2
from ontonym.ontology.rrf import is_rrf, read_rrf
from ontonym.ontology.skos import read_skos
from ontonym.ontology.tables.read import is_table, read_table
from ontonym.ontology.wiki.wikidata import is_wikidata, read_wikidata
from ontonym.ontology.wiki.wikipedia import is_wikipedia, read_wikipedia
from ontonym.types import Progress

NAMED_LEFT_OUT = 50
"""The number of left-out files that are named; all are counted."""

GENERAL = "table"
"""A format that many files match: in a folder or archive it counts only if no file has another format."""

_ARCHIVE_ENDING = re.compile(r"(\.(zip|nlm|tar|tgz|gz|bz2|xz))+$")
_OBO = re.compile(r"^(?:format-version:|\[Term\])", re.MULTILINE)
_OBOGRAPHS = re.compile(r'\s*\{(?:.{0,4096}[\s,{])??"graphs"\s*:\s*\[', re.DOTALL)


_CONVERT = "Convert it with ROBOT: robot convert -i OLD -o NEW.owl"
_NOT_READ = tuple(
    (re.compile(rf"\s*(?:{beginning})", re.DOTALL), what, hint)
    for beginning, what, hint in (
        (r"(?><!--.*?-->\s*)*+<(?i:(?:!DOCTYPE\s+)?html\b)", "a web page, not a release",
         "Download the file itself: this is a page about it, or one that says why it could not be had"),
        (r"(?:#[^\n]*\n\s*)*+(?:Prefix\(\s*[\w.-]*:\s*=|Ontology\()\s*<",
         "OWL in functional syntax, which is not read", _CONVERT),
        (r"(?:#[^\n]*\n\s*)*+(?:Prefix:\s+[\w.-]*:|Ontology:)\s+<",
         "OWL in Manchester syntax, which is not read", _CONVERT),
        (r"(?:<\?xml.*?\?>\s*)?(?><!--.*?-->\s*)*+<\w+\s[^>]*\"http://hl7\.org/fhir\"",
         "FHIR as XML, which is not read",
         "Give it as JSON; a server sends that with the header Accept: application/fhir+json"),
        (r"%PDF-", "a PDF document, not a release", "Give the files that it describes"),
    )
)  # fmt: skip
"""How files begin that people take for a release, what they are, and what to do."""


@dataclass(frozen=True, slots=True)
class Format:
    """A release format: ``title`` for people, ``recognized_by`` in words, ``matches`` on a file's beginning and name.

    Files of an archive or folder are tested one by one. ``knows`` are the read options of this format that not every
    format has (`release.SPECIAL`).
    """

    name: str
    title: str
    recognized_by: str
    matches: Callable[[str, str], bool]
    reader: Reader
    knows: tuple[str, ...] = ()


def _begins(test: Callable[[str], object]) -> Callable[[str, str], bool]:
    """Formats that are recognized by a file's beginning alone."""
    return lambda head, name: bool(test(head))


FORMATS: MappingProxyType[str, Format] = MappingProxyType(
    {
        form.name: form
        for form in (
            Format("obo", "OBO flat file 1.2 or 1.4", "a format-version line or a [Term] stanza",
                   _begins(_OBO.search), read_obo),
            Format("obographs", "OBO Graphs JSON", 'a JSON object with a list "graphs"',
                   _begins(_OBOGRAPHS.match), read_obographs),
            Format("skos", "SKOS vocabulary in RDF/XML, Turtle, N-Triples or JSON-LD",
                   "RDF that begins with SKOS concepts or a concept scheme", _begins(is_skos), read_skos),
            Format("owl", "OWL ontology in RDF/XML, Turtle, N-Triples, JSON-LD or OWL/XML",
                   "RDF that uses the OWL namespace, or an <Ontology> element of it", _begins(is_owl), read_owl,
                   ("tags",)),
            Format("fhir", "FHIR CodeSystem, ValueSet, ConceptMap (R4, R5) as JSON, NDJSON, Bundle or package",
                   'a JSON object with a "resourceType"', is_fhir, read_fhir),
            Format("icd10cm",
                   "ICD-10-CM tabular XML, with the order file or a list of codes, and the alphabetic indexes",
                   "an <ICD10CM.tabular> or <ICD10CM.index> element, lines of the order file, or one code a line",
                   _begins(is_icd10cm), read_icd10cm, ("full_titles",)),
            Format("claml", "ClaML 2 and 3: ICD-10 of WHO and its members, ICF, OPS, ICPC", "a <ClaML> element",
                   _begins(is_claml), read_claml, ("full_titles",)),
            Format("icd11", "WHO's tabulation of ICD-11, ICF or ICHI, in one language or several",
                   "the column names Linearization URI, Code, Title, ClassKind and DepthInKind",
                   _begins(is_icd11), read_icd11, ("full_titles",)),
            Format("mesh", "MeSH descriptors, qualifiers and supplementary records, XML or ASCII",
                   "a DescriptorRecordSet, QualifierRecordSet or SupplementalRecordSet, or *NEWRECORD and RECTYPE",
                   _begins(is_mesh), read_mesh, ("tags",)),
            Format("rrf", "Rich Release Format of the UMLS Metathesaurus and of RxNorm",
                   "files called MR….RRF or RXN….RRF", is_rrf, read_rrf, ("term_types", "tags", "suppressible")),
            Format("loinc", "LOINC: Loinc.csv with its accessory files", "the column names of LOINC's files",
                   _begins(is_loinc), read_loinc, ("tags",)),
            Format("rf2", "SNOMED CT RF2: Snapshot, Full or Delta, International and extensions",
                   "the column names of RF2 components and reference sets", is_rf2, read_rf2,
                   ("dialects", "at", "tags")),
            Format("omop", "OMOP vocabularies as Athena sends them, and SOURCE_TO_CONCEPT_MAP",
                   "the column names of CONCEPT, CONCEPT_RELATIONSHIP and the other vocabulary tables of OMOP",
                   _begins(is_omop), read_omop, ("tags",)),
            Format("ctd", "diseases and chemicals of the Comparative Toxicogenomics Database, TSV or CSV",
                   "the column names DiseaseName and DiseaseID, or ChemicalName and ChemicalID",
                   _begins(is_ctd), read_ctd),
            Format("medic", "MEDIC lines ID|ID||name|name", "ids, || and names on every line",
                   _begins(is_medic), read_medic),
            Format("nodelink", "node-link JSON graph of networkx: NXOntology, obonet",
                   'a JSON object with "directed" and "multigraph"', _begins(is_nodelink), read_nodelink, ("columns",)),
            Format("wikidata", "Wikidata entities as JSON: the dump, lines of it, or from the API",
                   "entities with labels and an id Q…", _begins(is_wikidata), read_wikidata, ("tags", "linked_to")),
            Format("wikipedia", "Wikipedia: XML export, or content dump of the search index (CirrusSearch)",
                   "a <mediawiki> element, or JSON lines with title and opening_text",
                   _begins(is_wikipedia), read_wikipedia),
            Format("table", "CSV, TSV or JSONL", "lines of equally many fields, or a JSON object a line",
                   _begins(is_table), read_table, ("columns",)),
        )
    }
)  # fmt: skip
"""All formats by name, in the order of detection."""


def sniff(paths: Sequence[Path | str]) -> Format:
    """The format of the files, by their content; of folders and archives that of the files that have one.

    Raises:
        FormatError: a file that cannot be opened or is of no known format, or files of different formats.
    """
    return choose(open_sources(_some(paths)), paths[0]).format


def read_release(
    paths: Sequence[Path | str] | Path | str,
    *,
    format: str | None = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    progress: Progress | None = None,
) -> Release:
    """Opens the release in the files, folders and archives, ready to stream its concepts.

    If ``format`` is None, it is detected from the content; a column mapping in ``options`` means a table. Other files
    in a folder or archive are left out, counted and named in the metadata's ``files_left_out``. Tables given with a
    release in another format add to its concepts (translations, synonyms, xrefs).

    Raises:
        FormatError: a file that cannot be opened, or of no known format, or files of different formats.
        UnknownNameError: ``format`` is not in ``FORMATS``.
        InputError: an option that the format does not know.
    """
    added: Sequence[Path | str] = ()
    paths = [paths] if isinstance(paths, str | Path) else paths
    _refuse_artifacts(paths)
    if format is None and len(_some(paths)) > 1:
        paths, added = _split_additions(paths)
    gathered = gather(_some(paths))
    if not gathered.packed and gathered.left_out:
        named = ", ".join(gathered.left_out[:NAMED_LEFT_OUT])
        problem = f"only links, pipes and empty files in it ({named}), which are not read"
        raise FormatError(paths[0], problem, hint="Name the files themselves")
    if format is None and options.columns is not None and not added:
        format = "table"
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    chosen = choose([Source(packed) for packed in gathered.packed], paths[0], format)
    left_out = sorted((*gathered.left_out, *(source.name for source in chosen.left_out)))
    found = {"count": len(left_out), "first": left_out[:NAMED_LEFT_OUT]}
    details: dict[str, Any] = {"files_left_out": found} if left_out else {}
    form = chosen.format
    _refuse_unknown(options, (form, FORMATS[GENERAL]) if added else (form,))
    name = release_name(Path(paths[0]), chosen.sources)
    sources, reader = chosen.sources, form.reader
    if added:
        more = choose(open_sources(added), added[0], GENERAL).sources
        reader = adding(form.reader, sources, FORMATS[GENERAL].reader, more)
        sources = (*sources, *more)
        details["added_from"] = [source.name for source in more]
    return Release(sources, form.name, reader, options, progress, name=name, details=details)


def _refuse_unknown(options: ReadOptions, forms: Sequence[Format]) -> None:
    """Raises InputError for an option that the formats would ignore; it names the formats that know it."""
    for name in SPECIAL:
        if getattr(options, name) and not any(name in form.knows for form in forms):
            knowing = ", ".join(other.name for other in FORMATS.values() if name in other.knows)
            raise InputError(
                f"`{name}=` means nothing for a release of the format {forms[0].name}; it is for {knowing}"
            )


def release_name(path: Path, sources: Sequence[Source]) -> str:
    """The default name of a release: that of the folder, archive or file without its endings."""
    if path.is_dir():
        return path.resolve().name
    if sources[0].packed.named:
        return path.name.split(".")[0]
    ending = PurePosixPath(sources[0].name).suffix
    return _ARCHIVE_ENDING.sub("", path.name).removesuffix(ending)


def _refuse_artifacts(paths: Sequence[Path | str]) -> None:
    """Raises InputError for a folder that ontonym made."""
    for path in paths:
        try:
            kind = read_manifest(path).kind if (Path(path) / MANIFEST).is_file() else ""
        except ArtifactError:
            continue
        if kind:
            raise InputError(f"{path}: is {called(kind)} that ontonym made, not a release: give the publisher's files")


def _some(paths: Sequence[Path | str]) -> Sequence[Path | str]:
    if not paths:
        raise InputError("no release file given; name at least one")
    return paths


def _split_additions(paths: Sequence[Path | str]) -> tuple[Sequence[Path | str], Sequence[Path | str]]:
    """The paths of the release, and those of tables that only add to it: none if all are tables, or none is.

    A folder counts as a table if all its files of a known format are tables.
    """
    names: dict[Path | str, str] = {}
    for path in paths:
        try:
            names[path] = choose(open_sources([path]), path).format.name
        except FormatError:  # reported where all files are read
            return paths, ()
    base = [path for path in paths if names[path] != GENERAL]
    if not base or len({names[path] for path in base}) > 1:
        return paths, ()
    return base, [path for path in paths if names[path] == GENERAL]


@dataclass(frozen=True, slots=True)
class ChosenFiles:
    """The format of a release, the files to read, and the files of a folder or archive that are left out."""

    format: Format
    sources: tuple[Source, ...]
    left_out: tuple[Source, ...]


def choose(sources: Sequence[Source], path: Path | str, format: str | None = None) -> ChosenFiles:
    """The files among ``sources`` of the named format, or of the only format they have; ``path`` is where they are.

    A file named by the user is always read. Of the files found in a folder or archive those of a specific format are
    read, and only if there are none, tables.

    Raises:
        FormatError: no file is of a known format, or of the named one, or files are of different formats.
    """
    if format is not None:
        asked = FORMATS[format]
        return _split(asked, sources, _of_format(asked, sources, path))
    for source in filter(_is_named, sources):
        for beginning, what, hint in _NOT_READ:
            if beginning.match(source.head()):
                raise FormatError(source.label, what, hint=hint)
    known = {source: form for source in sources if (form := _recognize(source)) is not None}
    for source in filter(_is_named, sources):
        if source not in known:
            source.refuse_old_line_ends()
            raise FormatError(source.label, "the format is not recognized", hint=_known_formats(source.label))
    if not sources:
        hint = "Name the files of the release, or the folder or archive they lie in"
        raise FormatError(path, "no file in it", hint=hint)
    if not known:
        raise FormatError(path, f"no file of a known format in it ({_shown(sources)})", hint=_known_formats())
    if any(form.name != GENERAL for form in known.values()):
        known = {s: form for s, form in known.items() if form.name != GENERAL or s.packed.named}
    forms = {form.name: form for form in known.values()}
    if len(forms) > 1:
        raise _different(known, path)
    return _split(next(iter(forms.values())), sources, list(known))


def _of_format(form: Format, sources: Sequence[Source], path: Path | str) -> Sequence[Source]:
    """The named files, and the found files that match the format; the only file found is always taken."""
    fitting = [s for s in sources if s.packed.named or _fits(s, form)]
    if form.name == GENERAL:
        general = [s for s in fitting if s.packed.named or _recognize(s) is form]
        fitting = general or fitting
    if not fitting and len(sources) == 1:
        return sources
    if not fitting:
        problem = f"no file of the format {form.name} in it ({_shown(sources)})"
        raise FormatError(path, problem, hint=f"It is recognized by {form.recognized_by}")
    return fitting


def _split(form: Format, sources: Sequence[Source], taken: Sequence[Source]) -> ChosenFiles:
    chosen = set(taken)
    return ChosenFiles(form, tuple(taken), tuple(source for source in sources if source not in chosen))


def _different(known: Mapping[Source, Format], path: Path | str) -> FormatError:
    parts = []
    for name in dict.fromkeys(form.name for form in known.values()):
        names = [source.name for source, form in known.items() if form.name == name]
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        parts.append(f"{', '.join(names[:3])}{more} {'are' if len(names) > 1 else 'is'} {name}")
    if all(source.packed.named for source in known):
        hint = "Import them one by one"
    else:
        hint = "Say which one: `format=NAME` takes just the files of that format"
    return FormatError(path, f"files of different formats ({'; '.join(parts)})", hint=hint)


def _shown(sources: Sequence[Source]) -> str:
    names = [source.name for source in sources]
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


def _is_named(source: Source) -> bool:
    """Whether the user named the file, and did not just give a folder or archive with it."""
    return source.packed.named


def _recognize(source: Source) -> Format | None:
    """The format of a file by its beginning; None if unknown."""
    return next((form for form in FORMATS.values() if _fits(source, form)), None)


def _fits(source: Source, form: Format) -> bool:
    """Whether a file is of a format; a binary file that was only found in a folder or archive is not a table."""
    head = source.head()
    if form.name == GENERAL and "\0" in head and "\ufffd" in head and not source.packed.named:
        return False
    return bool(head) and form.matches(head, source.name)


def _known_formats(name: str = "") -> str:
    """What to do about a file that is of no known format; ``name`` is the file's."""
    is_table = bool(name) and table_format(workbook_and_sheet(name)[0])
    table = "A table needs at least a column of ids and one of names" if is_table else ""
    known = f"Known: {', '.join(FORMATS)}. If it is one of them, say so: `format=NAME`"
    return ". ".join(filter(None, (table, other_sheets_hint(name), known)))
