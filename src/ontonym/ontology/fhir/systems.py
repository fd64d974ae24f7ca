"""Code systems by their URLs, and the prefix of their codes, so that ``prefix:code`` is a concept id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from ontonym.ontology.xrefs import CANONICAL_PREFIXES, canonical_prefix

KNOWN_SYSTEMS = MappingProxyType(
    {
        "http://snomed.info/sct": "SCTID",
        "http://loinc.org": "LOINC",
        "http://unitsofmeasure.org": "UCUM",
        "http://www.nlm.nih.gov/research/umls": "UMLS",
        "http://www.nlm.nih.gov/research/umls/rxnorm": "RXNORM",
        "https://fhir-terminology.ohdsi.org": "OMOP",
        "http://hl7.org/fhir/sid/icd-9": "ICD9",
        "http://hl7.org/fhir/sid/icd-9-cm": "ICD9CM",
        "http://hl7.org/fhir/sid/icd-9-cm/diagnosis": "ICD9CM",
        "http://hl7.org/fhir/sid/icd-9-cm/procedure": "ICD9PCS",
        "http://hl7.org/fhir/sid/icd-10": "ICD10",
        "http://hl7.org/fhir/sid/icd-10-cm": "ICD10CM",
        "http://hl7.org/fhir/sid/icd-10-pcs": "ICD10PCS",
        "http://www.cms.gov/Medicare/Coding/ICD10": "ICD10PCS",
        "http://hl7.org/fhir/sid/icd-11": "ICD11",
        "http://id.who.int/icd/release/11/mms": "ICD11",
        "http://hl7.org/fhir/sid/icd-o": "ICDO",
        "http://terminology.hl7.org/CodeSystem/icd-o-3": "ICDO",
        "http://fhir.de/CodeSystem/bfarm/icd-10-gm": "ICD10GM",
        "http://fhir.de/CodeSystem/bfarm/ops": "OPS",
        "http://fhir.de/CodeSystem/bfarm/atc": "ATC",
        "http://www.whocc.no/atc": "ATC",
        "http://hl7.org/fhir/sid/cvx": "CVX",
        "http://hl7.org/fhir/sid/mvx": "MVX",
        "http://hl7.org/fhir/sid/ndc": "NDC",
        "http://www.ama-assn.org/go/cpt": "CPT",
        "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl": "NCIT",
        "http://ncithesaurus-stage.nci.nih.gov": "NCIT",
        "http://www.meddra.org": "MedDRA",
        "http://terminology.hl7.org/CodeSystem/MDRAE": "MedDRA",
        "http://www.nlm.nih.gov/mesh": "MESH",
        "http://id.nlm.nih.gov/mesh": "MESH",
        "http://www.genenames.org": "HGNC",
        "http://www.genenames.org/geneId": "HGNC",
        "http://www.orpha.net": "ORPHA",
        "http://www.omim.org": "OMIM",
        "http://omim.org": "OMIM",
        "http://human-phenotype-ontology.org": "HP",
        "http://human-phenotype-ontology.github.io": "HP",
        "http://www.ebi.ac.uk/efo": "EFO",
        "http://dicom.nema.org/resources/ontology/DCM": "DCM",
        "http://varnomen.hgvs.org": "HGVS",
        "urn:iso:std:iso:3166": "ISO3166",
        "urn:iso:std:iso:4217": "ISO4217",
        "urn:iso:std:iso:11073:10101": "MDC",
        "urn:ietf:bcp:47": "BCP47",
        "urn:ietf:bcp:13": "BCP13",
        "urn:oid:2.16.840.1.113883.6.1": "LOINC",
        "urn:oid:2.16.840.1.113883.6.3": "ICD10",
        "urn:oid:2.16.840.1.113883.6.4": "ICD10PCS",
        "urn:oid:2.16.840.1.113883.6.8": "UCUM",
        "urn:oid:2.16.840.1.113883.6.88": "RXNORM",
        "urn:oid:2.16.840.1.113883.6.90": "ICD10CM",
        "urn:oid:2.16.840.1.113883.6.96": "SCTID",
        "urn:oid:2.16.840.1.113883.6.103": "ICD9CM",
        "urn:oid:2.16.840.1.113883.6.174": "OMIM",
        "urn:oid:2.16.840.1.113883.6.177": "MESH",
    }
)
"""The URL of a code system (https and http are one, a slash at the end does not matter) to the prefix of its ids."""

OBO_PREFIXES = frozenset(
    "BFO BTO CHEBI CL CLO DOID EMAPA FMA GO HP IAO MA MONDO MP MPATH NCBITaxon NCIT OBI OGMS OMO PATO PR RO SO SYMP "
    "UBERON ZFA".split()
)
"""Prefixes of OBO ontologies: their codes carry the prefix (``HP:0001250``), their IRIs are at OBO's own address."""

_OBO = re.compile(r"purl\.obolibrary\.org/obo/([A-Za-z]+)(?:\.(?:owl|obo|json|fhir))?$")
OWN_URN = "urn:ontonym:prefix:"
"""The URL that our export gives to the code system of a prefix without a known URL."""
NO_PREFIX = "urn:ontonym:no-prefix"
"""The URL that our export gives to the code system of ids without a prefix."""
IRIS = "urn:ietf:rfc:3986"
"""FHIR's name for the system whose codes are IRIs."""
REGISTRY = "https://bioregistry.io/"
"""The URL that our export gives to the code system of a well-known prefix without a URL by HL7 or OBO."""

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-", re.IGNORECASE)


def known_prefix(url: str) -> str:
    """The prefix of a well-known code system, or an empty string."""
    obo = _OBO.search(url.rstrip("/"))
    if obo:
        return canonical_prefix(obo[1].upper())
    if url.startswith(OWN_URN):
        return url[len(OWN_URN) :]
    if url.startswith(REGISTRY):
        return canonical_prefix(url[len(REGISTRY) :])
    return _KNOWN.get(_folded(url), "")


def url_of(prefix: str) -> str:
    """A URL whose `known_prefix` is this prefix: HL7's, OBO's, the Bioregistry's, or ontonym's own."""
    for url, known in KNOWN_SYSTEMS.items():
        if known == prefix:
            return url
    if prefix in OBO_PREFIXES:
        return f"http://purl.obolibrary.org/obo/{prefix.lower()}.owl"
    return f"{REGISTRY}{prefix.lower()}" if prefix in CANONICAL_PREFIXES else OWN_URN + prefix


def slug(text: str) -> str:
    """The text with all but letters, digits, ``_``, ``.`` and ``-`` as single hyphens: good for a prefix or a name."""
    return re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII).strip("-.")


def best_name(*candidates: str) -> str:
    """The first candidate that is no UUID and has something left as a `slug`, or an empty string."""
    return next((made for text in candidates if not _UUID.match(text) and (made := slug(text))), "")


class Systems:
    """The code systems of one release with their prefixes, which are all different."""

    def __init__(self) -> None:
        self._prefixes: dict[str, str] = {}
        self._taken: dict[str, str] = {}

    def register(self, url: str, *names: str, prefix: str = "") -> str:
        """The prefix of the system; the first call for a URL decides it.

        It is that of a known system, else ``prefix`` if given, else the first of ``names`` that is free, else the end
        of the URL, with a number if that is taken too.
        """
        if url in self._prefixes:
            return self._prefixes[url]
        made = known_prefix(url) or prefix or self._free(*names, re.split(r"[/#:]", url.rstrip("/#"))[-1])
        self._prefixes[url] = made
        self._taken.setdefault(made.casefold(), url)
        return made

    def identifier(self, url: str, code: str) -> str:
        """The concept id of a code. A code that contains the prefix of a known system keeps it once."""
        if url in {NO_PREFIX, IRIS}:
            return code
        prefix = self._prefixes.get(url) or self.register(url)
        if code.startswith(f"{prefix}:") and prefix == known_prefix(url) and not url.startswith(OWN_URN):
            return code
        return f"{prefix}:{code}"

    def items(self) -> Iterator[tuple[str, str]]:
        """Prefix and URL of every system met that has a prefix."""
        return ((prefix, url) for url, prefix in self._prefixes.items() if url not in {NO_PREFIX, IRIS})

    def _free(self, *names: str) -> str:
        candidates = [made for name in names if not _UUID.match(name) and (made := slug(name))] or ["codes"]
        for name in candidates:
            if name.casefold() not in self._taken and not _means_another(name):
                return name
        number = 2
        while f"{candidates[0]}-{number}".casefold() in self._taken:
            number += 1
        return f"{candidates[0]}-{number}"


def _means_another(name: str) -> bool:
    """Whether a prefix would be mistaken for that of a well-known terminology."""
    return canonical_prefix(name) in CANONICAL_PREFIXES or canonical_prefix(name) != name


def _folded(url: str) -> str:
    return url.rstrip("/").replace("https://", "http://", 1)


_KNOWN = {_folded(url): prefix for url, prefix in KNOWN_SYSTEMS.items()}
