"""Clinical shorthand that no name spells and no text defines: what counts as a mention, and what does not."""

from __future__ import annotations

import time

import pytest

from built import SMALL, index_fixture
from mentioned import found
from ontonym.index import Index
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions, annotate
from ontonym.tasks.annotation.senses import Senses
from ontonym.tasks.annotation.writtenforms import explained

SIGNS = """id\tpreferred\tsynonyms
S:1\tHypertension\t
S:2\tDyspnea\tShortness of breath
S:3\tMyocardial infarction\tMI
S:4\tMental disorder\t
S:5\tBulimia nervosa\t
S:6\tAbnormal electromyography\t
S:7\tMelena\t
S:8\tTachycardia\t
S:9\tWrist fracture\t
S:10\tHemorrhage\t
S:11\tLong term use of methotrexate\tUse of methotrexate
S:18\tInfection due to central venous catheter\tInfection due to peripherally inserted central catheter (PICC)
S:12\tPeripheral vascular disease\t
S:13\tPosterior vitreous detachment\t
S:14\tVitreous floaters\t
S:15\tVitreous hemorrhage\t
S:16\tPosterior vitreous opacities\t
S:17\tRetinal detachment\t
S:19\tAbdominal distention\tDistended abdomen
S:20\tAtrial fibrillation\t
S:21\tFever\t
S:22\tDrug overdose\tOverdose
S:23\tNeoplasia\t
S:24\tDiabetes mellitus\t
S:25\tType 2 diabetes mellitus\tDiabetes mellitus II
S:26\tChronic kidney disease\tCKD
S:27\tChronic kidney disease, stage 3b\tChronic kidney disease 3b
S:30\tRaynaud's disease\t
S:31\tParkinson's disease\t
S:29\tCommunity acquired pneumonia\t
S:28\tPediatric glioblastoma multiforme\t
"""


index = index_fixture({"signs.tsv": SIGNS}, SMALL)


def test_what_the_lexicon_says_of_a_form_is_a_mention(index: Index) -> None:
    note = "67 yo M with HTN and prior MI. Now SOB."
    assert found(index, note) == [("HTN", "S:1"), ("MI", "S:3"), ("SOB", "S:2")]


@pytest.mark.parametrize(
    ("note", "mentions"),
    [
        ("L wrist # on XR", [("wrist", "S:9")]),
        ("Fell, # wrist. Bed #4.", [("wrist", "S:9")]),
        ("#Wrist pain\n#HTN", [("HTN", "S:1")]),
        ("no # wrist, SOB", [("wrist", "S:9"), ("SOB", "S:2")]),
    ],
)
def test_a_hash_beside_a_part_of_the_body_is_a_fracture(
    index: Index, note: str, mentions: list[tuple[str, str]]
) -> None:
    assert found(index, note) == mentions


@pytest.mark.parametrize("heading", ["PMH:", "CC:", "PAST MEDICAL HISTORY:"])
def test_a_list_of_forms_behind_a_heading_in_capitals_is_shorthand(index: Index, heading: str) -> None:
    note = f"Seen today.\n{heading} HTN, SOB.\nA well man."
    assert found(index, note) == [("HTN", "S:1"), ("SOB", "S:2")]


def test_a_note_without_capitals_has_its_forms_in_small_letters(index: Index) -> None:
    assert found(index, "67 yo m with htn and prior mi. now sob.") == [("htn", "S:1"), ("mi", "S:3"), ("sob", "S:2")]
    assert found(index, "an emg was no aid") == []


@pytest.mark.parametrize(
    ("note", "forms"),
    [
        ("67M, known to Dr Li. pmh mi, fever. BP 120/80", ["mi", "fever"]),  # a sentence that begins so
        ("Ward round, seen by Dr Li\nPMH: mi, sob\nStable", ["mi", "sob"]),  # behind a heading
        ("pt has Crohn's, ?cap", ["cap"]),
        ("Plan\n1. if sob call\n2. Home", ["sob"]),
        ("Pt c/o sob for 2 days.", ["sob"]),
        ("Seen in clinic today\npmh htn, mi", ["htn", "mi"]),
        ("Seen with htn and sob.", ["htn"]),  # nobody can say it, so that it is no word
        ("Seen with ckd3b and sob.", ["ckd3b"]),
    ],
)
def test_a_note_with_capitals_has_its_forms_in_small_letters_where_it_is_written_in_shorthand(
    index: Index, note: str, forms: list[str]
) -> None:
    assert [written for written, _ in found(index, note)] == forms


@pytest.mark.parametrize(
    "note",
    [
        "He said that she may sob and mi was a note.",
        "He was seen today with\nno sob at all.",  # a line that goes on
        "The EMG was normal. the arm is 3 cm wide, i.e. normal",
        "pt warm, cap refill 2 s",
        "hr irreg, then regular",  # an adjective
        "le patient tousse. La mi est de retour.",
    ],
)
def test_words_in_small_letters_that_are_no_forms(index: Index, note: str) -> None:
    assert found(index, note) == []


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("Black stools since Monday, no black poo before.", [("Black stools", "S:7"), ("black poo", "S:7")]),
        ("A broken wrist, and tachy at 118.", [("broken wrist", "S:9"), ("tachy", "S:8")]),
        ("Fell on a wrist\nfx seen", [("wrist\nfx", "S:9")]),
        ("Abd distended, soft.", [("Abd distended", "S:19")]),
        ("His wrist, fx of it", []),
        ("It was black. Stools were normal.", []),
    ],
)
def test_forms_of_several_words_and_words_cut_off_are_mentions(
    index: Index, note: str, expected: list[tuple[str, str]]
) -> None:
    assert found(index, note, AnnotateOptions(find="phrases")) == expected


def test_a_form_of_several_words_is_less_sure_than_a_name(index: Index) -> None:
    form, name = (annotate(index, text)[0].confidence for text in ("Black stools.", "Melena."))
    assert 0.5 < form < 0.85 < name


def test_a_word_in_parentheses_explains_no_abbreviations(index: Index) -> None:
    assert found(index, "Allergic to penicillin (rash). BN for years.") == [("BN", "S:5")]


def test_a_form_in_parentheses_explains_none_unless_words_before_it_begin_so(index: Index) -> None:
    assert found(index, "Known OSA (CPAP), BN.") == [("BN", "S:5")]
    assert found(index, "Given airway pressure (CPAP), BN.") == [("BN", "S:5")]
    assert found(index, "Given continuous airway pressure (CPAP), BN.") == []


def test_a_form_means_what_fits_the_other_mentions(index: Index) -> None:
    eye = "Posterior vitreous opacities, vitreous floaters and vitreous hemorrhage."
    assert found(index, f"{eye} Acute PVD - laser.")[-1] == ("PVD", "S:13")
    assert found(index, "Hypertension, melena, tachycardia. Known PVD.")[-1] == ("PVD", "S:12")
    assert found(index, "Known PVD.") == [("PVD", "S:12")]  # nothing else to tell by


def test_a_rare_meaning_counts_only_beside_its_like_and_at_the_end_of_its_phrase(index: Index) -> None:
    eye = "Retinal detachment before, vitreous floaters and vitreous hemorrhage."
    assert found(index, f"{eye} No RD.")[-1] == ("RD", "S:17")  # a registered dietitian elsewhere
    assert found(index, f"{eye} RD warning given.")[-1] == ("vitreous hemorrhage", "S:15")
    assert found(index, "Hypertension and melena. Seen by RD.")[-1] == ("melena", "S:7")


def test_a_noun_is_no_adjective(index: Index) -> None:
    assert found(index, "Hypertension, AF, melena.") == [("Hypertension", "S:1"), ("AF", "S:20"), ("melena", "S:7")]
    assert found(index, "New AF.") == [("AF", "S:20")]
    assert found(index, "PMH: HTN, AF") == [("HTN", "S:1"), ("AF", "S:20")]
    assert found(index, "AF, VSS overnight.") == []  # afebrile


def test_what_somebody_takes_a_drug_for_is_a_disease(index: Index) -> None:
    assert found(index, "AF on apixaban.") == found(index, "AF, since 2018.") == [("AF", "S:20")]
    assert found(index, "AF on exam.") == found(index, "AF 2018.") == []
    senses = Senses(index)
    assert senses.meant("AF", senses.encoded([]))[0].text == "atrial fibrillation"
    assert senses.meant("AF", senses.encoded([]), is_disease=True)[1] == 1


def test_a_noun_whose_meanings_are_all_adjectives_means_one_of_them(index: Index) -> None:
    senses = Senses(index)
    sense, chance = senses.meant("intrnl", senses.encoded([]), is_noun=True)
    assert (sense.text, chance) == ("internal", pytest.approx(0.8))


def test_how_a_drug_is_taken_is_no_finding(index: Index) -> None:
    before = "Drug overdose in May, hypertension, another overdose in June."
    assert found(index, f"{before} OD again.")[-1] == ("OD", "S:22")
    assert found(index, f"{before} Warfarin 2 mg OD again.")[-1] == ("overdose", "S:22")
    assert found(index, "Seen for GTN.") == [("GTN", "S:23")]
    assert found(index, "GTN spray given.") == []


def test_a_form_whose_long_form_is_no_name_means_the_finding_that_it_ends_with(index: Index) -> None:
    assert found(index, "Seen with cHTN.") == [("cHTN", "S:1")]  # chronic hypertension
    assert found(index, "Post IMI.") == [("IMI", "S:3")]  # inferior myocardial infarction
    (mention,) = annotate(index, "Post IMI.")
    assert mention.confidence < 0.8
    assert found(index, "ROMI. TIMI 3.") == []  # ruled out, and a score of its treatment
    assert found(index, "Seen for IPH.") == []  # any hemorrhage is too little
    assert found(index, "Acute lung injury (ALI) after IMI.") == []  # a text that explains its abbreviations


def test_a_drug_is_no_use_of_it(index: Index) -> None:
    assert found(index, "Stop MTX, then HTN.") == [("HTN", "S:1")]
    assert found(index, "R arm PICC, HTN.") == [("HTN", "S:1")]


def test_only_likely_mentions_have_it(index: Index) -> None:
    assert found(index, "He has HTN.", AnnotateOptions(find="phrases")) == []


@pytest.mark.parametrize(
    "text",
    [
        "MS was normal.",  # mental status, multiple sclerosis or another
        "EMG was done.",  # a test is no abnormal one
        "We studied benzoylated norbelladine (BN). BN was given to rats.",  # the text's own
        "Acute lung injury (ALI) and BN were compared.",  # of two letters, in a text that explains its abbreviations
        "HTN AND SOB AND PAIN IN ALL LIMBS SINCE THE DAY BEFORE",  # capitals say nothing
        "The sob of a child.",
        "PLAN: CALL IF SOB",
        "NO HTN SOB MANY",
        "MI: 34 years old",  # a heading
        "HAEM: plt 48",  # that of a part of the body
        "The level of 25-SOB was low.",  # a part of a longer name
    ],
)
def test_what_is_no_mention(index: Index, text: str) -> None:
    assert found(index, text) == []


def test_context_and_filters_apply(index: Index) -> None:
    (denied,) = annotate(index, "Denies SOB.")
    assert (denied.id, denied.negated) == ("S:2", True)
    only = AnnotateOptions(normalize=NormalizeOptions(threshold=0.0, search=SearchOptions(within=("S:1",))))
    assert found(index, "HTN and SOB.", only) == [("HTN", "S:1")]


@pytest.mark.parametrize(
    ("note", "mentions"),
    [
        ("Known DM II and CKD 3b.", [("DM II", "S:25"), ("CKD 3b", "S:27")]),
        ("MI 3 years ago, HTN 2/12.", [("MI", "S:3"), ("HTN", "S:1")]),
        ("HTN 2 despite MI 3", [("HTN", "S:1"), ("MI", "S:3")]),
    ],
)
def test_a_number_behind_a_form_counts_where_it_makes_another_concept_of_it(
    index: Index, note: str, mentions: list[tuple[str, str]]
) -> None:
    assert found(index, note) == mentions


def test_forms_in_the_plural_are_mentions(index: Index) -> None:
    assert found(index, "Two MIs, CNs fine, BPs stable.") == [("MIs", "S:3")]


@pytest.mark.parametrize("value", ["MI -9", "MI 3.2 cm/yr", "MI 3/2/4/1", "MI 112"])
def test_a_form_before_its_value_is_a_measurement(index: Index, value: str) -> None:
    assert found(index, f"Seen with {value}, HTN.") == [("HTN", "S:1")]


@pytest.mark.parametrize("date", ["MI 3/2/2019", "MI 2019", "MI -2019"])
def test_a_form_before_a_date_is_none(index: Index, date: str) -> None:
    assert found(index, f"Seen with {date}, HTN.")[0] == ("MI", "S:3")


def test_a_form_means_the_kind_that_has_all_words_of_its_long_form(index: Index) -> None:
    assert found(index, "Known GBM.") == [("GBM", "S:28")]


def test_a_form_joined_to_a_finding_is_a_noun(index: Index) -> None:
    assert found(index, "Known hypertension and AF.") == [("hypertension", "S:1"), ("AF", "S:20")]


def test_a_form_that_only_says_which_vague_finding_is_meant_is_none(index: Index) -> None:
    mentions = [("hemorrhage", "S:10"), ("mi", "S:3"), ("dyspnea", "S:2")]
    assert found(index, "mi hemorrhage, mi dyspnea") == mentions


@pytest.mark.parametrize(
    ("note", "mentions"),
    [
        ("Seen with Parkinsons.", [("Parkinsons", "S:31")]),
        ("Seen with Parkinson's.", [("Parkinson's", "S:31")]),
        ("Seen with parkinson, a Parkinson's nurse", []),  # it may belong to what follows
        ("The Raynaud family", []),
    ],
)
def test_a_possessive_by_itself_is_the_name_that_begins_with_it(
    index: Index, note: str, mentions: list[tuple[str, str]]
) -> None:
    assert found(index, note) == mentions


def test_forms_in_parentheses_are_explained_by_the_words_before_them_in_their_line() -> None:
    assert list(explained("benzoylated norbelladine (BN), or sleep apnoea (CPAP)")) == ["BN"]
    assert list(explained("norbelladine\n(NB)\nnorbelladine (NB)")) == ["NB"]
    many = "norbelladine of all (NB) " * 4_000
    begun = time.process_time()
    assert len(list(explained(many))) == 4_000
    assert time.process_time() - begun < 1


def test_how_something_is_imaged_is_no_finding(index: Index) -> None:
    assert found(index, "HTN was known. HTN enterography, HTN imaging.") == [("HTN", "S:1")]
