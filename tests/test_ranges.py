"""Numbers among options: those that make no sense are refused where options are made, by name."""

from __future__ import annotations

import ast
import importlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import InputError
from ontonym.ranges import MOST_SEED, check_range

SOURCE = Path(__file__).parent.parent / "src"
ELSEWHERE = ("TrainOptions", "Experiment", "Scan")
"""Options whose seed is checked with those of others (`check_numbers`), or that no user gives."""


def seeded() -> Iterator[tuple[str, str]]:
    """Module and name of every class of options that has a seed."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name not in ELSEWHERE:
                fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and one.value]
                if any(isinstance(one.target, ast.Name) and one.target.id == "seed" for one in fields):
                    yield ".".join(path.relative_to(SOURCE).with_suffix("").parts), node.name


@pytest.mark.parametrize(("module", "name"), [*seeded()], ids=lambda one: one.rpartition(".")[2])
@pytest.mark.parametrize("seed", [-1, 2**70])
def test_no_options_take_a_seed_that_nothing_can_be_drawn_by(module: str, name: str, seed: int) -> None:
    kind = getattr(importlib.import_module(module), name)
    drawn = {"CategoryOptions": {"most": 1}, "SimilarityOptions": {"most": 1}, "StrategyOptions": {"ties": "random"}}
    more: dict[str, Any] = drawn.get(name, {})  # without it nothing is drawn
    assert kind(seed=MOST_SEED, **more).seed == MOST_SEED
    with pytest.raises(InputError, match=rf"`seed=` must be between 0 and 4294967295, not {seed}"):
        kind(seed=seed, **more)


@pytest.mark.parametrize(
    ("value", "least", "most", "said"),
    [
        (0, 1, math.inf, "`depth=` must be at least 1, not 0"),
        (1.5, 0, 1, "`depth=` must be between 0 and 1, not 1.5"),
        (math.nan, 0, math.inf, "`depth=` must be at least 0, not nan"),
        (math.inf, 0, math.inf, "`depth=` must be at least 0, not inf"),
    ],
)
def test_a_number_outside_of_its_range_is_named(value: float, least: float, most: float, said: str) -> None:
    with pytest.raises(InputError, match=rf"^{said}$"):
        check_range("depth", value, least, most)


def test_the_ends_of_a_range_belong_to_it() -> None:
    for value in (1, 2):
        check_range("depth", value, 1, 2)
