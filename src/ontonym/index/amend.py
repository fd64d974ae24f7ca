"""Changes to an existing index: it is replaced in one step by one that shares all unchanged files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from ontonym.artifact import ArtifactWriter, read_manifest, write_artifact

TUNED = "tuned"
"""The name of the strategy that did best on an index's own dev set, and of its entry in the manifest's content."""

PATIENCE = 5.0
"""Seconds that a change waits for those of other processes, which take less; a whole build takes longer."""

_TURN = RLock()


@contextmanager
def amended(path: Path, changes: Callable[[str], bool] = lambda _: False) -> Iterator[ArtifactWriter]:
    """A writer of the index at ``path`` that starts with its content and its files, except those that ``changes``
    selects.

    `Index.refreshed` gives an open index with the change. Threads and processes take turns. Raises ArtifactError if
    there is no index, LockedError while another process writes it for longer than `PATIENCE`.
    """
    read_manifest(path, "index")
    with _TURN, write_artifact(path, "index", patience=PATIENCE) as writer:
        manifest = read_manifest(path, "index")  # again, now that nobody else can replace it
        writer.keep(path, {name: entry for name, entry in manifest.files.items() if not changes(name)})
        writer.content |= manifest.content
        yield writer


def keep_strategy(path: Path | str, strategy: str, facts: Mapping[str, Any]) -> None:
    """Records in the index at ``path`` which strategy ``tuned`` stands for, and the ``facts`` by which it was chosen.

    `Index.refreshed` gives an open index with it. Raises LockedError while another process writes the index.
    """
    with amended(Path(path)) as writer:
        writer.content[TUNED] = {"strategy": strategy, **facts}
