"""A researcher's day: which encoder is best for names of phenotypes? Sets, figures with intervals, one page.

The names are those of a part of the Human Phenotype Ontology. With ontonym[train] an encoder is trained too.
Takes about a minute. Needs ontonym[eval].
"""

from __future__ import annotations

from importlib.util import find_spec

from day import Day, check, human_phenotype_ontology

BRANCHES = ("HP:0000478", "HP:0001626")
"""Abnormality of the eye, and of the cardiovascular system."""

PART = f"""
import csv, ontonym
with ontonym.open("hp.terminology") as hp, open("part.csv", "w", newline="") as out:
    rows = csv.writer(out)
    rows.writerow(["id", "preferred", "synonyms", "parents"])
    for top in {BRANCHES!r}:
        for concept in [hp[top], *hp[top].descendants]:
            rows.writerow([concept.id, concept.preferred, "|".join(concept.names), "|".join(concept.parents.ids)])
"""


def main(day: Day) -> None:
    """From a release to sets of pairs, hidden names and categories, and from these to a page."""
    run = day.run
    run(f"ontonym import {human_phenotype_ontology()} -o hp.terminology")
    day.python(PART)
    run("ontonym import part.csv -o part.terminology")

    run("ontonym benchmark build part.terminology -o part.sets")
    asked = "ontonym evaluate similarity part.sets --set hard --encoder static --encoder char --encoder edit"
    said = run(f"{asked} --most 400 --resamples 200 -o similarity.json")
    check("static" in said and "edit" in said)

    hidden = "ontonym evaluate heldout part.terminology --fraction 0.1"
    said = run(f"{hidden} --encoder static --signal all --compare fused lexical -o hidden.json")
    check("fused" in said and "lexical" in said)
    run(f"{hidden} --write-names hidden.txt")
    check(len(day.read("hidden.txt").splitlines()) > 100)

    near, far = "HP:0000504", "HP:0030680"  # vision, cardiovascular morphology
    said = run(f"ontonym evaluate categories part.terminology --near {near} --near HP:0012372 --far {far} "
               "--encoder static --most 300 -o categories.json")  # fmt: skip
    check("static" in said)

    if find_spec("sentence_transformers") is not None:
        run("ontonym train part.terminology --exclude hidden.txt --steps 20 --allow-worse -o part.encoder")
        run(f"{hidden.replace('static', 'part.encoder')} --signal dense -o trained.json")
        check("part.encoder" in run("ontonym info part.encoder"))
    else:
        print("\nnothing is trained: ontonym[train] is not installed")

    run("ontonym evaluate report similarity.json hidden.json categories.json -o report.html")
    page = day.read("report.html")
    check("<html" in page and "edit" in page)


if __name__ == "__main__":
    with Day("A researcher's day") as today:
        main(today)
