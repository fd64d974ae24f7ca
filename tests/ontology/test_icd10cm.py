from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.types import Concept, Property, Relation, Term

Write = Callable[[str, str | bytes], Path]

XML = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular>
  <version>2021</version>
  <introduction><introSection type="title"><title>x</title></introSection></introduction>
  <chapter>
    <name>19</name>
    <desc>Injury (S00-T88)</desc>
    <includes><note>trauma</note><note>any injury</note></includes>
    <section id="S00">
      <desc>Injuries to the head (S00)</desc>
      <diag>
        <name>S00</name>
        <desc>Superficial injury of head</desc>
        <excludes1><note>open wound (S01.-)</note></excludes1>
        <sevenChrDef>
          <extension char="A">initial encounter</extension>
          <extension char="D">subsequent
            encounter</extension>
        </sevenChrDef>
        <diag>
          <name>S00.03</name>
          <desc>Contusion of scalp</desc>
          <inclusionTerm><note>Bruise of scalp</note><note>Bruise as in S00.1</note></inclusionTerm>
        </diag>
      </diag>
    </section>
  </chapter>
</ICD10CM.tabular>
"""
ORDER = (  # fixed columns: number, code, billable, short title, long title
    "00001 S00     0 Superficial injury of head                                   Superficial injury of head\n"
    "00002 S0003   0 Contusion of scalp                                           Contusion of the scalp\n"
    "00003 S0003XA 1 Contusion of scalp, init                                     Contusion of scalp, init encounter\n"
    "00004 S0003XD 1 Contusion of scalp, subs                                     Contusion of scalp, subs encounter\n"
)


def by_id(write: Write, *contents: str) -> tuple[dict[str, Concept], dict[str, object]]:
    release = read_release([write(f"f{i}", text) for i, text in enumerate(contents)])
    concepts = {c.id: c for c in release.concepts()}
    return concepts, release.counts.to_dict()


def test_xml_alone_gives_chapters_blocks_and_base_codes(write: Write) -> None:
    concepts, counts = by_id(write, XML)
    assert concepts == {
        "ICD10CM:19": Concept(
            "ICD10CM:19",
            (Term("Injury", "preferred"), Term("trauma", "entry", "narrow", source="includes")),
            tags=("chapter",),
            properties=(Property("includes", "any injury"),),
        ),
        "ICD10CM:S00-S00": Concept(
            "ICD10CM:S00-S00",
            (Term("Injuries to the head", "preferred"),),
            parents=("ICD10CM:19",),
            tags=("block",),
        ),
        "ICD10CM:S00": Concept(
            "ICD10CM:S00",
            (Term("Superficial injury of head", "preferred"),),
            parents=("ICD10CM:S00-S00",),
            tags=("category",),
            properties=(
                Property("excludes1", "open wound (S01.-)"),
                Property("seventh character", "A: initial encounter"),
                Property("seventh character", "D: subsequent encounter"),
            ),
        ),
        "ICD10CM:S00.03": Concept(
            "ICD10CM:S00.03",
            (Term("Contusion of scalp", "preferred"), Term("Bruise of scalp", "entry", source="inclusionTerm")),
            parents=("ICD10CM:S00",),
            tags=("subcategory",),
            alternative_ids=("ICD10CM:S0003",),
            properties=(Property("inclusionTerm", "Bruise as in S00.1"),),
        ),
    }
    assert counts["terms"] == {
        "read": 8, "kept": {"entry": 2, "preferred": 4}, "skipped": {"note that is not a name": 2},
    }  # fmt: skip


def test_inclusion_terms_of_an_other_code_are_narrower(write: Write) -> None:
    concepts, _ = by_id(write, XML.replace("<desc>Contusion of scalp", "<desc>Other contusion of scalp"))
    assert concepts["ICD10CM:S00.03"].terms[1] == Term("Bruise of scalp", "entry", "narrow", source="inclusionTerm")


def test_order_file_gives_long_titles_and_extended_codes(write: Write) -> None:
    concepts, counts = by_id(write, ORDER, XML)
    assert [t.text for t in concepts["ICD10CM:S00.03"].terms] == [
        "Contusion of the scalp", "Contusion of scalp", "Bruise of scalp",
    ]  # fmt: skip
    assert concepts["ICD10CM:S00.03XD"] == Concept(
        "ICD10CM:S00.03XD",
        (Term("Contusion of scalp, subs encounter", "preferred"),),
        parents=("ICD10CM:S00.03",),
        tags=("extended", "billable"),
        alternative_ids=("ICD10CM:S0003XD",),
        properties=(Property("seventh character", "D: subsequent encounter"),),
    )
    assert counts["rows"] == {
        "read": 8, "kept": 6, "skipped": {"list line of a code in the tabular XML": 2}, "malformed": 0,
    }  # fmt: skip


def test_plain_list_takes_the_meaning_of_the_seventh_character_from_an_ancestor(write: Write) -> None:
    concepts, counts = by_id(write, XML, "19\nS00\nS00\nS0003\nS0003XA\nS00.03XD\nS0003XZ\n")
    assert concepts["ICD10CM:S00.03XA"].preferred == "Contusion of scalp, initial encounter"
    assert concepts["ICD10CM:S00.03XD"].preferred == "Contusion of scalp, subsequent encounter"
    assert counts["malformed_examples"] == [
        {
            "file": "f1",
            "line": 7,
            "problem": "a code that the tabular XML does not explain",
            "excerpt": "S0003XZ",
        }
    ]


def test_codes_file_gives_titles_and_what_is_billable_beside_the_order_file(write: Write) -> None:
    codes = (
        "S0003XA Contusion of scalp, initial\nS0003XD Contusion of scalp, later\nS0003XS Contusion of scalp, after\n"
    )
    concepts, counts = by_id(write, XML, codes, ORDER)
    assert concepts["ICD10CM:S00.03XA"].preferred == "Contusion of scalp, init encounter"
    assert concepts["ICD10CM:S00.03XS"].preferred == "Contusion of scalp, after"
    assert concepts["ICD10CM:S00.03XS"].tags == ("extended", "billable")
    assert counts["rows"] == {
        "read": 11,
        "kept": 7,
        "skipped": {"list line of a code in another list": 2, "list line of a code in the tabular XML": 2},
        "malformed": 0,
    }


def test_list_without_the_xml_says_what_to_give(write: Write) -> None:
    with pytest.raises(FormatError, match="without the tabular XML"):
        by_id(write, ORDER)


def test_xml_cut_short_names_the_line(write: Write) -> None:
    with pytest.raises(FormatError, match=r"f0:\d+: not well-formed XML"):
        by_id(write, XML[:600])


def test_external_entity_is_not_read(write: Write, tmp_path: Path) -> None:
    secret = write("secret", "SECRET")
    text = XML.replace(
        "<ICD10CM.tabular>", f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]><ICD10CM.tabular>'
    ).replace("trauma", "trauma &e;")
    with pytest.raises(FormatError, match=r"f0:1: the document type declares entities.+xmllint"):
        by_id(write, text)


def test_entity_bomb_does_not_expand(write: Write) -> None:
    entities = '<!ENTITY a0 "lol">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    text = XML.replace("<ICD10CM.tabular>", f"<!DOCTYPE x [{entities}]><ICD10CM.tabular>").replace("trauma", "t &a11;")
    with pytest.raises(FormatError, match="declares entities"):
        by_id(write, text)


NOTED = """<ICD10CM.tabular><version>2030</version>
  <chapter><name>10</name><desc>Chest diseases (J00-J99)</desc>
    <excludes2><note>injuries (S00-T88)</note></excludes2>
    <section id="J00-J06"><desc>Chest infections (J00-J06)</desc>
      <useAdditionalCode><note>code (J09), to identify infectious agent</note></useAdditionalCode>
      <diag><name>J00</name><desc>Chest cold</desc>
        <excludes1><note>rheum (J01.-, J09.1-)</note>
          <note>any of (J00-J06)</note><note>any of (J00-J01)</note></excludes1>
        <codeFirst><note>underlying disease, such as:</note><note>amyloid of the whole (J00-J99)</note></codeFirst>
        <codeAlso><note>vitamin B12 deficiency (J01.8)</note></codeAlso>
        <notes><note>J00 is rare</note></notes>
        <sevenChrNote><note>One of these is to be assigned to J01.1-</note></sevenChrNote>
      </diag>
      <diag><name>J01</name><desc>Rheum</desc>
        <diag><name>J01.1</name><desc>Rheum of the left</desc></diag>
        <diag placeholder="true"><name>J01.8</name><desc>Other rheum</desc>
          <visualImpairment><visCategory><heading>Kind</heading><value>1</value></visCategory></visualImpairment>
        </diag>
      </diag>
    </section>
  </chapter>
</ICD10CM.tabular>"""
INDEX = """<ICD10CM.index>
  <version>2030</version><title>ICD-10-CM INDEX TO DISEASES and INJURIES</title>
  <letter><title>C</title>
    <mainTerm><title>Catarrh, catarrhal<nemod>(acute) (chronic)</nemod></title><code>J00</code>
      <seeAlso>Rheum, left</seeAlso>
      <term level="1"><title>with</title>
        <term level="2"><title>sneezing</title><code>J01.8</code><manif>J01.1</manif></term></term>
      <term level="1"><title>nose</title><see>Rheum, nowhere</see></term>
      <term level="1"><title>nowhere</title><code>J77.7</code></term></mainTerm>
    <mainTerm><title>Coryza</title><see>Catarrh</see></mainTerm>
    <mainTerm><title>Cough</title><seecat>J01.-</seecat></mainTerm>
    <mainTerm><title>Chest cold</title><code>J00</code></mainTerm>
    <mainTerm><title></title><code>J00</code></mainTerm>
  </letter>
  <letter><title>R</title>
    <mainTerm><title>Rheum</title><code>J01.-</code><seeAlso>condition</seeAlso>
      <term level="1"><title>left</title><code>J01.1</code></term></mainTerm>
  </letter>
</ICD10CM.index>"""
DRUGS = """<ICD10CM.index>
  <title>ICD-10-CM TABLE of DRUGS and CHEMICALS</title>
  <indexHeading><head col="1">Substance</head><head col="2">Poisoning Accidental</head>
    <head col="3">Underdosing</head></indexHeading>
  <letter><title>S</title>
    <mainTerm><title>Snuff</title><cell col="2">J01.1</cell><cell col="3">--</cell></mainTerm>
  </letter>
</ICD10CM.index>"""


def test_notes_are_properties_and_the_codes_they_cite_relations(write: Write) -> None:
    concepts, _ = by_id(write, NOTED)
    assert concepts["ICD10CM:J00"].properties == (
        Property("excludes1", "rheum (J01.-, J09.1-)"),
        Property("excludes1", "any of (J00-J06)"),
        Property("excludes1", "any of (J00-J01)"),
        Property("codeFirst", "underlying disease, such as:"),
        Property("codeFirst", "amyloid of the whole (J00-J99)"),
        Property("codeAlso", "vitamin B12 deficiency (J01.8)"),
        Property("notes", "J00 is rare"),
        Property("sevenChrNote", "One of these is to be assigned to J01.1-"),
    )
    assert concepts["ICD10CM:J00"].relations == (
        Relation("excludes1", "ICD10CM:J01"),
        Relation("excludes1", "ICD10CM:J00-J06"),
        Relation("codeFirst", "ICD10CM:10"),
        Relation("codeAlso", "ICD10CM:J01.8"),
        Relation("sevenChrNote", "ICD10CM:J01.1"),
    )
    assert concepts["ICD10CM:10"].relations == ()
    assert concepts["ICD10CM:J01.8"].properties == (
        Property("visualImpairment", "Kind 1"), Property("placeholder", "true"),
    )  # fmt: skip


def test_indexes_name_the_codes_that_they_lead_to(write: Write) -> None:
    concepts, counts = by_id(write, NOTED, INDEX, DRUGS)
    names = {i: [(t.text, t.source, t.scope) for t in c.terms if t.kind == "entry"] for i, c in concepts.items()}
    assert names["ICD10CM:J00"] == [
        ("Catarrh, catarrhal", "index", "exact"),
        ("Catarrh, catarrhal (acute) (chronic)", "index", "exact"),
        ("Coryza", "index", "exact"),
    ]
    assert names["ICD10CM:J01.8"] == [
        ("Catarrh, catarrhal, with, sneezing", "index", "narrow"),
        ("Catarrh, catarrhal (acute) (chronic), with, sneezing", "index", "narrow"),
    ]
    assert names["ICD10CM:J01"] == [("Cough", "index", "exact")]
    assert names["ICD10CM:J01.1"] == [
        ("Rheum, left", "index", "exact"), ("Snuff, Poisoning Accidental", "drug", "exact"),
    ]  # fmt: skip
    assert Relation("seeAlso", "ICD10CM:J01.1") in concepts["ICD10CM:J00"].relations
    assert Property("seeAlso", "Rheum, left") in concepts["ICD10CM:J00"].properties
    assert concepts["ICD10CM:J01.8"].relations == (Relation("manif", "ICD10CM:J01.1"),)
    assert concepts["ICD10CM:J01"].properties == (Property("seeAlso", "condition"),)
    assert counts["rows"] == {
        "read": 18,
        "kept": 6 + 8,
        "skipped": {
            "index term of a code that the tabular XML and the lists do not have": 1,
            "index term that refers to another without one code of its own": 1,
            "index term without a code": 1,
        },
        "malformed": 1,
    }


def test_index_names_in_the_order_of_title_concatenation(write: Write) -> None:
    release = read_release([write("t", NOTED), write("i", INDEX)], options=ReadOptions(full_titles=True))
    names = {c.id: [t.text for t in c.terms] for c in release.concepts()}
    assert names["ICD10CM:J01.1"] == ["Rheum of the left", "left Rheum"]
    assert "Catarrh, catarrhal with sneezing" in names["ICD10CM:J01.8"]


def test_index_without_the_xml_says_what_to_give(write: Write) -> None:
    with pytest.raises(FormatError, match=r"an alphabetic index without the tabular XML.*icd10cm_tabular"):
        by_id(write, INDEX)
