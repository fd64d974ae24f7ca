from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release, sniff
from ontonym.types import Concept, Mapping, Property, Relation, Term

Read = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

PREFIXES = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix iso: <http://purl.org/iso25964/skos-thes#> .
@prefix : <http://vocab.example.org/heart/> .
"""
VOCABULARY = f"""{PREFIXES}
:scheme a skos:ConceptScheme ; dct:title "Herz"@de, "Heart words"@en ; owl:versionInfo "2.1" ;
  dct:license <https://creativecommons.org/licenses/by/4.0/> ; skos:hasTopConcept :c1 ; dct:publisher "us" .
:c1 a skos:Concept ; skos:prefLabel "heart disease"@en, "Herzkrankheit"@de ; skos:topConceptOf :scheme ;
  skos:narrower :c2 .
:c2 a skos:Concept ; skos:inScheme :scheme ;
  skos:prefLabel "Karditis"@de, "carditis"@en ; skos:altLabel "inflamed heart"@en, "cardite"@fr ;
  skos:hiddenLabel "carditus"@en ; xl:altLabel :label1 ; skos:altLabel "  "@en ;
  skos:notation "I51.8" ; skos:definition "Entzündung."@de, "Inflammation."@en ;
  skos:scopeNote "Not pericarditis."@en ; skos:related :c4 ;
  skos:exactMatch <http://id.nlm.nih.gov/mesh/D009205> ; skos:broadMatch <http://other.org/words/x> ;
  skos:inScheme :scheme .
:label1 a xl:Label ; xl:literalForm "heart inflammation"@en .
:c3 a skos:Concept ; skos:prefLabel "pericarditis"@en ; iso:broaderGeneric :c2 ; skos:broader :c2 ;
  skos:broaderTransitive :c1 .
:c4 a skos:Concept ; skos:prefLabel "heart"@en ; skos:definition [ rdf:value "The pump."@en ] .
:c5 a skos:Concept ; skos:prefLabel "old carditis"@en ; owl:deprecated true ; dct:isReplacedBy :c2 .
:c6 a skos:Concept .
:kind a rdfs:Class ; rdfs:subClassOf skos:Concept .
:c7 a :kind ; skos:prefLabel "myocarditis"@en .
:group a skos:Collection ; skos:prefLabel "inflammations"@en ; skos:member :c2, :c3 .
:ordered a skos:OrderedCollection ; rdfs:label "by depth" ; skos:memberList ( :c3 :c7 ) .
"""
CONCEPTS = [
    Concept(
        id="heart:c1",
        terms=(Term("heart disease", "preferred"), Term("Herzkrankheit", "preferred", language="de")),
        alternative_ids=("http://vocab.example.org/heart/c1",),
    ),
    Concept(
        id="heart:c2",
        terms=(
            Term("carditis", "preferred"),
            Term("Karditis", "preferred", language="de"),
            Term("inflamed heart"),
            Term("cardite", language="fr"),
            Term("heart inflammation"),
            Term("carditus", "entry", source="hiddenLabel"),
        ),
        parents=("heart:c1",),
        relations=(Relation("related", "heart:c4"),),
        definitions=("Inflammation.", "Entzündung."),
        tags=("inflammations",),
        alternative_ids=("heart:I51.8", "http://vocab.example.org/heart/c2"),
        properties=(Property("scopeNote", "Not pericarditis."),),
        mappings=(
            Mapping("heart:c2", "skos:exactMatch", "MESH:D009205", "semapv:UnspecifiedMatching"),
            Mapping("heart:c2", "skos:broadMatch", "words:x", "semapv:UnspecifiedMatching"),
        ),
    ),
    Concept(
        id="heart:c3",
        terms=(Term("pericarditis", "preferred"),),
        parents=("heart:c2",),
        tags=("inflammations", "by depth"),
        alternative_ids=("http://vocab.example.org/heart/c3",),
    ),
    Concept(
        id="heart:c4",
        terms=(Term("heart", "preferred"),),
        definitions=("The pump.",),
        alternative_ids=("http://vocab.example.org/heart/c4",),
    ),
    Concept(
        id="heart:c5",
        terms=(Term("old carditis", "preferred"),),
        status="retired",
        replaced_by=("heart:c2",),
        alternative_ids=("http://vocab.example.org/heart/c5",),
    ),
    Concept(
        id="heart:c7",
        terms=(Term("myocarditis", "preferred"),),
        tags=("by depth",),
        alternative_ids=("http://vocab.example.org/heart/c7",),
    ),
]


def test_what_becomes_of_each_property(read: Read) -> None:
    concepts, release = read("heart.ttl", VOCABULARY)
    assert concepts == CONCEPTS
    assert release.metadata.format == "skos"


def test_counts_and_metadata(read: Read) -> None:
    _, release = read("heart.ttl", VOCABULARY)
    counts = release.counts.to_dict()
    assert counts["rows"] == {
        "read": 12,
        "kept": 6,
        "skipped": {
            "collection, a tag of its members": 2,
            "concept scheme": 1,
            "concept without a name": 1,
            "label written as a resource of its own": 1,
            "resource that is no concept": 1,
        },
        "malformed": 0,
    }
    assert counts["terms"]["skipped"] == {"empty name": 1}
    metadata = release.metadata
    assert (metadata.name, metadata.version, metadata.title) == ("heart", "2.1", "Heart words")
    assert metadata.licence == "https://creativecommons.org/licenses/by/4.0/"
    assert metadata.details == {
        "serializations": ["Turtle"],
        "schemes": ["Heart words"],
        "properties_left_out": {"dct:publisher": 1, "skos:broaderTransitive": 1},
    }


def by_content(concepts: list[Concept]) -> list[Any]:
    """Concepts without the order of what has none in RDF."""
    return sorted(
        (c.id, c.terms[:1], set(c.terms), set(c.parents), c.relations, c.definitions, set(c.tags), c.status,
         c.alternative_ids, c.replaced_by, c.properties, set(c.mappings))
        for c in concepts
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "form", "told"),
    [
        ("h.rdf", ox.RdfFormat.RDF_XML, "RDF/XML"),
        ("h.nt", ox.RdfFormat.N_TRIPLES, "Turtle"),
        ("h.jsonld", ox.RdfFormat.JSON_LD, "JSON-LD"),
    ],
)
def test_every_serialization_gives_the_same_concepts(read: Read, name: str, form: ox.RdfFormat, told: str) -> None:
    triples = sorted({quad.triple for quad in ox.parse(VOCABULARY, format=ox.RdfFormat.TURTLE)}, key=str)
    concepts, release = read(name, ox.serialize(triples, format=form))
    assert by_content(concepts) == by_content(CONCEPTS)
    assert release.metadata.format == "skos"
    assert release.metadata.details["serializations"] == [told]
    assert release.metadata.version == "2.1"


def test_compacted_json_ld(read: Read) -> None:
    text = """{"@context": {"skos": "http://www.w3.org/2004/02/skos/core#", "@vocab": "http://www.w3.org/2004/02/skos/core#",
        "broader": {"@type": "@id"}, "@base": "http://vocab.example.org/heart/"},
      "@graph": [{"@id": "c1", "@type": "Concept", "prefLabel": {"@value": "heart disease", "@language": "en"}},
                 {"@id": "c2", "@type": "Concept", "prefLabel": "carditis", "broader": "c1"}]}"""
    concepts, _ = read("h.jsonld", text)
    assert [(c.id, c.preferred, c.parents) for c in concepts] == [
        ("heart:c1", "heart disease", ()),
        ("heart:c2", "carditis", ("heart:c1",)),
    ]


def test_languages_asked_for_decide_the_preferred_term(read: Read) -> None:
    concepts, release = read("heart.ttl", VOCABULARY, languages=("de", "fr"))
    assert concepts[1].terms == (Term("Karditis", "preferred", language="de"), Term("cardite", language="fr"))
    assert concepts[1].definitions == ("Entzündung.", "Inflammation.")
    assert release.metadata.title == "Herz"
    concepts, _ = read("heart.ttl", VOCABULARY, languages=("all",))
    assert concepts[1].preferred == "carditis"


def test_without_english_the_first_language_comes_first(read: Read) -> None:
    text = PREFIXES + ':c a skos:Concept ; skos:prefLabel "cœur"@fr, "Herz"@de ; skos:altLabel "coeur"@fr .'
    ((concept,), _) = read("h.ttl", text)
    assert concept.terms == (
        Term("cœur", "preferred", language="fr"),
        Term("Herz", "preferred", language="de"),
        Term("coeur", language="fr"),
    )


def test_a_second_preferred_label_of_one_language_is_a_synonym(read: Read) -> None:
    text = (
        PREFIXES
        + ':c a skos:Concept ; skos:prefLabel "heart"@en, "cor"@en ; xl:prefLabel [ xl:literalForm "heart"@en ] .'
    )
    ((concept,), release) = read("h.ttl", text)
    assert concept.terms == (Term("heart", "preferred"), Term("cor"))
    assert release.counts.terms_skipped == {"repeated name": 1}


def test_notations_are_ids_where_the_local_names_are_opaque(read: Read) -> None:
    uuid = "<http://x.org/thesaurus/1f0c2f9e-93a5-4b1c-8b57-2f5f7c9f5d0{}>"
    text = PREFIXES + (
        f'{uuid.format(1)} a skos:Concept ; skos:prefLabel "a" ; skos:notation "A1" .'
        f'{uuid.format(2)} a skos:Concept ; skos:prefLabel "b" ; skos:notation "B" ; skos:broader {uuid.format(1)} .'
        f'{uuid.format(3)} a skos:Concept ; skos:prefLabel "c" ; skos:notation "B" .'
    )
    concepts, _ = read("h.ttl", text)
    assert [(c.id, c.parents) for c in concepts] == [
        ("thesaurus:A1", ()),
        ("thesaurus:1f0c2f9e-93a5-4b1c-8b57-2f5f7c9f5d02", ("thesaurus:A1",)),
        ("thesaurus:1f0c2f9e-93a5-4b1c-8b57-2f5f7c9f5d03", ()),
    ]
    assert concepts[0].alternative_ids == (uuid.format(1).strip("<>"),)
    assert concepts[1].alternative_ids[0] == "thesaurus:B"


def test_ids_of_known_patterns_and_prefixes(read: Read) -> None:
    text = PREFIXES + (
        '<http://id.nlm.nih.gov/mesh/D1> a skos:Concept ; skos:prefLabel "a" ; skos:notation "C14.280" .'
        "<http://www.wikidata.org/entity/Q1> skos:related <http://id.nlm.nih.gov/mesh/D1> ."
        ':c1 a skos:Concept ; skos:prefLabel "b" .'
    )
    concepts, release = read("h.ttl", text, prefix="HOUSE")
    assert [c.id for c in concepts] == ["MESH:D1", "HOUSE:c1"]
    assert concepts[0].alternative_ids == ("MESH:C14.280",)
    assert release.counts.skipped == {"resource that is no concept": 1}


def test_the_prefix_that_the_vocabulary_names(read: Read) -> None:
    vann = "http://purl.org/vocab/vann/preferredNamespace"
    text = PREFIXES + (
        f':s a skos:ConceptScheme ; <{vann}Prefix> "hrt" ; <{vann}Uri> "http://vocab.example.org/heart/" .'
        ':c1 a skos:Concept ; skos:prefLabel "b" ; skos:topConceptOf :s .'
    )
    ((concept,), _) = read("h.ttl", text)
    assert concept.id == "hrt:c1"


def test_schemes_are_tags_where_there_are_several(read: Read) -> None:
    text = PREFIXES + (
        ':s1 a skos:ConceptScheme ; skos:prefLabel "Organs"@en . :s2 a skos:ConceptScheme ; skos:hasTopConcept :c2 .'
        ':c1 a skos:Concept ; skos:prefLabel "b" ; skos:inScheme :s1 . :c2 a skos:Concept ; skos:prefLabel "c" .'
    )
    concepts, _ = read("h.ttl", text)
    assert [c.tags for c in concepts] == [("Organs",), ("s2",)]


def test_status_of_the_publications_office(read: Read) -> None:
    text = PREFIXES + (
        ':c1 a skos:Concept ; skos:prefLabel "b" ; <http://publications.europa.eu/ontology/euvoc#status>'
        " <http://publications.europa.eu/resource/authority/concept-status/DEPRECATED> ."
    )
    ((concept,), _) = read("h.ttl", text)
    assert concept.status == "retired"


def test_broader_cycles_and_circular_lists_end(read: Read) -> None:
    text = PREFIXES + (
        ':c1 a skos:Concept ; skos:prefLabel "a" ; skos:broader :c2, :c1 .'
        ':c2 a skos:Concept ; skos:prefLabel "b" ; skos:broader :c1 .'
        ":o a skos:OrderedCollection ; skos:memberList _:l . _:l rdf:first :c1 ; rdf:rest _:l ."
    )
    concepts, _ = read("h.ttl", text)
    assert [c.parents for c in concepts] == [("heart:c2",), ("heart:c1",)]


def test_two_concepts_with_one_id_are_malformed(read: Read) -> None:
    text = PREFIXES + (
        '<http://id.nlm.nih.gov/mesh/D1> a skos:Concept ; skos:prefLabel "a" .'
        '<http://id.nlm.nih.gov/mesh/2024/D1> a skos:Concept ; skos:prefLabel "b" .'
    )
    concepts, release = read("h.ttl", text)
    assert [c.preferred for c in concepts] == ["a"]
    assert release.counts.malformed == 1


def test_told_apart_from_ontologies(write: Write) -> None:
    assert sniff([write("a.ttl", VOCABULARY)]).name == "skos"
    ontology = PREFIXES + ':A a owl:Class ; skos:prefLabel "a" ; skos:exactMatch :B . :B a owl:Class .'
    assert sniff([write("b.ttl", ontology)]).name == "owl"


def test_owl_xml_is_no_vocabulary(write: Write) -> None:
    path = write("o.owx", '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>')
    with pytest.raises(FormatError, match="not RDF/XML, Turtle, N-Triples or JSON-LD"):
        list(read_release([path], format="skos").concepts())


def test_broken_turtle(read: Read) -> None:
    with pytest.raises(FormatError, match=r"h\.ttl:9: not valid Turtle"):
        read("h.ttl", PREFIXES + ":c1 a skos:Concept ; ; : .")
