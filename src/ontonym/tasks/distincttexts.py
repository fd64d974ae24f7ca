"""Mentions shared out among workers: each distinct text once, and those that depend on their document apart."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from ontonym.types import Mention

_Answer = TypeVar("_Answer")

KEPT = 10_000
"""The number of distinct texts whose answers are kept; a text that recurs after so many others is asked again."""

MOST_AHEAD = 1 << 13
"""The number of mentions after which what is to be asked is sent, however little it is."""

_Groups: TypeAlias = list[Sequence[Mention]]


def asked_once(
    groups: Iterable[Sequence[Mention]],
    ask: Callable[[Iterable[_Groups]], Iterator[list[list[_Answer]]]],
    answered: Callable[[_Answer, Mention], _Answer],
    *,
    at_once: int,
    kept: int = KEPT,
) -> Iterator[list[_Answer]]:
    """The answers of each group, in order, where each distinct text is asked once and about ``at_once`` together.

    ``ask`` gives the answers of bundles of groups, in order, as a stream, and may read ahead; ``answered`` makes the
    answer of a text that of another mention of it. A mention with a passage depends on it, so a group that has one is
    asked as it is.
    """
    plan = _Plan(kept)
    answers: dict[str, _Answer] = {}
    for found in ask(plan.bundles(groups, at_once)):
        results = iter(found)
        for step in plan.steps.popleft():
            if step.asked is None:
                yield next(results)
                continue
            if step.asked:
                fresh = zip(step.asked, next(results), strict=True)
                answers.update(fresh)
            yield [answered(answers[mention.text], mention) for mention in step.group]
            for text in step.forgotten:
                del answers[text]


@dataclass(frozen=True, slots=True)
class _Step:
    """A group, the texts that are asked for it, or None where it is asked as it is, and the texts to forget then."""

    group: Sequence[Mention]
    asked: list[str] | None
    forgotten: list[str]


class _Plan:
    """What is asked for each group; ``steps`` has a list for each bundle that was given out, in order."""

    def __init__(self, kept: int) -> None:
        self.steps: deque[list[_Step]] = deque()
        self._kept = kept
        self._known: OrderedDict[str, None] = OrderedDict()

    def bundles(self, groups: Iterable[Sequence[Mention]], at_once: int) -> Iterator[_Groups]:
        bundle: _Groups = []
        steps: list[_Step] = []
        asked = read = 0
        for group in groups:
            step = self._step(group)
            wanted = group if step.asked is None else [Mention(text) for text in step.asked]
            if wanted or step.asked is None:
                bundle.append(wanted)
            steps.append(step)
            asked, read = asked + len(wanted), read + max(len(group), 1)
            if asked >= at_once or read >= MOST_AHEAD:
                self.steps.append(steps)
                yield bundle
                bundle, steps, asked, read = [], [], 0, 0
        if steps:
            self.steps.append(steps)
            yield bundle

    def _step(self, group: Sequence[Mention]) -> _Step:
        if any(mention.passage for mention in group):
            return _Step(group, None, [])
        new = []
        for mention in group:
            if mention.text in self._known:
                self._known.move_to_end(mention.text)
            else:
                self._known[mention.text] = None
                new.append(mention.text)
        extra = max(len(self._known) - self._kept, 0)
        return _Step(group, new, [self._known.popitem(last=False)[0] for _ in range(extra)])
