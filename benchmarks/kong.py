"""Kong's table 3 and figure 2 on open data: recall of mentions by what was learned from, and with annotated texts."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from figures import Bench, Cell, Row, Sheet, main
from heldout import source_places
from judging import light, report_of
from lessons import CORPORA, MINILM, missing, model_folder
from materials import TRAINED_BY, bench_folder, code_digest, digest, opened, titled, work_folder
from ncbi import TASKS, TERMINOLOGIES
from ontonym.artifact import read_manifest
from ontonym.encoder import open_encoder
from ontonym.errors import InputError
from ontonym.evaluate import BootstrapOptions, NormalizationReport
from ontonym.learning.encoders.bases import Base
from ontonym.learning.recipes import PoolOptions, name_pool
from ontonym.store import Terminology
from peers import Bm25, Names, Peer, Scores, all_names
from peers import normalizer as peer_normalizer
from sources import data_folder

GRAPHS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"ICD": ("icd10cm",), "MeSH": ("mesh",), "HPO+DOID": ("hpo", "doid")}
)
"""Open terminologies in place of the paper's ICD-10, SNOMED CT and UMLS, by the name its columns have."""

MENTIONS = MappingProxyType(
    {"ncbi": "NCBI disease", "bc5cdr-disease": "BC5CDR diseases", "bc5cdr-chemical": "BC5CDR chemicals"}
)
"""What the rows of each task are called."""

RECIPES = MappingProxyType({"syn": "synonyms", "graph": "graph"})
DEPTH = 25
MEASURES = MappingProxyType({"R@1": "accuracy@1", "R@25": "accuracy@25"})

UNTAUGHT = "untaught"
ALONE, AUXILIARY = "annotated texts alone", "with comb as auxiliary"

Found = Mapping[str, Mapping[str, NormalizationReport]]
"""By task the report of each method."""


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Trains what is not kept from an earlier run, and asks every encoder and baseline."""
    sources = source_places()
    learned = [sources[name] for names in GRAPHS.values() for name in names]
    encoders = {
        f"{title} {short}": _trained([sources[name] for name in names], ["--recipe", recipe], chosen)
        for title, names in GRAPHS.items()
        for short, recipe in RECIPES.items()
    }
    encoders["comb"] = _trained(learned, ["--recipe", "comb"], chosen)
    table: dict[str, dict[str, NormalizationReport]] = {}
    figure: dict[str, dict[str, NormalizationReport]] = {}
    with work_folder() as folder:
        home = TERMINOLOGIES[TASKS[chosen.annotated].terminology](folder)
        texts = ["--recipe", "annotated", "--annotated", str(data_folder() / CORPORA[chosen.annotated])]
        arms = {
            ALONE: _trained([home, *learned], texts, chosen),
            AUXILIARY: _trained([home, *learned], [*texts, "--auxiliary", "comb"], chosen),
        }
        model = {**_minilm(bench, folder), UNTAUGHT: _untaught(home, folder, chosen)}
        for terminology in dict.fromkeys(TASKS[task].terminology for task in chosen.task):
            tasks = [task for task in chosen.task if TASKS[task].terminology == terminology]
            with _searched(TERMINOLOGIES[terminology](folder)) as searched:
                for name, peer in _peers(searched, {**model, **encoders}):
                    _ask(name, peer, searched, tasks, table)
                for name, place in arms.items():
                    _ask(name, Encoded(place, searched.names), searched, tasks, figure)
    bench.show(_table(table, chosen))
    bench.show(_figure(figure, chosen))


# Training --------------------------------------------------------------------------------------------------------


def _trained(places: Sequence[Path], options: Sequence[str], chosen: argparse.Namespace) -> Path:
    """The encoder of one ``ontonym train``, kept in the cache while neither its input nor the code changes.

    A training that was stopped goes on from its last checkpoint.
    """
    once = {read_manifest(place, "terminology").fingerprint: place for place in reversed(places)}
    sources, places = list(once)[::-1], list(once.values())[::-1]
    told = f"{', '.join(place.stem for place in places)}: {' '.join(options)}"
    key = digest([sources, list(options), chosen.base, chosen.steps, chosen.seed, code_digest(TRAINED_BY)])
    output = bench_folder() / "kong" / f"{key}.encoder"
    if output.exists():
        print(f"{told}: kept from an earlier run", flush=True)
        return output
    output.parent.mkdir(parents=True, exist_ok=True)
    stopped = Path(f"{output}.training").exists()
    print(f"{told}: {'going on after a stop' if stopped else 'training'}", flush=True)
    numbers = ["--steps", str(chosen.steps), "--neighbours", "0", "--seed", str(chosen.seed), "--threads", "1"]
    command = ["train", *map(str, places), "--base", chosen.base, *options, *numbers, "--shares", "100/0/0"]
    command += ["--resume", "-o", str(output)]
    if subprocess.run([sys.executable, "-m", "ontonym", *command], stdout=subprocess.PIPE, check=False).returncode:
        raise InputError(f"ontonym {' '.join(command)} failed")
    return output


def _minilm(bench: Bench, folder: Path) -> dict[str, Path]:
    """A general model as it is, in place of the paper's Clinical BERT; empty where it is not installed."""
    if missing(MINILM):
        bench.note(f"{MINILM} skipped: not installed")
        return {}
    return {MINILM: light(Path(model_folder(MINILM)), folder)}


def _untaught(home: Path, folder: Path, chosen: argparse.Namespace) -> Path:
    """The base as training begins with it: of a static one, what its features alone can do."""
    place = folder / "untaught.encoder"
    with opened([home]) as terminologies:
        texts = name_pool(terminologies, PoolOptions(seed=chosen.seed)).texts
        Base(chosen.base).trainable(texts, seed=chosen.seed, dropout=0.0).save(place, {"base": chosen.base})
    return place


# Asking ----------------------------------------------------------------------------------------------------------


class Encoded:
    """An encoder with the vectors of all names, asked like the peers: the cosine of each name with the mention."""

    def __init__(self, place: Path, names: Names) -> None:
        self.encoder = open_encoder(place)
        self.vectors = self.encoder.encode_names(names.texts)

    def similarities(self, queries: Sequence[str]) -> Scores:
        """The cosines, shape ``(queries, names)``."""
        cosines: Scores = self.encoder.encode_names(list(queries)) @ self.vectors.T
        return cosines


class Searched:
    """The terminology that is searched, with its names."""

    def __init__(self, terminology: Terminology) -> None:
        self.terminology = terminology
        self.names = all_names([terminology])

    def resolve(self, concept_id: str) -> str | None:
        """The id that a concept has now, None where it is not there."""
        row = self.terminology.current(concept_id)
        return None if row is None else self.terminology.id(row)


@contextmanager
def _searched(place: Path) -> Iterator[Searched]:
    with opened([place]) as (terminology,):
        yield Searched(terminology)


def _peers(searched: Searched, encoders: Mapping[str, Path]) -> Iterator[tuple[str, Peer]]:
    yield "BM25", Bm25(searched.names.texts)
    for name, place in encoders.items():
        yield name, Encoded(place, searched.names)


def _ask(
    name: str,
    peer: Peer,
    searched: Searched,
    tasks: Sequence[str],
    found: dict[str, dict[str, NormalizationReport]],
) -> None:
    ask = peer_normalizer(peer, searched.names, depth=DEPTH)
    title = titled([searched.terminology])
    for task in tasks:
        report = report_of(task, ask, searched.resolve, title, depth=DEPTH, measures=tuple(MEASURES.values()))
        found.setdefault(task, {})[name] = report
    print(f"{title}: asked {name}", flush=True)


# Sheets ----------------------------------------------------------------------------------------------------------


def _table(found: Found, chosen: argparse.Namespace) -> Sheet:
    protocol = (
        *_protocol(found, chosen),
        "ICD is ICD-10-CM; syn: pairs of names of one concept; graph: the main names of two connected concepts; comb: "
        "all of these tasks, in equal numbers",
        f"{UNTAUGHT}: the base before any training; words and n-grams that are spelled alike are near already",
        "MEDIC has the diseases of MeSH with its names, and those of OMIM; so the columns of MeSH, and comb, are "
        "zero-shot on mentions only, the others on mentions and on most concepts",
    )
    return Sheet("table-3", "Recall by what was learned from (Kong, table 3)", protocol, _rows(found))


def _figure(found: Found, chosen: argparse.Namespace) -> Sheet:
    home, asked = TASKS[chosen.annotated], MENTIONS.get(chosen.annotated, chosen.annotated)
    protocol = (
        *_protocol(found, chosen),
        f"the annotated texts are the mentions of the train split of {asked}, whose dev split is in-domain; the "
        "others are other texts, and chemicals are concepts of which none was annotated (zero-shot)",
        f"comb: the names and links of {', '.join(GRAPHS)}, and of {home.terminology.upper()}, whose concepts the "
        "texts have; the two losses are summed",
    )
    title = "A supervised loss, and comb beside it (Kong, figure 2)"
    return Sheet("figure-2", title, protocol, _rows(found))


def _rows(found: Found) -> list[Row]:
    """Two rows for each task: R@1 and R@25 by every method."""
    rows: list[Row] = []
    for task, reports in found.items():
        for shown, measured in MEASURES.items():
            figures: dict[str, Cell] = {name: report.measures[measured] for name, report in reports.items()}
            rows.append({"mentions": MENTIONS.get(task, task), "recall": shown, **figures})
    return rows


def _protocol(found: Found, chosen: argparse.Namespace) -> tuple[str, ...]:
    first = {task: next(iter(reports.values())) for task, reports in found.items()}
    return (
        *(f"{MENTIONS.get(task, task)}: {report.protocol.caption()}, n {report.n:,}" for task, report in first.items()),
        "each mention is asked as it is, among all names; encoders by the cosine",
        f"each training: base {chosen.base}, {chosen.steps:,} steps of a batch, the other pairs of the batch as "
        f"negatives, seed {chosen.seed}; no mention of a dev split was seen",
        BootstrapOptions().caption(),
    )


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS), help="which corpora")
    parser.add_argument("--annotated", choices=list(TASKS), default="ncbi", help="whose train split figure 2 learns")
    parser.add_argument("--base", default="none", help="what training begins with (default: none, a static encoder)")
    parser.add_argument("--steps", type=int, default=1000, help="steps of each training (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of every training")


if __name__ == "__main__":
    sys.exit(main("kong", str(__doc__), measure, _options))
