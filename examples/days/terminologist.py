"""A terminologist's day: a hospital's own codes, in a table with any columns, mapped to a terminology and exported.

Every command is run as it is typed, every "next:" that a command prints too. Takes a few seconds.
"""

from __future__ import annotations

import csv

from day import Day, check, following

OBO = """\
format-version: 1.2
ontology: signs
data-version: 2026-01-01

[Term]
id: SG:1
name: Finding of the chest

[Term]
id: SG:2
name: Chest pain
def: "Pain in the chest." []
synonym: "Thoracic pain" EXACT []
is_a: SG:1

[Term]
id: SG:3
name: Pleuritic chest pain
is_a: SG:2

[Term]
id: SG:4
name: Palpitations
synonym: "Skipped heart beats" EXACT []
is_a: SG:1

[Term]
id: SG:5
name: Fever
synonym: "Pyrexia" EXACT []

[Term]
id: SG:6
name: obsolete Ague
is_obsolete: true
"""

CODES = [
    ["ward", "kode", "bezeichnung", "frequency"],
    ["A", "L01", "Pyrexia", "120"],
    ["A", "L02", "Chest pain, stabbing, at night", "30"],
    ["B", "L03", "Skipped heart beats", "12"],
    ["B", "L04", "Calibration of gizmo", "2000"],
    ["C", "L05", "=HYPERLINK(1)", "1"],
]


def main(day: Day) -> None:
    """From the table to the mappings in three formats."""
    run = day.run
    day.write("signs.obo", OBO)
    with (day.folder / "local codes.csv").open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(CODES)

    said = run("ontonym import signs.obo")
    said = run(following(said) + " --encoder static")
    run(following(said))

    matching = "ontonym match 'local codes.csv' signs.index --column id=kode --column bezeichnung --mode best --related"
    said = run(f"{matching} -o local.sssom.tsv --candidates all.sssom.tsv")
    check("2000× L04 Calibration of gizmo" in said.partition("without a proposal")[2])
    check("< SG:2 Chest pain" in said)  # broader, and said so
    check(day.read("local.sssom.tsv").count("sssom:NoTermFound") == 2)

    said = run(following(said))
    listed = run(following(said))
    check(listed.index("L04") < listed.index("L02"))  # frequent, and without a match: it comes early

    run("ontonym review decide local.review L01 accept")
    check("broad SG:2 Chest pain" in run("ontonym review decide local.review L02 accept"))
    check("exact SG:4 Palpitations" in run("ontonym review decide local.review L03 exact 4"))
    check("no concept 'I50.9'" in run("ontonym review decide local.review L03 exact I50.9", code=2))
    check("is retired" in run("ontonym review decide local.review L03 exact SG:6", code=2))
    run("ontonym review decide local.review L04 none --comment 'not a finding'")

    for name in ("decided.sssom.tsv", "decided.csv", "decided.r4.json"):
        run(f"ontonym review export local.review -o {name} --system local=http://hospital.example/codes "
                    "--system SG=http://signs.example")  # fmt: skip
        check("L04" in day.read(name))  # what has no match is in every output
    check("http://hospital.example/codes" in day.read("decided.r4.json"))

    said = run(f"{matching} -o again.sssom.tsv --known decided.sssom.tsv")
    check("for 1 concept" in said)  # only what is undecided is asked for again


if __name__ == "__main__":
    with Day("A terminologist's day") as today:
        main(today)
