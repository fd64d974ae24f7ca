"""Calibration: never changes an order, is true where it was learned, lives in the index and goes with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontonym.artifact import verify
from ontonym.errors import ArtifactError, InputError
from ontonym.evaluate.calibration import cross_fitted, learn_calibration, named_outcomes
from ontonym.evaluate.reliability import ece, equal_mass, equal_width, precision_table
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.index import AddedTerm, Index, add_terms, build_index, open_index, update_index
from ontonym.index.calibration import (
    FILE,
    SUREST,
    USUAL,
    WAYS,
    Calibration,
    Curve,
    ThresholdFigures,
    write_calibration,
)
from ontonym.learning.calibration import FitOptions, Outcomes, calibrated, fit_curves
from ontonym.learning.questions import QUESTION_KINDS, QuestionOptions, draw_questions
from ontonym.tasks import NormalizeOptions, SearchOptions, explain, normalize, search
from ontonym.tasks.search import Experiment
from ontonym.types import Mention

pytest.importorskip("sklearn")
pytest.importorskip("scipy")

FEW = BootstrapOptions(resamples=99)
HALF = Calibration(
    {way: Curve((0.0, 1.0), (0.0, 0.5)) for way in WAYS},
    (
        ThresholdFigures(0.0, 100, 1.0, (0.7, 0.6, 0.8), (0.7, 0.6, 0.8)),
        ThresholdFigures(0.2, 80, 0.8, (0.96, 0.9, 1.0), (0.7, 0.6, 0.8)),
        ThresholdFigures(0.3, 70, 0.7, (0.94, 0.9, 1.0), (0.6, 0.5, 0.8)),
        ThresholdFigures(0.4, 60, 0.6, (0.97, 0.9, 1.0), (0.6, 0.5, 0.8)),
        ThresholdFigures(0.5, 3, 0.03, (0.5, 0.0, 1.0), (0.1, 0.0, 0.2)),
    ),
    {"learned_from": "names", "data": "made up", "n": 100},
)

shares = st.floats(0, 1, allow_nan=False)


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    size = draw(st.integers(1, 6))
    places = draw(st.lists(shares, min_size=size, max_size=size, unique=True))
    values = draw(st.lists(shares, min_size=size, max_size=size))
    return Curve(tuple(sorted(places)), tuple(sorted(values)))


@st.composite
def hit_confidences(draw: st.DrawFn) -> list[float]:
    """Confidences as a query has them: falling, together at most 1."""
    weights = np.asarray(draw(st.lists(st.floats(0.001, 1), min_size=1, max_size=8)))
    return sorted((weights / weights.sum() * draw(st.floats(0.01, 1))).tolist(), reverse=True)


# The map ---------------------------------------------------------------------------------------------------------


@given(curves(), shares, shares)
def test_a_curve_never_falls_and_stays_within_0_and_1(curve: Curve, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= curve.at(low) <= curve.at(high) <= 1


@given(curves(), hit_confidences())
def test_hits_keep_their_order_and_together_stay_at_most_1(curve: Curve, raw: list[float]) -> None:
    made = Calibration(dict.fromkeys(WAYS, curve)).applied(raw, "near")
    assert made[0] == pytest.approx(curve.at(raw[0]))
    assert all(first >= second >= 0 for first, second in pairwise(made))
    assert sum(made) <= 1 + 1e-9


def test_the_others_shrink_with_the_first_or_with_what_is_left() -> None:
    falls = Calibration(dict.fromkeys(WAYS, Curve((0.0, 1.0), (0.0, 0.5))))
    assert falls.applied([0.6, 0.2, 0.1], "near") == pytest.approx([0.3, 0.1, 0.05])
    rises = Calibration(dict.fromkeys(WAYS, Curve((0.0,), (0.8,))))
    assert rises.applied([0.6, 0.2, 0.1], "near") == pytest.approx([0.8, 0.1, 0.05])
    assert rises.applied([], "near") == []


@pytest.mark.parametrize(
    ("raw", "values"),
    [((), ()), ((0.1,), (0.1, 0.2)), ((0.2, 0.1), (0.1, 0.2)), ((0.1, 0.2), (0.2, 0.1)), ((0.1,), (1.5,))],
)
def test_what_is_no_rising_curve_is_refused(raw: tuple[float, ...], values: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="curve"):
        Curve(raw, values)


def test_a_precision_chooses_the_least_threshold_from_which_on_it_holds() -> None:
    assert HALF.threshold(0.95) == 0.4  # not 0.2: at 0.3 it does not hold; 0.5 has too few answers to say anything
    assert HALF.threshold(0.9) == 0.2
    assert HALF.threshold(0.5) == 0.0
    with pytest.raises(InputError, match=r"reaches a precision of 0\.99 .*the highest is 0\.970"):
        HALF.threshold(0.99)
    with pytest.raises(InputError, match="above 0 and at most 1"):
        HALF.threshold(0)


# The fit ---------------------------------------------------------------------------------------------------------


def made_up(n: int = 4000, seed: int = 0, power: float = 2.0) -> Outcomes:
    """Outcomes of which the share right is the confidence to a power, less 0.2 where words were mended."""
    rng = np.random.default_rng(seed)
    confidences, ways = rng.random(n), rng.integers(0, len(WAYS), n)
    chance = np.clip(confidences**power - 0.2 * (ways == WAYS.index("mended")), 0, 1)
    right = (rng.random(n) < chance).astype(np.float64)
    groups = np.arange(n) // 5
    return Outcomes(confidences, right, ways, groups, np.arange(n), np.ones(n, dtype=np.bool_))


def test_curves_come_near_to_the_truth_of_each_way() -> None:
    fitted = fit_curves(made_up(20_000))
    for confidence in (0.2, 0.5, 0.8):
        assert fitted["near"].at(confidence) == pytest.approx(confidence**2, abs=0.05)
        assert fitted["mended"].at(confidence) == pytest.approx(max(0, confidence**2 - 0.2), abs=0.06)


def test_before_are_the_confidences_that_an_index_shows_without_a_calibration() -> None:
    outcomes = made_up(300)
    found = zip(outcomes.confidences, outcomes.ways, strict=True)
    shown = np.array([USUAL.probability(one, WAYS[way]) for one, way in found])
    learned = learn_calibration(outcomes, {"learned_from": "made up"}, unit="document", bootstrap=FEW)
    assert learned.before.brier.value == pytest.approx(np.mean((shown - outcomes.right) ** 2))
    assert learned.before.brier.value != pytest.approx(np.mean((outcomes.confidences - outcomes.right) ** 2))


@pytest.mark.slow
def test_calibration_mends_the_error_on_groups_it_did_not_see() -> None:
    outcomes = made_up()
    learned = learn_calibration(outcomes, {"learned_from": "made up"}, unit="document", bootstrap=FEW)
    assert learned.before.ece.value > 0.15
    assert learned.after.ece.value < 0.03
    assert learned.after.brier.value < learned.before.brier.value
    assert learned.after.ece.low <= learned.after.ece.value <= learned.after.ece.high
    assert learned.after.chance < 0.03
    assert sum(one.n for one in learned.after.bins) == len(outcomes)


def test_no_group_is_judged_by_itself() -> None:
    """One document of wrong answers only: learned from, its own confidences would come out low."""
    base = made_up(2000, power=0.1)
    lone = base.groups == base.groups[0]
    flipped = Outcomes(
        np.where(lone, 0.5, base.confidences), np.where(lone, 0.0, base.right), np.where(lone, 1, 0),
        base.groups, base.texts, base.findable,
    )  # fmt: skip
    seen = calibrated(fit_curves(flipped, FitOptions(prior=1)), flipped)[lone]
    unseen = cross_fitted(flipped, FitOptions(prior=1))[lone]
    assert seen.max() < 0.5 < unseen.min()


@pytest.mark.parametrize(("right", "told"), [(1.0, "every query is right"), (0.0, "every query is wrong")])
def test_one_class_is_nothing_to_calibrate_on(right: float, told: str) -> None:
    some = made_up(100)
    same = Outcomes(some.confidences, np.full(100, right), some.ways, some.groups, some.texts, some.findable)
    with pytest.raises(InputError, match=told):
        fit_curves(same)


def test_too_few_outcomes_are_refused() -> None:
    with pytest.raises(InputError, match="only 10 queries to calibrate on; at least 50"):
        fit_curves(made_up(10))


def test_one_document_is_refused() -> None:
    some = made_up(100)
    alone = Outcomes(some.confidences, some.right, some.ways, np.zeros(100, dtype=int), some.texts, some.findable)
    with pytest.raises(InputError, match="one document"):
        cross_fitted(alone, FitOptions())


def test_the_error_is_what_its_definition_says() -> None:
    confidences, right = np.array([0.05, 0.15, 0.95, 1.0]), np.array([0.0, 1.0, 1.0, 1.0])
    # Bins of width 0.5: |0.1 - 0.5| of two queries and |0.975 - 1| of two.
    assert ece(confidences, right, equal_width(confidences, 2)) == pytest.approx(0.5 * 0.4 + 0.5 * 0.025)
    assert equal_width(confidences, 2).tolist() == [0, 0, 1, 1]
    assert equal_mass(confidences, 2).tolist() == [0, 0, 1, 1]
    assert equal_mass(np.array([0.1, 0.9, 0.9, 0.9]), 4).tolist()[1:] == [3, 3, 3]


def test_the_table_says_what_each_threshold_gives() -> None:
    outcomes = Outcomes(
        np.array([0.9, 0.6, 0.4, 0.2]), np.array([1.0, 0.0, 1.0, 0.0]), np.zeros(4, dtype=int),
        np.arange(4), np.arange(4), np.array([True, False, True, True]),
    )  # fmt: skip
    row = {row.threshold: row for row in precision_table(outcomes.confidences, outcomes, FEW)}[0.5]
    assert (row.number, row.answered) == (2, 0.5)
    assert row.precision is not None and row.precision[0] == 0.5
    assert row.recall is not None and row.recall[0] == pytest.approx(1 / 3, abs=1e-6)


# In an index -----------------------------------------------------------------------------------------------------


@pytest.fixture
def place(workshop, words: Callable[[int, int], list[str]]) -> Path:
    """An index of a hundred concepts with three names each."""
    names = list({tuple(sorted(name.split())): name for name in words(600, 3)}.values())[:300]
    stanzas = [
        f'id: T:{n}\nname: {names[n]}\nsynonym: "{names[100 + n]}" EXACT []\nsynonym: "{names[200 + n]} {names[n]}" '
        "EXACT []"
        for n in range(100)
    ]
    return workshop.index(workshop.terminology("tiny", *stanzas)).path


@pytest.fixture
def index(place: Path) -> Iterator[Index]:
    with open_index(place) as opened:
        yield opened


def first_name(index: Index) -> str:
    return index.preferred(7)


def test_questions_are_of_all_kinds_and_the_same_again(index: Index) -> None:
    options = QuestionOptions(questions=200, hidden=0.3, gone=0.2, unrelated=0.2, doubt=0)
    drawn = list(draw_questions(index, options))
    assert drawn == list(draw_questions(index, options))
    assert {one.kind for one in drawn} == set(QUESTION_KINDS)
    names = index.signals.names
    for one in drawn:
        assert bool(one.right) == (one.kind in {"kept", "hidden"})
        if one.kind == "gone":
            assert {int(names.concepts[row]) for row in one.hidden} == {one.concept}
            assert len(one.hidden) == names.bounds[one.concept + 1] - names.bounds[one.concept]
    doubted = list(draw_questions(index, QuestionOptions(questions=200, hidden=0, gone=0, unrelated=0, doubt=0.5)))
    assert 60 < sum(not one.right for one in doubted) < 140


@pytest.mark.parametrize("wrong", [{"hidden": -0.1}, {"hidden": 0.7, "gone": 0.4}, {"questions": 0}, {"doubt": 1.0}])
def test_shares_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        QuestionOptions(**wrong)  # type: ignore[arg-type]


def test_hidden_names_are_not_found(index: Index) -> None:
    text = first_name(index)
    assert search(index, text)[0].matched == text
    row = int(index.signals.names.bounds[7])
    assert text not in [hit.matched for hit in search(index, text, Experiment(hidden=(row,)))]


@pytest.mark.slow
def test_an_index_is_calibrated_on_its_own_names_and_a_refreshed_handle_sees_it(index: Index, place: Path) -> None:
    before = search(index, first_name(index))
    outcomes = named_outcomes(index, QuestionOptions(questions=300))
    learned = learn_calibration(outcomes, {"learned_from": "names", "data": "tiny"}, unit="concept", bootstrap=FEW)
    write_calibration(place, learned.calibration)
    assert search(index, first_name(index)) == before
    assert index.calibration is None
    index = index.refreshed()
    after = search(index, first_name(index))
    assert index.calibration == learned.calibration
    assert [hit.id for hit in after] == [hit.id for hit in before]
    assert before[0].confidence == SUREST
    raw = search(index, first_name(index), Experiment(calibrated=False))
    assert [hit.id for hit in raw] == [hit.id for hit in before]
    assert after[0].confidence == pytest.approx(learned.calibration.probability(raw[0].confidence, "spelled"))
    assert verify(place)
    assert index.manifest.content["calibration"]["learned_from"] == "names"


def test_search_explain_and_threshold_use_it(index: Index, place: Path) -> None:
    text = first_name(index)
    raw = search(index, text, Experiment(calibrated=False))
    write_calibration(place, HALF)
    index = index.refreshed()
    hits = search(index, text)
    assert hits[0].confidence == pytest.approx(raw[0].confidence / 2, abs=1e-5)
    assert explain(index, text, hits[0].id).hit.confidence == hits[0].confidence
    assert explain(index, text, hits[1].id).hit.confidence == pytest.approx(hits[1].confidence, abs=2e-6)
    assert search(index, text, SearchOptions(least=0.6)) == []
    alone = SearchOptions(signal="dense")
    assert search(index, text, alone)[0].confidence == pytest.approx(1, abs=1e-3)
    (answer,) = normalize(index, [Mention(text)], NormalizeOptions(precision=0.95))
    assert answer.id == hits[0].id
    (answer,) = normalize(index, [Mention("quite another thing")], NormalizeOptions(precision=0.95))
    assert answer.id is None


def test_a_precision_needs_a_calibration(index: Index, place: Path) -> None:
    with pytest.raises(InputError, match=r"never calibrated.*`calibrate"):
        list(normalize(index, [Mention("x")], NormalizeOptions(precision=0.95)))
    write_calibration(place, HALF)
    index = index.refreshed()
    with pytest.raises(InputError, match="fused"):
        options = NormalizeOptions(precision=0.95, search=SearchOptions(signal="char"))
        list(normalize(index, [Mention("x")], options))
    with pytest.raises(InputError, match="not both"):
        NormalizeOptions(precision=0.95, threshold=0.5)


@pytest.mark.slow
def test_it_stays_with_added_terms_and_updates_and_goes_with_a_rebuild_or_another_encoder(
    index: Index, place: Path, workshop
) -> None:
    write_calibration(place, HALF)
    add_terms(place, [AddedTerm("T:7", "funny turn")])
    assert Calibration.open(place) == HALF
    terminology = index.terminologies[0].path
    assert update_index(place, [terminology]).calibration == "kept"
    assert Calibration.open(place) == HALF
    assert update_index(place, [terminology], encoder=workshop.encoder("b", seed=1)).calibration == "dropped"
    assert Calibration.open(place) is None
    assert update_index(place, [terminology]).calibration == ""
    write_calibration(place, HALF)
    build_index(index.terminologies, place, encoder=workshop.folder / "a.encoder")
    assert not (place / FILE).exists()


def test_it_can_be_taken_out_again(index: Index, place: Path) -> None:
    fingerprint = index.manifest.fingerprint
    write_calibration(place, HALF)
    assert index.refreshed().calibration == HALF
    write_calibration(place, None)
    index = index.refreshed()
    assert index.calibration is None
    assert index.manifest.fingerprint == fingerprint
    assert "calibration" not in index.manifest.content


def test_a_damaged_one_is_told(place: Path) -> None:
    write_calibration(place, HALF)
    size = (place / FILE).stat().st_size
    (place / FILE).write_bytes(b"{}".ljust(size))
    with pytest.raises(ArtifactError, match=r"damaged.*`calibrate"), open_index(place):
        pass


def test_without_a_calibration_no_name_is_sure(index: Index) -> None:
    text = first_name(index)
    assert search(index, text)[0].confidence == SUREST < search(index, text, Experiment(calibrated=False))[0].confidence
    assert explain(index, text, search(index, text)[0].id).hit.confidence == SUREST
    (answer,) = normalize(index, [Mention(text)], NormalizeOptions(threshold=SUREST))
    assert (answer.id, answer.confidence) == (search(index, text)[0].id, SUREST)
    (code,) = search(index, search(index, text)[0].id)
    assert code.confidence == 1


def test_a_threshold_that_no_name_reaches_is_refused(index: Index, place: Path) -> None:
    too_high = NormalizeOptions(threshold=0.97)
    with pytest.raises(InputError, match=r"no name has a confidence above 0\.96.*calibrate"):
        list(normalize(index, [Mention("x")], too_high))
    (ids_alone,) = normalize(index, [Mention(first_name(index))], NormalizeOptions(threshold=1))
    assert ids_alone.id is None
    write_calibration(place, HALF)
    assert next(iter(normalize(index.refreshed(), [Mention("x")], too_high))).id is None


@pytest.mark.parametrize("way", WAYS)
def test_without_a_calibration_the_default_threshold_stays_where_it_is(way: str) -> None:
    assert USUAL.probability(0.5, way) == 0.5
    assert USUAL.probability(0.0, way) == 0.0
    assert USUAL.probability(1.0, way) == SUREST
    for first in (0.1, 0.3, 0.6, 0.9):
        sure = USUAL.confidences([first, (1 - first) / 2, (1 - first) / 4], way)
        assert sure == sorted(sure, reverse=True)
        assert sum(sure) <= 1
