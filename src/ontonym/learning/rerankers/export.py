"""Adds an ONNX form to a reranker, in float32 and in int8, and says what it costs (extras ``train`` and ``onnx``).

The exported graph takes token ids and gives logits, so that reranking with it needs neither torch nor transformers.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ontonym.artifact import Manifest, read_manifest, write_artifact
from ontonym.encoder.crossmodel import CrossModel
from ontonym.encoder.modelfolder import place_file
from ontonym.encoder.onnx import FLOAT, FOLDER, FORM, INT8, TOKENIZER
from ontonym.encoder.protocol import Reranker
from ontonym.encoder.rerank import TorchReranker
from ontonym.encoder.rerank_onnx import LOGIT, open_onnx_reranker
from ontonym.errors import InputError
from ontonym.learning.encoders.export import OPSET, check_exporting, quantize
from ontonym.learning.rerankers.groups import CandidateGroup, RerankFigures, by_group, pairs_of, rerank_figures


@dataclass(frozen=True, slots=True)
class RerankForm:
    """A form of a reranker on some groups: torch, float32 or int8.

    ``strays`` is the mean, ``farthest`` the largest difference of a score to torch, in [0, 1]; ``same`` the share of
    groups in which the same candidate comes first; ``pairs`` are read a second.
    """

    name: str
    figures: RerankFigures
    strays: float
    farthest: float
    same: float
    pairs: float


def export_reranker(folder: Path | str) -> Manifest:
    """Gives the reranker in ``folder`` an ONNX form in float32 and in int8; the old artifact stays whole until then.

    Raises ArtifactError where there is no reranker, InputError for a tokenizer without a fast form, MissingExtraError
    where a package is not installed.
    """
    folder = Path(folder)
    manifest = read_manifest(folder, "reranker")
    check_exporting()
    cross = CrossModel.load(folder)
    if not hasattr(cross.tokenizer, "backend_tokenizer"):
        raise InputError(f"{folder}: its tokenizer has no tokenizer.json, so the reranker has no ONNX form")
    with write_artifact(folder, "reranker") as writer:
        for name in manifest.files:
            if not name.startswith(f"{FOLDER}/"):
                place_file(folder / name, writer.folder / name)
        _write(writer.folder / FOLDER, cross)
        writer.content.update(manifest.content)
    assert writer.manifest is not None  # noqa: S101 (set when the block ends)
    return writer.manifest


def compare_forms(folder: Path | str, groups: Sequence[CandidateGroup]) -> tuple[RerankForm, ...]:
    """What torch, float32 and int8 make of the same groups, torch first; InputError where there are none."""
    if not groups:
        raise InputError("forms are compared on groups, and none was given")
    place = Path(folder) / FOLDER
    forms: dict[str, Reranker] = {"torch": TorchReranker.open(folder)}
    forms |= {"float32": open_onnx_reranker(place / FLOAT), "int8": open_onnx_reranker(place / INT8)}
    pairs = pairs_of(groups)
    found, seconds = {}, {}
    for name, form in forms.items():
        form.score(pairs[:8])
        began = time.monotonic()
        found[name] = form.score(pairs)
        seconds[name] = max(time.monotonic() - began, 1e-9)
    first = [int(scores.argmax()) if len(scores) else -1 for scores in by_group(groups, found["torch"])]
    measured = []
    for name, scores in found.items():
        apart, split = np.abs(scores - found["torch"]), by_group(groups, scores)
        same = np.mean([bool(len(one)) and int(one.argmax()) == best for one, best in zip(split, first, strict=True)])
        figures, speed = rerank_figures(groups, split), len(pairs) / seconds[name]
        measured.append(RerankForm(name, figures, float(apart.mean()), float(apart.max()), float(same), speed))
    return tuple(measured)


def _write(folder: Path, cross: CrossModel) -> None:
    folder.mkdir()
    _trace(cross, folder / FLOAT)
    quantize(folder / FLOAT, folder / INT8)
    (folder / TOKENIZER).write_text(cross.tokenizer.backend_tokenizer.to_str(), encoding="utf-8")
    facts = {
        "tokens": cross.tokens,
        "pad": cross.tokenizer.pad_token_id,
        "pad_type": getattr(cross.tokenizer, "pad_token_type_id", 0),
    }
    (folder / FORM).write_bytes(orjson.dumps(facts, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _trace(cross: CrossModel, file: Path) -> None:
    import torch

    names = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in _read_by(cross)]

    class Logit(torch.nn.Module):  # type: ignore[misc]
        """Token ids of pairs to one logit each."""

        def __init__(self) -> None:
            super().__init__()
            self.model = cross.model

        def forward(self, *given: Any) -> Any:
            return self.model(**dict(zip(names, given, strict=True))).logits[:, 0]

    ids = torch.arange(16).reshape(2, 8) % 7 + 1
    examples = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}
    axes = {0: "pairs", 1: "length"}
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # as in `learning.encoders.export`: the older exporter, which needs less
        torch.onnx.export(
            Logit().eval(),
            tuple(examples[name] for name in names),
            str(file),
            input_names=names,
            output_names=[LOGIT],
            dynamic_axes=dict.fromkeys(names, axes) | {LOGIT: {0: "pairs"}},
            opset_version=OPSET,
            dynamo=False,
        )


def _read_by(cross: CrossModel) -> set[str]:
    """What the model takes, as its tokenizer says: not every model has types of tokens."""
    return {*cross.tokenizer.model_input_names, "input_ids", "attention_mask"}
