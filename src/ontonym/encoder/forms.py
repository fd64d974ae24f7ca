"""The ONNX forms of an encoder just trained, and what they cost in accuracy (extras ``train`` and ``onnx``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ontonym.encoder import Encoder, open_encoder
from ontonym.encoder.agreement import Agreement, vectors_agree
from ontonym.encoder.training import Lesson, TrainOptions, dev_accuracy, dev_questions

_ASKED = 1000
"""Names that forms are compared on where no dev split says which."""


@dataclass(frozen=True, slots=True)
class Form:
    """An ONNX form beside the torch one: how well their vectors agree, and how accurate each is on dev (None: no dev).

    Accuracies are in [0, 1], higher is better, as in `dev_accuracy`.
    """

    name: str
    agreement: Agreement
    accuracy: float | None
    torch_accuracy: float | None


def export_forms(folder: Path, lesson: Lesson, options: TrainOptions) -> tuple[Form, ...]:
    """Writes the float32 and the int8 form into an encoder folder, and compares both with torch.

    Raises MissingExtraError where a package is not installed, InputError for an encoder that is no transformer.
    """
    from ontonym.encoder.export import export_onnx
    from ontonym.encoder.transformer import open_transformer

    made = export_onnx(folder)
    asked, names = dev_questions(lesson, options)
    judged = bool(len(asked))
    if not judged:
        asked = names = np.unique(lesson.table(0))[:_ASKED].astype(np.int64)
    texts = lesson.texts.texts
    lists = texts.take(asked).tolist(), texts.take(names).tolist()

    def seen(encoder: Encoder) -> tuple[Agreement, float | None]:
        vectors = encoder.encode(lists[0]), encoder.encode(lists[1])
        accuracy = dev_accuracy(asked, names, vectors[0], vectors[1], lesson.texts) if judged else None
        return vectors_agree(before[0], vectors[0]), accuracy

    torch = open_transformer(folder)
    before = torch.encode(lists[0]), torch.encode(lists[1])
    first = dev_accuracy(asked, names, before[0], before[1], lesson.texts) if judged else None
    files = {"float32": made.float32, "int8": made.int8}
    return tuple(Form(name, *seen(open_encoder(file)), first) for name, file in files.items() if file)
