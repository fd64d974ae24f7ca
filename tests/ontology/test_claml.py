from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.ontology.icd.clamlcodes import appended
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.types import Concept, Property, Relation, Term

Write = Callable[[str, str | bytes], Path]

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ClaML SYSTEM "ClaML.dtd">
<ClaML version="2.0.0">
  <Meta name="TopLevelSort" value="I II"/><Meta name="lang" value="en"/>
  <Identifier authority="WHO" uid="icd10_2030"/>
  <Title date="2030-01-01" name="ICD-10-EN-2030" version="2030">Statistical Classification, 10th Revision</Title>
  <UsageKinds><UsageKind mark="*" name="aster"/><UsageKind mark="+" name="dagger"/></UsageKinds>
"""
MODIFIERS = """
  <Modifier code="S04E10_4"><SubClass code=".0"/><SubClass code=".1"/>
    <Rubric kind="text"><Label>Fourth characters</Label></Rubric></Modifier>
  <ModifierClass code=".0" modifier="S04E10_4"><SuperClass code="S04E10_4"/>
    <Rubric kind="preferred"><Label xml:lang="en">With sleep</Label></Rubric>
    <Rubric kind="inclusion"><Label xml:lang="en">Sleepy glump</Label></Rubric></ModifierClass>
  <ModifierClass code=".1" modifier="S04E10_4"><SuperClass code="S04E10_4"/>
    <Rubric kind="preferred"><Label xml:lang="en">Without complication</Label></Rubric></ModifierClass>
  <ModifierClass code="0" modifier="S04E10_5"><SuperClass code="S04E10_5"/>
    <Rubric kind="preferred"><Label xml:lang="en">not out of hand</Label></Rubric></ModifierClass>
  <ModifierClass code="1" modifier="S04E10_5"><SuperClass code="S04E10_5"/>
    <Meta name="excludeOnPrecedingModifier" value="S04E10_4 .1"/>
    <Rubric kind="preferred"><Label xml:lang="en">out of hand</Label></Rubric></ModifierClass>
"""
CLASSES = """
  <Class code="I" kind="chapter"><Meta name="MortL" value="1"/><SubClass code="E10-E14"/>
    <Rubric kind="preferred"><Label xml:lang="en">Glumps</Label></Rubric>
    <Rubric kind="inclusion"><Label xml:lang="en">all that glumps</Label></Rubric></Class>
  <Class code="E10-E14" kind="block"><SuperClass code="I"/><SubClass code="E10"/>
    <Rubric kind="preferred"><Label xml:lang="en">Glump of vitamin B<Term class="subscript">12</Term></Label></Rubric>
    <Rubric kind="exclusion"><Label xml:lang="en"><Para>stray glump
      <Reference class="in brackets">E12.-</Reference></Para></Label></Rubric></Class>
  <Class code="E10" kind="category"><SuperClass code="E10-E14"/>
    <ModifiedBy code="S04E10_4"/><ModifiedBy code="S04E10_5"/>
    <Rubric kind="preferred"><Label xml:lang="en">Glump</Label><Label xml:lang="de">Glumpf</Label></Rubric>
    <Rubric kind="definition"><Label xml:lang="en">A glump, seen.</Label></Rubric></Class>
  <Class code="E11" kind="category" usage="dagger"><SuperClass code="E10-E14"/>
    <Rubric kind="preferred"><Label xml:lang="en">Wet glump
      <Reference class="in brackets" usage="aster" code="E12">E12*</Reference></Label></Rubric>
    <Rubric kind="preferredLong"><Label xml:lang="en">Wet glump of the toe</Label></Rubric>
    <Rubric kind="inclusion"><Label xml:lang="en"><Fragment type="list">Glump:</Fragment>
      <Fragment type="list">in water</Fragment></Label></Rubric>
    <Rubric kind="inclusion"><Label xml:lang="en"><Reference>E10.0</Reference></Label></Rubric>
    <Rubric kind="exclusion"><Label xml:lang="en">glumps (<Reference>E10-E14</Reference>, <Reference>Q99.9</Reference>)
      </Label></Rubric>
    <Rubric kind="note"><Label xml:lang="en">See <Reference authority="WHO" uid="icd-o">E10</Reference></Label></Rubric>
  </Class>
  <Class code="E12" kind="category" usage="aster"><SuperClass code="E10-E14"/>
    <Rubric kind="preferred"><Label xml:lang="en">Other glump</Label></Rubric>
    <Rubric kind="inclusion"><Label xml:lang="en">Dry glump <Reference>E11†</Reference></Label></Rubric></Class>
</ClaML>
"""
XML = HEAD + MODIFIERS + CLASSES


def load(write: Write, text: str, **options: object) -> tuple[dict[str, Concept], Release]:
    release = read_release([write("claml.xml", text)], options=ReadOptions(**options))  # type: ignore[arg-type]
    return {concept.id: concept for concept in release.concepts()}, release


def test_classes_rubrics_and_references(write: Write) -> None:
    concepts, release = load(write, XML)
    assert concepts["ICD10:E11"] == Concept(
        "ICD10:E11",
        (
            Term("Wet glump of the toe", "preferred"),
            Term("Wet glump", source="preferred"),
            Term("Glump: in water", "entry", source="inclusion"),
        ),
        parents=("ICD10:E10-E14",),
        relations=(
            Relation("aster", "ICD10:E12"),
            Relation("inclusion", "ICD10:E10.0"),
            Relation("exclusion", "ICD10:E10-E14"),
        ),
        tags=("category",),
        properties=(
            Property("usage", "dagger"),
            Property("inclusion", "E10.0"),
            Property("exclusion", "glumps (E10-E14, Q99.9)"),
            Property("note", "See E10"),
        ),
    )
    assert concepts["ICD10:I"] == Concept(
        "ICD10:I",
        (Term("Glumps", "preferred"), Term("all that glumps", "entry", "narrow", source="inclusion")),
        tags=("chapter",),
        properties=(Property("MortL", "1"),),
    )
    assert concepts["ICD10:E10-E14"].preferred == "Glump of vitamin B12"
    assert concepts["ICD10:E10-E14"].relations == (Relation("exclusion", "ICD10:E12"),)
    assert concepts["ICD10:E10-E14"].properties == (Property("exclusion", "stray glump (E12.-)"),)
    assert concepts["ICD10:E12"].terms[1] == Term("Dry glump", "entry", "narrow", source="inclusion")
    assert concepts["ICD10:E12"].relations == (Relation("dagger", "ICD10:E11"),)
    assert concepts["ICD10:E10"].terms == (Term("Glump", "preferred"), Term("Glumpf", "preferred", language="de"))
    assert concepts["ICD10:E10"].definitions == ("A glump, seen.",)
    metadata = release.metadata
    assert (metadata.name, metadata.version, metadata.prefix) == ("icd10", "2030", "ICD10")
    assert metadata.details == {
        "ClaML": "2.0.0",
        "identifiers": ["WHO icd10_2030"],
        "codes made by modifiers": 5,
        "codes cited that are not in the release": 1,
    }
    assert release.counts.to_dict()["rows"] == {
        "read": 9,
        "kept": 5,
        "skipped": {"character of a modifier, written out with every code that has it": 4},
        "malformed": 0,
    }


def test_modifiers_make_codes_one_after_the_other(write: Write) -> None:
    concepts, _ = load(write, XML)
    made = {i: (c.preferred, c.parents) for i, c in concepts.items() if i.startswith("ICD10:E10.")}
    assert made == {
        "ICD10:E10.0": ("Glump with sleep", ("ICD10:E10",)),
        "ICD10:E10.1": ("Glump without complication", ("ICD10:E10",)),
        "ICD10:E10.00": ("Glump with sleep: not out of hand", ("ICD10:E10.0",)),
        "ICD10:E10.01": ("Glump with sleep: out of hand", ("ICD10:E10.0",)),
        "ICD10:E10.10": ("Glump without complication: not out of hand", ("ICD10:E10.1",)),
    }
    assert concepts["ICD10:E10.0"].terms == (
        Term("Glump with sleep", "preferred"),
        Term("Glumpf: With sleep", "preferred", language="de"),
        Term("Sleepy glump", "entry", "narrow", source="inclusion"),
    )
    assert concepts["ICD10:E10.01"].properties == (
        Property("modifier", "S04E10_4 .0"), Property("modifier", "S04E10_5 1"),
    )  # fmt: skip
    assert concepts["ICD10:E10.01"].alternative_ids == ("ICD10:E1001",)


def test_a_modifier_holds_below_its_class_but_not_where_it_is_excluded(write: Write) -> None:
    classes = """
      <ModifierClass code="0" modifier="S5"><SuperClass code="S5"/>
        <Rubric kind="preferred"><Label>shut</Label></Rubric></ModifierClass>
      <ModifierClass code="1" modifier="S5"><SuperClass code="S5"/>
        <Rubric kind="preferred"><Label>open</Label></Rubric></ModifierClass>
      <Class code="S00-S09" kind="block"><ModifiedBy code="S5" all="false" position="5"><ValidModifierClass code="1"/>
        </ModifiedBy><Rubric kind="preferred"><Label>Knocks</Label></Rubric></Class>
      <Class code="S02" kind="category"><SuperClass code="S00-S09"/><SubClass code="S02.0"/><SubClass code="S02.1"/>
        <Rubric kind="preferred"><Label>Knock</Label></Rubric></Class>
      <Class code="S02.0" kind="category"><SuperClass code="S02"/>
        <Rubric kind="preferred"><Label>Vault</Label></Rubric></Class>
      <Class code="S02.1" kind="category"><SuperClass code="S02"/><ExcludeModifier code="S5"/>
        <Rubric kind="preferred"><Label>Base</Label></Rubric></Class>
      <Class code="S03" kind="category"><SuperClass code="S00-S09"/>
        <Rubric kind="preferred"><Label>Bump</Label></Rubric></Class>
    </ClaML>"""
    concepts, _ = load(write, HEAD + classes)
    assert list(concepts) == [
        "ICD10:S00-S09", "ICD10:S02", "ICD10:S02.0", "ICD10:S02.01", "ICD10:S02.1", "ICD10:S03", "ICD10:S03.X1",
    ]  # fmt: skip
    assert concepts["ICD10:S02.01"].preferred == "Vault: open"


@pytest.mark.parametrize(
    ("code", "character", "position", "whole"),
    [
        ("E10", ".0", 4, "E10.0"), ("E10.0", "1", 5, "E10.01"), ("I70.0", "1", 4, "I70.01"), ("M45", "7", 5, "M45.X7"),
        ("W00", "3", 4, "W00.3"), ("W00", "3", 0, "W00.3"), ("5-433.3", "0", 0, "5-433.30"),
        ("5-538", ".0", 0, "5-538.0"), ("5-538.1", ".0", 0, "5-538.10"), ("M45", "7", 10**9, "M45.XXX7"),
    ],
)  # fmt: skip
def test_where_a_character_goes(code: str, character: str, position: int, whole: str) -> None:
    assert appended(code, character, position) == whole


@pytest.mark.parametrize(
    ("uid", "name", "prefix"),
    [
        ("icd10gm2030", "ICD-10-GM", "ICD10GM"), ("", "ICD-10-AM", "ICD10AM"), ("icf", "ICF", "ICF"),
        ("ops2030", "OPS", "OPS"), ("", "ICPC-2-E", "ICPC2"), ("2025", "CIM10", "ICD10"), ("", "MKN-10", "ICD10"),
        ("", "KSH97-P", "KSH97P"), ("", "", "CLAML"),
    ],
)  # fmt: skip
def test_prefix_is_told_from_identifier_and_title(write: Write, uid: str, name: str, prefix: str) -> None:
    text = (
        f'<ClaML version="3.0.0"><Identifier authority="x" uid="{uid}"/><Title name="{name}"/>'
        '<Class code="A" kind="chapter"><Rubric kind="preferred"><Label>First</Label></Rubric></Class></ClaML>'
    )
    assert list(load(write, text)[0]) == [f"{prefix}:A"]
    assert list(load(write, text, prefix="MINE")[0]) == ["MINE:A"]


def test_a_namespace_and_a_subclass_without_its_superclass(write: Write) -> None:
    text = (
        '<c:ClaML xmlns:c="http://x" version="3.0.0"><c:Class code="A" kind="chapter"><c:SubClass code="B"/>'
        '<c:Rubric kind="preferred"><c:Label xml:lang="de">Erstes</c:Label></c:Rubric></c:Class><c:Class code="B" '
        'kind="block"><c:Rubric kind="preferred"><c:Label xml:lang="de">Mit Schlaf</c:Label></c:Rubric></c:Class>'
        "</c:ClaML>"
    )
    concepts, _ = load(write, text, prefix="X", full_titles=True)
    assert concepts["X:B"].parents == ("X:A",)
    assert concepts["X:B"].terms == (
        Term("Erstes mit Schlaf", "preferred", language="de"),
        Term("Mit Schlaf", "synonym", "broad", "de", source="title"),
    )


def test_malformed_classes_are_counted(write: Write) -> None:
    rubric = '<Rubric kind="preferred"><Label>x</Label></Rubric>'
    characters = "".join(
        f'<ModifierClass modifier="m{m}" code="{n}">{rubric}</ModifierClass>' for m in range(5) for n in range(10)
    )
    applied = "".join(f'<ModifiedBy code="m{m}"/>' for m in range(5))
    text = (
        f'<ClaML version="2.0.0"><Title name="ICF"/>{characters}<Class code="A" kind="chapter">{rubric}</Class>'
        f'<Class code="A" kind="chapter">{rubric}</Class><Class kind="block">{rubric}</Class>'
        f'<Class code="B" kind="block"/><Class code="C" kind="category">{applied}{rubric}</Class></ClaML>'
    )
    concepts, release = load(write, text)
    assert list(concepts) == ["ICF:A"]
    assert [row["problem"] for row in release.counts.to_dict()["malformed_examples"]] == [
        "duplicate code A",
        "a Class without a code or a preferred title",
        "a Class without a code or a preferred title",
        "its modifiers make 111,110 codes of it, more than 10,000",
    ]
    with pytest.raises(FormatError, match="duplicate code A"):
        load(write, text, strict=True)


def test_superclasses_in_a_circle_end(write: Write) -> None:
    rubric = '<Rubric kind="preferred"><Label>x</Label></Rubric>'
    text = "".join(f'<Class code="{a}"><SuperClass code="{b}"/>{rubric}</Class>' for a, b in ("AB", "BA", "CA"))
    concepts, _ = load(write, f'<ClaML version="2.0.0"><Title name="ICF"/>{text}</ClaML>', full_titles=True)
    assert {i: c.parents for i, c in concepts.items()} == {
        "ICF:A": ("ICF:B",), "ICF:B": ("ICF:A",), "ICF:C": ("ICF:A",),
    }  # fmt: skip


def test_entities_are_refused_and_broken_xml_names_the_line(write: Write) -> None:
    bomb = XML.replace('"ClaML.dtd"', '"ClaML.dtd" [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]')
    with pytest.raises(FormatError, match="declares entities"):
        load(write, bomb)
    with pytest.raises(FormatError, match=r"claml.xml:\d+: not well-formed XML"):
        load(write, XML[:2000])
