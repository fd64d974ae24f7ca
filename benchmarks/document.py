"""What a document tells of its mentions: one feature at a time, fitted on the train splits, measured on all.

    python benchmarks/document.py medic.index

The weight of the document's words is what `ontonym.tasks.document.WORDS_WEIGHT` is, rounded.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from ontonym.evaluate import GoldDocument, PubTatorCorpus
from ontonym.evaluate.normalization import known_parts
from ontonym.index import Index, open_index
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.document import CONSIDERED
from ontonym.text.abbreviations import expand, find_abbreviations
from ontonym.text.normalization import tokens
from ontonym.types import Hit, Mention
from sources import data_folder

CORPORA = MappingProxyType(
    {
        "NCBI train": ("ncbi_disease/NCBItrainset_corpus.txt", None),
        "NCBI dev": ("ncbi_disease/NCBIdevelopset_corpus.txt", None),
        "BC5CDR train": ("bc5cdr/CDR_TrainingSet.PubTator.txt", frozenset({"Disease"})),
        "BC5CDR dev": ("bc5cdr/CDR_DevelopmentSet.PubTator.txt", frozenset({"Disease"})),
    }
)
FITTED_ON = ("NCBI train", "BC5CDR train")
SURE = 0.9


@dataclass(frozen=True, slots=True)
class Asked:
    """A mention as looked up, its hits, its document's words, and the best confidence of each concept elsewhere."""

    mention: Mention
    text: str
    hits: tuple[Hit, ...]
    words: frozenset[str]
    elsewhere: Mapping[str, float]
    right: npt.NDArray[np.bool_]


Feature = Callable[[Asked, Hit], float]


def _share(asked: Asked, name: str, words: frozenset[str]) -> float:
    further = {
        word for word in frozenset(tokens(name)) - frozenset(tokens(asked.text)) if not any(map(str.isdigit, word))
    }
    return len(further & words) / len(further) if further else 0.5


def _sentence(asked: Asked) -> frozenset[str]:
    mention = asked.mention
    if mention.start is None or mention.end is None:
        return asked.words
    before = max(mention.passage.rfind(". ", 0, mention.start), mention.passage.rfind("\n", 0, mention.start), 0)
    after = re.compile(r"\. |$").search(mention.passage, mention.end)
    return frozenset(tokens(mention.passage[before : after.start() if after else None]))


FEATURES: Mapping[str, Feature] = MappingProxyType(
    {
        "none": lambda asked, hit: 0.0,
        "further words of the name in the document": lambda asked, hit: _share(asked, hit.matched, asked.words),
        "the same in the mention's sentence": lambda asked, hit: _share(asked, hit.matched, _sentence(asked)),
        "the same of the preferred term": lambda asked, hit: _share(asked, hit.preferred, asked.words),
        "confidence for another mention": lambda asked, hit: asked.elsewhere.get(hit.id, 0.0),
        "the same, among shared names": lambda asked, hit: (
            asked.elsewhere.get(hit.id, 0.0) if {hit.id, *hit.ambiguous} & {*asked.hits[0].ambiguous} else 0.0
        ),
        f"{SURE:g} or more for another mention": lambda asked, hit: float(asked.elsewhere.get(hit.id, 0.0) >= SURE),
        "id in the text": lambda asked, hit: float(
            bool(re.search(rf"\b{re.escape(hit.id.rpartition(':')[2])}\b", asked.mention.passage))
        ),
        "no word beyond the mention's": lambda asked, hit: float(set(tokens(hit.matched)) <= set(tokens(asked.text))),
    }
)
"""What was tried, by name; higher speaks for the hit."""


def asked_mentions(index: Index, documents: Iterator[GoldDocument]) -> Iterator[tuple[Asked, bool]]:
    """Every mention that has a concept, and whether it has one part only."""
    known: dict[str, tuple[Hit, ...]] = {}
    for document in documents:
        defined = find_abbreviations(document.text)
        words = frozenset(tokens(document.text))
        texts = [expand(gold.mention.text, defined) for gold in document.mentions]
        for text in texts:
            if text not in known:
                known[text] = tuple(search(index, text, SearchOptions(k=CONSIDERED)))
        for gold, text in zip(document.mentions, texts, strict=True):
            if gold.nil:
                continue
            elsewhere: dict[str, float] = {}
            for other in {name.lower(): name for name in texts if name.lower() != text.lower()}.values():
                for hit in known[other]:
                    elsewhere[hit.id] = max(elsewhere.get(hit.id, 0.0), hit.confidence)
            ids = frozenset().union(*known_parts(gold, index.resolve))
            right = np.asarray([hit.id in ids for hit in known[text]], dtype=np.bool_)
            yield Asked(gold.mention, text, known[text], words, elsewhere, right), not gold.composite


Table = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]


def tables(asked: Sequence[Asked], feature: Feature) -> list[Table]:
    """Log of the confidence, feature, and whether right, of the hits of each mention."""
    return [
        (
            np.log([max(hit.confidence, 1e-4) for hit in one.hits]),
            np.asarray([feature(one, hit) for hit in one.hits], dtype=np.float64),
            one.right,
        )
        for one in asked
    ]


def fitted(groups: Sequence[Sequence[Table]]) -> float:
    """The weight under which the right hits are likeliest, every corpus counting the same."""

    def loss(weight: float) -> float:
        total = 1e-3 * weight * weight
        for group in groups:
            logs = [_log_right(base + weight * feature, right) for base, feature, right in group if right.any()]
            total -= float(np.mean(logs))
        return total

    return float(minimize_scalar(loss, bounds=(-8, 8), method="bounded").x)


def _log_right(scores: npt.NDArray[np.float64], right: npt.NDArray[np.bool_]) -> float:
    return float(np.logaddexp.reduce(scores[right]) - np.logaddexp.reduce(scores))


def accuracy(group: Sequence[Table], weight: float) -> float:
    """The share of mentions whose first hit is right; equal scores keep the order of the hits."""
    found = [len(base) > 0 and bool(right[np.argmax(base + weight * feature)]) for base, feature, right in group]
    return float(np.mean(found))


def main() -> None:
    """Prints one row for each feature."""
    parser = argparse.ArgumentParser(prog="python benchmarks/document.py", description=__doc__.splitlines()[0])
    parser.add_argument("index", metavar="INDEX", help="an index of MEDIC")
    place = parser.parse_args().index
    with open_index(place) as index:
        asked = {
            name: list(asked_mentions(index, iter(PubTatorCorpus(data_folder() / path, types=types))))
            for name, (path, types) in CORPORA.items()
        }
    print("| feature added | weight |", " | ".join(asked), "|\n|---|---|" + "---|" * len(asked))
    for name, feature in FEATURES.items():
        single = [[one for one, alone in asked[corpus] if alone] for corpus in FITTED_ON]
        weight = 0.0 if name == "none" else fitted([tables(group, feature) for group in single])
        figures = [accuracy(tables([one for one, _ in group], feature), weight) for group in asked.values()]
        print(f"| {name} | {weight:.1f} |", " | ".join(f"{figure:.3f}" for figure in figures), "|", flush=True)


if __name__ == "__main__":
    main()
