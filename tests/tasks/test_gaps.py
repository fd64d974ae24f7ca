"""What stands between the words of a proposed mention."""

from __future__ import annotations

from time import process_time

import pytest

from ontonym.tasks.annotation.gaps import Gaps


@pytest.mark.parametrize("gap", [" and broad ", "  and   broad\n", " liver  and ", " of the long liver and "])
def test_another_member_of_an_enumeration_joins_a_name(gap: str) -> None:
    assert Gaps(0).and_then(gap, ["broad"], "short").joined


@pytest.mark.parametrize("filling", [" ", "- ", "-\n"])
def test_a_wide_gap_takes_no_time(filling: str) -> None:
    began = process_time()
    assert not Gaps(0).and_then(filling * 20_000, ["broad"], "short").joined
    assert process_time() - began < 1  # by the cube of its length it took hours
