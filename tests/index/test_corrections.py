"""Misspelled queries: which corrections are tried, which one is taken, and how sure it may be."""

from __future__ import annotations

import random
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np
import pytest
from rapidfuzz.distance import OSA

from ontonym.index import IndexOptions, interpretation, samewords, wordings
from ontonym.index.corrections import sure_as_typed
from ontonym.index.query import Query
from ontonym.index.scan import Scan
from ontonym.index.spelling import replaces_english, trust_in
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.search import Experiment
from ontonym.types import Correction

MANY = [f"id: M:{number}\nname: Base excess {word}" for number, word in enumerate(("arterial", "venous", "mixed"), 10)]
ECZEMA = "id: M:1\nname: Eczema"
PILES = "id: M:2\nname: Hemorrhoids"


@pytest.fixture
def index(workshop: Any) -> Any:
    made = workshop.terminology("made", ECZEMA, PILES, *MANY)
    return workshop.index(made, options=IndexOptions(everyday=False))


def corrections(index: Any, text: str) -> list[tuple[float, Query]]:
    """The corrected queries for a text, each with the trust in it."""
    (found,) = index.interpreter.corrections.of([index.signals.query(text)], [0.0])
    return found


def test_what_sounds_alike_is_nearer(index: Any) -> None:
    tried = [query.text for _, query in corrections(index, "excema")]
    assert tried == ["eczema"]  # "excess" is two letters away too, and three names have it
    (hit, *_) = search(index, "excema")
    assert (hit.id, hit.reason.correction) == ("M:1", Correction.CORRECTED)


def test_every_word_so_few_letters_off_is_compared(workshop: Any) -> None:
    rng = random.Random(1)  # noqa: S311 (no secret)
    words = sorted({"".join(rng.choices("abcei", k=rng.randint(5, 9))) for _ in range(600)})
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {word}" for number, word in enumerate(words)))
    index = workshop.index(made, options=IndexOptions(everyday=False))
    known = [word for word in words if index.signals.names.word_ids([word]) != [None]]
    compared = 0
    for written in words[::10]:
        for most in (1, 2, 3):
            near = {word for word in known if OSA.distance(written, word) <= most}
            assert near <= set(index.signals.speller.alike(written, most))
            compared += len(near)
    assert compared > 200


def test_a_value_of_what_is_misspelled_is_read_too(workshop: Any) -> None:
    made = workshop.terminology("made", "id: M:1\nname: Body temperature", "id: M:2\nname: Fever")
    index = workshop.index(made, options=IndexOptions(everyday=False))
    (hit, *_) = search(index, "temprature 39.5")
    assert (hit.id, hit.reason.correction) == ("M:2", Correction.CORRECTED)
    assert hit.confidence > 0.5
    ((_, read),) = corrections(index, "temprature 39.5")
    assert (read.text, read.changes) == ("fever", (("temprature", "temperature"), ("temperature 39.5", "fever")))
    assert search(index, "temprature 36.9")[0].id == "M:1"


def test_of_equally_near_words_what_the_terminology_has_decides(workshop: Any) -> None:
    many = [f"id: M:{number}\nname: {place} scar" for number, place in enumerate(("Arm", "Leg", "Foot"), 10)]
    made = workshop.terminology("made", "id: M:1\nname: Night sweat", "id: M:2\nname: Night scan", *many)
    index = workshop.index(made, options=IndexOptions(everyday=False))
    tried = [query.text for _, query in corrections(index, "night scax")]
    assert tried == ["night scar", "night scan"]  # more names have the first
    assert search(index, "night scax")[0].id == "M:2"
    tried = [query.text for _, query in corrections(index, "nigth scax")]
    assert tried == ["night scar", "night scan"]
    assert search(index, "nigth scax")[0].id == "M:2"


def test_two_words_that_are_as_near_are_both_candidates(workshop: Any) -> None:
    two = ["id: M:1\nname: Osteopetrosis", "id: M:2\nname: Osteoporosis"]
    index = workshop.index(workshop.terminology("two", *two), options=IndexOptions(everyday=False))
    hits = search(index, "osteoperosis")
    assert {hit.id for hit in hits} == {"M:1", "M:2"}
    assert max(hit.confidence for hit in hits) < 0.5
    assert search(index, "osteoporosys")[0].confidence > 0.9  # one letter off one of them only


def test_of_two_such_words_the_one_that_more_names_have_is_meant(workshop: Any) -> None:
    more = [f"id: M:{number}\nname: Osteoporosis of type {number}" for number in range(10, 40)]
    made = workshop.terminology("made", "id: M:1\nname: Osteopetrosis", "id: M:2\nname: Osteoporosis", *more)
    first, *others = search(workshop.index(made, options=IndexOptions(everyday=False)), "osteoperosis")
    assert first.id == "M:2"
    assert first.confidence > 0.5
    assert "M:1" in {hit.id for hit in others}


def test_a_plural_is_no_further_off_than_its_singular(workshop: Any) -> None:
    made = workshop.terminology("made", "id: M:1\nname: Cataract", "id: M:2\nname: Hallucinations")
    index = workshop.index(made, options=IndexOptions(everyday=False))
    for plural, singular, wanted in (("cateracts", "cateract", "M:1"), ("hallucenations", "hallucenation", "M:2")):
        ((trust, _),), ((of_one, _),) = corrections(index, plural), corrections(index, singular)
        assert trust == of_one > 0.8
        first = search(index, plural)[0]
        assert (first.id, first.confidence > 0.9) == (wanted, True)


def test_a_nearer_word_competes_though_no_answer_to_it_is_sure(workshop: Any) -> None:
    places = ("nose", "colon")
    polyps = [f"id: M:{number}\nname: Polyp of {place}" for number, place in enumerate(places, 10)]
    index = workshop.index(workshop.terminology("made", "id: M:1\nname: Polio", *polyps))
    assert search(index, "polio")[0].confidence > 0.9
    for written in ("polip", "polips"):
        assert max(hit.confidence for hit in search(index, written)) < 0.5


def test_the_words_of_a_name_vouch_for_each_other(workshop: Any) -> None:
    others = ("Hard attack of wind", "Harm", "Irregular harm", "Beef tapeworm")
    names = ("Heart attack", "Irregular heart beat", *others)
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names)))
    index = workshop.index(made, options=IndexOptions(everyday=False))
    for written, wanted in (("hart atack", "M:0"), ("iregular hart beet", "M:1")):
        first = search(index, written)[0]
        assert (first.id, first.confidence > 0.8) == (wanted, True)


@pytest.mark.parametrize("word", ["nephrotoxicity", "twitches"])
def test_words_that_are_right_are_not_corrected(workshop: Any, word: str) -> None:
    made = workshop.terminology(
        "made", "id: M:1\nname: Neurotoxicity", "id: M:2\nname: Toxicity", "id: M:3\nname: Switches"
    )
    index = workshop.index(made, options=IndexOptions(everyday=False))
    assert corrections(index, word) == []
    assert corrections(index, "neurotoxicty")[0][1].text == "neurotoxicity"


@pytest.mark.parametrize(
    ("word", "wrong"),
    [
        ("enthesopathy", "enteropathy"),  # entheso- as in enthesitis
        ("costectomy", "cystectomy"),  # of a costal part
        ("hepatopexy", "hepatopathy"),  # what is done about it is no disease
        ("haemo", "homo"),
    ],
)
def test_a_word_built_of_other_roots_and_endings_is_no_slip(workshop: Any, word: str, wrong: str) -> None:
    names = ("Enthesitis", "Costal pain", "Hepatitis", wrong)
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names)))
    index = workshop.index(made, options=IndexOptions(everyday=False))
    assert corrections(index, word) == []
    assert index.signals.meant(word) is None


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("tonsilitis", "tonsillitis"),  # though names have *tonsil*
        ("melenoma", "melanoma"),  # and *melena*
        ("glucoma", "glaucoma"),
        ("nefropathy", "nephropathy"),  # no name has its root
        ("cystektomy", "cystectomy"),
    ],
)
def test_a_slip_in_a_root_or_an_ending_is_corrected(workshop: Any, word: str, right: str) -> None:
    names = ("Tonsil", "Melena", "Nephritis", "Cyst", right)
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names)))
    index = workshop.index(made, options=IndexOptions(everyday=False))
    assert [query.text for _, query in corrections(index, word)] == [right]


def test_a_word_of_five_letters_is_english_too(workshop: Any) -> None:
    made = workshop.terminology(
        "made", "id: M:1\nname: Stapes", "id: M:2\nname: Food", "id: M:3\nname: Stapes fixation"
    )
    index = workshop.index(made, options=IndexOptions(everyday=False))
    assert search(index, "food stamps")[0].id == "M:2"
    assert corrections(index, "food stamps") == []
    assert search(index, "stapse fixation")[0].id == "M:3"


def test_a_short_english_word_is_one_letter_off_at_most(workshop: Any) -> None:
    made = workshop.terminology(
        "made", "id: M:1\nname: Passing out", "id: M:2\nname: Plantar fasciitis", "id: M:3\nname: Atrial fibrillation"
    )
    index = workshop.index(made, options=IndexOptions(everyday=False))
    assert corrections(index, "our parking place") == []
    assert corrections(index, "pasking out")[0][1].text == "passing out"
    assert corrections(index, "planter fasciitis")[0][1].text == "plantar fasciitis"
    assert corrections(index, "atrial fibulation")[0][1].text == "atrial fibrillation"


def test_long_words_may_lack_three_letters(index: Any) -> None:
    assert search(index, "hemmoroids")[0].id == "M:2"


def test_a_corrected_query_is_no_surer_than_its_spelling_allows(index: Any) -> None:
    for typed, right in (("hemmoroids", "hemorrhoid"), ("hemorhoids", "hemorrhoid")):
        ((trust, query),) = corrections(index, typed)
        assert query.text == right
        assert 0 < search(index, typed, Experiment(calibrated=False))[0].confidence <= trust < 1
        assert search(index, typed)[0].confidence < search(index, right)[0].confidence
    assert search(index, "hemmoroids")[0].confidence < search(index, "hemorhoids")[0].confidence


def test_a_word_that_no_name_has_is_corrected_though_a_name_has_its_letters(workshop: Any) -> None:
    made = workshop.terminology("made", "id: M:1\nname: Fever", "id: M:2\nname: Beaver fever", *MANY)
    index = workshop.index(made, options=IndexOptions(everyday=False))
    (hit, *_) = search(index, "feaver")
    assert (hit.id, hit.reason.correction) == ("M:1", Correction.CORRECTED)
    queries = [index.signals.query(text) for text in ("beaver", "feaver")]
    sure = [
        replace(read, confidences=np.where(np.arange(len(read.confidences)) > 0, 0, 0.9))
        for read in index.interpreter.candidates.interpretations(queries, Scan())
    ]
    assert [sure_as_typed(one, index.signals) for one in sure] == [pytest.approx(0.9), 0.5]


def test_words_that_stay_unknown_lower_the_trust(index: Any) -> None:
    ((alone, _),) = corrections(index, "hemorhoids")
    ((beside, _),) = corrections(index, "hemorhoids 77xx")
    assert beside == pytest.approx(alone / 2)


def test_trust_falls_with_the_share_of_letters_changed() -> None:
    assert trust_in([]) == 1
    assert trust_in([("diabtes", "diabetes")]) == pytest.approx(1 - 1.25 / 8)
    assert trust_in([("diabtes", "diabetes"), ("ashtma", "asthma")]) < trust_in([("diabtes", "diabetes")])
    assert trust_in([("abcd", "wxyz")]) == 0


@pytest.mark.parametrize(
    ("written", "read", "sounds"),
    [("cibenzoline", "cinnoline", 3), ("quinine", "canine", 2), ("diabtes", "diabetes", 1)],
)
def test_a_word_alone_that_is_far_off_is_mostly_another_word(written: str, read: str, sounds: int) -> None:
    beside = trust_in([(written, read)])
    expected = beside if sounds == 1 else beside * 1.2 / sounds
    assert trust_in([(written, read)], alone=True) == pytest.approx(expected)


def test_an_unknown_drug_is_no_answer_and_a_slip_is_one(workshop: Any) -> None:
    made = workshop.terminology("made", "id: M:1\nname: Cinnoline", "id: M:2\nname: Cinnoline poisoning", PILES, *MANY)
    index = workshop.index(made, options=IndexOptions(everyday=False))
    assert all(hit.confidence < 0.5 for hit in search(index, "cibenzoline"))
    assert search(index, "cibenzoline poisoning")[0].id == "M:2"  # the other word shows what is meant
    (hit, *_) = search(index, "cinoline")
    assert (hit.id, hit.confidence > 0.5) == ("M:1", True)


@pytest.mark.parametrize("signal", ["dense", "char", "lexical", "fused"])
def test_verbatim_nothing_is_corrected(index: Any, signal: str) -> None:
    hits = search(index, "hemmoroids", SearchOptions(signal=signal, verbatim=True))
    assert all(hit.reason.correction is Correction.NONE for hit in hits)
    assert search(index, "hemmoroids", SearchOptions(signal=signal))[0].reason.correction is Correction.CORRECTED


def test_verbatim_the_dense_signal_alone_is_the_cosine_of_query_and_name(index: Any) -> None:
    mistyped, name = index.encoder.encode(["hemmoroids", "Hemorrhoids"])
    exact, corrected = (
        search(index, "hemmoroids", SearchOptions(signal="dense", verbatim=verbatim)) for verbatim in (True, False)
    )
    (found,) = [hit.confidence for hit in exact if hit.id == "M:2"]
    assert found == pytest.approx(float(mistyped @ name), abs=0.01)
    assert corrected[0].id == "M:2"
    assert corrected[0].confidence > found + 0.1


def test_verbatim_no_abbreviation_is_written_out(workshop: Any) -> None:
    made = workshop.terminology("made", "id: M:1\nname: Urinary tract infection", *MANY)
    index = workshop.index(made, options=IndexOptions(everyday=False))
    assert search(index, "UTI")[0].id == "M:1"
    assert search(index, "UTI")[0].reason.correction is Correction.EXPANDED
    assert all(hit.reason.correction is Correction.NONE for hit in search(index, "UTI", SearchOptions(verbatim=True)))


@pytest.mark.parametrize(
    ("written", "read", "said"),
    [
        ("planter", "plantar", True),
        ("growling", "growing", True),
        ("excema", "eczema", False),
        ("hart", "heart", False),
    ],
)
def test_english_words_that_are_replaced_are_told(written: str, read: str, said: bool) -> None:
    assert replaces_english([(written, read)]) is said


@pytest.mark.parametrize(("typed", "known"), [
    ("nonmineralized", "mineralized"), ("unruptured", "ruptured"), ("hypervolaemia", "hypovolemia")
])  # fmt: skip
def test_a_word_is_not_corrected_to_its_opposite(workshop: Any, typed: str, known: str) -> None:
    index = workshop.index(workshop.terminology("one", f"id: M:1\nname: {known}"), options=IndexOptions(everyday=False))
    assert corrections(index, typed) == []


def test_words_that_are_written_together_are_parted(workshop: Any) -> None:
    made = ["id: M:1\nname: Symblepharon, left eye", "id: M:2\nname: Symblepharon"]
    index = workshop.index(workshop.terminology("two", *made), options=IndexOptions(everyday=False))
    ((trust, read),) = corrections(index, "symblepharon lefteye")
    assert (read.text, read.changes) == ("symblepharon left eye", (("lefteye", "left eye"),))
    assert trust > 0.9
    (hit, *_) = search(index, "Symblepharon, lefteye")
    assert (hit.id, hit.confidence > 0.9) == ("M:1", True)
    assert corrections(index, "lefteyebrow") == []
    began = process_time()
    assert corrections(index, "lefteye" * 1_200) == []
    assert process_time() - began < 1  # by the square of its length it took six


def test_a_short_form_in_hardly_any_name_is_written_out(workshop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("Fracture of right arm", "Fracture of arm", "Sprain of arm", "Course of RT", "Course of care")
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names, 1)))
    index = workshop.index(made, options=IndexOptions(everyday=False))
    asked = [index.signals.query("fracture arm rt")]
    monkeypatch.setattr(interpretation, "NAMED", 1.0)  # or "right" is read in either case, since it makes a name
    monkeypatch.setattr(samewords, "_SURE", 0.0)
    ((before, *_),) = index.interpreter.readings_of(asked, Scan())
    monkeypatch.setattr(wordings, "_SELDOM", 0.5)  # one of five names is seldom
    ((after, *_),) = index.interpreter.readings_of(asked, Scan())
    assert (before[1].query.text, after[1].query.text) == ("fracture arm rt", "fracture arm right")
    assert search(index, "fracture arm rt")[0].id == "M:1"


def test_an_abbreviation_that_the_answer_does_not_have_is_hardly_meant(workshop: Any) -> None:
    names = ("Tenderness of right upper quadrant", "Thrombotic thrombocytopenic purpura", "Upper limb", "Quadrant")
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names, 1)))
    index = workshop.index(made, options=IndexOptions(everyday=False))
    (readings,) = index.interpreter.readings_of([index.signals.query("RUQ ttp")], Scan())
    shares = {one.text: one.prior for one in index.signals.lexicon.expansions("RUQ ttp", lambda word: False)}
    kept = {read.query.text: read.prior / shares[read.query.text] for _, read in readings}
    assert kept["right upper quadrant tenderness to palpation"] == pytest.approx(1)
    assert kept["right upper quadrant thrombotic thrombocytopenic purpura"] == pytest.approx(0.5)  # nothing of "RUQ"
    assert search(index, "RUQ ttp")[0].id == "M:1"


def test_a_long_name_with_one_misspelled_word_is_tried_though_the_rest_is_a_name_too(workshop: Any) -> None:
    names = ("Adverse effect of valerian", "Adverse effect of valerian, sequela", "Valerian sequela")
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names, 1)))
    index = workshop.index(made, options=IndexOptions(everyday=False))
    asked = [index.signals.query(text) for text in ("adverse effect of valerian, sequeka", "valerian sequeka")]
    long, short = index.interpreter.corrections.of(asked, [0.97, 0.97])  # surer than a correction is trusted
    assert [query.text for _, query in long] == ["adverse effect of valerian sequela"]
    assert short == []
    (hit, *_) = search(index, "adverse effect of valerian, sequeka")
    assert hit.id == "M:2"


def test_an_english_word_in_the_place_of_one_of_a_short_name_is_a_slip(workshop: Any) -> None:
    names = ("Fasciitis", "Plantar fasciitis", "Stomach", "Growling gut")
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names, 1)))
    index = workshop.index(made, options=IndexOptions(everyday=False))
    asked = [index.signals.query(text) for text in ("planter fasciitis", "growing stomach")]
    slip, meant = index.interpreter.corrections.of(asked, [0.97, 0.97])  # surer than a correction is trusted
    assert [query.text for _, query in slip] == ["plantar fasciitis"]
    assert meant == []
    assert search(index, "planter fasciitis")[0].id == "M:2"
