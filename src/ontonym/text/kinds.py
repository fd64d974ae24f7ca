"""What kind of thing words name: a finding (a disorder, a sign), a part of the body, an organism, a chemical, a
procedure, a process, or something else.

A linear model over words, their roots and their letters, learned from names whose kind is known
(``benchmarks/acceptance.py``). English only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from zlib import crc32

import numpy as np

from ontonym.arrays import Doubles
from ontonym.text.phrasearrays import Phrases
from ontonym.text.wordroots import root

THING_KINDS = ("finding", "anatomy", "organism", "chemical", "procedure", "process", "other")
"""The kinds, in the order of the columns."""

BUCKETS = 1 << 13
"""The number of rows of the weights; features share a row by their hash. One more row has the constants."""

_TOLD = 0.75
"""How likely words are of one kind where that is taken for known."""

LIKELIER = 0.5
"""How likely one word alone has to be of a finding so that a text tells of one ("cocaine dependence")."""

_GRAMS = (3, 4, 5)
"""Letters of the n-grams of a word that are features."""


def kind_scores(words: Sequence[str]) -> Doubles:
    """The log-odds of each of `THING_KINDS` for normalized words, shape ``(len(THING_KINDS),)``: higher is likelier."""
    constant: Doubles = _weights()[BUCKETS]
    if not words:
        return constant.copy()
    scores = [_word_scores(word)[int(at == len(words))] for at, word in enumerate(words, 1)]
    found: Doubles = constant + np.add.reduceat(scores, [0])[0]
    return found


def kind_of(words: Sequence[str]) -> str:
    """The likeliest of `THING_KINDS` for normalized words."""
    return THING_KINDS[int(np.argmax(kind_scores(words)))]


@lru_cache(maxsize=1 << 12)  # many queries have the same best concept
def likeliest_kind(words: tuple[str, ...]) -> tuple[str, float]:
    """The likeliest of `THING_KINDS` for normalized words, and how likely it is, in [0, 1]."""
    scores = kind_scores(words)
    raised = np.exp(scores - scores.max())
    best = int(raised.argmax())
    return THING_KINDS[best], float(raised[best] / raised.sum())


def clear_kind(words: Sequence[str], least: float = _TOLD) -> str:
    """The kind of thing that normalized words clearly name, likelier than ``least``; else an empty string."""
    kind, likely = likeliest_kind(tuple(words))
    return kind if likely > least else ""


def is_substance(words: Sequence[str]) -> bool:
    """Whether normalized words name a chemical or a drug, as far as they tell."""
    scores = kind_scores(words)
    return THING_KINDS[int(scores.argmax())] == "chemical" and float(scores.max()) > 0


def scores_of(phrases: Phrases) -> Doubles:
    """The `kind_scores` of phrases of normalized words, shape ``(phrases, len(THING_KINDS))``."""
    found: Doubles = np.tile(_weights()[BUCKETS], (len(phrases), 1))
    if len(phrases.numbers):
        scores = np.array([_word_scores(word) for word in phrases.words])
        is_last = np.zeros(len(phrases.numbers), dtype=np.int64)
        (some,) = np.nonzero(np.diff(phrases.bounds))
        is_last[phrases.bounds[some + 1] - 1] = 1
        found[some] += np.add.reduceat(scores[phrases.numbers, is_last], phrases.bounds[some])
    return found


def word_features(word: str, *, is_last: bool) -> list[int]:
    """The rows of the weights that a word adds, each once; ``is_last`` says that it is the last of a name."""
    rows = set(map(_row, _features(word)))
    return sorted(rows | {_row(f"l{word}")} if is_last else rows)


def _row(feature: str) -> int:
    return crc32(feature.encode()) % BUCKETS


def _features(word: str) -> Iterator[str]:
    yield f"w{word}"
    yield f"r{root(word)}"
    framed = f"^{word}$"
    for size in _GRAMS:
        for start in range(len(framed) - size + 1):
            yield framed[start : start + size]


@lru_cache(maxsize=1 << 15)
def _word_scores(word: str) -> Doubles:
    """What a word adds where another one follows, and where it is the last, shape ``(2, len(THING_KINDS))``."""
    inside = word_features(word, is_last=False)
    as_last = sorted({*inside, _row(f"l{word}")})
    return np.array([_weights()[rows].sum(axis=0) / np.sqrt(len(rows)) for rows in (inside, as_last)])


@cache
def _weights() -> Doubles:
    """The weights in log-odds, shape ``(BUCKETS + 1, len(THING_KINDS))``: kept as int8 with one scale for each kind."""
    with np.load(BytesIO(files("ontonym.text").joinpath("kinds.npz").read_bytes()), allow_pickle=False) as kept:
        found: Doubles = np.vstack([kept["weights"] * kept["scale"], kept["constant"]]).astype(np.float64)
    return found
