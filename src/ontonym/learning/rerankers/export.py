"""Adds an ONNX form to a reranker, in float32 and in int8, and says what it costs (extras ``train`` and ``onnx``).

The exported graph takes token ids and gives logits, so that reranking with it needs neither torch nor transformers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.arrays import Tensor
from ontonym.artifact import read_manifest, write_artifact
from ontonym.encoder.crossmodel import CrossModel
from ontonym.encoder.modelfolder import place_file
from ontonym.encoder.onnx import FLOAT, FOLDER, INT8
from ontonym.encoder.protocol import Reranker
from ontonym.encoder.rerank import TorchReranker
from ontonym.encoder.rerank_onnx import LOGIT, open_onnx_reranker
from ontonym.errors import InputError
from ontonym.learning.encoders.export import check_exporting, write_form
from ontonym.learning.rerankers.groups import CandidateGroup, RerankFigures, by_group, pairs_of, rerank_figures
from ontonym.manifest import Manifest


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
    import torch

    ids = torch.arange(16).reshape(2, 8) % 7 + 1
    known = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}
    read = {*cross.tokenizer.model_input_names, "input_ids", "attention_mask"}  # not every model has types of tokens
    examples = {name: example for name, example in known.items() if name in read}

    def logit(model: Any, *given: Tensor) -> Tensor:
        return model(**dict(zip(examples, given, strict=True))).logits[:, 0]

    facts = {
        "tokens": cross.tokens,
        "pad": cross.tokenizer.pad_token_id,
        "pad_type": getattr(cross.tokenizer, "pad_token_type_id", 0),
    }
    write_form(folder, cross.model, logit, examples, ("pairs", LOGIT), cross.tokenizer, facts)
