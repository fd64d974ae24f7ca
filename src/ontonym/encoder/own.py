"""Encoders that a user wrote, as objects of this process: each has a name, as an encoder of the hub has one."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ontonym.encoder.places import OWN
from ontonym.encoder.protocol import Encoder
from ontonym.errors import ArtifactError, InputError, WrongTypeError

_OPEN: WeakValueDictionary[str, Any] = WeakValueDictionary()
"""The encoders that have a name, as long as somebody holds them."""

_MEMBERS = ("dim", "fingerprint", "is_steady", "encode", "encode_names")
_TRIED = ["Heart attack", "fits"]
_OFF = 1e-3  # of the length of a row, as half precision has it


def own_name(encoder: Any, wanted: str) -> str:
    """The name of an encoder that a user wrote, by which `open_encoder` finds it from now on in this process.

    Two names are encoded to see that it is one. Raises WrongTypeError for what lacks a member of `Encoder`, which says
    what is ``wanted``, and InputError for vectors of another shape, type or length.
    """
    missing = [name for name in _MEMBERS if not hasattr(encoder, name)]
    if missing:
        almost = f" (an encoder of your own also needs {', '.join(missing)})" if len(missing) < len(_MEMBERS) else ""
        raise WrongTypeError(encoder, wanted + almost)
    for method in ("encode", "encode_names"):
        _check(f"{type(encoder).__name__}.{method}()", getattr(encoder, method)(_TRIED), encoder.dim)
    name = f"{OWN}{type(encoder).__name__}-{encoder.fingerprint[:12]}"
    try:
        _OPEN[name] = encoder
    except TypeError:  # its class has slots
        wanted = "an encoder that weak references may point to (a dataclass with slots needs `weakref_slot`)"
        raise WrongTypeError(encoder, wanted) from None
    return name


def _check(what: str, vectors: Any, dim: int) -> None:
    if not isinstance(vectors, np.ndarray) or vectors.dtype != np.float32 or vectors.shape != (len(_TRIED), dim):
        shape = f"{vectors.dtype} {vectors.shape}" if isinstance(vectors, np.ndarray) else type(vectors).__name__
        raise InputError(f"{what} gives {shape} for {len(_TRIED)} texts, not float32 {(len(_TRIED), dim)}")
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.allclose(lengths, 1, atol=_OFF):
        raise InputError(f"{what} gives rows of the length {lengths.max():.3g}: divide each by its length")


def own_encoder(name: str) -> Encoder:
    """The encoder of this name; raises ArtifactError where this process holds none."""
    encoder: Encoder | None = _OPEN.get(name)
    if encoder is None:
        held = "is an encoder that somebody wrote, and no file holds it"
        raise ArtifactError(f"{name}: {held}: give the object as `encoder=`, in this process (jobs=1)")
    return encoder
