"""What kind of thing words name."""

from __future__ import annotations

import numpy as np
import pytest

from ontonym.text.findings import has_likely_finding
from ontonym.text.kinds import (
    BUCKETS,
    THING_KINDS,
    _weights,
    clear_kind,
    is_substance,
    kind_of,
    kind_scores,
    word_features,
)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("wall rigidity", "finding"),
        ("deficiency of aprt", "finding"),
        ("upturned upper lip", "finding"),
        ("morphine", "chemical"),
        ("psychomotor development", "process"),
        ("left femoral artery", "anatomy"),
        ("staphylococcus epidermidis", "organism"),
        ("adjuvant chemotherapy", "procedure"),
    ],
)
def test_the_likeliest_kind(words: str, kind: str) -> None:
    scores = kind_scores(words.split())
    assert scores.shape == (len(THING_KINDS),)
    assert THING_KINDS[int(np.argmax(scores))] == kind


def test_scores_are_a_sum_over_words_and_the_last_word_counts_as_such() -> None:
    one, other, both = (kind_scores(words) for words in (["renal"], ["failure"], ["renal", "failure"]))
    alone = kind_scores([])
    last_apart = set(word_features("renal", is_last=True)) - set(word_features("renal", is_last=False))
    assert len(last_apart) == 1
    assert max(word_features("renal", is_last=True)) < BUCKETS
    assert not np.allclose(both - alone, one + other - 2 * alone)
    assert np.allclose(kind_scores(["failure"]), other)
    for words, is_last in ((["failure"], True), (["failure", ""], False)):
        rows = word_features("failure", is_last=is_last)
        rest = kind_scores(words[1:]) - alone if words[1:] else 0
        expected = _weights()[rows].sum(axis=0) / len(rows) ** 0.5
        assert kind_scores(words) - alone - rest == pytest.approx(expected)


def test_the_likeliest_kind_is_named() -> None:
    assert kind_of(["aneurysm"]) == "finding"
    assert kind_of(["position"]) == "process"


def test_what_words_tell_surely() -> None:
    found = [clear_kind(["morphine"]), clear_kind(["morphine"], 1.0), clear_kind(["wedding"], 0.99)]
    assert found == ["chemical", "", ""]
    assert (is_substance(["morphine"]), is_substance(["femoral", "artery"])) == (True, False)
    assert (has_likely_finding(["cocaine", "dependence"]), has_likely_finding(["femoral", "artery"])) == (True, False)
