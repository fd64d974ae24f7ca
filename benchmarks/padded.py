"""A transformer learner that pads a batch to its longest text, as others do: what length grouping is measured against.

A module of its own, since it derives from a class that needs torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ontonym.encoder.learners import Rows, TransformerLearner


class PaddedLearner(TransformerLearner):
    """All texts of a piece in one matrix, with a mask over what was padded."""

    def features(self, rows: Rows) -> dict[str, Any]:
        """Token numbers and mask, shape ``(len(rows), longest)``."""
        lengths = np.diff(self._bounds)[rows]
        mask = np.arange(int(lengths.max())) < lengths[:, None]
        ids = np.full(mask.shape, int(self.model.tokenizer.pad_token_id or 0), dtype=np.int64)
        ids[mask] = np.concatenate([self._ids[self._bounds[row] : self._bounds[row + 1]] for row in rows])
        return {"ids": torch.from_numpy(ids), "mask": torch.from_numpy(mask.astype(np.int64))}

    def forward(self, features: dict[str, Any]) -> torch.Tensor:
        """The pooled vectors."""
        found = self.model({"input_ids": features["ids"], "attention_mask": features["mask"]})
        vectors: torch.Tensor = found["sentence_embedding"]
        return vectors
