from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from built import SMALL, indexed
from ontonym.encoder.protocol import AliasPair, Scores
from ontonym.errors import InputError
from ontonym.index import AddedTerm, Index, add_terms, open_index
from ontonym.tasks import (
    NormalizeOptions,
    Reranking,
    SearchOptions,
    normalize,
    rerank,
    rerank_many,
    search,
    search_many,
)
from ontonym.tasks.normalize import normalize_groups
from ontonym.types import Mention

HEART = """id\tpreferred\tsynonyms
H:1\tAcute heart disorder\tAcute cardiac disorder
H:2\tChronic heart disorder\tChronic cardiac disorder
H:3\tHeart disorder of the newborn\t
H:4\tLung disorder\t
"""


class Told:
    """A reranker that gives every candidate the score that it was told for the preferred name, and keeps the pairs."""

    fingerprint = "told"

    def __init__(self, weight: float = 1.0, **scores: float) -> None:
        self.weight = weight
        self.scores = {name.replace("_", " "): score for name, score in scores.items()}
        self.asked: list[list[AliasPair]] = []

    def score(self, pairs: Sequence[AliasPair]) -> Scores:
        self.asked.append(list(pairs))
        return np.array([self.scores.get(candidate[0], 0.5) for _, candidate in pairs], dtype=np.float64)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    made = indexed(tmp_path_factory.mktemp("rerank"), {"heart.tsv": HEART}, SMALL)
    add_terms(made, [AddedTerm("H:3", "neonatal heart disorder")])
    with open_index(made) as opened:
        yield opened


QUERY = "severe heart disorder"


def test_the_reranker_orders_what_search_found(index: Index) -> None:
    before = search(index, QUERY)
    assert before[0].id in ("H:1", "H:2")
    assert before[0].confidence < 0.9
    reranker = Told(Heart_disorder_of_the_newborn=0.99, Lung_disorder=0.01)
    after = rerank(index, QUERY, before, Reranking(reranker))
    assert after[0].id == "H:3"
    assert {hit.id for hit in after} == {hit.id for hit in before}
    assert [hit.confidence for hit in after] == sorted((hit.confidence for hit in after), reverse=True)
    assert sum(hit.confidence for hit in after) == pytest.approx(sum(hit.confidence for hit in before), abs=1e-5)
    assert after[0].signals["rerank"] == 0.99
    assert after[0] == replace(
        next(hit for hit in before if hit.id == "H:3"), confidence=after[0].confidence, signals=after[0].signals
    )


def test_confidences_are_those_of_the_stated_rule(index: Index) -> None:
    before = search(index, QUERY)[:2]
    first, second = (hit.preferred.replace(" ", "_") for hit in before)
    after = rerank(index, QUERY, before, Reranking(Told(**{first: 0.2, second: 0.8}), weight=0.5))
    shares = {before[0].id: before[0].confidence * 0.25**0.5, before[1].id: before[1].confidence * 4**0.5}
    whole = before[0].confidence + before[1].confidence
    for hit in after:
        assert hit.confidence == pytest.approx(whole * shares[hit.id] / sum(shares.values()), abs=1e-5)


def test_a_candidate_is_read_with_all_its_names(index: Index) -> None:
    reranker = Told()
    rerank(index, QUERY, search(index, QUERY), Reranking(reranker))
    (pairs,) = reranker.asked
    assert {query for query, _ in pairs} == {(QUERY,)}
    assert {candidate for _, candidate in pairs} >= {
        ("Acute heart disorder", "Acute cardiac disorder"),
        ("Heart disorder of the newborn", "neonatal heart disorder"),
    }


def test_only_the_foremost_are_read(index: Index) -> None:
    before = search(index, QUERY)
    reranker = Told(**{before[2].preferred.replace(" ", "_"): 0.999})
    after = rerank(index, QUERY, before, Reranking(reranker, depth=2))
    assert [candidate[0] for _, candidate in reranker.asked[0]] == [hit.preferred for hit in before[:2]]
    assert [hit.id for hit in after] == [hit.id for hit in before]
    assert ["rerank" in hit.signals for hit in after] == [True, True, *[False] * (len(before) - 2)]


def test_a_weight_of_0_and_what_the_reranker_learned(index: Index) -> None:
    before = search(index, QUERY)
    scores = {"Heart_disorder_of_the_newborn": 0.9}
    same = rerank(index, QUERY, before, Reranking(Told(**scores), weight=0))
    assert [hit.id for hit in same] == [hit.id for hit in before]
    assert [hit.confidence for hit in same] == pytest.approx([hit.confidence for hit in before], abs=1e-5)
    learned = rerank(index, QUERY, before, Reranking(Told(0.7, **scores)))
    assert learned == rerank(index, QUERY, before, Reranking(Told(2.0, **scores), weight=0.7))
    assert learned != rerank(index, QUERY, before, Reranking(Told(2.0, **scores)))


def test_what_is_sure_already_is_not_read(index: Index) -> None:
    exact, loose = search(index, "lung disorder"), search(index, QUERY)
    assert exact[0].confidence > 0.9 > loose[0].confidence
    reranker = Told()
    kept, read = rerank_many(index, [("lung disorder", exact), (QUERY, loose)], Reranking(reranker, below=0.9))
    assert kept == exact
    assert "rerank" in read[0].signals
    assert {query for query, _ in reranker.asked[0]} == {(QUERY,)}
    (every,) = rerank_many(index, [("lung disorder", exact)], Reranking(reranker, below=1))
    assert "rerank" in every[0].signals
    (none,) = rerank_many(index, [(QUERY, loose)], Reranking(reranker, below=0))
    assert none == loose


def test_hits_with_the_very_name_are_not_read(index: Index) -> None:
    hits = search(index, "lung disorders")
    assert hits[0].reason.rule == "normalized"
    doubtful = [replace(hit, confidence=0.3) for hit in hits]
    how = Reranking(Told(), below=0.9)
    assert rerank(index, "lung disorders", doubtful, how) == doubtful
    meant = [replace(hit, reason=replace(hit.reason, rule="words")) for hit in doubtful]
    assert "rerank" in rerank(index, "lung disorders", meant, how)[0].signals


def test_queries_are_read_together_and_as_alone(index: Index) -> None:
    texts = [QUERY, "lung disorder", "old heart disorder", "zzz", QUERY]
    how = Reranking(Told(Heart_disorder_of_the_newborn=0.8, Acute_heart_disorder=0.3), below=1)
    asked = [(text, search(index, text)) for text in texts]
    together = rerank_many(index, asked, how)
    assert len(how.reranker.asked) == 1  # type: ignore[attr-defined]
    assert together == [rerank(index, text, hits, how) for text, hits in asked]
    assert rerank_many(index, [], how) == []
    assert rerank(index, "nothing", [], how) == []


def test_search_looks_as_deep_as_is_read_and_gives_as_many_as_are_wanted(index: Index) -> None:
    how = Reranking(Told(Heart_disorder_of_the_newborn=0.999), depth=4)
    (hits,) = search_many(index, [QUERY], SearchOptions(k=1), how)
    assert [hit.id for hit in hits] == ["H:3"]
    assert search_many(index, [QUERY], SearchOptions(k=2)) == [search(index, QUERY, SearchOptions(k=2))]
    (sure,) = search_many(index, [QUERY], SearchOptions(least=0.2), how)
    assert sure
    assert all(hit.confidence >= 0.2 for hit in sure)


def test_similarities_that_are_no_confidences_become_some(index: Index) -> None:
    (hits,) = search_many(index, [QUERY], SearchOptions(signal="dense"), Reranking(Told(Lung_disorder=0.9), below=1))
    assert hits[0].id == "H:4"
    assert sum(hit.confidence for hit in hits) <= 1 + 1e-5


def test_normalize_with_a_second_stage(index: Index) -> None:
    how = Reranking(Told(Heart_disorder_of_the_newborn=0.999))
    mentions = [Mention(text, id=str(number)) for number, text in enumerate([QUERY, "Lung disorders", QUERY] * 30)]
    options = NormalizeOptions(reranking=how)
    answers = list(normalize(index, mentions, options))
    assert [answer.mention for answer in answers] == mentions
    assert [answer.id for answer in answers[:3]] == ["H:3", "H:4", "H:3"]
    assert sum(map(len, how.reranker.asked)) == 4  # type: ignore[attr-defined]  # equal texts are read once
    groups = [mentions[:2], [], mentions[2:70], mentions[70:]]
    assert list(normalize_groups(index, groups, options)) == [
        answers[:2], [], answers[2:70], answers[70:],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"depth": 1}, "the depth of reranking is 1, but fewer than 2 hits have no order"),
        ({"weight": -0.1}, "the reranker's weight is -0.1"),
        ({"weight": float("nan")}, "the reranker's weight is nan"),
        ({"below": 1.1}, "reranking below a confidence of 1.1"),
    ],
)
def test_options_that_cannot_be(given: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Reranking(Told(), **given)  # type: ignore[arg-type]
