"""The stretches of running words that are names."""

from __future__ import annotations

import numpy as np

from built import SMALL, index_fixture
from ontonym.index import Index
from ontonym.index.windows import LONGEST, Windows
from ontonym.text.normalization import tokens

TABLE = """id\tpreferred\tsynonyms
M:1\tNeoplasm\tCancer
M:2\tBreast cancer\tCancer of breast|Cancer, familial breast
M:3\tDiabetes mellitus, type 2\t
M:4\tAsthma\t
M:5\tShared name\t
M:6\tShared name\t
"""

index = index_fixture({"made.tsv": TABLE}, SMALL)


def test_windows_agree_with_asking_for_every_window(index: Index) -> None:
    names = index.signals.names
    text = "familial breast cancer of breast cancer diabetes mellitus type 2 asthma unknown shared name"
    words = tokens(text)
    everywhere = np.ones(len(words), dtype=np.bool_)
    limits = np.full(len(words), len(words))
    found = Windows(names).find(words, everywhere, everywhere, limits)
    windows = {(one.start, one.end): set(one.rows) for one in found}
    one_by_one = {
        (start, end): set(names.spelled(words[start:end]).tolist())
        for start in range(len(words))
        for end in range(start + 1, min(len(words), start + LONGEST) + 1)
        if len(names.spelled(words[start:end]))
    }
    assert windows == one_by_one
    assert (0, 3) in windows
