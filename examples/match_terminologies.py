"""Local codes mapped to a terminology, with what the mapping rests on; what has no match gets a broader one."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import ontonym
from ontonym.tasks.match import MatchOptions, match

LOCAL = """\
code\tname\tparents
LAB:1\tDM type 2\t
LAB:2\tHigh blood pressure\t
LAB:3\tRenovascular high blood pressure\tLAB:2
LAB:4\tAdmission\t
"""

STANDARD = """\
id\tpreferred\tsynonyms
EX:1\tType 2 diabetes mellitus\tdiabetes mellitus type 2|DM type 2|T2DM
EX:2\tHypertension\thigh blood pressure|hypertensive disease
EX:3\tDyspnoea\tshortness of breath|breathlessness
"""


def main(folder: Path) -> None:
    """Maps four local codes to three concepts."""
    for name, text in (("local", LOCAL), ("standard", STANDARD)):
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
        ontonym.build_terminology(ontonym.read_release([folder / f"{name}.tsv"]), folder / f"{name}.terminology")
    with ontonym.open_terminology(folder / "standard.terminology") as standard:
        ontonym.build_index([standard], folder / "standard.index")

    options = MatchOptions(mode="best", related=True)
    with (
        ontonym.open_terminology(folder / "local.terminology") as local,
        ontonym.open_index(folder / "standard.index") as index,
    ):
        for code in match(local, index, options):
            found = code.proposed
            if found is None:
                print(f"{code.id}  {code.preferred}: no match")
            else:
                told = f"{found.predicate} {found.id} {found.preferred} ({found.score:.2f}: {found.reason.detail})"
                print(f"{code.id}  {code.preferred}: {told}")


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        main(Path(place))
