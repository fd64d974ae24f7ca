"""Model folders of sentence-transformers and Hugging Face, checked before anything in them is loaded.

Nothing here imports torch. Errors name the file that is missing, pickled or not of a sentence encoder; one fingerprint
covers everything that the vectors depend on.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from ontonym.checksums import sha256
from ontonym.errors import ArtifactError

WEIGHTS = "model.safetensors"
SHARDS = "model.safetensors.index.json"
MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"

_PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "model.pth", "tf_model.h5", "model.ckpt")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model", "sentencepiece.bpe.model")
_RELEVANT = (
    "config.json", "*.safetensors", "*.safetensors.index.json", "tokenizer*.json", "special_tokens_map.json",
    "added_tokens.json", "vocab.*", "merges.txt", "*.model", MODULES, "sentence_*_config.json", PROMPTS,
)  # fmt: skip
_LEGACY = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
}
_AFTER_PADDING = frozenset(
    "roberta roberta-prelayernorm xlm-roberta xlm-roberta-xl xmod camembert data2vec-text longformer mpnet".split()
)
"""Models whose positions begin after that of padding."""
_HINT = "copy the whole folder again, or save the model with `model.save_pretrained(folder)` of sentence-transformers"


OURS = "ontonym.encoder.module.EncoderModule"
"""The class by which sentence-transformers opens an ENCODER folder that is none of its own."""


def write_modules(folder: Path) -> None:
    """Writes the ``modules.json`` by which sentence-transformers opens the encoder in a folder."""
    listed = [{"idx": 0, "name": "0", "path": "", "type": OURS}]
    (folder / MODULES).write_text(json.dumps(listed, indent=2) + "\n", encoding="utf-8")


def inner_folder(folder: Path) -> Path | None:
    """The ENCODER folder inside a folder that sentence-transformers saved an encoder of ours to; None for any other."""
    try:
        (module,) = json.loads((folder / MODULES).read_text(encoding="utf-8"))
        name = PurePosixPath(module["path"]).name
        return folder / name if module["type"] == OURS and name not in ("", "..") and (folder / name).is_dir() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class ModelModule:
    """One step of a sentence-transformers model: the last part of its class name and the folder of its files."""

    kind: str
    folder: Path


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model folder with all files that are needed to load it.

    ``modules`` is empty for a plain Hugging Face folder. ``transformer`` is the folder of weights and tokenizer, None
    for models without a transformer (static embeddings).
    """

    path: Path
    modules: tuple[ModelModule, ...]
    transformer: Path | None

    @property
    def pooling(self) -> str:
        """The name of the pooling (mean, cls, max, ...): mean if no file says, empty for a mixture."""
        for module in self.modules:
            if module.kind == "Pooling":
                return _pooling(module.folder / "config.json")
        return "mean"

    @property
    def prompt(self) -> str:
        """The text that the model puts before every text by default."""
        file = self.path / PROMPTS
        facts = read_json(file) if file.is_file() else {}
        prompts, name = facts.get("prompts"), facts.get("default_prompt_name")
        return str(prompts.get(name) or "") if isinstance(prompts, dict) and name else ""

    @property
    def only_pools(self) -> bool:
        """Whether only pooling, of the prompt too, and scaling to unit length follow the transformer."""
        if not all(module.kind in ("Transformer", "Pooling", "Normalize") for module in self.modules):
            return False
        poolings = (read_json(each.folder / "config.json") for each in self.modules if each.kind == "Pooling")
        return not self.prompt or all(facts.get("include_prompt", True) for facts in poolings)


def check_folder(path: Path) -> ModelFolder:
    """The model folder at ``path``, checked; raises ArtifactError, which names the first file that is wrong."""
    if not (path / MODULES).is_file():
        if not (path / "config.json").is_file():
            raise ArtifactError(f"{path}: is no encoder: it has neither {MODULES} nor config.json; {_HINT}")
        check_transformer(path)
        return ModelFolder(path, (), path)
    _check_kind(path)
    modules = _modules(path)
    for module in modules:
        if module.kind == "Transformer":
            check_transformer(module.folder)
        elif module.kind != "Normalize":
            _check_module(module)
    transformers = [module.folder for module in modules if module.kind == "Transformer"]
    return ModelFolder(path, modules, transformers[0] if transformers else None)


def fingerprint(path: Path, sums: Mapping[str, str] | None = None, **options: object) -> str:
    """The SHA-256 over all files that vectors depend on, and over ``options``.

    ``sums`` are known checksums, by path inside the folder; files that are not in it are read.
    """
    known = sums or {}
    named = {file.relative_to(path).as_posix(): file for file in relevant_files(path)}
    files = [(name, known.get(name) or sha256(file)) for name, file in sorted(named.items())]
    return hashlib.sha256(orjson.dumps([files, sorted(options.items())])).hexdigest()


def relevant_files(path: Path) -> list[Path]:
    """The files that vectors depend on: weights, configuration, tokenizer, and those of every module."""
    folders = {path}
    if (path / MODULES).is_file():
        folders |= {module.folder for module in _modules(path)}
    found = {file for folder in folders for pattern in _RELEVANT for file in folder.glob(pattern) if file.is_file()}
    return sorted(found)


def positions(config: Mapping[str, Any]) -> int:
    """The most tokens of a text that a BERT-like model of this configuration has positions for; 0 if unstated."""
    count, padding = config.get("max_position_embeddings"), config.get("pad_token_id")
    if not isinstance(count, int) or count < 1:
        return 0
    if config.get("model_type") in _AFTER_PADDING:
        count -= (padding if isinstance(padding, int) else 1) + 1
    return count


def place_file(file: Path, at: Path) -> None:
    """Puts a file of one encoder folder into another: as a hard link if the disk can, else as a copy."""
    at.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file.resolve(), at)
    except OSError:
        shutil.copyfile(file, at)


def read_json(file: Path) -> dict[str, Any]:
    """The object in a JSON file; raises ArtifactError if it is missing or not an object."""
    found = _json(file)
    if not isinstance(found, dict):
        raise ArtifactError(f"{file}: damaged: should be a JSON object; {_HINT}")
    return found


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ArtifactError(f"{file.parent}: file {file.name} is missing; {_HINT}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ArtifactError(f"{file}: damaged: not JSON ({error}); {_HINT}") from None


def _check_kind(path: Path) -> None:
    if (path / PROMPTS).is_file():
        kind = read_json(path / PROMPTS).get("model_type", "SentenceTransformer")
        if kind != "SentenceTransformer":
            raise ArtifactError(f"{path}: holds a {kind}, which gives no vector for a text: give a SentenceTransformer")


def _modules(path: Path) -> tuple[ModelModule, ...]:
    """The modules that the folder lists; ArtifactError for code of the model's own, or a place outside."""
    file = path / MODULES
    listed = _json(file)
    if not isinstance(listed, list) or not listed:
        raise ArtifactError(f"{file}: damaged: should be a list of modules; {_HINT}")
    modules = []
    for entry in listed:
        kind, inside = (entry.get("type"), entry.get("path", "")) if isinstance(entry, dict) else (None, None)
        if not isinstance(kind, str) or not isinstance(inside, str):
            raise ArtifactError(f"{file}: damaged: a module without type or path; {_HINT}")
        if not kind.startswith("sentence_transformers."):
            raise ArtifactError(
                f"{file}: its module {kind} is code that came with the model, and such code is never run: "
                "give a model made of sentence-transformers' own modules"
            )
        parts = PurePosixPath(inside).parts
        if ".." in parts or PurePosixPath(inside).is_absolute() or "\\" in inside:
            raise ArtifactError(f"{file}: its module {kind} lies outside of the folder ({inside}); {_HINT}")
        modules.append(ModelModule(kind.rpartition(".")[2], path.joinpath(*parts)))
    return tuple(modules)


def check_transformer(folder: Path) -> None:
    """Raises ArtifactError, which names the file, if a folder lacks what a transformer is loaded from."""
    read_json(folder / "config.json")
    if (folder / "adapter_config.json").is_file():
        raise ArtifactError(
            f"{folder}: holds an adapter without the model it adapts (adapter_config.json): merge them with "
            "`model.merge_and_unload()` of peft and save the result"
        )
    if (folder / SHARDS).is_file():
        parts = read_json(folder / SHARDS).get("weight_map")
        if not isinstance(parts, dict):
            raise ArtifactError(f"{folder / SHARDS}: damaged: no weight_map; {_HINT}")
        for part in sorted(set(map(str, parts.values()))):
            if not (folder / part).is_file():
                raise ArtifactError(f"{folder}: file {part} is missing; {_HINT}")
    elif not (folder / WEIGHTS).is_file():
        _refuse_pickled(folder)
        raise ArtifactError(f"{folder}: file {WEIGHTS} is missing, so there are no weights; {_HINT}")
    if not any(any(folder.glob(pattern)) for pattern in _TOKENIZERS):
        raise ArtifactError(
            f"{folder}: file tokenizer.json (or vocab.txt) is missing, so there is no tokenizer; {_HINT}"
        )


def _check_module(module: ModelModule) -> None:
    if not module.folder.is_dir():
        raise ArtifactError(f"{module.folder}: folder of the module {module.kind} is missing; {_HINT}")
    if module.kind in ("Pooling", "Dense"):
        read_json(module.folder / "config.json")
    if not (module.folder / WEIGHTS).is_file():
        _refuse_pickled(module.folder)


def _refuse_pickled(folder: Path) -> None:
    for name in _PICKLED:
        if (folder / name).is_file():
            raise ArtifactError(
                f"{folder}: has its weights in {name} only, a form that can run code when it is opened, and is never "
                f"opened here: convert it to {WEIGHTS} where you trust it, with "
                "`AutoModel.from_pretrained(folder).save_pretrained(folder)` of transformers"
            )


def _pooling(file: Path) -> str:
    facts = read_json(file)
    modes = facts.get("pooling_mode")
    if modes is None:
        modes = [name for key, name in _LEGACY.items() if facts.get(key)]
    elif isinstance(modes, str):
        modes = [modes]
    return str(modes[0]) if len(modes) == 1 else ""
