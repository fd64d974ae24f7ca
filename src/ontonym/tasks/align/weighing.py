"""Weighing: the confidence that a page is about a concept, from features that can be counted; without torch.

Names are compared pairwise: by words, by letters and by the vectors of an encoder. A small network, trained on
alignments made by people, computes the confidence of each candidate; "none of them" has a score of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain

import numpy as np
import orjson

from ontonym.arrays import Doubles, Floats, Ints
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.index.fuse import Fusion
from ontonym.index.pages import FoundPages, Pages
from ontonym.ragged import boundaries
from ontonym.text.normalization import tokens

FEATURES = (
    "lexical",  # BM25 as a share of the best candidate's
    "char",  # cosine of the n-grams of all names together
    "dense",  # cosine of the two nearest names
    "dense_title",  # cosine of the preferred name and the nearest title
    "dense_mean",  # cosine of the mean vectors of all names
    "words",  # words that the two nearest names share, weighted by rarity: harmonic mean of the next two shares
    "query_share",  # share of the concept's name that is in common
    "page_share",  # share of the page's name that is in common
    "words_title",  # "words" of the preferred name and the title
    "letters",  # similarity of the two names that are most alike letter by letter
    "letters_title",  # letter similarity of the preferred name and the title
    "same",  # some name of both has the same words
    "same_title",  # the preferred name and the title have the same words
    "same_names",  # ln(1 + names of the concept that the page has)
    "same_others",  # the share of the concept's names that the page has
    "remark",  # the title has a remark in parentheses
    "names",  # ln(1 + names of the page)
    "char_behind",  # difference to the highest "char" of the candidates, 0 or less
    "dense_behind",  # likewise for "dense"
    "dense_mean_behind",  # likewise for "dense_mean"
    "words_behind",  # likewise for "words"
    "letters_behind",  # likewise for "letters"
)
"""The features of a concept and a candidate, in the order of the columns."""

_RIVALS = ("char", "dense", "dense_mean", "words", "letters")


@dataclass(frozen=True, slots=True)
class Weighing:
    """Weighs candidates with an encoder and learned weights."""

    encoder: Encoder
    fusion: Fusion

    def confidences(
        self, pages: Pages, names: Sequence[str], found: FoundPages, places: Ints, known_as: Sequence[Sequence[str]]
    ) -> Doubles:
        """The confidence in [0, 1] that each candidate is the concept's page, shape ``(places,)``; the sum is at most
        1.

        ``places`` are the candidates' positions among the pages found; ``known_as`` are the names of each, the title
        first.
        """
        if not len(places):
            return np.zeros(0)
        return self.fusion.confidences(features_of(self.encoder, pages, names, found, places, known_as))


def features_of(
    encoder: Encoder,
    pages: Pages,
    names: Sequence[str],
    found: FoundPages,
    places: Ints,
    known_as: Sequence[Sequence[str]],
) -> Floats:
    """The features of the candidates at some positions among the pages found, shape ``(places, len(FEATURES))``."""
    bounds = boundaries(np.array([len(some) for some in known_as], dtype=np.int64))
    others = list(chain.from_iterable(known_as))
    compared = _compared(encoder, pages, names, others)
    starts = bounds[:-1]

    def nearest(table: Doubles) -> Doubles:
        return np.maximum.reduceat(table.max(axis=0), starts)

    words = compared.words
    best = words.max(axis=0)
    rows = words.argmax(axis=0)
    places_of_best = np.array(
        [first + int(best[first:end].argmax()) for first, end in zip(starts, bounds[1:], strict=True)]
    )
    lexical = found.lexical[places]
    same = np.maximum.reduceat(compared.same, starts, axis=1)
    columns = {
        "lexical": lexical / max(float(lexical.max()), 1e-9),
        "char": found.char[places],
        "dense": nearest(compared.dense),
        "dense_title": compared.dense[0, starts],
        "dense_mean": _means(compared, bounds),
        "words": best[places_of_best],
        "query_share": compared.query_share[rows[places_of_best], places_of_best],
        "page_share": compared.page_share[rows[places_of_best], places_of_best],
        "words_title": words[0, starts],
        "letters": nearest(compared.letters),
        "letters_title": compared.letters[0, starts],
        "same": same.max(axis=0),
        "same_title": compared.same[0, starts],
        "same_names": np.log1p(same.sum(axis=0)),
        "same_others": same.mean(axis=0),
        "remark": np.array([some[0].endswith(")") for some in known_as], dtype=float),
        "names": np.log1p(np.diff(bounds)),
    }
    columns |= {f"{name}_behind": columns[name] - columns[name].max() for name in _RIVALS}
    return np.column_stack([columns[name] for name in FEATURES]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class _Compared:
    """Comparisons of every name of a concept with every name of its candidates, shape ``(names, others)``, and the
    vectors.
    """

    words: Doubles
    query_share: Doubles
    page_share: Doubles
    letters: Doubles
    dense: Doubles
    same: Doubles
    vectors: tuple[Vectors, Vectors]


def _compared(encoder: Encoder, pages: Pages, names: Sequence[str], others: Sequence[str]) -> _Compared:
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    asked, read = [tokens(name) for name in names], [tokens(other) for other in others]
    numbers: dict[str, int] = {}
    for word in chain.from_iterable(asked):
        numbers.setdefault(word, len(numbers))
    every = list(dict.fromkeys([*numbers, *chain.from_iterable(read)]))
    weights = dict(zip(every, pages.rarity(every).tolist(), strict=True))
    rarity = np.array([weights[word] for word in numbers])
    first, second = (np.zeros((len(some), len(numbers))) for some in (asked, read))
    for row, some in enumerate(asked):
        first[row, [numbers[word] for word in some]] = 1
    for row, some in enumerate(read):
        second[row, [numbers[word] for word in some if word in numbers]] = 1
    common = (first * rarity) @ second.T
    of_names = np.maximum(first @ rarity, 1e-9)[:, None]
    of_others = np.array([max(sum(weights[word] for word in set(some)), 1e-9) for some in read])[None, :]
    letters = cdist(
        [" ".join(some) for some in asked], [" ".join(some) for some in read], scorer=Indel.normalized_similarity,
        dtype=np.float32,
    )  # fmt: skip
    spelled = {form: number for number, form in enumerate(dict.fromkeys(" ".join(sorted(some)) for some in asked))}
    ours = np.array([spelled[" ".join(sorted(some))] for some in asked])
    theirs = np.array([spelled.get(" ".join(sorted(some)), -1) for some in read])
    vectors = encoder.encode_names(list(names)), encoder.encode_names(list(others))
    return _Compared(
        words=2 * common / (of_names + of_others),
        query_share=common / of_names,
        page_share=np.minimum(common / of_others, 1),
        letters=letters.astype(np.float64),
        dense=(vectors[0] @ vectors[1].T).astype(np.float64),
        same=(ours[:, None] == theirs[None, :]).astype(np.float64),
        vectors=vectors,
    )


def _means(compared: _Compared, bounds: Ints) -> Doubles:
    """The cosine of the mean vector of a concept's names and the mean vector of each candidate's."""
    own = compared.vectors[0].mean(axis=0)
    theirs = np.add.reduceat(compared.vectors[1], bounds[:-1], axis=0)
    lengths = np.maximum(np.linalg.norm(theirs, axis=1) * np.linalg.norm(own), 1e-9)
    cosines: Doubles = (theirs @ own / lengths).astype(np.float64)
    return cosines


@cache
def default_weights() -> Fusion:
    """The weights that come with the package, learned on MeSH and Wikipedia (benchmarks/wikiumls.py)."""
    return Fusion.from_dict(orjson.loads(files("ontonym.tasks.align").joinpath("weighing.json").read_bytes()), FEATURES)
