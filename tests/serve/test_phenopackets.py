"""Phenopackets of notes, read again with the library of GA4GH's schema."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from built import SMALL, index_fixture, indexed
from ontonym.documents import Document, Passage
from ontonym.errors import InputError, MissingExtraError
from ontonym.index import Index, open_index
from ontonym.serve.answers import OutputChoice
from ontonym.serve.notes import opened_notes
from ontonym.tasks.documents import annotate_documents

phenopackets = pytest.importorskip("phenopackets")

OBO = """format-version: 1.2
data-version: hp/releases/2026-01-01
ontology: hp

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0000118
name: Phenotypic abnormality
is_a: HP:0000001

[Term]
id: HP:0001250
name: Seizure
synonym: "Fits" EXACT []
is_a: HP:0000118

[Term]
id: HP:0001945
name: Fever
is_a: HP:0000118

[Term]
id: HP:0012735
name: Cough
is_a: HP:0000118

[Term]
id: HP:0000006
name: Autosomal dominant inheritance
is_a: HP:0000001
"""
NOTE = Document("a/note.txt", (Passage("Fits, and a seizure again. No fever. Possible cough.\nPMH: no seizure.", 0),))
FAMILY = Document(
    "other", (Passage("FH: seizure in her mother, autosomal dominant inheritance.\n\nReturn if fever. PMH: cough", 0),)
)


index = index_fixture({"hp.obo": OBO}, SMALL)


def packets(index: Index, folder: Path, *documents: Document, left_out: Counter[str] | None = None) -> dict[str, Any]:
    """What was written, by the name of the file, as the library reads it: it refuses what its schema does not have."""
    from google.protobuf.json_format import Parse

    output, counted = OutputChoice(str(folder), "phenopackets"), Counter[str]() if left_out is None else left_out
    with opened_notes(output, index, source="ontonym annotate, hp", left_out=counted) as write:
        for document, found in annotate_documents(index, documents):
            write(document, found)
    return {file.name: Parse(file.read_text(encoding="utf-8"), phenopackets.Phenopacket()) for file in folder.iterdir()}


def test_features_are_what_the_text_states_of_the_patient(index: Index, tmp_path: Path) -> None:
    found = packets(index, tmp_path / "out", NOTE, FAMILY, NOTE)
    assert set(found) == {"a_note.json", "other.json", "a_note-2.json"}
    features = [
        (one.type.id, one.type.label, one.excluded, one.description) for one in found["a_note.json"].phenotypic_features
    ]
    assert features == [
        ("HP:0001250", "Seizure", False, "Fits; seizure"),
        ("HP:0001945", "Fever", True, "fever"),
    ]
    (only,) = found["other.json"].phenotypic_features
    assert (only.type.id, only.excluded) == ("HP:0012735", False)


def test_a_code_of_another_terminology_is_the_feature_that_it_is_equivalent_to(tmp_path: Path) -> None:
    other = "id\tpreferred\nX:1\tCough\nX:2\tBroken leg\nX:3\tShortness of breath\n"
    dyspnea = """
[Term]
id: HP:0002094
name: Dyspnea
synonym: "Shortness of breath" EXACT []
is_a: HP:0000118
"""
    place = indexed(tmp_path, {"first.tsv": other, "hp.obo": f"{OBO}{dyspnea}"}, SMALL)
    document = Document("note", (Passage("Shortness of breath, cough, broken leg. No seizure. FH: fever.", 0),))
    left_out = Counter[str]()
    with open_index(place) as opened:
        ids = {one.answer.id for _, found in annotate_documents(opened, [document]) for one in found}
        packet = packets(opened, tmp_path / "out", document, left_out=left_out)["note.json"]
    assert ids == {"X:1", "X:2", "X:3", "HP:0001250", "HP:0001945"}
    assert [(one.type.id, one.type.label, one.excluded) for one in packet.phenotypic_features] == [
        ("HP:0002094", "Dyspnea", False), ("HP:0012735", "Cough", False), ("HP:0001250", "Seizure", True),
    ]  # fmt: skip
    assert left_out == {"of no phenotypic abnormality in HPO": 1, "not stated of the patient": 1}


def test_nothing_is_invented_and_the_release_is_named(index: Index, tmp_path: Path) -> None:
    packet = packets(index, tmp_path / "out", NOTE)["a_note.json"]
    assert packet.id == packet.subject.id == "a/note.txt"
    filled = {field.name for field, _ in packet.ListFields()}
    assert filled == {"id", "subject", "phenotypic_features", "meta_data"}
    assert {field.name for field, _ in packet.subject.ListFields()} == {"id"}
    assert not any(one.HasField("onset") for one in packet.phenotypic_features)
    about = packet.meta_data
    assert about.phenopacket_schema_version == "2.0"
    assert about.created.seconds > 1_700_000_000
    (resource,) = about.resources
    assert (resource.namespace_prefix, resource.version) == ("HP", index.terminologies[0].version)


def test_only_hpo_has_features_and_they_go_into_a_folder(index: Index, tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="folder of files"),
        opened_notes(OutputChoice(None, "phenopackets"), index, source="x", left_out=Counter()),
    ):
        pass
    other = indexed(tmp_path, {"made.tsv": "id\tpreferred\nX:1\tFever\n"}, SMALL)
    with open_index(other) as opened, pytest.raises(InputError, match="has no HP:0000118"):
        packets(opened, tmp_path / "none", NOTE)


def test_without_the_library_the_error_says_what_to_type(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "phenopackets", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ontonym\[phenopackets\]'"):
        packets(index, tmp_path / "out", NOTE)
