"""Likely mentions: stretches that resemble a name, and how acceptance is learned from definitions and documents."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from built import ROOMY, index_fixture, indexed
from mentioned import found
from ontonym.errors import ArtifactError, InputError
from ontonym.index import Index, open_index
from ontonym.learning.acceptance import RISING, UNTAUGHT, learn_acceptance, measured
from ontonym.learning.markedtexts import AcceptanceOptions, Example, definition_dataset, document_dataset
from ontonym.tasks import AnnotateOptions, SearchOptions, annotate
from ontonym.tasks.annotation.acceptance import FOUND, SHAPE, Acceptance, OperatingPoint, default_acceptance
from ontonym.tasks.annotation.likelymentions import Likely, LikelyFinder
from ontonym.tasks.annotation.spans import _likely_in
from ontonym.tasks.annotation.stretches import Head, PiecedText, Stretch
from ontonym.text.pieces import pieces

OBO = """format-version: 1.2
ontology: made

[Term]
id: M:1
name: Kidney disease
def: "A disease of the kidney that may come with urinary incontinence, fever and a great many other complaints." []

[Term]
id: M:2
name: Urinary incontinence
def: "Inability to hold urine, often together with fever, spasticity of the muscles and kidney disease at old age." []

[Term]
id: M:3
name: Muscle spasticity
synonym: "Spasticity of muscles" EXACT []
def: "Stiffness of the muscles that is seen with fever or with kidney disease, and which may cause pain for years." []

[Term]
id: M:4
name: Fever
def: "A temperature above the normal one, as with kidney disease and urinary incontinence in the elderly patient." []

[Term]
id: M:5
name: Fractured thoracic vertebra
"""


index = index_fixture({"made.obo": OBO}, ROOMY)


def generous() -> Acceptance:
    """The shipped models with thresholds that let much pass."""
    return replace(default_acceptance(), searched=0.0, accepted=0.0)


def test_what_has_most_of_a_name_is_found_only_as_likely(index: Index) -> None:
    text = "He had incontinence in the morning."
    assert found(index, text, find="phrases") == []
    assert found(index, text, acceptance=generous()) == [("incontinence", "M:2")]


def test_what_is_sound_is_no_finding_of_it(index: Index) -> None:
    assert found(index, "A thoracic vertebra was seen.", acceptance=generous()) == []
    assert found(index, "A fractured vertebra was seen.", acceptance=generous())[0][1] == "M:5"


def test_nothing_is_likely_where_the_threshold_is_out_of_reach(index: Index) -> None:
    strict = replace(generous(), accepted=1.01)
    assert found(index, "He had incontinence in the morning.", acceptance=strict) == []


def test_a_lower_probability_finds_more_and_one_beyond_reach_nothing(index: Index) -> None:
    text = "He had incontinence in the morning."
    assert found(index, text, accept=0.0) == [("incontinence", "M:2")]
    assert found(index, text, accept=1.0) == []
    with pytest.raises(InputError, match="between 0 and 1, not 1"):
        AnnotateOptions(accept=1.5)


def test_what_hardly_means_anything_is_left_out_unless_one_says_how_sure(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Fever and a fractured vertebra."
    (_, guess) = annotate(index, text, replace(AnnotateOptions(), accept=0.0))
    monkeypatch.setattr("ontonym.tasks.annotation.likelymentions.default_acceptance", generous)
    for least, expected in ((guess.confidence, [guess.text]), (guess.confidence + 0.01, [])):
        monkeypatch.setattr(sys.modules["ontonym.tasks.annotation.annotating"], "LEAST_LIKELY", least)
        assert [one.text for one in annotate(index, text)] == ["Fever", *expected]
    assert len(found(index, text, accept=0.0)) == 2


def test_names_keep_their_places_and_likely_mentions_lie_beside_them(index: Index) -> None:
    mentions = found(index, "Fever, incontinence and kidney disease.", acceptance=generous())
    assert mentions == [("Fever", "M:4"), ("incontinence", "M:2"), ("kidney disease", "M:1")]


def test_stretches_have_every_feature_and_no_hidden_name(index: Index) -> None:
    text = "severe incontinence"
    (row,) = index.signals.spelled(["urinary", "incontinence"]).tolist()
    shown = list(LikelyFinder(index, SearchOptions()).stretches(PiecedText(text, pieces(text))))
    assert [one.lookup for one in shown] == ["severe incontinence", "incontinence"]
    assert all(len(one.shape) == len(SHAPE) for one in shown)
    assert dict(zip(SHAPE, shown[0].shape, strict=True))["modifier"] == 1
    hidden = LikelyFinder(index, SearchOptions(), hidden=np.array([row]))
    assert list(hidden.stretches(PiecedText(text, pieces(text)))) == []


def test_definitions_give_right_and_wrong_examples(index: Index) -> None:
    options = AcceptanceOptions(hidden=0.99, wrong=1.0)
    dataset = definition_dataset(index, options)
    examples = dataset.examples(options)
    assert dataset.characters == sum(len(index.terminologies[0].concept(row).definitions[0]) for row in range(4))
    assert all(len(one.features) == len(SHAPE) + len(FOUND) for one in examples)
    assert {one.weight for one in examples} == {1.0}


def test_documents_give_examples_at_the_places_of_their_mentions(index: Index) -> None:
    text = "He had incontinence in the morning, and the elderly patient spoke of urinary tracts."
    options = AcceptanceOptions(wrong=1.0)
    dataset = document_dataset(index, [(text, [(7, 19, ["M:2"])])])
    assert dataset.characters == len(text)
    assert sum(one.right for one in dataset.examples(options)) == 1
    assert not any(one.right for one in document_dataset(index, [(text, [(7, 19, ["M:3"])])]).examples(options))


def test_what_is_reached_is_measured_on_the_other_half(index: Index) -> None:
    """Every text has a mention in other words, "incontinence", and one that no name explains, "urinary tracts"."""
    text = "He had incontinence in the morning, and the elderly patient spoke of urinary tracts."
    dataset = document_dataset(index, [(text, [(7, 19, ["M:2"])])] * 60)
    points = measured([dataset], AcceptanceOptions(wrong=1.0, decay=0.1), without=(), searched=0.001)
    assert [one.accept for one in points] == sorted({one.accept for one in points})
    assert points[-1].precision == 1.0
    assert points[-1].recall == 1.0
    assert all(one.recall >= other.recall for one, other in pairwise(points))
    assert measured([dataset.part(0, 60)]) == ()


def points() -> Acceptance:
    made = (OperatingPoint(0.1, 0.5, 0.9), OperatingPoint(0.4, 0.7, 0.6), OperatingPoint(0.8, 0.9, 0.2))
    return replace(default_acceptance(), measured=made)


@pytest.mark.parametrize(
    ("asked", "accepted"),
    [
        ({"precision": 0.5}, 0.1),
        ({"precision": 0.6}, 0.4),
        ({"precision": 0.9}, 0.8),
        ({"recall": 0.9}, 0.1),
        ({"recall": 0.5}, 0.4),
        ({"recall": 0.1}, 0.8),
        ({"accept": 0.33}, 0.33),
    ],
)
def test_operating_points_choose_a_probability(asked: dict[str, float], accepted: float) -> None:
    options = AnnotateOptions(acceptance=points(), **asked)
    assert options.deciding is not None
    assert options.deciding.accepted == accepted


def test_what_is_out_of_reach_is_an_error_that_says_how_far_one_comes() -> None:
    with pytest.raises(InputError, match=r"at most 0\.90 are right, with `accept=0\.8`, which then finds 0\.20"):
        AnnotateOptions(acceptance=points(), precision=0.95).deciding  # noqa: B018 (raises)
    with pytest.raises(InputError, match=r"at most 0\.90 are found, with `accept=0\.1`, of which 0\.50 are right"):
        AnnotateOptions(acceptance=points(), recall=0.95).deciding  # noqa: B018 (raises)
    with pytest.raises(InputError, match="never measured"):
        AnnotateOptions(acceptance=replace(points(), measured=()), recall=0.5).deciding  # noqa: B018 (raises)
    with pytest.raises(InputError, match="`accept=` and `recall=` say the same"):
        AnnotateOptions(accept=0.5, recall=0.5)
    with pytest.raises(InputError, match="`find=names` finds none"):
        AnnotateOptions(find="names", recall=0.5)


def test_the_package_was_measured() -> None:
    shipped = default_acceptance().measured
    assert len(shipped) > 10
    assert AnnotateOptions(recall=shipped[3].recall).deciding is not None
    assert AnnotateOptions(precision=shipped[3].precision).deciding is not None


def made_examples() -> list[Example]:
    """The confidence is high for right ones, and their *dense* similarity is the lower the surer they are."""
    rng = np.random.default_rng(0)
    names = (*SHAPE, *FOUND)
    examples = []
    for number in range(400):
        values = dict(zip(names, rng.normal(size=len(names)).tolist(), strict=True))
        right = bool(number % 4 == 0)
        values["confidence"] += 4 if right else 0
        values["dense"] -= 2 if right else 0
        examples.append(Example(tuple(values[name] for name in names), right, 1.0))
    return examples


def test_learning_finds_what_tells_right_ones_and_no_weight_has_the_wrong_sign() -> None:
    examples = made_examples()
    learned = learn_acceptance(examples, 1_000, AcceptanceOptions(decay=1.0))
    weights = dict(zip((*SHAPE, *FOUND), learned.found.weights.tolist(), strict=True))
    assert max(weights, key=lambda name: abs(weights[name])) == "confidence"
    assert "dense" in RISING
    assert weights["dense"] == 0
    assert all(weights[name] == 0 for name in UNTAUGHT)
    chances = learned.found.probabilities(np.array([one.features for one in examples]))
    right = np.array([one.right for one in examples])
    assert ((chances > 0.5) == right).mean() > 0.9


def test_few_examples_change_a_prior_little_and_many_change_it_more() -> None:
    prior = learn_acceptance(made_examples(), 1_000, AcceptanceOptions(decay=1.0))
    contrary = [replace(one, right=not one.right) for one in made_examples()]
    place = (*SHAPE, *FOUND).index("confidence")
    few, many = (
        learn_acceptance(contrary[:size], 1_000, AcceptanceOptions(decay=20.0), prior=prior).found.weights[place]
        for size in (20, 400)
    )
    assert prior.found.weights[place] > few > many


def test_weights_survive_json_and_others_are_refused() -> None:
    learned = learn_acceptance(made_examples(), 1_000)
    values = learned.to_dict()
    again = Acceptance.from_dict(values)
    features = np.array([one.features for one in made_examples()[:20]])
    assert np.allclose(again.found.probabilities(features), learned.found.probabilities(features), atol=1e-3)
    del values["found"]["dense"]
    with pytest.raises(ArtifactError, match="learn them again"):
        Acceptance.from_dict(values)


def test_learning_needs_right_and_wrong_examples() -> None:
    with pytest.raises(InputError, match="only one of both"):
        learn_acceptance([one for one in made_examples() if one.right], 1_000)


@pytest.fixture(scope="module")
def spasms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    rows = ["S:1\tSpasm\t", "S:2\tCoronary vasospasm\tcoronary artery spasm", "S:3\tMuscle rigidity\t"]
    rows += [f"D:{number}\t{word} deficiency\t" for number, word in enumerate(FACTORS)]
    table = "\n".join(["id\tpreferred\tsynonyms", *rows]) + "\n"
    with open_index(indexed(tmp_path_factory.mktemp("spasms"), {"made.tsv": table}, ROOMY)) as opened:
        yield opened


FACTORS = (
    "alanine biotin copper dopamine estrogen folate glucose histidine iodine keratin lactase magnesium niacin oxygen "
    "protein quinone retinol selenium thiamine uridine vitamin zinc"
).split()


def test_a_longer_reading_takes_the_place_of_the_name_in_it_only_if_it_means_another_concept(spasms: Index) -> None:
    assert found(spasms, "Seen with coronary spasm.", find="phrases") == [("spasm", "S:1")]
    assert found(spasms, "Seen with coronary spasm.", acceptance=generous()) == [("coronary spasm", "S:2")]
    assert found(spasms, "Seen with nightly spasm.", acceptance=generous()) == [("spasm", "S:1")]
    nested = found(spasms, "Seen with coronary spasm.", acceptance=generous(), nested=True)
    assert ("coronary spasm", "S:2") in nested
    assert ("spasm", "S:1") in nested


def test_a_word_of_very_many_names_is_none_by_itself(spasms: Index) -> None:
    finder = LikelyFinder(spasms, SearchOptions())

    def seen(text: str) -> list[str]:
        return [one.lookup for one in finder.stretches(PiecedText(text, pieces(text)))]

    assert seen("zinc deficiency") == ["zinc deficiency"]
    assert seen("deficiency") == []
    assert seen("rigidity") == ["rigidity"]


def test_an_abbreviation_means_what_its_long_form_ends_with(index: Index) -> None:
    text = "Two had heparin-induced fever (HIF). HIF was rare, and HIFs passed."
    mentions = found(index, text)
    assert [one for one in mentions if one[0].startswith("HIF")] == [("HIF", "M:4"), ("HIF", "M:4"), ("HIFs", "M:4")]
    reversed_ = found(index, "Two had HIF (heparin-induced fever). HIF was rare.")
    assert reversed_.count(("HIF", "M:4")) == 2


def test_an_abbreviation_of_something_else_is_no_mention_though_its_long_form_has_one(index: Index) -> None:
    for text in (
        "By the Kidney Disease Rating Scale (KDRS) he had five points; the KDRS was repeated.",
        "The risk of fever (RF) was low, and RF stayed low.",
        "He had chronic urinary fever loss (CUFL) studies; CUFL was read.",
    ):
        assert not {"KDRS", "RF", "CUFL"} & {one[0] for one in found(index, text)}


def test_the_singular_of_an_abbreviation_defined_in_the_plural_is_known(index: Index) -> None:
    assert ("KD", "M:1") in found(index, "We saw kidney diseases (KDs). One KD was severe.")


@pytest.mark.parametrize(
    ("text", "fills"), [("nausea/vomiting", True), ("nausea of vomiting", True), ("nausea after vomiting", False)]
)
def test_names_side_by_side_are_a_stretch_that_says_no_more(text: str, fills: bool) -> None:
    row = pieces(text)
    last = len(row) - 1
    heads = (Head(0, 0, frozenset({1})), Head(last, last, frozenset({2})))
    assert PiecedText(text, row, {}, (), heads).fills(Stretch(0, last, text, (), ()), heads) is fills


@pytest.mark.parametrize(("confidence", "heads", "expected"), [(0.6, 1, []), (0.9, 1, [(0, 12)]), (0.6, 0, [(0, 12)])])
def test_a_guess_takes_no_name_away(
    monkeypatch: pytest.MonkeyPatch, confidence: float, heads: int, expected: list[tuple[int, int]]
) -> None:
    text = "pain in legs"
    guess = Likely(Stretch(0, 2, text, ("pain", "in", "legs"), ()), 1, 1, False, confidence, ())
    monkeypatch.setattr(LikelyFinder, "find", lambda self, read: iter([(guess, 0.2)]))
    read = PiecedText(text, pieces(text), {}, (), (Head(0, 0, frozenset({2})),) * heads)
    assert [(one.start, one.end) for one in _likely_in(object.__new__(LikelyFinder), read, 0.3)] == expected


VAGUE = """id\tpreferred\tsynonyms
M:1\tSpecific learning disability\t
M:2\tIntellectual disability\t
M:3\tSevere visual impairment\t
M:4\tMemory loss\t
"""


vague = index_fixture({"vague.tsv": VAGUE}, ROOMY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She has a learning disability.", [("learning disability", "M:1")]),
        ("She attends a learning disability clinic.", []),
        ("She has a visual impairment.", []),
    ],
)
def test_a_word_that_says_nothing_may_be_left_out(vague: Index, text: str, expected: list[tuple[str, str]]) -> None:
    unreached = replace(default_acceptance(), accepted=1.0)
    assert found(vague, text, acceptance=unreached) == expected
