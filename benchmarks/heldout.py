"""Held-out synonyms of HPO: hidden from the index, from the peers and from the encoder's training, then searched."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from figures import Bench, Sheet, main, report_rows
from materials import READ_BY, ChangedRelease, Trained, bench_folder, code_digest, indexed, titled, trained, work_folder
from ontonym.cli.evaluate import normalizer
from ontonym.evaluate import HeldOutSynonyms, HoldOutOptions, NormalizationReport, Protocol, evaluate_held_out
from ontonym.evaluate.heldout import Query
from ontonym.evaluate.normalization import Normalize
from ontonym.index import Index
from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.formats import read_release
from ontonym.ontology.release import ReadOptions
from ontonym.store import build_terminology
from ontonym.tasks import SIGNALS, NormalizeOptions, SearchOptions
from peers import all_names, fit_peers
from peers import normalizer as peer_normalizer
from sources import import_sources

PEERS = ("word TF-IDF (scikit-learn)", "char TF-IDF 1-5 (scikit-learn)", "BM25 (bm25s)")


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Hides, trains a blind encoder where none is kept, indexes what is left, and searches for what was hidden."""
    held_out = HeldOutSynonyms(HoldOutOptions(seed=chosen.seed))
    with work_folder() as folder:
        place = folder / "hp.terminology"
        release = read_release(EMBEDDED["hp"].files(), options=ReadOptions(name="hp"))
        build_terminology(ChangedRelease(release, held_out.reduce), place)
        blind = blind_encoder(held_out.queries, steps=chosen.steps, fresh=chosen.fresh)
        reports = search_hidden(place, folder, held_out, blind.path, bench)
    first = next(iter(reports.values()))
    protocol = (
        first.protocol.caption(),
        f"dense: {blind.told()}; the hidden names were excluded from all terminologies",
        "the fusion's weights are the shipped ones",
        first.bootstrap.caption(first.unit),
    )
    bench.show(Sheet("heldout", "HPO: synonyms that nothing has seen", protocol, report_rows(reports)))


def search_hidden(
    place: Path, folder: Path, held_out: HeldOutSynonyms, encoder: Path | str, bench: Bench
) -> dict[str, NormalizationReport]:
    """The reports of every signal and peer, by what ranks, over the reduced terminology at ``place``."""
    with ExitStack() as stack:
        index = stack.enter_context(indexed([place], folder, encoder))
        options = held_out.options
        protocol = Protocol(
            data=f"{index.name} exact synonyms",
            split=f"{len(held_out.queries):,} of {held_out.eligible:,} hidden (fraction {options.fraction:g}, seed "
            f"{options.seed})",
            terminology=f"{titled(index.terminologies)} without them",
        )

        def ask(run: Normalize) -> NormalizationReport:
            return evaluate_held_out(held_out.queries, run, protocol, resolve=index.resolve)

        reports = {
            signal if signal == "fused" else f"{signal} alone": ask(_signal(index, signal, protocol.depth))
            for signal in SIGNALS
        }
        names = all_names(index.terminologies)
        for name, fitted in fit_peers(names.texts, PEERS, bench.note):
            reports[name] = ask(peer_normalizer(fitted.peer, names, depth=protocol.depth))
        return reports


def _signal(index: Index, signal: str, depth: int) -> Normalize:
    return normalizer(index, NormalizeOptions(composites=False, search=SearchOptions(k=depth, signal=signal)))


def blind_encoder(hidden: Sequence[Query], *, steps: int | None = None, fresh: bool = False) -> Trained:
    """An encoder made like the shipped one, from the same sources, but without the hidden names."""
    sources = import_sources(bench_folder() / f"sources-{code_digest(READ_BY)[:12]}")
    places = [source.path for source in sources]
    for source in sources:
        source.close()
    return trained(places, "none", unseen=[query.text for query in hidden], steps=steps, fresh=fresh)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=HoldOutOptions().seed, help="which names are hidden")
    parser.add_argument("--steps", type=int, help="training steps, for a quick look (default: the shipped encoder's)")
    parser.add_argument("--fresh", action="store_true", help="train the blind encoder anew")


if __name__ == "__main__":
    sys.exit(main("heldout", str(__doc__), measure, _options))
