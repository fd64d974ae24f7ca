from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from built import SMALL, index_fixture
from ontonym.errors import InputError
from ontonym.evaluate.indexes import normalizer
from ontonym.evaluate.normalization import MentionHits
from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions, annotate, normalize, search
from ontonym.types import Mention

HUMAN = """format-version: 1.2
ontology: human

[Term]
id: H:1
name: Heart attack

[Term]
id: H:2
name: Asthma
"""


index = index_fixture({"human.obo": HUMAN}, SMALL)


def test_each_mention_is_answered_in_order(index: Index) -> None:
    mentions = [Mention("asthma", id="a"), Mention("Heart attacks", id="b"), Mention("asthma", id="c")]
    answers = list(normalize(index, mentions))
    assert [(answer.mention.id, answer.id) for answer in answers] == [("a", "H:2"), ("b", "H:1"), ("c", "H:2")]
    assert [answer.mention for answer in answers] == mentions
    assert answers[0].candidates == answers[2].candidates == tuple(search(index, "asthma"))
    assert answers[0].confidence == answers[0].candidates[0].confidence


def test_a_text_that_comes_again_in_its_document_is_another_mention(index: Index) -> None:
    passage = "Asthma and heart attack. Later asthma and heart attack again."
    texts = ("asthma and heart attack", "asthma", "asthma and heart attack", "asthma")
    mentions = [Mention(text, id=str(number), passage=passage) for number, text in enumerate(texts)]
    both, one, *again = normalize(index, mentions)
    assert [answer.mention for answer in (both, one, *again)] == mentions
    assert [part.mention.id for part in both.parts] == ["0#1", "0#2"]
    assert [part.mention.id for part in again[0].parts] == ["2#1", "2#2"]
    assert [part.id for part in again[0].parts] == [part.id for part in both.parts] == ["H:2", "H:1"]
    assert (again[1].id, again[1].candidates) == (one.id, one.candidates)


def test_a_text_is_looked_up_once_however_many_others_come_between(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["ontonym.tasks.lookups"]
    looked_up: Counter[str] = Counter()
    find = module.pending_many  # type: ignore[attr-defined]

    def counted(index: Index, texts: Sequence[str], *rest: Any) -> Any:
        looked_up.update(texts)
        return find(index, texts, *rest)

    monkeypatch.setattr(module, "pending_many", counted)
    texts = [f"{name} {number}" for number in range(12) for name in ("asthma", "heart attack")]
    texts.insert(2, "asthma, heart attack")  # its parts are no text of the others
    mentions = [Mention(text, id=f"{turn}.{number}") for turn in range(3) for number, text in enumerate(texts)]
    usual = list(normalize(index, mentions, at_once=4))
    looked_up.clear()
    monkeypatch.setattr(sys.modules["ontonym.tasks.normalize"], "_MOST_KNOWN", 8)
    assert list(normalize(index, mentions, at_once=4)) == usual
    assert {text: looked_up[text] for text in texts} == dict.fromkeys(texts, 1)
    assert len(usual[2].parts) == 2


def test_a_mention_below_the_threshold_is_nil_and_keeps_its_candidates(index: Index) -> None:
    (answer,) = normalize(index, [Mention("hart atack")], NormalizeOptions(threshold=1.0))
    assert answer.id is None
    assert answer.candidates[0].id == "H:1"
    assert 0 < answer.confidence < 1


def test_by_default_no_answer_is_likelier_wrong_than_right(index: Index) -> None:
    by_default, on = normalize(index, [Mention("hart"), Mention("asthma")])
    (off,) = normalize(index, [Mention("hart")], NormalizeOptions(threshold=0))
    assert 0 < off.confidence < LIKELIER_RIGHT
    assert (by_default.id, by_default.confidence, by_default.certainty) == (None, off.confidence, "none")
    assert by_default.candidates == off.candidates
    assert (off.id, off.certainty) == (off.candidates[0].id, "doubtful")
    assert (on.id, on.certainty) == ("H:2", "sure")


def test_the_similarity_of_one_signal_has_no_default_threshold(index: Index) -> None:
    alone = SearchOptions(signal="char")
    (answer,) = normalize(index, [Mention("art")], NormalizeOptions(search=alone))
    assert answer.id == "H:1"
    assert answer.confidence < LIKELIER_RIGHT
    (answer,) = normalize(index, [Mention("art")], NormalizeOptions(search=alone, threshold=LIKELIER_RIGHT))
    assert answer.id is None


def test_measures_of_accuracy_and_annotation_have_no_default_threshold(index: Index) -> None:
    (hits,) = normalizer(index, NormalizeOptions())([Mention("hart")])
    assert isinstance(hits, MentionHits)
    assert hits.hits
    assert NormalizeOptions().answering_all().threshold == 0
    assert NormalizeOptions(threshold=0.3).answering_all().threshold == 0.3
    assert AnnotateOptions().normalize.threshold == 0
    shared = [mention.id for mention in annotate(index, "asthma", AnnotateOptions(NormalizeOptions()))]
    assert shared == [mention.id for mention in annotate(index, "asthma")]


def test_the_threshold_itself_is_enough(index: Index) -> None:
    (hit, *_) = search(index, "hart atack")
    (answer,) = normalize(index, [Mention("hart atack")], NormalizeOptions(threshold=hit.confidence))
    assert answer.id == hit.id
    (answer,) = normalize(index, [Mention("hart atack")], NormalizeOptions(threshold=hit.confidence + 1e-9))
    assert answer.id is None


@pytest.mark.parametrize("text", ["", "  ", "?!"])
def test_a_mention_without_a_word_is_nil(index: Index, text: str) -> None:
    (answer,) = normalize(index, [Mention(text)])
    assert (answer.id, answer.confidence, answer.candidates) == (None, 0.0, ())


def test_answers_are_streamed_one_by_one_where_each_is_waited_for(index: Index) -> None:
    taken: list[str] = []

    def mentions() -> Iterator[Mention]:
        for text in ("asthma", "heart attack", "never asked for"):
            taken.append(text)
            yield Mention(text)

    answers = normalize(index, mentions(), at_once=1)
    assert next(answers).id == "H:2"
    assert next(answers).id == "H:1"
    assert taken == ["asthma", "heart attack"]


def test_search_options_reach_the_search(index: Index) -> None:
    (answer,) = normalize(index, [Mention("heart asthma")], NormalizeOptions(search=SearchOptions(k=1)))
    assert len(answer.candidates) == 1


@pytest.mark.parametrize("threshold", [-0.1, 1.01])
def test_a_threshold_outside_zero_and_one_is_an_error(threshold: float) -> None:
    with pytest.raises(InputError, match=f"the threshold is {threshold}, but a confidence is between 0 and 1"):
        NormalizeOptions(threshold=threshold)


def test_no_mentions_give_no_answers(index: Index) -> None:
    assert list(normalize(index, [])) == []
