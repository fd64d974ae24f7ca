"""Damages artifacts in every way that disks and strangers do, and asks them: an answer or an error, never a crash."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from figures import Bench, Row, Sheet, main
from materials import work_folder
from ontonym.encoder import default_folder
from ontonym.index import AddedTerm, add_terms, build_index, open_index
from ontonym.index.calibration import WAYS, Calibration, Curve, write_calibration
from ontonym.manifest import MANIFEST
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology
from probing import ANSWERED, BROKEN, PATIENCE, TOLD, Ending, probe, warm

_MEMORY = 600 << 20
"""Bytes of memory that a command may take beside what the process has when it begins."""

_SIGNS = 120
_EDITED = "manifest edited"


@dataclass(frozen=True, slots=True)
class Case:
    """One damage and what a command said: ``how`` it was made, the ``outcome``, and the first line of the error."""

    how: str
    file: str
    command: str
    outcome: str
    said: str
    seen_by_verify: bool | None


def made(folder: Path) -> Path:
    """An index with added terms, a calibration and its own encoder, beside its terminology."""
    file = folder / "signs.obo"
    terms = [
        f'[Term]\nid: S:{i}\nname: sign {i} of the {i % 7} kind\ndef: "What is seen {i}." []\n'
        f'synonym: "mark {i}" EXACT []\nxref: X:{i}\n' + (f"is_a: S:{i // 3}\n" if i else "")
        for i in range(_SIGNS)
    ]
    file.write_text("format-version: 1.2\nontology: signs\n\n" + "\n".join(terms), encoding="utf-8")
    build_terminology(read_release([file]), folder / "a.terminology")
    shutil.copytree(default_folder(), folder / "a.encoder", ignore=shutil.ignore_patterns("__pycache__"))
    with ExitStack() as stack:
        opened = stack.enter_context(open_terminology(folder / "a.terminology"))
        build_index([opened], folder / "a.index", encoder=folder / "a.encoder")
    add_terms(folder / "a.index", [AddedTerm(f"S:{i}", f"wobbly walk {i}", who="me") for i in range(5)])
    line = Curve((0.0, 1.0), (0.1, 0.9))
    write_calibration(folder / "a.index", Calibration(dict.fromkeys(WAYS, line)))
    with open_index(folder / "a.index"):
        pass
    return folder


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("search", "a.index", "sign 7 of the kind", "--json"),
    ("search", "a.index", "wobly walk 3", "--explain", "--json"),
    ("search", "a.index", "mark 9", "--within", "S:1", "--json"),
    ("info", "a.index", "--json"),
    ("info", "a.terminology"),
    ("terms", "a.index", "--json"),
    ("normalize", "a.index", "mentions.txt", "--json"),
    ("annotate", "a.index", "mentions.txt"),
    ("export", "a.terminology", "-o", "out.jsonl", "--force"),
    ("diff", "a.terminology", "a.terminology", "--json"),
    ("match", "a.terminology", "a.index", "-o", "map.sssom.tsv", "--force"),
    ("update", "a.index", "a.terminology"),
    ("pairs", "a.terminology", "--recipe", "synonyms", "-o", "a.pairs", "--force"),
)
"""What damaged artifacts are asked; paths are inside the folder of `made`."""


_TIMED = ("update", "pairs", "match", "export")
"""Commands that say how long they took, so that no two answers are the same."""


def damages(rng: np.random.Generator, folder: Path, artifacts: Sequence[str]) -> Iterator[tuple[str, Path, bytes]]:
    """Damage after damage without end: how, which file, and its bytes afterwards."""
    files = [file for name in artifacts for file in sorted((folder / name).rglob("*")) if file.is_file()]
    small = [file for file in files if file.stat().st_size < 1 << 22]
    kinds: tuple[Callable[[np.random.Generator, bytearray], str], ...] = (
        _flip_header, _flip_header, _flip_anywhere, _flip_anywhere, _truncate, _blank, _grow, _ones, _zeros, _edges,
    )  # fmt: skip
    while True:
        if rng.random() < 0.35:
            file = folder / str(rng.choice(artifacts)) / MANIFEST
            data = bytearray(file.read_bytes())
            before = json.loads(data)
            how = _edit(rng, data) if rng.random() < 0.7 else _flip_anywhere(rng, data)
            if how == _EDITED and json.dumps(json.loads(data)) == json.dumps(before):
                continue  # written in another way, and nothing is damaged
        else:
            file = small[int(rng.integers(len(small)))]
            data = bytearray(file.read_bytes())
            how = kinds[int(rng.integers(len(kinds)))](rng, data)
        yield how, file, bytes(data)


def _place(rng: np.random.Generator, size: int) -> int:
    return int(rng.integers(max(size, 1)))


def _flip_header(rng: np.random.Generator, data: bytearray) -> str:
    if data:
        data[_place(rng, min(len(data), 128))] ^= 1 << int(rng.integers(8))
    return "bit of the header"


def _flip_anywhere(rng: np.random.Generator, data: bytearray) -> str:
    if data:
        data[_place(rng, len(data))] ^= 1 << int(rng.integers(8))
    return "bit"


def _truncate(rng: np.random.Generator, data: bytearray) -> str:
    del data[_place(rng, len(data)) :]
    return "truncated"


def _blank(rng: np.random.Generator, data: bytearray) -> str:
    data.clear()
    return "emptied"


def _grow(rng: np.random.Generator, data: bytearray) -> str:
    data += rng.bytes(int(rng.integers(1, 5000)))
    return "longer"


def _filled(rng: np.random.Generator, data: bytearray, byte: int, *, after: int) -> None:
    start = after + _place(rng, max(len(data) - after, 1))
    stop = min(start + 64, len(data))
    data[start:stop] = bytes([byte]) * max(stop - start, 0)


def _ones(rng: np.random.Generator, data: bytearray) -> str:
    _filled(rng, data, 0xFF, after=128)
    return "64 bytes of 0xFF"


def _zeros(rng: np.random.Generator, data: bytearray) -> str:
    _filled(rng, data, 0, after=128)
    return "64 bytes of zero"


def _edges(rng: np.random.Generator, data: bytearray) -> str:
    if len(data) >= 8:
        data[-8:] = int(rng.choice([2**31, 2**40, 2**62])).to_bytes(8, "little")
    return "last number huge"


_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**53,
    1e300,
    "",
    "x",
    "../../../etc/passwd",
    "/etc/passwd",
    [],
    {},
    [[]],
)


def _edit(rng: np.random.Generator, data: bytearray) -> str:
    """One value anywhere in the manifest is another, is gone, or has another key."""
    facts = json.loads(bytes(data))
    node: Any = facts
    key: Any = "kind"
    for _ in range(int(rng.integers(1, 6))):
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            break
        key = keys[int(rng.integers(len(keys)))]
        if not isinstance(node[key], (dict, list)) or rng.random() < 0.2:
            break
        node = node[key]
    action = int(rng.integers(4))
    with contextlib.suppress(KeyError, IndexError, TypeError):
        if node is facts and key == "checksum":  # without one, a manifest counts as made before there was one
            facts["checksum"] = "0" * 64
        elif action == 0:
            del node[key]
        elif action == 1 and isinstance(node, dict):
            node[f"{key}/../.."] = node.pop(key)
        else:
            node[key] = _VALUES[int(rng.integers(len(_VALUES)))]
    data[:] = json.dumps(facts, indent=2).encode()
    return _EDITED


def run_cases(folder: Path, count: int, seed: int, verified: float = 0.3) -> list[Case]:
    """Damages the artifacts of `made` ``count`` times, each time one file, and asks one command each time."""
    rng = np.random.default_rng(seed)
    (folder / "mentions.txt").write_text("sign 3 of the 3 kind\nmark 12\nwobbly walk 2\n", encoding="utf-8")
    warm()
    kept = folder / "kept"
    kept.mkdir()
    names = ("a.index", "a.terminology", "a.encoder")
    for name in names:
        shutil.copytree(folder / name, kept / name)
    whole = {command: _asked(folder, kept, names, command).printed for command in COMMANDS}
    cases: list[Case] = []
    for how, file, data in damages(rng, kept, names):
        if len(cases) == count:
            break
        command = COMMANDS[int(rng.integers(len(COMMANDS)))]
        inside = file.relative_to(kept)
        _restored(folder, kept, names)
        (folder / inside).unlink()
        (folder / inside).write_bytes(data)
        ending = probe(folder, command, memory=_MEMORY)
        outcome = ending.outcome
        if outcome == ANSWERED and command[0] not in _TIMED and ending.printed != whole[command]:
            outcome = "answered differently"
        seen: bool | None = None
        if data != file.read_bytes() and command[0] != "update" and rng.random() < verified:
            seen = _told(folder, inside.parts[0])
        cases.append(Case(how, inside.as_posix(), " ".join(command), outcome, ending.said[:300], seen))
    return cases


def _told(folder: Path, artifact: str) -> bool:
    return probe(folder, ("info", artifact, "--verify"), memory=_MEMORY).outcome == TOLD


def _restored(folder: Path, kept: Path, names: Sequence[str]) -> None:
    for name in names:
        shutil.rmtree(folder / name)
        shutil.copytree(kept / name, folder / name, copy_function=os.link)


def _asked(folder: Path, kept: Path, names: Sequence[str], command: Sequence[str]) -> Ending:
    _restored(folder, kept, names)
    return probe(folder, command, memory=_MEMORY)


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Tables by damage; False where there was an internal error, a hang, too much memory, or damage unseen."""
    with work_folder() as folder:
        cases = run_cases(made(folder), chosen.cases, chosen.seed)
    outcomes = ("told", "answered", "answered differently", *BROKEN)
    rows: list[Row] = []
    for how in sorted({case.how for case in cases}):
        counts = Counter(case.outcome for case in cases if case.how == how)
        unseen = sum(case.seen_by_verify is False for case in cases if case.how == how)
        rows.append(
            {
                "damage": how,
                "cases": counts.total(),
                **{name: counts[name] for name in outcomes},
                "unseen by --verify": unseen,
            }
        )
    bench.show(
        Sheet("damage", "Damaged artifacts asked by commands", (f"{PATIENCE} s and {_MEMORY >> 20} MiB each",), rows)
    )
    for command, count in Counter(case.command for case in cases if case.outcome == "answered differently").items():
        print(f"answered differently: {command}: {count}")
    broken = [case for case in cases if case.outcome in BROKEN or case.seen_by_verify is False]
    for case in broken[: chosen.shown]:
        print(case)
    return not broken


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cases", type=int, default=5_000, help="damages (default: 5,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the damages")
    parser.add_argument("--shown", type=int, default=20, help="broken cases to print")


if __name__ == "__main__":
    sys.exit(main("damage", str(__doc__), measure, _options))
