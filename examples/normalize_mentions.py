"""Mentions that some tool found in text get their concepts, or none where none fits; one line of JSON for each.

The note comes with them as the passage, because it says what it means by LBP: low blood pressure, not low back pain.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import ontonym

NOTE = (
    "Pt with known DM type II and hypertensive disorder, now short of breath; brought his own umbrella. "
    "Low blood pressure (LBP) at noon, no LBP at night."
)

MENTIONS = ("DM type II", "hypertensive disorder", "short of breath", "umbrella", "LBP")

CONCEPTS = """\
id\tpreferred\tsynonyms
EX:1\tType 2 diabetes mellitus\tdiabetes mellitus type 2|DM type 2|T2DM
EX:2\tHypertension\thigh blood pressure|hypertensive disease
EX:3\tDyspnoea\tshortness of breath|breathlessness
EX:4\tHypotension\tlow blood pressure
EX:5\tLow back pain\tLBP|lumbago
"""


def main(folder: Path) -> None:
    """Normalizes the mentions of a note to a made-up terminology of five concepts."""
    table = folder / "concepts.tsv"
    table.write_text(CONCEPTS, encoding="utf-8")
    ontonym.build_terminology(ontonym.read_release([table]), folder / "ex.terminology")
    with ontonym.open_terminology(folder / "ex.terminology") as terminology:
        ontonym.build_index([terminology], folder / "ex.index")

    mentions = [
        ontonym.Mention(text, document="note", start=start, end=start + len(text), passage=NOTE)
        for text, start in ((text, NOTE.rindex(text)) for text in MENTIONS)
    ]
    with ontonym.open_index(folder / "ex.index") as index:
        for answer in ontonym.normalize(index, mentions, ontonym.NormalizeOptions(threshold=0.3)):
            preferred = answer.candidates[0].preferred if answer.id else None
            place = {"text": answer.mention.text, "start": answer.mention.start}
            print(json.dumps({**place, "id": answer.id, "preferred": preferred}))


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
