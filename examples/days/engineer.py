"""An engineer's day: notes and a table of complaints, the concepts in both, figures for them, and a new release.

The terminology is the Human Phenotype Ontology. Takes less than a minute.
"""

from __future__ import annotations

import shutil

from day import Day, check, following, human_phenotype_ontology

LETTERS = {
    "letters/a.txt": "Thank you for referring this 4 year old girl with fits since last winter. No fever.\n"
    "She has wide set eyes and low set ears. Her mother had migraine. ?Autism.\n",
    "letters/b.txt": "Short stature, skipped heart beats. Denies chest pain. Funny turns at night.\n",
}
COMPLAINTS = """patient,complaint,since
P1,heart skipping beats,2021
P2,wobbly walking,2023
P3,rhabdomyalgia,2020
P4,our parking place,2024
"""
GOLD = """1|t|Girl with fits and low set ears
1|a|No fever.
1\t10\t14\tfits\tPhenotype\tHP:0001250
1\t19\t31\tlow set ears\tPhenotype\tHP:0000369
1\t36\t41\tfever\tPhenotype\tHP:0001945
"""
IN_PYTHON = """
import ontonym
with ontonym.open("hp.index") as index:
    print(index.search("wide set eyes", k=1)[0].id)
    print([one.id for one in index.normalize(["fits", "squint"])])
    print([one.text for one in index.annotate("No fever. Fits.") if one.negated])
    print(index["HP:0000316"].parents.ids)
"""


def main(day: Day) -> None:
    """From a release to concepts in notes, and on to the next release."""
    run = day.run
    shutil.copyfile(human_phenotype_ontology(), day.folder / "hp.obo")
    for name, text in {**LETTERS, "complaints.csv": COMPLAINTS, "gold.pubtator": GOLD}.items():
        day.write(name, text)

    said = run("ontonym import hp.obo -o hp.terminology")
    run(following(said) + " -o hp.index --encoder static")
    check("HP:0001962" in run('ontonym search hp.index "heart skipping beats" -k 3'))

    annotating = "ontonym annotate hp.index letters/ -o found.tsv"
    run(annotating)
    rows = {row.split("\t")[5]: row for row in day.read("found.tsv").splitlines()}
    check("HP:0001250" in rows["fits"] and "negated" not in rows["fits"])
    check("HP:0000316" in rows["wide set eyes"])
    check("\tnegated" in rows["fever"] and "\tnegated" in rows["chest pain"])
    check("\tuncertain" in rows["Autism"] and "\tfamily" in rows["migraine"])
    check("Funny turns" not in rows)

    run('ontonym add-terms hp.index --term HP:0001250 "funny turn" --why "ward 3 writes so"')
    run(annotating)  # the same again: what it wrote itself may be replaced
    check("HP:0001250\tSeizure\tfunny turn" in day.read("found.tsv"))
    day.write("found.tsv", day.read("found.tsv") + "a row that somebody wrote\n")
    check("--force" in run(annotating, code=2))  # what was changed since may not
    check("somebody wrote" in day.read("found.tsv"))
    run(f"{annotating} --force")

    run("ontonym normalize hp.index complaints.csv --column complaint -o answers.csv")
    rows = {row.split(",")[0]: row for row in day.read("answers.csv").splitlines()}
    check(rows["patient"].startswith("patient,complaint,since,ontonym_id,ontonym_name,ontonym_confidence"))
    check("2021,HP:0001962" in rows["P1"] and rows["P4"].startswith("P4,our parking place,2024,,"))

    check("recall" in run("ontonym evaluate annotation hp.index gold.pubtator --prefix HP"))
    said = day.python(IN_PYTHON)
    check(said.splitlines()[:3] == ["HP:0000316", "['HP:0001250', 'HP:0000486']", "['fever']"])

    text = (day.folder / "hp.obo").read_text(encoding="utf-8")
    day.write("next/hp.obo", text.replace("name: Hypertelorism\n", "name: Increased interorbital distance\n"))
    run("ontonym import next/hp.obo -o hp-next.terminology")
    check("Increased interorbital distance" in run("ontonym diff hp.terminology hp-next.terminology"))
    run("ontonym update hp.index hp-next.terminology")
    check("Increased interorbital distance" in run('ontonym search hp.index "wide set eyes" -k 1'))
    check("funny turn" in run("ontonym terms hp.index"))  # one's own words have stayed


if __name__ == "__main__":
    with Day("An engineer's day") as today:
        main(today)
