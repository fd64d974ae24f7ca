"""What was computed is computed once, and dropped when there is too much of it."""

from __future__ import annotations

import gc
import weakref

from ontonym.memo import Memo, kept_for_owner


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
