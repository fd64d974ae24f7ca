"""Which branches of a target terminology a source is matched to."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from made import concept, opened
from ontonym.index import IndexOptions, build_index, open_index
from ontonym.tasks.match import match, scoring
from ontonym.tasks.match.branches import branch_odds

WORDS = ["".join(parts) for parts in product("bdfklmnprt", "aeiou", ["ster", "lin", "rax"])]
DISEASES = [f"{word} disease" for word in WORDS]
ENZYMES = [f"{word} {word[::-1]} reductase" for word in WORDS[:60]]
THEIRS = [
    concept("T:disease", "disorders of all kinds"),
    concept("T:enzyme", "proteins"),
    *(concept(f"T:d{number}", name, parents="T:disease") for number, name in enumerate(DISEASES)),
    *(concept(f"T:e{number}", name, parents="T:enzyme") for number, name in enumerate(ENZYMES)),
    concept("T:both", "in two branches", parents="T:disease T:enzyme"),
    concept("T:alone", "below nothing"),
]


def test_odds_are_shares_of_pairs_over_shares_of_candidates(tmp_path):
    with opened(tmp_path, THEIRS, THEIRS) as (one, other):
        rows = {concept_id: one.row(concept_id) for concept_id in ("T:d0", "T:e0", "T:both", "T:alone")}
        candidates = [rows["T:d0"]] * 400 + [rows["T:e0"]] * 500 + [rows["T:both"], rows["T:alone"]] * 50
        same = np.array([rows["T:d0"]] * 150)
        odds = branch_odds(np.array(candidates), same, [one, other])
        found = {concept_id: odds[candidates.index(row)] for concept_id, row in rows.items()}
        share = 550 / 1000  # of candidates in the branch of the enzymes: its own, and those in two branches
        assert found["T:e0"] == pytest.approx(2 * 50 * share / (200 * share))
        assert found["T:alone"] == pytest.approx(2 * 50 / 200)
        assert found["T:d0"] == found["T:both"] == 1
        others = np.array(candidates) + len(one)  # of which no pairs are known
        assert (branch_odds(others, same, [one, other]) == 1).all()
        assert (branch_odds(np.array(candidates), same[:99], [one, other]) == 1).all()


def test_a_disease_is_less_likely_its_enzyme(tmp_path, monkeypatch):
    ours = [
        concept("S:0", "human disease"),
        *(concept(f"S:{number + 1}", name, parents="S:0") for number, name in enumerate(DISEASES)),
        *(concept(f"S:e{number}", f"{name} deficiency", parents="S:0") for number, name in enumerate(ENZYMES)),
    ]
    monkeypatch.setattr(scoring, "_MOST_DOUBTED", 1.0)  # a doubted pair has one score, whatever its branch
    with opened(tmp_path, ours, THEIRS) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:

            def odds():
                made = {one.id: one.candidates for one in match(source, index)}
                scores = {(each, one.id): one.score for each, found in made.items() for one in found}
                return {pair: score / (1 - score) for pair, score in scores.items() if 0.001 < score < 0.999}

            heeded = odds()
            monkeypatch.setattr(scoring, "branch_odds", lambda targets, *_: np.ones(len(targets)))
            ratios = {pair: heeded[pair] / without for pair, without in odds().items() if pair in heeded}
            of_enzymes = [ratio for (_, target_id), ratio in ratios.items() if target_id.startswith("T:e")]
            of_diseases = [ratio for (_, target_id), ratio in ratios.items() if target_id.startswith("T:d")]
            assert len(of_enzymes) > 40
            assert of_enzymes == pytest.approx([2 * 50 / (len(DISEASES) + 50)] * len(of_enzymes), rel=0.01)
            assert of_diseases
            assert of_diseases == pytest.approx([1] * len(of_diseases), rel=1e-6)
