"""What spaCy pipelines with the component are tested on: two small terminologies, a note, and its entities."""

from __future__ import annotations

from typing import Any

HUMAN = """\
id\tpreferred\tsynonyms\tparents\ttags
H:1\tHypotension\tlow blood pressure\t\tvascular
H:2\tLow back pain\tLBP|lumbago\tH:9\tpain
H:3\tCold\tcommon cold\t\tinfection
H:4\tLow temperature\tcold\t\tsign
H:5\tMyocardial infarction\theart attack\t\tvascular
H:9\tPain\t\t\tpain
H:10\tNeck pain\t\tH:9\tpain
"""

DRUGS = """\
id\tpreferred\tsynonyms
D:1\tAspirin\tacetylsalicylic acid
D:2\tCold cream\tcold
"""

NOTE = "Low blood pressure (LBP) at noon, no LBP at night. An umbrella against the common cold; aspirin."
ENTITIES = ("Low blood pressure", "LBP", "LBP", "umbrella", "common cold", "aspirin")
TEXTS = (NOTE, "No finding.", "Lumbago after a heart atack.", "", "LBP, heart attack and LBP.")


def blank() -> Any:
    """A pipeline that finds the entities of the texts, and no concepts."""
    import spacy

    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    findings = (
        "low blood pressure",
        "LBP",
        "umbrella",
        "common cold",
        "cold",
        "lumbago",
        "heart attack",
        "heart atack",
    )
    ruler.add_patterns([{"label": "FINDING", "pattern": text} for text in findings])
    ruler.add_patterns([{"label": "DRUG", "pattern": "aspirin"}])
    return nlp


def told(doc: Any) -> list[tuple[str, str, Any, Any]]:
    """All that a document says of its entities."""
    return [(ent.text, ent.kb_id_, ent._.kb_ents, ent._.ontonym) for ent in doc.ents]
