from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ontonym.errors import FormatError
from ontonym.types import Concept, Property, Relation, Term

Read = Callable[..., Any]

HEADER = """format-version: 1.4
data-version: hp/releases/2025-01-16
synonymtypedef: HP:0045077 "abbreviation"
synonymtypedef: layperson "layperson term"
ontology: hp
property_value: dc:title "Test ontology" xsd:string
property_value: terms:license https://example.org/license

"""

FULL = r"""[Term]
id: HP:0000001 ! the root
name: Seizures\, all {comment="kept out"} ! not this
namespace: phenotype
alt_id: HP:0000009
def: "A \"fit\"\nor a spell." [PMID:1, http\://x.org "a, b"]
subset: core
synonym: "Fits" EXACT layperson [HPO:x]
synonym: "SZ" BROAD HP:0045077 [] {source="y"}
synonym: "Old" RELATED obsolete_synonym []
synonym: "no scope" []
xref: MeSH:D012640 "Seizures"
xref: UMLS_CUI:C0036572 {source="z"}
is_a: HP:0000118 {inferred="true"} ! Phenotypic abnormality
relationship: part_of UBERON:0000955 ! brain
comment: Not the same as HP\:7, say its editors. ! nor this
creation_date: 2020-01-01T00:00:00Z
"""


def one(read: Read, stanza: str) -> Concept:
    concepts, _ = read("t.obo", HEADER + stanza)
    assert len(concepts) == 1
    concept: Concept = concepts[0]
    return concept


def test_a_full_stanza(read: Read) -> None:
    assert one(read, FULL) == Concept(
        id="HP:0000001",
        terms=(
            Term("Seizures, all", "preferred"),
            Term("Fits", "lay", "exact", source="layperson"),
            Term("SZ", "abbreviation", "broad", source="HP:0045077"),
            Term("Old", "synonym", "related", status="retired", source="obsolete_synonym"),
            Term("no scope", "synonym", "related"),
        ),
        parents=("HP:0000118",),
        relations=(Relation("part_of", "UBERON:0000955"),),
        definitions=('A "fit"\nor a spell.',),
        tags=("phenotype", "core"),
        alternative_ids=("HP:0000009",),
        xrefs=("MESH:D012640", "UMLS:C0036572"),
        properties=(Property("comment", "Not the same as HP:7, say its editors."),),
    )


def test_annotations_of_skos_are_mappings(read: Read) -> None:
    stanza = """[Term]
id: X:1
name: a
property_value: skos:exactMatch MSH:D1 {source="y"} ! one
property_value: exactMatch "http://www.orpha.net/ORDO/Orphanet_2" xsd:string
property_value: skos:exactMatch MESH:D1
property_value: dc:creator "exactMatch" xsd:string
"""
    found = [(one.subject_id, one.predicate_id, one.object_id) for one in one(read, stanza).mappings]
    assert found == [
        ("X:1", "skos:exactMatch", "MESH:D1"),
        ("X:1", "skos:exactMatch", "ORPHA:2"),
    ]


def test_header_goes_to_the_metadata(read: Read) -> None:
    _, release = read("t.obo", HEADER + FULL)
    metadata = release.metadata
    assert (metadata.name, metadata.version, metadata.title, metadata.licence, metadata.prefix, metadata.format) == (
        "hp", "2025-01-16", "Test ontology", "https://example.org/license", "HP", "obo",
    )  # fmt: skip


def test_obsolete_term_is_retired_with_its_successors(read: Read) -> None:
    stanza = "[Term]\nid: HP:2\nname: obsolete Thing\nis_obsolete: true\nreplaced_by: HP:3\nconsider: HP:4\n"
    concept = one(read, stanza)
    assert (concept.status, concept.preferred, concept.replaced_by, concept.consider) == (
        "retired", "obsolete Thing", ("HP:3",), ("HP:4",),
    )  # fmt: skip


def test_obo_1_0_synonym_tags_carry_their_scope(read: Read) -> None:
    concept = one(read, '[Term]\nid: X:1\nname: a\nnarrow_synonym: "b" []\nexact_synonym: "c" []\n')
    assert concept.terms[1:] == (Term("b", "synonym", "narrow"), Term("c", "synonym", "exact"))


def test_line_continued_by_a_backslash(read: Read) -> None:
    assert one(read, "[Term]\nid: X:1\nname: a long \\\nname\n").preferred == "a long name"
    assert one(read, "[Term]\nid: X:1\nname: a\n\\").preferred == "a"


def test_braces_and_exclamation_marks_inside_a_name_stay(read: Read) -> None:
    assert one(read, "[Term]\nid: X:1\nname: {2-methyl} wow!s\n").preferred == "{2-methyl} wow!s"


def test_id_whose_prefix_is_normalized_is_found_as_published_too(read: Read) -> None:
    concept = one(read, "[Term]\nid: Orphanet:100\nname: a\nis_a: Orphanet:7\n")
    assert (concept.id, concept.alternative_ids, concept.parents) == ("ORPHA:100", ("Orphanet:100",), ("ORPHA:7",))


@pytest.mark.parametrize(
    ("stanza", "line", "problem", "excerpt"),
    [
        ("[Term]\nname: no id\n", 9, "a stanza without an id", "name: no id"),
        ('[Term]\nid: X:2\ndef: "open\n', 11, "def: unterminated quote (X:2 is left out)", 'def: "open'),
        ("[Term]\nid: X:2\nnonsense\n", 11, "a line without a tag (X:2 is left out)", "nonsense"),
        ("[Term]\nid: X:2\nid: X:3\n", 11, "id: a second id in one stanza (X:2 is left out)", "id: X:3"),
        ("[Term]\nid: X:1\nname: again\n", 9, "duplicate id X:1", "id: X:1"),
        ("[Term\nid: X:2\nname: b\n", 9, "broken stanza header '[Term'", "id: X:2"),
        ("[Term]\nid: X:2\nis_a: ! nothing\n", 11, "is_a: an empty value (X:2 is left out)", "is_a: ! nothing"),
    ],
)
def test_a_broken_stanza_is_counted_with_its_line_and_left_out(
    read: Read, stanza: str, line: int, problem: str, excerpt: str
) -> None:
    text = "format-version: 1.2\n\n[Term]\nid: X:1\nname: good\n\n[Typedef]\n\n"
    concepts, release = read("t.obo", text + stanza + "\n[Term]\nid: X:9\nname: after\n")
    assert [c.id for c in concepts] == ["X:1", "X:9"]
    assert release.counts.to_dict()["rows"] == {
        "read": 4, "kept": 2, "skipped": {"Typedef stanza": 1}, "malformed": 1,
    }  # fmt: skip
    row = release.counts.examples[0]
    assert (row.file, row.line, row.problem, row.excerpt) == ("t.obo", line, problem, excerpt)


def test_strict_stops_at_the_broken_stanza(read: Read) -> None:
    with pytest.raises(FormatError, match=r"t\.obo:3: a line without a tag"):
        read("t.obo", "[Term]\nid: X:1\nbroken\n", strict=True)


def test_only_five_malformed_rows_are_shown_and_all_counted(read: Read) -> None:
    _, release = read("t.obo", "[Term]\nid: X:1\nname: a\n" + "[Term]\nname: b\n" * 7)
    assert (release.counts.malformed, len(release.counts.examples)) == (7, 5)


def test_stanza_without_a_name_is_skipped_by_rule(read: Read) -> None:
    _, release = read("t.obo", "[Term]\nid: X:1\nname: a\n\n[Term]\nid: Y:1\n\n[Instance]\nid: i\n\n[Other]\n")
    assert release.counts.to_dict()["rows"]["skipped"] == {
        "Instance stanza": 1, "stanza of an unknown kind": 1, "stanza without a name": 1,
    }  # fmt: skip


def test_languages_and_sources_are_rules_that_count_names(read: Read) -> None:
    concepts, release = read("t.obo", HEADER + FULL, sources=("LayPerson",))
    assert [t.text for t in concepts[0].terms] == ["Seizures, all", "Fits", "no scope"]
    assert release.counts.to_dict()["terms"] == {
        "read": 5,
        "kept": {"lay": 1, "preferred": 1, "synonym": 1},
        "skipped": {"source not asked for": 2},
    }


def test_reading_twice_gives_the_same_counts(read: Read) -> None:
    first, release = read("t.obo", HEADER + FULL)
    counts = release.counts.to_dict()
    assert list(release.concepts()) == first
    assert release.counts.to_dict() == counts


def test_progress_adds_up(write: Any) -> None:
    from ontonym.ontology.formats import read_release

    text = "".join(f"[Term]\nid: X:{i}\nname: n{i}\n\n" for i in range(2500))
    steps: list[tuple[str, int, int | None]] = []
    release = read_release([write("t.obo", text)], progress=lambda *told: steps.append(told))
    assert sum(1 for _ in release.concepts()) == 2500
    assert steps == [("concepts", 1000, None), ("concepts", 2000, None), ("concepts", 2500, 2500)]
