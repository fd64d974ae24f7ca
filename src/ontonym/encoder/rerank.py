"""The reranker: a cross-encoder that reads the aliases of a query and of a candidate together (Rahimi section 3.2).

Slower and sharper than an encoder's vectors: it is for the few candidates that search brings. This one needs torch and
transformers (extra ``train``), which are imported when one is opened; `ontonym.encoder.rerank_onnx` does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.artifact import Manifest, open_artifact
from ontonym.encoder.crossmodel import CrossModel
from ontonym.encoder.mixing import learned_weight, sigmoid
from ontonym.encoder.passages import check_pairs
from ontonym.encoder.protocol import AliasPair, Scores

AT_ONCE = 4096
"""Tokens that go through the model at once."""


class TorchReranker:
    """A ``Reranker`` through torch; `open` gives one. Read-only.

    The same pairs get the same scores whatever stands beside them, but for rounding.
    """

    def __init__(self, cross: CrossModel, manifest: Manifest) -> None:
        self._cross = cross
        self.manifest = manifest
        cross.model.eval()

    @classmethod
    def open(cls, path: Path | str, *, device: str = "cpu") -> TorchReranker:
        """The reranker in a folder, on the processor or on another torch ``device``.

        Raises ArtifactError where the folder is missing, damaged or something else, MissingExtraError without torch.
        """

        def load(folder: Path, manifest: Manifest) -> TorchReranker:
            return cls(CrossModel.load(folder, device=device), manifest)

        return open_artifact(Path(path), "reranker", load)

    @property
    def fingerprint(self) -> str:
        """Changes whenever the reranker could give another score for some pair."""
        return self.manifest.fingerprint

    @property
    def weight(self) -> float:
        """What its scores weigh beside the confidences of search: learned, where it was trained with a dev split."""
        return learned_weight(self.manifest.content)

    @property
    def tokens(self) -> int:
        """How many tokens of a pair are read."""
        return self._cross.tokens

    def passages(self, pairs: Sequence[AliasPair]) -> list[tuple[str, str]]:
        """The two texts that are read of each pair: its most telling aliases, as many as there is room for."""
        check_pairs(pairs)
        return self._cross.passages.of(pairs)

    def score(self, pairs: Sequence[AliasPair], *, at_once: int = AT_ONCE) -> Scores:
        """How likely each candidate is what its query names, in (0, 1), higher is better, shape ``(len(pairs),)``.

        A pair is the aliases of a query and those of a candidate, the preferred name first. ``at_once`` tokens go
        through the model together. Raises InputError where a side of a pair has no alias.
        """
        check_pairs(pairs)
        return scored(self._cross, pairs, at_once)


def scored(cross: CrossModel, pairs: Sequence[AliasPair], at_once: int = AT_ONCE) -> Scores:
    """The scores of pairs in (0, 1) by a model as it is, without dropout; shape ``(len(pairs),)``."""
    if not pairs:
        return np.zeros(0)
    import torch

    training = cross.model.training
    cross.model.eval()
    try:
        with torch.inference_mode():
            found: Any = cross.logits(pairs, at_once)
            logits: Scores = found.cpu().numpy().astype(np.float64)
    finally:
        cross.model.train(training)
    return sigmoid(logits)
