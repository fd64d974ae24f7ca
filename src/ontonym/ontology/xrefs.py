"""Identifiers: one spelling for every CURIE prefix and IRI, so that cross-references match the ids they refer to.

Prefixes follow the OBO community and bioregistry, with ``SCTID`` for SNOMED CT and ``ORPHA`` for Orphanet.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

from ontonym.text.strings import Coded, Strings, concatenated

CANONICAL_PREFIXES = (
    "BFO", "BTO", "CAS", "CHEBI", "CL", "CLO", "DOID", "DrugBank", "EC", "EFO", "EMAPA", "FMA", "GARD", "GO", "HGNC",
    "HP", "IAO", "ICD10", "ICD10AM", "ICD10CA", "ICD10CM", "ICD10GM", "ICD10PCS", "ICD11", "ICD9", "ICD9CM", "ICDO",
    "ICF", "ICHI", "ICPC2", "KEGG", "LOINC", "MA", "MEDGEN", "MESH", "MONDO", "MP", "MPATH", "MedDRA", "NCBITaxon",
    "NCIT", "OBI", "OGMS", "OMIM", "OMIMPS", "OMO", "OMOP", "ORPHA", "PATO", "PMID", "PR", "RO", "RXNORM", "SCTID",
    "SO", "SYMP", "UBERON", "UMLS", "UNII", "Wikidata", "Wikipedia", "ZFA",
)  # fmt: skip
"""Prefixes whose letter case is normalized; every other prefix stays as published."""

PREFIX_ALIASES = MappingProxyType(
    {
        "do": "DOID", "hpo": "HP", "human_phenotype": "HP", "icd-10": "ICD10", "icd-10-cm": "ICD10CM",
        "icd-10cm": "ICD10CM", "icd10_cm": "ICD10CM", "icd-10-gm": "ICD10GM", "icd-11": "ICD11", "icd-9": "ICD9",
        "icd-9-cm": "ICD9CM", "icd-9cm": "ICD9CM", "icd9_cm": "ICD9CM", "icd-o": "ICDO", "lnc": "LOINC",
        "mdr": "MedDRA", "mim": "OMIM", "msh": "MESH", "nci": "NCIT", "nci_thesaurus": "NCIT", "ncithesaurus": "NCIT",
        "ncbitaxonomy": "NCBITaxon", "taxonomy": "NCBITaxon", "ordo": "ORPHA", "orphanet": "ORPHA",
        "orphanet.ordo": "ORPHA", "pubmed": "PMID", "sctid": "SCTID", "sct": "SCTID", "snomed": "SCTID",
        "snomed_ct": "SCTID", "umls_cui": "UMLS", "medgen_umls": "UMLS",
    }
)  # fmt: skip
"""Other spellings of prefixes (casefolded), with the canonical one. SNOMED's dated prefixes are matched by pattern."""

_SNOMED_DATED = re.compile(r"snomedct(?:[_ -].*)?$")
_BY_FOLD = {prefix.casefold(): prefix for prefix in CANONICAL_PREFIXES} | dict(PREFIX_ALIASES)

IRI_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), prefix)
    for pattern, prefix in (
        (r"https?://purl\.obolibrary\.org/obo/([A-Za-z]+(?:_[A-Za-z]+)*)_([^/#?]+)$", ""),
        (r"https?://www\.orpha\.net/ORDO/(Orphanet)_([^/#?]+)$", ""),
        (r"https?://www\.ebi\.ac\.uk/efo/(EFO)_([^/#?]+)$", ""),
        (r"https?://identifiers\.org/([A-Za-z][\w.-]*)[:/](.+)$", ""),
        (r"https?://(?:www\.)?bioregistry\.io/([A-Za-z][\w.-]*):(.+)$", ""),
        (r"https?://purl\.bioontology\.org/ontology/([A-Za-z]\w*)/([^/#?]+)$", ""),
        (r"https?://www\.geneontology\.org/formats/(oboInOwl)#(.+)$", ""),
        (r"https?://id\.who\.int/icd/entity/(\d+)$", "ICD11"),
        (r"https?://ncicb\.nci\.nih\.gov/xml/owl/EVS/Thesaurus\.owl#(C\d+)$", "NCIT"),
        (r"https?://purl\.org/sig/ont/fma/fma0*(\d+)$", "FMA"),
        (r"https?://id\.nlm\.nih\.gov/mesh/(?:\d{4}/)?([A-Z]\d+)$", "MESH"),
        (r"https?://(?:www\.)?loinc\.org/(?:rdf/)?((?:L[ALP])?\d+-\d)/?$", "LOINC"),
        (r"https?://(?:www\.)?omim\.org/entry/(\d+)$", "OMIM"),
        (r"https?://(?:www\.)?omim\.org/phenotypicSeries/(PS\d+)$", "OMIMPS"),
        (r"https?://snomed\.info/(?:id|sct)/(\d+)$", "SCTID"),
        (r"https?://www\.snomedbrowser\.com/Codes/Details/(\d+)$", "SCTID"),
        (r"https?://linkedlifedata\.com/resource/umls/id/(C\d+)$", "UMLS"),
        (r"https?://www\.wikidata\.org/(?:entity|wiki)/(Q\d+)$", "Wikidata"),
        (r"https?://en\.wikipedia\.org/wiki/(.+)$", "Wikipedia"),
        (r"https?://(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed/(\d+)$", "PMID"),
        (r"https?://pubmed\.ncbi\.nlm\.nih\.gov/(\d+)/?$", "PMID"),
    )
)
"""IRIs that are ids: a pattern with a local id, or with prefix and local id where the prefix given is empty."""


@lru_cache(maxsize=4096)
def canonical_prefix(prefix: str) -> str:
    """The one spelling of a CURIE prefix: ``SNOMEDCT_US_2016_03_01`` gives ``SCTID``; an unknown one stays as it is."""
    folded = prefix.casefold()
    known = _BY_FOLD.get(folded)
    if known is not None:
        return known
    return "SCTID" if _SNOMED_DATED.match(folded) else prefix


def curie(text: str) -> str:
    """The id as a CURIE with its canonical prefix.

    Takes CURIEs (``MSH:D001260``), doubled prefixes (``DO:DOID:4``), and the IRIs of ``IRI_PATTERNS``, bare or in
    ``<>``. Text that is neither comes back unchanged, but for surrounding white space.
    """
    text = text.strip()
    prefix, colon, local = text.partition(":")
    if not colon or not local:
        return text
    if prefix.startswith("<") and text.endswith(">"):
        return curie(text[1:-1])
    if local.startswith("//"):
        return _from_iri(text)
    canonical = canonical_prefix(prefix)
    inner, doubled, rest = local.partition(":")
    if doubled and rest and canonical_prefix(inner) == canonical:
        local = rest
    return f"{canonical}:{local}"


@lru_cache(maxsize=65536)
def _from_iri(iri: str) -> str:
    for pattern, prefix in IRI_PATTERNS:
        match = pattern.match(iri)
        if match:
            return curie(f"{prefix}:{match[1]}" if prefix else f"{match[1]}:{match[2]}")
    return iri


def prefixed(codes: Strings, prefixes: Coded) -> Strings:
    """The CURIE of each code with the prefix of its row; an empty prefix leaves the code as it is."""
    heads = Coded(prefixes.codes, [f"{name}:" if name else "" for name in prefixes.names])
    return concatenated(heads.strings(), codes)
