"""Regular expressions of value set filters, matched in linear time: a filter from anywhere must not hang us.

The dialect is that of XML Schema, which FHIR names: ``| ( ) * + ? {n,m} . [ ] \\d \\w \\s`` and their negations, no
look-around and no back references. The whole text must match.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

MAX_STATES = 20_000
"""Patterns that need more states (``(a{1000}){1000}``) are refused."""

_ATOM = re.compile(
    r"\\(?:[pP]\{[^}]*\}|.)|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\(\?:|.",
    re.DOTALL,
)
_COUNT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_ANCHORS = ("^", "$")

Matcher = Callable[[str], bool]


class BadPattern(Exception):
    """A pattern that cannot be read; the text says why."""


@dataclass(slots=True)
class _State:
    """A state of the automaton: ``step`` leads to the next on a character, ``free`` to others without one."""

    step: Matcher | None = None
    next: int = -1
    free: list[int] = field(default_factory=list)


class Pattern:
    """A compiled pattern; raises ``BadPattern``."""

    def __init__(self, text: str) -> None:
        self._pieces = [match[0] for match in _ATOM.finditer(text)]
        self._place = 0
        self._states: list[_State] = []
        if self._pieces[:1] == ["^"]:
            self._pieces.pop(0)
        if self._pieces[-1:] == ["$"]:
            self._pieces.pop()
        try:
            tree = self._choice()
            if self._place < len(self._pieces):
                raise BadPattern("a closing bracket too many")
            self._end = self._state()
            self._start = self._build(tree, self._end)
        except RecursionError:
            raise BadPattern("brackets are nested too deep") from None

    def matches(self, text: str) -> bool:
        """Whether the whole text matches, in time proportional to its length times the pattern's."""
        current = self._closure({self._start})
        for character in text:
            stepped = {
                state.next
                for place in current
                if (state := self._states[place]).step is not None and state.step(character)
            }
            if not stepped:
                return False
            current = self._closure(stepped)
        return self._end in current

    # Reading: a tree of tuples -----------------------------------------------------------------------------------

    def _choice(self) -> tuple[object, ...]:
        branches = [self._sequence()]
        while self._peek() == "|":
            self._place += 1
            branches.append(self._sequence())
        return ("choice", *branches)

    def _sequence(self) -> tuple[object, ...]:
        items: list[tuple[object, ...]] = []
        while self._peek() not in ("", "|", ")"):
            items.append(self._repeated(self._atom()))
        return ("sequence", *items)

    def _atom(self) -> tuple[object, ...]:
        piece = self._pieces[self._place]
        self._place += 1
        if piece in ("(", "(?:"):
            if self._peek() == "?":
                raise BadPattern("look-around is not part of XML Schema's regular expressions")
            inner = self._choice()
            if self._peek() != ")":
                raise BadPattern("a bracket that is not closed")
            self._place += 1
            return inner
        if piece in "*+?{" or piece in _ANCHORS:
            raise BadPattern(f"{piece!r} stands where it repeats or anchors nothing")
        return ("one", _matcher(piece))

    def _repeated(self, item: tuple[object, ...]) -> tuple[object, ...]:
        while (piece := self._peek()) and piece in "*+?{":
            low, high = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}.get(piece, (0, 0))
            self._place += 1
            if piece == "{":
                low, high = self._count()
            item = ("repeat", item, low, high)
        return item

    def _count(self) -> tuple[int, int]:
        rest = "{" + "".join(self._pieces[self._place :])
        match = _COUNT.match(rest)
        if not match:
            raise BadPattern("'{' without a count")
        self._place += len(match[0]) - 1
        low = int(match[1])
        high = (int(match[3]) if match[3] else -1) if match[2] else low
        if 0 <= high < low or max(low, high) > MAX_STATES:
            raise BadPattern(f"the count {match[0]} cannot be")
        return low, high

    def _peek(self) -> str:
        return self._pieces[self._place] if self._place < len(self._pieces) else ""

    # Building: states that lead to ``after``, made from the end -------------------------------------------------

    def _state(self, step: Matcher | None = None, next: int = -1) -> int:
        if len(self._states) >= MAX_STATES:
            raise BadPattern("the pattern is too large")
        self._states.append(_State(step, next))
        return len(self._states) - 1

    def _build(self, tree: tuple[object, ...], after: int) -> int:
        kind, *parts = tree
        if kind == "one":
            return self._state(parts[0], after)  # type: ignore[arg-type]
        if kind == "sequence":
            for part in reversed(parts):
                after = self._build(part, after)  # type: ignore[arg-type]
            return after
        if kind == "choice":
            fork = self._state()
            self._states[fork].free = [self._build(part, after) for part in parts]  # type: ignore[arg-type]
            return fork
        item, low, high = parts
        return self._build_repeat(item, low, high, after)  # type: ignore[arg-type]

    def _build_repeat(self, item: tuple[object, ...], low: int, high: int, after: int) -> int:
        if high < 0:
            loop = self._state()
            self._states[loop].free = [self._build(item, loop), after]
            after = loop
        else:
            end = after
            for _ in range(high - low):
                fork = self._state()
                self._states[fork].free = [self._build(item, after), end]
                after = fork
        for _ in range(low):
            after = self._build(item, after)
        return after

    def _closure(self, places: set[int]) -> set[int]:
        waiting = list(places)
        while waiting:
            for other in self._states[waiting.pop()].free:
                if other not in places:
                    places.add(other)
                    waiting.append(other)
        return places


def _matcher(piece: str) -> Matcher:
    """What a single piece matches; sets and escapes are left to Python's own classes."""
    if len(piece) == 1 and piece != ".":
        return piece.__eq__
    if piece.startswith(("\\p", "\\P")):
        raise BadPattern(f"{piece} (Unicode categories) is not supported")
    if len(piece) == 2 and piece[0] == "\\" and piece[1].isalnum() and piece[1] not in "dDwWsSnrt":
        raise BadPattern(f"{piece} is not part of XML Schema's regular expressions")
    try:
        compiled = re.compile(piece)
    except re.error as error:
        raise BadPattern(f"{piece}: {error}") from None
    return lambda character: compiled.fullmatch(character) is not None
