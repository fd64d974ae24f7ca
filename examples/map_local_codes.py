"""A terminologist's day: a hospital's own codes, in a table with any columns, mapped to a terminology and exported.

Every command is run as it is typed, every "next:" that a command prints too. Takes a few seconds.
"""

from __future__ import annotations

import csv
import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

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


def run(folder: Path, command: str, code: int = 0) -> str:
    """Runs a command line of ontonym in the folder, shows it, and gives what it printed."""
    print(f"\n$ {command}")
    arguments = shlex.split(command)[1:]
    done = subprocess.run(  # noqa: S603 (the commands of this file)
        [sys.executable, "-m", "ontonym", *arguments], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "ONTONYM_REVIEWER": "anna"},
    )  # fmt: skip
    print(done.stdout + done.stderr, end="")
    if done.returncode != code:
        raise SystemExit(f"exit code {done.returncode}, not {code}")
    return done.stdout + done.stderr


def check(holds: bool) -> None:
    """Ends the session where something is not as it should be."""
    if not holds:
        raise SystemExit("not as it should be")


def following(said: str) -> str:
    """The command that a command printed as the next one."""
    return next(line.removeprefix("next: ") for line in said.splitlines() if line.startswith("next: "))


def main(folder: Path) -> None:
    """From the table to the mappings in three formats."""
    (folder / "signs.obo").write_text(OBO, encoding="utf-8")
    with (folder / "local codes.csv").open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(CODES)

    said = run(folder, "ontonym import signs.obo")
    said = run(folder, following(said) + " --encoder static")
    run(folder, following(said))

    matching = "ontonym match 'local codes.csv' signs.index --column id=kode --column bezeichnung --mode best --related"
    said = run(folder, f"{matching} -o local.sssom.tsv --candidates all.sssom.tsv")
    check("2000× L04 Calibration of gizmo" in said.partition("without a proposal")[2])
    check("< SG:2 Chest pain" in said)  # broader, and said so
    check((folder / "local.sssom.tsv").read_text(encoding="utf-8").count("sssom:NoTermFound") == 2)

    said = run(folder, following(said))
    listed = run(folder, following(said))
    check(listed.index("L04") < listed.index("L02"))  # frequent, and without a match: it comes early

    run(folder, "ontonym review decide local.review L01 accept")
    check("broad SG:2 Chest pain" in run(folder, "ontonym review decide local.review L02 accept"))
    check("exact SG:4 Palpitations" in run(folder, "ontonym review decide local.review L03 exact 4"))
    check("no concept 'I50.9'" in run(folder, "ontonym review decide local.review L03 exact I50.9", code=2))
    check("is retired" in run(folder, "ontonym review decide local.review L03 exact SG:6", code=2))
    run(folder, "ontonym review decide local.review L04 none --comment 'not a finding'")

    for name in ("decided.sssom.tsv", "decided.csv", "decided.r4.json"):
        run(folder, f"ontonym review export local.review -o {name} --system local=http://hospital.example/codes "
                    "--system SG=http://signs.example")  # fmt: skip
        check("L04" in (folder / name).read_text(encoding="utf-8-sig"))  # what has no match is in every output
    check("http://hospital.example/codes" in (folder / "decided.r4.json").read_text(encoding="utf-8"))

    said = run(folder, f"{matching} -o again.sssom.tsv --known decided.sssom.tsv")
    check("for 1 concept" in said)  # only what is undecided is asked for again


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        main(Path(place))
