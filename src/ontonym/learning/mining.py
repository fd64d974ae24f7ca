"""Hard negatives: for each example a name of another concept that the current encoder places near it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles, Floats, Hashes, Ints, Ints32, Mask, places_in
from ontonym.errors import InputError, MismatchError
from ontonym.index.handle import first_concepts
from ontonym.index.names import name_texts
from ontonym.index.open import Index
from ontonym.learning.equivalents import Equivalents
from ontonym.learning.recipes.examples import Examples
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.ranges import check_seed
from ontonym.text.bulk import normalized_hashes
from ontonym.text.strings import Strings, mixed
from ontonym.types import Advance

_FIRST_LOOK = 100
"""Candidates that are looked at first, at least."""
_AT_ONCE = 4096
"""Anchors that are encoded together."""


@dataclass(frozen=True, slots=True)
class MiningOptions:
    """Which negative an example gets: one drawn by ``seed`` among the ``nearest`` suitable names.

    Names with a cosine above ``ceiling`` are too near to be trusted as negatives (1: none is); the ``skip`` nearest
    are skipped. With ``wrong`` only names that are nearer to the anchor than its positive are taken, which is where the
    encoder answers wrongly; pairs that it answers rightly are left out.
    """

    nearest: int = 16
    skip: int = 0
    ceiling: float = 1.0
    wrong: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.nearest < 1 or self.skip < 0:
            raise InputError(f"nearest is {self.nearest} and skip {self.skip}, but at least 1 and 0 are needed")


def mine(
    index: Index,
    examples: Examples,
    options: MiningOptions = MiningOptions(),
    *,
    usable: Mapping[Split, Mask] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Examples:
    """The examples with a hard negative each, from the vectors of an index; the same for equal input.

    No negative has the meaning or the spelling of its anchor or positive, or is a name of a concept that is above
    either, is mapped to either or shares a name with either. Negatives are texts of the examples that the split may
    use: those its own examples have, or those in ``usable``, bitmaps over the texts. Examples for which there is none
    are left out and counted. ``progress`` counts anchors done, of all.

    Raises MismatchError where the index lacks a terminology of the examples, InputError where they have negatives.
    """
    for split in SPLITS:
        if examples.table(split).shape[1] == 3:
            raise InputError("the examples have negatives already: mine for a recipe that gives pairs")
    miner = _Miner(index, examples, options)
    tables: dict[Split, Ints32] = {}
    dropped: dict[str, int] = {}
    total = sum(len(np.unique(examples.table(split)[:, 0])) for split in SPLITS)
    done = 0

    def count(anchors: int) -> None:
        nonlocal done
        done += anchors
        if progress:
            progress(done, total)

    for number, split in enumerate(SPLITS):
        table = examples.table(split)
        if usable is None:
            allowed = np.zeros(len(examples.texts), dtype=np.bool_)
            allowed[table] = True
        else:
            allowed = usable[split]
        tables[split] = miner.mined(table, allowed, np.random.default_rng((options.seed, number)), count)
        dropped[split] = len(table) - len(tables[split])
    described: dict[str, Any] = {
        **examples.described,
        "hard negatives": {**asdict(options), "index": index.manifest.fingerprint, "without": dropped},
    }
    return Examples(examples.texts, tables, described)


class _Miner:
    """Finds the hard negatives of examples by the vectors of an index."""

    def __init__(self, index: Index, examples: Examples, options: MiningOptions) -> None:
        self.index, self.options = index, options
        self.texts = examples.texts
        self.equivalents = Equivalents(index)
        self.concepts = _in_index(index, examples)[examples.texts.concepts]
        self._equivalents_of: dict[int, Ints] = {}
        self._text_keys = _keys(self.concepts, self.texts.texts)
        names = index.signals.names
        self._name_keys = _keys(names.concepts, Strings.of(list(name_texts(names, index.terminologies))))

    def mined(self, table: Ints32, allowed: Mask, rng: np.random.Generator, count: Advance) -> Ints32:
        """The table with a third column, without the rows for which there is no negative.

        ``count`` is told of the anchors done.
        """
        places = self._text_of_name(allowed)
        negatives = np.full(len(table), -1, dtype=np.int32)
        order = np.argsort(table[:, 0], kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(table[order, 0])) + 1) if len(table) else []
        draws = rng.random(len(table))
        share = np.count_nonzero(places >= 0) / max(len(places), 1)
        wanted = places >= 0 if share < 0.5 else None  # a scan of most names is quicker than picking them out
        for start in range(0, len(groups), _AT_ONCE):
            some = groups[start : start + _AT_ONCE]
            anchors = table[[group[0] for group in some], 0].astype(np.int64)
            vectors = self.index.encoder.encode_names(self.texts.texts.take(anchors).tolist())
            for rows, vector in zip(some, vectors, strict=True):
                self._fill(negatives, draws, table, rows, _Ranking(self.index, vector, places, wanted))
            count(len(some))
        kept = negatives >= 0
        mined: Ints32 = np.column_stack([table[kept], negatives[kept]]).astype(np.int32)
        return mined

    def _fill(self, negatives: Ints32, draws: Doubles, table: Ints32, rows: Ints, ranking: _Ranking) -> None:
        """The negatives of the examples of one anchor."""
        fit: dict[tuple[int, int], Ints] = {}
        for row in rows.tolist():
            anchor, positive = int(table[row, 0]), int(table[row, 1])
            key = (int(self.texts.concepts[positive]), int(self.texts.spellings[positive]))
            if key not in fit:
                fit[key] = self._fit(anchor, positive, ranking)
            if len(fit[key]):
                negatives[row] = fit[key][int(draws[row] * len(fit[key]))]

    def _fit(self, anchor: int, positive: int, ranking: _Ranking) -> Ints:
        """The nearest texts that are fit to be the negative of a pair, at most ``nearest``."""
        texts, options = self.texts, self.options
        pair = [anchor, positive]
        equivalents = np.union1d(*(self._equivalents(int(self.concepts[text])) for text in pair))
        meanings = np.concatenate(
            [texts.meanings[pair], *(texts.namesakes.of(int(texts.meanings[text])) for text in pair)]
        )
        wanted = options.skip + options.nearest
        look = max(_FIRST_LOOK, 4 * wanted)
        while True:
            near, whole = ranking.nearest(look, options.ceiling)
            if options.wrong:
                is_positive = (texts.spellings[near] == texts.spellings[positive]) & (
                    texts.meanings[near] == texts.meanings[positive]
                )
                if is_positive.any():
                    near, whole = near[: int(np.argmax(is_positive))], True
            unfit = np.isin(texts.meanings[near], meanings) | np.isin(self.concepts[near], equivalents)
            unfit |= np.isin(texts.spellings[near], texts.spellings[pair])
            fit = near[~unfit]
            if whole or len(fit) >= wanted:
                return fit[options.skip : wanted]
            look *= 4

    def _equivalents(self, concept: int) -> Ints:
        if concept not in self._equivalents_of:
            self._equivalents_of[concept] = self.equivalents.of(concept)
        return self._equivalents_of[concept]

    def _text_of_name(self, allowed: Mask) -> Ints:
        """For each name of the index the place of its text among the allowed ones, -1 where it is none of them."""
        rows = np.flatnonzero(allowed)
        if not len(rows):
            return np.full(len(self._name_keys), -1, dtype=np.int64)
        keys, first = np.unique(self._text_keys[rows], return_index=True)
        places = places_in(keys, self._name_keys)
        return np.where(places >= 0, rows[first[places]], -1)


def _keys(concepts: npt.NDArray[Any], texts: Strings) -> Hashes:
    """A number for each name, the same for names of one concept with the same words."""
    return mixed(concepts.astype(np.int64), normalized_hashes(texts).view(np.int64))


class _Ranking:
    """The allowed texts from the nearest to the farthest from one vector, searched only as far as needed."""

    def __init__(self, index: Index, vector: Floats, places: Ints, wanted: Mask | None) -> None:
        self._dense, self._vector, self._places, self._wanted = index.signals.ontology.dense, vector, places, wanted
        self._looked = 0
        self._found = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)

    def nearest(self, look: int, ceiling: float) -> tuple[Ints, bool]:
        """The texts among the ``look`` nearest names, and whether there are no more names."""
        if look > self._looked:
            near = self._dense.nearest(self._vector, look, self._wanted)
            self._looked = look
            self._found = near.rows, near.similarities
        rows, similarities = self._found
        places = self._places[rows]
        return places[(places >= 0) & (similarities <= ceiling + 1e-6)], len(rows) < self._looked


def _in_index(index: Index, examples: Examples) -> Ints:
    """The number in the index of each concept of the examples."""
    firsts = zip(index.terminologies, first_concepts(index.terminologies), strict=True)
    known = {terminology.fingerprint: first + np.arange(len(terminology)) for terminology, first in firsts}
    numbers = []
    for source in examples.described.get("terminologies", ()):
        if source["fingerprint"] not in known:
            raise MismatchError(
                f"{index.path}: does not have the terminology {source['name']} of the examples (fingerprint "
                f"{source['fingerprint'][:12]}): index the same terminologies with `build_index()`"
            )
        numbers.append(known[source["fingerprint"]])
    joined: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *numbers])
    if len(examples.texts) and int(examples.texts.concepts.max()) >= len(joined):
        raise MismatchError(f"{index.path}: the examples do not say which terminologies they are of; make them again")
    return joined
