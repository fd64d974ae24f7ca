"""The reranker: a cross-encoder that reads the aliases of a query and of a candidate together (Rahimi section 3.2).

It is slower and more accurate than an encoder's vectors, for the few candidates that search brings. This one needs
torch and transformers (extra ``train``), imported when one is opened; `ontonym.encoder.rerank_onnx` does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.artifact import open_artifact
from ontonym.encoder.crossmodel import CrossModel
from ontonym.encoder.mixing import learned_weight, sigmoid
from ontonym.encoder.passages import check_pairs
from ontonym.encoder.protocol import AliasPair, Scores
from ontonym.manifest import Manifest

AT_ONCE = 4096
"""Tokens in a batch."""


class TorchReranker:
    """A ``Reranker`` through torch, created by `open`. Read-only.

    A pair's score does not depend on the other pairs, except for rounding.
    """

    def __init__(self, cross: CrossModel, manifest: Manifest) -> None:
        self._cross = cross
        self.manifest = manifest
        cross.model.eval()

    @classmethod
    def open(cls, path: Path | str, *, device: str = "cpu") -> TorchReranker:
        """Opens the reranker in a folder, on the CPU or on another torch ``device``.

        Raises ArtifactError if the folder is missing, damaged or something else, MissingExtraError without torch.
        """

        def load(folder: Path, manifest: Manifest) -> TorchReranker:
            return cls(CrossModel.load(folder, device=device), manifest)

        return open_artifact(Path(path), "reranker", load)

    @property
    def fingerprint(self) -> str:
        """A value that changes whenever the reranker could give another score for some pair."""
        return self.manifest.fingerprint

    @property
    def weight(self) -> float:
        """The weight of its scores beside the confidences of search; learned if it was trained with a dev split."""
        return learned_weight(self.manifest.content)

    @property
    def tokens(self) -> int:
        """The maximum number of tokens of a pair."""
        return self._cross.tokens

    def passages(self, pairs: Sequence[AliasPair]) -> list[tuple[str, str]]:
        """The two texts read for each pair: its most informative aliases, as many as there is room for."""
        check_pairs(pairs)
        return self._cross.texts(pairs)

    def score(self, pairs: Sequence[AliasPair], *, at_once: int = AT_ONCE) -> Scores:
        """The probability that each candidate is what its query names, in (0, 1), shape ``(len(pairs),)``.

        A pair is the aliases of a query and those of a candidate, the preferred name first. ``at_once`` is the number
        of tokens in a batch. Raises InputError if a side of a pair has no alias.
        """
        check_pairs(pairs)
        return scored(self._cross, pairs, at_once)


def scored(cross: CrossModel, pairs: Sequence[AliasPair], at_once: int = AT_ONCE) -> Scores:
    """The scores of pairs in (0, 1) by a model without dropout; shape ``(len(pairs),)``."""
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
