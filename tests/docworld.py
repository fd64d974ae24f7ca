"""A small made world in which the code blocks of the documentation run: terminologies, indexes and files by the names
that the pages use. The ids are those of HPO and DOID where pages name them; the rest is made.
"""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from ontonym.cli import main

Row = tuple[str, str, str, str]
"""Id, name, parents and synonyms, these separated by a bar."""

HP: tuple[Row, ...] = (
    ("HP:0000118", "Phenotypic abnormality", "", ""),
    ("HP:0001626", "Abnormality of the cardiovascular system", "HP:0000118", ""),
    ("HP:0011675", "Arrhythmia", "HP:0001626", "Irregular heart beat"),
    ("HP:0001962", "Palpitations", "HP:0011675", "Skipped heart beat|Heart racing"),
    ("HP:0006682", "Premature ventricular contraction", "HP:0011675", "Extra heart beat"),
    ("HP:0001658", "Myocardial infarction", "HP:0001626", "Heart attack"),
    ("HP:0000822", "Hypertension", "HP:0001626", "High blood pressure|Arterial hypertension"),
    ("HP:0000707", "Abnormality of the nervous system", "HP:0000118", ""),
    ("HP:0001250", "Seizure", "HP:0000707", "Fits|Convulsion|Seizures"),
    ("HP:0002373", "Febrile seizure", "HP:0001250", "Fever fit"),
    ("HP:0002069", "Bilateral tonic-clonic seizure", "HP:0001250", "Grand mal seizure"),
    ("HP:0002315", "Headache", "HP:0000707", "Head pain"),
    ("HP:0002076", "Migraine", "HP:0002315", ""),
    ("HP:0000478", "Abnormality of the eye", "HP:0000118", ""),
    ("HP:0000316", "Hypertelorism", "HP:0000478", "Wide-set eyes"),
    ("HP:0000486", "Strabismus", "HP:0000478", "Squint|Cross-eyed"),
    ("HP:0000504", "Abnormality of vision", "HP:0000478", ""),
    ("HP:0000505", "Visual impairment", "HP:0000504", "Poor vision"),
    ("HP:0012372", "Abnormal eye morphology", "HP:0000478", ""),
    ("HP:0000518", "Cataract", "HP:0012372", "Clouding of the lens"),
    ("HP:0030680", "Abnormal cardiovascular system morphology", "HP:0001626", ""),
    ("HP:0001631", "Atrial septal defect", "HP:0030680", "Hole in the heart"),
    ("HP:0001939", "Abnormality of metabolism", "HP:0000118", ""),
    ("HP:0002900", "Hypokalemia", "HP:0001939", "Low blood potassium levels"),
    ("HP:0002153", "Hyperkalemia", "HP:0001939", "Elevated serum potassium levels"),
    ("HP:0003076", "Glycosuria", "HP:0001939", "Sugar in urine"),
    ("HP:0000819", "Diabetes mellitus", "HP:0001939", "Sugar disease"),
    ("HP:0000083", "Renal insufficiency", "HP:0000118", "Kidney failure"),
    ("HP:0001945", "Fever", "HP:0000118", "Pyrexia"),
    ("HP:0100749", "Chest pain", "HP:0000118", "Thoracic pain"),
    ("HP:0000369", "Low-set ears", "HP:0000118", "Low set ears"),
    ("HP:0000717", "Autism", "HP:0000707", ""),
    ("HP:0000005", "Mode of inheritance", "", ""),
    ("HP:0000006", "Autosomal dominant inheritance", "HP:0000005", ""),
    ("HP:0000007", "Autosomal recessive inheritance", "HP:0000005", ""),
)
DOID: tuple[Row, ...] = (
    ("DOID:4", "disease", "", ""),
    ("DOID:10763", "hypertension", "DOID:4", "high blood pressure|hypertensive disease"),
    ("DOID:5844", "myocardial infarction", "DOID:4", "heart attack"),
    ("DOID:1826", "epilepsy", "DOID:4", "seizure disorder"),
    ("DOID:6364", "migraine", "DOID:4", "migraine headache"),
    ("DOID:9351", "diabetes mellitus", "DOID:4", ""),
    ("DOID:1074", "kidney failure", "DOID:4", "renal insufficiency"),
    ("DOID:540", "strabismus", "DOID:4", "squint"),
)
ICD: tuple[Row, ...] = (
    ("ICD10CM:I10", "Essential (primary) hypertension", "", "high blood pressure"),
    ("ICD10CM:R00.2", "Palpitations", "", ""),
    ("ICD10CM:R56.00", "Simple febrile convulsions", "", "febrile seizure"),
    ("ICD10CM:R51.9", "Headache, unspecified", "", ""),
)
RENAMED = {"HP:0000316": "Increased interorbital distance"}

FILES = {
    "codes.csv": 'code,display,other,frequency\nW1,Heart attack,,120\nW2,"Chest pain, stabbing, at night",,30\n'
    "W3,Skipped heart beats,palps,12\nW4,Calibration of gizmo,,2000\n",
    "complaints.csv": "patient,complaint,since\nP1,heart skipping beats,2021\nP2,squint,2023\nP3,our keys,2024\n",
    "letters/a.txt": "Girl with fits since last winter. No fever. Wide set eyes. Her mother had migraine. ?Autism.\n",
    "letters/b.txt": "Palpitations. Denies chest pain. Funny turns at night.\n",
    "letter.txt": "Thank you for referring this girl with fits. No fever.\n",
    "notes/one.txt": "Heart attack in 2019. No seizures.\n",
    "visits.csv": "visit,note\n1,Headache and fever\n",
    "mentions.txt": "heart skipping beats\nsquint\n",
    "notes.tsv": "finding\tward\nfits\t3\nheart racing\t4\n",
    "our-words.csv": "id,text,why\nHP:0001250,funny turn,ward 3 writes so\n",
    "our-terms.tsv": "id\ttext\nHP:0000316\teyes far apart\n",
    "ward.tsv": "written\tmeaning\nFT\tfebrile seizure\n",
    "labs.tsv": "test\npotassium\n",
    "queries.tsv": "text\tid\nheart attack\tDOID:5844\nhigh blood pressure\tDOID:10763\n",
    "names.txt": "fits\nheart racing\n",
    "keys.txt": "anna 3f9c2b7d51e84a06\n",
    "gold.pubtator": "1|t|Girl with fits and low set ears\n1|a|No fever.\n1\t10\t14\tfits\tPhenotype\tHP:0001250\n"
    "1\t19\t31\tlow set ears\tPhenotype\tHP:0000369\n1\t35\t40\tfever\tPhenotype\tHP:0001945\n",
    "curated.sssom.tsv": "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
    "HP:0000822\tskos:exactMatch\tDOID:10763\tsemapv:ManualMappingCuration\n",
    "reference.sssom.tsv": "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
    "HP:0000822\tskos:exactMatch\tDOID:10763\tsemapv:ManualMappingCuration\n"
    "HP:0001658\tskos:exactMatch\tDOID:5844\tsemapv:ManualMappingCuration\n",
    "map.sssom.tsv": "subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification\n"
    "HP:0000822\tHypertension\tskos:exactMatch\tDOID:10763\thypertension\tsemapv:ManualMappingCuration\n"
    "HP:0000316\tHypertelorism\tskos:exactMatch\tDOID:540\tstrabismus\tsemapv:ManualMappingCuration\n",
}


def obo(name: str, version: str, rows: tuple[Row, ...]) -> str:
    """The rows as OBO."""
    stanzas = [f"format-version: 1.2\nontology: {name}\ndata-version: {version}\n"]
    for concept, preferred, parents, synonyms in rows:
        lines = [f"[Term]\nid: {concept}\nname: {preferred}"]
        lines += [f'synonym: "{one}" EXACT []' for one in synonyms.split("|") if one]
        lines += [f"is_a: {one}" for one in parents.split("|") if one]
        stanzas.append("\n".join(lines) + "\n")
    return "\n".join(stanzas)


def lay_out(folder: Path) -> None:
    """Writes the world into a folder; takes a few seconds."""
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    newer = tuple((one, RENAMED.get(one, name), above, names) for one, name, above, names in HP if one != "HP:0002069")
    releases = {
        "hp": obo("hp", "2025-01-16", HP),
        "my": obo("my", "2025-01-16", HP),
        "hp-2026": obo("hp", "2026-01-16", newer),
        "hp-2016": obo("hp", "2016-04-01", HP),
        "hp-2017": obo("hp", "2017-04-13", newer),
        "hp-2023": obo("hp", "2023-01-27", newer),
        "doid": obo("doid", "2016-01-01", DOID),
        "icd10cm": obo("icd10cm", "2021", ICD),
    }
    for name, text in releases.items():
        (folder / f"{name}.obo").write_text(text, encoding="utf-8")
        run("import", folder / f"{name}.obo", "-o", folder / f"{name}.terminology")
    for name in ("hp", "doid", "icd10cm"):
        run("index", folder / f"{name}.terminology", "-o", folder / f"{name}.index", "--encoder", "static")


def run(*arguments: object) -> None:
    """Runs a command that must do."""
    done = CliRunner().invoke(main, [str(one) for one in arguments])
    assert done.exit_code == 0, f"{arguments}: {done.output}"
