"""MeSH on invented records in the real layouts; what is read of the open tables of all descriptors is in the oracle."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from meshsamples import C_BIN, D_BIN, DESC, INVENTOMYCIN, Q_BIN, QUAL, SUPP

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.ontology.mesh.record import registry_curie
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.types import Concept, Property, Relation, Term

Write = Callable[[str, str | bytes], Path]


def load(write: Write, **files: str | bytes) -> tuple[dict[str, Concept], Release]:
    release = read_release([write(name.replace("_", "."), content) for name, content in files.items()])
    return {c.id: c for c in release.concepts()}, release


def test_descriptor_xml(write: Write) -> None:
    concepts, release = load(write, desc2024_xml=DESC)
    assert concepts["MESH:D900002"] == INVENTOMYCIN
    assert list(concepts) == ["MESH:D900001", "MESH:D900002"]
    counts = release.counts.to_dict()
    assert counts["rows"] == {"read": 2, "kept": 2, "skipped": {}, "malformed": 0}
    assert counts["terms"]["skipped"] == {"permuted form of another name": 2}
    assert (release.metadata.name, release.metadata.version, release.metadata.prefix) == ("mesh", "2024", "MESH")
    assert release.metadata.details["tree numbers without a record above"] == 2  # D27 and D02.633


def test_qualifier_and_supplementary_xml_with_descriptors(write: Write) -> None:
    concepts, _ = load(write, supp2024_xml=SUPP, qual2024_xml=QUAL, desc2024_xml=DESC)
    assert concepts["MESH:Q900001"] == Concept(
        "MESH:Q900001",
        (Term("side effects", "preferred"),),
        definitions=("Used with drugs.",),
        tags=("qualifier",),
        alternative_ids=("MESH:M9000010",),
        properties=(Property("tree number", "Y04.010"), Property("abbreviation", "SE")),
    )
    assert concepts["MESH:C900001"] == Concept(
        "MESH:C900001",
        (Term("Invention syndrome", "preferred"),),
        parents=("MESH:D900001",),
        relations=(
            Relation("preferred mapped to", "MESH:D900001"),
            Relation("preferred mapped to", "MESH:D900002"),
            Relation("indexer consider also", "MESH:D900002"),
        ),
        definitions=("A rare disease.",),
        tags=("supplementary disease", "Diseases"),
        alternative_ids=("MESH:M9000020",),
        properties=(Property("preferred mapped to", "D900002Q900001"),),
    )


def test_supplementary_records_alone_have_no_parents(write: Write) -> None:
    concepts, _ = load(write, supp2024_xml=SUPP)
    assert concepts["MESH:C900001"].parents == ()
    assert Relation("preferred mapped to", "MESH:D900001") in concepts["MESH:C900001"].relations


def test_ascii_form_says_the_same(write: Write) -> None:
    concepts, release = load(write, d2024_bin=D_BIN, q2024_bin=Q_BIN, c2024_bin=C_BIN)
    found = concepts["MESH:D900002"]
    assert set(found.terms) - set(INVENTOMYCIN.terms) == {Term("A ninety thousand", "entry", "related")}
    assert len(found.terms) == len(INVENTOMYCIN.terms)
    for name in ("parents", "relations", "definitions", "xrefs"):
        assert getattr(found, name) == getattr(INVENTOMYCIN, name)
    assert found.properties == INVENTOMYCIN.properties[:-1]
    assert found.tags == (*INVENTOMYCIN.tags, "T109")
    assert found.alternative_ids == ()
    assert concepts["MESH:Q900001"].properties == (Property("abbreviation", "SE"),)
    assert release.metadata.version == "2024"
    assert release.counts.to_dict()["terms"]["skipped"] == {"permuted form of another name": 2}


def test_ascii_supplementary_record_finds_headings_by_name(write: Write) -> None:
    concepts, _ = load(write, c2024_bin=C_BIN, d2024_bin=D_BIN, q2024_bin=Q_BIN)
    assert concepts["MESH:C900001"] == Concept(
        "MESH:C900001",
        (Term("Invention syndrome", "preferred"), Term("Syndrome of invention", "entry")),
        parents=("MESH:D900001",),
        relations=(
            Relation("preferred mapped to", "MESH:D900001"),
            Relation("preferred mapped to", "MESH:D900002"),
            Relation("indexer consider also", "MESH:D900002"),
        ),
        definitions=("A rare disease.",),
        tags=("supplementary concept", "T047"),
        properties=(
            Property("preferred mapped to", "D900002Q900001"),
            Property("mapped to", "Nowhere/to be found"),
        ),
    )


def test_zip_and_gzip(write: Write) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("supp2024.xml", SUPP)
    concepts, release = load(write, desc2024_gz=gzip.compress(DESC.encode()), supp2024_zip=buffer.getvalue())
    assert concepts["MESH:D900002"] == INVENTOMYCIN
    assert len(concepts) == 3
    assert release.metadata.format == "mesh"


def test_tags_asked_for(write: Write) -> None:
    release = read_release([write("a", DESC), write("b", SUPP)], options=ReadOptions(tags=("diseases",)))
    assert [c.id for c in release.concepts()] == ["MESH:C900001"]
    assert release.counts.to_dict()["rows"] == {
        "read": 3, "kept": 1, "skipped": {"tag not asked for": 2}, "malformed": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("code", "language"), [("fre", "fr"), ("dan", "da"), ("slo", "sk"), ("kor", "ko"), ("qqq", "und"), ("T90", "en")]
)
def test_a_translated_file(write: Write, code: str, language: str) -> None:
    before = "<TermUI>T900001</TermUI><String>Ionophores"
    text = DESC.replace(before, f"<TermUI>{code}900001</TermUI><String>Ionophores(f)")
    concepts, _ = load(write, fredesc2024_xml=text.replace('LanguageCode = "eng"', 'LanguageCode = "fre"'))
    assert concepts["MESH:D900001"].terms == (Term("Ionophores(f)", "preferred", language=language),)


def test_older_xml_gives_semantic_types_and_cuis(write: Write) -> None:
    text = DESC.replace(
        "<ConceptName><String>Inventoids",
        "<SemanticTypeList><SemanticType><SemanticTypeUI>T109</SemanticTypeUI>"
        "<SemanticTypeName>Organic Chemical</SemanticTypeName></SemanticType></SemanticTypeList>"
        "<ConceptName><String>Inventoids",
    ).replace("<CASN1Name>", "<ConceptUMLSUI>C9000699</ConceptUMLSUI><CASN1Name>")
    concepts, _ = load(write, desc2006_xml=text)
    assert concepts["MESH:D900002"].tags == ("topical descriptor", "Chemicals and Drugs", "Organic Chemical")
    assert concepts["MESH:D900002"].xrefs == ("UMLS:C9000699", "UNII:37H9VM9WZL", "CAS:52665-69-7")


def test_records_that_cannot_be_read_are_counted(write: Write) -> None:
    broken = DESC.replace("<DescriptorUI>D900001</DescriptorUI>\n", "", 1).replace(
        "</DescriptorRecordSet>",
        "<DescriptorRecord><DescriptorUI>X1</DescriptorUI></DescriptorRecord>"
        "<DescriptorRecord><DescriptorUI>D900009</DescriptorUI></DescriptorRecord>"
        "<DescriptorRecord><DescriptorUI>D900002</DescriptorUI><DescriptorName><String>Again</String></DescriptorName>"
        "</DescriptorRecord></DescriptorRecordSet>",
    )
    concepts, release = load(write, desc2024_xml=broken)
    assert list(concepts) == ["MESH:D900002"]
    counts = release.counts.to_dict()
    assert counts["rows"] == {"read": 5, "kept": 1, "skipped": {}, "malformed": 4}
    last = len(DESC.splitlines()) - 1  # a line of DESC went
    assert [(row["line"], row["problem"]) for row in counts["malformed_examples"]] == [
        (4, "a record without a MeSH id"),
        (last, "not a MeSH id: X1"),
        (last, "a record without a preferred name"),
        (last, "duplicate id D900002"),
    ]


def test_ascii_records_that_cannot_be_read_are_counted(write: Write) -> None:
    bad = "*NEWRECORD\nRECTYPE = D\nMH = Broken\nno value here\nUI = D900003\n*NEWRECORD\nRECTYPE = D\nUI = D900004\n"
    concepts, release = load(write, d2024_bin=D_BIN + bad)
    assert list(concepts) == ["MESH:D900001", "MESH:D900002"]
    assert [(row["line"], row["problem"]) for row in release.counts.to_dict()["malformed_examples"]] == [
        (len(D_BIN.splitlines()) + 4, "a line that is not NAME = value"),
        (len(D_BIN.splitlines()) + 6, "a record without a preferred name"),
    ]


def test_a_concept_id_of_two_records_resolves_to_the_first(write: Write) -> None:
    concepts, release = load(write, desc2024_xml=DESC, supp2024_xml=SUPP.replace("M9000020", "M9000003"))
    assert "MESH:M9000003" in concepts["MESH:D900002"].alternative_ids
    assert concepts["MESH:C900001"].alternative_ids == ()
    assert release.metadata.details["concept ids of several records"] == 1


def test_hostile_xml(write: Write) -> None:
    with pytest.raises(FormatError, match="declares entities"):
        load(write, desc2024_xml=DESC.replace('dtd">', "dtd\" [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>"))
    with pytest.raises(FormatError, match=r"desc2024\.xml:\d+: not well-formed XML"):
        load(write, desc2024_xml=DESC[:3000])


@pytest.mark.parametrize(
    ("number", "curie"),
    [
        ("52665-69-7", "CAS:52665-69-7"),
        ("37H9VM9WZL", "UNII:37H9VM9WZL"),
        ("EC 3.4.21.-", "EC:3.4.21.-"),
        ("EC 1.14.99.n4", "EC:1.14.99.n4"),
        ("txid9606", "NCBITaxon:9606"),
        ("0", ""),
        ("INVENTOMYC", ""),
    ],
)
def test_registry_numbers(number: str, curie: str) -> None:
    assert registry_curie(number) == curie
