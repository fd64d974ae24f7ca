"""Our OWL reader against plain SPARQL on pyoxigraph's store, and on its own other serializations, on whole releases."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from ontonym.ontology.formats import read_release
from ontonym.ontology.xrefs import curie
from ontonym.types import Concept

pytestmark = [pytest.mark.oracle, pytest.mark.live]

FILES = {
    "human": "oaei_anatomy/human_ncit_anatomy.owl.xml",
    "mouse": "oaei_anatomy/mouse.owl.xml",
    "symptoms": "doid/symp_import.owl",
}
PREFIXES = """PREFIX owl: <http://www.w3.org/2002/07/owl#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX oio: <http://www.geneontology.org/formats/oboInOwl#> PREFIX obo: <http://purl.obolibrary.org/obo/>
"""
OWN = "?c a owl:Class . FILTER(isIRI(?c) && !STRSTARTS(STR(?c), STR(oio:)) && ?c != owl:Thing)"
"""Classes but for those of the OBO vocabulary, which old files declare: Synonym, Definition, DbXref, Subset…"""


@pytest.fixture(scope="module", params=sorted(FILES))
def both(request: pytest.FixtureRequest, data: Path) -> tuple[dict[str, Concept], ox.Store]:
    path = data / FILES[request.param]
    store = ox.Store()
    store.load(path=str(path), format=ox.RdfFormat.RDF_XML)
    concepts = list(read_release([path]).concepts())
    assert len({c.id for c in concepts}) == len(concepts)
    return {c.id: c for c in concepts}, store


def ask(store: ox.Store, where: str, *variables: str) -> Counter[tuple[str, ...]]:
    """The distinct answers; ids and xrefs as CURIEs, in the manner of the ids of these three files."""
    names = " ".join(f"?{v}" for v in variables)
    found: Any = store.query(f"{PREFIXES} SELECT DISTINCT {names} WHERE {{ {where} }}")
    return Counter(
        tuple(identified(row[v].value) if v in "cp" else row[v].value.strip() for v in variables) for row in found
    )


def identified(iri: str) -> str:
    """By hand: http://human.owl#NCI_C1, http://mouse.owl#MA_1 and http://purl.obolibrary.org/obo/SYMP_1."""
    return curie(iri.rsplit("#", 1)[-1].rsplit("/", 1)[-1].replace("_", ":", 1))


def test_classes_and_labels(both: tuple[dict[str, Concept], ox.Store]) -> None:
    concepts, store = both
    expected = ask(store, OWN + " ?c rdfs:label ?label .", "c", "label")
    assert Counter((c.id, c.preferred) for c in concepts.values()) == expected
    assert all(sum(term.kind == "preferred" for term in c.terms) == 1 for c in concepts.values())


@pytest.mark.parametrize("scope", ["exact", "narrow", "broad", "related"])
def test_synonyms_by_scope(both: tuple[dict[str, Concept], ox.Store], scope: str) -> None:
    concepts, store = both
    prop = f"oio:has{scope.title()}Synonym"
    expected = ask(
        store,
        f"{OWN} {{ ?c {prop} ?t FILTER(isLiteral(?t)) }} UNION {{ ?c {prop} ?n . ?n rdfs:label ?t }}",
        "c",
        "t",
    )
    synonyms = [(c.id, t) for c in concepts.values() for t in c.terms if t.kind != "preferred"]
    found = Counter((concept_id, term.text) for concept_id, term in synonyms if term.scope == scope)
    assert found == expected


def test_parents(both: tuple[dict[str, Concept], ox.Store]) -> None:
    concepts, store = both
    expected = ask(store, OWN + " ?c rdfs:subClassOf ?p FILTER(isIRI(?p) && ?p != owl:Thing)", "c", "p")
    assert Counter((c.id, p) for c in concepts.values() for p in c.parents) == expected


def test_existential_restrictions(both: tuple[dict[str, Concept], ox.Store]) -> None:
    concepts, store = both
    where = OWN + " ?c rdfs:subClassOf ?r . ?r owl:onProperty ?o ; owl:someValuesFrom ?p . ?o rdfs:label ?name ."
    expected = ask(store, where, "c", "name", "p")
    assert Counter((c.id, r.predicate, r.target) for c in concepts.values() for r in c.relations) == expected


def test_definitions(both: tuple[dict[str, Concept], ox.Store]) -> None:
    concepts, store = both
    where = OWN + " { ?c obo:IAO_0000115 ?t } UNION { ?c oio:hasDefinition ?n . ?n rdfs:label ?t }"
    expected = ask(store, where, "c", "t")
    assert Counter((c.id, d) for c in concepts.values() for d in c.definitions) == expected


def test_xrefs(both: tuple[dict[str, Concept], ox.Store]) -> None:
    concepts, store = both
    where = OWN + " { ?c oio:hasDbXref ?x FILTER(isLiteral(?x)) } UNION { ?c oio:hasDbXref ?n . ?n rdfs:label ?x }"
    expected = ask(store, where, "c", "x")
    found = Counter((c.id, x) for c in concepts.values() for x in c.xrefs)
    assert found == Counter((c, curie(x)) for c, x in expected)


def test_alternative_ids(both: tuple[dict[str, Concept], ox.Store]) -> None:
    concepts, store = both
    expected = ask(store, OWN + " ?c oio:hasAlternativeId ?t", "c", "t")
    # Beside them stands the IRI where the CURIE could not be told from it: http://human.owl#NCI_C12219.
    found = Counter((c.id, a) for c in concepts.values() for a in c.alternative_ids if "//" not in a)
    assert found == Counter((c, curie(t)) for c, t in expected)


def test_retired(both: tuple[dict[str, Concept], ox.Store]) -> None:
    concepts, store = both
    expected = ask(store, OWN + " ?c owl:deprecated true", "c")
    assert Counter((c.id,) for c in concepts.values() if c.status == "retired") == expected


def test_tags(both: tuple[dict[str, Concept], ox.Store]) -> None:
    concepts, store = both
    expected = ask(store, OWN + " ?c oio:hasOBONamespace ?t", "c", "t")
    assert Counter((c.id, tag) for c in concepts.values() for tag in c.tags) == expected


def test_counts(data: Path) -> None:
    """3,304 and 2,744 classes as the data's README says, less 6 and 7 of the OBO vocabulary itself."""
    read = {}
    for name, file in FILES.items():
        release = read_release([data / file])
        concepts = sum(1 for _ in release.concepts())
        read[name] = (concepts, release.counts.skipped["class of OWL or of the OBO vocabulary itself"])
    assert read == {"human": (3_298, 6), "mouse": (2_737, 7), "symptoms": (894, 0)}


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("form", [ox.RdfFormat.TURTLE, ox.RdfFormat.N_TRIPLES, ox.RdfFormat.JSON_LD])
def test_every_serialization_gives_the_same_concepts(data: Path, tmp_path: Path, name: str, form: ox.RdfFormat) -> None:
    path = data / FILES[name]
    rewritten = tmp_path / f"it.{form.file_extension}"
    triples = [quad.triple for quad in ox.parse(path=str(path), format=ox.RdfFormat.RDF_XML)]
    ox.serialize(triples, str(rewritten), format=form)
    original, again = read_release([path]), read_release([rewritten], format="owl")
    assert {c.id: c for c in again.concepts()} == {c.id: c for c in original.concepts()}
    assert again.counts.to_dict() == original.counts.to_dict()


NODE = re.compile(r"http://mouse\.owl#genid[-\w]+$")


def in_pronto(path: Path) -> dict[str, Any]:
    """What pronto, with an XML parser and RDF rules of its own, reads of every class, ids and xrefs as CURIEs."""
    pronto = pytest.importorskip("pronto")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says of old files what it passes over
        terms = list(pronto.Ontology(str(path), import_depth=0).terms())
    return {
        (curie(t.id) if "#" not in t.id else identified(t.id)): (
            t.name,
            sorted((NODE.sub("", s.description.strip()), s.scope.lower()) for s in t.synonyms),
            sorted(curie(p.id) if "#" not in p.id else identified(p.id) for p in t.superclasses(1, with_self=False)),
            t.obsolete,
            str(t.definition) if t.definition else "",
            sorted({curie(NODE.sub("", x.id)) for x in t.xrefs}),
        )
        for t in terms
        if "oboInOwl" not in t.id and not t.id.endswith("#Thing")
    }


@pytest.mark.parametrize("name", ["symptoms", "mouse"])
def test_pronto_reads_the_same(data: Path, name: str) -> None:
    found = {
        c.id: (
            c.preferred,
            # The mouse anatomy's synonyms and cross-references are resources of their own: pronto gives the IRIs of
            # those instead of what they say.
            sorted((t.text if name == "symptoms" else "", t.scope) for t in c.terms[1:]),
            sorted(c.parents),
            c.status == "retired",
            next(iter(c.definitions), ""),
            sorted(x if name == "symptoms" else "" for x in c.xrefs),
        )
        for c in read_release([data / FILES[name]]).concepts()
    }
    assert found == in_pronto(data / FILES[name])
