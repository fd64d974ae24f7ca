"""Makes the multilingual static encoder: names in nine languages near the English names of the same concepts.

    python recipes/multilingual.py --work FOLDER --blind
    python benchmarks/translations.py --held-out --encoder FOLDER/multilingual-blind.encoder

The encoder that comes with the package is taken on, by the one command users have, ``ontonym train``, over the open
terminologies that it was trained on and the translations of HPO and Wikidata's labels. Seed and threads are fixed. With
``--blind`` the names in other languages of a fifth of the concepts are left out, so that the benchmark can ask for what
nothing has seen; such an encoder is the one in packages/ontonym-multilingual. Nine minutes of one core. Needs the
extras train and demo.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

import orjson

from materials import ChangedRelease
from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import build_terminology
from ontonym.types import Concept
from sources import data_folder, import_sources
from translations import is_held_out

WIKIDATA = ("disease.csv", "symptom.csv")


def translated_hpo(place: Path, *, blind: bool) -> None:
    """HPO with its names in all languages of the data folder."""
    files = sorted((data_folder() / "hpo_translations").glob("hp-*.tsv"))
    release = read_release([*EMBEDDED["hp"].files(), *files], options=ReadOptions(name="hpo"))

    def change(concepts: Iterable[Concept]) -> Iterator[Concept]:
        for concept in concepts:
            english = tuple(term for term in concept.terms if term.language == "en")
            yield replace(concept, terms=english) if blind and is_held_out(concept.id) else concept

    build_terminology(ChangedRelease(release, change), place)


def wikidata(place: Path) -> None:
    """Wikidata's diseases and symptoms by their English and Japanese labels."""
    lines = []
    for file in WIKIDATA:
        with (data_folder() / "wikidata" / file).open(encoding="utf-8-sig", newline="") as stream:
            for row in csv.DictReader(stream):
                names = [("en", row["en_label"]), ("ja", row["ja_label"])]
                terms = [{"text": text, "language": tag} for tag, text in names if text]
                if len(terms) == len(names):
                    xrefs = [f"MESH:{row['mesh_id']}"] if row["mesh_id"] else []
                    lines.append({"id": f"WIKIDATA:{row['qid']}", "terms": terms, "xrefs": xrefs})
    table = place.with_suffix(".jsonl")
    table.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    build_terminology(read_release([table], options=ReadOptions(name="wikidata")), place)


def main() -> None:
    """Runs all steps; what is in the work folder already is not made again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("-o", "--output", type=Path)
    chosen = parser.parse_args()
    work = chosen.work.resolve()
    english = [one.path for one in import_sources(work) if one.name != "hpo"]
    hpo = work / f"hpo-languages{'-blind' * chosen.blind}.terminology"
    if not hpo.exists():
        translated_hpo(hpo, blind=chosen.blind)
    labels = work / "wikidata.terminology"
    if not labels.exists():
        wikidata(labels)
    output = chosen.output or work / f"multilingual{'-blind' * chosen.blind}.encoder"
    command = [sys.executable, "-m", "ontonym", "train", *map(str, (hpo, labels, *english)), "--base", "default"]
    command += ["--language", "all", "--shares", "100/0/0", "--steps", str(chosen.steps), "--rate", str(chosen.rate)]
    command += ["--batch", "1024", "--neighbours", "3", "--threads", "1", "--resume", "-o", str(output)]
    raise SystemExit(subprocess.run(command, cwd=work, check=False).returncode)


if __name__ == "__main__":
    main()
