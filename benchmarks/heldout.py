"""Held-out names of HPO, synonyms and lay words: hidden from index, peers and the encoder's training, then searched."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from figures import Bench, Row, Sheet, main, report_rows
from materials import (
    READ_BY,
    ChangedRelease,
    Trained,
    bench_folder,
    code_digest,
    indexed,
    opened,
    titled,
    trained,
    work_folder,
)
from ontonym.evaluate import HeldOutSynonyms, HoldOutOptions, NormalizationReport, Protocol, evaluate_held_out
from ontonym.evaluate.indexes import normalizer
from ontonym.evaluate.normalization import Normalize
from ontonym.index import Index
from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import build_terminology
from ontonym.tasks import SIGNALS, NormalizeOptions, SearchOptions
from peers import all_names, fit_peers
from peers import normalizer as peer_normalizer
from sources import import_sources
from wordlists import WORD_OPTIONS, WORD_STEPS, import_word_lists, words_digest

TITLES = MappingProxyType(
    {
        "heldout": "HPO: synonyms hidden from index and encoder",
        "lay": "HPO: patients' words, all hidden from index and encoder",
    }
)
PEERS = ("word TF-IDF (scikit-learn)", "char TF-IDF 1-5 (scikit-learn)", "BM25 (bm25s)")


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Hides, trains a blind encoder where none is kept, indexes what is left, searches for what was hidden: twice."""
    for name, held_out in exams(chosen.seed).items():
        with work_folder() as folder:
            place = folder / "hp.terminology"
            hide(held_out, place)
            blind = blind_encoder([query.text for query in held_out.queries], steps=chosen.steps, fresh=chosen.fresh)
            reports = search_hidden(place, folder, held_out, blind.path, bench)
        protocol = _protocol(blind, reports["fused"])
        bench.show(Sheet(name, TITLES[name], protocol, report_rows(reports)))
        bench.show(Sheet(f"{name} overlap", f"{TITLES[name]}: by overlap", protocol, overlap_rows(reports)))


def exams(seed: int = HoldOutOptions().seed) -> dict[str, HeldOutSynonyms]:
    """The sets of names to hide, by name of the set."""
    return {
        "heldout": HeldOutSynonyms(HoldOutOptions(seed=seed)),
        "lay": HeldOutSynonyms(HoldOutOptions(seed=seed, kind="lay", fraction=1.0)),
    }


def hide(held_out: HeldOutSynonyms, place: Path) -> None:
    """Builds HPO without the hidden names at ``place``; ``held_out.queries`` has them afterwards."""
    release = read_release(EMBEDDED["hp"].files(), options=ReadOptions(name="hp"))
    build_terminology(ChangedRelease(release, held_out.reduce), place)


def _protocol(blind: Trained, report: NormalizationReport) -> tuple[str, ...]:
    return (
        report.protocol.caption(),
        f"dense: {blind.described()}; the hidden names were excluded from all terminologies",
        "the fusion's weights are the shipped ones, learned from queries made of names of six terminologies, HPO's too",
        report.bootstrap.caption(report.unit),
    )


def overlap_rows(reports: Mapping[str, NormalizationReport]) -> list[Row]:
    """Hits of every run by the overlap degree of the hidden name with those left to its concept (Ngo)."""
    first = next(iter(reports.values()))
    return [
        {
            "overlap": band,
            "n": n,
            **{
                f"{run} {measure}": report.by_type[band][1][measure]
                for run, report in reports.items()
                if run in ("fused", "dense alone", *PEERS[1:2])
                for measure in ("hits@1", "hits@10")
            },
        }
        for band, (n, _) in first.by_type.items()
    ]


def search_hidden(
    place: Path, folder: Path, held_out: HeldOutSynonyms, encoder: Path | str, bench: Bench
) -> dict[str, NormalizationReport]:
    """The reports of every signal and peer, by what ranks, over the reduced terminology at ``place``."""
    with ExitStack() as stack:
        index = stack.enter_context(indexed([place], folder, encoder))
        protocol = _asked(index, held_out)

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


def search_fused(index: Index, held_out: HeldOutSynonyms) -> NormalizationReport:
    """The report of all signals fused, by the weights of an index of the reduced terminology."""
    protocol = _asked(index, held_out)
    run = _signal(index, "fused", protocol.depth)
    return evaluate_held_out(held_out.queries, run, protocol, resolve=index.resolve)


def _asked(index: Index, held_out: HeldOutSynonyms) -> Protocol:
    options = held_out.options
    return Protocol(
        data=f"{index.name} {'lay words' if options.kind else 'exact synonyms'}",
        split=f"{len(held_out.queries):,} of {held_out.eligible:,} hidden (fraction {options.fraction:g}, seed "
        f"{options.seed})",
        terminology=f"{titled(index.terminologies)} without them",
    )


def _signal(index: Index, signal: str, depth: int) -> Normalize:
    return normalizer(index, NormalizeOptions(composites=False, search=SearchOptions(k=depth, signal=signal)))


def blind_encoder(unseen: Sequence[str], *, steps: int | None = None, fresh: bool = False) -> Trained:
    """An encoder made like the shipped one, from the same sources and lists, but without these names."""
    places = list(source_places().values())
    first = trained(places, "none", unseen=unseen, steps=steps, fresh=fresh)
    lists = _word_lists(places)
    count = WORD_STEPS if steps is None else steps
    last = trained([*places, *lists], str(first.path), unseen=unseen, steps=count, further=WORD_OPTIONS, fresh=fresh)
    return replace(
        last,
        command=f"{first.command}, then {last.command}",
        seconds=first.seconds + last.seconds,
        kept=first.kept and last.kept,
        resumed=first.resumed or last.resumed,
    )


def _word_lists(places: Sequence[Path]) -> list[Path]:
    """The everyday names and abbreviations as terminologies, imported for each state of the lists."""
    with opened(places) as terminologies:
        lists = import_word_lists(bench_folder() / f"words-{words_digest()}", terminologies)
    for one in lists:
        one.close()
    return [one.path for one in lists]


def source_places() -> dict[str, Path]:
    """The terminologies that the shipped encoder is trained on, by name, imported once for each state of the code."""
    sources = import_sources(bench_folder() / f"sources-{code_digest(READ_BY)[:12]}")
    places = {source.name: source.path for source in sources}
    for source in sources:
        source.close()
    return places


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=HoldOutOptions().seed, help="which names are hidden")
    parser.add_argument("--steps", type=int, help="training steps, for a quick look (default: the shipped encoder's)")
    parser.add_argument("--fresh", action="store_true", help="train the blind encoder anew")


if __name__ == "__main__":
    sys.exit(main("heldout", str(__doc__), measure, _options))
