"""What the prefixes of ids stand for in files whose entities are IRIs, and the way back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from urllib.parse import quote, unquote

from ontonym.ontology.fhir.systems import OBO_PREFIXES
from ontonym.ontology.xrefs import curie

IRIS: Mapping[str, str] = MappingProxyType(
    {prefix: f"http://purl.obolibrary.org/obo/{prefix}_" for prefix in sorted(OBO_PREFIXES | {"GARD"})}
    | {
        "EFO": "http://www.ebi.ac.uk/efo/EFO_",
        "HGNC": "http://identifiers.org/hgnc/",
        "ICD10": "http://hl7.org/fhir/sid/icd-10/",
        "ICD10CM": "http://purl.bioontology.org/ontology/ICD10CM/",
        "ICD11": "http://id.who.int/icd/entity/",
        "ICD9CM": "http://purl.bioontology.org/ontology/ICD9CM/",
        "LOINC": "https://loinc.org/",
        "MESH": "http://id.nlm.nih.gov/mesh/",
        "MedDRA": "http://purl.bioontology.org/ontology/MEDDRA/",
        "OMIM": "https://omim.org/entry/",
        "OMIMPS": "https://omim.org/phenotypicSeries/",
        "OMOP": "https://athena.ohdsi.org/search-terms/terms/",
        "ORPHA": "http://www.orpha.net/ORDO/Orphanet_",
        "RXNORM": "http://purl.bioontology.org/ontology/RXNORM/",
        "SCTID": "http://snomed.info/id/",
        "UMLS": "http://linkedlifedata.com/resource/umls/id/",
        "Wikidata": "http://www.wikidata.org/entity/",
        "Wikipedia": "https://en.wikipedia.org/wiki/",
        "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
        "orcid": "https://orcid.org/",
        "owl": "http://www.w3.org/2002/07/owl#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "semapv": "https://w3id.org/semapv/vocab/",
        "skos": "http://www.w3.org/2004/02/skos/core#",
        "sssom": "https://w3id.org/sssom/",
    }
)
"""What the prefixes of ids stand for; another becomes a name of its own below `UNKNOWN`."""

UNKNOWN = "urn:ontonym:"
BARE = f"{UNKNOWN}no-prefix:"
"""What goes before an id that has no prefix."""
BARE_PREFIX = "local"
"""What codes without a prefix have as theirs in files, and in the options about prefixes."""

_ENCODED = r"%(?=[01][0-9A-F]|20|22|25|3C|3E|5[CE]|60|7[BCD])"
_ILLEGAL = re.compile(rf"[\x00-\x20<>\"{{}}|\\^`]|{_ENCODED}")
_ESCAPED = re.compile(rf"{_ENCODED}..")
_LOCAL = re.compile(r".*[/#]([A-Za-z]+)_([^/#_]+)$")
_SPLIT = re.compile(r"(.*[/#:=_?])(.+)")
_OWN = re.compile(rf"{UNKNOWN}([^:]+):(.+)")


def split_id(id_: str) -> tuple[str, str]:
    """Prefix and local part of an id; the prefix is empty where there is none, or the id is an IRI."""
    prefix, colon, local = id_.partition(":")
    return (prefix, local) if colon and local and not local.startswith("//") and prefix != "urn" else ("", id_)


def is_iri(id_: str) -> bool:
    """Whether an id is a whole IRI."""
    return "://" in id_ or id_.startswith("urn:")


def escaped(local: str) -> str:
    """A local part with what neither IRIs nor CURIEs allow as ``%XX``, such as the space of a code."""
    return _ILLEGAL.sub(lambda match: quote(match[0]), local)


def unescaped(local: str) -> str:
    """What `escaped` was given; other ``%XX`` stay. For our own prefixes only: in ids of others ``%20`` is meant."""
    return _ESCAPED.sub(lambda match: unquote(match[0]), local) if "%" in local else local


def iri_of(prefix: str) -> str:
    """What a prefix stands for."""
    return IRIS.get(prefix) or (f"{UNKNOWN}{prefix}:" if prefix else BARE)


def iri_of_id(id_: str, given: Mapping[str, str]) -> str:
    """The IRI of an id; ``given`` are what prefixes stand for, before those that we know, `BARE_PREFIX` for none."""
    if is_iri(id_):
        return id_
    prefix, local = split_id(id_)
    return (given.get(prefix or BARE_PREFIX) or iri_of(prefix)) + escaped(local)


def id_of_iri(iri: str) -> str:
    """The id that `iri_of_id` made an IRI of; of another IRI the CURIE that is known for it, or that it ends like
    (``#MA_0000001``), else the IRI.
    """
    known = curie(iri)
    if known != iri:
        return known
    own = _OWN.fullmatch(iri)
    if own is not None:
        return unescaped(own[2] if own[1] == "no-prefix" else f"{own[1]}:{own[2]}")
    fitting = [prefix for prefix, stands_for in IRIS.items() if iri.startswith(stands_for) and iri != stands_for]
    if fitting:
        prefix = max(fitting, key=lambda one: len(IRIS[one]))
        return f"{prefix}:{iri[len(IRIS[prefix]) :]}"
    local = _LOCAL.match(iri)
    return curie(f"{local[1]}:{local[2]}") if local else iri


class Contraction:
    """Ids as CURIEs of one file, for formats that allow nothing else; ``prefixes`` is the map to write with them.

    An id without a prefix, or that is an IRI, gets a prefix of the file's own.
    """

    def __init__(self, ids: Iterable[str], given: Mapping[str, str]) -> None:
        self.prefixes: dict[str, str] = {}
        self._own: dict[str, str] = {}
        parted = [(id_, *split_id(id_)) for id_ in dict.fromkeys(ids) if id_]
        for _, prefix, _ in parted:
            if prefix:
                self.prefixes[prefix] = given.get(prefix) or iri_of(prefix)
        for id_, prefix, _ in parted:
            if not prefix:
                self._name(self._space(id_)[0])
        if BARE in self._own and BARE_PREFIX in given:
            self.prefixes[self._own[BARE]] = given[BARE_PREFIX]

    def _space(self, id_: str) -> tuple[str, str]:
        """What an id without a prefix begins with as an IRI, and the rest of it."""
        match = _SPLIT.fullmatch(id_) if is_iri(id_) else None
        if match is not None:
            return match[1], match[2]
        return (id_, "") if is_iri(id_) else (BARE, id_)

    def _name(self, space: str) -> None:
        if space in self._own:
            return
        stem = BARE_PREFIX if space == BARE else "ns"
        taken = self.prefixes.keys() | IRIS.keys()
        number = 0 if space == BARE else 1
        while (name := f"{stem}{number or ''}") in taken:
            number += 1
        self._own[space] = name
        self.prefixes[name] = space

    def curie(self, id_: str) -> str:
        """The id as a CURIE of this file; it must be one of those that the map was made for."""
        prefix, local = split_id(id_)
        if not prefix and id_:
            space, local = self._space(id_)
            prefix = self._own[space]
        return f"{prefix}:{escaped(local)}" if prefix else ""


def expanded(id_: str, prefixes: Mapping[str, str]) -> str:
    """The id behind a CURIE of a file with the given prefix map: what we call it, where that is known.

    A prefix that only the file knows stays as it is, unless it stands for no prefix, or was made for an IRI (``ns1``).
    Where a file does not say what ``local`` stands for, as a table that people made with our ids, it is no prefix.
    """
    prefix, local = split_id(id_)
    stands_for = prefixes.get(prefix, BARE if prefix == BARE_PREFIX else "")
    if stands_for.startswith(UNKNOWN):
        return unescaped(local if stands_for == BARE else id_)
    if not prefix or not stands_for:
        return curie(id_)
    known = curie(stands_for + local)
    if re.fullmatch(r"ns\d+", prefix) and known == stands_for + local:
        return known
    return known if split_id(known)[0] else curie(id_)
