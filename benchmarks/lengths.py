"""Xu's equation 8 averages vectors as they are, ontonym those of unit length, in int8: what that changes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from figures import Bench, Row, Sheet, main
from judging import once, report_of
from lessons import MINILM, missing, model_folder
from materials import indexed, work_folder
from ncbi import TASKS, TERMINOLOGIES
from ontonym.arrays import Floats, Ints
from ontonym.encoder import STATIC, open_encoder
from ontonym.encoder.static import StaticEncoder
from ontonym.evaluate import BootstrapOptions
from ontonym.evaluate.indexes import normalizer
from ontonym.evaluate.normalization import Normalize
from ontonym.index import Index
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.types import Hit, Mention

Encode = Callable[[Sequence[str]], Floats]
DEPTH = 5


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Every encoder on every corpus, by concept means of three kinds."""
    rows: list[Row] = []
    protocols: dict[str, str] = {}
    for name in [STATIC, *([MINILM] if chosen.minilm and not missing(MINILM) else [])]:
        place = STATIC if name == STATIC else model_folder(name)
        encode = raw_static if name == STATIC else raw_transformer(Path(place))
        found: dict[str, dict[str, object]] = {}
        for terminology in dict.fromkeys(TASKS[task].terminology for task in chosen.task):
            tasks = [task for task in chosen.task if TASKS[task].terminology == terminology]
            with work_folder() as folder, indexed([TERMINOLOGIES[terminology](folder)], folder, place) as index:
                for kind, ask in searches(index, encode):
                    for task in tasks:
                        report = report_of(
                            task, ask, index.resolve, index.releases, depth=DEPTH, measures=("accuracy@1",)
                        )
                        protocols[task] = report.protocol.caption()
                        found.setdefault(kind, {})[task] = report.measures["accuracy@1"]
        rows += [{"encoder": name, "means of": kind, **by_task} for kind, by_task in found.items()]  # type: ignore[dict-item]
    protocol = (
        *(f"{task}: {caption}" for task, caption in protocols.items()),
        "O-C: each concept by the mean vector of its names, compared by cosine; mentions as written, nothing corrected",
        BootstrapOptions().caption(),
    )
    bench.show(Sheet("lengths", "Concepts by mean vectors (Xu, equation 8)", protocol, rows))


def raw_static(texts: Sequence[str]) -> Floats:
    """The sums of word vectors of the static encoder, before they are brought to unit length."""
    encoder = open_encoder(STATIC)
    assert isinstance(encoder, StaticEncoder)  # noqa: S101 (the one of the package)
    return np.concatenate([encoder.sums(texts[start : start + 8192]) for start in range(0, len(texts), 8192)])


def raw_transformer(folder: Path) -> Encode:
    """The mean-pooled vectors of a model, before they are brought to unit length."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(modules=list(SentenceTransformer(str(folder), device="cpu"))[:2], device="cpu")

    def encode(texts: Sequence[str]) -> Floats:
        vectors: Floats = model.encode(list(texts), batch_size=256)
        return vectors

    return encode


def searches(index: Index, encode: Encode) -> Iterable[tuple[str, Normalize]]:
    """The index itself, and exact searches over means of unit vectors and of vectors as they are."""
    search = SearchOptions(k=DEPTH, signal="dense", strategy="O-C", verbatim=True)
    options = NormalizeOptions(abbreviations=False, document=False, composites=False, search=search)
    yield "unit vectors, int8 (ontonym)", once(normalizer(index, options))
    names = index.signals.names
    texts = [index.text(row) for row in range(len(names))]
    raw = encode(texts)
    unit = raw / np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-9)
    owners = np.asarray(names.concepts, dtype=np.int64)
    yield "unit vectors, float", exact(index, means(unit, owners), encode)
    yield "vectors as they are, float (the paper)", exact(index, means(raw, owners), encode)


def means(vectors: Floats, owners: Ints) -> Floats:
    """The mean of each concept's rows, of unit length at the end; ``owners`` are ascending."""
    concepts, starts = np.unique(owners, return_index=True)
    sums = np.zeros((int(owners[-1]) + 1, vectors.shape[1]), dtype=np.float32)
    sums[concepts] = np.add.reduceat(vectors, starts, axis=0)
    scaled: Floats = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    return scaled


def exact(index: Index, concepts: Floats, encode: Encode) -> Normalize:
    """The concepts of highest cosine, each text asked once."""
    known: dict[str, list[Hit]] = {}

    def ask(mentions: Sequence[Mention]) -> Iterable[Sequence[Hit]]:
        new = [text for text in dict.fromkeys(one.text for one in mentions) if text not in known]
        if new:
            for text, row in zip(new, encode(new) @ concepts.T, strict=True):
                best = np.argsort(-row, kind="stable")[:DEPTH].tolist()
                known[text] = [_hit(index, concept, float(row[concept])) for concept in best]
        return (known[one.text] for one in mentions)

    return ask


def _hit(index: Index, concept: int, similarity: float) -> Hit:
    return Hit(
        id=index.id(concept), preferred="", matched="", kind="preferred", scope="exact", source="", terminology="",
        confidence=max(similarity, 0.0), similarity=similarity,
    )  # fmt: skip


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS), help="which corpora")
    parser.add_argument("--minilm", action="store_true", help="MiniLM too, which takes ten minutes more")


if __name__ == "__main__":
    sys.exit(main("lengths", str(__doc__), measure, _options))
