"""The folder of a training's checkpoints: which training they belong to, and which of them are complete."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import orjson

from ontonym.errors import InputError, MismatchError
from ontonym.jsonbytes import json_bytes

TRAINING = "training.json"
"""The file beside the checkpoints that describes their training."""

STATE, WEIGHTS = "trainer_state.json", "model.safetensors"
"""The files of a checkpoint that say how far it came, written last, and what it has learned."""

_OPTIONS = (
    "training.", "loss.", "shape.", "preset", "base", "beside", "share", "pooling", "pairs.recipe", "pairs.options.",
)  # fmt: skip
_SHOWN = 5
_NAME = re.compile(r"checkpoint-(\d+)")


def check_work(
    work: Path, described: Mapping[str, Any], *, resume: bool, free: Collection[str] = (), write: bool = True,
    elsewhere: str = "`work=`",
) -> bool:  # fmt: skip
    """Prepares the folder for checkpoints, and says whether to go on from those in it.

    With ``resume`` they must belong to the training that is ``described``. Without, checkpoints of this training are
    continued too, since the result is the same, and any others are discarded; a training in several processes starts
    over.

    ``free`` are the names in ``described`` whose values may change when a training is resumed; names of nested objects
    are joined by dots. ``write`` says whether this process writes, ``elsewhere`` which option names another folder.
    Raises MismatchError, which names what differs, InputError where the folder has checkpoints of another program or
    cannot be written.
    """
    wanted = dict(_flat(orjson.loads(orjson.dumps(described, default=list))))
    file = work / TRAINING
    known = _read(file)
    if known is None and _checkpoints(work):
        raise InputError(f"{work}: has checkpoints of another program, which stay; give {elsewhere} another place")
    names = [name for name in wanted.keys() | (known or {}).keys() if wanted.get(name) != (known or {}).get(name)]
    names = sorted({*names} - {*free}, key=lambda name: (not name.startswith(_OPTIONS), name))
    if resume and known is not None and names:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise MismatchError(
            f"{work}: its checkpoints are of another training (differing in {', '.join(names[:_SHOWN])}{more}); "
            "give the same options again, or leave `resume=` out to begin anew"
        )
    if not write:
        return resume
    try:
        work.mkdir(parents=True, exist_ok=True)
        file.write_bytes(json_bytes(wanted, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
    except OSError as error:
        raise InputError(
            f"{work}: checkpoints cannot be kept there: {error.strerror}; give {elsewhere} another place"
        ) from error
    return resume or (not names and os.environ.get("WORLD_SIZE", "1") == "1")


def _read(file: Path) -> dict[str, Any] | None:
    try:
        found = orjson.loads(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _flat(content: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested objects, each by the names that lead to it, with dots between."""
    for name, value in content.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def checkpoint(work: Path, step: int) -> Path:
    """The folder of the checkpoint after so many steps."""
    return work / f"checkpoint-{step}"


def _checkpoints(work: Path) -> list[Path]:
    """The checkpoints in a folder, the oldest first."""
    steps = {int(match[1]): place for place in work.glob("*") if (match := _NAME.fullmatch(place.name))}
    return [steps[step] for step in sorted(steps)]


def last_whole(work: Path) -> Path | None:
    """The newest checkpoint that is whole, None where there is none; those that are damaged are removed."""
    for place in reversed(_checkpoints(work)):
        if _is_whole(place):
            return place
        shutil.rmtree(place, ignore_errors=True)
    return None


def _is_whole(place: Path) -> bool:
    from safetensors import SafetensorError, safe_open

    try:
        json.loads((place / STATE).read_bytes())
        with safe_open(place / WEIGHTS, framework="np"):  # raises where the file is shorter than its header says
            return all(map(is_zipfile, place.glob("*.pt*")))
    except (OSError, ValueError, SafetensorError):
        return False


def rotate(work: Path, best: Path) -> None:
    """Keeps two checkpoints: the newest, and the best, or the one before where the newest is the best.

    Transformers would count every folder named ``checkpoint-…`` as one, those of other people too.
    """
    places = _checkpoints(work)
    older = [place for place in places[:-1] if place != best]
    for place in older[: max(len(places) - 2, 0)]:
        shutil.rmtree(place, ignore_errors=True)


def sweep(work: Path) -> None:
    """Removes what an earlier training left in its folder."""
    for place in _checkpoints(work):
        shutil.rmtree(place, ignore_errors=True)
    for file in work.glob("nearest-*"):
        file.unlink(missing_ok=True)


def remove(work: Path) -> None:
    """Removes what a training that is complete kept in its folder, and the folder where it is empty then."""
    sweep(work)
    (work / TRAINING).unlink(missing_ok=True)
    with suppress(OSError):  # whoever gave the folder may keep other files in it
        work.rmdir()
