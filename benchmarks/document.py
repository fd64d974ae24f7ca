"""What a document tells of its mentions: one feature at a time, fitted on the train splits, measured on all.

    python benchmarks/document.py [--index medic.index]

The weight of the document's words is what `ontonym.tasks.document.WORDS_WEIGHT` is, rounded. The vectors of a mention's
sentence and document are what Xu (section 3) leaves for future work: "contextual information" for ambiguous mentions.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from scipy.optimize import minimize_scalar

from figures import Bench, Row, Sheet, main
from materials import indexed, work_folder
from ncbi import TERMINOLOGIES
from ontonym.arrays import Doubles, Mask
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
    """A mention as looked up, its hits, its document's words, and the best confidence of each concept elsewhere.

    ``near`` has for each way to read a context the cosine of its vector to the mean vector of each hit's concept.
    """

    mention: Mention
    text: str
    hits: tuple[Hit, ...]
    words: frozenset[str]
    elsewhere: Mapping[str, float]
    right: Mask
    near: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


Feature = Callable[[Asked, Hit], float]


def _share(asked: Asked, name: str, words: frozenset[str]) -> float:
    further = {
        word for word in frozenset(tokens(name)) - frozenset(tokens(asked.text)) if not any(map(str.isdigit, word))
    }
    return len(further & words) / len(further) if further else 0.5


def _sentence(mention: Mention) -> tuple[str, str]:
    """What stands before a mention in its sentence and after it; all before and after where it has no place."""
    if mention.start is None or mention.end is None:
        return mention.passage, ""
    before = max(mention.passage.rfind(". ", 0, mention.start), mention.passage.rfind("\n", 0, mention.start), 0)
    after = re.compile(r"\. |$").search(mention.passage, mention.end)
    return mention.passage[before : mention.start], mention.passage[mention.end : after.start() if after else None]


def _words_of_sentence(asked: Asked) -> frozenset[str]:
    before, after = _sentence(asked.mention)
    return frozenset(tokens(f"{before} {asked.mention.text} {after}"))


SENTENCE, AROUND, DOCUMENT = "the mention's sentence", "its sentence without it", "its document"


def _contexts(mention: Mention) -> dict[str, str]:
    before, after = _sentence(mention)
    return {SENTENCE: f"{before} {mention.text} {after}", AROUND: f"{before} {after}", DOCUMENT: mention.passage}


def _near(index: Index, mention: Mention, hits: Sequence[Hit]) -> dict[str, dict[str, float]]:
    """The cosine of every context's vector to the mean vector of each hit's concept."""
    rows = np.asarray([index.number_in(hit.terminology, hit.id) for hit in hits], dtype=np.int64)
    means, contexts = index.signals.mean_vectors("OD")[0], _contexts(mention)
    vectors = index.encoder.encode_names([" ".join(tokens(text)) for text in contexts.values()])
    ids = [hit.id for hit in hits]
    return {
        name: dict(zip(ids, means.cosines(rows, vector).tolist(), strict=True))
        for name, vector in zip(contexts, vectors, strict=True)
    }


FEATURES: Mapping[str, Feature] = MappingProxyType(
    {
        "none": lambda asked, hit: 0.0,
        "further words of the name in the document": lambda asked, hit: _share(asked, hit.matched, asked.words),
        "the same in the mention's sentence": lambda asked, hit: _share(asked, hit.matched, _words_of_sentence(asked)),
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
        "cosine of the concept's mean to the sentence": lambda asked, hit: asked.near[SENTENCE][hit.id],
        "the same, without the mention": lambda asked, hit: asked.near[AROUND][hit.id],
        "cosine of the concept's mean to the document": lambda asked, hit: asked.near[DOCUMENT][hit.id],
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
            near = _near(index, gold.mention, known[text])
            yield Asked(gold.mention, text, known[text], words, elsewhere, right, near), not gold.composite


Table = tuple[Doubles, Doubles, Mask]


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


def _log_right(scores: Doubles, right: Mask) -> float:
    return float(np.logaddexp.reduce(scores[right]) - np.logaddexp.reduce(scores))


def accuracy(group: Sequence[Table], weight: float) -> float:
    """The share of mentions whose first hit is right; equal scores keep the order of the hits."""
    found = [len(base) > 0 and bool(right[np.argmax(base + weight * feature)]) for base, feature, right in group]
    return float(np.mean(found))


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """One row for each feature, on the train and dev splits of the chosen tasks."""
    with ExitStack() as stack:
        if chosen.index:
            index = stack.enter_context(open_index(chosen.index))
        else:
            folder = stack.enter_context(work_folder())
            index = stack.enter_context(indexed([TERMINOLOGIES["medic"](folder)], folder))
        asked = {
            name: list(asked_mentions(index, iter(PubTatorCorpus(data_folder() / path, types=types))))
            for name, (path, types) in CORPORA.items()
        }
        about = f"{index.releases}, encoder {index.encoder.fingerprint}"
    rows: list[Row] = []
    for name, feature in FEATURES.items():
        single = [[one for one, alone in asked[corpus] if alone] for corpus in FITTED_ON]
        weight = 0.0 if name == "none" else fitted([tables(group, feature) for group in single])
        figures = {
            corpus: accuracy(tables([one for one, _ in group], feature), weight) for corpus, group in asked.items()
        }
        rows.append({"feature added": name, "weight": round(weight, 1), **figures})
    bench.show(Sheet("document", "What a document tells of its mentions: accuracy@1", (
        f"{about}; names only, strict, any part of a composite mention, mentions whole, without context otherwise",
        f"a softmax over {CONSIDERED} hits of the log of the confidence and one feature, whose weight is fitted on "
        f"{' and '.join(FITTED_ON)}; mentions: {', '.join(f'{name} {len(group):,}' for name, group in asked.items())}",
    ), rows))  # fmt: skip


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--index", metavar="INDEX", help="an index of MEDIC (default: one is made)")


if __name__ == "__main__":
    sys.exit(main("document", str(__doc__), measure, _options))
