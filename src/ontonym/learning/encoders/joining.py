"""Joins encoders that were trained, with what is known of their trainings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ontonym.encoder.joined import join_encoders
from ontonym.learning.unseen import unseen_digest
from ontonym.manifest import Manifest


def join_trained(places: Sequence[str], output: Path | str, shares: Sequence[float] | None) -> Manifest:
    """Writes encoders as one, each with its share of the similarity, or equal ones; its manifest.

    Names that none of the trainings saw are still known to be unseen. Raises what `join_encoders` raises.
    """
    unseen = {unseen_digest(place) for place in places}
    content = {"joined": list(places), "unseen": unseen.pop() if len(unseen) == 1 else ""}
    return join_encoders(places, shares or [1.0] * len(places), output, content)
