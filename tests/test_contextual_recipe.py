"""What the contextual encoder is taught: its batches, and what its loss counts as wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.insert(0, str(Path(__file__).parent.parent / "recipes"))

import contextual  # noqa: E402
from batches import Batches  # noqa: E402
from clusters import DEFINITION, GROUPS, LAY, NAME, Clusters  # noqa: E402

FEW = 60


def drawn_clusters() -> Clusters:
    """Clusters of every group: one to three names, with and without a definition; the child of each is the next."""
    texts: list[str] = []
    owners: list[int] = []
    kinds: list[int] = []
    for cluster in range(FEW):
        count = 1 + cluster % 3
        of = [NAME] * count + [DEFINITION] * (cluster % 2)
        if count == 3:
            of[2] = LAY
        texts += [f"{cluster} {place}" for place in range(len(of))]
        owners += [cluster] * len(of)
        kinds += of
    return Clusters(
        texts, np.array(owners, np.int32), np.array(kinds, np.int8),
        np.array([cluster // 15 for cluster in range(FEW)], np.int8),
        np.array([(cluster, cluster - 1) for cluster in range(1, FEW)], np.int32),
    )  # fmt: skip


@pytest.fixture
def batches() -> Batches:
    made = Batches(drawn_clusters(), 5, 40, 2)
    made.nearest = np.array([[(one + 1) % FEW, (one + 2) % FEW, -1] for one in range(FEW)], np.int32)
    return made


def test_a_step_draws_the_same_each_time_and_another_step_another(batches: Batches) -> None:
    first, again, other = batches.draw(3), batches.draw(3), batches.draw(4)
    assert np.array_equal(first.places, again.places)
    assert not np.array_equal(first.places, other.places)


def test_a_cluster_gives_two_names_or_a_name_and_a_definition_or_its_only_name(batches: Batches) -> None:
    clusters = batches.clusters
    for step in range(30):
        batch = batches.draw(step)
        assert np.array_equal(clusters.owners[batch.places], batch.owners)
        assert len(np.unique(batch.places)) == len(batch.places)
        for cluster in np.unique(batch.owners):
            kinds = clusters.kinds[batch.places[batch.owners == cluster]]
            names = int((clusters.kinds[clusters.owners == cluster] != DEFINITION).sum())
            assert (kinds != DEFINITION).any()
            assert len(kinds) == (2 if names > 1 or cluster % 2 else 1)
            assert (kinds == DEFINITION).sum() <= 1


def test_partners_are_the_two_texts_of_a_cluster_both_ways(batches: Batches) -> None:
    batch = batches.draw(0)
    asked, partner = batch.partners.T
    assert (batch.owners[asked] == batch.owners[partner]).all()
    assert (asked != partner).all()
    paired = np.bincount(batch.owners, minlength=FEW)[batch.owners] == 2
    assert sorted(asked.tolist()) == np.flatnonzero(paired).tolist()


def test_related_are_all_texts_of_a_cluster_and_its_parent(batches: Batches) -> None:
    for step in range(10):
        batch = batches.draw(step)
        far = np.abs(batch.owners[:, None] - batch.owners[None])
        assert sorted(map(tuple, batch.related.tolist())) == sorted(map(tuple, np.argwhere(far == 1).tolist()))


def test_neighbours_come_with_what_is_drawn_but_not_with_synsets(batches: Batches) -> None:
    wordnet = GROUPS.index("wordnet")
    batches.nearest[:] = -1
    batches.nearest[batches.clusters.groups == wordnet] = 0  # cluster 0 has one name: it is never drawn itself
    assert all(0 not in batches.draw(step).owners for step in range(20))
    batches.nearest[:15] = 0
    assert any(0 in batches.draw(step).owners for step in range(20))


def test_names_of_patients_are_drawn_three_times_as_often(batches: Batches) -> None:
    counts = np.zeros(3)
    for step in range(400):
        places = batches.draw(step).places
        counts += np.isin(batches.starts[2] + np.arange(3), places)  # names, and a third that is of patients
    assert counts[2] > 1.3 * counts[:2].max()


def test_general_phrases_are_glosses_and_definitions_and_words_of_wordnet(batches: Batches) -> None:
    batch, clusters = batches.draw(1), batches.clusters
    wanted = (clusters.groups[batch.owners] == GROUPS.index("wordnet")) | (clusters.kinds[batch.places] == DEFINITION)
    assert np.array_equal(batch.general, np.flatnonzero(wanted))


def test_the_loss_is_of_the_partner_among_all_others_but_what_is_barred_and_eases_parents() -> None:
    rng = np.random.default_rng(0)
    vectors = torch.nn.functional.normalize(torch.from_numpy(rng.normal(size=(5, 4))))
    partners = torch.tensor([[0, 1], [1, 0]])
    barred = torch.zeros((5, 5), dtype=torch.bool)
    barred[:2, :2] = barred[0, 4] = True
    eased = torch.zeros((5, 5))
    eased[0, 2] = contextual.SLACK
    cosines = (vectors @ vectors.T).numpy()
    wanted = []
    for one, other, negatives in ((0, 1, (2, 3)), (1, 0, (2, 3, 4))):
        scores = [cosines[one, place] - (contextual.SLACK if (one, place) == (0, 2) else 0) for place in negatives]
        logits = np.array([cosines[one, other], *scores]) / contextual.TEMPERATURE
        wanted.append(-(logits[0] - np.log(np.exp(logits).sum())))
    assert contextual.softmax_loss(vectors, partners, barred, eased).item() == pytest.approx(np.mean(wanted), rel=1e-4)
