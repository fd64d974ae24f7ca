"""Where encoders are: names that are not paths, the encoders that are installed, and the kind of an encoder."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ontonym.errors import InputError, MissingExtraError
from ontonym.manifest import Manifest

DEFAULT = "default"
"""The name of the best encoder that is installed: `CONTEXTUAL` if it is there, else `STATIC`."""

STATIC = "static"
"""The name of the static encoder that comes with the package."""

CONTEXTUAL = "contextual"
"""The name of the contextual encoder, joined with the static one; it is a package of its own, ontonym-contextual."""

MULTILINGUAL = "multilingual"
"""The name of the static encoder of ten languages; it is a package of its own, ontonym-multilingual."""

HUB = "hub:"
"""The prefix of the name of a model on the Hugging Face hub."""

HUB_MODEL = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
"""The name of a model there, without the prefix."""

OWN = "own:"
"""The prefix of the name of an encoder that a user wrote, an object of this process (`ontonym.encoder.own`)."""

CHOICE = "ONTONYM_ENCODER"
"""The environment variable that says what `DEFAULT` stands for: `STATIC`, `CONTEXTUAL` or `MULTILINGUAL`."""

CHOICES = (STATIC, CONTEXTUAL, MULTILINGUAL)
"""The names of the encoders that are installed with ontonym or beside it."""

RANKING = "ranking.json"
"""The name of the file, in an encoder's folder or in an index, of weights of the ranking that were learned for it."""

_PACKAGE = "ontonym_contextual"
_LANGUAGES = "ontonym_multilingual"


def is_name(place: Path | str) -> bool:
    """Whether this is not a path but a name: of an installed encoder, of a model on the hub, or of an object."""
    return str(place) in (DEFAULT, *CHOICES) or str(place).startswith((HUB, OWN))


def installed(place: Path | str) -> Path | str:
    """The same place, or what `DEFAULT` stands for here; raises InputError for an unknown name in `CHOICE`."""
    if str(place) != DEFAULT:
        return place
    chosen = os.environ.get(CHOICE, "")
    if chosen not in ("", *CHOICES):
        raise InputError(f"the environment variable {CHOICE} is {chosen!r}: set it to {' or '.join(CHOICES)}")
    return chosen or (CONTEXTUAL if has_contextual() else STATIC)


def runs_onnx() -> bool:
    """Whether what ONNX forms need is installed."""
    return all(map(find_spec, ("onnxruntime", "tokenizers")))


def has_contextual() -> bool:
    """Whether the contextual encoder and what it needs are installed."""
    return find_spec(_PACKAGE) is not None and runs_onnx()


def default_folder() -> Path:
    """The folder of the static encoder that comes with the package."""
    return Path(__file__).parent / "default"


def contextual_folder() -> Path:
    """The folder of the contextual encoder, without the static one; raises MissingExtraError if it is not installed."""
    return _folder_in(_PACKAGE, CONTEXTUAL)


def multilingual_folder() -> Path:
    """The folder of the multilingual encoder; raises MissingExtraError if it is not installed."""
    return _folder_in(_LANGUAGES, MULTILINGUAL)


def static_folder(place: Path | str) -> Path:
    """The folder of the static encoder that a place or name stands for; `DEFAULT` is the one of the package."""
    if str(place) in (DEFAULT, STATIC):
        return default_folder()
    return multilingual_folder() if str(place) == MULTILINGUAL else Path(place)


def installed_folder(place: Any) -> Any:
    """The folder of the encoder that is installed under a name; anything else as it is."""
    if not isinstance(place, str) or not is_name(place):
        return place
    known = str(installed(place))
    return contextual_folder() if known == CONTEXTUAL else static_folder(known)


def _folder_in(package: str, name: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(f"ontonym-{name}", name, f"the {name} encoder")
    return Path(next(iter(spec.submodule_search_locations))) / "encoder"


def ranking_file(place: Path | str) -> Path | None:
    """The file of the weights of the ranking that were learned for the encoder at a place, None if there is none."""
    known = installed(place)
    packages = {CONTEXTUAL: contextual_folder, MULTILINGUAL: multilingual_folder}
    if is_name(known) and known not in packages:
        return None
    file = (packages[str(known)]() if known in packages else Path(known)) / RANKING
    return file if file.is_file() else None


def kind_of(manifest: Manifest) -> str:
    """The kind of an encoder by its manifest, even one unknown to this version (see `ontonym.encoder.KINDS`)."""
    return str(manifest.content.get("identity", {}).get("encoder"))
