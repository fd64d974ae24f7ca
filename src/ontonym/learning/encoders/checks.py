"""Checks before a training begins, so that it does not fail after hours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from ontonym.artifact import read_manifest, write_artifact
from ontonym.encoder import CONTEXTUAL, DEFAULT, is_name, kind_of
from ontonym.errors import InputError, MissingExtraError, UnknownNameError
from ontonym.learning.encoders.bases import NONE, SMALL, Base, models_at_hand
from ontonym.learning.encoders.options import Precision, Preset
from ontonym.manifest import MANIFEST
from ontonym.ranges import MOST_SEED, check_range

RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "steps": (0, math.inf), "epochs": (0, math.inf), "batch": (1, math.inf), "accumulate": (1, math.inf),
        "at_once": (0, math.inf), "rate": (0, 1e6), "warmup": (0, 1), "decay": (0, math.inf), "clip": (0, math.inf),
        "neighbours": (0, math.inf), "begin": (0, 1), "tokens": (3, math.inf), "dropout": (-1, 1),
        "seed": (0, MOST_SEED), "threads": (0, 4096), "every": (0, math.inf), "patience": (0, math.inf),
        "dev_queries": (1, math.inf), "dev_names": (1, math.inf), "dim": (1, math.inf), "word_rows": (1, math.inf),
        "ngram_rows": (1, math.inf), "linked": (0, 1), "favour": (0, 100), "ratio": (0, 1e6),
        "auxiliary_weight": (0, 1e6),
    }
)  # fmt: skip
"""The range of each number; a text has at least three tokens, two of them special ones."""

_NAMES = (DEFAULT, NONE, SMALL)
_CONTEXTUAL = "is for searching only; give the folder of a BERT-like model"


def check_numbers(options: Sequence[Any], *, auxiliary_weight: float) -> None:
    """Raises InputError for the first number of these options that is out of range, UnknownNameError for the precision.

    Where several options have a field of one name, the first counts.
    """
    given = {"auxiliary_weight": auxiliary_weight}
    for one in options:
        for field in fields(one):
            if field.name in RANGES:
                given.setdefault(field.name, getattr(one, field.name))
        if hasattr(one, "precision") and one.precision not in get_args(Precision):
            raise UnknownNameError("precision", one.precision, get_args(Precision))
    for name, value in given.items():
        check_range(name, value, *RANGES[name])
    if given["accumulate"] > given["batch"]:
        raise InputError(
            f"`accumulate={given['accumulate']}` makes parts of less than one of the {given['batch']} examples of a "
            "step; give fewer, or a larger `batch=`"
        )
    if not given["steps"] and not given["epochs"]:
        raise InputError("there is nothing to do in 0 steps and 0 epochs; give `steps=` or `epochs=`")
    if given.get("rate") == 0:
        raise InputError("nothing is learned at `rate=0`; give a rate above 0, or leave it out")


def check_preset_base(preset: Preset, name: str, *, given: bool) -> None:
    """Raises InputError for a paper's preset without a base (``given``): its settings are for a transformer like the
    authors', which does not come with the package.
    """
    if given or not preset.base:
        return
    found = models_at_hand()
    listed = f"at hand are {', '.join(found)}" if found else "none is in this folder or in the hub's cache"
    raise InputError(
        f"`preset={name}` trains a transformer: give its folder with `base=`. The authors took {preset.base}; "
        f"{listed}; `base=small` makes a small one"
    )


def check_base(name: str) -> None:
    """Raises InputError for a base that cannot be trained: a missing folder, word vectors, or one file of a model."""
    path = Path(name)
    if name == CONTEXTUAL:
        raise InputError(f"`base={name}`: {_CONTEXTUAL}")
    if name in _NAMES or is_name(name):
        return
    if not path.exists():
        raise InputError(
            f"`base={name}`: no such folder; give {', '.join(_NAMES)}, or the folder of an encoder or a BERT-like model"
        )
    if path.is_file():
        raise InputError(
            f"`base={name}` is a file, and cannot be trained on: give the folder of an encoder or of a BERT-like model "
            "(word vectors and ONNX files are for searching only)"
        )
    if (path / MANIFEST).is_file() and kind_of(read_manifest(path, "encoder")) == "vectors":
        raise InputError(f"`base={name}` holds word vectors, which are for searching only; give another encoder")


def check_beside(name: str | None, share: float | None) -> None:
    """Raises InputError for a missing encoder beside the trained one, and for a share that is not between 0 and 1."""
    if name is None:
        if share is not None:
            raise InputError("`share=` is for `beside=`; leave it out, or say what encoder is beside the trained one")
        return
    if share is not None and not 0 < share < 1:
        raise InputError(f"`share=` must be above 0 and below 1, not {share:g}")
    if name in (NONE, SMALL):
        raise InputError(f"`beside={name}`: an encoder that knows nothing adds nothing; give {DEFAULT}, or a folder")
    if name == CONTEXTUAL:
        raise InputError(f"`beside={name}`: {_CONTEXTUAL}")
    if not is_name(name) and not Path(name).exists():
        raise InputError(f"`beside={name}`: no such folder; give {DEFAULT}, or the folder of an encoder or model")


def check_export(base: Base) -> None:
    """Raises InputError for an encoder that has no ONNX form, MissingExtraError for a missing package."""
    if not base.has_transformer:
        what = "makes a static encoder, which has no ONNX form" if not base.beside else (
            f"and `beside={base.beside}` have not exactly one transformer, which is what would get an ONNX form"
        )  # fmt: skip
        raise InputError(f"`base={base.name}` {what}; leave `export=` out")
    for package in ("onnx", "onnxruntime"):
        if not find_spec(package):
            raise MissingExtraError(package, "train,onnx", "exporting to ONNX")


class _Only(Exception):
    """Ends the writing of an artifact that was only a trial."""


def check_place(output: Path) -> None:
    """Raises what saving the encoder to this place would raise."""
    with suppress(_Only), write_artifact(output, "encoder"):
        raise _Only
