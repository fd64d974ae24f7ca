"""Our ICD-10-CM reader against simple-icd-10-cm, an independent parser, on two years of the classification."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.formats import read_release
from ontonym.types import Concept

pytestmark = [pytest.mark.oracle, pytest.mark.live]

TERMS = {"includes": "includes", "inclusionTerm": "inclusion_term"}
NOTES = {
    "codeFirst": "code_first", "useAdditionalCode": "use_additional_code", "codeAlso": "code_also", "notes": "notes",
    "sevenChrNote": "seven_chr_note",
}  # fmt: skip


def tree(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from tree(child)


def concept_id(node: Any) -> str:
    """Our id; a block of one category is written as a range, which the oracle does not do."""
    single = node.type == "section" and "-" not in node.name
    return f"ICD10CM:{node.name}-{node.name}" if single else f"ICD10CM:{node.name}"


def oracle(*codes_and_xml: Path) -> dict[str, Any]:
    """What the package reads of these files, or of the year that it comes with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = pytest.importorskip("simple_icd_10_cm")
        if codes_and_xml:
            package.change_version(*map(str, codes_and_xml))
    return {concept_id(n): n for chapter in package.simple_icd_10_cm._chapter_list for n in tree(chapter)}


def squeezed(text: str) -> str:
    return " ".join(text.split())


def differences(concept: Concept, node: Any) -> Iterator[str]:
    """The fields in which a concept differs from the oracle's node, other than by what is explained below."""
    properties: dict[str, list[str]] = defaultdict(list)
    for one in concept.properties:
        properties[one.name].append(one.value)
    if concept.parents != ((concept_id(node.parent),) if node.parent else ()):
        yield "parents"
    for word in ("excludes1", "excludes2"):
        if properties[word] != [squeezed(text) for text in getattr(node, word)]:
            yield word
    for word, attribute in TERMS.items():
        # ours is a name or a property, and a name that the release repeats is kept once
        ours = {*properties[word], *(term.text for term in concept.terms if term.source == word)}
        if ours != {squeezed(text) for text in getattr(node, attribute)}:
            yield word
    for word, attribute in NOTES.items():
        if " ".join(properties[word]) != squeezed(getattr(node, attribute)):
            yield word
    if node.type != "extended subcategory":
        # a note that continues a 7th character's meaning is joined by "/" there, by a space here
        ours = [text.replace("/", " ") for text in properties["seventh character"]]
        if ours != [f"{c}: {squeezed(text.replace('/', ' '))}" for c, text in node.seven_chr_def.items()]:
            yield "seventh character"
        if node.type not in ("chapter", "section") and squeezed(node.description) not in {
            t.text for t in concept.terms
        }:
            yield "title"


@pytest.mark.parametrize(("year", "concepts", "extended"), [("2026", 98_505, 51_305), ("2021", 95_676, 50_341)])
def test_all_that_the_oracle_reads(data: Path, tmp_path: Path, year: str, concepts: int, extended: int) -> None:
    if year == "2021":
        xml, listed = data / "icd10cm/icd10cm_tabular_2021.xml", data / "icd10cm/icd10cm-order-Jan-2021.txt"
        codes = tmp_path / "codes.txt"
        codes.write_text("\n".join(line[6:13].strip() for line in listed.read_text().splitlines()))
        theirs = oracle(codes, xml)
    else:
        xml, listed = EMBEDDED["icd10cm"].files()
        theirs = oracle()  # before another year is loaded
        if "2026" not in xml.name:
            pytest.skip(f"another year is embedded: {xml.name}")
    ours = {concept.id: concept for concept in read_release([xml, listed]).concepts()}
    assert ours.keys() == theirs.keys()
    assert (len(ours), sum("extended" in c.tags for c in ours.values())) == (concepts, extended)
    assert {i: found for i, c in ours.items() if (found := list(differences(c, theirs[i])))} == {}
    dangling = [r for c in ours.values() for r in c.relations if r.target not in ours]
    assert dangling == []
