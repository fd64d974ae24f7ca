"""Each distinct text is asked once; the answers come back for every mention, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.index import Index
from ontonym.tasks import normalize
from ontonym.tasks.distincttexts import MOST_AHEAD, asked_once
from ontonym.tasks.jobs import in_processes
from ontonym.tasks.normalize import normalize_groups
from ontonym.types import Mention
from warded import NOTE, OTHER, TEXTS

Bundles = Iterable[list[Sequence[Mention]]]


class Asked:
    """Answers a mention with its text and passage, reads some bundles ahead, and notes what it is asked."""

    def __init__(self, ahead: int = 3) -> None:
        self.seen: list[tuple[str, str]] = []
        self.bundles: list[int] = []
        self._ahead = ahead

    def __call__(self, bundles: Bundles) -> Iterator[list[list[tuple[str, str]]]]:
        waiting = []
        for bundle in bundles:
            self.bundles.append(sum(map(len, bundle)))
            groups = [[(one.text, one.passage) for one in group] for group in bundle]
            self.seen += [key for group in groups for key in group]
            waiting.append(groups)
            if len(waiting) > self._ahead:
                yield waiting.pop(0)
        yield from waiting


def _of(answer: tuple[str, str], mention: Mention) -> tuple[str, str]:
    assert (mention.text, mention.passage) == (answer[0], "")
    return answer


mentions = st.builds(Mention, st.sampled_from("abcdef"), passage=st.sampled_from(["", "", "", "note", "other"]))


@given(st.lists(st.lists(mentions, max_size=5), max_size=60), st.integers(1, 9), st.integers(1, 7), st.integers(0, 4))
@examples(300)
def test_every_mention_is_answered_in_order(groups: Any, at_once: int, kept: int, ahead: int) -> None:
    ask = Asked(ahead)
    found = list(asked_once(groups, ask, _of, at_once=at_once, kept=kept))
    assert found == [[(one.text, one.passage) for one in group] for group in groups]


def test_a_text_is_asked_once_but_those_with_a_passage_as_they_are() -> None:
    groups = [[Mention(text)] for text in "abacab" * 50] + [[Mention("a", passage="note"), Mention("a")]] * 2
    ask = Asked()
    assert len(list(asked_once(groups, ask, _of, at_once=2))) == len(groups)
    assert ask.seen == [("a", ""), ("b", ""), ("c", ""), ("a", "note"), ("a", ""), ("a", "note"), ("a", "")]
    assert ask.bundles == [2, 3, 2]


def test_what_is_long_ago_is_asked_again_and_repetitions_do_not_pile_up() -> None:
    ask = Asked(0)
    texts = [*"abc", "a", "b"]
    assert list(asked_once([[Mention(one)] for one in texts], ask, _of, at_once=1, kept=2)) == [
        [(t, "")] for t in texts
    ]
    assert [text for text, _ in ask.seen] == ["a", "b", "c", "a", "b"]
    same = (([Mention("a")]) for _ in range(3 * MOST_AHEAD))
    answers = asked_once(same, ask := Asked(0), _of, at_once=64)
    assert next(answers) == [("a", "")]
    assert next(same, None) is not None, "the rest was not read ahead"
    assert ask.bundles == [1]


def test_normalizations_are_those_of_one_process(index: Index) -> None:
    class Here:
        """Workers that are this process."""

        def results(self, index: Index, worker: Any, given: Any) -> Any:
            return in_processes(index, worker, given, 1)

    texts = [text for text in TEXTS if text and text.strip()] * 3
    given = [Mention(text, f"m{number}", type="T") for number, text in enumerate(texts)]
    assert [*normalize(index, given, jobs=Here())] == [*normalize(index, given)]
    notes = [[Mention("DM", "1", passage=note), Mention("toxicity", "2", passage=note)] for note in (NOTE, OTHER, NOTE)]
    assert [*normalize_groups(index, notes, jobs=Here())] == [*normalize_groups(index, notes)]
