"""Term-similarity sets of open terminologies: their statistics, and how well encoders tell similar names in them."""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import MappingProxyType

from figures import Bench, Cell, Row, Sheet, Target, main, target_sheet
from lessons import MINILM, missing, model_folder
from materials import Trained, generated_release, import_files, opened, trained, work_folder
from ontonym.benchmark import BuildOptions, SimilaritySet, build_sets, open_sets
from ontonym.benchmark.sets import STATISTICS
from ontonym.encoder import default_folder, open_encoder
from ontonym.encoder.protocol import Encoder
from ontonym.evaluate import Interval
from ontonym.evaluate.pairsimilarity import SPELLINGS, Alike, Remembered, alike_by_encoder
from ontonym.evaluate.similarity import evaluate_similarity
from ontonym.ontology.options import ReadOptions
from ontonym.text.normalization import normalize
from sources import data_folder, import_sources

HIDDEN_SHARE = 5
"""One of so many concepts is kept from an encoder's training, with all its names."""

RF2_CONCEPTS = 20_000

MOST = 20_000
"""Pairs of a set that are judged, drawn where there are more: MeSH has over a million names for a slow encoder."""

KNOWN, UNSEEN = 0.90, 0.72
"""Promised accuracy on the hard pairs with closest negatives: trained on the terminology, and concepts never seen."""

HARD = "fsn-synonym.hard.levenshtein"
JUDGED = ("fsn-synonym.easy.levenshtein", HARD, "synonym-synonym.hard.levenshtein")

HISTORY: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "hpo": ("hpo/hp.json.gz", ("hpo/hp_boqa_2017.obo.gz", "hpo/hp.obo.gz")),
        "doid": ("doid/doid_2016-09-19.obo", ("doid/HumanDO_2015.obo",)),
    }
)
"""Releases whose ids were merged since older ones, newest first."""


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Makes the sets, then asks the encoders, the unseen concepts last."""
    with work_folder() as folder:
        sources = {terminology.name: terminology.path for terminology in import_sources(folder)}
        made = {name: _built(name, place, folder, chosen) for name, place in _releases(folder, sources).items()}
        bench.show(
            Sheet(
                "sets",
                "Sets of similar and dissimilar names (Schulz, Table 2)",
                (
                    "pairs, half of them similar, of the set with random and of that with the closest negatives; "
                    "then mean Levenshtein distances of similar pairs and of both kinds of dissimilar ones",
                    "easy: similar pairs with a distance of 5 at most",
                    "hpo: 2023 with 2016 and 2017 as older releases; doid: 2016 with 2015; mesh: no history; rf2: "
                    f"generated, Full, {RF2_CONCEPTS:,} concepts",
                ),
                [row for name, place in made.items() for row in _statistics(name, place)],
                2,
            )
        )
        hidden = _hidden(sources["hpo"])
        encoders = {name: trained([sources[name]], "default") for name in ("hpo", "mesh")}
        blind = trained([sources["hpo"]], "none", unseen=hidden)
        rows = [row for name, encoder in encoders.items() for row in _judged(name, made[name], encoder)]
        bench.show(_figures_sheet("known", "Encoders trained on the terminology", encoders.values(), rows))
        only = {normalize(name) for name in hidden}
        unseen = _told("hpo", _restricted(made["hpo"], only), _methods({"trained without them": str(blind.path)}))
        bench.show(_figures_sheet("unseen", "Concepts that training did not see", [blind], unseen))
        bench.note(
            "unseen: similar pairs of concepts that training did not see, with their dissimilar pairs, whose second "
            "name it may have seen; default and MiniLM have seen what they have seen"
        )
    best = {str(row["set"]): row for row in rows}
    figures = [(f"{name} {HARD}", best[f"{name} {HARD}"]["trained on it"], KNOWN) for name in encoders]
    figures += [
        (f"{row['set']}, unseen", row["trained without them"], UNSEEN) for row in unseen if HARD in str(row["set"])
    ]
    targets = [Target(what, _value(cell), limit, "accuracy", at_least=True) for what, cell, limit in figures]
    bench.show(target_sheet(targets))
    return True


def _value(cell: Cell) -> float:
    assert isinstance(cell, Interval)  # noqa: S101 (accuracies are intervals)
    return cell.value


def _releases(folder: Path, sources: Mapping[str, Path]) -> dict[str, tuple[Path, list[Path]]]:
    """The terminology of each release with those of older ones."""
    found: dict[str, tuple[Path, list[Path]]] = {}
    for name, (newest, older) in HISTORY.items():
        places = [
            import_files([data_folder() / file], folder / f"{name}-{number}.terminology", ReadOptions(name=name))
            for number, file in enumerate((newest, *older))
        ]
        found[name] = (places[0], places[1:])
    found["mesh"] = (sources["mesh"], [])
    release = generated_release("rf2", RF2_CONCEPTS)
    found["rf2"] = (import_files([release], folder / "rf2.terminology", ReadOptions(name="rf2")), [])
    return found


def _built(name: str, place: tuple[Path, list[Path]], folder: Path, chosen: argparse.Namespace) -> Path:
    newest, older = place
    output = folder / f"{name}.sets"
    with ExitStack() as stack:
        (release,) = stack.enter_context(opened([newest]))
        before = stack.enter_context(opened(older))
        build_sets(release, output, BuildOptions(), older=before, threads=chosen.threads)
    print(f"{name}: sets made", flush=True)
    return output


def _statistics(name: str, place: Path) -> list[Row]:
    statistics = json.loads((place / STATISTICS).read_bytes())
    return [
        {
            "of": name, "relation": row["relation"], "": row["difficulty"], "pairs": row["random"]["pairs"],
            "closest": row["levenshtein"]["pairs"], "similar": row["random"]["positive_distance"],
            "not (random)": row["random"]["negative_distance"],
            "not (closest)": row["levenshtein"]["negative_distance"],
        }
        for row in statistics["sets"]
    ]  # fmt: skip


def _hidden(place: Path) -> list[str]:
    """All names of some concepts, chosen by their ids."""
    with opened([place]) as (terminology,):
        owners = [zlib.crc32(terminology.id(row).encode()) % HIDDEN_SHARE == 0 for row in range(len(terminology))]
        zipped = zip(terminology.term_texts(), terminology.term_concepts().tolist(), strict=True)
        return [text for text, concept in zipped if owners[concept]]


Method = Callable[[Sequence[str], Sequence[str]], Alike]


def _methods(encoders: Mapping[str, str]) -> dict[str, Method]:
    named = {"default": "default", **({} if missing(MINILM) else {MINILM: model_folder(MINILM)}), **encoders}
    methods: dict[str, Method] = {name: partial(_spelled, name) for name in SPELLINGS}
    return methods | {name: partial(_by_cosine, Remembered(open_encoder(place))) for name, place in named.items()}


def _spelled(name: str, first: Sequence[str], second: Sequence[str]) -> Alike:
    return {name: SPELLINGS[name](first, second)}


def _by_cosine(encoder: Encoder, first: Sequence[str], second: Sequence[str]) -> Alike:
    return alike_by_encoder(encoder, first, second, ["cos"])


def _judged(name: str, place: Path, encoder: Trained) -> list[Row]:
    return _told(
        name,
        [made.drawn(MOST) for made in open_sets(place) if made.name in JUDGED],
        _methods({"trained on it": str(encoder.path)}),
    )


def _told(name: str, sets: Sequence[SimilaritySet], methods: Mapping[str, Method]) -> list[Row]:
    rows: list[Row] = []
    for made in sets:
        found = evaluate_similarity(made, {method: ask(made.first, made.second) for method, ask in methods.items()})
        row: dict[str, Cell] = {"set": f"{name} {made.name}", "pairs": found.n}
        for method in methods:
            row[method] = found.headline(method).value
        rows.append(row)
        print(f"{name} {made.name}", flush=True)
    return rows


def _restricted(place: Path, only: Collection[str]) -> list[SimilaritySet]:
    return [made.restricted(only) for made in open_sets(place) if made.name in JUDGED]


def _figures_sheet(key: str, title: str, encoders: Iterable[Trained], rows: Sequence[Row]) -> Sheet:
    return Sheet(
        key,
        title,
        (
            "accuracy at the threshold that is best on these pairs, exact binomial 95% interval; cosine; 0.5 is chance",
            *(encoder.described() for encoder in encoders),
            f"at most {MOST:,} pairs of a set, drawn (seed 0)",
            f"default ({default_folder().name}) has learned from open terminologies, HPO and MeSH among them",
        ),
        rows,
    )


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--threads", type=int, default=2)


if __name__ == "__main__":
    sys.exit(main("similarity", __doc__, measure, _options))
