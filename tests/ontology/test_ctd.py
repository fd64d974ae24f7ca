from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release, sniff
from ontonym.types import Concept, Property, Term

Read = Callable[..., Any]

CTD = (
    "# Report created: Thu Jul 31 10:35:01 EDT 2025\n#\n# Fields:\n"
    "# DiseaseName\tDiseaseID\tAltDiseaseIDs\tDefinition\tParentIDs\tTreeNumbers\tParentTreeNumbers\t"
    "Synonyms\tSlimMappings\n#\n"
    "Tooth Loss\tMESH:D016388\tDO:DOID:1091|OMIM:123\tNo tooth.\tMESH:D014076|MESH:D000002\tC07\tC06\t"
    "Loss of Tooth|Teeth Lost\tMouth disease\n"
    "short\tMESH:D1\n"
)
CHEMICALS = (
    "# The Comparative Toxicogenomics Database (CTD) - http://ctdbase.org/\n"
    "# Report created: Tue Sep 30 10:00:00 EDT 2025\n#\n# Fields:\n"
    "# ChemicalName,ChemicalID,CasRN,PubChemCID,PubChemSID,DTXSID,InChIKey,Definition,ParentIDs,TreeNumbers,"
    "ParentTreeNumbers,MESHSynonyms,CTDCuratedSynonyms\n#\n"
    '"2,3-snoutol",MESH:C900001,900-36-3,CID:1|CID:2,SID:3,DTXSID9000,SNOUT-KEY,"Of snouts, mostly.",MESH:D900002,'
    'D02.540/C900001|D03.1/C900001,D02.540|D03.1,"Furanone, 3-snouty-|snoutol",Snoutex\n'
    "Lactones,MESH:D900002,,,,,,,,D02.540,D02,,\n"
    '"broken,MESH:D900003\n'
)


def test_a_header_in_quotes_is_no_concept(read: Read) -> None:
    header = ",".join(f'"{name}"' for name in ("DiseaseName", "DiseaseID", "AltDiseaseIDs", "Synonyms"))
    concepts, release = read("a.csv", f'{header}\n"Loss, tooth","MESH:D016388","DO:DOID:1091","Teeth|Tooth"\n')
    assert [concept.id for concept in concepts] == ["MESH:D016388"]
    assert release.metadata.format == "ctd"
    assert dict(release.counts.skipped) == {"comment line": 1}


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


def test_lines_of_one_id_are_one_concept(read: Read) -> None:
    concepts, release = read("train_dictionary.txt", "D1||heart attack\nD1|77||mi|heart attack\nD2||fever\nD1||late\n")
    assert concepts == [
        Concept("MESH:D1", (Term("heart attack", "preferred"), Term("mi")), alternative_ids=("OMIM:77",)),
        Concept("MESH:D2", (Term("fever", "preferred"),)),
    ]
    counts = release.counts.to_dict()
    assert (counts["rows"]["kept"], counts["rows"]["malformed"]) == (3, 1)
    assert counts["terms"]["skipped"] == {"repeated name": 1}
    assert release.counts.examples[0].problem == "MESH:D1 came before, further up: sort the lines by id"


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
            properties=(Property("tree number", "C07"),),
        )
    ]
    assert release.metadata.version == "Thu Jul 31 10:35:01 EDT 2025"
    assert release.counts.to_dict()["rows"] == {
        "read": 7, "kept": 1, "skipped": {"comment line": 5}, "malformed": 1,
    }  # fmt: skip
    assert release.counts.examples[0].problem == "expected 9 tab-separated fields, found 2"


def test_ctd_chemicals_csv(read: Read) -> None:
    concepts, release = read("CTD_chemicals.csv", CHEMICALS)
    assert concepts == [
        Concept(
            "MESH:C900001",
            (
                Term("2,3-snoutol", "preferred"),
                Term("Furanone, 3-snouty-", source="MESHSynonyms"),
                Term("snoutol", source="MESHSynonyms"),
                Term("Snoutex", source="CTDCuratedSynonyms"),
            ),
            parents=("MESH:D900002",),
            definitions=("Of snouts, mostly.",),
            xrefs=(
                "CAS:900-36-3",
                "PubChem:1",
                "PubChem:2",
                "PubChemSID:3",
                "CompTox:DTXSID9000",
                "InChIKey:SNOUT-KEY",
            ),
            properties=(Property("tree number", "D02.540/C900001"), Property("tree number", "D03.1/C900001")),
        ),
        Concept("MESH:D900002", (Term("Lactones", "preferred"),), properties=(Property("tree number", "D02.540"),)),
    ]
    assert (release.metadata.format, release.metadata.name) == ("ctd", "CTD")
    assert release.metadata.version == "Tue Sep 30 10:00:00 EDT 2025"
    assert release.counts.to_dict()["rows"] == {
        "read": 9, "kept": 2, "skipped": {"comment line": 6}, "malformed": 1,
    }  # fmt: skip
    assert release.counts.examples[0].line == 9


def test_tabs_and_the_columns_of_older_files(read: Read) -> None:
    text = (
        "ChemicalName\tChemicalID\tCasRN\tDefinition\tParentIDs\tTreeNumbers\tParentTreeNumbers\tSynonyms\t"
        'DrugBankIDs\n10" snoutol\tC900001\t\t\tD900002\t\t\tsnoutex|snoutin\tDB90000\n'
    )
    (concept,), release = read("CTD_chemicals.tsv", text)
    assert concept == Concept(
        "MESH:C900001",
        (Term('10" snoutol', "preferred"), Term("snoutex"), Term("snoutin")),
        parents=("MESH:D900002",),
        xrefs=("DrugBank:DB90000",),
    )
    assert release.counts.skipped == {"comment line": 1}


def test_diseases_as_csv_are_those_of_the_tsv(read: Read) -> None:
    rows = [line.split("\t") for line in CTD.splitlines()]
    quoted = [",".join(f'"{cell}"' if "," in cell else cell for cell in row) for row in rows]
    expected, _ = read("CTD_diseases.tsv", CTD)
    found, release = read("CTD_diseases.csv", "\n".join(quoted) + "\n")
    assert found == expected
    assert release.counts.examples[0].problem == "expected 9 comma-separated fields, found 2"


def test_diseases_and_chemicals_together(tmp_path: Path) -> None:
    (tmp_path / "CTD_diseases.tsv").write_text(CTD)
    (tmp_path / "CTD_chemicals.csv").write_text(CHEMICALS)
    release = read_release([tmp_path])
    assert [concept.id for concept in release.concepts()] == ["MESH:C900001", "MESH:D900002", "MESH:D016388"]
    assert release.metadata.title == "CTD disease and chemical vocabularies"


def test_files_about_pairs_are_no_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "CTD_chemicals_diseases.csv"
    path.write_text(
        "# Fields:\n# ChemicalName,ChemicalID,CasRN,DiseaseName,DiseaseID,DirectEvidence,PubMedIDs\n#\n"
        "snoutol,C900001,,Snout swelling,MESH:D900009,therapeutic,1\n"
        "snoutol,C900001,,Snout shrinking,MESH:D900008,therapeutic,2\n"
    )
    assert sniff([path]).name != "ctd"
    missing = tmp_path / "missing.csv"
    missing.write_text(CHEMICALS.replace("ChemicalID", "Identifier"))
    with pytest.raises(FormatError, match="no column ChemicalID"):
        list(read_release([missing], format="ctd").concepts())


def test_a_cell_may_be_long_whatever_was_read_before(read: Read) -> None:
    csv.field_size_limit(131_072)  # Python's own, which reading another table may have raised
    row = f'Snoutol,MESH:C900007,,,,,,"{"x" * 200_000}",,,,,\n'
    concepts, release = read("CTD_chemicals.csv", CHEMICALS + row)
    assert concepts[-1].id == "MESH:C900007"
    assert release.counts.malformed == 1  # the broken one
