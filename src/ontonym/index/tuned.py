"""The search strategy that did best on an index's own dev set, kept in the index."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ontonym.index.amend import amended

TUNED = "tuned"
"""The strategy's name wherever one is asked for, and the part of the manifest's content that says which it is."""


def keep_strategy(path: Path | str, strategy: str, facts: Mapping[str, Any]) -> None:
    """Writes into the index at ``path`` which strategy ``tuned`` means, and the ``facts`` by which it was chosen.

    `Index.refreshed` gives an open index with it. Raises LockedError while another process writes the index.
    """
    with amended(Path(path)) as writer:
        writer.content[TUNED] = {"strategy": strategy, **facts}
