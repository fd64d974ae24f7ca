"""What names say of queries, and the evidence on candidates: by compiled loops to the bit what numpy finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ontonym.index import AddedTerm, add_terms, compiled
from ontonym.index.evidence import FEATURES
from ontonym.index.fuse import undominated
from ontonym.index.scan import Scan

pytest.importorskip("numba")


def found_both_ways(ask: Callable[[], Any]) -> tuple[Any, Any]:
    """What numpy finds, and what the loops find."""
    with compiled.used(False):
        plain = ask()
    with compiled.used(True):
        return plain, ask()


def test_sums_are_those_of_numpy() -> None:
    from ontonym.index.loops.evidence import summed

    rng = np.random.default_rng(4)
    for dtype in (np.float32, np.float64):
        sizes = np.arange(1, 130)
        values = (rng.random(sizes.sum()) * 10.0 ** rng.integers(-4, 4, sizes.sum())).astype(dtype)
        stops = sizes.cumsum()
        starts = stops - sizes
        found = [summed(values, start, stop) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        assert np.array(found, dtype=dtype).tobytes() == np.add.reduceat(values, starts).tobytes()


def test_denials_numbers_and_long_names_are_read_as_by_numpy(workshop: Any) -> None:
    long = " ".join(f"left{letter}{other} severe" for letter in "abcdefgh" for other in "abcdefgh")
    names = [
        "pain without fever", "fever without pain", "fever", "no evidence of fever", "pain, unspecified", "other pain",
        "type 2 fever", "type 3 fever", "hepatitis B", "hepatitis C", "left pain", "right pain", "severe left fever",
        "mild fever", "chronic severe pain on the left with fever and cough and chills and a rash of the arm", long,
        f"{long} {long} {long}",
    ]  # fmt: skip
    stanzas = [f'id: A:{row}\nname: {name}\nsynonym: "{name} x" BROAD []' for row, name in enumerate(names)]
    index = workshop.index(workshop.terminology("said", *stanzas))
    add_terms(
        index.path, [AddedTerm("A:2", "febrile without pain"), AddedTerm("A:2", "fever"), AddedTerm("A:0", "pyrexia")]
    )
    index = index.refreshed()
    texts = [*names, "no fever", "pain but no fever", "fever 2", "hepatitis 4", "right severe fever", "ab", "pyrexia"]
    queries = [index.signals.query(text) for text in texts]
    for some in (queries, *([one] for one in queries)):
        plain, fast = found_both_ways(lambda some=some: index.signals.evidences(some, Scan("OD")))
        assert [one.features.tobytes() for one in plain] == [one.features.tobytes() for one in fast]
        assert [one.best.tolist() for one in plain] == [one.best.tolist() for one in fast]


def test_candidates_that_dominate_others_are_raised_as_by_numpy() -> None:
    rng = np.random.default_rng(5)
    for count in (0, 1, 5, 60):
        features = rng.integers(0, 3, (count, len(FEATURES))).astype(np.float32) / 2
        scores = rng.normal(size=count)
        plain, fast = found_both_ways(lambda given=(scores, features): undominated(*given))
        assert plain.tobytes() == fast.tobytes()
        assert count < 60 or (plain != scores).any()
