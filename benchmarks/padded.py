"""A transformer that pads a batch to its longest text, as others do: what length grouping is measured against.

A module of its own, since it derives from a class that needs torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ontonym.arrays import Rows
from ontonym.learning.encoders.trainable import TrainableTransformer


class PaddedTransformer(TrainableTransformer):
    """All texts of a piece in one matrix, with a mask over what was padded."""

    def features(self, rows: Rows) -> dict[str, Any]:
        """One group of all texts, with token numbers and mask of shape ``(len(rows), longest)``, in their order."""
        lengths = np.diff(self._bounds)[rows]
        used = np.arange(int(lengths.max())) < lengths[:, None]
        return {"groups": [self._padded(rows, used)], "back": torch.arange(len(rows))}
