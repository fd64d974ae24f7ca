"""A table of local codes becomes a terminology: say which column means what, and see what became of every row."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import ontonym
from ontonym.ontology.tables.columns import ColumnMapping

LOCAL_CODES = """\
LabCode;Display;Also called;Group;In use
GLU;Glucose in blood;blood sugar, glycaemia;CHEM;yes
HBA;Haemoglobin A1c;glycated haemoglobin, HbA1c;CHEM;yes
K;Potassium in serum;kalaemia;CHEM;yes
OLD1;Glucose, old method;;CHEM;no
CHEM;Clinical chemistry;;;yes
BROKEN;too;few
"""

COLUMNS = ["id=LabCode", "preferred=Display", "synonyms=Also called", "parents=Group", "status=In use", "separator=,"]


def main(folder: Path) -> None:
    """Reads the table, prints what became of its rows, and searches it."""
    table = folder / "lab.csv"
    table.write_text(LOCAL_CODES, encoding="utf-8")
    options = ontonym.ReadOptions(columns=ColumnMapping.parse(COLUMNS), prefix="LAB", name="lab codes")

    release = ontonym.read_release([table], options=options)
    ontonym.build_terminology(release, folder / "lab.terminology")
    counts = release.counts.to_dict()
    print(json.dumps(counts["rows"]))
    for row in release.counts.examples:
        print(f"left out: {row.file}:{row.line}: {row.problem}")

    with ontonym.open_terminology(folder / "lab.terminology") as terminology:
        below = terminology.hierarchy.descendants(terminology.row("LAB:CHEM"))
        print("under LAB:CHEM:", ", ".join(terminology.preferred(row) for row in below.tolist()))
        ontonym.build_index([terminology], folder / "lab.index")

    with ontonym.open_index(folder / "lab.index") as index:
        for query in ("sugar in the blood", "glycated hemoglobin", "kalemia"):
            best = ontonym.search(index, query)[0]
            print(f"{query}: {best.id} {best.preferred} ({best.confidence:.2f})")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
