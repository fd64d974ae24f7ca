"""The one table of release formats, how each is recognized, and ``read_release``, the way into this room."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from ontonym.errors import InputError, UnknownNameError
from ontonym.files.archive import gather
from ontonym.files.source import Source, open_sources
from ontonym.ontology.adding import adding, split_additions
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
from ontonym.ontology.owl import read_owl
from ontonym.ontology.rdf import is_owl, is_skos
from ontonym.ontology.release import SPECIAL, ReadOptions, Release
from ontonym.ontology.rf2 import is_rf2, read_rf2
from ontonym.ontology.rrf import is_rrf, read_rrf
from ontonym.ontology.skos import read_skos
from ontonym.ontology.sniffing import GENERAL, Format, choose
from ontonym.ontology.tables.read import is_table, read_table
from ontonym.ontology.wiki.wikidata import is_wikidata, read_wikidata
from ontonym.ontology.wiki.wikipedia import is_wikipedia, read_wikipedia
from ontonym.types import Progress

NAMED_LEFT_OUT = 50
"""How many files that are left out are named; all are counted."""

_ARCHIVE_ENDING = re.compile(r"(\.(zip|nlm|tar|tgz|gz|bz2|xz))+$")
_OBO = re.compile(r"^(?:format-version:|\[Term\])", re.MULTILINE)
_OBOGRAPHS = re.compile(r'\s*\{(?:.{0,4096}[\s,{])??"graphs"\s*:\s*\[', re.DOTALL)

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
                "skos", "SKOS vocabulary in RDF/XML, Turtle, N-Triples or JSON-LD",
                "RDF that begins with SKOS concepts or a concept scheme", lambda head, name: is_skos(head), read_skos,
            ),
            Format(
                "owl", "OWL ontology in RDF/XML, Turtle, N-Triples, JSON-LD or OWL/XML",
                "RDF that uses the OWL namespace, or an <Ontology> element of it", lambda head, name: is_owl(head),
                read_owl, ("tags",),
            ),
            Format(
                "fhir", "FHIR CodeSystem, ValueSet, ConceptMap (R4, R5) as JSON, NDJSON, Bundle or package",
                'a JSON object with a "resourceType"', is_fhir, read_fhir,
            ),
            Format(
                "icd10cm", "ICD-10-CM tabular XML, with the order file or a list of codes, and the alphabetic indexes",
                "an <ICD10CM.tabular> or <ICD10CM.index> element, lines of the order file, or one code a line",
                lambda head, name: is_icd10cm(head), read_icd10cm, ("full_titles",),
            ),
            Format(
                "claml", "ClaML 2 and 3: ICD-10 of WHO and its members, ICF, OPS, ICPC", "a <ClaML> element",
                lambda head, name: is_claml(head), read_claml, ("full_titles",),
            ),
            Format(
                "icd11", "WHO's tabulation of ICD-11, ICF or ICHI, in one language or several",
                "the column names Linearization URI, Code, Title, ClassKind and DepthInKind",
                lambda head, name: is_icd11(head), read_icd11, ("full_titles",),
            ),
            Format(
                "mesh", "MeSH descriptors, qualifiers and supplementary records, XML or ASCII",
                "a DescriptorRecordSet, QualifierRecordSet or SupplementalRecordSet, or *NEWRECORD and RECTYPE",
                lambda head, name: is_mesh(head), read_mesh, ("tags",),
            ),
            Format(
                "rrf", "Rich Release Format of the UMLS Metathesaurus and of RxNorm",
                "files called MR….RRF or RXN….RRF", is_rrf, read_rrf, ("term_types", "tags", "suppressible"),
            ),
            Format(
                "loinc", "LOINC: Loinc.csv with its accessory files", "the column names of LOINC's files",
                lambda head, name: is_loinc(head), read_loinc, ("tags",),
            ),
            Format(
                "rf2", "SNOMED CT RF2: Snapshot, Full or Delta, International and extensions",
                "the column names of RF2 components and reference sets", is_rf2, read_rf2, ("dialects", "at", "tags"),
            ),
            Format(
                "omop", "OMOP vocabularies as Athena sends them, and SOURCE_TO_CONCEPT_MAP",
                "the column names of CONCEPT, CONCEPT_RELATIONSHIP and the other vocabulary tables of OMOP",
                lambda head, name: is_omop(head), read_omop, ("tags",),
            ),
            Format(
                "ctd", "diseases and chemicals of the Comparative Toxicogenomics Database, TSV or CSV",
                "the column names DiseaseName and DiseaseID, or ChemicalName and ChemicalID",
                lambda head, name: is_ctd(head), read_ctd,
            ),
            Format("medic", "MEDIC lines ID|ID||name|name", "ids, || and names on every line",
                   lambda head, name: is_medic(head), read_medic),
            Format(
                "nodelink", "node-link JSON graph of networkx: NXOntology, obonet",
                'a JSON object with "directed" and "multigraph"', lambda head, name: is_nodelink(head), read_nodelink,
                ("columns",),
            ),
            Format(
                "wikidata", "Wikidata entities as JSON: the dump, lines of it, or from the API",
                "entities with labels and an id Q…", lambda head, name: is_wikidata(head), read_wikidata,
                ("tags", "linked_to"),
            ),
            Format(
                "wikipedia", "Wikipedia: XML export, or content dump of the search index (CirrusSearch)",
                "a <mediawiki> element, or JSON lines with title and opening_text",
                lambda head, name: is_wikipedia(head), read_wikipedia,
            ),
            Format(
                "table", "CSV, TSV or JSONL", "lines of equally many fields, or a JSON object a line",
                lambda head, name: is_table(head), read_table, ("columns",),
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
    return choose(open_sources(_some(paths)), paths[0], FORMATS).format


def read_release(
    paths: Sequence[Path | str],
    *,
    format: str | None = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    progress: Progress | None = None,
) -> Release:
    """The release in the files, folders and archives, ready to stream its concepts.

    ``format`` is sniffed where it is None; a column mapping in ``options`` means a table. What a folder or archive
    holds beside files of that format is left out, counted and named in the metadata's ``files_left_out``. Tables given
    with a release in another format add to its concepts (translations, synonyms, xrefs). ``progress`` is told
    what is being read and how much of it is.

    Raises:
        FormatError: a file that cannot be opened, or of no known format, or files of different formats.
        UnknownNameError: ``format`` is not in ``FORMATS``.
        InputError: an option that the format does not know.
    """
    added: Sequence[Path | str] = ()
    if format is None and len(_some(paths)) > 1:
        paths, added = split_additions(paths, FORMATS)
    gathered = gather(_some(paths))
    if format is None and options.columns is not None and not added:
        format = "table"
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    chosen = choose([Source(packed) for packed in gathered.packed], paths[0], FORMATS, format)
    left_out = sorted((*gathered.left_out, *(source.name for source in chosen.left_out)))
    found = {"count": len(left_out), "first": left_out[:NAMED_LEFT_OUT]}
    details: dict[str, Any] = {"files_left_out": found} if left_out else {}
    form = chosen.format
    _refuse_unknown(options, (form, FORMATS[GENERAL]) if added else (form,))
    name = release_name(Path(paths[0]), chosen.sources)
    sources, reader = chosen.sources, form.reader
    if added:
        more = choose(open_sources(added), added[0], FORMATS, GENERAL).sources
        reader = adding(form.reader, sources, [(FORMATS[GENERAL].reader, more)])
        sources = (*sources, *more)
        details["added_from"] = [source.name for source in more]
    return Release(sources, form.name, reader, options, progress, name=name, details=details)


OPTION_NAMES = {
    "columns": "--column",
    "dialects": "--dialect",
    "term_types": "--term-type",
    "tags": "--tag",
    "linked_to": "--linked-to",
}
"""Read options that the command line calls otherwise: it takes one at a time."""


def _refuse_unknown(options: ReadOptions, forms: Sequence[Format]) -> None:
    """Raises InputError for an option that the formats would ignore, naming those that know it."""
    for name in SPECIAL:
        if getattr(options, name) and not any(name in form.knows for form in forms):
            knowing = ", ".join(other.name for other in FORMATS.values() if name in other.knows)
            option = OPTION_NAMES.get(name, f"--{name.replace('_', '-')}")
            raise InputError(
                f"{option} ({name}= in Python) means nothing for a release of the format {forms[0].name}; "
                f"it is for {knowing}"
            )


def release_name(path: Path, sources: Sequence[Source]) -> str:
    """What to call a release that does not name itself: the folder, archive or file without its endings."""
    if path.is_dir():
        return path.resolve().name
    if sources[0].packed.named:
        return path.name.split(".")[0]
    ending = PurePosixPath(sources[0].name).suffix
    return _ARCHIVE_ENDING.sub("", path.name).removesuffix(ending)


def _some(paths: Sequence[Path | str]) -> Sequence[Path | str]:
    if not paths:
        raise InputError("no release file given; name at least one")
    return paths
