"""Regular expressions of XML Schema, as filters of value sets have them, matched in time proportional to the text.

A pattern comes from a file that anybody may have written, so it is no Python expression, whose time may explode: it is
built as an automaton, of which all states that a text can be in are followed at once.
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
_SET_IN_SET = re.compile(r"(?<!\\)(?:-\[|\[:)")
"""XML Schema's ``[a-z-[aeiou]]`` and POSIX's ``[[:alpha:]]``, which Python would read as something else."""
_REPEAT = re.compile(r"\{([0-9]{1,9})(?:(,)([0-9]{0,9}))?\}")
_ANCHORS = ("^", "$")

Matcher = Callable[[str], bool]
"""Whether a character is what a piece of a pattern stands for."""

Build = Callable[[int], int]
"""Makes the states of a part of a pattern: it takes the state that follows the part, and gives the part's first."""


class BadPattern(Exception):
    """A pattern that cannot be read; the text says why."""


@dataclass(slots=True)
class _State:
    """A state of the automaton: ``step`` leads to the next on a character, ``free`` to others without one."""

    step: Matcher | None = None
    next: int = -1
    free: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Automaton:
    """States by number. They are made from the end of a pattern, so that what follows a state is there before it."""

    states: list[_State] = field(default_factory=list)

    def add(self, state: _State) -> int:
        """The number of a new state."""
        if len(self.states) >= MAX_STATES:
            raise BadPattern("the pattern is too large")
        self.states.append(state)
        return len(self.states) - 1

    def repeated(self, item: Build, low: int, high: int, after: int) -> int:
        """The first state of an item that comes ``low`` to ``high`` times (-1: any number from ``low``)."""
        if high < 0:
            loop = self.add(_State())
            self.states[loop].free = [item(loop), after]
            first = loop
        else:
            first = after
            for _ in range(high - low):
                first = self.add(_State(free=[item(first), after]))
        for _ in range(low):
            first = item(first)
        return first

    def reached_freely(self, places: set[int]) -> set[int]:
        """Some states, and those that they lead to without a character."""
        waiting = list(places)
        while waiting:
            for other in self.states[waiting.pop()].free:
                if other not in places:
                    places.add(other)
                    waiting.append(other)
        return places


class Pattern:
    """A compiled pattern; raises ``BadPattern``."""

    def __init__(self, text: str) -> None:
        self._automaton = _Automaton()
        try:
            build = _Reader(text, self._automaton).whole()
            self._end = self._automaton.add(_State())
            self._start = build(self._end)
        except RecursionError:
            raise BadPattern("brackets are nested too deep") from None

    def matches(self, text: str) -> bool:
        """Whether the whole text matches, in time proportional to its length times the pattern's."""
        automaton = self._automaton
        current = automaton.reached_freely({self._start})
        for character in text:
            states = (automaton.states[place] for place in current)
            stepped = {state.next for state in states if state.step is not None and state.step(character)}
            if not stepped:
                return False
            current = automaton.reached_freely(stepped)
        return self._end in current


class _Reader:
    """Reads a pattern by recursive descent: each method reads one part, and gives what builds its states."""

    def __init__(self, text: str, automaton: _Automaton) -> None:
        self._automaton = automaton
        self._pieces = [match[0] for match in _ATOM.finditer(text)]
        self._place = 0
        if self._pieces[:1] == ["^"]:
            self._pieces.pop(0)
        if self._pieces[-1:] == ["$"]:
            self._pieces.pop()

    def whole(self) -> Build:
        """The whole pattern."""
        build = self._choice()
        if self._place < len(self._pieces):
            raise BadPattern("a closing bracket too many")
        return build

    def _choice(self) -> Build:
        branches = [self._sequence()]
        while self._peek() == "|":
            self._place += 1
            branches.append(self._sequence())
        return lambda after: self._automaton.add(_State(free=[branch(after) for branch in branches]))

    def _sequence(self) -> Build:
        parts: list[Build] = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom()))

        def build(after: int) -> int:
            for part in reversed(parts):
                after = part(after)
            return after

        return build

    def _atom(self) -> Build:
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
        step = _matcher(piece)
        return lambda after: self._automaton.add(_State(step, after))

    def _repeated(self, item: Build) -> Build:
        piece = self._peek()
        if not piece or piece not in "*+?{":
            return item
        self._place += 1
        low, high = self._count() if piece == "{" else {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[piece]
        return self._repeated(lambda after: self._automaton.repeated(item, low, high, after))

    def _count(self) -> tuple[int, int]:
        """The least and the most repetitions, -1 for any number; the brace before them is read already."""
        match = _REPEAT.match("{" + "".join(self._pieces[self._place :]))
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


def _matcher(piece: str) -> Matcher:
    """What a single piece matches; sets and escapes are left to Python's own classes."""
    if len(piece) == 1 and piece != ".":
        return piece.__eq__
    if piece.startswith(("\\p", "\\P")):
        raise BadPattern(f"{piece} (Unicode categories) is not supported")
    if len(piece) == 2 and piece[0] == "\\" and piece[1].isalnum() and piece[1] not in "dDwWsSnrt":
        raise BadPattern(f"{piece} is not part of XML Schema's regular expressions")
    if piece.startswith("[") and _SET_IN_SET.search(piece, 1):
        raise BadPattern(f"{piece} (a set within a set) is not supported")
    try:
        compiled = re.compile(piece)
    except re.error as error:
        raise BadPattern(f"{piece}: {error}") from None
    return lambda character: compiled.fullmatch(character) is not None
