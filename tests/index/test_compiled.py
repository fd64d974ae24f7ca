"""The compiled loops of search: what they find is to the bit what numpy finds, and when they are used."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ontonym.index import AddedTerm, Index, add_terms, compiled
from ontonym.index.compiled import _ENOUGH, _Switch
from ontonym.index.evidence import Evidence
from ontonym.index.inverted import Zeros
from ontonym.index.protocol import Nearest
from ontonym.index.scan import Scan
from ontonym.replacing import lock

pytest.importorskip("numba")

Words = Callable[[int, int], list[str]]


def found_both_ways(ask: Callable[[], Any]) -> tuple[Any, Any]:
    """What numpy finds, and what the loops find."""
    with compiled.used(False):
        plain = ask()
    with compiled.used(True):
        return plain, ask()


@pytest.fixture
def index(workshop: Any, words: Words) -> Index:
    stanzas = [f"id: A:{number}\nname: {name}" for number, name in enumerate(dict.fromkeys(words(3000, 5)))]
    made = workshop.index(workshop.terminology("made", *stanzas))
    add_terms(made.path, [AddedTerm(f"A:{number}", name) for number, name in enumerate(words(40, 6))])
    return made.refreshed()


@pytest.mark.slow
def test_the_loops_find_what_numpy_finds(index: Index, words: Words) -> None:
    queries = [index.signals.query(text) for text in [*words(300, 7), "", "xyzzy"]]
    some = np.arange(len(index.signals.names.bounds) - 1) % 3 > 0
    for scan in (Scan(), Scan(k=3), Scan(allowed=some), Scan(hidden=np.arange(50)), Scan(source="OD")):
        plain, fast = found_both_ways(lambda scan=scan: index.signals.evidences(queries, scan))
        for one, other in zip(plain, fast, strict=True):
            for field in fields(Evidence):
                assert getattr(one, field.name).tobytes() == getattr(other, field.name).tobytes()


@pytest.mark.slow
def test_thousands_of_lists_are_the_same(index: Index, words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    """With bounds so low that words come in several rounds, names in several blocks, and n-grams are left out."""
    monkeypatch.setattr("ontonym.index.lexical._AT_ONCE", 60)
    monkeypatch.setattr("ontonym.index.char._MOST_NAMES", 300)
    part = index.signals.parts("O")[0][1]
    monkeypatch.setattr(part.lexical, "_blocks", Zeros(100, np.float64))
    rng, texts = np.random.default_rng(11), [text.split() * 2 for text in words(2000, 12)]
    for start in range(0, len(texts), 20):
        asked, k = texts[start : start + 20], int(rng.integers(1, 60))
        wanted = rng.random(len(part.names)) < 0.9 if start % 3 else None
        leasts = rng.uniform(0, 12, len(asked)).tolist() if start % 2 else None

        def ask(asked=asked, k=k, wanted=wanted, leasts=leasts) -> list[Any]:
            shares = part.char.queries(asked)
            near = [one / 20 for one in leasts] if leasts else None
            lists = part.lexical.nearest_to_each(asked, k, wanted, leasts)
            return [shares, *map(ordered, [*lists, *part.char.nearest_to_each(shares, k, wanted, near)])]

        plain, fast = found_both_ways(ask)
        for one, other in zip(plain, fast, strict=True):
            assert one.tobytes() == other.tobytes()


def ordered(near: Nearest) -> np.ndarray:
    """A list by row: no order is promised."""
    order = near.rows.argsort()
    return np.stack([near.rows[order], near.similarities[order]])


@pytest.mark.slow
def test_sums_are_those_of_numpy() -> None:
    with compiled.used(True):
        from ontonym.index.loops.sums import MOST, paired
    values = np.random.default_rng(2).random(MOST + 1) * np.logspace(-9, 9, MOST + 1)
    for count in range(MOST + 1):
        assert values[0] + paired(values, 1, count) == np.add.reduceat(values[: count + 1], [0])[0]


@pytest.mark.slow
def test_postings_that_do_not_ascend_are_found_out(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    lexical = index.signals.parts("O")[0][1].lexical
    held = lexical._postings
    for rows in (held.rows + np.uint32(len(held.most)), held.rows[::-1].copy()):
        monkeypatch.setattr(lexical, "_postings", replace(held, rows=rows))
        monkeypatch.setattr(lexical, "_blocks", Zeros(16, np.float64))
        word = index.signals.names.words_of(0)
        with compiled.used(True), pytest.raises(ValueError, match="do not ascend"):
            lexical.nearest(word, 10)


@pytest.mark.slow
def test_the_loops_are_used_after_many_queries(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    switch = _Switch()
    switch.asked(_ENOUGH - 1)
    assert not switch.is_on
    with lock(cache / "loops"):  # as if another process compiled them
        switch.asked(1)
    assert not switch.is_on and switch.left == _ENOUGH
    switch.asked(_ENOUGH)
    assert switch.is_on
    monkeypatch.setattr("ontonym.index.compiled.import_loops", lambda: False)
    switch = _Switch()
    switch.asked(_ENOUGH)
    switch.asked(_ENOUGH)
    assert not switch.is_on


@pytest.mark.slow
def test_one_search_imports_no_compiler(index: Index) -> None:
    code = (
        "import sys; from ontonym.index import compiled, open_index; from ontonym.tasks import search\n"
        f"search(open_index({str(index.path)!r}), 'carx diroxx'); assert not compiled.is_on(); "
        "assert 'numba' not in sys.modules; compiled.expected(); assert compiled.is_on()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_compiler_where_it_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba import config

    monkeypatch.setattr(config, "DISABLE_JIT", True)
    assert not compiled.import_loops()
    with pytest.raises(ImportError), compiled.used(True):
        pass
