"""The number of threads of torch during a training, on which sums of floats depend (extra ``train``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def threads(count: int) -> Iterator[None]:
    """A context manager in which torch computes with ``count`` threads (0: no change)."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
