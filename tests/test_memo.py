"""What was computed is computed once, and dropped when there is too much of it."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import weakref
import zlib

import pytest

from ontonym.memo import Memo, MemoOfMany, PackedValues, kept_for_owner


def test_values_are_computed_once_and_dropped_when_too_many() -> None:
    asked: list[str] = []

    def found(word: str) -> str | None:
        asked.append(word)
        return None if word == "none" else word.upper()

    known = Memo(found, most=2)
    assert [known[word] for word in ("none", "a", "none", "a")] == [None, "A", None, "A"]
    assert asked == ["none", "a"]
    assert known["b"] == "B"
    assert dict(known) == {"b": "B"}
    assert known["a"] == "A"
    assert asked == ["none", "a", "b", "a"]


def test_what_is_missing_of_several_is_computed_together_and_all_is_dropped_when_too_much() -> None:
    asked: list[list[str]] = []

    def found(words: list[str]) -> list[int]:
        asked.append(words)
        return [*map(len, words)]

    known = MemoOfMany(found, most=3)
    assert known.of(["a", "bb", "a"]) == [1, 2, 1]
    assert known.of(["bb", "ccc"]) == [2, 3]
    assert known.of([]) == []
    assert asked == [["a", "bb"], ["ccc"]]
    assert known.of(["dddd", "a"]) == [4, 1]  # a fourth value drops all, so that "a" is computed again
    assert asked[2:] == [["dddd", "a"]]


def test_values_are_given_that_another_thread_drops_meanwhile() -> None:
    def found(words: list[str]) -> list[int]:
        if words == ["bb"]:
            known.of(["1", "2", "3"])
        return [*map(len, words)]

    known = MemoOfMany(found, most=3)
    assert known.of(["a"]) == [1]
    assert known.of(["a", "bb"]) == [1, 2]


class _Owner:
    pass


def test_values_of_an_owner_are_kept_and_hold_it_not_open() -> None:
    asked: list[str] = []

    @kept_for_owner(2)
    def length(owner: _Owner, key: str) -> int:
        asked.append(key)
        return len(key)

    one, other = _Owner(), _Owner()
    assert [length(one, "fever"), length(one, "fever"), length(other, "fever")] == [5, 5, 5]
    assert asked == ["fever", "fever"]
    left = weakref.ref(one)
    del one
    gc.collect()
    assert left() is None


def test_packed_values_come_back_as_they_were_and_those_used_last_stay() -> None:
    size = len(zlib.compress(pickle.dumps("0" * 900, pickle.HIGHEST_PROTOCOL), 1))
    kept: PackedValues[int, str] = PackedValues(most=3 * size)
    for key in range(3):
        kept.keep(key, f"{key}" * 900)
    assert kept.get(0) == "0" * 900
    kept.keep(3, "3" * 900)
    assert [key in kept for key in range(4)] == [True, False, True, True]
    assert kept.get(1) is None
    assert kept.get(3) == "3" * 900


@pytest.mark.parametrize(("loaded", "is_left"), [("json", "True"), ("duckdb", "False")])
def test_a_process_of_our_own_ends_without_looking_through_all_its_objects(loaded: str, is_left: str) -> None:
    ends = "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 0))"
    ours = f"from ontonym.memo import collect_seldom; {ends}; sys.modules[{loaded!r}] = sys; collect_seldom()"
    done = subprocess.run([sys.executable, "-c", ours], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.strip() == is_left
