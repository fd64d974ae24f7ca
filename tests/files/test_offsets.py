"""Offsets of a file and places in a document's text."""

from __future__ import annotations

from ontonym.documents.document import Document, Passage


def document(*passages: tuple[int, str]) -> Document:
    return Document("1", tuple(Passage(text, offset, {}) for offset, text in passages))


def test_offsets_and_places_in_the_text_are_converted_both_ways() -> None:
    one = document((10, "Heart"), (15, "attack"), (40, "Fits"))
    assert one.text == "Heart\nattack\nFits"
    assert one.offsets([0, 5, 6, 11, 13, 17]) == [10, 15, 15, 20, 40, 44]
    assert one.positions([10, 14, 15, 16, 21, 22]) == [0, 4, 5, 7, 12, None]
    assert one.positions([39, 40, 44, 45, 9]) == [None, 13, 17, None, None]


def test_passages_in_another_order_than_their_offsets_are_converted_too() -> None:
    one = document((40, "Fits"), (10, "Heart"), (12, "attack"))
    assert one.offsets([0, 5, 10, 11, 12]) == [40, 10, 15, 12, 13]
    assert one.positions([41, 12, 18, 30]) == [1, 7, 17, None]


def test_without_passages_both_are_the_same() -> None:
    assert document().offsets([3, 0]) == [3, 0]
    assert document().positions([3, 0]) == [3, 0]
