"""The ONNX forms of an encoder that was trained, compared with torch (extras ``train,onnx``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ontonym.artifact import read_manifest
from ontonym.encoder import Encoder, open_encoder
from ontonym.encoder.joined import JoinedEncoder, join_encoders, part_folders, shares_of, transformer_part
from ontonym.encoder.onnx import FLOAT, FOLDER, INT8
from ontonym.encoder.transformer import open_transformer
from ontonym.learning.encoders.agreement import EncoderAgreement, vectors_agree
from ontonym.learning.encoders.datasets import Dataset, dev_accuracy, dev_questions
from ontonym.learning.encoders.export import export_onnx
from ontonym.learning.encoders.options import TrainOptions

_ASKED = 1000
"""The number of names to compare forms on if there is no dev split."""


@dataclass(frozen=True, slots=True)
class Form:
    """An ONNX form compared with torch: the agreement of their vectors, and the accuracy of each on dev (None: no dev).

    Accuracies are in [0, 1], higher is better, as in `dev_accuracy`.
    """

    name: str
    agreement: EncoderAgreement
    accuracy: float | None
    torch_accuracy: float | None


def export_forms(folder: Path, dataset: Dataset, options: TrainOptions) -> tuple[Form, ...]:
    """Writes the float32 and the int8 form into an encoder folder, and compares both with torch.

    Of joined encoders it is the transformer's forms, and the joined vectors that are compared. Raises
    MissingExtraError where a package is not installed, InputError for an encoder that is no transformer.
    """
    _export(folder)
    torch, *forms = _forms(folder)
    asked, names = dev_questions(dataset, options)
    judged = bool(len(asked))
    if not judged:
        asked = names = np.unique(dataset.table(0))[:_ASKED].astype(np.int64)
    texts = dataset.texts.texts
    lists = texts.take(asked).tolist(), texts.take(names).tolist()

    def seen(encoder: Encoder) -> tuple[EncoderAgreement, float | None]:
        vectors = encoder.encode(lists[0]), encoder.encode(lists[1])
        accuracy = dev_accuracy(asked, names, vectors[0], vectors[1], dataset.texts) if judged else None
        return vectors_agree(before[0], vectors[0]), accuracy

    before = torch.encode(lists[0]), torch.encode(lists[1])
    first = dev_accuracy(asked, names, before[0], before[1], dataset.texts) if judged else None
    return tuple(Form(name, *seen(encoder), first) for name, encoder in zip(("float32", "int8"), forms, strict=True))


def _export(folder: Path) -> None:
    """Exports the transformer in an encoder folder; one of joined encoders before they are joined again."""
    parts = part_folders(folder)
    if not parts:
        export_onnx(folder)
        return
    place = transformer_part(parts)
    manifest = read_manifest(folder, "encoder")
    with TemporaryDirectory() as made:
        exported = Path(made) / "transformer"
        export_onnx(parts[place], exported)
        places = [exported if number == place else part for number, part in enumerate(parts)]
        join_encoders(places, shares_of(folder, manifest), folder, manifest.content)


def _forms(folder: Path) -> list[Encoder]:
    """The encoder in an exported folder through torch, through ONNX in float32, and in int8."""
    parts = part_folders(folder)
    place = transformer_part(parts) if parts else 0
    part = parts[place] if parts else folder
    forms: list[Encoder] = [open_transformer(part), *(open_encoder(part / FOLDER / name) for name in (FLOAT, INT8))]
    if not parts:
        return forms
    shares = shares_of(folder, read_manifest(folder, "encoder"))
    others = [None if number == place else open_encoder(other) for number, other in enumerate(parts)]
    return [JoinedEncoder([other or form for other in others], shares) for form in forms]
