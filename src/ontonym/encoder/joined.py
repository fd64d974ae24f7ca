"""Joined encoders: their vectors concatenated, so that a cosine is the weighted mean of theirs (numpy only).

Encoders complement each other: a transformer knows what words mean, a static encoder how they are spelled. The folder
holds whole ENCODER folders, named by their numbers from 1.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import orjson

from ontonym.artifact import read_manifest, write_artifact
from ontonym.encoder.modelfolder import inner_folder, place_file, write_modules
from ontonym.encoder.places import (
    CONTEXTUAL,
    DEFAULT,
    MULTILINGUAL,
    STATIC,
    contextual_folder,
    is_name,
    kind_of,
    static_folder,
)
from ontonym.encoder.protocol import Encoder, Vectors, listed_texts, shown, unit_rows
from ontonym.errors import ArtifactError, InputError
from ontonym.manifest import MANIFEST, Manifest

KIND = "joined"


class JoinedEncoder:
    """An ``Encoder`` made of encoders; their ``shares`` of the cosine are positive and sum to 1."""

    def __init__(self, parts: Sequence[Encoder], shares: Sequence[float]) -> None:
        self.parts, self.shares = tuple(parts), check_shares(shares, len(parts))
        identity = [[part.fingerprint for part in self.parts], self.shares]
        self._fingerprint = hashlib.sha256(orjson.dumps(identity)).hexdigest()

    def __repr__(self) -> str:
        return shown(self)

    @property
    def dim(self) -> int:
        """The length of a vector: the sum of the parts' lengths."""
        return sum(part.dim for part in self.parts)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 over the fingerprints of the parts and their shares."""
        return self._fingerprint

    @property
    def is_steady(self) -> bool:
        """Whether all parts are steady."""
        return all(part.is_steady for part in self.parts)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``; a text without a word gets a row of zeros.

        If a part has no vector for a text, the other parts make up the whole row.
        """
        texts = listed_texts(texts)
        return self._joined([part.encode(texts) for part in self.parts])

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """The same, from the parts' own `encode_names`."""
        texts = listed_texts(texts)
        return self._joined([part.encode_names(texts) for part in self.parts])

    def _joined(self, vectors: Sequence[Vectors]) -> Vectors:
        scaled = [part * np.float32(math.sqrt(share)) for part, share in zip(vectors, self.shares, strict=True)]
        return unit_rows(np.concatenate(scaled, axis=1))


def join_encoders(
    places: Sequence[Path | str], shares: Sequence[float], path: Path | str, content: Mapping[str, object] | None = None
) -> Manifest:
    """Writes the encoders at ``places`` as one ENCODER folder; ``shares`` are scaled to sum to 1.

    ``content`` is added to the manifest. Raises ArtifactError if there is no encoder at a place, InputError for shares
    that are not positive or whose number differs from that of the places.
    """
    scaled = check_shares(shares, len(places))
    with TemporaryDirectory() as folder:
        parts = [encoder_folder(place, Path(folder) / str(number)) for number, place in enumerate(places, 1)]
        with write_artifact(path, "encoder") as writer:
            for number, part in enumerate(parts, 1):
                for name in (MANIFEST, *read_manifest(part, "encoder").files):
                    place_file(part / name, writer.folder / str(number) / name)
            write_modules(writer.folder)
            writer.content.update({"identity": {"encoder": KIND, "shares": scaled}, **(content or {})})
    return writer.manifest


def load_joined(path: Path, manifest: Manifest, opener: Callable[[Path], Encoder]) -> JoinedEncoder:
    """The joined encoder in a folder with this manifest; ``opener`` opens each part. Raises ArtifactError."""
    return JoinedEncoder([opener(part) for part in part_folders(path)], shares_of(path, manifest))


def part_folders(path: Path) -> list[Path]:
    """The ENCODER folders inside a folder of joined encoders, in order; empty for any other folder."""
    if not (path / "1" / MANIFEST).is_file():
        return []
    return sorted((file.parent for file in path.glob(f"[0-9]*/{MANIFEST}")), key=lambda folder: int(folder.name))


def transformer_part(parts: Sequence[Path]) -> int:
    """The position of the only transformer among the parts, from 0; raises InputError unless there is exactly one."""
    kinds = [kind_of(read_manifest(part, "encoder")) for part in parts]
    if kinds.count("transformer") != 1:
        raise InputError(
            f"{parts[0].parent}: joins encoders of the kinds {' and '.join(kinds)}, and must have one "
            "transformer, no more and no less, for this; train or export its parts, and join them then"
        )
    return kinds.index("transformer")


def shares_of(path: Path, manifest: Manifest) -> list[float]:
    """The shares in the manifest of joined encoders; raises ArtifactError."""
    try:
        return check_shares(manifest.content["identity"]["shares"], len(part_folders(path)))
    except (KeyError, TypeError, InputError) as error:
        raise ArtifactError(f"{path}: damaged: its shares do not fit its parts ({error}); join them again") from error


def check_shares(shares: Sequence[float], count: int) -> list[float]:
    """The shares scaled to sum to 1; raises InputError unless they are ``count`` positive numbers."""
    if len(shares) != count:
        raise InputError(f"{count} encoders need as many shares, and there are {len(shares)}")
    if count < 2:
        raise InputError("to join encoders takes at least two of them")
    if not all(0 < share < math.inf for share in shares):
        raise InputError(f"shares are numbers above 0, not {', '.join(f'{share:g}' for share in shares)}")
    total = sum(shares)
    return [float(share / total) for share in shares]


def check_joinable(place: Path | str) -> None:
    """Raises InputError for a single file of a model, since joined parts are stored as whole folders."""
    path = Path(place)
    if path.is_file() and path.suffix in (".onnx", ".safetensors"):
        raise InputError(f"{place}: is one file of a model; give its folder, whose ONNX form goes along")


def contextual_shares() -> list[float]:
    """The shares of the static and of the contextual encoder in `CONTEXTUAL`, which sum to 1.

    Raises MissingExtraError if the contextual one is not installed.
    """
    share = float(read_manifest(contextual_folder(), "encoder").content["share"])
    return [1 - share, share]


def encoder_folder(place: Path | str, made: Path) -> Path:
    """The ENCODER folder at a place; anything else (a model folder, word vectors, a hub name) is converted to one, at
    ``made``.

    Of ``contextual`` it is the transformer's part alone. Raises ArtifactError if there is no encoder, InputError for a
    single file of a model.
    """
    if str(place) in (DEFAULT, STATIC, MULTILINGUAL):
        return static_folder(place)
    if str(place) == CONTEXTUAL:
        return contextual_folder()
    check_joinable(place)
    path = inner_folder(Path(place)) or Path(place)
    if path.is_file():
        from ontonym.encoder.vectors import import_vectors

        import_vectors(path, made)
        return made
    if not is_name(place) and (not path.exists() or (path / MANIFEST).is_file()):
        read_manifest(path, "encoder")
        return path
    from ontonym.encoder.transformer import import_transformer

    import_transformer(place, made)
    return made
