"""Words of clinical notes that are names and mean something else, and findings that notes tell in other words."""

from __future__ import annotations

import pytest

from built import SMALL, index_fixture
from mentioned import found
from ontonym.index import Index
from ontonym.index.everyday import SOURCE as EVERYDAY_NAME
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions, annotate
from ontonym.tasks.annotation.acceptance import FOUND, SHAPE
from ontonym.tasks.annotation.annotating import _once, _without_unlikely
from ontonym.tasks.annotation.likelymentions import (
    Likely,
    _begins_with_abnormality,
    _completes,
    _is_cut,
    _is_whole_phrase,
    _says_amount,
    is_same_abnormality,
)
from ontonym.tasks.annotation.overlaps import Span
from ontonym.tasks.annotation.stretches import Head, Stretch
from ontonym.tasks.answer import Normalization
from ontonym.text.pieces import pieces
from ontonym.types import Hit, Mention

TABLE = """id\tpreferred\tsynonyms\tparents
W:1\tClinical modifier\t\t
W:2\tBilateral\t\tW:1
W:3\tCompression fracture\t\tW:1
W:4\tCerebral palsy\tCP\t
W:5\tChest pain\t\t
W:6\tPosttraumatic stress symptom\tPTSD\t
W:7\tVisual impairment\t\t
W:8\tMyocardial infarction\tMI\t
W:9\tPosition\t\t
W:10\tConfusion\t\t
W:11\tFever\t\t
W:12\tBlindness\t\t
W:13\tSepsis\t\t
W:14\tCleft lip\t\t
W:15\tCleft palate\t\t
W:16\tLow blood pressure\t\t
W:17\tNervousness\t\t
W:18\tLFTS\t\t
W:19\tFrequency\t\t
W:20\tExcluded\t\tW:19
W:21\tGunshot injury\tShot NOS\t
W:22\tInfluenza\tflu\t
W:23\tBleeding\t\t
W:24\tBipolar disorder\t\t
W:25\tCrohn disease\t\t
W:26\tRaynaud phenomenon\t\t
W:27\tOptic neuritis\tON\t
W:28\tRadiating pain\tpain radiating\t
W:29\tAlopecia\thair loss|no hair\t
W:30\tPulmonary nodule\t\t
W:31\tSkin nodule\t\t
W:32\tDental crowding\tCrowded teeth\t
W:33\tCrowded ribs\t\t
W:34\tLong teeth\t\t
W:35\tDeep philtrum\t\t
W:36\tShort philtrum\t\t
W:37\tMottling\t\t
W:38\tMottling of the thigh\tThigh mottling\tW:37
W:39\tModerate\t\tW:1
W:40\tNeoplasm\tGrowth NOS|Growth\t
W:41\t2-3 toe syndactyly\t\t
W:42\tSecond finger clinodactyly\t\t
W:43\tFifth finger clinodactyly\t\t
W:44\tClinodactyly\t\t
W:45\tAntalgic gait\t\t
W:46\tPleural effusion\t\t
W:47\tImpacted tooth\t\t
W:48\tHypoplasia of eye\t\t
W:49\tNausea and vomiting\t\t
W:50\tParesthesia\tpins and needles\t
W:51\tInfectious gastroenteritis\tD&V\t
"""


index = index_fixture({"words.tsv": TABLE}, SMALL, everyday=True)


def test_of_names_that_overlap_with_as_many_words_the_first_counts(index: Index) -> None:
    assert found(index, "Central chest pain radiating to the arm.") == [("chest pain", "W:5")]
    assert found(index, "There is no hair loss.") == [("hair loss", "W:29")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lungs: 4 mm nodule in the left lower lobe.", [("nodule", "W:30")]),
        ("Skin: no rash. A nodule.\nLungs: one nodule.", [("nodule", "W:31"), ("nodule", "W:30")]),
        ("Left lung: clear. Teeth: crowded.", [("crowded", "W:32")]),
        ("Lungs: clear.\nA nodule.", []),  # the line under the heading has ended
        ("Lungs: a nodule of the liver.", []),  # of another part
        ("Plan: a nodule.", []),
        ("Teeth: crowded room.", []),  # it qualifies another word
        ("TEETH: crowded, LUNGS: a nodule", [("crowded", "W:32")]),  # "LUNGS" begins no heading after a comma
        ("TEETH: crowded. LUNGS: a nodule", [("crowded", "W:32"), ("nodule", "W:30")]),
        ("Teeth and lungs: long.", [("long", "W:34")]),
        ("Teeth: rather long. Sockets long.", [("long", "W:34")]),  # the second is told of the sockets
        ("Thigh: mottling, clear.", [("mottling", "W:38")]),  # the narrower of two names
        ("Thigh: clear. Mottling.", [("Mottling", "W:37")]),
        ("Gait: antalgic. Pleura: small effusion.", [("antalgic", "W:45"), ("effusion", "W:46")]),  # a function
        ("Gait: antalgic lurch.", []),  # it qualifies another word
        ("UR8\timpacted\nUR7\tsound", [("impacted", "W:47")]),  # a tooth of a chart
        ("See UR8: impacted", []),
    ],
)
def test_what_stands_under_the_heading_of_a_part_of_the_body_is_of_this_part(
    index: Index, text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(index, text) == expected


def test_two_adjectives_behind_a_noun_both_tell_of_it(index: Index) -> None:
    both = "Philtrum short and deep"
    assert found(index, f"{both}.") == [(both, "W:36"), (both, "W:35")]
    assert found(index, "Philtrum short and deep teeth.") == [("Philtrum short", "W:36")]


def test_what_only_says_how_a_finding_is_is_none(index: Index) -> None:
    assert found(index, "Bilateral compression fractures.") == [("compression fractures", "W:3")]
    asked = AnnotateOptions(normalize=NormalizeOptions(threshold=0.0, search=SearchOptions(within=("W:1",))))
    assert found(index, "Bilateral.", asked) == [("Bilateral", "W:2")]


def test_how_often_a_finding_is_is_none(index: Index) -> None:
    (sepsis,) = annotate(index, "Sepsis cannot be excluded.")
    assert (sepsis.text, sepsis.context) == ("Sepsis", ("uncertain",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A shot of thiamine was given.", []),
        ("Had her flu shot, no flu.", ["flu"]),
        ("SHOT in the leg", []),
        ("Known ON. Gr 2 heel ulcer.", ["ON"]),
        ("ON DISCHARGE: well.", []),
        ("Growth: 9th centile.", []),
        ("46 caries MOD", []),
    ],
)
def test_words_that_say_something_else(index: Index, text: str, expected: list[str]) -> None:
    assert [one.text for one in annotate(index, text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It bled once.", [("bled", "W:23")]),
        ("Mat aunt bipolar, no bipolar diathermy.", [("bipolar", "W:24")]),
        ("PMH: Crohn's, Raynaud's.", [("Crohn's", "W:25"), ("Raynaud's", "W:26")]),
        ("1. Raynaud's   2. Secondary Crohn’s", [("Raynaud's", "W:26"), ("Crohn’s", "W:25")]),
        ("Crohn's team called, Raynaud's score 3.", []),
    ],
)
def test_words_that_stand_for_a_disease(index: Index, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(index, text) == expected


def test_an_acronym_means_what_it_means_most_often(index: Index) -> None:
    (pain,) = annotate(index, "CP since noon.")
    assert (pain.text, pain.id) == ("CP", "W:5")
    assert 0.5 < pain.confidence < 0.8  # two thirds of those who write it mean this
    assert found(index, "CP since noon.", AnnotateOptions(find="names")) == []
    assert found(index, "A long-CP chain.") == []
    assert found(index, "Cerebral palsy (CP) was found. CP is rare.")[1:] == [("CP", "W:4"), ("CP", "W:4")]


def test_an_acronym_that_means_much_the_same_is_a_name(index: Index) -> None:
    assert found(index, "Known PTSD.") == [("PTSD", "W:6")]
    assert found(index, "Known LFTS.") == [("LFTS", "W:18")]  # the preferred term


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MI 112", []),
        ("MI 2019", ["MI"]),
        ("MI 45 days ago", ["MI"]),
        ("CP 8/10", ["CP"]),
        ("CP 112", []),
        ("Lesion in segment VI", []),
    ],
)
def test_an_acronym_before_what_it_measures_is_no_mention(index: Index, text: str, expected: list[str]) -> None:
    assert [written for written, _ in found(index, text)] == expected


def test_a_word_of_the_root_of_what_is_no_finding_is_none(index: Index) -> None:
    assert found(index, "Blood culture positive.") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He was confused.", [("confused", "W:10")]),
        ("Confused overnight, and more confused since.", [("Confused", "W:10"), ("confused", "W:10")]),
        ("Pt septic, febrile overnight.", [("septic", "W:13"), ("febrile", "W:11")]),
        ("Blind since birth.", [("Blind", "W:12")]),
        ("He went blind.", [("went blind", "W:12")]),
        ("Blind.", [("Blind", "W:12")]),
        ("A confused handwriting.", []),
        ("A double-blind, randomized trial.", []),
        ("A double blind, randomized trial.", []),
    ],
)
def test_adjectives_tell_findings(index: Index, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(index, text) == expected


def test_numbers_and_participles_are_no_nouns_of_a_phrase(index: Index) -> None:
    assert found(index, "Cleft lip and palate repaired.") == [
        ("Cleft lip and palate", "W:14"),
        ("Cleft lip and palate", "W:15"),
    ]
    assert found(index, "BP low 88/50") == [("BP low", "W:16")]


def test_words_that_qualify_the_next_one_are_cut_from_no_phrase(index: Index) -> None:
    assert found(index, "Little eyes were seen.") == [("Little eyes", "W:48")]
    assert found(index, "There was little eye contact.") == []
    assert found(index, "A little eye size was noted.") == [("little eye", "W:48")]


def test_an_everyday_name_crosses_no_comma(index: Index) -> None:
    assert found(index, "high temperature") == [("high temperature", "W:11")]
    assert found(index, "high, temperature") == []


def test_fingers_and_toes_are_counted(index: Index) -> None:
    text = "syndactyly of the second and third toes"
    assert found(index, f"There was {text}.") == [(text, "W:41")]
    assert found(index, "There was syndactyly of toes II and III.") == [("syndactyly of toes II and III", "W:41")]
    both = "clinodactyly of the second and fifth fingers"
    assert found(index, f"There was {both}.") == [(both, "W:42"), (both, "W:43")]


def test_an_everyday_name_is_no_part_of_the_body(index: Index) -> None:
    assert found(index, "It was my nerves.") == [("nerves", "W:17")]
    assert found(index, "Cranial nerves intact.") == []
    assert found(index, "Nerves of the arm.") == []


def test_a_name_does_not_cross_a_tab() -> None:
    assert [piece.goes_on for piece in pieces("Ataxia\ttremor of hands")] == [False, False, True, True]
    assert [piece.goes_on for piece in pieces("N- V- D+")] == [False, False, False, True]
    assert [piece.goes_on for piece in pieces("X- ray")] == [False, True]


def likely(confidence: float, *, shape: dict[str, float], found: dict[str, float]) -> Likely:
    """A stretch of two words with these features, all others 0."""
    shown = tuple(shape.get(name, 0.0) for name in SHAPE)
    stretch = Stretch(0, 1, "ST depression", ("st", "depression"), shown)
    return Likely(stretch, 1, 1, False, confidence, tuple(found.get(name, 0.0) for name in FOUND))


def test_a_short_phrase_with_nothing_beside_it_is_searched_for_sooner() -> None:
    def is_one(**shape: float) -> bool:
        return _is_whole_phrase(tuple(shape.get(name, 0.0) for name in SHAPE))

    assert is_one(words=2)
    assert is_one(words=3, of_phrase=0.4)
    assert not is_one(words=1)
    assert not is_one(words=4)
    assert not is_one(words=2, after=1)
    assert not is_one(words=2, before=1)
    assert not is_one(words=2, normal=1)


def test_what_the_search_is_nearly_certain_of_needs_no_acceptance() -> None:
    assert likely(0.95, shape={"words": 2}, found={}).is_certain
    assert not likely(0.85, shape={"words": 2}, found={}).is_certain
    assert not likely(0.95, shape={"words": 1}, found={}).is_certain
    assert not likely(0.95, shape={"words": 2}, found={"rarity_extra": 3.0}).is_certain


def test_a_phrase_that_says_what_its_last_word_is_of_counts_where_a_name_has_all_of_it() -> None:
    head = Head(1, 1, frozenset({7}))
    assert _completes(likely(0.6, shape={}, found={"query_share": 1}), [head])
    assert not _completes(likely(0.4, shape={}, found={"query_share": 1}), [head])  # the search is unsure
    assert not _completes(likely(0.6, shape={}, found={"query_share": 0.7}), [head])
    assert not _completes(likely(0.6, shape={"modifier": 1}, found={"query_share": 1}), [head])
    assert not _completes(likely(0.6, shape={"hyphen": 1}, found={"query_share": 1}), [head])
    assert not _completes(likely(0.6, shape={"before": 1}, found={"query_share": 1}), [head])
    assert not _completes(likely(0.6, shape={}, found={"query_share": 1}), [Head(0, 0, frozenset({7}))])


def test_words_for_much_or_little_stand_before_or_after_what_is_measured() -> None:
    assert _says_amount(("crp", "raised"))
    assert _says_amount(("raised", "crp"))
    assert not _says_amount(("low", "normal", "intelligence"))
    assert not _says_amount(("raised",))
    assert not _says_amount(("chest", "pain"))


@pytest.mark.parametrize(
    ("words", "name", "expected"),
    [
        ("wide ventricle", "enlarged ventricle", True),
        ("prominent heel", "prominent heel bone", True),
        ("low calcium", "low blood calcium level", True),
        ("shortened lip", "short upper lip", True),
        ("wide ventricle", "ventricle", False),  # the name does not say that anything is wrong
        ("wide ventricle", "enlarged heart", False),
        ("increased echogenicity", "increased hepatic echogenicity", False),  # of which part is not said
        ("fused middle", "fused middle bone of middle finger", False),
        ("absence of gland", "gland tumor", False),
        ("high density lipoprotein", "high density lipoprotein deficiency", False),
        ("recurrent bacterial infection", "bacterial infection", False),  # *recurrent* is left unsaid
    ],
)
def test_the_same_thing_is_wrong_in_other_words(words: str, name: str, expected: bool) -> None:
    assert is_same_abnormality(words.split(), name.split()) is expected


def test_a_phrase_that_begins_with_what_is_wrong_and_ends_with_what_has_it() -> None:
    def is_one(words: str, **shape: float) -> bool:
        features = {"words": len(words.split()), **shape}
        shown = tuple(features.get(name, 0.0) for name in SHAPE)
        return _begins_with_abnormality(Stretch(0, 1, words, tuple(words.split()), shown))

    assert is_one("wide ventricle")
    assert not is_one("wide ventricle", after=1)
    assert not is_one("wide")
    assert not is_one("early embryo")  # a time
    assert not is_one("posterior fontanelle")  # a place
    assert not is_one("retarded in growth")
    assert not is_one("left ventricle")


def test_a_stretch_that_ends_with_an_adjective_of_the_next_word_is_cut() -> None:
    def cut(words: str, **shape: float) -> bool:
        shown = tuple(shape.get(name, 0.0) for name in SHAPE)
        return _is_cut(Stretch(0, 1, words, tuple(words.split()), shown))

    assert cut("weakness of the facial", of=1, after=1)
    assert not cut("weakness of the facial", of=1)
    assert not cut("weakness of the face", of=1, after=1)
    assert not cut("weak facial", after=1)


def test_a_guess_around_a_name_is_kept() -> None:
    answer = Normalization(Mention("bowel cancer"), "W:40", 0.2, ())
    likely, around = (Span(0, 12, "bowel cancer", 0.3, sure=0.8, around=around) for around in (False, True))
    assert _without_unlikely([(likely, answer)]) == []
    assert _without_unlikely([(around, answer)]) == [(around, answer)]


def test_one_infection_is_no_recurrent_one() -> None:
    """Where another terminology is sure of a concept that does not happen again and again."""

    def hit(id_: str, preferred: str, terminology: str, confidence: float) -> Hit:
        return Hit(id_, preferred, "Urinary tract infection", "synonym", "exact", "", terminology, confidence, 0.9)

    def first(written: str, *hits: Hit) -> tuple[str | None, float]:
        found = _once(Normalization(Mention(written), hits[0].id, hits[0].confidence, hits), written)
        return found.id, found.candidates[0].confidence

    recurrent = hit("A:1", "Recurrent urinary tract infections", "a", 0.96)
    once, unsure = (hit("B:1", "Urinary tract infection, site not specified", "b", sure) for sure in (0.9, 0.5))
    assert first("urinary tract infection", recurrent, once) == ("B:1", 0.9)
    assert first("recurrent urinary tract infection", recurrent, once) == ("A:1", 0.96)
    assert first("urinary tract infection", recurrent, unsure) == ("A:1", 0.96)
    assert first("urinary tract infection", recurrent, hit("A:2", "Cystitis", "a", 0.96)) == ("A:1", 0.96)


def test_what_only_resembles_an_everyday_name_is_likelier_right_than_wrong() -> None:
    def kept(confidence: float, source: str) -> bool:
        called = ("W:41", "Poor fine motor coordination", "poor fine motor skills")
        hit = Hit(*called, "lay", "exact", source, "made", confidence, 0.9)
        answer = Normalization(Mention("fine motor skills"), hit.id, confidence, (hit,))
        return bool(_without_unlikely([(Span(0, 17, "fine motor skills", 0.3, sure=0.8), answer)]))

    assert [kept(0.4, ""), kept(0.2, "")] == [True, False]
    assert [kept(0.6, EVERYDAY_NAME), kept(0.4, EVERYDAY_NAME)] == [True, False]


def test_a_word_that_denies_what_follows_a_comma_is_no_end_of_a_name(index: Index) -> None:
    assert found(index, "Curly hair, no scars.") == []
    assert found(index, "There is no hair.") == [("no hair", "W:29")]


def test_some_diseases_are_called_by_the_person_alone(index: Index) -> None:
    assert found(index, "Known Crohns, ?Raynauds.") == [("Crohns", "W:25"), ("Raynauds", "W:26")]


def test_an_ampersand_is_an_and(index: Index) -> None:
    assert found(index, "Chest pain & fever.") == [("Chest pain", "W:5"), ("fever", "W:11")]
    assert found(index, "Nausea & vomiting, pins & needles.") == [
        ("Nausea & vomiting", "W:49"), ("pins & needles", "W:50"),
    ]  # fmt: skip
    assert found(index, "N&V, now P&N. No D&V.") == [("N&V", "W:49"), ("P&N", "W:50"), ("D&V", "W:51")]
