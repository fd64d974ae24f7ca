from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import FormatError, UnknownNameError
from ontonym.ontology.formats import read_release, sniff
from ontonym.ontology.wiki.wikidata import EXTERNAL_IDS, RAHIMI_LANGUAGES
from ontonym.types import Concept, Property, Relation, Term

Read = Callable[..., Any]


def statement(prop: str, value: Any, rank: str = "normal", snaktype: str = "value") -> dict[str, Any]:
    snak: dict[str, Any] = {"snaktype": snaktype, "property": prop}
    if snaktype == "value":
        if isinstance(value, str) and value.startswith("Q"):
            value = {"entity-type": "item", "numeric-id": int(value[1:]), "id": value}
        snak["datavalue"] = {"value": value, "type": "any"}
    return {"mainsnak": snak, "type": "statement", "id": f"Q1${prop}", "rank": rank}


def entity(qid: str = "Q900001", **more: Any) -> dict[str, Any]:
    def texts(values: dict[str, str]) -> dict[str, Any]:
        return {language: {"language": language, "value": text} for language, text in values.items()}

    claims: dict[str, list[Any]] = {}
    for item in more.get("claims", [statement("P486", "D900001")]):
        claims.setdefault(item["mainsnak"]["property"], []).append(item)
    return {
        "type": "item",
        "id": qid,
        "labels": texts(more.get("labels", {"en": "frost toe"})),
        "descriptions": texts(more.get("descriptions", {})),
        "aliases": {
            language: [{"language": language, "value": v} for v in values]
            for language, values in more.get("aliases", {}).items()
        },
        "claims": claims or [],
        "sitelinks": {s: {"site": s, "title": t, "badges": []} for s, t in more.get("sitelinks", {}).items()},
        "modified": "2024-05-06T07:08:09Z",
    }


def dump(*entities: Any) -> str:
    lines = ",\n".join(e if isinstance(e, str) else json.dumps(e, ensure_ascii=False) for e in entities)
    return f"[\n{lines}\n]\n"


FULL = entity(
    labels={"de": "Frostzehe", "en": "frost toe", "nb": "frosttå", "la": "digitus gelidus", "mul": "FT-1"},
    aliases={"en": ["cold toe", "toe frost"], "de": ["Kalte Zehe"], "la": ["a", "b"]},
    descriptions={"de": "Leiden", "en": "a made-up disorder"},
    claims=[
        statement("P31", "Q12136"),
        statement("P279", "Q900002"),
        statement("P279", "Q900003", "preferred"),
        statement("P780", "Q900004"),
        statement("P2892", "C9000001"),
        statement("P486", "D900002"),
        statement("P486", "D900001", "preferred"),
        statement("P486", "D900009", "deprecated"),
        statement("P699", "DOID:900001"),
        statement("P5270", "MONDO_9000001"),
        statement("P5806", "", snaktype="novalue"),
        statement("P672", "C99.100"),
        statement("P2888", "http://purl.obolibrary.org/obo/HP_9000001"),
        statement("P1813", {"text": "FT", "language": "en"}),
        statement("P1813", {"text": "dg", "language": "la"}),
    ],
    sitelinks={"enwiki": "Frost toe", "dewiki": "Frostzehe", "lawiki": "Digitus", "commonswiki": "Frost toe"},
)


def test_an_item_with_all_that_is_read(read: Read) -> None:
    concepts, release = read("latest.json", dump(FULL))
    assert concepts == [
        Concept(
            "Wikidata:Q900001",
            (
                Term("frost toe", "preferred", language="en"),
                Term("Frostzehe", "preferred", language="de"),
                Term("frosttå", "preferred", language="nb"),
                Term("FT-1", "preferred", language="mul"),
                Term("cold toe"),
                Term("toe frost"),
                Term("Kalte Zehe", language="de"),
                Term("FT", "abbreviation"),
            ),
            parents=("Wikidata:Q900003",),
            relations=(
                Relation("instance of", "Wikidata:Q12136"),
                Relation("symptoms and signs", "Wikidata:Q900004"),
            ),
            definitions=("a made-up disorder",),
            tags=("Q12136",),
            xrefs=(
                "UMLS:C9000001", "MESH:D900001", "MESH:D900002", "DOID:900001", "MONDO:9000001",
                "HP:9000001", "Wikipedia:Frost_toe", "Wikipedia.de:Frostzehe",
            ),
            properties=(Property("site links", "4"), Property("tree number", "C99.100")),
        )
    ]  # fmt: skip
    assert release.counts.terms_skipped == {"language not asked for": 3}
    assert release.metadata.version == "2024-05-06"
    assert (release.metadata.name, release.metadata.licence) == ("wikidata", "CC0-1.0")


def test_the_languages_of_the_paper_or_others(read: Read) -> None:
    assert len(RAHIMI_LANGUAGES) == len(set(RAHIMI_LANGUAGES)) == 24
    names = [t.text for t in read("d.json", dump(FULL), languages=("la",))[0][0].terms]
    assert names == ["digitus gelidus", "FT-1", "a", "b", "dg"]
    everything, _ = read("d.json", dump(FULL), languages=("all",))
    assert {t.language for t in everything[0].terms} == {"en", "de", "nb", "la", "mul"}
    assert "Wikipedia.la:Digitus" in everything[0].xrefs
    norwegian, _ = read("d.json", dump(FULL), languages=("no",))
    assert [t.text for t in norwegian[0].terms] == ["frosttå", "FT-1"]


def test_which_items_are_kept(read: Read) -> None:
    gene = entity("Q900005", claims=[statement("P351", "90001")])
    plain = entity("Q900006", claims=[], labels={"en": "a town"})
    lexeme = {"type": "lexeme", "id": "L9", "lemmas": {}, "labels": {}, "x": '"P486"'}
    nameless = entity("Q900007", labels={"la": "x"})
    text = dump(FULL, gene, plain, lexeme, nameless)
    concepts, release = read("d.json", text)
    assert [c.id for c in concepts] == ["Wikidata:Q900001"]
    assert release.counts.skipped == {
        "item without an id in a vocabulary of medicine": 3,
        "item without a name in the languages taken": 1,
    }
    linked, release = read("d.json", text, linked_to=("NCBIGene",))
    assert [c.id for c in linked] == ["Wikidata:Q900005"]
    assert release.counts.skipped == {"item without an id in a vocabulary asked for": 4}
    everything, release = read("d.json", text, linked_to=("all",), languages=("all",))
    assert len(everything) == 4
    assert release.counts.skipped == {"entity that is not an item": 1}
    tagged, release = read("d.json", text, linked_to=("all",), tags=("Q12136",))
    assert [c.id for c in tagged] == ["Wikidata:Q900001"]
    assert release.counts.rows == 5


def test_an_unknown_vocabulary_lists_those_there_are(read: Read) -> None:
    with pytest.raises(UnknownNameError, match=r"'MESCH'.*Did you mean 'MESH'.*UMLS"):
        read("d.json", dump(FULL), linked_to=("MESCH",))


def test_redirects_are_retired_and_say_where_they_lead(read: Read) -> None:
    concepts, _ = read("d.json", dump(FULL, {"entity": "Q900008", "redirect": "Q900001"}))
    assert concepts[1] == Concept("Wikidata:Q900008", (), status="retired", replaced_by=("Wikidata:Q900001",))


def test_lines_gzip_answers_of_the_api_and_simplified_entities(
    write: Callable[[str, str | bytes], Path],
) -> None:
    lines = write("items.ndjson.gz", gzip.compress((json.dumps(FULL) + "\n" + json.dumps(entity("Q2"))).encode()))
    answer = write("answer.json", json.dumps({"entities": {"Q900001": FULL, "Q900009": entity("Q2")}, "success": 1}))
    pretty = write("Q900001.json", json.dumps(FULL, indent=2))
    simple = write(
        "simple.ndjson",
        json.dumps(
            {"id": "Q3", "labels": {"en": "frost ear"}, "aliases": {"en": ["cold ear"]}, "claims": {"P486": ["D9"]}}
        ),
    )
    assert {sniff([p]).name for p in (lines, answer, pretty, simple)} == {"wikidata"}
    ids = [[c.id.removeprefix("Wikidata:") for c in read_release([p]).concepts()] for p in (lines, answer, pretty)]
    assert ids == [["Q900001", "Q2"], ["Q900001", "Q900009", "Q2"], ["Q900001"]]
    concept = next(iter(read_release([simple]).concepts()))
    assert [t.text for t in concept.terms] == ["frost ear", "cold ear"]
    assert concept.xrefs == ("MESH:D9",)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ('{"type":"item","id":"Q5","labels":{"en":7},"claims":{"P486":["D1"]}}', "expected a text, found int"),
        ('{"type":"item","id":"5","labels":{},"claims":{"P486":["D1"]}}', "an entity without an id"),
        ('{"type":"item","id":"Q5","claims":"P486","x":"P486"', "unexpected end of data"),
        ('{"type":"item","id":"Q5","labels":"x","claims":{"P486":["D1"]}}', "expected an object, found str"),
        ('["P486"]', "not a JSON object"),
    ],
)
def test_malformed_entities_are_counted(read: Read, bad: str, problem: str) -> None:
    concepts, release = read("d.json", dump(FULL, bad))
    assert len(concepts) == 1
    assert (release.counts.rows, release.counts.malformed) == (2, 1)
    assert problem in release.counts.examples[0].problem
    assert release.counts.examples[0].line == 3
    with pytest.raises(FormatError, match=r"d\.json:3"):
        read("d.json", dump(FULL, bad), strict=True)


def test_prefixes_are_canonical() -> None:
    assert EXTERNAL_IDS["P2892"] == "UMLS"
    assert EXTERNAL_IDS["P1550"] == "ORPHA"
    assert EXTERNAL_IDS["P5806"] == "SCTID"
