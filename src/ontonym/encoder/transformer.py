"""The transformer encoder: any sentence-transformers or Hugging Face model folder, through torch (extra ``train``).

ENCODER folders of this kind are sentence-transformers folders with a manifest. Weights are read from safetensors only,
code that comes with a model is never run, and only models named with ``hub:`` are downloaded.
"""

from __future__ import annotations

import importlib.util
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ontonym.arrays import Ints
from ontonym.artifact import open_artifact, write_artifact
from ontonym.encoder.modelfolder import ModelFolder, check_folder, fingerprint, positions
from ontonym.encoder.places import HUB, HUB_MODEL
from ontonym.encoder.protocol import Vectors, listed_texts, shown, unit_rows
from ontonym.encoder.tokens import TokenEncoder, without_padding
from ontonym.errors import ArtifactError, InputError, MissingExtraError, UnknownNameError, first_line
from ontonym.manifest import MANIFEST, Manifest
from ontonym.text.normalization import canonical, tokens

Pooling = Literal["own", "mean", "cls", "max"]
POOLINGS: tuple[Pooling, ...] = ("own", "mean", "cls", "max")

PRECISIONS = ("auto", "float32", "bf16")

_FILES = ["*.json", "*.safetensors", "*.txt", "*.model"]
_MISSING = re.compile(r"^(.+?)\s*\|\s*MISSING", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_UNUSED = ("pooler.",)
"""Weights that do not affect sentence vectors, and that models are often saved without."""


@dataclass(frozen=True, slots=True)
class TransformerOptions:
    """How a model is used; ``pooling`` and ``max_length`` are part of the encoder's fingerprint.

    ``pooling`` of the token vectors: ``own`` is the folder's, and mean for a plain Hugging Face folder. ``max_length``
    in tokens, special ones included; 0 is the model's own. ``precision`` ``auto`` computes in bf16 (bfloat16) if the
    CPU or GPU supports it in hardware, else in float32. An empty ``device`` is the GPU if torch finds one. ``tokens``
    is the maximum in a batch; 0 chooses it by the device.
    """

    pooling: Pooling = "own"
    max_length: int = 0
    precision: Literal["auto", "float32", "bf16"] = "auto"
    device: str = ""
    tokens: int = 0

    def __post_init__(self) -> None:
        if self.pooling not in POOLINGS:
            raise UnknownNameError("pooling", self.pooling, POOLINGS)
        if self.precision not in PRECISIONS:
            raise UnknownNameError("precision", self.precision, PRECISIONS)
        if self.max_length < 0 or self.tokens < 0:
            raise InputError("max_length and tokens are numbers of tokens, from 0 (the model's own choice)")


class TransformerEncoder:
    """An ``Encoder`` around a ``SentenceTransformer``; its ``model`` can be trained further."""

    def __init__(self, model: Any, fingerprint: str, options: TransformerOptions = TransformerOptions()) -> None:
        import torch

        self.model = model.eval()
        self._fingerprint = fingerprint
        self._torch = torch
        device = model.device
        low = options.precision == "bf16" or (options.precision == "auto" and has_bf16(device.type))
        self._precision = (lambda: torch.autocast(device.type, torch.bfloat16)) if low else nullcontext
        self._dim = int(model.truncate_dim or model.get_embedding_dimension())
        self._encode = self._by_tokens(options) or self._by_model

    def __repr__(self) -> str:
        return shown(self)

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self._dim

    @property
    def fingerprint(self) -> str:
        """The SHA-256 over weights, configuration and tokenizer files, and over pooling and length if chosen."""
        return self._fingerprint

    @property
    def is_steady(self) -> bool:
        """True: texts of a batch do not affect each other."""
        return True

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``; a text without a word gets a row of zeros."""
        return self._encode(listed_texts(texts))

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """The rows of the texts after text normalization, which makes plurals, spellings and punctuation equal."""
        return self.encode([canonical(text) for text in listed_texts(texts)])

    def _by_tokens(self, options: TransformerOptions) -> Callable[[Sequence[str]], Vectors] | None:
        """Encoding in batches of equal length, for models that take token ids; None for other models."""
        if not takes_tokens(self.model):
            return None
        on_cpu = self.model.device.type == "cpu"
        tokens = options.tokens or (2048 if on_cpu else 65_536)
        fitted = without_padding(self.model.tokenizer.backend_tokenizer, longest(self.model))
        return TokenEncoder(fitted, default_prompt(self.model), self.dim, tokens, self._forward).encode

    def _forward(self, ids: Ints, types: Ints) -> Vectors:
        torch, device = self._torch, self.model.device
        features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.ones(ids.shape, dtype=torch.int64)}
        if types.any():
            features["token_type_ids"] = torch.from_numpy(types)
        with torch.inference_mode(), self._precision():
            found = self.model({name: value.to(device) for name, value in features.items()})["sentence_embedding"]
        vectors: Vectors = found[:, : self.dim].float().cpu().numpy()
        return vectors

    def _by_model(self, texts: Sequence[str]) -> Vectors:
        """Encoding by sentence-transformers itself, for models that take no token ids."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        rows = [row for row, text in enumerate(texts) if tokens(text)]
        if rows:
            with self._precision():
                found = self.model.encode([texts[row] for row in rows], show_progress_bar=False, convert_to_tensor=True)
            vectors[rows] = unit_rows(found.float().cpu().numpy())
        return vectors


# Opening ---------------------------------------------------------------------------------------------------------


def open_transformer(place: Path | str, options: TransformerOptions = TransformerOptions()) -> TransformerEncoder:
    """Opens the encoder in a folder, with a manifest or any model folder, or of a hub name
    (``hub:org/model@revision``).

    Raises ArtifactError if something is missing or not a sentence encoder, MissingExtraError without torch.
    """
    _needed()
    if str(place).startswith(HUB):
        return load_transformer(fetched(str(place)), None, options)
    path = Path(place)
    if (path / MANIFEST).is_file():
        return open_artifact(path, "encoder", lambda folder, manifest: load_transformer(folder, manifest, options))
    return load_transformer(path, None, options)


def load_transformer(
    path: Path, manifest: Manifest | None, options: TransformerOptions = TransformerOptions()
) -> TransformerEncoder:
    """The encoder in a folder; the manifest has its checksums if ontonym wrote it."""
    _needed()
    found = check_folder(path)
    model = load_model(found, options)
    return TransformerEncoder(model, fingerprint_of(path, manifest, options), options)


def fingerprint_of(path: Path, manifest: Manifest | None, options: TransformerOptions = TransformerOptions()) -> str:
    """The fingerprint of the transformer in a folder, without loading it."""
    sums = {name: entry.sha256 for name, entry in manifest.files.items()} if manifest else None
    chosen = {"pooling": options.pooling, "max_length": options.max_length}
    return fingerprint(path, sums, **{name: value for name, value in chosen.items() if value not in ("own", 0)})


def load_model(found: ModelFolder, options: TransformerOptions) -> Any:
    """The ``SentenceTransformer`` of a checked folder, in float32, with the pooling and length of ``options``."""
    import torch
    from sentence_transformers import SentenceTransformer

    missing: list[str] = []
    try:
        with quiet(missing):
            model = SentenceTransformer(
                str(found.path),
                device=options.device or None,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True, "dtype": torch.float32},
            )
    except Exception as error:  # the libraries underneath raise almost any class for a damaged file
        raise ArtifactError(f"{found.path}: cannot be loaded: {first_line(error)}") from error
    missing = [name for name in missing if not name.startswith(_UNUSED)]
    if missing:
        raise ArtifactError(
            f"{found.path}: its weights lack {len(missing)} of the model's tensors, first {missing[0]}: they belong to "
            "another model or are damaged; copy the whole folder again"
        )
    _choose(model, found.path, options)
    return model


def save_transformer(path: Path | str, model: Any, content: Mapping[str, object] | None = None) -> Manifest:
    """Writes a ``SentenceTransformer`` as an ENCODER folder, which plain ``SentenceTransformer(path)`` loads too.

    ``content`` is added to the manifest: training, sources, figures.
    """
    with write_artifact(path, "encoder") as writer:
        with quiet([]):
            model.save_pretrained(str(writer.folder), create_model_card=False, safe_serialization=True)
        writer.content.update({"identity": {"encoder": "transformer"}, "shape": shape_of(model), **(content or {})})
    return writer.manifest


def import_transformer(
    place: Path | str, path: Path | str, options: TransformerOptions = TransformerOptions()
) -> Manifest:
    """Writes the model at ``place`` (as in `open_transformer`) as an ENCODER folder, with its options."""
    opened = open_transformer(place, options)
    content = {"imported": str(place), "options": asdict(options), "source": opened.fingerprint}
    return save_transformer(path, opened.model, content)


def shape_of(model: Any) -> dict[str, object]:
    """A model's facts for a manifest: length of vectors, pooling, longest text in tokens, number of weights."""
    pooling = next((module.pooling_mode for module in model if hasattr(module, "pooling_mode")), "")
    return {
        "dim": int(model.truncate_dim or model.get_embedding_dimension()),
        "pooling": pooling,
        "max_length": longest(model),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
    }


# Properties of a model -----------------------------------------------------------------------------------------------


def takes_tokens(model: Any) -> bool:
    """Whether the model makes a text's vector of the token ids of prompt and text, all of which it pools."""
    from sentence_transformers.sentence_transformer.modules import Transformer

    first = model[0]
    if not isinstance(first, Transformer) or not hasattr(model.tokenizer, "backend_tokenizer"):
        return False
    pools_prompt = all(getattr(module, "include_prompt", True) for module in model)
    is_plain = "text" in first.modality_config and "message" not in first.modality_config
    return is_plain and (pools_prompt or not default_prompt(model))


def default_prompt(model: Any) -> str:
    """The text that the model puts before every text by default."""
    return str(model.prompts.get(model.default_prompt_name) or "") if model.default_prompt_name else ""


def longest(model: Any) -> int:
    """The longest text in tokens that the model takes, special tokens included."""
    own, limit = model.max_seq_length, _positions_of(model)
    known = [int(number) for number in (own, limit) if number and number < 1_000_000]
    return min(known, default=512)


def has_bf16(device: str) -> bool:
    """Whether a kind of device (``cpu``, ``cuda``) multiplies bf16 matrices in hardware."""
    if device == "cuda":
        import torch

        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    try:
        facts = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    flags = next((line for line in facts.splitlines() if line.startswith("flags")), "").split()
    return device == "cpu" and not {"avx512_bf16", "amx_bf16"}.isdisjoint(flags)


def _positions_of(model: Any) -> int:
    config = getattr(model.transformers_model, "config", None)
    return positions(config.to_dict()) if config is not None else 0


def _choose(model: Any, path: Path, options: TransformerOptions) -> None:
    if options.max_length:
        limit = _positions_of(model)
        if limit and options.max_length > limit:
            raise InputError(f"{path}: takes at most {limit} tokens, so not a max_length of {options.max_length}")
        model.max_seq_length = options.max_length
    if options.pooling == "own":
        return
    from sentence_transformers.sentence_transformer.modules import Pooling

    for name, module in model.named_children():
        if isinstance(module, Pooling):
            chosen = Pooling(module.embedding_dimension, options.pooling).to(model.device)
            if chosen.pooling_output_dimension != module.pooling_output_dimension:
                raise InputError(f"{path}: pools in several ways at once, which its next module counts on")
            model.register_module(name, chosen)
            return
    raise InputError(f"{path}: has no pooling of token vectors, so none can be chosen: leave it at own")


# Downloads and messages ----------------------------------------------------------------------------------------------


def _needed() -> None:
    for package in ("torch", "transformers", "sentence_transformers"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package.replace("_", "-"), "train", "opening a transformer encoder")


def fetched(name: str) -> Path:
    """The folder of a hub model (``hub:owner/model``), downloaded unless it is cached; else raises InputError."""
    from huggingface_hub import snapshot_download

    wanted, _, revision = name.removeprefix(HUB).partition("@")
    if not HUB_MODEL.fullmatch(wanted):
        raise InputError(
            f"{name}: is no name of a model on the hub; write {HUB}owner/model or {HUB}owner/model@revision"
        )
    try:
        with quiet([]):
            return Path(snapshot_download(wanted, revision=revision or None, allow_patterns=_FILES))
    except Exception as error:  # no connection, no such model, or a gated one: each raises another class
        fetching = "`hf download {} --local-dir FOLDER`".format(wanted)  # noqa: UP032 (a text of another program, whole)
        raise InputError(
            f"{name}: cannot be fetched: {first_line(error)}. Without internet: fetch it elsewhere with {fetching}, "
            "copy the folder here, and give its path"
        ) from error


@contextmanager
def quiet(missing: list[str]) -> Iterator[None]:
    """Suppresses transformers' progress bars and its report, whose missing weights are added to ``missing``."""
    from transformers.utils import logging as library

    def note(record: logging.LogRecord) -> bool:
        message = _COLOUR.sub("", record.getMessage())
        if "LOAD REPORT" not in message:
            return True
        missing.extend(name.strip() for name in _MISSING.findall(message))
        return False

    logger = logging.getLogger("transformers.modeling_utils")
    level, bars = library.get_verbosity(), library.is_progress_bar_enabled()
    library.set_verbosity(min(level, logging.WARNING))
    logger.addFilter(note)
    library.disable_progress_bar()
    try:
        yield
    finally:
        library.set_verbosity(level)
        logger.removeFilter(note)
        if bars:
            library.enable_progress_bar()
