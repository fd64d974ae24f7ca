"""Our MeSH reader on all descriptors, written in both real layouts from open tables, against those tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import pytest

from ontonym.ontology.formats import read_release
from ontonym.types import Concept

pytestmark = [pytest.mark.oracle, pytest.mark.live]


class Descriptor(NamedTuple):
    ui: str
    names: list[str]
    trees: list[str]


@pytest.fixture(scope="module")
def table(data: Path) -> list[Descriptor]:
    trees: dict[str, list[str]] = {}
    for line in (data / "mesh/tree-numbers.tsv").read_text().splitlines()[1:]:
        ui, _, number = line.split("\t")
        trees.setdefault(ui, []).append(number)
    rows = []
    for line in (data / "mesh/mesh_id_label_mappings.tsv").read_text().splitlines():
        ui, name, others = line.split("\t")
        names = dict.fromkeys([name, *(text for text in others.split("|") if text)])
        rows.append(Descriptor(ui, list(names), trees.get(ui, [])))
    return rows


def bag(name: str) -> tuple[str, ...]:
    return tuple(sorted(re.findall(r"\w+", name.lower())))


def permuted(row: Descriptor) -> set[str]:
    """Names with a comma that have the words of a name without one, as MeSH marks them."""
    plain = {bag(name) for name in row.names if "," not in name}
    return {name for name in row.names[1:] if "," in name and bag(name) in plain}


def as_xml(rows: list[Descriptor]) -> Iterator[str]:
    yield '<?xml version="1.0"?>\n<!DOCTYPE DescriptorRecordSet SYSTEM "desc2020.dtd">\n'
    yield '<DescriptorRecordSet LanguageCode = "eng">\n'
    for row in rows:
        left, first = permuted(row), row.names[0]
        terms = "".join(
            f'<Term ConceptPreferredTermYN="{"Y" if name == first else "N"}"'
            f' IsPermutedTermYN="{"Y" if name in left else "N"}" LexicalTag="NON"'
            f' RecordPreferredTermYN="{"Y" if name == first else "N"}"><TermUI>T1</TermUI>'
            f"<String>{escape(name)}</String></Term>\n"
            for name in row.names
        )
        trees = "".join(f"<TreeNumber>{number}</TreeNumber>" for number in row.trees)
        yield (
            f'<DescriptorRecord DescriptorClass = "1"><DescriptorUI>{row.ui}</DescriptorUI>\n'
            f"<DescriptorName><String>{escape(first)}</String></DescriptorName>\n"
            f"<TreeNumberList>{trees}</TreeNumberList>\n"
            f'<ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M{row.ui[1:]}</ConceptUI>\n'
            f"<ConceptName><String>{escape(first)}</String></ConceptName>\n"
            f"<TermList>\n{terms}</TermList></Concept></ConceptList></DescriptorRecord>\n"
        )
    yield "</DescriptorRecordSet>\n"


def as_ascii(rows: list[Descriptor]) -> Iterator[str]:
    for row in rows:
        left = permuted(row)
        yield f"*NEWRECORD\nRECTYPE = D\nMH = {row.names[0]}\n"
        for name in row.names[1:]:
            yield f"ENTRY = {name}\n" if name in left else f"ENTRY = {name}|T047|NON|EQV|NLM (2000)|991012|abcdef\n"
        yield from (f"MN = {number}\n" for number in row.trees)
        yield f"DC = 1\nUI = {row.ui}\n\n"


def read(path: Path, pieces: Iterator[str]) -> tuple[dict[str, Concept], dict[str, int]]:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(pieces)
    release = read_release([path])
    concepts = {concept.id: concept for concept in release.concepts()}
    counts = release.counts.to_dict()
    assert counts["rows"]["read"] == counts["rows"]["kept"]
    return concepts, counts["terms"]["skipped"]


@pytest.fixture(scope="module")
def from_xml(
    table: list[Descriptor], tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Concept], dict[str, int]]:
    return read(tmp_path_factory.mktemp("mesh") / "desc2020.xml", as_xml(table))


def test_all_descriptors_read_as_the_tables_say(table: list[Descriptor], from_xml: Any) -> None:
    concepts, skipped = from_xml
    at = {number: row.ui for row in table for number in row.trees}
    above = {
        row.ui: {at[up] for number in row.trees if (up := number.rpartition(".")[0]) in at} - {row.ui} for row in table
    }
    left = {row.ui: permuted(row) for row in table}
    assert len(concepts) == len(table) == 29_351
    assert skipped == {"permuted form of another name": sum(map(len, left.values()))}
    for row in table:
        found = concepts[f"MESH:{row.ui}"]
        assert found.preferred == row.names[0]
        assert [term.text for term in found.terms[1:]] == [n for n in row.names[1:] if n not in left[row.ui]]
        assert set(found.parents) == {f"MESH:{ui}" for ui in above[row.ui]}
        assert [p.value for p in found.properties] == row.trees
    # ten lines of awk over the same tables give the same sums
    assert sum(len(c.parents) for c in concepts.values()) == sum(map(len, above.values()))


def test_xml_and_ascii_agree(table: list[Descriptor], from_xml: Any, tmp_path: Path) -> None:
    concepts, skipped = from_xml
    from_ascii, same = read(tmp_path / "d2020.bin", as_ascii(table))
    assert skipped == same
    assert concepts.keys() == from_ascii.keys()
    for concept_id, concept in concepts.items():
        other = from_ascii[concept_id]
        assert (concept.terms, concept.parents, concept.tags) == (other.terms, other.parents, other.tags)
        assert concept.properties == other.properties
