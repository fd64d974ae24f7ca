"""Mentions normalized a second: by search and encoder, on MEDIC and on 1.5 million names; terms added to them."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from figures import Bench, Cell, Row, Sheet, Target, main, target_sheet
from lessons import BASES, MINILM, missing, model_folder
from materials import generated_release, import_files, indexed, opened, titled, work_folder
from ncbi import medic
from ontonym.evaluate import PubTatorCorpus
from ontonym.index import AddedTerm, Index, add_terms, remove_terms
from ontonym.learning.encoders.export import export_onnx
from ontonym.ontology.options import ReadOptions
from ontonym.tasks import NormalizeOptions, SearchOptions, search
from ontonym.tasks.normalize import normalize_groups
from ontonym.tasks.strategy import DEFAULT_STRATEGY, PLAIN
from ontonym.types import Mention
from peers import all_names, fit_peers, ranked
from queries import KINDS
from sources import data_folder

CONCEPTS = 810_000
"""Concepts of the generated release, which then has 1.5 million names to search."""

CORPORA = ("bc5cdr/CDR_TrainingSet.PubTator.txt", "bc5cdr/CDR_DevelopmentSet.PubTator.txt")
ANNOTATED = "ncbi_disease/NCBItrainset_corpus.txt"
TYPE = "Disease"
PEERS = ("char TF-IDF 1-5 (scikit-learn)", "BM25 (bm25s)")
ENCODERS = ("static", "onnx", "int8")
TERMS = 10_000
ASKED = 100
DRAWN = 2_000
_BATCH = 64

Groups = Sequence[Sequence[Mention]]


@dataclass(frozen=True, slots=True)
class Load:
    """What is normalized: mentions by document, and what they are in a few words."""

    groups: Groups
    described: str

    @property
    def mentions(self) -> int:
        """How many mentions."""
        return sum(map(len, self.groups))

    @property
    def texts(self) -> list[str]:
        """Every text once."""
        return list(dict.fromkeys(mention.text for group in self.groups for mention in group))


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """MEDIC with every encoder, then the generated release with the first."""
    with work_folder() as folder:
        rates = _on_medic(bench, folder, chosen)
    targets = [
        Target(f"fused, {DEFAULT_STRATEGY}, MEDIC, {encoder}", rates[encoder], promised, "mentions/s", at_least=True)
        for encoder, promised in (("static", 1_000), ("onnx", 300))
        if encoder in rates
    ]
    if chosen.concepts:
        with work_folder() as folder:
            rate, seconds = _on_generated(bench, folder, chosen)
        targets.append(
            Target(f"fused, {DEFAULT_STRATEGY}, generated, static", rate, 1_000, "mentions/s", at_least=True)
        )
        targets.append(Target(f"adding {TERMS:,} terms", seconds, 5, "s"))
    bench.show(target_sheet(targets))


def _on_medic(bench: Bench, folder: Path, chosen: argparse.Namespace) -> dict[str, float]:
    place = medic(folder)
    load = _corpus()
    by_encoder: dict[str, dict[str, float]] = {}
    for name in chosen.encoder:
        encoder = _encoder(name, folder)
        if encoder is None:
            bench.note(f"{name} left out: not installed ({BASES[MINILM]}, onnxruntime)")
            continue
        with indexed([place], folder, encoder) as index:
            add_terms(index.path, _annotated(index), encoder=encoder)
            by_encoder[name] = rates(index, load, chosen)
            title = titled(index.terminologies)
    rows: list[Row] = [
        {"strategy": strategy, **{f"{name} /s": round(found[strategy]) for name, found in by_encoder.items()}}
        for strategy in chosen.strategy
    ]
    with opened([place]) as terminologies:
        names = all_names(terminologies).texts
    rows += [_beside(name, rate, list(by_encoder)) for name, rate in _peers(bench, names, load)]
    bench.show(Sheet("medic", "Mentions a second, MEDIC", _protocol(title, load, chosen, added=True), rows))
    return {name: found[DEFAULT_STRATEGY] for name, found in by_encoder.items() if DEFAULT_STRATEGY in found}


def _beside(peer: str, rate: float, encoders: Sequence[str]) -> Row:
    """A peer's row: it has one figure, whatever our encoder."""
    return {
        "strategy": peer,
        **{f"{name} /s": round(rate) if place == 0 else None for place, name in enumerate(encoders)},
    }


def _on_generated(bench: Bench, folder: Path, chosen: argparse.Namespace) -> tuple[float, float]:
    release = generated_release("rf2", chosen.concepts, [])
    place = import_files([release], folder / "generated.terminology", ReadOptions(name="generated"))
    with indexed([place], folder) as index:
        load = _drawn(index)
        terms, seconds = _terms(index)
        found = rates(index, load, chosen)
        count = f"{index.name_count:,} names"
        title = f"{titled(index.terminologies)}, {count}"
    rows: list[Row] = [{"strategy": name, "static /s": round(rate)} for name, rate in found.items()]
    bench.show(Sheet("generated", f"Mentions a second, {count}", _protocol(title, load, chosen), rows))
    bench.show(terms)
    return found.get(DEFAULT_STRATEGY, 0.0), seconds


def rates(index: Index, load: Load, chosen: argparse.Namespace) -> dict[str, float]:
    """Mentions a second by strategy."""
    found = {}
    for strategy in chosen.strategy:
        options = NormalizeOptions(search=SearchOptions(strategy=strategy))
        began = time.perf_counter()
        count = sum(map(len, normalize_groups(index, load.groups, options, jobs=chosen.jobs)))
        found[strategy] = count / (time.perf_counter() - began)
    return found


def _protocol(title: str, load: Load, chosen: argparse.Namespace, *, added: bool = False) -> tuple[str, ...]:
    terms = "terms of the NCBI disease corpus's train split added" if added else f"{TERMS:,} drawn names added as terms"
    return (
        f"{title}; {terms}; all signals fused, ten candidates for each mention",
        load.described,
        f"one run each, {chosen.jobs} processes, their start and the opening of the index included; equal texts are "
        "looked up once in each process",
    )


# What is normalized ----------------------------------------------------------------------------------------------


def _corpus() -> Load:
    documents = [
        document for corpus in CORPORA for document in PubTatorCorpus(data_folder() / corpus, types=frozenset({TYPE}))
    ]
    load = Load([[gold.mention for gold in document.mentions] for document in documents], "")
    described = (
        f"the {load.mentions:,} disease mentions of BC5CDR train and dev ({len(load.texts):,} different texts) with "
        f"their {len(documents):,} documents; peers rank every different text once, in one process of all cores"
    )
    return Load(load.groups, described)


def _annotated(index: Index) -> Iterator[AddedTerm]:
    """The mentions of another corpus's train split, as terms."""
    for document in PubTatorCorpus(data_folder() / ANNOTATED):
        for gold in document.mentions:
            for concept_id in sorted(gold.ids)[:1]:
                if index.find(concept_id) is not None:
                    yield AddedTerm(concept_id, gold.mention.text)


def _drawn(index: Index) -> Load:
    """Names as people type them, each a document of its own; hardly any text comes twice."""
    rng = np.random.default_rng(1)
    kinds = list(KINDS.values())
    texts = []
    for number in range(DRAWN):
        name, other = (index.text(int(rng.integers(index.name_count))) for _ in range(2))
        texts.append(kinds[number % len(kinds)](name, other, rng))
    described = f"{DRAWN:,} queries drawn from the names: {', '.join(KINDS)} in turn; hardly any comes twice"
    return Load([[Mention(text)] for text in texts], described)


def _terms(index: Index) -> tuple[Sheet, float]:
    """Terms added, searched for at once, and removed; the seconds of the first."""
    rng = np.random.default_rng(2)
    rows = rng.choice(index.name_count, size=TERMS, replace=False).tolist()
    terms = [
        AddedTerm(index.id(int(index.signals.names.concepts[row])), f"{index.text(row)} quux{place}")
        for place, row in enumerate(rows)
    ]
    asked = [term.text for term in terms[:: max(TERMS // ASKED, 1)]]
    before = [search(index, text) for text in asked]
    began = time.perf_counter()
    add_terms(index.path, terms)
    seconds = time.perf_counter() - began
    found = sum(search(index, term.text)[0].id == term.id for term in terms[:: max(TERMS // ASKED, 1)])
    began = time.perf_counter()
    remove_terms(index.path, terms)
    gone = time.perf_counter() - began
    same = sum(search(index, text) == hits for text, hits in zip(asked, before, strict=True))
    add_terms(index.path, terms)
    shown: list[dict[str, Cell]] = [
        {"step": f"add {TERMS:,} terms", "seconds": seconds, "of": len(asked), "as expected": found},
        {"step": f"remove {TERMS:,} terms", "seconds": gone, "of": len(asked), "as expected": same},
    ]
    protocol = (
        "one run each; a handle that was open all the while is asked next: added, a term's own concept comes first; "
        "removed, all hits are those of before",
    )
    return Sheet("terms", "Terms added to the generated release", protocol, shown), seconds


# Encoders and peers ----------------------------------------------------------------------------------------------


def _encoder(name: str, folder: Path) -> Path | str | None:
    if name == "static":
        return "default"
    if missing(MINILM) or find_spec("onnxruntime") is None:
        return None
    made = folder / "minilm.encoder"
    if not made.exists():
        export_onnx(model_folder(MINILM), made)
    return made / "onnx" / ("model.onnx" if name == "onnx" else "model_int8.onnx")


def _peers(bench: Bench, names: Sequence[str], load: Load) -> Iterator[tuple[str, float]]:
    """Mentions a second of each peer that is installed."""
    texts = load.texts
    for name, fitted in fit_peers(names, PEERS, bench.note):
        began = time.perf_counter()
        for start in range(0, len(texts), _BATCH):
            for row in fitted.peer.similarities(texts[start : start + _BATCH]):
                ranked(row, 10)
        yield name, load.mentions / (time.perf_counter() - began)


def _options(parser: argparse.ArgumentParser) -> None:
    every = list(PLAIN)
    parser.add_argument("--strategy", nargs="+", choices=every, default=every, help="which searches")
    parser.add_argument("--encoder", nargs="+", choices=ENCODERS, default=list(ENCODERS), help="which encoders")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--concepts", type=int, default=CONCEPTS,
                        help=f"concepts of the generated release, 0 for none (default: {CONCEPTS:,})")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main("mentions", str(__doc__), measure, _options))
