"""The encoders that come with ontonym beside BM25, letter groups and MiniLM as it is: one table, names only.

What one chooses an encoder by: the same queries and mentions, ranked by each encoder alone and by all signals fused
with it. Hidden names are those that neither encoder has learned from.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from default_encoder import is_unseen
from devsets import SETS, DevSet, Materials, Unseen
from figures import Bench, Cell, Row, Sheet, main
from heldout import TITLES, blind_encoder, exams, hide, source_places
from lessons import MINILM, model_folder
from materials import indexed, opened, titled, work_folder
from ncbi import DEPTH, peer_run
from ontonym.encoder import CONTEXTUAL, STATIC, open_encoder
from ontonym.encoder.joined import contextual_shares, join_encoders
from ontonym.evaluate import (
    Answer,
    BootstrapOptions,
    NormalizationReport,
    Protocol,
    answer_mentions,
    evaluate_held_out,
    judge,
)
from ontonym.evaluate.graded import read_graded
from ontonym.evaluate.indexes import normalizer
from ontonym.evaluate.measures import OVERLAPS, overlap_interval
from ontonym.evaluate.normalization import Normalize
from ontonym.evaluate.pairsimilarity import alike_by_encoder
from ontonym.evaluate.similarity import evaluate_similarity
from ontonym.index import Index
from ontonym.index.fuse import fusion_for, write_fusion
from ontonym.tasks import NormalizeOptions, SearchOptions
from peers import all_names, fit_peers
from peers import normalizer as peer_normalizer
from ranking import FIRST, MEASURES, asked
from sources import data_folder

ENCODERS = (STATIC, CONTEXTUAL)
SIGNALS = ("dense", "fused")
PEERS = ("BM25 (bm25s)", "char TF-IDF 1-5 (scikit-learn)", "MiniLM (sentence-transformers)")

ASKED = ("user-queries", "held-back", "newcomer", "ncbi", "bc5cdr-disease", "bc5cdr-chemical")
"""The dev sets of `SETS` that are asked, those over one terminology together."""

KINDS = MappingProxyType({"user-queries": ("lay",)})
"""The kinds of queries that have a row of their own, by set."""

GRADED = ("UMNSRS-sim.txt", "UMNSRS-rel.txt", "MayoSRS.txt")
_TIMED = 5_000
"""Names that are encoded to time it."""

Reports = dict[str, NormalizationReport]
"""By what ranks."""


@dataclass(slots=True)
class Peers:
    """The peers over the names of the terminologies that were asked last: fitting takes minutes."""

    note: Callable[[str], None]
    names: str = ""
    runs: dict[str, Normalize] = field(default_factory=dict)

    def over(self, index: Index) -> Mapping[str, Normalize]:
        """What each of them answers over the names of an index."""
        title = titled(index.terminologies)
        if title != self.names:
            names = all_names(index.terminologies)
            fitted = fit_peers(names.texts, PEERS, self.note)
            self.runs = {name: peer_normalizer(one.peer, names, depth=DEPTH) for name, one in fitted}
            self.names = title
        return self.runs


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """The dev sets, the hidden names, pairs that people graded, and what encoding costs."""
    bootstrap = BootstrapOptions(resamples=chosen.resamples)
    rows: list[Row] = []
    with work_folder(chosen.work) as folder:
        peers = Peers(bench.note)
        for name in chosen.sets:
            began = time.perf_counter()
            rows += devset_rows(name, devset_reports(name, folder, peers, bootstrap))
            print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)
        if not chosen.no_hidden:
            for name in exams():
                rows += hidden_rows(name, hidden_reports(name, folder, bench, bootstrap))
                print(f"{name}: done", flush=True)
    protocol = (
        "names of the ontology only, but for queries over HPO with ICD-10-CM, where ontonym also has the everyday "
        "names that come with it; share right first, or among ten",
        "mentions: strict, abbreviations that the document defines written out for every column; a composite right "
        "with any part",
        "dense: the encoder alone; fused: all signals; MiniLM: all-MiniLM-L6-v2 as it is, cosine",
        "hidden: names of HPO that are in no index and that no encoder here has learned (a seventh of all names): "
        "contextual is joined with a static encoder made without them",
        bootstrap.caption("documents, concepts or question"),
    )
    if rows:
        bench.show(Sheet("encoders", "Encoders beside each other", protocol, rows))
    bench.show(graded_sheet())
    bench.show(cost_sheet())


# Dev sets ----------------------------------------------------------------------------------------------------------


def devset_reports(name: str, folder: Path, peers: Peers, bootstrap: BootstrapOptions) -> Reports:
    """A dev set asked of every peer, and of every encoder alone and fused."""
    found: Reports = {}
    for encoder in ENCODERS:
        materials = Materials(folder, encoder)
        with contextmanager(SETS[name])(materials, Unseen(materials)) as devset:
            if encoder == ENCODERS[0]:
                for peer in PEERS:
                    found[peer] = _judged(_asked_of(peer, devset, peers), devset, bootstrap)
            for signal in SIGNALS:
                search = SearchOptions(k=DEPTH, signal=signal)
                answers = asked(devset, NormalizeOptions(document=False, composites=False, search=search))
                found[f"{encoder}, {signal}"] = _judged(answers, devset, bootstrap)
    return found


def _asked_of(peer: str, devset: DevSet, peers: Peers) -> list[Answer]:
    return list(
        chain.from_iterable(
            answer_mentions(
                documents, peer_run(peers.over(index)[peer])(True), types=devset.protocol.types, depth=DEPTH
            )
            for index, documents in devset.parts
        )
    )


def _judged(answers: Sequence[Answer], devset: DevSet, bootstrap: BootstrapOptions) -> NormalizationReport:
    return judge(
        answers, devset.protocol, resolve=devset.resolve, measures=MEASURES, bootstrap=bootstrap, unit_name=devset.unit
    )


def devset_rows(name: str, found: Reports) -> Iterator[Row]:
    """Right first, of all and of the kinds that have a row of their own."""
    one = next(iter(found.values()))
    title = TITLES.get(name, one.protocol.data)
    yield {"set": f"{name}: {title}", "n": one.n, **{run: report.measures[FIRST] for run, report in found.items()}}
    for kind in KINDS.get(name, ()):
        cells: dict[str, Cell] = {run: report.by_type[kind][1][FIRST] for run, report in found.items()}
        yield {"set": f"{name}: {kind} words", "n": one.by_type[kind][0], **cells}


# Hidden names ------------------------------------------------------------------------------------------------------


def hidden_reports(name: str, folder: Path, bench: Bench, bootstrap: BootstrapOptions) -> Reports:
    """Names of HPO that no encoder has learned from, over HPO without all names of their kind that `exams` hides."""
    held_out, place = exams()[name], folder / f"{name}-hidden.terminology"
    hide(held_out, place)
    queries = [query for query in held_out.queries if is_unseen(query.text)]
    found: Reports = {}
    for encoder, made in unseen_encoders(folder).items():
        with indexed([place], folder, made) as index:
            protocol = Protocol(
                data=f"names of HPO, {len(queries):,} of {len(held_out.queries):,} that are hidden",
                split="those that no encoder has learned from",
                terminology=f"{titled(index.terminologies)} without all of these",
            )
            write_fusion(index.path, fusion_for(place, encoder))
            refreshed = index.refreshed()
            runs: dict[str, Normalize] = {}
            if encoder == ENCODERS[0]:
                names = all_names(index.terminologies)
                for peer, fitted in fit_peers(names.texts, PEERS, bench.note):
                    runs[peer] = peer_normalizer(fitted.peer, names, depth=protocol.depth)
            for signal in SIGNALS:
                search = SearchOptions(k=protocol.depth, signal=signal)
                runs[f"{encoder}, {signal}"] = normalizer(refreshed, NormalizeOptions(composites=False, search=search))
            for run, ask in runs.items():
                found[run] = evaluate_held_out(queries, ask, protocol, resolve=index.resolve, bootstrap=bootstrap)
    return found


def unseen_encoders(folder: Path) -> dict[str, Path]:
    """The encoders made without a seventh of all names, by the name of the shipped ones that they stand for."""
    unseen: set[str] = set()
    with opened(list(source_places().values())) as terminologies:
        for terminology in terminologies:
            unseen |= {text for text in terminology.term_texts() if is_unseen(text)}
    static, joined = blind_encoder(sorted(unseen)).path, folder / "unseen-joined.encoder"
    if not joined.exists():
        join_encoders([static, CONTEXTUAL], contextual_shares(), joined)
    return {STATIC: static, CONTEXTUAL: joined}


def hidden_rows(name: str, found: Reports) -> Iterator[Row]:
    """Right first and among ten, of all and of those that share hardly a word with the names that are left."""
    low = overlap_interval(OVERLAPS[0])
    one = next(iter(found.values()))
    for measure_, said in (("hits@1", "first"), ("hits@10", "among ten")):
        all_cells: dict[str, Cell] = {run: report.measures[measure_] for run, report in found.items()}
        yield {"set": f"{TITLES[name]}, {said}", "n": one.n, **all_cells}
        if low in one.by_type:
            cells: dict[str, Cell] = {run: report.by_type[low][1][measure_] for run, report in found.items()}
            yield {"set": f"the same, {low}, {said}", "n": one.by_type[low][0], **cells}


# Encoders alone ----------------------------------------------------------------------------------------------------


def graded_sheet() -> Sheet:
    """Pairs of terms that people graded: Spearman's correlation of their grades with each encoder's cosines."""
    encoders = {"MiniLM": open_encoder(model_folder(MINILM)), **{name: open_encoder(name) for name in ENCODERS}}
    rows: list[Row] = []
    for file in GRADED:
        pairs = read_graded(data_folder() / "similarity" / file)
        methods = {
            name: alike_by_encoder(encoder, pairs.first, pairs.second, ["cos"]) for name, encoder in encoders.items()
        }
        one = evaluate_similarity(pairs, methods)
        figures: dict[str, Cell] = {name: one.headline(name).value for name in methods}
        rows.append({"set": one.name, "pairs": one.n, **figures})
    return Sheet(
        "graded", "Pairs that people graded", ("Spearman's correlation, BCa intervals over pairs (Schulz)",), rows
    )


def cost_sheet() -> Sheet:
    """How long encoding takes, one thread, and how long vectors are."""
    with opened([source_places()["hpo"]]) as (terminology,):
        texts = list(terminology.term_texts())[:_TIMED]
    rows: list[Row] = []
    for name in (MINILM, *ENCODERS):
        encoder = open_encoder(model_folder(name) if name == MINILM else name)
        encoder.encode(texts[:50])
        began = time.perf_counter()
        encoder.encode(texts)
        many = time.perf_counter() - began
        began = time.perf_counter()
        for text in texts[:200]:
            encoder.encode([text])
        one = (time.perf_counter() - began) / 200
        rows.append(
            {
                "encoder": name,
                "dimensions": encoder.dim,
                "names a second": len(texts) / many,
                "one name, ms": one * 1000,
            }
        )
    return Sheet("cost", "What encoding costs", (f"{len(texts):,} names of HPO at once, then 200 one by one",), rows, 2)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="*", choices=ASKED, default=list(ASKED), help="which dev sets")
    parser.add_argument("--no-hidden", action="store_true", help="without the hidden names, which train an encoder")
    parser.add_argument("--resamples", type=int, default=BootstrapOptions().resamples, help="of the bootstrap")
    parser.add_argument("--work", metavar="DIR", help="keep the indexes, and use them again")


if __name__ == "__main__":
    sys.exit(main("encoders", str(__doc__), measure, _options))
