"""A little encyclopedia in three languages, and a little terminology some of whose concepts it has."""

from __future__ import annotations

from made import concept
from ontonym.types import Concept, Term


def named(*names: str) -> list[Term]:
    """Names with their languages: ``de:Fieber``, English without; the first of each language is its title."""
    terms = []
    seen: set[str] = set()
    for name in names:
        language, _, text = name.rpartition(":")
        language = language or "en"
        terms.append(Term(text, "synonym" if language in seen else "preferred", language=language))
        seen.add(language)
    return terms


PAGES: list[Concept] = [
    concept("Wikidata:Q1", *named("Fever", "Pyrexia", "de:Fieber", "ja:発熱"), xrefs="T:5 Wikipedia:Fever",
            definitions=("raised body temperature",)),
    concept("Wikidata:Q2", *named("Myocardial infarction", "Heart attack", "de:Herzinfarkt", "ja:心筋梗塞"),
            xrefs="T:3 Wikipedia:Myocardial_infarction", definitions=("death of heart muscle",)),
    concept("Wikidata:Q3", *named("Heart failure", "de:Herzinsuffizienz", "ja:心不全")),
    concept("Wikidata:Q4", *named("Heart", "de:Herz", "ja:心臓"), definitions=("organ that pumps blood",)),
    concept("Wikidata:Q5", *named("Epilepsy", "Seizure disorder", "de:Epilepsie", "ja:癲癇")),
    concept("Wikidata:Q6", *named("Seizure (film)", "de:Anfall (Film)")),
    concept("Wikidata:Q7", *named("Epileptic seizure", "Fits", "de:Epileptischer Anfall", "ja:癲癇発作"), xrefs="T:6"),
    concept("Wikidata:Q8", *named("Palpitations", "Skipped heart beats", "de:Herzstolpern", "ja:動悸"), xrefs="T:4"),
    concept("Wikidata:Q9", *named("Yellow fever", "de:Gelbfieber", "ja:黄熱")),
    concept("Wikidata:Q10", Term("Old fever", "preferred"), status="retired", replaced_by="Wikidata:Q1"),
    concept("Wikidata:Q11", *named("ja:多汗症")),
    concept("Wikidata:Q12", *named("Cough", "de:Husten", "ja:咳"), xrefs="T:8"),
]  # fmt: skip

ARTICLES: list[Concept] = [
    concept("Wikipedia:Fever", "Fever", Term("Febrile", "entry"),
            definitions=("Fever is a response of the body to infection.",)),
    concept("Wikipedia:Myocardial_infarction", "Myocardial infarction", definitions=("Blood to the heart stops.",)),
    concept("Wikipedia:Infection", "Infection", definitions=("Invasion of tissues by microbes.",)),
]  # fmt: skip

CONCEPTS: list[Concept] = [
    concept("T:1", "Phenotypic abnormality"),
    concept("T:3", *named("Infarction, Myocardial", "Heart attack", "Cardiac infarct", "ja:心筋梗塞"), parents="T:1"),
    concept("T:4", *named("Skipped beats", "Heart palpitation"), parents="T:1"),
    concept("T:5", *named("Febrile states", "Pyrexia", "ja:発熱"), parents="T:1"),
    concept("T:6", *named("Fits", "Seizures", "Epileptic attack"), parents="T:1"),
    concept("T:7", *named("ja:多汗症"), parents="T:1"),
    concept("T:8", *named("Coughing", "Cough, chronic"), parents="T:1"),
    concept("T:9", "obsolete Dropsy", status="retired"),
]
