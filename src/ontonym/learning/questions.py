"""Questions made from the names of an index: written differently, hidden, or with every right concept hidden.

The answers show how reliable confidences are where there is no annotated text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ontonym.errors import InputError
from ontonym.index.open import Index
from ontonym.learning.equivalents import Equivalents
from ontonym.learning.rewriting import in_another_order, with_another_word, without_a_letter
from ontonym.ranges import check_seed
from ontonym.text.normalization import tokens

QUESTION_KINDS = ("kept", "hidden", "gone", "unrelated")
"""A name that is in the index; one that is hidden, its concept's others are not; one of a concept all of whose names
are hidden, so that its siblings and others are left and wrong; words of several names that are none together.
"""

_TRIES = 50
"""The attempts to draw a question of one kind: not every name makes one."""


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """How many ``questions`` are drawn, and the shares of `QUESTION_KINDS` among them; ``kept`` is the rest.

    ``doubt`` is the share of questions that count as meant otherwise, so that nothing is right: in text even words that
    are a name of one concept are at times annotated with another. The shares are those with which curves learned from
    the names of MEDIC are truest on the train splits of the NCBI disease corpus and BC5CDR.
    """

    questions: int = 3_000
    hidden: float = 0.3
    gone: float = 0.03
    unrelated: float = 0.03
    doubt: float = 0.03
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.questions < 1:
            raise InputError(f"{self.questions} questions were asked for, but at least one is needed")
        if min(self.hidden, self.gone, self.unrelated) < 0 or self.hidden + self.gone + self.unrelated > 1:
            raise InputError("the shares of hidden, gone and unrelated questions must be 0 or more, together at most 1")
        if not 0 <= self.doubt < 1:
            raise InputError(f"the doubt is {self.doubt:g}, but it must be at least 0 and below 1")


@dataclass(frozen=True, slots=True)
class Question:
    """A ``text`` to search for while the name rows ``hidden`` are; any of the concepts ``right`` is, none where empty.

    ``concept`` is the one whose name was taken, -1 for unrelated words.
    """

    text: str
    kind: str
    concept: int
    right: frozenset[int]
    hidden: tuple[int, ...] = ()


def draw_questions(index: Index, options: QuestionOptions) -> Iterator[Question]:
    """The questions, in a drawn order, the same for the same options.

    Fewer than asked for come where an index has too few names that can be hidden. What means the same as a concept is
    as right as it is, and goes with it.
    """
    drawer = _Drawer(index, options)
    shares = (1 - options.hidden - options.gone - options.unrelated, options.hidden, options.gone, options.unrelated)
    for kind in drawer.rng.choice(len(QUESTION_KINDS), options.questions, p=np.clip(shares, 0, 1)).tolist():
        found = drawer.question(QUESTION_KINDS[kind])
        if found is not None:
            yield replace(found, right=frozenset()) if drawer.rng.random() < options.doubt else found


class _Drawer:
    """Draws names of an index and makes questions of them."""

    def __init__(self, index: Index, options: QuestionOptions) -> None:
        self.index = index
        self.names = index.signals.names
        self.equivalents = Equivalents(index)
        self.rng = np.random.default_rng(options.seed)
        self._named = np.flatnonzero(np.diff(self.names.bounds))
        self._several = np.flatnonzero(np.diff(self.names.bounds)[self.names.concepts] > 1)

    def question(self, kind: str) -> Question | None:
        """A question of a kind, or None where the index seems to have none."""
        make: Callable[[], Question | None] = {
            "kept": self._kept, "hidden": self._hidden, "gone": self._gone, "unrelated": self._unrelated
        }[kind]  # fmt: skip
        return next((made for made in (make() for _ in range(_TRIES)) if made is not None), None)

    def _kept(self) -> Question | None:
        row = self._row()
        text, same = self._rewritten(row), self._same(row)
        owners = self._owners(text)
        if owners and not owners & same:
            return None  # rewritten it is another concept's name
        return Question(text, "kept", int(self.names.concepts[row]), same)

    def _hidden(self) -> Question | None:
        if not len(self._several):
            return None
        row = int(self._several[self.rng.integers(len(self._several))])
        text, same = self._rewritten(row), self._same(row)
        if self._means_others(text, row, same):
            return None
        return Question(text, "hidden", int(self.names.concepts[row]), same, (row,))

    def _gone(self) -> Question | None:
        row = self._row()
        text, same = self._rewritten(row), self._same(row)
        if self._means_others(text, row, same):
            return None
        bounds = self.names.bounds
        hidden = tuple(
            name for concept in sorted(same) for name in range(int(bounds[concept]), int(bounds[concept + 1]))
        )
        return Question(text, "gone", int(self.names.concepts[row]), frozenset(), hidden)

    def _unrelated(self) -> Question | None:
        rows = self.rng.integers(len(self.names), size=int(self.rng.integers(2, 4))).tolist()
        words = [self.names.words_of(row) for row in rows]
        text = " ".join(one[int(self.rng.integers(len(one)))] for one in words)
        return None if self._owners(text) else Question(text, "unrelated", -1, frozenset())

    def _row(self) -> int:
        """A name; half of them by concept, or those with many names would be all that is learned from."""
        if self.rng.random() < 0.5:
            return int(self.rng.integers(len(self.names)))
        concept = int(self._named[self.rng.integers(len(self._named))])
        first, end = int(self.names.bounds[concept]), int(self.names.bounds[concept + 1])
        return first if self.rng.random() < 0.25 else int(self.rng.integers(first, end))

    def _same(self, row: int) -> frozenset[int]:
        return frozenset(self.equivalents.same(int(self.names.concepts[row])).tolist())

    def _means_others(self, text: str, row: int, same: frozenset[int]) -> bool:
        """Whether a name, or the text that was made of it, is also a name of a concept that does not mean the same."""
        return bool((self._owners(text) | self._owners(self.index.text(row))) - same)

    def _owners(self, text: str) -> frozenset[int]:
        """The concepts that have a name equal to a text."""
        return frozenset(self.names.concepts[self.names.spelled(tokens(text))].tolist())

    def _rewritten(self, row: int) -> str:
        """A name as people write it: as it is, in small letters, in another order, with a word too few or too many, as
        a plural, or with a letter too few.
        """
        name = self.index.text(row)
        words, rng = name.split(), self.rng
        forms: list[Callable[[], str]] = [
            lambda: name,
            name.lower,
            lambda: f"{name}s",
            lambda: with_another_word(name, self.names, rng),
        ]
        if len(words) > 1:
            forms.append(lambda: in_another_order(name, rng))
            forms.append(lambda: " ".join(np.delete(words, int(rng.integers(len(words)))).tolist()))
        if len(name) > 5:
            forms.append(lambda: without_a_letter(name, rng))
        return forms[int(rng.integers(len(forms)))]()
