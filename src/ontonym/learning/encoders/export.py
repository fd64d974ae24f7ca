"""Adds an ONNX form to a transformer encoder, in float32 and in int8 (extras ``train,onnx``).

The exported graph takes token ids and gives the pooled vector, so that searching with it needs neither torch nor
transformers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import orjson

from ontonym.arrays import Tensor
from ontonym.artifact import open_artifact, read_manifest, write_artifact
from ontonym.encoder import kind_of
from ontonym.encoder.modelfolder import place_file, relevant_files
from ontonym.encoder.onnx import FLOAT, FOLDER, FORM, INT8, OUTPUT, TOKENIZER
from ontonym.encoder.transformer import (
    TransformerEncoder,
    TransformerOptions,
    default_prompt,
    load_transformer,
    longest,
    shape_of,
    takes_tokens,
)
from ontonym.errors import ArtifactError, InputError, needing
from ontonym.manifest import MANIFEST, Manifest

OPSET = 17
"""The version of ONNX's operators that graphs are written in."""

_CPU = TransformerOptions(device="cpu", precision="float32")


@dataclass(frozen=True, slots=True)
class ExportedEncoder:
    """The encoder folder with its ONNX form: where the graphs are; ``int8`` is None where none was asked for."""

    manifest: Manifest
    float32: Path
    int8: Path | None


def export_onnx(folder: Path | str, output: Path | str | None = None, *, int8: bool = True) -> ExportedEncoder:
    """Gives the transformer encoder in ``folder`` an ONNX form, or writes it with one to ``output``.

    The old artifact stays whole until the new one takes its place; the encoder's fingerprint stays. A model folder that
    ontonym did not make stays as it is and needs an ``output``. Raises ArtifactError for other kinds of encoders,
    MissingExtraError where a package is not installed.
    """
    folder = Path(folder)
    target = Path(output) if output is not None else folder
    check_exporting()
    if (folder / MANIFEST).is_file():
        _check_transformer(folder)
        opened, manifest = open_artifact(
            folder, "encoder", lambda path, held: (load_transformer(path, held, _CPU), held)
        )
        content: Mapping[str, Any] = manifest.content
        names = [folder / name for name in manifest.files if not name.startswith(f"{FOLDER}/")]
    else:
        if output is None:
            raise InputError(f"{folder}: was not made by ontonym and stays as it is: give an output")
        opened = load_transformer(folder, None, _CPU)
        content = {"identity": {"encoder": "transformer"}, "shape": shape_of(opened.model), "imported": str(folder)}
        names = relevant_files(folder)
    if not takes_tokens(opened.model):
        raise InputError(f"{folder}: is not a transformer that pools all token ids, so it has no ONNX form")
    with write_artifact(target, "encoder") as writer:
        for file in names:
            place_file(file, writer.folder / file.relative_to(folder))
        _write(writer.folder / FOLDER, opened, int8=int8)
        writer.content.update(content)
    made = target / FOLDER
    return ExportedEncoder(writer.manifest, made / FLOAT, made / INT8 if int8 else None)


def check_exporting() -> None:
    """Raises MissingExtraError where a package is not installed."""
    with needing("onnx", "train,onnx", "exporting to ONNX", exact=True):
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401


def _check_transformer(folder: Path) -> None:
    kind = kind_of(read_manifest(folder, "encoder"))
    if kind != "transformer":
        raise ArtifactError(f"{folder}: holds an encoder of kind {kind!r}; only a transformer has an ONNX form")


def _write(folder: Path, encoder: TransformerEncoder, *, int8: bool) -> None:
    import torch

    model, dim = encoder.model, encoder.dim

    def pooled(model: Any, ids: Tensor, mask: Tensor) -> Tensor:
        found = model({"input_ids": ids, "attention_mask": mask})
        return torch.nn.functional.normalize(found["sentence_embedding"][:, :dim])

    low = min(5, longest(model))
    ids = torch.arange(2 * low).reshape(2, low) % 7 + 1
    facts = {"source": encoder.fingerprint, "dim": dim, "max_length": longest(model), "prompt": default_prompt(model)}
    examples = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    write_form(folder, model, pooled, examples, ("texts", OUTPUT), model.tokenizer, facts, int8=int8)


def write_form(
    folder: Path,
    model: Any,
    forward: Callable[..., Tensor],
    examples: Mapping[str, Tensor],
    output: tuple[str, str],
    tokenizer: Any,
    facts: Mapping[str, Any],
    *,
    int8: bool = True,
) -> None:
    """Writes the ONNX form of a model to a new folder: the graph in float32 and int8, the tokenizer, and ``facts``.

    ``forward`` takes the model and inputs shaped as the ``examples``, by name; ``output`` names its rows and itself.
    """
    import torch

    class Traced(torch.nn.Module):  # type: ignore[misc]
        """The model, with what is computed around it."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *given: Tensor) -> Tensor:
            return forward(self.model, *given)

    folder.mkdir()
    rows, name = output
    axes = {each: {0: rows, 1: "length"} for each in examples}
    with warnings.catch_warnings(), torch.inference_mode():
        # The exporter through torch.export needs two more packages and ten times as long for the same graph.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Traced().eval(), tuple(examples.values()), str(folder / FLOAT), input_names=list(examples),
            output_names=[name], dynamic_axes={**axes, name: {0: rows}}, opset_version=OPSET, dynamo=False,
        )  # fmt: skip
    if int8:
        _quantize(folder / FLOAT, folder / INT8)
    (folder / TOKENIZER).write_text(tokenizer.backend_tokenizer.to_str(), encoding="utf-8")
    (folder / FORM).write_bytes(orjson.dumps(facts, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _quantize(graph: Path, file: Path) -> None:
    """Int8 weights with a scale for each column; inputs of matrices are quantized as they come."""
    import logging

    from onnxruntime.quantization import QuantType, quantize_dynamic

    level = logging.root.level
    logging.root.setLevel(logging.ERROR)  # it recommends a preprocessing step that changes nothing here
    try:
        with redirect_stdout(StringIO()):
            quantize_dynamic(
                graph, file, op_types_to_quantize=["MatMul", "Gather"], per_channel=True, weight_type=QuantType.QInt8
            )
    finally:
        logging.root.setLevel(level)
