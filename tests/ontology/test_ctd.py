from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ontonym.types import Concept, Term

Read = Callable[..., Any]

CTD = (
    "# Report created: Thu Jul 31 10:35:01 EDT 2025\n#\n# Fields:\n"
    "# DiseaseName\tDiseaseID\tAltDiseaseIDs\tDefinition\tParentIDs\tTreeNumbers\tParentTreeNumbers\t"
    "Synonyms\tSlimMappings\n#\n"
    "Tooth Loss\tMESH:D016388\tDO:DOID:1091|OMIM:123\tNo tooth.\tMESH:D014076|MESH:D000002\tC07\tC06\t"
    "Loss of Tooth|Teeth Lost\tMouth disease\n"
    "short\tMESH:D1\n"
)


def test_medic_lines(read: Read) -> None:
    concepts, release = read(
        "m.txt", "C565588||Hernia X\nD001|613097|C2||Tooth Agenesis, Selective, 6|STHAG6\n\nD9||\n"
    )
    assert concepts == [
        Concept("MESH:C565588", (Term("Hernia X", "preferred"),)),
        Concept(
            "MESH:D001",
            (Term("Tooth Agenesis, Selective, 6", "preferred"), Term("STHAG6")),
            alternative_ids=("OMIM:613097", "MESH:C2"),
        ),
    ]
    assert (release.metadata.format, release.counts.malformed, release.counts.examples[0].line) == ("medic", 1, 4)


def test_ctd_diseases_tsv(read: Read) -> None:
    concepts, release = read("CTD_diseases.tsv", CTD)
    assert concepts == [
        Concept(
            "MESH:D016388",
            (Term("Tooth Loss", "preferred"), Term("Loss of Tooth"), Term("Teeth Lost")),
            parents=("MESH:D014076", "MESH:D000002"),
            definitions=("No tooth.",),
            tags=("Mouth disease",),
            alternative_ids=("OMIM:123",),
            xrefs=("DOID:1091",),
        )
    ]
    assert release.metadata.version == "Thu Jul 31 10:35:01 EDT 2025"
    assert release.counts.to_dict()["rows"] == {
        "read": 7, "kept": 1, "skipped": {"comment line": 5}, "malformed": 1,
    }  # fmt: skip
    assert release.counts.examples[0].problem == "expected 9 tab-separated fields, found 2"
