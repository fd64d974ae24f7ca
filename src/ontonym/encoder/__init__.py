"""Encoders of text, rerankers, and the functions that open them; nothing here imports torch.

Each kind of ENCODER folder has its own module, which is imported, with what it needs, when such a folder is opened.

Where to look (a test holds this list to the files):

- what index and tasks know of encoders: ``protocol``; where encoders are: ``places``; one that a user wrote: ``own``
- kinds of encoders: ``static``, ``transformer``, ``onnx``, ``vectors`` (with ``wordfiles``), ``joined``; what those of
  transformers share: ``tokens``, ``modelfolder``; every kind inside sentence-transformers: ``module``
- rerankers: ``rerank`` and ``rerank_onnx``, with ``crossmodel`` and ``passages``; their scores beside confidences:
  ``mixing``
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from weakref import finalize

from ontonym.artifact import open_artifact
from ontonym.encoder.modelfolder import inner_folder
from ontonym.encoder.own import own_encoder
from ontonym.encoder.places import (
    CONTEXTUAL,
    DEFAULT,
    HUB,
    HUB_MODEL,
    MULTILINGUAL,
    OWN,
    STATIC,
    contextual_folder,
    default_folder,
    installed,
    is_name,
    kind_of,
    runs_onnx,
    static_folder,
)
from ontonym.encoder.protocol import Encoder, Reranker
from ontonym.encoder.static import load_static
from ontonym.errors import ArtifactError, UnknownNameError
from ontonym.manifest import MANIFEST, Manifest

_PLACES: dict[int, Path | str] = {}
"""Where the encoders that are open are, by their `id`: those that users wrote need not be hashable."""


def open_encoder(place: Path | str = DEFAULT) -> Encoder:
    """Opens the encoder at ``place``; raises ArtifactError if there is none, MissingExtraError for a missing
    dependency.

    ``place`` is an encoder folder, a sentence-transformers or Hugging Face model folder, a file of word vectors,
    ``static`` for the encoder that comes with the package, ``contextual`` for that joined with the one of the package
    ontonym-contextual, ``multilingual`` for that of the package ontonym-multilingual, ``default`` for the best one for
    English that is installed, or ``hub:`` with the name of a model on the hub. A transformer folder with an ONNX form
    is opened as ONNX, which needs no torch; a file inside the folder selects another form: ``onnx/model_int8.onnx``, or
    ``model.safetensors`` for torch.
    """
    opened = own_encoder(str(place)) if str(place).startswith(OWN) else _opened(installed(place))
    if id(opened) not in _PLACES:
        finalize(opened, _PLACES.pop, id(opened), None).atexit = False
    _PLACES[id(opened)] = place
    return opened


def place_of_encoder(encoder: object) -> Path | str | None:
    """The place that an encoder was opened at; None for an object that `open_encoder` did not make."""
    return _PLACES.get(id(encoder))


def is_model_folder(path: Path) -> bool:
    """Whether a folder is a model of sentence-transformers or Hugging Face."""
    return any((path / name).is_file() for name in ("modules.json", "config.json"))


def _opened(place: Path | str) -> Encoder:
    if str(place) in (STATIC, MULTILINGUAL):
        return open_artifact(static_folder(place), "encoder", load_static)
    if str(place) == CONTEXTUAL:
        return _contextual()
    if str(place).startswith(HUB):
        from ontonym.encoder.transformer import open_transformer

        return open_transformer(str(place))
    path = inner_folder(Path(place)) or Path(place)
    if path.is_file():
        return _open_file(path)
    if not (path / MANIFEST).is_file() and is_model_folder(path):
        from ontonym.encoder.transformer import open_transformer

        return open_transformer(path)
    try:
        return open_artifact(path, "encoder", _load)
    except ArtifactError as error:
        if path.exists() or Path(place).is_absolute():
            raise
        if HUB_MODEL.fullmatch(str(place)):
            raise ArtifactError(f"{error}; for a model of the Hugging Face hub, give {HUB}{place}") from None
        names = ", ".join((DEFAULT, STATIC, CONTEXTUAL, MULTILINGUAL))
        raise ArtifactError(f"{error}, or give one by its name: {names}") from None


def open_reranker(place: Path | str) -> Reranker:
    """Opens the reranker at ``place``; raises ArtifactError if there is none, MissingExtraError for a missing
    dependency.

    A folder with an ONNX form is opened as ONNX, which needs no torch; a file inside the folder selects another form:
    ``onnx/model_int8.onnx``, or ``model.safetensors`` for torch.
    """
    from ontonym.encoder.onnx import FLOAT, FOLDER

    path = Path(place)
    has_form = (path / FOLDER / FLOAT).is_file() and runs_onnx()
    if path.suffix == ".onnx" or has_form:
        from ontonym.encoder.rerank_onnx import open_onnx_reranker

        return open_onnx_reranker(path / FOLDER / FLOAT if has_form else path)
    from ontonym.encoder.rerank import TorchReranker

    return TorchReranker.open(path.parent if path.is_file() else path)


def _contextual() -> Encoder:
    """The static encoder joined with the contextual one, in the shares that the latter's manifest says."""
    from ontonym.encoder.joined import JoinedEncoder, contextual_shares

    return JoinedEncoder([open_encoder(STATIC), open_encoder(contextual_folder())], contextual_shares())


def _open_file(file: Path) -> Encoder:
    if file.suffix == ".onnx":
        from ontonym.encoder.onnx import open_onnx

        return open_onnx(file)
    if file.suffix == ".safetensors":
        from ontonym.encoder.transformer import open_transformer

        return open_transformer(file.parent)
    from ontonym.encoder.vectors import read_vectors

    return read_vectors(file)


def _load(folder: Path, manifest: Manifest) -> Encoder:
    kind = kind_of(manifest)
    if kind not in KINDS:
        name = UnknownNameError("kind of encoder", kind, KINDS)
        raise ArtifactError(f"{folder}: {name}; a newer ontonym may have made it: upgrade")
    return KINDS[kind](folder, manifest)


def _load_transformer(folder: Path, manifest: Manifest) -> Encoder:
    from ontonym.encoder.onnx import FLOAT, FOLDER, has_onnx, load_onnx

    if has_onnx(folder) and runs_onnx():
        return load_onnx(folder / FOLDER / FLOAT, folder, manifest)
    from ontonym.encoder.transformer import load_transformer

    return load_transformer(folder, manifest)


def _load_onnx(folder: Path, manifest: Manifest) -> Encoder:
    from ontonym.encoder.onnx import FOLDER, INT8, load_onnx

    return load_onnx(folder / FOLDER / INT8, folder, manifest)


def _load_vectors(folder: Path, manifest: Manifest) -> Encoder:
    from ontonym.encoder.vectors import load_vectors

    return load_vectors(folder, manifest)


def _load_joined(folder: Path, manifest: Manifest) -> Encoder:
    from ontonym.encoder.joined import load_joined

    return load_joined(folder, manifest, open_encoder)


KINDS: Mapping[str, Callable[[Path, Manifest], Encoder]] = MappingProxyType(
    {
        "static": load_static,
        "transformer": _load_transformer,
        "onnx": _load_onnx,
        "vectors": _load_vectors,
        "joined": _load_joined,
    }
)
"""The kinds of ENCODER folders, by the name in their manifest, each with the function that opens it."""

__all__ = [
    "CONTEXTUAL",
    "DEFAULT",
    "HUB",
    "KINDS",
    "MULTILINGUAL",
    "STATIC",
    "Encoder",
    "Reranker",
    "contextual_folder",
    "default_folder",
    "installed",
    "is_model_folder",
    "is_name",
    "kind_of",
    "open_encoder",
    "open_reranker",
    "place_of_encoder",
    "static_folder",
]
