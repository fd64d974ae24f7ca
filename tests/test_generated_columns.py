"""The columns that generated releases are made of: random draws, ids, names, and their lines."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

from releases.draws import Draws
from releases.grammar import GrammarNames
from releases.kinds import KINDS
from releases.render import decimal, lines, text, uuids


def test_columns_become_lines_without_their_padding() -> None:
    cells = lines([decimal(np.array([0, 10, 345])), b"x", decimal(np.array([1, 2, 3]), 3)], between=b"|", end=b"\r\n")
    assert text(cells) == b"0|x|001\r\n10|x|002\r\n345|x|003\r\n"


def test_uuids_have_version_and_variant() -> None:
    made = [bytes(row).decode() for row in uuids(Draws(1), "here", np.arange(200))]
    assert len(set(made)) == 200
    assert {(len(one), one[14], one[19] in "89ab", one.count("-")) for one in made} == {(36, "8", True, 4)}


def test_draws_depend_on_seed_purpose_and_keys_alone() -> None:
    numbers = np.arange(50_000)
    draws = Draws(3)
    assert (draws.below("a", 10, numbers)[100:200] == draws.below("a", 10, numbers[100:200])).all()
    assert abs(draws.happens(0.25, "b", numbers).mean() - 0.25) < 0.01
    counts = np.bincount(draws.below("a", 10, numbers), minlength=10)
    assert counts.min() > 4700
    assert (draws.bits("a", numbers) != draws.bits("b", numbers)).all()
    assert (Draws(4).bits("a", numbers) != draws.bits("a", numbers)).all()


@pytest.mark.slow
def test_preferred_names_of_a_kind_are_all_different() -> None:
    namer, numbers = GrammarNames(Draws(1)), np.arange(30_000)
    none = 0 * numbers
    for kind in range(len(KINDS)):
        cells = namer.names(none + kind, numbers, none, none, none > 0)
        names = text(lines([cells], between=b"", end=b"\n")).decode().splitlines()
        assert len(set(names)) == len(numbers), KINDS[kind].tag
        assert not [name for name in names if name != " ".join(name.split())]


def test_british_names_differ_where_they_are_said_to() -> None:
    namer, numbers = GrammarNames(Draws(1)), np.arange(3000)
    none = 0 * numbers
    spelled = [
        text(lines([namer.names(none, numbers, none, none, none == british)], between=b"", end=b"\n"))
        .decode()
        .split("\n")
        for british in (1, 0)
    ]
    differ = [american != british for american, british in zip(*spelled, strict=True)][:-1]
    assert differ == namer.differs(none, numbers).tolist()
    assert 0 < sum(differ) < len(numbers)
    assert any("tumour" in name for name in spelled[1])
    assert not any("tumour" in name for name in spelled[0])
