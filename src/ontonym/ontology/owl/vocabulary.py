"""The annotation properties of biomedical ontologies: one table of IRIs and their roles."""

from __future__ import annotations

import re
from types import MappingProxyType

from ontonym.ontology.languages import UNKNOWN, language_names
from ontonym.ontology.obo.flat import SYNONYM_SCOPES
from ontonym.ontology.rdf.names import DC, DCT, OWL, RDF, RDFS, SKOS
from ontonym.ontology.rdf.triples import IGNORED, TARGET
from ontonym.types import Scope

OBO = "http://purl.obolibrary.org/obo/"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
EFO = "http://www.ebi.ac.uk/efo/"
NCIT = "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#"
UMLS = "http://bioportal.bioontology.org/ontologies/umls/"
SSSOM = "https://w3id.org/sssom/"
FMA = ("http://purl.org/sig/ont/fma/", "http://sig.uw.edu/fma#", "http://sig.biostr.washington.edu/fma3.0#")

NAMESPACES = MappingProxyType({NCIT: "NCIT", **dict.fromkeys(FMA, "FMA")})
"""Prefixes of namespaces whose IRIs do not show them."""

PREFERRED = ("preferred name", "label", "preferred label")
"""Roles of preferred terms, the one that counts most first."""

SCOPES = MappingProxyType[str, Scope](
    {
        "exact": "exact",
        "narrow": "narrow",
        "broad": "broad",
        "related": "related",
        "hidden": "exact",
        "full synonym": "exact",
        "foreign": "exact",
    }
)
"""Roles of synonyms. ``full synonym`` is NCIt's, with its term type and source; ``foreign`` FMA's, not in English."""

_STRUCTURE = {
    RDF + "type": "type",
    RDF + "first": "first",
    RDF + "rest": "rest",
    RDFS + "subClassOf": "parent",
    OWL + "equivalentClass": "equivalent",
    OWL + "intersectionOf": "all of",
    OWL + "unionOf": "any of",
    OWL + "complementOf": "not",
    OWL + "oneOf": "one of",
    OWL + "onProperty": "property",
    OWL + "someValuesFrom": "some",
    OWL + "allValuesFrom": "only",
    OWL + "hasValue": "value",
    OWL + "inverseOf": "inverse",
    OWL + "minCardinality": "cardinality",
    OWL + "maxCardinality": "cardinality",
    OWL + "cardinality": "cardinality",
    OWL + "minQualifiedCardinality": "cardinality",
    OWL + "maxQualifiedCardinality": "cardinality",
    OWL + "qualifiedCardinality": "cardinality",
    OWL + "annotatedSource": "source",
    OWL + "annotatedProperty": "annotated",
    OWL + "annotatedTarget": TARGET,
}
_HEADER = {
    OWL + "versionIRI": "version IRI",
    OWL + "versionInfo": "version",
    OWL + "imports": "imports",
    DC + "title": "title",
    DCT + "title": "title",
    DC + "language": "language",
    DCT + "language": "language",
    DC + "rights": "rights",
    DCT + "rights": "rights",
    DCT + "license": "licence",
    DC + "license": "licence",
    "http://creativecommons.org/ns#license": "licence",
    "http://purl.org/vocab/vann/preferredNamespacePrefix": "prefix",
    "http://purl.org/vocab/vann/preferredNamespaceUri": "namespace",
}
_NAMES = {
    RDFS + "label": "label",
    SKOS + "prefLabel": "preferred label",
    SKOS + "altLabel": "exact",
    SKOS + "hiddenLabel": "hidden",
    **{OBO_IN_OWL + name: scope for name, scope in SYNONYM_SCOPES.items()},
    OBO_IN_OWL + "hasSynonym": "related",
    OBO_IN_OWL + "hasSynonymType": "synonym type",
    OBO + "IAO_0000111": "exact",
    OBO + "IAO_0000118": "exact",
    EFO + "alternative_term": "exact",
    DCT + "alternative": "exact",
    "http://schema.org/alternateName": "exact",
    "https://schema.org/alternateName": "exact",
}
_FACTS = {
    OBO + "IAO_0000115": "definition",
    SKOS + "definition": "definition",
    EFO + "definition": "definition",
    OBO_IN_OWL + "hasDefinition": "definition",
    OBO_IN_OWL + "hasDbXref": "xref",
    EFO + "definition_citation": "citation",
    UMLS + "cui": "cui",
    OBO_IN_OWL + "hasAlternativeId": "alternative id",
    SKOS + "notation": "notation",
    OBO_IN_OWL + "hasOBONamespace": "tag",
    OBO_IN_OWL + "inSubset": "subset",
    OWL + "deprecated": "deprecated",
    OBO + "IAO_0100001": "replaced by",
    OBO_IN_OWL + "replacedBy": "replaced by",
    DCT + "isReplacedBy": "replaced by",
    OBO_IN_OWL + "consider": "consider",
    SSSOM + "mapping_justification": "justification",
    RDFS + "comment": "note",
    OBO + "IAO_0000231": "note",
    **{SKOS + name: "note" for name in ("note", "scopeNote", "example", "historyNote", "changeNote", "editorialNote")},
    **{SKOS + name: "mapping" for name in ("exactMatch", "closeMatch", "broadMatch", "narrowMatch", "relatedMatch")},
}
_NCIT = {
    "P108": "preferred name", "Preferred_Name": "preferred name", "P90": "full synonym", "FULL_SYN": "full synonym",
    "Synonym": "exact", "P383": "term type", "P384": "term source", "P97": "definition", "DEFINITION": "definition",
    "P325": "definition", "ALT_DEFINITION": "definition", "P106": "tag", "Semantic_Type": "tag", "P207": "cui",
    "UMLS_CUI": "cui", "NHC0": "code", "code": "code", "P310": "concept status", "Concept_Status": "concept status",
}  # fmt: skip
_FMA = {
    "preferred_name": "preferred name", "synonym": "exact", "definition": "definition", "FMAID": "code",
    "TA_ID": "note", "RadLex_ID": "note",
}  # fmt: skip
_ROLES = MappingProxyType(
    {
        **_STRUCTURE,
        **_HEADER,
        **_NAMES,
        **_FACTS,
        **{NCIT + name: role for name, role in _NCIT.items()},
        **{base + name: role for base in FMA for name, role in _FMA.items()},
    }
)
_FOREIGN = re.compile(r"non-English_equivalent(?:_([A-Za-z]+))?$")

CLASSES = frozenset({OWL + "Class", RDFS + "Class", OWL + "DeprecatedClass"})
PROPERTIES = frozenset(
    {
        RDF + "Property",
        *(
            OWL + name
            for name in (
                "ObjectProperty", "DatatypeProperty", "AnnotationProperty", "OntologyProperty", "FunctionalProperty",
                "InverseFunctionalProperty", "TransitiveProperty", "SymmetricProperty", "AsymmetricProperty",
                "ReflexiveProperty", "IrreflexiveProperty", "DeprecatedProperty",
            )
        ),
    }
)  # fmt: skip
THINGS = frozenset({OWL + "Thing", OWL + "Nothing"})
OBSOLETE_NAMES = ("ObsoleteClass", "obsolete_class", "Obsolete_Class")
"""Local names of the classes below which some ontologies keep what is obsolete."""
RETIRED_STATUS = frozenset({"Retired_Concept", "Obsolete_Concept"})


def role_of(iri: str) -> str:
    """The role of the property; ``IGNORED`` if a terminology has no use for it."""
    role = _ROLES.get(iri, IGNORED)
    if not role and "non-English_equivalent" in iri and iri.startswith(FMA):
        return "foreign"
    return role


def language_named(iri: str) -> str:
    """The language in the name of an FMA property for names that are not English; else ``und``."""
    found = _FOREIGN.search(iri)
    return language_names().get((found[1] or "").lower(), UNKNOWN) if found else UNKNOWN
