"""Texts as token ids, encoded in batches of equal length; shared by the two encoders of BERT-like models.

Names are short: padding them to the longest of a batch costs about as much as encoding them. Without padding nothing
must be masked, and a text's vector hardly depends on the others. Numpy and tokenizers only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontonym.arrays import Ints
from ontonym.encoder.protocol import Vectors, unit_rows
from ontonym.text import normalization
from ontonym.text.strings import encodable

Forward = Callable[[Ints, Ints], Vectors]
"""Maps token ids and token types, both of shape ``(texts, length)``, to one vector per text, of any norm."""

_CHUNK = 16_384
"""Texts that are tokenized together."""
_SEVERAL = 4
"""For fewer batches no threads are started."""


@dataclass(frozen=True, slots=True)
class TokenEncoder:
    """Encodes texts with a model that takes token ids; ``tokenizer`` truncates and does not pad.

    ``prompt`` is put before every text. ``tokens`` is the maximum number of tokens in a batch. ``workers`` batches are
    encoded at the same time, where there are several.
    """

    tokenizer: Any
    prompt: str
    dim: int
    tokens: int
    forward: Forward
    workers: int = 1

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``; a text without a word gets a row of zeros."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        worded = np.array([row for row, text in enumerate(texts) if normalization.tokens(text)], dtype=np.int64)
        for start in range(0, len(worded), _CHUNK):
            self._fill(vectors, texts, worded[start : start + _CHUNK])
        return vectors

    def _fill(self, vectors: Vectors, texts: Sequence[str], rows: Ints) -> None:
        found = self.tokenizer.encode_batch([self.prompt + encodable(texts[row]) for row in rows.tolist()])

        def fill(batch: Ints) -> None:
            members = batch.tolist()
            ids = np.array([found[member].ids for member in members], dtype=np.int64)
            types = np.array([found[member].type_ids for member in members], dtype=np.int64)
            vectors[rows[batch]] = unit_rows(self.forward(ids, types))

        batches = list(equal_lengths([len(each.ids) for each in found], self.tokens))
        if len(batches) < _SEVERAL or self.workers < 2:
            for batch in batches:
                fill(batch)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(fill, batches))


def equal_lengths(lengths: Sequence[int], tokens: int) -> Iterator[Ints]:
    """Batches of positions of texts of one length, longest first: at most ``tokens`` tokens, at least one text."""
    array = np.asarray(lengths, dtype=np.int64)
    for length in np.unique(array)[::-1].tolist():
        (places,) = np.nonzero(array == length)
        size = max(1, tokens // max(length, 1))
        for start in range(0, len(places), size):
            yield places[start : start + size]


def without_padding(tokenizer: Any, max_length: int) -> Any:
    """A copy of a ``tokenizers.Tokenizer`` that truncates to ``max_length`` tokens, special ones included."""
    from tokenizers import Tokenizer

    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.no_padding()
    copy.enable_truncation(max_length)
    return copy
