"""The entities that a spaCy pipeline finds get their concepts; needs the extra ``spacy``.

Any component that sets ``doc.ents`` may find them: here a ruler finds the names of the terminology and a few words of
the ward. With a model of spaCy or scispaCy, load it instead of the blank pipeline, and leave the ruler out.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import spacy
from spacy.language import Language
from spacy.pipeline import EntityRuler

import ontonym

CONCEPTS = """\
id\tpreferred\tsynonyms
EX:1\tType 2 diabetes mellitus\tdiabetes mellitus type 2|T2DM
EX:2\tHypertension\thigh blood pressure|hypertensive disease
EX:3\tDyspnoea\tshortness of breath|breathlessness
EX:4\tHypotension\tlow blood pressure
EX:5\tLow back pain\tLBP|lumbago
"""

WARD_WORDS = ("short of breath", "DM type II", "umbrella", "LBP")

NOTES = (
    "Known DM type II and high blood pressure, now short of breath; brought his own umbrella.",
    "Low blood pressure (LBP) at noon, no LBP at night.",
    "Lumbago since May: LBP, worse when sitting.",
)


def pipeline(folder: Path) -> Language:
    """A pipeline that finds entities by their words and links them to the index in ``folder``."""
    nlp = spacy.blank("en")
    ruler = cast(EntityRuler, nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"}))
    with ontonym.open_terminology(folder / "ex.terminology") as terminology:
        names = [term.text for row in range(len(terminology)) for term in terminology.concept(row).terms]
    ruler.add_patterns([{"label": "FINDING", "pattern": name} for name in (*names, *WARD_WORDS)])
    nlp.add_pipe("ontonym", config={"index": str(folder / "ex.index"), "threshold": 0.3, "labels": ["FINDING"]})
    return nlp


def main(folder: Path) -> None:
    """Makes an index and a pipeline over it, saves the pipeline, loads it again, and prints what it finds."""
    (folder / "concepts.tsv").write_text(CONCEPTS, encoding="utf-8")
    ontonym.build_terminology(ontonym.read_release([folder / "concepts.tsv"]), folder / "ex.terminology")
    with ontonym.open_terminology(folder / "ex.terminology") as terminology:
        ontonym.build_index([terminology], folder / "ex.index")

    pipeline(folder).to_disk(folder / "ward")
    nlp = spacy.load(folder / "ward")
    for doc in nlp.pipe(NOTES):
        for ent in doc.ents:
            best = ent._.ontonym.candidates[0].preferred if ent._.kb_ents else "no concept"
            print(f"{ent.text}: {ent.kb_id_} {best}")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
