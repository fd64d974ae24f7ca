"""What leaves comes back: every format is written, read again, and compared concept by concept."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

from limits import examples
from ontonym.errors import InputError, UnknownNameError
from ontonym.files.lists import join_list, split_list
from ontonym.ontology.batch import Batch, batches_of
from ontonym.ontology.formats import read_release
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.store.export import WRITERS, TerminologyExport, export_terminology
from ontonym.store.export.formats import chosen_format
from ontonym.types import KINDS, SCOPES, STATUSES, Concept, Mapping, Property, Relation, Term


class Listed:
    """A release whose concepts are given."""

    metadata: ClassVar = {"name": "hp", "version": "1", "prefix": "HP"}

    def __init__(self, given: Iterable[Concept]) -> None:
        self._given = list(given)
        self.counts = self

    def batches(self) -> Iterator[Batch]:
        return batches_of(self._given)

    def to_dict(self) -> dict[str, int]:
        return {}


NASTY = st.text(
    st.one_of(st.sampled_from("|\\\"',;:#\t\n\r\x00\x0b\x1f\u2028é中"), st.characters(exclude_categories=["Cs"])),
    min_size=1,
    max_size=12,
)
TIDY = NASTY.map(lambda text: " ".join(text.replace("\0", "").split())).filter(bool)
"""Names as formats have them that know no white space at the ends of a name, no line breaks and no NUL in it."""
LANGUAGES = st.sampled_from(["en", "de", "pt-BR"])
IDS = st.integers(0, 99).map(lambda n: f"HP:{n:07}")
ANY_IDS = st.one_of(IDS, st.sampled_from(["MESH:D1", "local:a b|c", "SCTID:22298006", "http://x.org/y#z"]))


def some(values: st.SearchStrategy[Any], most: int = 3, unique: bool = True) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(values, max_size=most, unique=unique).map(tuple)


def terms(text: st.SearchStrategy[str], **parts: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Term, ...]]:
    """A preferred term, and others; no two with the same text."""
    plain = {"kind": st.just("synonym"), "scope": st.just("exact"), "language": st.just("en")}
    term = st.builds(Term, text, **(plain | parts))
    others = st.lists(term, max_size=4, unique_by=lambda t: t.text)
    first = st.builds(Term, text, st.just("preferred"))
    return st.builds(lambda a, b: (a, *(t for t in b if t.text != a.text)), first, others)


def concepts(
    names: Any, text: st.SearchStrategy[str], ids: Any = IDS, **parts: Any
) -> st.SearchStrategy[list[Concept]]:
    """Concepts with different ids."""
    concept = st.builds(
        Concept, id=ids, terms=names, parents=some(ids), definitions=some(text, 2), tags=some(text),
        status=st.sampled_from(STATUSES), alternative_ids=some(st.sampled_from(["HP:1000001", "HP:1000002"])),
        replaced_by=some(ids), consider=some(ids), xrefs=some(st.sampled_from(["UMLS:C1", "MESH:D1"])),
        relations=some(st.builds(Relation, st.sampled_from(["BFO:0000050", "site of"]), ids)), **parts,
    )  # fmt: skip
    return st.lists(concept, min_size=1, max_size=25, unique_by=lambda c: c.id)


@st.composite
def full(draw: st.DrawFn) -> list[Concept]:
    """Concepts with everything that a concept may have, and nothing tidied."""
    kinds, scopes, statuses = map(st.sampled_from, (KINDS, SCOPES, STATUSES))
    names = st.lists(
        st.builds(Term, NASTY, kinds, scopes, LANGUAGES, statuses, st.one_of(st.just(""), NASTY)),
        max_size=4, unique_by=lambda t: (t.text, t.kind, t.language),
    ).map(tuple)  # fmt: skip
    mapping = st.builds(
        Mapping, st.just(""), st.sampled_from(["skos:exactMatch", "x:y"]), st.one_of(st.just(""), ANY_IDS), NASTY,
        confidence=st.one_of(st.none(), st.floats(0, 1)), object_label=st.one_of(st.just(""), NASTY), source=NASTY,
        rule=st.one_of(st.just(""), NASTY), comment=st.one_of(st.just(""), NASTY), group=st.integers(0, 9),
        priority=st.integers(0, 9),
    )  # fmt: skip
    properties = some(st.builds(Property, NASTY, NASTY))
    made = draw(concepts(names, NASTY, ANY_IDS, properties=properties, mappings=some(mapping)))
    return [replace(c, mappings=tuple(replace(m, subject_id=c.id) for m in c.mappings)) for c in made]


def there_and_back(given: Iterable[Concept], format: str) -> tuple[list[Concept], list[Concept], TerminologyExport]:
    """The concepts as stored, as they come back, and what the export said."""
    with tempfile.TemporaryDirectory() as folder:
        place, out = (
            Path(folder) / "a.terminology",
            Path(folder) / ("a.json" if format == "obographs" else f"a.{format}"),
        )
        build_terminology(Listed(given), place)
        with open_terminology(place) as terminology:
            done = export_terminology(terminology, out, format=format)
            stored = [terminology.concept(row) for row in range(len(terminology))]
        release = read_release([out], format="table" if format in {"csv", "tsv", "jsonl"} else format)
        return stored, list(release.concepts()), done


many = examples(
    12, suppress_health_check=list(HealthCheck), phases=[phase for phase in Phase if phase is not Phase.explain]
)


# JSONL ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(full())
@many
def test_jsonl_loses_nothing(given: list[Concept]) -> None:
    stored, read, done = there_and_back(given, "jsonl")
    assert read == stored
    assert done.left_out == {}


def test_jsonl_is_what_it_says(store: Any, tmp_path: Path) -> None:
    concept = Concept("T:1", (Term("Fever", "preferred"), Term("Fieber", language="de")), parents=("T:0",))
    export_terminology(store(concept), tmp_path / "t.jsonl")
    header, line = (tmp_path / "t.jsonl").read_text().splitlines()
    assert json.loads(header) == {"ontonym_terminology": 1, "name": "tiny", "version": "2024-01"}
    assert json.loads(line) == {
        "id": "T:1",
        "terms": [{"text": "Fever", "kind": "preferred"}, {"text": "Fieber", "language": "de"}],
        "parents": ["T:0"],
    }
    metadata = read_release([tmp_path / "t.jsonl"])
    assert [c.id for c in metadata.concepts()] == ["T:1"]
    assert (metadata.metadata.name, metadata.metadata.version) == ("tiny", "2024-01")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"terms":[]}', "no id"),
        ('{"id":"T:1","termz":[]}', "unknown field 'termz'"),
        ('{"id":"T:1","terms":[{"kind":"preferred"}]}', "a term without 'text'"),
        ('{"id":"T:1","terms":[{"text":"a","kind":"fancy"}]}', "unknown kind 'fancy'"),
        ('{"id":"T:1","terms":[{"text":5}]}', "'text' of a term is int, not str"),
        ('{"id":"T:1","status":"gone"}', "unknown status 'gone'"),
        ('{"id":"T:1","parents":"T:0"}', "'parents' is not a list"),
        ('{"id":"T:1","parents":[1]}', "'parents' is not a list of texts"),
        ('{"id":"T:1","mappings":[{"predicate_id":"a"}]}', "a mapping without 'object_id'"),
        ('{"id":"T:1","properties":["x"]}', "a property is not an object"),
        ('{"id":"T:0"}', "duplicate id T:0"),
        ("[", "not valid JSON"),
    ],
)
def test_a_broken_line_of_our_own_jsonl_is_malformed(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"ontonym_terminology":1}}\n{{"id":"T:0"}}\n{line}\n')
    release = read_release([path])
    assert [concept.id for concept in release.concepts()] == ["T:0"]
    assert problem in release.counts.examples[0].problem
    assert release.counts.examples[0].line == 3


def test_jsonl_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"ontonym_terminology":2}\n{"id":"T:0"}\n')
    with pytest.raises(InputError, match="Upgrade ontonym"):
        list(read_release([path]).concepts())


# CSV and TSV ------------------------------------------------------------------------------------------------------

TABLE_KINDS = [("synonym", scope) for scope in SCOPES] + [("lay", "exact"), ("abbreviation", "exact")]


@st.composite
def tabular(draw: st.DrawFn) -> list[Concept]:
    """Concepts of what a table can hold."""
    kinds = st.sampled_from(TABLE_KINDS)

    def with_kinds(given: tuple[Term, ...], pairs: list[tuple[Any, Any]]) -> tuple[Term, ...]:
        rest = (replace(term, kind=k, scope=s) for term, (k, s) in zip(given[1:], pairs, strict=False))
        return (given[0], *rest)

    names = st.builds(with_kinds, terms(TIDY, language=LANGUAGES), st.lists(kinds, min_size=4, max_size=4))
    return [replace(c, consider=(), relations=()) for c in draw(concepts(names, TIDY))]


def sorted_terms(given: Iterable[Concept]) -> list[Concept]:
    return [replace(c, terms=tuple(sorted(c.terms, key=str))) for c in given]


@pytest.mark.slow
@pytest.mark.parametrize("format", ["csv", "tsv"])
@given(given=tabular())
@many
def test_tables_come_back(format: str, given: list[Concept]) -> None:
    stored, read, done = there_and_back(given, format)
    assert sorted_terms(read) == sorted_terms(stored)
    assert done.left_out == {}


@given(st.lists(st.text("a|\\ ", min_size=1), min_size=1))
def test_lists_in_a_cell_come_back(values: list[str]) -> None:
    assert split_list(join_list(values)) == values


def test_a_csv_row(store: Any, tmp_path: Path) -> None:
    concept = Concept(
        "T:1",
        (
            Term('Say "ah"', "preferred"), Term("a|b"), Term("c\nd"), Term("Doctor's", "lay"),
            Term("AH", "abbreviation"), Term("wide", scope="broad"), Term("Sag A", "preferred", language="de"),
            Term("old", status="retired"), Term("Say ah (act)", "fsn", source="900000000000003001"),
        ),
        parents=("T:0", "T:2"), definitions=("One.", "Two."), tags=("act",), status="retired", replaced_by=("T:3",),
        consider=("T:4",), relations=(Relation("r", "T:5"),), properties=(Property("p", "v"),),
    )  # fmt: skip
    done = export_terminology(store(concept), tmp_path / "t.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text(), newline="")))
    assert rows[0] == {
        "id": "T:1", "preferred": 'Say "ah"', "synonyms": "a\\|b|c\nd|Say ah (act)", "related_synonyms": "",
        "broad_synonyms": "wide", "narrow_synonyms": "", "lay": "Doctor's", "abbreviations": "AH",
        "parents": "T:0|T:2", "definition": "One.", "xrefs": "", "tags": "act", "status": "retired", "language": "en",
        "alternative_ids": "", "replaced_by": "T:3",
    }  # fmt: skip
    assert {key: value for key, value in rows[1].items() if value} == {
        "id": "T:1", "preferred": "Sag A", "definition": "Two.", "status": "retired", "language": "de",
    }  # fmt: skip
    assert done.left_out == {
        "kinds of names (written as synonyms)": 1,
        "properties": 1,
        "relations": 1,
        "retired names": 1,
        "weaker suggestions for a retired concept": 1,
        "where a name comes from": 1,
    }


def test_a_carriage_return_in_a_cell_comes_back_from_csv(store: Any, tmp_path: Path) -> None:
    pair = (Concept("T:1", (Term("A", "preferred"),), definitions=("First line.\rSecond line.",)),
            Concept("T:2", (Term("B", "preferred"),)))  # fmt: skip
    export_terminology(store(*pair), tmp_path / "t.csv")
    assert tuple(read_release([tmp_path / "t.csv"]).concepts()) == pair


def test_parents_with_spaces_in_their_codes_are_still_ids(store: Any, tmp_path: Path) -> None:
    pair = (Concept("my-codes:a b", (Term("A", "preferred"),)), Concept("my-codes:c", (Term("C", "preferred"),),
            parents=("my-codes:a b",)))  # fmt: skip
    export_terminology(store(*pair), tmp_path / "t.csv")
    assert tuple(read_release([tmp_path / "t.csv"]).concepts()) == pair


# OBO Graphs -------------------------------------------------------------------------------------------------------


@st.composite
def obo_like(draw: st.DrawFn) -> list[Concept]:
    names = terms(TIDY, scope=st.sampled_from(SCOPES))
    properties = some(st.builds(Property, st.sampled_from(["created_by", "http://x.org/y"]), NASTY))
    mapping = st.builds(Mapping, st.just(""), st.sampled_from(["skos:exactMatch", "skos:closeMatch"]),
                        st.sampled_from(["MESH:D1", "UMLS:C1"]), st.just("semapv:UnspecifiedMatching"))  # fmt: skip
    made = draw(concepts(names, NASTY, properties=properties, mappings=some(mapping)))
    return [replace(c, mappings=tuple(replace(m, subject_id=c.id) for m in c.mappings)) for c in made]


@pytest.mark.slow
@given(obo_like())
@many
def test_obographs_come_back(given: list[Concept]) -> None:
    stored, read, done = there_and_back(given, "obographs")
    assert read == stored
    assert done.left_out == {}


def test_obographs_are_what_others_read(store: Any, tmp_path: Path) -> None:
    concept = Concept(
        "HP:0000001", (Term("Fit", "preferred"), Term("Turn", "lay", "narrow", source="layperson"),
                       Term("Fits", "lay"), Term("Anfall", language="de")),
        parents=("HP:0000002",), relations=(Relation("BFO:0000050", "local:x"),), definitions=("A.",), tags=("core",),
        status="retired", replaced_by=("HP:0000003",),
    )  # fmt: skip
    done = export_terminology(store(concept), tmp_path / "t.obographs.json")
    (graph,) = json.loads((tmp_path / "t.obographs.json").read_text())["graphs"]
    obo = "http://purl.obolibrary.org/obo/"
    assert graph["edges"] == [
        {"sub": obo + "HP_0000001", "pred": "is_a", "obj": obo + "HP_0000002"},
        {"sub": obo + "HP_0000001", "pred": obo + "BFO_0000050", "obj": "local:x"},
    ]
    assert graph["nodes"] == [
        {
            "id": obo + "HP_0000001",
            "type": "CLASS",
            "lbl": "Fit",
            "meta": {
                "definition": {"val": "A."},
                "subsets": ["core"],
                "synonyms": [
                    {"pred": "hasNarrowSynonym", "val": "Turn", "synonymType": "layperson"},
                    {"pred": "hasExactSynonym", "val": "Fits", "synonymType": obo + "OMO_0003003"},
                    {"pred": "hasExactSynonym", "val": "Anfall"},
                ],
                "basicPropertyValues": [{"pred": obo + "IAO_0100001", "val": "HP:0000003"}],
                "deprecated": True,
            },
        }
    ]
    assert done.left_out == {"languages of names": 1, "where a name comes from": 1}


# FHIR -------------------------------------------------------------------------------------------------------------


@st.composite
def fhir_like(draw: st.DrawFn) -> list[Concept]:
    """Concepts of two code systems, with every kind of name."""
    source = st.one_of(st.just(""), st.sampled_from(["slang", "a b"]), TIDY)
    kinds, scopes, statuses = map(st.sampled_from, (KINDS[1:], SCOPES, STATUSES))
    names = terms(TIDY, kind=kinds, scope=scopes, language=LANGUAGES, status=statuses, source=source)
    ids = st.one_of(IDS, st.sampled_from(["local:a b", "local:c|d", "local:local:e", "http://x.org/y#z", "bare"]))
    properties = some(st.builds(Property, st.sampled_from(["note", "parent", "status ", "weight"]), TIDY), 2)
    mapping = st.builds(
        Mapping, st.just(""), st.sampled_from(["skos:exactMatch", "skos:narrowMatch", "skos:closeMatch", "x:y"]),
        st.one_of(st.just(""), ids), st.sampled_from(["semapv:UnspecifiedMatching", "semapv:LexicalMatching"]),
        confidence=st.one_of(st.none(), st.floats(0, 1)), object_label=st.one_of(st.just(""), TIDY),
        source=st.sampled_from(["", "mine", "http://x.org/map|1"]), comment=st.one_of(st.just(""), TIDY),
        rule=st.one_of(st.just(""), TIDY), group=st.integers(0, 2), priority=st.integers(0, 2),
    )  # fmt: skip
    made = draw(concepts(names, TIDY, ids, properties=properties, mappings=some(mapping)))
    return [
        replace(
            c,
            properties=tuple(replace(p, name=p.name.strip()) for p in c.properties),
            mappings=tuple(replace(m, subject_id=c.id) for m in c.mappings),
        )
        for c in made
    ]  # fmt: skip


def by_id(given: Iterable[Concept]) -> dict[str, Any]:
    """Concepts whose lists are compared without regard to their order."""
    return {
        c.id: {
            name: Counter(value) if isinstance(value, tuple) else value
            for name in Concept.__slots__
            if isinstance(value := getattr(c, name), tuple | str)
        }
        for c in (replace(c, mappings=tuple(replace(m, subject_label="") for m in c.mappings)) for c in given)
    }


@pytest.mark.slow
@given(fhir_like())
@many
def test_fhir_comes_back(given: list[Concept]) -> None:
    stored, read, done = there_and_back(given, "fhir")
    assert by_id(read) == by_id(stored)
    assert done.left_out == {}


def test_a_code_system(store: Any, tmp_path: Path) -> None:
    pair = (
        Concept(
            "local:a", (Term("Fever", "preferred"), Term("Fieber", "preferred", language="de"), Term("Hot", "lay"),
                        Term("Burning", scope="narrow", status="retired"), Term("Heat", "lay", "broad", source="old")),
            parents=("local:b", "local:c"), definitions=("One.", "Two."), alternative_ids=("local:z", "MSH:1"),
            properties=(Property("weight", "2"),), relations=(Relation("site", "SCTID:123037004"),), xrefs=("UMLS:C1",),
        ),
        Concept("local:b", (Term("Old", "preferred"),), status="retired", replaced_by=("local:a",)),
    )  # fmt: skip
    export_terminology(store(*pair), tmp_path / "t.fhir.json", url="http://x.org/codes")
    snomed, owl = "http://snomed.info/sct", "http://www.geneontology.org/formats/oboInOwl"
    omo = "http://purl.obolibrary.org/obo/omo.owl"
    additional = "http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.concept.designation.additionalUse"
    status = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"
    maintenance = "http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra"
    standard = "http://hl7.org/fhir/concept-properties#"
    assert json.loads((tmp_path / "t.fhir.json").read_text()) == {
        "resourceType": "CodeSystem",
        "id": "local",
        "language": "en",
        "url": "http://x.org/codes",
        "version": "2024-01",
        "name": "Local",
        "title": "local",
        "status": "active",
        "caseSensitive": True,
        "hierarchyMeaning": "is-a",
        "content": "complete",
        "count": 2,
        "property": [
            {"code": "inactive", "uri": standard + "inactive", "type": "boolean"},
            {"code": "parent", "uri": standard + "parent", "type": "code"},
            {"code": "alternateCode", "uri": standard + "alternateCode", "type": "code"},
            {"code": "alternativeId", "uri": owl + "#hasAlternativeId", "type": "string"},
            {"code": "replacedBy", "uri": "http://purl.obolibrary.org/obo/IAO_0100001", "type": "Coding"},
            {"code": "xref", "uri": owl + "#hasDbXref", "type": "string"},
            {"code": "site", "type": "Coding"},
            {"code": "weight", "type": "string"},
        ],
        "concept": [
            {
                "code": "a",
                "display": "Fever",
                "definition": "One.",
                "designation": [
                    {
                        "language": "de",
                        "use": {"system": maintenance, "code": "preferredForLanguage"},
                        "value": "Fieber",
                    },
                    {"language": "en", "use": {"system": omo, "code": "OMO:0003003"}, "value": "Hot"},
                    {
                        "extension": [{"url": status, "valueCode": "withdrawn"}],
                        "language": "en",
                        "use": {"system": owl, "code": "hasNarrowSynonym"},
                        "value": "Burning",
                    },
                    {
                        "extension": [
                            {"url": additional, "valueCoding": {"system": owl, "code": "hasBroadSynonym"}},
                            {"url": additional, "valueCoding": {"code": "old"}},
                        ],
                        "language": "en",
                        "use": {"system": omo, "code": "OMO:0003003"},
                        "value": "Heat",
                    },
                    {
                        "use": {"system": snomed, "code": "900000000000550004", "display": "Definition"},
                        "value": "Two.",
                    },
                ],
                "property": [
                    {"code": "parent", "valueCode": "b"},
                    {"code": "parent", "valueCode": "c"},
                    {"code": "alternateCode", "valueCode": "z"},
                    {"code": "alternativeId", "valueString": "MSH:1"},
                    {"code": "xref", "valueString": "UMLS:C1"},
                    {"code": "site", "valueCoding": {"system": snomed, "code": "123037004"}},
                    {"code": "weight", "valueString": "2"},
                ],
            },
            {
                "code": "b",
                "display": "Old",
                "property": [
                    {"code": "inactive", "valueBoolean": True},
                    {"code": "replacedBy", "valueCoding": {"system": "http://x.org/codes", "code": "a"}},
                ],
            },
        ],
    }
    assert by_id(read_release([tmp_path / "t.fhir.json"]).concepts()) == by_id(pair)


def test_a_fhir_code_system_leaves_as_it_came(tmp_path: Path) -> None:
    came = {
        "resourceType": "CodeSystem", "id": "x-1", "url": "http://x.org/s", "version": "3", "name": "Xs",
        "title": "The X", "status": "active", "caseSensitive": False, "valueSet": "http://x.org/vs",
        "content": "fragment",
        "property": [
            {"code": "rank", "type": "integer"}, {"code": "since", "uri": "http://x.org/since", "type": "dateTime"},
            {"code": "site", "type": "code"}, {"code": "mixed", "type": "integer"},
        ],
        "concept": [{
            "code": "a", "display": "A",
            "designation": [{"language": "en", "use": {"system": "http://x.org/u", "code": "slang"}, "value": "ay"}],
            "property": [
                {"code": "rank", "valueInteger": 1}, {"code": "since", "valueDateTime": "2024-01-01"},
                {"code": "site", "valueCode": "a"}, {"code": "site", "valueCode": "elsewhere"},
                {"code": "mixed", "valueString": "one"},
            ],
        }],
    }  # fmt: skip
    (tmp_path / "came.json").write_text(json.dumps(came))
    build_terminology(read_release([tmp_path / "came.json"]), tmp_path / "t")
    with open_terminology(tmp_path / "t") as terminology:
        export_terminology(terminology, tmp_path / "left.json", format="fhir")
    left = json.loads((tmp_path / "left.json").read_text())
    kept = ("id", "url", "version", "name", "title", "caseSensitive", "valueSet", "content")
    assert {key: left[key] for key in kept} == {key: came[key] for key in kept}
    types = {prop["code"]: prop["type"] for prop in left["property"]}
    assert types == {"rank": "integer", "since": "dateTime", "site": "code", "mixed": "string"}
    assert next(prop["uri"] for prop in left["property"] if prop["code"] == "since") == "http://x.org/since"
    (concept,) = left["concept"]
    assert concept["designation"] == came["concept"][0]["designation"]  # type: ignore[index]
    given = came["concept"][0]["property"]  # type: ignore[index]
    assert sorted(map(str, concept["property"])) == sorted(map(str, given))


def test_codes_that_fhir_does_not_allow_are_left_out(store: Any, tmp_path: Path) -> None:
    done = export_terminology(
        store(Concept("x:a  b", (Term("A", "preferred"),)), Concept("x:c", (Term("C", "preferred"),))),
        tmp_path / "t.fhir.json",
    )
    assert done.left_out == {"concepts whose code FHIR does not allow": 1}
    assert [c["code"] for c in json.loads((tmp_path / "t.fhir.json").read_text())["concept"]] == ["c"]


def test_one_url_cannot_be_that_of_two_code_systems(store: Any, tmp_path: Path) -> None:
    two = store(Concept("a:1", (Term("A", "preferred"),)), Concept("b:1", (Term("B", "preferred"),)))
    with pytest.raises(InputError, match="one URL cannot be that of 2 code systems"):
        export_terminology(two, tmp_path / "t.fhir.json", url="http://x.org")
    assert list(tmp_path.glob("*.json*")) == []


@pytest.mark.oracle
@given(fhir_like())
@many
def test_fhir_is_valid(given: list[Concept]) -> None:
    bundle = pytest.importorskip("fhir.resources.R4B.bundle")
    from fhir.resources.R4B.codesystem import CodeSystem

    with tempfile.TemporaryDirectory() as folder:
        build_terminology(Listed(given), Path(folder) / "t")
        with open_terminology(Path(folder) / "t") as terminology:
            export_terminology(terminology, Path(folder) / "t.fhir.json")
        content = (Path(folder) / "t.fhir.json").read_text()
    kind = bundle.Bundle if '"resourceType":"Bundle"' in content else CodeSystem
    kind.model_validate_json(content)


# Files ------------------------------------------------------------------------------------------------------------

FEVER = Concept("T:1", (Term("Fever", "preferred"),))


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.jsonl", "jsonl"), ("A.CSV", "csv"), ("a.tsv.gz", "tsv"), ("a.fhir.json", "fhir"),
     ("a.obographs.json.gz", "obographs")],
)  # fmt: skip
def test_formats_by_ending(name: str, format: str) -> None:
    assert chosen_format(WRITERS, name).name == format


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.json", "JSON could be obographs or fhir"), ("a.xlsx", "the ending of the name does not tell")],
)
def test_endings_that_do_not_tell(name: str, message: str) -> None:
    with pytest.raises(InputError, match=f"{message}.*`format=NAME`"):
        chosen_format(WRITERS, name)


def test_unknown_format(store: Any, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown format 'xml'\..*jsonl"):
        export_terminology(store(FEVER), tmp_path / "a", format="xml")


@pytest.mark.parametrize("format", WRITERS)
def test_gzip_is_read_back_and_always_the_same(store: Any, tmp_path: Path, format: str) -> None:
    terminology = store(FEVER)
    for name in ("a", "b"):
        export_terminology(terminology, tmp_path / f"{name}.gz", format=format)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    plain = io.BytesIO()
    export_terminology(terminology, plain, format=format)
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == plain.getvalue()
    assert [concept.terms for concept in read_release([tmp_path / "a.gz"]).concepts()] == [FEVER.terms]


def test_a_failed_export_leaves_the_old_file(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminology, path = store(FEVER, replace(FEVER, id="T:2")), tmp_path / "t.jsonl"
    path.write_text("old")
    real = Terminology.concept

    def broken(self: Terminology, row: int) -> Concept:
        if row == 1:
            raise KeyboardInterrupt
        return real(self, row)

    monkeypatch.setattr(Terminology, "concept", broken)
    with pytest.raises(KeyboardInterrupt):
        export_terminology(terminology, path)
    assert path.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "0.terminology") == ["t.jsonl"]


def test_what_killed_processes_left_is_swept(store: Any, tmp_path: Path) -> None:
    dead, alive = tmp_path / ".t.csv.999999999.writing", tmp_path / f".t.csv.{os.getppid()}.writing"
    dead.write_text("x")
    alive.write_text("x")
    export_terminology(store(FEVER), tmp_path / "t.csv")
    assert (dead.exists(), alive.exists()) == (False, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "is a folder"),
        ("no/such/a.csv", "cannot be written: there is no folder"),
        ("x" * 300 + ".csv", "too long"),
    ],
)
def test_files_that_cannot_be_written(store: Any, tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        export_terminology(store(FEVER), tmp_path / name, format="csv")


def test_a_stream_needs_a_format(store: Any) -> None:
    with pytest.raises(InputError, match="no name that tells the format"):
        export_terminology(store(FEVER), io.BytesIO())
