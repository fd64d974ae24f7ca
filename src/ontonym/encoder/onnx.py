"""The ONNX encoder: a BERT-like model through ONNX Runtime and tokenizers (extra ``onnx``), without torch.

The path of an ``.onnx`` file selects the form. ``my.encoder/onnx/model.onnx`` in float32 gives torch's vectors except
for rounding; ``my.encoder/onnx/model_int8.onnx`` is a quarter of the size and faster. In int8 a text's vector depends
slightly on the other texts of its batch (cosine about 0.99), since they share the scale of their numbers.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ontonym.arrays import Ints
from ontonym.artifact import open_artifact
from ontonym.checksums import sha256
from ontonym.encoder.modelfolder import ModelFolder, check_folder, fingerprint, positions, read_json
from ontonym.encoder.protocol import Vectors, listed_texts, shown
from ontonym.encoder.tokens import TokenEncoder, without_padding
from ontonym.errors import ArtifactError, InputError, first_line, needing
from ontonym.manifest import MANIFEST, Manifest
from ontonym.text.normalization import canonical

FOLDER = "onnx"
FLOAT = "model.onnx"
INT8 = "model_int8.onnx"
FORM = "form.json"
TOKENIZER = "tokenizer.json"
OUTPUT = "sentence_embedding"

_HINT = "export it again with `ontonym.learning.encoders.export.export_onnx(folder)`"
_TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")


@dataclass(frozen=True, slots=True)
class OnnxOptions:
    """``threads`` that encode a batch each at the same time (0: one per core); at most ``tokens`` in a batch."""

    threads: int = 0
    tokens: int = 1024

    def __post_init__(self) -> None:
        if self.threads < 0 or self.tokens < 1:
            raise InputError("threads is a number from 0 (as many as there are cores), tokens one from 1")


@dataclass(frozen=True, slots=True)
class _Form:
    """What a graph does not contain: how to make its input, and what to do with its output."""

    tokenizer: Any
    max_length: int
    prompt: str
    pooling: str
    fingerprint: str
    is_steady: bool


class OnnxEncoder:
    """An ``Encoder`` over one ``.onnx`` file; threads may share it."""

    def __init__(self, session: Any, form: _Form, options: OnnxOptions, file: Path) -> None:
        self._session = session
        self._fingerprint = form.fingerprint
        self._pooling = form.pooling
        self._is_steady = form.is_steady
        self._inputs = tuple(each.name for each in session.get_inputs())
        outputs = {each.name: each.shape for each in session.get_outputs()}
        self._output = next((name for name in (OUTPUT, *_TOKEN_OUTPUTS) if name in outputs), next(iter(outputs)))
        unknown = set(self._inputs) - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown or "input_ids" not in self._inputs:
            raise ArtifactError(
                f"{file}: is no text encoder: takes {', '.join(self._inputs)} and gives {', '.join(outputs)}"
            )
        self._pools = len(outputs[self._output]) == 3
        one = np.zeros((1, 1), dtype=np.int64)  # some graphs do not give the length of their vectors
        dim = self._forward(one, one).shape[1]
        tokenizer = without_padding(form.tokenizer, form.max_length)
        self._encoder = TokenEncoder(
            tokenizer, form.prompt, dim, options.tokens, self._forward, options.threads or os.cpu_count() or 1
        )

    def __repr__(self) -> str:
        return shown(self)

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self._encoder.dim

    @property
    def fingerprint(self) -> str:
        """That of the transformer it was exported from if it gives the same vectors, else that of its own files."""
        return self._fingerprint

    @property
    def is_steady(self) -> bool:
        """Not where numbers are quantized as they come, as in int8: the texts of a batch share their scale."""
        return self._is_steady

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``; a text without a word gets a row of zeros."""
        return self._encoder.encode(listed_texts(texts))

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """The rows of the texts after text normalization, which makes plurals, spellings and punctuation equal."""
        return self.encode([canonical(text) for text in listed_texts(texts)])

    def _forward(self, ids: Ints, types: Ints) -> Vectors:
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        found: Vectors = self._session.run([self._output], {name: given[name] for name in self._inputs})[0]
        if not self._pools:
            return found
        if self._pooling == "max":
            highest: Vectors = found.max(axis=1)
            return highest
        return found[:, 0] if self._pooling == "cls" else found.mean(axis=1)


def open_onnx(file: Path | str, options: OnnxOptions = OnnxOptions()) -> OnnxEncoder:
    """Opens the encoder in an ``.onnx`` file, in an encoder's ``onnx`` folder or in another model folder.

    Raises ArtifactError if something is missing or damaged, MissingExtraError without ONNX Runtime.
    """
    file = Path(file)
    root = model_root(file)
    if (root / MANIFEST).is_file():
        return open_artifact(root, "encoder", lambda folder, manifest: load_onnx(file, folder, manifest, options))
    return load_onnx(file, root, None, options)


def load_onnx(file: Path, root: Path, manifest: Manifest | None, options: OnnxOptions = OnnxOptions()) -> OnnxEncoder:
    """The encoder in a file of the model folder ``root``; the manifest has its checksums if ontonym wrote it."""
    with needing("onnxruntime", "onnx", "opening an ONNX encoder"):
        import onnxruntime  # noqa: F401
        import tokenizers  # noqa: F401
    if not file.is_file():
        raise ArtifactError(f"{file}: is missing; {_HINT}")
    form = _own_form(file, root, manifest) if (file.parent / FORM).is_file() else _others_form(file, root)
    session = open_session(file, 1)  # threads within a batch would wait for each other
    return OnnxEncoder(session, form, options, file)


def open_session(file: Path, threads: int, hint: str = _HINT) -> Any:
    """An ONNX Runtime session for a graph on the CPU; raises ArtifactError with ``hint`` for a damaged file."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.log_severity_level = 3
    settings.add_session_config_entry(
        "session.intra_op.allow_spinning", "0"
    )  # waiting threads leave the cores to others
    try:
        return onnxruntime.InferenceSession(str(file), settings, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime raises its own classes, a different one for each fault
        raise ArtifactError(f"{file}: damaged: {first_line(error)}; {hint}") from error


def model_root(file: Path) -> Path:
    """The model folder of an ``.onnx`` file: the one above ``onnx``, or its own."""
    return file.parent.parent if file.parent.name == FOLDER else file.parent


def has_onnx(root: Path) -> bool:
    """Whether the folder has an ONNX form in float32 that was exported by `export_onnx`."""
    return (root / FOLDER / FLOAT).is_file() and (root / FOLDER / FORM).is_file()


def _own_form(file: Path, root: Path, manifest: Manifest | None) -> _Form:
    """The form that `export_onnx` wrote; the float32 graph of the folder's own weights has their fingerprint."""
    facts = read_json(file.parent / FORM)
    try:
        source, length, prompt = str(facts["source"]), int(facts["max_length"]), str(facts["prompt"])
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError(f"{file.parent / FORM}: damaged: lacks {error}; {_HINT}") from None
    sums = {name: entry.sha256 for name, entry in manifest.files.items()} if manifest else None
    if file.name == FLOAT and source == fingerprint(root, sums):
        own = source
    else:
        own = _fingerprint(file, root, manifest, [source, length, prompt])
    return _Form(open_tokenizer(file.parent / TOKENIZER), length, prompt, "", own, file.name != INT8)


def _others_form(file: Path, root: Path) -> _Form:
    """The form that a model folder made elsewhere describes."""
    found = check_folder(root)
    if not found.only_pools or found.transformer is None or found.pooling not in ("mean", "cls", "max"):
        raise ArtifactError(f"{file}: does more than pool all its tokens by mean, cls or max: give {root}")
    length, lowercase = _length(found)
    tokenizer = open_tokenizer(found.transformer / TOKENIZER)
    if lowercase:
        from tokenizers import normalizers

        before = [tokenizer.normalizer] if tokenizer.normalizer else []
        tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), *before])
    own = _fingerprint(file, root, None, [length, lowercase, found.prompt, found.pooling])
    return _Form(tokenizer, length, found.prompt, found.pooling, own, not _quantizes(file))


def _quantizes(file: Path) -> bool:
    """Whether a graph quantizes numbers as they come: the names of its operators stand in the file."""
    if not file.stat().st_size:  # an empty file cannot be mapped, and is told as damaged when it is opened
        return False
    with file.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as graph:
        return graph.find(b"DynamicQuantize") >= 0


def _length(found: ModelFolder) -> tuple[int, bool]:
    """The longest text in tokens, and whether texts are lower-cased first."""
    folder = found.transformer or found.path
    numbers: list[object] = [positions(read_json(folder / "config.json"))]
    lowercase = False
    for each in sorted(folder.glob("sentence_*_config.json")):
        facts = read_json(each)
        numbers.append(facts.get("max_seq_length"))
        lowercase = bool(facts.get("do_lower_case"))
    if (folder / "tokenizer_config.json").is_file():
        numbers.append(read_json(folder / "tokenizer_config.json").get("model_max_length"))
    known = [number for number in numbers if isinstance(number, int) and 3 < number < 1_000_000]
    return min(known, default=512), lowercase


def open_tokenizer(file: Path, hint: str = _HINT) -> Any:
    """The ``tokenizers.Tokenizer`` in a file; raises ArtifactError with ``hint`` if it is missing or damaged."""
    from tokenizers import Tokenizer

    if not file.is_file():
        raise ArtifactError(f"{file.parent}: file {file.name} is missing, which an ONNX form reads texts with; {hint}")
    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises bare Exception
        raise ArtifactError(f"{file}: damaged: {error}; {hint}") from error


def _fingerprint(file: Path, root: Path, manifest: Manifest | None, facts: list[object]) -> str:
    sums = []
    for each in (file, file.parent / TOKENIZER, root / TOKENIZER):
        if each.is_file():
            entry = manifest.files.get(each.relative_to(root).as_posix()) if manifest else None
            sums.append(entry.sha256 if entry else sha256(each))
    return hashlib.sha256(orjson.dumps([sums, facts])).hexdigest()
