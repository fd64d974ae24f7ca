"""Clinical notes: the section of each mention and what it says, nested mentions, and the runner-up."""

from __future__ import annotations

import pytest

from built import SMALL, index_fixture
from ontonym.index import Index
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions, annotate
from ontonym.tasks.annotation.spans import Sought

TSV = """id\tpreferred\tsynonyms
N:1\tFever\tpyrexia
N:2\tAsthma\t
N:3\tBreast cancer\tcancer of breast
N:4\tCancer\t
N:5\tBreast\t
N:6\tAllergy\tallergies
N:7\tRash\t
N:8\tFamily history\t
N:9\tWermer syndrome\tMEN 1
N:10\tNeuroma syndrome\tMEN 3|MEN III
N:11\tBreast rash\t
N:12\tShort stature\tvery short
N:13\tHistory of cancer\t
N:14\tFatty heart\t
"""
NOTE = """CC: fever for two days
PMH:
- asthma
- no rash

Family history: breast cancer. She has fever.

Allergies: rash
DDx: asthma

Return precautions:
rash
Assessment/Plan:
1. asthma
"""


index = index_fixture({"made.tsv": TSV}, SMALL)


def test_a_section_is_told_and_sets_the_context(index: Index) -> None:
    found = annotate(index, NOTE, AnnotateOptions(find="names"))
    assert [(one.text, one.section, " ".join(one.context)) for one in found] == [
        ("fever", "chief complaint", ""),
        ("asthma", "past medical history", "historical"),
        ("rash", "past medical history", "negated historical"),
        ("breast cancer", "family history", "family"),
        ("fever", "", ""),
        ("rash", "allergies", "hypothetical"),
        ("asthma", "differential diagnosis", "uncertain"),
        ("rash", "return precautions", "hypothetical"),
        ("asthma", "assessment and plan", ""),
    ]


def test_a_heading_is_no_mention_but_its_words_elsewhere_are(index: Index) -> None:
    assert [one.text for one in annotate(index, "Allergies: rash")] == ["rash"]
    assert [one.text for one in annotate(index, "She has allergies")] == ["allergies"]
    assert [one.text for one in annotate(index, "Rash: since May")] == ["Rash"]


def test_a_heading_in_running_text_says_of_what_follows_and_is_no_mention(index: Index) -> None:
    found = annotate(index, "Family history significant for asthma and rash. The patient has fever.")
    assert [(one.text, one.context) for one in found] == [("asthma", ("family",)), ("rash", ("family",)), ("fever", ())]


def test_what_is_defined_as_an_abbreviation_is_no_heading(index: Index) -> None:
    found = annotate(index, "She has a fatty heart (FH), and FH is treated.")
    assert [(one.text, one.id) for one in found][-1] == ("FH", "N:14")


@pytest.mark.parametrize("find", ["names", "likely"])
def test_the_history_of_a_family_is_not_the_patients(index: Index, find: Sought) -> None:
    options = AnnotateOptions(find=find)
    found = annotate(index, "No family history of cancer or asthma.", options)
    assert [(one.text, one.context) for one in found] == [
        ("cancer", ("negated", "family")),
        ("asthma", ("negated", "family")),
    ]
    (own,) = annotate(index, "History of cancer.", options)
    assert (own.text, own.id, own.context) == ("History of cancer", "N:13", ("historical",))


def test_without_context_there_is_no_section(index: Index) -> None:
    (found,) = annotate(index, "PMH: asthma", AnnotateOptions(context=False))
    assert (found.section, found.context) == ("", ())


@pytest.mark.parametrize("find", ["names", "phrases", "likely"])
def test_nested_mentions_lie_in_longer_ones_and_are_spoken_of_like_them(index: Index, find: Sought) -> None:
    text = "No breast cancer, but fever"
    whole = annotate(index, text, AnnotateOptions(find=find))
    assert [one.text for one in whole] == ["breast cancer", "fever"]
    found = annotate(index, text, AnnotateOptions(find=find, nested=True))
    assert [(one.text, one.id, one.nested, one.context) for one in found] == [
        ("breast cancer", "N:3", False, ("negated",)),
        ("breast", "N:5", True, ("negated",)),
        ("cancer", "N:4", True, ("negated",)),
        ("fever", "N:1", False, ()),
    ]
    assert [one for one in found if not one.nested] == whole


def test_the_runner_up_is_the_best_other_candidate(index: Index) -> None:
    (found,) = annotate(index, "breast cancer")
    assert found.runner_up == found.candidates[1]
    assert found.runner_up.id != "N:3"
    (alone,) = annotate(index, "breast cancer", AnnotateOptions(normalize=NormalizeOptions(search=SearchOptions(k=1))))
    assert alone.runner_up is None


BROKEN = "No asth-\nma. Can-\r\n  cer of the breast, pyre\u00ad\nxia, and breast-\ncancer. Mother had fe-\nver."


def test_words_that_a_line_break_parts_are_found_where_they_stand(index: Index) -> None:
    found = annotate(index, BROKEN)
    assert [(one.text, one.id, " ".join(one.context)) for one in found] == [
        ("asth-\nma", "N:2", "negated"),
        ("Can-\r\n  cer of the breast", "N:3", ""),
        ("pyre\u00ad\nxia", "N:1", ""),
        ("breast-\ncancer", "N:3", ""),
        ("fe-\nver", "N:1", "family"),
    ]
    for one in found:
        assert BROKEN[slice(*one.span)] == one.text
    whole = BROKEN.replace("-\n", "").replace("-\r\n  ", "").replace("\u00ad\n", "").replace("breastc", "breast-c")
    assert [one.id for one in annotate(index, whole)] == [one.id for one in found]


@pytest.mark.parametrize("written", ["MEN 3", "MEN III"])
@pytest.mark.parametrize("find", ["names", "likely"])
def test_an_acronym_that_looks_like_a_plural_is_found_with_its_number(index: Index, written: str, find: Sought) -> None:
    found = annotate(index, f"She has {written}, not asthma. The 3 men left.", AnnotateOptions(find=find))
    assert [(one.text, one.id) for one in found] == [(written, "N:10"), ("asthma", "N:2")]


@pytest.mark.parametrize("find", ["phrases", "likely"])
def test_lines_of_a_list_are_findings_of_their_own(index: Index, find: Sought) -> None:
    options = AnnotateOptions(find=find)
    listed = annotate(index, "rash\nbreast\nfever", options)
    assert [(one.mention.text, one.id) for one in listed] == [("rash", "N:7"), ("breast", "N:5"), ("fever", "N:1")]
    as_named = annotate(index, "breast\nrash", options)
    assert [(one.mention.text, one.id) for one in as_named] == [("breast\nrash", "N:11")]
    wrapped = annotate(index, "Among her many complaints were a rash\nbreast and fever.", options)
    assert ("rash\nbreast", "N:11") in [(one.mention.text, one.id) for one in wrapped]


def test_a_size_is_a_finding_only_where_it_says_nothing_of_the_next_word(index: Index) -> None:
    found = annotate(index, "He is very short. Very short breast, very short and well.")
    assert [(one.span, one.id) for one in found if one.id == "N:12"] == [((6, 16), "N:12"), ((37, 47), "N:12")]


@pytest.mark.parametrize(
    ("text", "is_stature"),
    [
        ("The humerus was very short.", False),
        ("Tibia and fibula are very short, and bowed.", False),
        ("very short or missing toes", False),
        ("The boy was very short.", True),
        ("She is very short and well.", True),
        ("He is very short, and his toes are long.", True),
    ],
)
def test_the_size_of_a_part_of_the_body_is_no_stature(index: Index, text: str, is_stature: bool) -> None:
    assert ("very short" in [one.text for one in annotate(index, text)]) is is_stature


def test_what_a_diet_is_is_no_finding(index: Index) -> None:
    found = annotate(index, "A rash diet, and a rash: dieting.")
    assert [one.span for one in found if one.id == "N:7"] == [(19, 23)]
    for text in ("Rash - diet and exercise.", "Rash diet controlled.", "Rash diet only"):
        assert [one.text for one in annotate(index, text)] == ["Rash"], text


def test_values_state_what_they_mean_on_request(index: Index) -> None:
    text = "No rash, temp 39.2. Aim temp < 38."
    assert [one.text for one in annotate(index, text)] == ["rash"]
    found = annotate(index, text, AnnotateOptions(find="all"))
    assert [(one.text, one.id, one.context) for one in found] == [
        ("rash", "N:7", ("negated",)),
        ("temp 39.2", "N:1", ()),
    ]
    assert found[1].confidence < found[0].confidence
