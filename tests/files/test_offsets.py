"""Offsets of a file and places in a document's text."""

from __future__ import annotations

import io
import json
import time
from dataclasses import replace

import numpy as np

from ontonym.documents.bioc import BioCJsonWriter
from ontonym.documents.document import Document, Mark, Passage
from ontonym.types import Mention


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


def test_a_mention_that_starts_where_two_passages_meet_is_in_the_second() -> None:
    one = document((0, "No pain."), (8, "Fever today"))
    assert one.positions([3, 8, 14, 19], starts=True) == [3, 9, 15, 20]
    assert one.positions([8]) == [8]
    assert document((0, ""), (0, "Fever")).positions([0], starts=True) == [1]
    assert document((8, "Fever"), (0, "No pain.")).positions([0, 8], starts=True) == [6, 0]


def test_the_passage_that_holds_an_offset_is_the_first_in_any_order_and_overlap() -> None:
    numbers = np.random.default_rng(7)
    for _ in range(200):
        passages = [(int(at), "x" * int(size)) for at, size in numbers.integers(0, 9, (6, 2))]
        one, asked = document(*passages), numbers.integers(-1, 20, 8).tolist()
        for starts in (False, True):
            holding = [[n for n, (at, text) in enumerate(passages) if at <= o <= at + len(text)] for o in asked]
            going_on = [
                [n for n in some if starts and o < passages[n][0] + len(passages[n][1])]
                for o, some in zip(asked, holding, strict=True)
            ]
            firsts = [next(iter(one or other), None) for one, other in zip(going_on, holding, strict=True)]
            assert one.holding(asked, starts=starts) == firsts


def test_a_document_of_many_passages_is_written_in_time_that_grows_with_its_length() -> None:
    one = document(*((0, "mark") for _ in range(20_000)))
    marks = tuple(Mark(Mention("mark", str(n), "1", 0, 4), places=((0, 4),)) for n in range(20_000))
    begun = time.process_time()
    BioCJsonWriter(io.BytesIO()).write(replace(one, marks=marks))
    assert time.process_time() - begun < 2
    assert one.places([(0, 4)] * 20_000)[-1] == (0, 4)
    assert time.process_time() - begun < 3


def test_bioc_has_a_mention_in_the_passage_that_it_starts() -> None:
    one = document((0, "No pain."), (8, "Fever today"))
    marks = [Mark(Mention(text, f"1:{text}", "1", start, end)) for text, start, end in
             (("pain", 3, 7), ("Fever", 8, 13), ("", 19, 19), ("", 30, 30))]  # fmt: skip
    written = io.BytesIO()
    BioCJsonWriter(written).write(replace(one, marks=tuple(marks)))
    passages = json.loads(written.getvalue())["passages"]
    starts = [[mark["locations"][0]["offset"] for mark in passage["annotations"]] for passage in passages]
    assert starts == [[3, 30], [8, 19]]


def test_without_passages_both_are_the_same() -> None:
    assert document().offsets([3, 0]) == [3, 0]
    assert document().positions([3, 0]) == [3, 0]
