"""OWL as its publishers write it: NCIt, FMA, SNOMED CT, old OBO; ids, languages, duplicates, several files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from owlsamples import ontology

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.types import Concept, Mapping, Property, Relation, Term

Read = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

NCIT = "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#"
NCIT_CLASS = f"""
<owl:Ontology rdf:about="http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl"><owl:versionInfo>99.01a</owl:versionInfo>
</owl:Ontology>
<owl:ObjectProperty rdf:about="{NCIT}R101"><rdfs:label>Has_Site</rdfs:label></owl:ObjectProperty>
<owl:Class rdf:about="{NCIT}C111">
  <rdfs:label>Invented_Tumor</rdfs:label>
  <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="{NCIT}R101"/>
    <owl:someValuesFrom rdf:resource="{NCIT}C222"/></owl:Restriction></rdfs:subClassOf>
  <ncit:NHC0>C111</ncit:NHC0>
  <ncit:P90>IT</ncit:P90><ncit:P90>Invented Tumor</ncit:P90><ncit:P90>Invented Tumour</ncit:P90>
  <ncit:P97>A tumor &lt; 1 cm that was invented.</ncit:P97>
  <ncit:P325>Another definition.</ncit:P325>
  <ncit:P106>Neoplastic Process</ncit:P106><ncit:P108>Invented Tumor</ncit:P108><ncit:P207>C9999999</ncit:P207>
  <ncit:P322>CDISC</ncit:P322>
</owl:Class>
<owl:Axiom><owl:annotatedSource rdf:resource="{NCIT}C111"/><owl:annotatedProperty rdf:resource="{NCIT}P90"/>
  <owl:annotatedTarget>IT</owl:annotatedTarget><ncit:P383>AB</ncit:P383><ncit:P384>NCI</ncit:P384></owl:Axiom>
<owl:Axiom><owl:annotatedSource rdf:resource="{NCIT}C111"/><owl:annotatedProperty rdf:resource="{NCIT}P90"/>
  <owl:annotatedTarget>Invented Tumor</owl:annotatedTarget><ncit:P383>PT</ncit:P383><ncit:P384>NCI</ncit:P384>
</owl:Axiom>
<owl:Axiom><owl:annotatedSource rdf:resource="{NCIT}C111"/><owl:annotatedProperty rdf:resource="{NCIT}P90"/>
  <owl:annotatedTarget>Invented Tumour</owl:annotatedTarget><ncit:P383>SY</ncit:P383><ncit:P384>CDISC</ncit:P384>
</owl:Axiom>
<owl:Axiom><owl:annotatedSource rdf:resource="{NCIT}C111"/><owl:annotatedProperty rdf:resource="{NCIT}P90"/>
  <owl:annotatedTarget>Invented Tumour</owl:annotatedTarget><ncit:P383>PT</ncit:P383><ncit:P384>FDA</ncit:P384>
</owl:Axiom>
<owl:Class rdf:about="{NCIT}C333"><rdfs:label>Gone</rdfs:label><ncit:P310>Retired_Concept</ncit:P310></owl:Class>
"""


def test_ncit_codes_and_qualified_synonyms(read: Read) -> None:
    concepts, release = read("Thesaurus.owl", ontology(NCIT_CLASS))
    assert concepts == [
        Concept(
            id="NCIT:C111",
            terms=(
                Term("Invented Tumor", "preferred"),
                Term("Invented_Tumor"),
                Term("IT", "abbreviation", source="NCI"),
                Term("Invented Tumour", source="CDISC"),
                Term("Invented Tumour", source="FDA"),
            ),
            relations=(Relation("Has_Site", "NCIT:C222"),),
            definitions=("A tumor < 1 cm that was invented.", "Another definition."),
            tags=("Neoplastic Process",),
            xrefs=("UMLS:C9999999",),
        ),
        Concept(
            id="NCIT:C333",
            terms=(Term("Gone", "preferred"),),
            status="retired",
            properties=(Property("P310", "Retired_Concept"),),
        ),
    ]
    assert (release.metadata.name, release.metadata.version) == ("ncit", "99.01a")
    assert release.metadata.details["annotations_left_out"] == {"NCIT:P322": 1}


def test_ncit_of_older_releases_names_classes_in_words(read: Read) -> None:
    synonym = (
        "&lt;ncicp:ComplexTerm&gt;&lt;ncicp:term-name&gt;Invented growth&lt;/ncicp:term-name&gt;"
        "&lt;ncicp:term-group&gt;AB&lt;/ncicp:term-group&gt;&lt;ncicp:term-source&gt;NCI&lt;/ncicp:term-source&gt;"
        "&lt;/ncicp:ComplexTerm&gt;"
    )
    definition = (
        "&lt;ncicp:ComplexDefinition&gt;&lt;ncicp:def-definition&gt;Invented.&lt;/ncicp:def-definition&gt;"
        "&lt;ncicp:def-source&gt;NCI&lt;/ncicp:def-source&gt;&lt;/ncicp:ComplexDefinition&gt;"
    )
    body = f"""<owl:Class rdf:about="{NCIT}Invented_Tumor"><ncit:code>C111</ncit:code>
      <ncit:Preferred_Name>Invented Tumor</ncit:Preferred_Name><rdfs:subClassOf rdf:resource="{NCIT}Top"/>
      <ncit:FULL_SYN>{synonym}</ncit:FULL_SYN><ncit:DEFINITION>{definition}</ncit:DEFINITION></owl:Class>
      <owl:Class rdf:about="{NCIT}Top"><ncit:code>C1</ncit:code></owl:Class>"""
    concepts, _ = read("Thesaurus.owl", ontology(body))
    assert concepts == [
        Concept(
            id="NCIT:C111",
            terms=(
                Term("Invented Tumor", "preferred"),
                Term("Invented growth", "abbreviation", source="NCI"),
            ),
            parents=("NCIT:C1",),
            definitions=("Invented.",),
            alternative_ids=(f"{NCIT}Invented_Tumor",),
        ),
        Concept(id="NCIT:C1", terms=(Term("Top", "preferred", source="IRI"),), alternative_ids=(f"{NCIT}Top",)),
    ]


def test_fma_names_and_ids(read: Read) -> None:
    body = """<owl:Class rdf:about="http://purl.org/sig/ont/fma/fma0058039">
      <rdfs:label xml:lang="en">Third socket</rdfs:label>
      <rdfs:subClassOf rdf:resource="http://purl.org/sig/ont/fma/fma0327377"/>
      <fma:FMAID rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">58039</fma:FMAID>
      <fma:preferred_name>Third socket</fma:preferred_name><fma:synonym>Socket 3</fma:synonym>
      <fma:non-English_equivalent xml:lang="fr">Troisième alvéole</fma:non-English_equivalent>
      <fma:non-English_equivalent_Latin>Alveolus tertius</fma:non-English_equivalent_Latin>
      <fma:definition>The socket.</fma:definition></owl:Class>"""
    concepts, _ = read("fma.owl", ontology(body))
    assert concepts == [
        Concept(
            id="FMA:58039",
            terms=(
                Term("Third socket", "preferred"),
                Term("Socket 3"),
                Term("Troisième alvéole", language="fr"),
                Term("Alveolus tertius", language="la"),
            ),
            parents=("FMA:327377",),
            definitions=("The socket.",),
        )
    ]


def test_snomed_labels_are_fully_specified_names(read: Read) -> None:
    body = """<owl:Class rdf:about="http://snomed.info/id/900000000000001">
      <rdfs:label xml:lang="en">Invented state (finding)</rdfs:label>
      <skos:prefLabel xml:lang="en">Invented state</skos:prefLabel><skos:altLabel xml:lang="en">State</skos:altLabel>
      </owl:Class>"""
    concepts, _ = read("sct.owl", ontology(body))
    assert concepts == [
        Concept(
            id="SCTID:900000000000001",
            terms=(
                Term("Invented state", "preferred"),
                Term("Invented state (finding)", "fsn"),
                Term("State"),
            ),
            tags=("finding",),
        )
    ]


def test_names_that_are_resources_of_their_own(read: Read) -> None:
    oio = "http://www.geneontology.org/formats/oboInOwl#"
    body = f"""<owl:Class rdf:about="http://mouse.owl#MA_0000002"><rdfs:label>cord</rdfs:label>
      <oio:hasRelatedSynonym rdf:resource="http://mouse.owl#genid1"/>
      <oio:hasExactSynonym><oio:Synonym><rdfs:label>chord</rdfs:label></oio:Synonym></oio:hasExactSynonym>
      <oio:hasDefinition rdf:resource="http://mouse.owl#genid2"/>
      <oio:hasDbXref rdf:resource="http://mouse.owl#genid3"/></owl:Class>
    <rdf:Description rdf:about="http://mouse.owl#genid1"><rdf:type rdf:resource="{oio}Synonym"/>
      <rdfs:label>string</rdfs:label></rdf:Description>
    <rdf:Description rdf:about="http://mouse.owl#genid2"><rdfs:label>A cord.</rdfs:label></rdf:Description>
    <rdf:Description rdf:about="http://mouse.owl#genid3"><rdf:type rdf:resource="{oio}DbXref"/></rdf:Description>
    <owl:Class rdf:about="{oio}Synonym"/>"""
    concepts, release = read("mouse.owl", ontology(body))
    assert concepts == [
        Concept(
            id="MA:0000002",
            terms=(Term("cord", "preferred"), Term("chord"), Term("string", scope="related")),
            definitions=("A cord.",),
            alternative_ids=("http://mouse.owl#MA_0000002",),
        )
    ]
    assert release.counts.to_dict()["rows"]["skipped"] == {
        "name, definition or cross-reference written as a resource of its own": 3,
        "class of OWL or of the OBO vocabulary itself": 1,
    }


@pytest.mark.parametrize(
    ("iri", "expected", "alias"),
    [
        ("http://www.co-ode.org/ontologies/pizza/pizza.owl#Margherita", "pizza:Margherita", True),
        ("http://example.org/xco#XCO_0000123", "XCO:0000123", True),
        ("http://example.org/ontology/Type_2", "example:Type_2", True),
        ("http://www.orpha.net/ORDO/Orphanet_558", "ORPHA:558", False),
        ("urn:x:y", "urn:x:y", False),
    ],
)
def test_ids_of_iris(read: Read, iri: str, expected: str, alias: bool) -> None:
    body = f'<owl:Class rdf:about="{iri}"><rdfs:label>it</rdfs:label></owl:Class>'
    ((concept,), _) = read("o.owl", ontology(body))
    assert concept.id == expected
    assert concept.alternative_ids == ((iri,) if alias else ())


def test_two_namespaces_with_one_name_stay_apart(read: Read) -> None:
    body = "".join(
        f'<owl:Class rdf:about="http://{host}/heart.owl#Valve"><rdfs:label>{host}</rdfs:label></owl:Class>'
        for host in ("a.org", "b.org", "c.b.org")
    )
    concepts, _ = read("o.owl", ontology(body))
    assert [c.id for c in concepts] == ["heart:Valve", "b.heart:Valve", "b.heart2:Valve"]


def test_prefix_asked_for(read: Read) -> None:
    body = """<owl:Class rdf:about="http://x.org/a#Valve"><rdfs:label>valve</rdfs:label>
      <rdfs:subClassOf rdf:resource="http://x.org/b#Part"/></owl:Class>"""
    ((concept,), _) = read("o.owl", ontology(body), prefix="HOUSE")
    assert (concept.id, concept.parents) == ("HOUSE:Valve", ("b:Part",))


def test_a_class_without_label_is_called_by_its_local_name(read: Read) -> None:
    body = """<owl:Class rdf:about="http://x.org/pizza#Thin_Crust"/><owl:Class rdf:about="http://x.org/pizza#C12"/>
      <owl:Class rdf:about="http://x.org/pizza#C13"><rdfs:subClassOf rdf:resource="http://x.org/pizza#Thin_Crust"/>
      </owl:Class>"""
    concepts, release = read("o.owl", ontology(body))
    assert [(c.id, c.terms) for c in concepts] == [
        ("pizza:Thin_Crust", (Term("Thin Crust", "preferred", source="IRI"),))
    ]
    assert release.counts.skipped == {"class without a name, of another ontology": 1, "class without a name": 1}


def test_the_language_of_names_without_one_is_that_of_the_ontology(read: Read) -> None:
    body = """<owl:Ontology rdf:about="http://x.org/o"><dct:language>de</dct:language></owl:Ontology>
      <owl:Class rdf:about="http://x.org/o#Herz"><rdfs:label>Herz</rdfs:label></owl:Class>"""
    ((concept,), _) = read("o.owl", ontology(body))
    assert concept.terms == (Term("Herz", "preferred", language="de"),)


def test_equivalent_named_classes_are_mapped(read: Read) -> None:
    body = """<owl:Class rdf:about="http://purl.obolibrary.org/obo/XX_1"><rdfs:label>a</rdfs:label>
      <owl:equivalentClass rdf:resource="http://purl.obolibrary.org/obo/YY_1"/></owl:Class>"""
    ((concept,), _) = read("o.owl", ontology(body))
    assert concept.mappings == (Mapping("XX:1", "owl:equivalentClass", "YY:1", "semapv:UnspecifiedMatching"),)


def test_two_classes_with_one_id_are_malformed(read: Read) -> None:
    body = """<owl:Class rdf:about="http://purl.obolibrary.org/obo/HP_1"><rdfs:label>a</rdfs:label></owl:Class>
      <owl:Class rdf:about="http://identifiers.org/hp/1"><rdfs:label>b</rdfs:label></owl:Class>"""
    concepts, release = read("o.owl", ontology(body))
    assert [c.preferred for c in concepts] == ["a"]
    problem = "duplicate id HP:1: http://purl.obolibrary.org/obo/HP_1 and http://identifiers.org/hp/1"
    assert [row.problem for row in release.counts.examples] == [problem]
    with pytest.raises(FormatError, match="duplicate id HP:1"):
        read("o.owl", ontology(body), strict=True)


def test_lists_and_definitions_that_run_in_circles_end(read: Read) -> None:
    turtle = """@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix obo: <http://purl.obolibrary.org/obo/> .
    @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    obo:XX_1 a owl:Class ; rdfs:label "a" ; rdfs:subClassOf obo:XX_1 ; owl:equivalentClass _:d .
    _:d owl:intersectionOf _:l . _:l rdf:first obo:XX_2 ; rdf:rest _:m . _:m rdf:first _:d ; rdf:rest _:l ."""
    ((concept,), _) = read("o.ttl", turtle)
    assert concept.parents == ("XX:2",)


def test_blank_nodes_of_two_files_are_not_mixed(write: Write) -> None:
    def part(number: int) -> str:
        return f"""<http://purl.obolibrary.org/obo/XX_{number}> a <http://www.w3.org/2002/07/owl#Class> ;
        <http://www.w3.org/2000/01/rdf-schema#label> "{number}" ;
        <http://www.w3.org/2000/01/rdf-schema#subClassOf> _:b .
        _:b <http://www.w3.org/2002/07/owl#onProperty> <http://purl.obolibrary.org/obo/BFO_0000050> ;
        <http://www.w3.org/2002/07/owl#someValuesFrom> <http://purl.obolibrary.org/obo/XX_{number + 10}> ."""

    release = read_release([write("a.ttl", part(1)), write("b.ttl", part(2))])
    assert [(c.id, c.relations) for c in release.concepts()] == [
        ("XX:1", (Relation("BFO:0000050", "XX:11"),)),
        ("XX:2", (Relation("BFO:0000050", "XX:12"),)),
    ]
