"""Rahimi's table 2 on open data: MeSH descriptors aligned with Wikipedia titles and Wikidata labels, stage by stage."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np
import orjson

from figures import Bench, Row, Sheet, main
from judging import light
from lessons import MINILM, missing, model_folder
from materials import opened, work_folder
from ontonym.benchmark.splits import build_splits
from ontonym.encoder import Encoder, open_encoder, open_reranker
from ontonym.encoder.protocol import Vectors
from ontonym.evaluate.alignment import BOTH, CUTOFFS, READ, WEIGHED, PageGold, Stages, stages_of
from ontonym.evaluate.measures import RIGHT, Ranking
from ontonym.evaluate.retrieval import RetrievalReport, SearchQuestion, answered, report_retrieval
from ontonym.index import build_index, open_index
from ontonym.index.fuse import Fusion
from ontonym.index.pagebuild import build_pages
from ontonym.index.pages import open_pages
from ontonym.learning.ranking import learn_fusion
from ontonym.learning.samples import LearnOptions, Sample
from ontonym.store import Terminology
from ontonym.tasks import SearchOptions, search_many
from ontonym.tasks.align import SecondStage, Weighing, align, default_weights
from ontonym.tasks.align.aligning import page_candidates
from ontonym.tasks.align.pageclaims import PageClaims
from ontonym.tasks.align.weighing import FEATURES, features_of
from wikipages import import_sides
from wikireranker import OPTIONS, TAUGHT, World, kept_reranker

WEIGHTS = Path(__file__).resolve().parent.parent / "src/ontonym/tasks/align/weighing.json"

LEARNING = LearnOptions(epochs=40)
NOTHING = 0.1
"""The share of concepts whose page is taken away when weights are learned, so that "none of them" is right."""
MINILM_TAUGHT = 1_500
"""Concepts of train by which weights for MiniLM's vectors are learned."""

CLAIMED = "claimed"

NAMES: Mapping[str, str] = {
    "lexical": "BM25", "char": "TF-IDF char", "both": "both in turn", "all": "very names, then both",
    WEIGHED: "weighed", CLAIMED: "weighed, each page for one concept", READ: "reranked", BOTH: "weighed and reranked",
}  # fmt: skip
"""What the rows are called."""


@dataclass(slots=True)
class Runs:
    """The rankings of the test split, or of a sample of it, by every method."""

    world: World
    gold: PageGold
    rankings: dict[str, Sequence[Ranking]] = field(default_factory=dict)
    candidates: Sequence[Ranking] = ()

    def time(self, name: str, rank: Callable[[], Sequence[Ranking]]) -> None:
        """Keeps what a method ranks, and prints how long it took."""
        began = time.perf_counter()
        self.rankings[name] = rank()
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)

    def report(self, name: str) -> RetrievalReport:
        """Recall of one method, normalized by the first stage where it orders its candidates."""
        ends = [(self.world.source.id(row), self.world.pages.id(page)) for row, page in self.gold.pairs]
        questions = [SearchQuestion(concept, (), frozenset((page,))) for concept, page in ends]
        gains = [{page: RIGHT} for _, page in ends]
        second = name not in ("lexical", "char", "both", "all", FUSED)
        stage = self.candidates if second else None
        return report_retrieval(
            questions, self.rankings[name], gains, cutoffs=CUTOFFS, measures=("recall",), first_stage=stage
        )


FUSED = "names one by one, all signals"
BY_MINILM = "weighed by MiniLM's vectors"


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Makes both sides, learns, and ranks the test split by every method."""
    with work_folder(chosen.work) as folder:
        import_sides(folder)
        with opened([folder / "mesh.terminology", folder / "pages.terminology"]) as (source, little):
            build_pages([little], folder / "wiki.pages")
            with open_pages(folder / "wiki.pages") as pages:
                build_splits(source, pages, folder / "gold")
                world = World(source, pages, folder / "gold")
                _measure(bench, chosen, world, little, folder)


def _measure(
    bench: Bench, chosen: argparse.Namespace, world: World, little: Terminology, folder: Path
) -> None:  # fmt: skip
    if chosen.learn:
        WEIGHTS.write_bytes(learned_weights(world, open_encoder()))
        default_weights.cache_clear()
    weighing = Weighing(open_encoder(), default_weights())
    runs = _weighed(world, weighing, 0)
    runs.time(FUSED, lambda: _fused(world, runs.gold, little, folder))
    runs.time(CLAIMED, lambda: _claimed(world, runs.gold, SecondStage(weighing)))
    bench.show(Sheet("wikiumls", "MeSH to Wikipedia, test split (Rahimi, table 2)", _protocol(world), _rows(runs)))
    if chosen.no_reranker:
        return
    if missing(MINILM):
        bench.note(f"without a reranker and {BY_MINILM}: {MINILM} is not installed")
    else:
        sample = _weighed(world, weighing, chosen.sample)
        _with_minilm(bench, chosen, sample, weighing, folder)
        read = (
            f"{chosen.sample:,} concepts of the test split, drawn by their ids, since reading is slow on a processor",
            f"reranked: a cross-encoder from {MINILM}, English only, taught by {chosen.taught:,} concepts of train, "
            f"reads the {chosen.depth} likeliest as weighed; alone, and beside the weighing",
            f"{BY_MINILM}: weights learned on {MINILM_TAUGHT:,} concepts of train, with the vectors of {MINILM} in the "
            "place of the shipped encoder's",
        )
        title = "Second stages, on a sample of the test split"
        bench.show(Sheet("reranked", title, (*read, *_protocol(world)), _rows(sample)))


def _weighed(world: World, weighing: Weighing, most: int) -> Runs:
    """The first stages and the weighing over the test split, or over a sample of it."""
    runs = Runs(world, world.split("test", most))
    stages = _stages(world, runs.gold, SecondStage())
    runs.candidates = stages.candidates
    runs.rankings |= stages.rankings
    runs.time(WEIGHED, lambda: _stages(world, runs.gold, SecondStage(weighing)).rankings[WEIGHED])
    return runs


def _claimed(world: World, gold: PageGold, second: SecondStage) -> Sequence[Ranking]:
    """As `ontonym align` ranks: over all concepts, each page for the one that is surest of it or known to have it."""
    source, pages = world.source, world.pages
    known: dict[int, frozenset[int]] = {}
    for split in ("train", "dev"):
        for row, page in world.split(split, 0).pairs:
            known[row] = known.get(row, frozenset()) | {page}
    asked = [row for row, _ in gold.pairs]
    others = sorted(set(np.flatnonzero(source.active).tolist()) - known.keys() - set(asked))
    whole = replace(OPTIONS, k=OPTIONS.candidates)
    found = list(align(source, pages, asked, whole, second))
    claims = PageClaims(chain(found, align(source, pages, others, replace(OPTIONS, k=10), second)), known)
    return [[pages.id(each.page) for each in one.candidates] for one in claims.settle(found)]


def _stages(world: World, gold: PageGold, second: SecondStage) -> Stages:
    return stages_of(world.source, world.pages, gold, OPTIONS, second)


def _with_minilm(bench: Bench, chosen: argparse.Namespace, runs: Runs, weighing: Weighing, folder: Path) -> None:
    world = runs.world
    model = Path(model_folder(MINILM))
    place = Path(chosen.reranker) if chosen.reranker else kept_reranker(world, weighing, chosen.taught)
    second = SecondStage(weighing, open_reranker(place), depth=chosen.depth)

    def read() -> Sequence[Ranking]:
        stages = _stages(world, runs.gold, second)
        runs.rankings[READ] = stages.rankings[READ]
        return stages.rankings[BOTH]

    runs.time(BOTH, read)
    bench.note(_told(place))
    encoder = Kept(open_encoder(light(model, folder)))
    weights = learned(world, encoder, MINILM_TAUGHT)
    runs.time(
        BY_MINILM,
        lambda: _stages(world, runs.gold, SecondStage(Weighing(encoder, weights))).rankings[WEIGHED],
    )


def _told(place: Path) -> str:
    from ontonym.artifact import read_manifest

    content = read_manifest(place, "reranker").content
    groups, trained, options = content["groups"], content["trained"], content["training"]
    return (
        f"the reranker: {groups['train']:,} concepts of train with {options['negatives']} wrong candidates each, best "
        f"after {trained['best step']} of {trained['steps']} steps of {options['batch']} concepts by {groups['dev']} "
        f"of dev; the loss {options['loss']}, rate {options['rate']:g}, {options['tokens']} tokens"
    )


class Kept:
    """An encoder that remembers what it encoded."""

    is_steady = True

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, Vectors] = {}
        self.dim, self.fingerprint = encoder.dim, encoder.fingerprint

    def encode(self, texts: Sequence[str]) -> Vectors:
        """As the encoder does."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encoder.encode_names(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    encode_names = encode


def learned_weights(world: World, encoder: Encoder) -> bytes:
    """The weights that the package ships, learned on the train split, as the bytes of their file."""
    fusion = learned(world, encoder)
    return orjson.dumps(fusion.to_dict(FEATURES), option=orjson.OPT_INDENT_2)


def learned(world: World, encoder: Encoder, most: int = 0) -> Fusion:
    """The weights under which the pages of the train split, or of a sample of it, are likeliest."""
    rng = np.random.default_rng(0)
    samples = []
    for row, page in world.split("train", most).pairs:
        brought = page_candidates(world.source, world.pages, row, OPTIONS)
        if brought is None or not len(brought.places):
            continue
        features = features_of(
            encoder, world.pages, brought.names, brought.found, brought.places, brought.known_as
        )  # fmt: skip
        (held,) = np.nonzero(brought.pages == page)
        if len(held) and rng.random() < NOTHING and len(features) > 1:
            samples.append(Sample(np.delete(features, held[0], axis=0), -1))
        else:
            samples.append(Sample(features, int(held[0]) if len(held) else -1))
    fusion, figures = learn_fusion(samples, LEARNING, [0] * samples[0].features.shape[1])
    told = ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
    print(f"learned from {len(samples):,} concepts: {told}", flush=True)
    return replace(fusion, none=_doubt(fusion, samples))


def _doubt(fusion: Fusion, samples: Sequence[Sample]) -> float:
    """The likeliest score of "none of them" where half of the concepts have no page: each once with its own, once
    without. Most concepts that are still to be aligned have none; the order of candidates does not depend on it.
    """
    right, others = [], []
    for sample in samples:
        scores = fusion.scores(sample.features).astype(np.float64)
        if sample.right >= 0:
            right.append(scores[sample.right])
            others.append(np.logaddexp.reduce(np.append(np.delete(scores, sample.right), -np.inf)))
    found, wrong = np.array(right), np.array(others)

    def likelihood(none: float) -> float:
        whole = np.logaddexp(np.logaddexp(found, wrong), none)
        return float((found - whole).sum() + (none - np.logaddexp(wrong, none)).sum())

    return float(max(np.linspace(-5, 10, 301), key=likelihood))


def _fused(world: World, gold: PageGold, little: Terminology, folder: Path) -> Sequence[Ranking]:
    """What `ontonym search` finds for each name by itself, each page with its best confidence."""
    build_index([little], folder / "pages.index")
    with open_index(folder / "pages.index") as index:

        def ask(texts: Sequence[str]) -> Sequence[Sequence[tuple[str, float]]]:
            found = search_many(index, texts, SearchOptions(k=OPTIONS.candidates))
            return [[(hit.id, hit.confidence) for hit in hits] for hits in found]

        questions = [SearchQuestion(str(row), tuple(world.source.names(row)), frozenset()) for row, _ in gold.pairs]
        answers = answered(ask, questions, OPTIONS.candidates)
    return [[page for page, _ in some] for some in answers]


ORDER = ("lexical", "char", "both", "all", FUSED, WEIGHED, CLAIMED, BY_MINILM, READ, BOTH)
"""The rows in their order."""


def _rows(runs: Runs) -> list[Row]:
    rows: list[Row] = []
    for name in (name for name in ORDER if name in runs.rankings):
        report = runs.report(name)
        rows.append(
            {
                "method": NAMES.get(name, name),
                "n": report.n,
                **{f"recall@{k}": report.measures[f"recall@{k}"] for k in sorted(CUTOFFS, reverse=True)},
                **{f"N. recall@{k}": report.normalized.get(f"recall@{k}") for k in (4, 1)},
            }
        )
    return rows


def _protocol(world: World) -> tuple[str, ...]:
    sizes = ", ".join(f"{len(world.split(split).pairs):,} {split}" for split in ("train", "dev", "test"))
    return (
        f"MeSH descriptors against {len(world.pages):,} pages: titles of Wikipedia, with the English and Japanese "
        "labels and the descriptions of Wikidata's diseases and symptoms, which are pages of their own where no title "
        "is theirs; no texts of Wikipedia, no redirects",
        f"splits by concept ({sizes}); what means the same or shares a page stays together",
        f"{OPTIONS.candidates} candidates; second stages order those of 'very names, then both', by which N. is "
        "normalized",
        "weighed: features weighed by a network learned on train, as shipped",
        f"{NAMES[CLAIMED]}: as `ontonym align` ranks where train and dev are known: all descriptors are aligned, and a "
        "page of which another one is surer, or that is known to be another's, is hardly a concept's",
        "the encoder that comes with the package was trained on open terminologies, MeSH's names among them; it has "
        "seen no title and no alignment",
        f"{FUSED}: `ontonym search` for each name in an index of the pages, each page with its best confidence",
        "[low, high]: 95% interval, percentile bootstrap over concepts, 9,999 resamples",
    )


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--work", metavar="DIR", help="keep what is made here, to go on from (default: a new folder)")
    parser.add_argument("--reranker", metavar="DIR", help="a reranker trained earlier (default: train one, an hour)")
    parser.add_argument("--no-reranker", action="store_true", help="only the table of the test split")
    parser.add_argument(
        "--taught", type=int, default=TAUGHT, help=f"concepts that the reranker learns from (default: {TAUGHT:,})"
    )
    parser.add_argument("--depth", type=int, default=8, help="candidates that the reranker reads (default: 8)")
    parser.add_argument(
        "--sample", type=int, default=1_000, help="concepts of test that a reranker reads for (default: 1,000)"
    )
    parser.add_argument("--learn", action="store_true", help="learn the shipped weights anew, and write them")


if __name__ == "__main__":
    sys.exit(main("wikiumls", str(__doc__), measure, _options))
