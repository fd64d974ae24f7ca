"""Batches of training examples: the texts that are encoded together, and what the losses need to know about them.

A text that several examples of a batch share is encoded once. Numpy only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ontonym.arrays import Ints, Ints32, Mask, places_in
from ontonym.learning.recipes.examples import Texts
from ontonym.ragged import boundaries, owners_of
from ontonym.store.hierarchy import Edges


@dataclass(frozen=True, slots=True, eq=False)
class TrainingBatch:
    """Some examples with ``u`` distinct texts.

    ``texts`` are rows of the examples' texts, shape ``(u,)``; ``anchors``, ``positives`` and ``negatives`` (where the
    examples have them) are places in ``texts``, shape ``(n,)``. ``meanings`` and ``spellings`` of each text say which
    are never negatives of each other; ``namesakes``, shape ``(k, 2)``, are places of texts whose meanings share a name.
    """

    texts: Ints
    anchors: Ints
    positives: Ints
    negatives: Ints | None
    meanings: Ints32
    spellings: Ints32
    namesakes: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))

    @classmethod
    def of(cls, texts: Texts, table: Ints32) -> TrainingBatch:
        """The batch of some rows of a table of examples."""
        used, places = np.unique(table, return_inverse=True)
        places = places.reshape(table.shape).astype(np.int64)
        negatives = places[:, 2] if table.shape[1] == 3 else None
        rows = used.astype(np.int64)
        meanings = texts.meanings[rows]
        namesakes = _namesakes(meanings, texts.namesakes)
        return cls(rows, places[:, 0], places[:, 1], negatives, meanings, texts.spellings[rows], namesakes)

    def __len__(self) -> int:
        return len(self.anchors)

    def same(self) -> Mask:
        """The pairs of texts that are never negatives of each other, shape ``(u, u)``; True on the diagonal."""
        same: Mask = self.meanings[:, None] == self.meanings[None]
        same |= self.spellings[:, None] == self.spellings[None]
        same[self.anchors, self.positives] = True
        same[self.positives, self.anchors] = True
        same[self.namesakes[:, 0], self.namesakes[:, 1]] = True
        return same


def _namesakes(meanings: Ints32, namesakes: Edges) -> Ints:
    """The pairs of places whose meanings share a name, in both orders."""
    order = np.argsort(meanings, kind="stable")
    distinct, starts = np.unique(meanings[order], return_index=True)
    ends = np.append(starts[1:], len(order))
    near = namesakes.of_all(distinct).astype(np.int64)
    ours = owners_of(namesakes.degrees()[distinct])
    theirs = places_in(distinct, near)
    here = theirs >= 0
    pairs = [
        np.stack(np.meshgrid(order[starts[a] : ends[a]], order[starts[b] : ends[b]], indexing="ij"), -1).reshape(-1, 2)
        for a, b in zip(ours[here].tolist(), theirs[here].tolist(), strict=True)
    ]
    return np.concatenate([np.zeros((0, 2), dtype=np.int64), *pairs])


@dataclass(slots=True)
class Batcher:
    """Cuts one epoch's examples into batches of at most ``size``, each example once, in an order drawn by a generator.

    With ``nearest`` (for each concept the nearest others, shape ``(concepts, k)``, -1 for none), each drawn example is
    followed by one of every near concept that has one left, so that the batch has hard negatives.
    """

    size: int
    nearest: Ints32 | None = None

    def batches(self, rng: np.random.Generator, table: Ints32, concepts: Ints32) -> Iterator[Ints]:
        """The rows of ``table`` that make each batch; ``concepts`` gives the concept of every text."""
        order = rng.permutation(len(table))
        if self.nearest is None:
            yield from np.split(order, range(self.size, len(order), self.size))
            return
        owners = concepts[table[order, 0]]
        queue = np.argsort(owners, kind="stable")  # the examples of a concept, in their drawn order
        starts = boundaries(np.bincount(owners, minlength=len(self.nearest))).tolist()
        taken, ends = list(starts), starts[1:]
        left = np.ones(len(order), dtype=np.bool_)
        owner_list, near = owners.tolist(), self.nearest
        batch: list[int] = []
        for seed in range(len(order)):
            if not left[seed]:
                continue
            for concept in (owner_list[seed], *near[owner_list[seed]].tolist()):
                if concept < 0 or taken[concept] >= ends[concept]:
                    continue
                place = int(queue[taken[concept]])
                taken[concept] += 1
                left[place] = False
                batch.append(place)
                if len(batch) == self.size:
                    yield order[np.asarray(batch)]
                    batch = []
        if batch:
            yield order[np.asarray(batch)]
