"""The checkpoint from which the training of a reranker is resumed: one safetensors file, replaced in one rename.

The file has the weights, the optimizer's moments, the best weights so far, and in its header the rest as JSON, with a
digest of the options and data of the training.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ontonym.errors import ArtifactError, MismatchError

History = list[dict[str, float]]

_MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass(slots=True)
class RerankProgress:
    """Where a training stands; ``best`` is the highest dev figure so far, reached at ``best_step``.

    ``worse`` counts the times that dev was judged since. ``summed`` is the loss of the ``counted`` steps since the last
    row of the ``history``. ``done`` says that no step is left.
    """

    step: int = 0
    best: list[float] = field(default_factory=list)
    best_step: int = 0
    worse: int = 0
    summed: float = 0.0
    counted: int = 0
    done: bool = False
    history: History = field(default_factory=list)


def save_state(
    file: Path, digest: str, progress: RerankProgress, model: Any, optimizer: Any, best: dict[str, Any]
) -> None:
    """Writes the checkpoint; ArtifactError where there is no room or no right to."""
    from safetensors.torch import save_file

    names = {parameter: name for name, parameter in model.named_parameters()}
    tensors = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    tensors |= {f"best.{name}": tensor for name, tensor in best.items()}
    for parameter, state in optimizer.state.items():
        for moment in (*_MOMENTS, "step"):
            tensors[f"{moment}.{names[parameter]}"] = state[moment]
    tensors = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    staged = file.with_name(f".{file.name}.{os.getpid()}.writing")
    header = {"training": digest, "progress": json.dumps(asdict(progress))}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _sweep(file)
        save_file(tensors, staged, metadata=header)
        with staged.open("rb") as written:
            os.fsync(written.fileno())
        staged.replace(file)
    except Exception as error:  # safetensors has an error of its own for a full disk
        staged.unlink(missing_ok=True)
        raise ArtifactError(f"{file}: the checkpoint cannot be written: {error}; make room, then `resume=`") from error


def _sweep(file: Path) -> None:
    for left in file.parent.glob(f".{file.name}.*.writing"):
        left.unlink(missing_ok=True)


def load_state(file: Path, digest: str, model: Any, optimizer: Any) -> tuple[RerankProgress, dict[str, Any]]:
    """Puts a checkpoint into a model and its optimizer, and gives where it stood and the best weights so far.

    Raises ArtifactError where the file is damaged, MismatchError where it is of another training.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="pt") as opened:
            header = opened.metadata() or {}
            if header.get("training") != digest:
                raise MismatchError(
                    f"{file}: is of a training with other options, another base or other groups; give those again, or "
                    "leave `resume=` out to begin anew"
                )
            progress = RerankProgress(**json.loads(header["progress"]))
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 (no mapping)
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ArtifactError(f"{file}: the checkpoint is damaged: {error}; leave `resume=` out to begin anew") from error
    model.load_state_dict(_named(tensors, "model."))
    for name, parameter in model.named_parameters():
        if f"step.{name}" in tensors:
            state = {moment: tensors[f"{moment}.{name}"].to(parameter.device) for moment in _MOMENTS}
            optimizer.state[parameter] = {"step": tensors[f"step.{name}"], **state}
    return progress, _named(tensors, "best.")


def _named(tensors: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
