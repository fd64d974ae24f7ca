from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.types import Concept, Term

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
        ),
        "ICD10CM:S00.03": Concept(
            "ICD10CM:S00.03",
            (Term("Contusion of scalp", "preferred"), Term("Bruise of scalp", "entry", source="inclusionTerm")),
            parents=("ICD10CM:S00",),
            tags=("subcategory",),
            alternative_ids=("ICD10CM:S0003",),
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
