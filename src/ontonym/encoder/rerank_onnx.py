"""The reranker through ONNX Runtime and tokenizers (extra ``onnx``), without torch; `ontonym.learning.rerankers.export`
writes the files.

In float32 it gives torch's scores except for rounding. In int8 it is a quarter of the size and faster, and a pair's
score depends slightly on the other pairs of its batch, since they share the scale of their numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.arrays import Ints
from ontonym.artifact import open_artifact
from ontonym.encoder.mixing import learned_weight, sigmoid
from ontonym.encoder.modelfolder import read_json
from ontonym.encoder.onnx import FORM, TOKENIZER, OnnxOptions, model_root, open_session, open_tokenizer
from ontonym.encoder.passages import Passages, by_length, check_pairs
from ontonym.encoder.protocol import AliasPair, Scores
from ontonym.encoder.tokens import without_padding
from ontonym.errors import ArtifactError, needing
from ontonym.manifest import Manifest

LOGIT = "logit"
"""The name of the graph's output, shape ``(pairs,)``."""

_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_HINT = "write it again with `ontonym.learning.rerankers.export.export_reranker(folder)`"


class OnnxReranker:
    """A ``Reranker`` over one ``.onnx`` file of a reranker."""

    def __init__(self, file: Path, manifest: Manifest) -> None:
        if not file.is_file():
            raise ArtifactError(f"{file}: is missing; {_HINT}")
        facts = read_json(file.parent / FORM)
        try:
            self.tokens = int(facts["tokens"])
            self._pads = {"input_ids": int(facts["pad"]), "token_type_ids": int(facts["pad_type"])}
        except (KeyError, TypeError, ValueError) as error:
            raise ArtifactError(f"{file.parent / FORM}: damaged: lacks {error}; {_HINT}") from None
        options = OnnxOptions()
        self._session = open_session(file, options.threads, _HINT)
        self._inputs = [each.name for each in self._session.get_inputs()]
        if not set(self._inputs) <= _INPUTS or [each.name for each in self._session.get_outputs()] != [LOGIT]:
            raise ArtifactError(f"{file}: is no reranker: takes {', '.join(self._inputs)}; {_HINT}")
        whole = open_tokenizer(file.parent / TOKENIZER, _HINT)
        self._tokenizer = without_padding(whole, self.tokens)
        whole.no_padding()
        whole.no_truncation()
        self._whole = whole
        self._passages = Passages(self._count, self.tokens - int(self._tokenizer.num_special_tokens_to_add(True)))
        self._at_once = options.tokens
        self.manifest = manifest
        self._form = file.name

    @property
    def fingerprint(self) -> str:
        """A value that changes whenever the reranker could give another score for some pair."""
        return hashlib.sha256(f"{self.manifest.fingerprint} {self._form}".encode()).hexdigest()

    @property
    def weight(self) -> float:
        """The weight of its scores beside the confidences of search; learned if it was trained with a dev split."""
        return learned_weight(self.manifest.content)

    def score(self, pairs: Sequence[AliasPair]) -> Scores:
        """The probability that each candidate is what its query names, in (0, 1), shape ``(len(pairs),)``.

        Pairs of similar length are batched. Raises InputError if a side of a pair has no alias.
        """
        check_pairs(pairs)
        if not pairs:
            return np.zeros(0)
        read = self._tokenizer.encode_batch(self._passages.of(pairs))
        lengths = np.array([len(each.ids) for each in read], dtype=np.int64)
        logits = np.empty(len(pairs))
        for places in by_length(lengths, self._at_once):
            given = self._padded([read[place] for place in places.tolist()], lengths[places])
            logits[places] = self._session.run([LOGIT], given)[0]
        return sigmoid(logits)

    def _padded(self, read: Sequence[Any], lengths: Ints) -> dict[str, Ints]:
        shape = (len(read), int(lengths.max()))
        given = {name: np.full(shape, self._pads.get(name, 0), dtype=np.int64) for name in self._inputs}
        for row, (each, length) in enumerate(zip(read, lengths.tolist(), strict=True)):
            whole = {"input_ids": each.ids, "token_type_ids": each.type_ids, "attention_mask": each.attention_mask}
            for name in self._inputs:
                given[name][row, :length] = whole[name]
        return given

    def _count(self, texts: Sequence[str]) -> list[int]:
        return [len(each.ids) for each in self._whole.encode_batch(list(texts), add_special_tokens=False)]


def open_onnx_reranker(file: Path | str) -> OnnxReranker:
    """Opens the reranker in an ``.onnx`` file of a reranker's ``onnx`` folder.

    Raises ArtifactError if something is missing or damaged, MissingExtraError without ONNX Runtime.
    """
    with needing("onnxruntime", "onnx", "opening an ONNX reranker"):
        import onnxruntime  # noqa: F401
        import tokenizers  # noqa: F401
    file = Path(file)
    return open_artifact(model_root(file), "reranker", lambda folder, manifest: OnnxReranker(file, manifest))
