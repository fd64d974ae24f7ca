"""The types of numpy arrays that the package passes around, each named once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
"""What encoders and signals compute with."""
Doubles = npt.NDArray[np.float64]
"""What figures and confidences are computed with."""

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]
"""Places in a column or table, from 0."""
Offsets = npt.NDArray[np.int64]
"""Where each of n things begins, and where the last ends: n + 1 numbers that never fall."""
AnyInts = npt.NDArray[np.integer[Any]]

Bytes = npt.NDArray[np.uint8]
Rows32 = npt.NDArray[np.uint32]
"""Rows as they lie on disk."""
Ints32 = npt.NDArray[np.int32]
Ints16 = npt.NDArray[np.int16]
Hashes = npt.NDArray[np.uint64]

Mask = npt.NDArray[np.bool_]
"""Which rows are wanted."""
Column = npt.NDArray[Any]

Tensor = Any
"""A ``torch.Tensor``; torch is imported where one is computed with."""
