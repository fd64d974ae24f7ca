"""A large CodeSystem as bytes with its concepts marked in them, so that only one of them is ever made into objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import orjson

from ontonym.arrays import Ints

LARGE = 16 << 20
"""Bytes from which a resource is cut into slices."""

_CHUNK = 8 << 20
_QUOTE, _SLASH, _OPEN_LIST, _CLOSE_LIST, _OPEN, _CLOSE = b'"\\[]{}'
_OF_INTEREST = np.zeros(256, dtype=np.bool_)
_OF_INTEREST[[_QUOTE, _OPEN_LIST, _CLOSE_LIST, _OPEN, _CLOSE]] = True
_STEP = np.zeros(256, dtype=np.int64)
_STEP[[_OPEN_LIST, _OPEN]] = 1
_STEP[[_CLOSE_LIST, _CLOSE]] = -1
_KEY = re.compile(rb'"concept"\s*:\s*$')


@dataclass(frozen=True, slots=True)
class Slices:
    """A resource without its list of concepts, and the concepts: ``text[starts[i]:ends[i]]`` is the JSON of one."""

    head: bytes = field(repr=False)
    text: bytes = field(repr=False)
    starts: Ints
    ends: Ints

    def __iter__(self) -> Iterator[Any]:
        """The concepts at the top, with those nested in them; a text that says so in place of what is not JSON."""
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            try:
                yield orjson.loads(self.text[start:end])
            except orjson.JSONDecodeError as error:
                yield f"not valid JSON ({error.msg})"


def cut(text: bytes) -> Slices | None:
    """The slices of a JSON object with one list ``concept`` of objects; None where it is not plainly that."""
    places, depths = _brackets(text)
    data = np.frombuffer(text, dtype=np.uint8)
    kinds = data[places]
    lists = places[(kinds == _OPEN_LIST) & (depths == 2)].tolist()
    found = [place for place in lists if _KEY.search(text[max(0, place - 64) : place])]
    closed = places[(kinds == _CLOSE_LIST) & (depths == 1)]
    if len(found) != 1 or not len(depths) or depths[-1] != 0:
        return None
    first = found[0]
    after = closed[closed > first]
    if not len(after):
        return None
    last = int(after[0])
    within = (places > first) & (places < last)
    starts = places[within & (kinds == _OPEN) & (depths == 3)]
    ends = places[within & (kinds == _CLOSE) & (depths == 2)] + 1
    if len(starts) != len(ends) or not len(starts) or not _only_commas(text, first, last, starts, ends):
        return None
    return Slices(text[: first + 1] + text[last:], text, starts, ends)


def _brackets(text: bytes) -> tuple[Ints, Ints]:
    """The places of the brackets outside of strings, and how deep the text is nested after each."""
    data = np.frombuffer(text, dtype=np.uint8)
    quotes_before, depth = 0, 0
    all_places: list[Ints] = []
    all_depths: list[Ints] = []
    for start in range(0, len(data), _CHUNK):
        places = np.flatnonzero(_OF_INTEREST[data[start : start + _CHUNK]]) + start
        kinds = data[places]
        quotes = places[kinds == _QUOTE]
        escaped = [place for place in quotes[data[quotes - 1] == _SLASH].tolist() if _odd_slashes(text, place)]
        quotes = quotes[~np.isin(quotes, escaped)] if escaped else quotes
        brackets = places[kinds != _QUOTE]
        outside = (np.searchsorted(quotes, brackets) + quotes_before) % 2 == 0
        brackets = brackets[outside]
        depths = depth + np.cumsum(_STEP[data[brackets]])
        quotes_before += len(quotes)
        depth = int(depths[-1]) if len(depths) else depth
        wanted = depths <= 3  # what lies deeper belongs to a concept
        all_places.append(brackets[wanted])
        all_depths.append(depths[wanted])
    return np.concatenate(all_places), np.concatenate(all_depths)


def _odd_slashes(text: bytes, place: int) -> bool:
    """Whether a quote is escaped: by an odd number of backslashes right before it."""
    first = place
    while first and text[first - 1] == _SLASH:
        first -= 1
    return (place - first) % 2 == 1


def _only_commas(text: bytes, first: int, last: int, starts: Ints, ends: Ints) -> bool:
    """Whether nothing but one comma stands between the elements of the list, and nothing before or after them."""
    if text[first + 1 : int(starts[0])].strip() or text[int(ends[-1]) : last].strip():
        return False
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return all(text[end:start].strip() == b"," for (_, end), (start, _) in pairwise(spans))
