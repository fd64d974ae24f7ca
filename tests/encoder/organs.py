"""Groups of candidates from which a reranker can learn which organ a query names."""

from __future__ import annotations

import numpy as np

from ontonym.learning.rerankers.groups import CandidateGroup
from ontonym.learning.rerankers.options import RerankOptions

WORDS = "heart lung liver kidney skin bone eye ear nose brain attack failure cancer pain stone burn".split()
ORGANS, DISEASES = WORDS[:10], WORDS[10:]
QUICK = RerankOptions(epochs=1, batch=4, accumulate=1, rate=1e-3, tokens=48, threads=1, patience=0)
PAIRS = [
    (["heart attack"], ["heart failure", "failure of the heart"]),
    (["burn of the skin", "skin burn"], ["bone cancer"]),
    (["x"], ["kidney stone", "stone of the kidney", "kidney stones in the left kidney", "renal stone", "nephrolith"]),
    (["a very long name " * 20], ["another long name " * 20, "lung"]),
]


def learnable(count: int, seed: int) -> list[CandidateGroup]:
    """Which candidate is about the organ that the query names? The order in which they come says nothing."""
    rng = np.random.default_rng(seed)
    groups = []
    for _ in range(count):
        organs = rng.choice(ORGANS, 3, replace=False).tolist()
        right = int(rng.integers(3))
        candidates = tuple((f"{organ} {rng.choice(DISEASES)}", organ) for organ in organs)
        groups.append(CandidateGroup((f"{rng.choice(DISEASES)} of the {organs[right]}",), candidates, right))
    return groups
