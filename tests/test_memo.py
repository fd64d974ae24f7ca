"""What was computed is computed once, and dropped when there is too much of it."""

from __future__ import annotations

from ontonym.memo import Memo


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
