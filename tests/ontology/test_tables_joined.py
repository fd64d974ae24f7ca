"""Tables of one release in several files, the roles that only they need, and tables that add to other formats."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import FormatError, InputError
from ontonym.ontology.formats import read_release
from ontonym.ontology.like import as_before
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.types import Concept, Mapping, Property, Relation, Term

Read = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]


def load(*paths: Path, **options: Any) -> tuple[list[Concept], Release]:
    release = read_release(paths, options=ReadOptions(**options))
    return list(release.concepts()), release


LABELS = 'cls\tcls_label\tn\nX:2\t"frost toe"\t0\nX:1\tfrost\t0\nX:3\tfrost ear\t1\n'
EDGES = "x\tp\ty\nX:3\trdfs:subClassOf\tX:1\nX:2\tRO:1\tX:3\nX:2\trdfs:subClassOf\tX:1\nX:9\trdfs:subClassOf\tX:1\n"
XREFS = 'cls\txref\nX:2\t"MSH:D900001"\nX:2\tUMLS_CUI:C9000001\n'


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_labels_edges_and_cross_references_in_files_of_their_own(write: Write, order: tuple[int, ...]) -> None:
    files = [write("labels.tsv", LABELS), write("edges.tsv", EDGES), write("xrefs.tsv", XREFS)]
    concepts, release = load(*(files[i] for i in order))
    assert concepts == [
        Concept(
            "X:2",
            (Term("frost toe", "preferred"),),
            parents=("X:1",),
            relations=(Relation("RO:1", "X:3"),),
            xrefs=("MESH:D900001", "UMLS:C9000001"),
        ),
        Concept("X:1", (Term("frost", "preferred"),)),
        Concept("X:3", (Term("frost ear", "preferred"),), parents=("X:1",)),
    ]
    assert (release.counts.rows, release.counts.kept) == (9, 8)
    assert release.counts.skipped == {"row of a concept without any name": 1}
    assert release.metadata.columns["edges.tsv:predicate"] == "p"


def test_a_folder_of_tables_leaves_out_what_cannot_be_told(write: Write, tmp_path: Path) -> None:
    write("labels.tsv", LABELS)
    write("notes.tsv", "one\ttwo\nthree\tfour\n")
    concepts, release = load(tmp_path)
    assert len(concepts) == 3
    assert release.metadata.details["files_left_out"] == {"count": 1, "first": ["notes.tsv"]}
    (tmp_path / "labels.tsv").unlink()
    with pytest.raises(FormatError, match="cannot tell which columns"):
        load(tmp_path)


def test_edges_alone_name_nothing(write: Write) -> None:
    with pytest.raises(FormatError, match=r"edges\.tsv:1: no column with names \(id=x, predicate=p, object=y\)"):
        load(write("edges.tsv", EDGES))


def test_tree_numbers_give_the_parents(write: Write) -> None:
    labels = write("labels.tsv", "D1\tFrost\t\nD2\tFrost Toe\tToe, Frost|Cold Toe\nD3\tFrost Sole\t\n")
    trees = write(
        "tree.tsv",
        "mesh_id\tmesh_name\tmesh_tree_number\nD2\tFrost Toe\tC99.1\nD1\tFrost\tC99\nD3\tFrost Sole\tC99.1.5\n"
        "D3\tFrost Sole\tC98.7\nD3\tFrost Sole\tC99.5\n",
    )
    concepts, release = load(labels, trees, prefix="MESH")
    assert [(c.id, c.parents) for c in concepts] == [
        ("MESH:D1", ()),
        ("MESH:D2", ("MESH:D1",)),
        ("MESH:D3", ("MESH:D1", "MESH:D2")),
    ]
    assert [t.text for t in concepts[1].terms] == ["Frost Toe", "Toe, Frost", "Cold Toe"]
    assert concepts[2].properties[0] == Property("tree number", "C99.1.5")
    assert release.counts.kept == 8
    assert "labels.tsv:id=1" in release.metadata.details["columns"]


def test_parents_by_name(write: Write) -> None:
    text = (
        "id\tlabel\tsubClassOf\nX:2\ttoe\tfrost\nX:1\tfrost\t\nX:3\tear\tno such\nX:4\tsame\tfrost\nX:5\tsame\tsame\n"
    )
    concepts, release = load(write("t.tsv", text))
    assert [c.parents for c in concepts] == [("X:1",), (), (), ("X:1",), ()]
    assert (release.metadata.details["parent_names_not_found"], release.metadata.details["parent_names_shared"]) == (
        1,
        1,
    )


def test_columns_that_say_language_and_vocabulary(write: Write) -> None:
    table = write(
        "wd.csv",
        "\ufeffqid,en_label,ja_label,label_de,en_description,category_en,mesh_id,icd10,umls_id\r\n"
        'Q9,frost toe,霜つま先,Frostzehe,"a, b",disease,D900001,,C9000001\r\n',
    )
    more = write(
        "ids.csv", "entity,DOID\nhttp://www.wikidata.org/entity/Q9,DOID:9\nhttp://www.wikidata.org/entity/Q8,DOID:8\n"
    )
    concepts, _ = load(table, more)
    assert concepts == [
        Concept(
            "Wikidata:Q9",
            (
                Term("frost toe", "preferred"),
                Term("霜つま先", "preferred", language="ja"),
                Term("Frostzehe", "preferred", language="de"),
            ),
            definitions=("a, b",),
            tags=("disease",),
            xrefs=("MESH:D900001", "UMLS:C9000001", "DOID:9"),
        )
    ]


BABELON = (
    "source\tsource_language\ttranslation_language\tsubject_id\tpredicate_id\tsource_value\ttranslation_value\t"
    "translation_status\n"
    "s\ten\tde\tX:2\trdfs:label\tfrost toe\tFrostzehe\tOFFICIAL\n"
    "s\ten\tde\tX:1\trdfs:label\tfrost\tNA\tNOT_TRANSLATED\n"
    "s\ten\tde\tX:2\tIAO:0000115\tcold\tkalt\tOFFICIAL\n"
    "s\ten\tde\tX:2\toboInOwl:hasRelatedSynonym\tcold toe\tKalte Zehe\tCANDIDATE\n"
    "s\ten\tde\tX:7\trdfs:label\tnew\tneu\tOFFICIAL\n"
)
TEMPLATE = (
    "subject_id\ttranslation_value\tcomment\nID\tAL oboInOwl:hasExactSynonym@fr\t\nX:2\torteil de givre\tOFFICIAL\n"
)
OBO = (
    "format-version: 1.4\nontology: x\n\n[Term]\nid: X:1\nname: frost\n\n[Term]\nid: X:2\nname: frost toe\n"
    'alt_id: X:22\nsynonym: "icy toe" EXACT []\nis_a: X:1\n'
)


def test_translations_add_to_a_release_in_another_format(write: Write) -> None:
    own = write("own.csv", "id,name,synonyms,xrefs\nX:22,frost toe,icy toe|my toe,LOCAL:5\nX:8,other,,\nX:1,Frost!,,\n")
    files = [write("x-de.tsv", BABELON), write("x.obo", OBO), write("x-fr.tsv", TEMPLATE), own]
    release = read_release(files)
    parts = list(release.concepts())
    assert [c.id for c in parts[:2]] == ["X:1", "X:2"]
    assert [(c.id, c.terms) for c in parts[2:]] == [
        ("X:2", (
            Term("Frostzehe", "preferred", language="de", source="OFFICIAL"),
            Term("Kalte Zehe", "synonym", "related", language="de", source="CANDIDATE"),
            Term("orteil de givre", language="fr", source="OFFICIAL"),
        )),
        ("X:2", (Term("my toe"),)),
        ("X:1", (Term("Frost!"),)),
    ]  # fmt: skip
    assert parts[2].definitions == ("kalt",)
    assert parts[3].xrefs == ("LOCAL:5",)
    counts = release.counts
    assert counts.skipped == {"name not translated": 1, "row of a concept that is not in the release": 2}
    assert counts.concepts == {"active": 2}
    assert counts.terms_skipped == {"repeated name": 2}
    assert release.metadata.format == "obo"
    assert release.metadata.details["added_from"] == ["x-de.tsv", "x-fr.tsv", "own.csv"]


def test_translations_alone_are_a_terminology(write: Write) -> None:
    concepts, _ = load(write("x-de.tsv", BABELON), write("x-fr.tsv", TEMPLATE), sources=("OFFICIAL",))
    assert [(c.id, [t.text for t in c.terms]) for c in concepts] == [
        ("X:2", ["Frostzehe", "orteil de givre"]), ("X:7", ["neu"]),
    ]  # fmt: skip


SSSOM = """#curie_map:
#  mesh: http://id.nlm.nih.gov/mesh/
# license: https://creativecommons.org/publicdomain/zero/1.0/
# mapping_set_id: https://example.org/x.sssom.tsv
# mapping_set_version: https://example.org/releases/2026-08-04/x.sssom.tsv
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label\tmapping_justification\tconfidence
X:2\tfrost toe\tskos:exactMatch\t\tmesh:D900001\tFrost Toe\tsemapv:ManualMappingCuration\t0.9
X:2\tfrost toe\tskos:exactMatch\tNot\tmesh:D900002\tFrost\tsemapv:ManualMappingCuration\t
X:3\t\tskos:broadMatch\t\tmesh:D900002\tFrost\tsemapv:LexicalMatching\tmuch
X:4\t\tskos:broadMatch\t\tmesh:D900002\tFrost\tsemapv:LexicalMatching\t
"""


def test_mappings_in_sssom(write: Write) -> None:
    concepts, release = load(write("x.sssom.tsv", SSSOM))
    assert concepts == [
        Concept(
            "X:2",
            (Term("frost toe", "preferred"),),
            properties=(Property("not skos:exactMatch", "MESH:D900002"),),
            mappings=(
                Mapping("X:2", "skos:exactMatch", "MESH:D900001", "semapv:ManualMappingCuration", 0.9, "frost toe",
                        "Frost Toe", "https://example.org/x.sssom.tsv"),
            ),
        ),
        Concept("X:4", (), mappings=(
            Mapping("X:4", "skos:broadMatch", "MESH:D900002", "semapv:LexicalMatching", None, "", "Frost",
                    "https://example.org/x.sssom.tsv"),
        )),
    ]  # fmt: skip
    assert [(r.line, r.problem) for r in release.counts.examples] == [(9, "the confidence 'much' is not a number")]
    assert (release.metadata.version, release.metadata.licence[-9:]) == ("2026-08-04", "zero/1.0/")


def test_json_arrays_and_objects_of_texts(write: Write) -> None:
    rows = [
        {"efo_uri": "http://x", "efo_id": "X:1", "efo_label": "frost", "xref": ["MSH:D1", "DOID:2"], "n": 1, "o": {}},
        {"efo_uri": None, "efo_id": "X:2", "efo_label": "toe|ear", "xref": None},
        {"efo_id": "X:3", "efo_label": {"en": "x"}},
    ]
    concepts, release = load(write("x.json", json.dumps(rows, indent=1)))
    assert [(c.id, c.preferred, c.xrefs) for c in concepts] == [
        ("X:1", "frost", ("MESH:D1", "DOID:2")), ("X:2", "toe|ear", ()),
    ]  # fmt: skip
    assert release.counts.examples[0].problem == "'efo_label' holds an object where a text is needed"
    titles = write("titles.json", json.dumps({f"D{i}": f"Frost_toe_{i}" for i in range(5)}))
    concepts, _ = load(titles, prefix="MESH")
    assert (concepts[4].id, concepts[4].preferred) == ("MESH:D4", "Frost_toe_4")
    mapped = ColumnMapping.parse(["id@MESH=key", "preferred=value", "xrefs@Wikipedia=value"])
    assert load(titles, columns=mapped)[0][0].xrefs == ("Wikipedia:Frost_toe_0",)
    for broken in ('[{"id": "X:1", "name": "a"}, {"id": ', '[{"id": "X:1", "name": "a"}, 5]'):
        with pytest.raises(FormatError, match=r"y\.json(:1)?: not "):
            load(write("y.json", broken))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,name,name\nA,x,y\n", r"t\.csv:1: several columns are called 'name': give the number instead, 2 and 3"),
        ("id,label\nA,x\n", r"t\.csv:1: unknown column 'name'\. .*Valid: id, label"),
    ],
)
def test_columns_named_that_are_not_there_or_there_twice(write: Write, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(write("t.csv", text), columns=ColumnMapping.parse(["id=id", "preferred=name"]))
    by_number = ColumnMapping.parse(["id=1", "preferred=2", "header=yes"])
    assert load(write("t.csv", text), columns=by_number)[0][0].preferred == "x"


def test_a_header_twice_is_guessed_as_the_first(write: Write) -> None:
    assert load(write("t.csv", "id,name,name\nA,x,y\n"))[0][0].preferred == "x"


def test_settings_are_read_back_as_they_were() -> None:
    words = ["id@MESH=a=b", "preferred@ja=name, ja", "separator=;", "delimiter=tab", "header=no",
             "edges*.tsv:id=x", "edges*.tsv:parents=y"]  # fmt: skip
    mapping = ColumnMapping.parse(words)
    assert mapping.settings() == words
    assert ColumnMapping.parse(mapping.settings()) == mapping
    assert mapping.for_file("a/edges-2.tsv") == ColumnMapping(id=("x",), parents=("y",))
    only = ColumnMapping.parse(["edges*.tsv:id=x"])
    assert only.for_file("labels.tsv") is None
    with pytest.raises(InputError, match=r"status takes no @"):
        ColumnMapping.parse(["id=a", "status@de=b"])


def test_the_next_release_is_read_as_the_last(write: Write) -> None:
    labels = write("labels-2024-01.tsv", "k\tlabel\tde_label\nX:1\tfrost\tFrost\n")
    edges = write("edges-2024-01.tsv", EDGES)
    columns = ColumnMapping.parse(["labels*:id=k", "labels*:preferred@la=label"])
    first, release = load(labels, edges, columns=columns, prefix="X", languages=("la",), name="mine")
    format_, options = as_before(json.loads(json.dumps(release.metadata.to_dict())))
    assert (format_, options.languages, options.prefix, options.name) == ("table", ("la",), "X", "mine")
    new = write("labels-2025-02.tsv", "de_label\tlabel\tk\nFrost\tfrost\tX:1\n"), write("edges-2025-02.tsv", EDGES)
    again = read_release(new, format=format_, options=options)
    assert list(again.concepts()) == first == [Concept("X:1", (Term("frost", "preferred", language="la"),))]
    with pytest.raises(FormatError, match=r"labels-2026\.tsv:1: unknown column 'k'.*Valid: id, label"):
        list(read_release([write("labels-2026.tsv", "id\tlabel\nX:1\tfrost\n")], options=options).concepts())


def test_guessed_columns_are_kept_for_the_next_release(write: Write) -> None:
    _, release = load(write("a-1.csv", "code,display,title\nA,frost,Frost!\n"))
    format_, options = as_before(release.metadata.to_dict())
    concepts = read_release([write("a-2.csv", "name,code,display\nno,A,frost\n")], format=format_, options=options)
    assert [t.text for c in concepts.concepts() for t in c.terms] == ["frost"]


def test_options_survive_a_manifest() -> None:
    options = ReadOptions(
        languages=("en",), prefix="L", columns=ColumnMapping.parse(["id=a", "lay=b"]), linked_to=("MESH",)
    )
    assert ReadOptions.from_dict(json.loads(json.dumps(options.to_dict()))) == options
    assert ReadOptions.from_dict({"languages": ["en"], "of a later version": 1}) == ReadOptions(languages=("en",))
    assert ReadOptions().to_dict() == {}
