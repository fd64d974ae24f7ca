from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from owlsamples import ontology

from ontonym.types import Concept, Mapping, Property, Relation, Term

Read = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

MAIN = """
<owl:Ontology rdf:about="http://purl.obolibrary.org/obo/xx.owl">
  <owl:versionIRI rdf:resource="http://purl.obolibrary.org/obo/xx/releases/2024-05-17/xx.owl"/>
  <owl:versionInfo>other words</owl:versionInfo>
  <owl:imports rdf:resource="http://purl.obolibrary.org/obo/ro.owl"/>
  <dct:title>Example ontology</dct:title>
  <dct:license rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>
</owl:Ontology>
<owl:AnnotationProperty rdf:about="http://purl.obolibrary.org/obo/hp#layperson">
  <rdfs:label>layperson term</rdfs:label>
</owl:AnnotationProperty>
<owl:ObjectProperty rdf:about="http://purl.obolibrary.org/obo/BFO_0000050"><rdfs:label>part of</rdfs:label>
</owl:ObjectProperty>
<owl:ObjectProperty rdf:about="http://purl.obolibrary.org/obo/RO_0004026"/>
<owl:NamedIndividual rdf:about="http://purl.obolibrary.org/obo/IAO_0000125"/>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/XX_0000001">
  <rdfs:label>disease of heart</rdfs:label>
</owl:Class>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/XX_0000002">
  <owl:equivalentClass><owl:Class><owl:intersectionOf rdf:parseType="Collection">
    <rdf:Description rdf:about="http://purl.obolibrary.org/obo/XX_0000001"/>
    <owl:Restriction>
      <owl:onProperty rdf:resource="http://purl.obolibrary.org/obo/RO_0004026"/>
      <owl:someValuesFrom rdf:resource="http://purl.obolibrary.org/obo/UBERON_0000948"/>
    </owl:Restriction>
    <owl:Class><owl:intersectionOf rdf:parseType="Collection">
      <rdf:Description rdf:about="http://purl.obolibrary.org/obo/XX_0000003"/>
      <owl:Restriction>
        <owl:onProperty rdf:resource="http://purl.obolibrary.org/obo/BFO_0000050"/>
        <owl:someValuesFrom><owl:Class><owl:intersectionOf rdf:parseType="Collection">
          <rdf:Description rdf:about="http://purl.obolibrary.org/obo/UBERON_1"/>
          <rdf:Description rdf:about="http://purl.obolibrary.org/obo/UBERON_2"/>
        </owl:intersectionOf></owl:Class></owl:someValuesFrom>
      </owl:Restriction>
    </owl:intersectionOf></owl:Class>
  </owl:intersectionOf></owl:Class></owl:equivalentClass>
  <rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/XX_0000001"/>
  <rdfs:subClassOf rdf:resource="http://www.w3.org/2002/07/owl#Thing"/>
  <rdfs:subClassOf><owl:Restriction>
    <owl:onProperty rdf:resource="http://purl.obolibrary.org/obo/BFO_0000050"/>
    <owl:someValuesFrom rdf:resource="http://purl.obolibrary.org/obo/UBERON_0000949"/>
  </owl:Restriction></rdfs:subClassOf>
  <rdfs:subClassOf><owl:Restriction>
    <owl:onProperty rdf:resource="http://purl.obolibrary.org/obo/BFO_0000050"/>
    <owl:allValuesFrom rdf:resource="http://purl.obolibrary.org/obo/UBERON_0000950"/>
  </owl:Restriction></rdfs:subClassOf>
  <rdfs:subClassOf><owl:Class><owl:unionOf rdf:parseType="Collection">
    <rdf:Description rdf:about="http://purl.obolibrary.org/obo/XX_0000001"/>
    <rdf:Description rdf:about="http://purl.obolibrary.org/obo/XX_0000003"/>
  </owl:unionOf></owl:Class></rdfs:subClassOf>
  <rdfs:label xml:lang="de">Herzentzündung</rdfs:label>
  <rdfs:label xml:lang="en">carditis</rdfs:label>
  <skos:prefLabel xml:lang="en">carditis</skos:prefLabel>
  <oio:hasExactSynonym>heart
    inflammation</oio:hasExactSynonym>
  <oio:hasBroadSynonym>inflammation</oio:hasBroadSynonym>
  <oio:hasNarrowSynonym>pericarditis</oio:hasNarrowSynonym>
  <oio:hasRelatedSynonym>sore heart</oio:hasRelatedSynonym>
  <oio:hasRelatedSynonym></oio:hasRelatedSynonym>
  <skos:altLabel xml:lang="fr">cardite</skos:altLabel>
  <skos:hiddenLabel>carditus</skos:hiddenLabel>
  <obo:IAO_0000118>inflamed heart</obo:IAO_0000118>
  <efo:alternative_term>CDT</efo:alternative_term>
  <obo:IAO_0000115>Inflammation of the heart.</obo:IAO_0000115>
  <oio:hasDbXref>MSH:D1</oio:hasDbXref>
  <oio:hasDbXref>UMLS_CUI:C1</oio:hasDbXref>
  <efo:definition_citation>SNOMEDCT:22</efo:definition_citation>
  <efo:definition_citation>a book</efo:definition_citation>
  <oio:hasAlternativeId>XX:0000009</oio:hasAlternativeId>
  <oio:hasOBONamespace>disease</oio:hasOBONamespace>
  <oio:inSubset rdf:resource="http://purl.obolibrary.org/obo/xx#slim"/>
  <rdfs:comment>Seen often.</rdfs:comment>
  <oio:created_by>somebody</oio:created_by>
  <skos:exactMatch rdf:resource="http://purl.obolibrary.org/obo/MONDO_1"/>
  <skos:closeMatch rdf:resource="http://id.nlm.nih.gov/mesh/D1"/>
</owl:Class>
<owl:Axiom>
  <owl:annotatedSource rdf:resource="http://purl.obolibrary.org/obo/XX_0000002"/>
  <owl:annotatedProperty rdf:resource="http://www.geneontology.org/formats/oboInOwl#hasRelatedSynonym"/>
  <owl:annotatedTarget>sore heart</owl:annotatedTarget>
  <oio:hasSynonymType rdf:resource="http://purl.obolibrary.org/obo/hp#layperson"/>
</owl:Axiom>
<owl:Axiom>
  <owl:annotatedSource rdf:resource="http://purl.obolibrary.org/obo/XX_0000002"/>
  <owl:annotatedProperty rdf:resource="http://www.w3.org/2004/02/skos/core#exactMatch"/>
  <owl:annotatedTarget rdf:resource="http://purl.obolibrary.org/obo/MONDO_1"/>
  <sssom:mapping_justification rdf:resource="https://w3id.org/semapv/vocab/ManualMappingCuration"/>
</owl:Axiom>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/XX_0000003"><rdfs:label>disorder</rdfs:label></owl:Class>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/XX_0000004">
  <rdfs:label>obsolete carditis</rdfs:label>
  <owl:deprecated rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</owl:deprecated>
  <obo:IAO_0100001 rdf:resource="http://purl.obolibrary.org/obo/XX_0000002"/>
  <oio:consider>XX:0000003</oio:consider>
</owl:Class>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/XX_0000005">
  <owl:deprecated rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</owl:deprecated>
  <obo:IAO_0000231 rdf:resource="http://purl.obolibrary.org/obo/IAO_0000227"/>
  <obo:IAO_0100001 rdf:resource="http://purl.obolibrary.org/obo/XX_0000003"/>
</owl:Class>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/XX_0000006">
  <rdfs:label>old disorder</rdfs:label>
  <rdfs:subClassOf rdf:resource="http://www.geneontology.org/formats/oboInOwl#ObsoleteClass"/>
</owl:Class>
<owl:Class rdf:about="http://www.geneontology.org/formats/oboInOwl#ObsoleteClass"/>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/UBERON_0000948"/>
"""
RDF_XML = ontology(MAIN)

CARDITIS = Concept(
    id="XX:0000002",
    terms=(
        Term("carditis", "preferred"),
        Term("Herzentzündung", "preferred", language="de"),
        Term("heart inflammation"),
        Term("cardite", language="fr"),
        Term("inflamed heart"),
        Term("CDT"),
        Term("pericarditis", scope="narrow"),
        Term("inflammation", scope="broad"),
        Term("sore heart", "lay", "related", source="layperson"),
        Term("carditus", "entry", source="hiddenLabel"),
    ),
    parents=("XX:0000001", "XX:0000003"),
    relations=(
        Relation("part of", "UBERON:0000949"),
        Relation("RO:0004026", "UBERON:0000948"),
        Relation("part of", "UBERON:1"),
        Relation("part of", "UBERON:2"),
    ),
    definitions=("Inflammation of the heart.",),
    tags=("disease", "slim"),
    alternative_ids=("XX:0000009",),
    xrefs=("MESH:D1", "UMLS:C1", "SCTID:22"),
    properties=(Property("comment", "Seen often."),),
    mappings=(
        Mapping("XX:0000002", "skos:exactMatch", "MONDO:1", "semapv:ManualMappingCuration"),
        Mapping("XX:0000002", "skos:closeMatch", "MESH:D1", "semapv:UnspecifiedMatching"),
    ),
)
CONCEPTS = [
    Concept(id="XX:0000001", terms=(Term("disease of heart", "preferred"),)),
    CARDITIS,
    Concept(id="XX:0000003", terms=(Term("disorder", "preferred"),), alternative_ids=("XX:0000005",)),
    Concept(
        id="XX:0000004",
        terms=(Term("obsolete carditis", "preferred"),),
        status="retired",
        replaced_by=("XX:0000002",),
        consider=("XX:0000003",),
    ),
    Concept(id="XX:0000006", terms=(Term("old disorder", "preferred"),), status="retired"),
]


def test_what_becomes_of_each_property(read: Read) -> None:
    concepts, release = read("xx.owl", RDF_XML)
    assert concepts == CONCEPTS
    assert release.metadata.format == "owl"


def test_counts_and_metadata(read: Read) -> None:
    _, release = read("xx.owl", RDF_XML)
    counts = release.counts.to_dict()
    assert counts["rows"] == {
        "read": 13,
        "kept": 6,
        "skipped": {
            "class of OWL or of the OBO vocabulary itself": 1,
            "class without a name, of another ontology": 2,
            "individual": 1,
            "property": 3,
        },
        "malformed": 0,
    }
    assert counts["terms"]["skipped"] == {"empty name": 1, "repeated name": 1}
    metadata = release.metadata
    assert (metadata.name, metadata.version, metadata.title) == ("xx", "2024-05-17", "Example ontology")
    assert metadata.licence == "https://creativecommons.org/licenses/by/4.0/"
    assert metadata.details == {
        "serializations": ["RDF/XML"],
        "imports": ["http://purl.obolibrary.org/obo/ro.owl"],
        "annotations_left_out": {"oboInOwl:created_by": 1},
        "class_expressions_left_out": {"union": 1, "universal restriction": 1},
    }


OWL_XML = """<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://purl.obolibrary.org/obo/xx.owl"
    ontologyIRI="http://purl.obolibrary.org/obo/xx.owl"
    versionIRI="http://purl.obolibrary.org/obo/xx/releases/2024-05-17/xx.owl">
  <Prefix name="" IRI="http://purl.obolibrary.org/obo/"/>
  <Prefix name="oio" IRI="http://www.geneontology.org/formats/oboInOwl#"/>
  <Prefix name="skos" IRI="http://www.w3.org/2004/02/skos/core#"/>
  <Import>http://purl.obolibrary.org/obo/ro.owl</Import>
  <Annotation><AnnotationProperty abbreviatedIRI="owl:versionInfo"/><Literal>other words</Literal></Annotation>
  <Annotation><AnnotationProperty IRI="http://purl.org/dc/terms/title"/><Literal>Example ontology</Literal></Annotation>
  <Annotation><AnnotationProperty IRI="http://purl.org/dc/terms/license"/>
    <IRI>https://creativecommons.org/licenses/by/4.0/</IRI></Annotation>
  <Declaration><AnnotationProperty IRI="http://purl.obolibrary.org/obo/hp#layperson"/></Declaration>
  <Declaration><ObjectProperty abbreviatedIRI=":BFO_0000050"/></Declaration>
  <Declaration><ObjectProperty abbreviatedIRI=":RO_0004026"/></Declaration>
  <Declaration><NamedIndividual abbreviatedIRI=":IAO_0000125"/></Declaration>
  <Declaration><Class abbreviatedIRI=":XX_0000001"/></Declaration>
  <Declaration><Class abbreviatedIRI=":XX_0000002"/></Declaration>
  <Declaration><Class abbreviatedIRI=":XX_0000003"/></Declaration>
  <Declaration><Class IRI="XX_0000004"/></Declaration>
  <Declaration><Class abbreviatedIRI=":XX_0000005"/></Declaration>
  <Declaration><Class abbreviatedIRI=":XX_0000006"/></Declaration>
  <Declaration><Class abbreviatedIRI="oio:ObsoleteClass"/></Declaration>
  <Declaration><Class abbreviatedIRI=":UBERON_0000948"/></Declaration>
  <EquivalentClasses>
    <Class abbreviatedIRI=":XX_0000002"/>
    <ObjectIntersectionOf>
      <Class abbreviatedIRI=":XX_0000001"/>
      <ObjectSomeValuesFrom>
        <ObjectProperty abbreviatedIRI=":RO_0004026"/><Class abbreviatedIRI=":UBERON_0000948"/>
      </ObjectSomeValuesFrom>
      <ObjectIntersectionOf>
        <Class abbreviatedIRI=":XX_0000003"/>
        <ObjectSomeValuesFrom>
          <ObjectProperty abbreviatedIRI=":BFO_0000050"/>
          <ObjectIntersectionOf>
            <Class abbreviatedIRI=":UBERON_1"/><Class abbreviatedIRI=":UBERON_2"/>
          </ObjectIntersectionOf>
        </ObjectSomeValuesFrom>
      </ObjectIntersectionOf>
    </ObjectIntersectionOf>
  </EquivalentClasses>
  <SubClassOf><Class abbreviatedIRI=":XX_0000002"/><Class abbreviatedIRI=":XX_0000001"/></SubClassOf>
  <SubClassOf><Class abbreviatedIRI=":XX_0000002"/><Class abbreviatedIRI="owl:Thing"/></SubClassOf>
  <SubClassOf><Class abbreviatedIRI=":XX_0000002"/><ObjectSomeValuesFrom>
    <ObjectProperty abbreviatedIRI=":BFO_0000050"/><Class abbreviatedIRI=":UBERON_0000949"/>
  </ObjectSomeValuesFrom></SubClassOf>
  <SubClassOf><Class abbreviatedIRI=":XX_0000002"/><ObjectAllValuesFrom>
    <ObjectProperty abbreviatedIRI=":BFO_0000050"/><Class abbreviatedIRI=":UBERON_0000950"/>
  </ObjectAllValuesFrom></SubClassOf>
  <SubClassOf><Class abbreviatedIRI=":XX_0000002"/><ObjectUnionOf>
    <Class abbreviatedIRI=":XX_0000001"/><Class abbreviatedIRI=":XX_0000003"/>
  </ObjectUnionOf></SubClassOf>
  <SubClassOf><Annotation><AnnotationProperty abbreviatedIRI="rdfs:comment"/><Literal>why</Literal></Annotation>
    <Class abbreviatedIRI=":XX_0000006"/><Class abbreviatedIRI="oio:ObsoleteClass"/></SubClassOf>
  <SubClassOf>
    <ObjectSomeValuesFrom><ObjectProperty abbreviatedIRI=":BFO_0000050"/><Class abbreviatedIRI=":UBERON_2"/>
    </ObjectSomeValuesFrom><Class abbreviatedIRI=":XX_0000003"/></SubClassOf>
  <DisjointClasses><Class abbreviatedIRI=":XX_0000001"/><Class abbreviatedIRI=":XX_0000003"/></DisjointClasses>
ASSERTIONS
</Ontology>
"""


def assertion(subject: str, prop: str, value: str, annotation: str = "") -> str:
    """One AnnotationAssertion; ``value`` is an element."""
    return (
        f'<AnnotationAssertion>{annotation}<AnnotationProperty IRI="{prop}"/>'
        f"<IRI>http://purl.obolibrary.org/obo/{subject}</IRI>{value}</AnnotationAssertion>"
    )


def as_owl_xml() -> str:
    """The annotations of ``RDF_XML`` as OWL/XML, put into the axioms that are written by hand above."""
    written = []
    quads = list(ox.parse(RDF_XML, format=ox.RdfFormat.RDF_XML))
    axioms: dict[tuple[str, str, str], str] = {}
    by_axiom: dict[str, dict[str, ox.Quad]] = {}
    for quad in quads:
        if isinstance(quad.subject, ox.BlankNode):
            by_axiom.setdefault(quad.subject.value, {})[quad.predicate.value] = quad
    owl = "http://www.w3.org/2002/07/owl#"
    for found in by_axiom.values():
        if owl + "annotatedSource" in found:
            key = tuple(
                found[owl + name].object.value for name in ("annotatedSource", "annotatedProperty", "annotatedTarget")
            )
            rest = next(q for p, q in found.items() if "annotated" not in p and not p.endswith("#type"))
            said = f'<AnnotationProperty IRI="{rest.predicate.value}"/><IRI>{rest.object.value}</IRI>'
            axioms[key] = f"<Annotation>{said}</Annotation>"  # type: ignore[index]
    structural = (
        "subClassOf",
        "#type",
        "owl#equivalentClass",
        "owl#imports",
        "owl#version",
        "terms/title",
        "terms/license",
    )
    for quad in quads:
        subject, prop = quad.subject.value, quad.predicate.value
        if isinstance(quad.subject, ox.BlankNode) or any(word in prop for word in structural):
            continue
        if isinstance(quad.object, ox.Literal):
            language = f' xml:lang="{quad.object.language}"' if quad.object.language else ""
            value = f"<Literal{language}>{quad.object.value}</Literal>"
        else:
            value = f"<IRI>{quad.object.value}</IRI>"
        annotation = axioms.get((subject, prop, quad.object.value), "")
        written.append(assertion(subject.removeprefix("http://purl.obolibrary.org/obo/"), prop, value, annotation))
    return OWL_XML.replace("ASSERTIONS", "\n".join(written))


def by_content(concepts: list[Concept]) -> list[Any]:
    """Concepts without the order of what has none in RDF."""
    return sorted(
        (c.id, c.terms[:1], set(c.terms), set(c.parents), set(c.relations), c.definitions, set(c.tags), c.status,
         set(c.alternative_ids), c.replaced_by, c.consider, set(c.xrefs), set(c.properties), set(c.mappings))
        for c in concepts
    )  # fmt: skip


def serialized(text: str | bytes, form: ox.RdfFormat) -> bytes:
    """RDF/XML written anew by pyoxigraph, sorted where order means nothing, so that no reader may rely on it."""
    triples = sorted({quad.triple for quad in ox.parse(text, format=ox.RdfFormat.RDF_XML)}, key=str)
    prefixes = {"owl": "http://www.w3.org/2002/07/owl#", "obo": "http://purl.obolibrary.org/obo/"}
    if form == ox.RdfFormat.N_TRIPLES:
        return ox.serialize(triples, format=form) or b""
    return ox.serialize(triples, format=form, prefixes=prefixes) or b""


SERIALIZATIONS = [
    ("xx.ttl", ox.RdfFormat.TURTLE, "Turtle"),
    ("xx.nt", ox.RdfFormat.N_TRIPLES, "Turtle"),
    ("xx.jsonld", ox.RdfFormat.JSON_LD, "JSON-LD"),
    ("xx.owl", ox.RdfFormat.RDF_XML, "RDF/XML"),
]


@pytest.mark.parametrize(("name", "form", "told"), SERIALIZATIONS)
def test_every_serialization_gives_the_same_concepts(read: Read, name: str, form: ox.RdfFormat, told: str) -> None:
    concepts, release = read(name, serialized(RDF_XML, form))
    assert by_content(concepts) == by_content(CONCEPTS)
    assert release.metadata.details["serializations"] == [told]
    assert release.counts.to_dict()["rows"]["read"] == 13
    assert (release.metadata.name, release.metadata.version) == ("xx", "2024-05-17")


def test_owl_xml_gives_the_same_concepts(read: Read) -> None:
    concepts, release = read("xx.owx", as_owl_xml())
    assert by_content(concepts) == by_content(CONCEPTS)
    assert release.metadata.details["serializations"] == ["OWL/XML"]
    assert release.metadata.details["class_expressions_left_out"] == {"union": 1, "universal restriction": 1}
    assert release.counts.to_dict()["rows"]["read"] == 13
    assert (release.metadata.name, release.metadata.version) == ("xx", "2024-05-17")
    assert release.metadata.details["imports"] == ["http://purl.obolibrary.org/obo/ro.owl"]


def test_languages_asked_for_decide_the_preferred_term(read: Read) -> None:
    concepts, _ = read("xx.owl", RDF_XML, languages=("de", "fr"))
    carditis = next(c for c in concepts if c.id == "XX:0000002")
    assert carditis.terms == (Term("Herzentzündung", "preferred", language="de"), Term("cardite", language="fr"))


def test_tags_asked_for(read: Read) -> None:
    concepts, release = read("xx.owl", RDF_XML, tags=("Slim",))
    assert [c.id for c in concepts] == ["XX:0000002"]
    assert release.counts.skipped["tag not asked for"] == 4
