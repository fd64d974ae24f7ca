"""How old the results are that docs/figures.md quotes: ``python docs/tables.py`` writes the table there.

A result is older than something that ships with ontonym, which it may depend on, where that was changed after the
measuring began. Beside this, every change of the code may move a figure; how many there were since, ``python
docs/ages.py`` prints.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"

SHIPPED: Mapping[str, str] = MappingProxyType(
    {
        "the static encoder": "src/ontonym/encoder/default",
        "the weights of search": "src/ontonym/index/fusion.json",
        "everyday words": "src/ontonym/text/everyday.tsv",
        "the weights of `align`": "src/ontonym/tasks/align/weighing.json",
        "the weights of `match`": "src/ontonym/tasks/match/weights.json",
    }
)
"""What ships with ontonym and was learned or collected, with its place."""

CODE = ("text", "store", "encoder", "index", "tasks", "learning", "evaluate")
"""The rooms whose code answers, or judges answers."""

_NAMED = re.compile(r"<!-- results: (?!none)(.+?) -->")


def main() -> int:
    """Prints how many commits have changed code since each result."""
    for place in sorted(RESULTS.glob("*.json")):
        print(f"{place.stem}\t{_commits_since(_began(place))}")
    return 0


def table(text: str) -> str:
    """The table of all results that a page names."""
    changed = {name: changed_at(path) for name, path in SHIPPED.items()}
    lines = ["| results | measured | by commit | older than |\n|---|---|---|---|\n"]
    lines += [f"| {' | '.join(row)} |\n" for row in rows(named(text), changed)]
    return "".join(lines)


def rows(names: Sequence[str], changed: Mapping[str, datetime]) -> Iterator[tuple[str, str, str, str]]:
    """The cells of each result's row, the oldest first."""
    places = {name: RESULTS / f"{name}.json" for name in names}
    for name in sorted(names, key=lambda name: _began(places[name])):
        shape = json.loads(places[name].read_text(encoding="utf-8"))
        began = _began(places[name])
        older = ", ".join(what for what, when in changed.items() if began < when)
        yield f"`{name}`", f"{began:%Y-%m-%d %H:%M}", f"`{shape['machine']['packages']['ontonym']}`", older


def named(text: str) -> list[str]:
    """The results that a page names, each once."""
    return list(dict.fromkeys(name.strip() for found in _NAMED.findall(text) for name in found.split(",")))


def changed_at(path: str) -> datetime:
    """When a file or a folder was last changed: the time of its last commit, now where there are later changes.

    A file that only moved is as old as before.
    """
    if _git("status", "--porcelain", "--", path):
        return datetime.now(UTC)
    moved = () if (ROOT / path).is_dir() else ("--follow", "--diff-filter=AM")
    return datetime.fromisoformat(_git("log", "-1", "--no-merges", *moved, "--format=%cI", "--", path))


def _commits_since(began: datetime) -> int:
    rooms = [f"src/ontonym/{room}" for room in CODE]
    return int(_git("rev-list", "--count", "--no-merges", f"--since={began.isoformat()}", "HEAD", "--", *rooms))


def _began(place: Path) -> datetime:
    return datetime.fromisoformat(json.loads(place.read_text(encoding="utf-8"))["began"])


def _git(*arguments: str) -> str:
    asked = ["git", "-C", str(ROOT), *arguments]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)  # noqa: S603 (git, of places in this file)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
