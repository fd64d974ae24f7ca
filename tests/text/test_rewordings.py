"""Other words for what a phrase says is wrong."""

from __future__ import annotations

import pytest

from ontonym.text.findings import ends_as_finding, is_disorder_head
from ontonym.text.normalization import tokens
from ontonym.text.rewordings import (
    IMPLIED,
    PARTS,
    diseased_parts,
    findings_for,
    induced_disease,
    is_trigger,
    nouns_of,
    other_words,
    phrases_for,
    virus_disease,
    with_type,
    with_what_it_is,
    without_apostrophe,
)


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("nephropathy", "kidney disease"),
        ("nephrotoxicity", "kidney drug induced injury"),
        ("hepatotoxic", "liver drug induced injury"),
        ("retinopathies", "retinal disease"),
        ("microangiopathy", "vascular disease"),
        ("renal damage", "renal disease"),
        ("damage kidney", "kidney disease"),
        ("hepatic toxicity", "hepatic drug induced injury"),
        ("overdose", "drug overdose"),
        ("diabetic", "diabetes mellitus"),
        ("neurotoxicity", "neurotoxicity syndrome"),
        ("growth declined", "growth delay"),
        ("impaired renal function", "renal impairment"),
        ("declines in functioning of the liver", "in of the liver dysfunction"),
        ("thyroid function abnormalities", "thyroid disease"),
        ("prostatic adenocarcinoma", "prostatic cancer"),
        ("colon adenocarcinoma", "adenocarcinoma of the colon"),
        ("lithium-induced tremor", "drug induced tremor"),
    ],
)
def test_what_may_be_meant(phrase: str, meant: str) -> None:
    assert tuple(meant.split()) in other_words(tuple(tokens(phrase)))


def test_a_poison_is_thought_of_first_and_disease_after_it() -> None:
    found = other_words(("nephrotoxicity",))
    assert found.index(("kidney", "drug", "induced", "injury")) < found.index(("kidney", "disease"))
    assert ("kidney", "drug", "induced", "injury") not in other_words(("nephropathy",))


@pytest.mark.parametrize(("phrase", "first"), [("decreased renal function", "renal insufficiency"),
                         ("abnormal renal function", "renal dysfunction")])  # fmt: skip
def test_less_of_a_function_is_insufficiency_first(phrase: str, first: str) -> None:
    assert other_words(tuple(tokens(phrase)))[0] == tuple(first.split())


@pytest.mark.parametrize(
    ("phrase", "disease"),
    [
        ("hepatitis C virus infection", "hepatitis c"),
        ("infection with hepatitis A virus", "hepatitis a"),
        ("infected by a herpes simplex virus", "herpes simplex"),
        ("dengue virus", ""),
        ("infection with a virus", ""),
    ],
)
def test_a_virus_is_the_disease_only_where_somebody_has_it(phrase: str, disease: str) -> None:
    words = tuple(tokens(phrase))
    assert virus_disease(words) == tuple(disease.split())
    assert phrases_for(words)[:1] == ((tuple(disease.split()),) if disease else ())


def test_a_carcinoma_is_first_read_by_its_own_word() -> None:
    found = phrases_for(("adenocarcinoma", "of", "the", "pancreas"))
    assert found.index(("pancreatic", "adenocarcinoma")) < found.index(("pancreatic", "carcinoma"))
    assert found.index(("pancreatic", "carcinoma")) < found.index(("pancreatic", "cancer"))


def test_what_something_induced() -> None:
    assert induced_disease(("contrast", "media", "induced", "nephropathy")) == ("nephropathy",)
    assert induced_disease(("drug", "induced", "lupus")) == induced_disease(("induced", "abortion")) == ()


@pytest.mark.parametrize(
    "phrase", ["kidney", "renal biopsy", "pathway", "toxic", "renal function", "impaired function"]
)
def test_other_words_stand_for_nothing(phrase: str) -> None:
    assert other_words(tuple(tokens(phrase))) == ()


def test_parts_are_read_with_and_without_their_last_letter() -> None:
    for form in PARTS:
        assert diseased_parts(f"{form}opathy") or diseased_parts(f"{form}pathy")
    assert diseased_parts("nephrotoxicity")[0] == (("kidney",), True)
    assert diseased_parts("cardiotoxic")[0] == (("heart",), True)


def test_tables_are_of_normalized_words() -> None:
    for table in (IMPLIED, PARTS):
        for others in table.values():
            assert all(len(tokens(word)) == 1 for other in others for word in other)
    assert all(tokens(word) == [word] for word in IMPLIED)


def test_triggers_and_heads() -> None:
    assert is_trigger("damage") and is_trigger("overdose") and is_trigger("nephropathy") and is_trigger("neuritis")
    assert not is_trigger("biopsy")
    assert is_disorder_head("toxicity") and not is_disorder_head("overdose")
    assert ends_as_finding("arthritis") and not ends_as_finding("kidney") and not ends_as_finding("iasis")


@pytest.mark.parametrize(
    ("adjective", "noun"),
    [("confused", "confusion"), ("septic", "sepsis"), ("somnolent", "somnolence"), ("infertile", "infertility"),
     ("delirious", "delirium"), ("blind", "blindness"), ("paralyzed", "paralysis"), ("shaky", "shakiness")],
)  # fmt: skip
def test_an_adjective_has_its_noun(adjective: str, noun: str) -> None:
    assert (noun,) in nouns_of(adjective)


def test_short_words_are_no_nouns_of_adjectives() -> None:
    assert ("nod",) not in nouns_of("nodal")


@pytest.mark.parametrize(
    ("words", "meant"),
    [("niemann pick disease a", ["niemann pick disease type a"]), ("sialuria i", ["sialuria type 1"]),
     ("lgmd 2g", ["lgmd type 2g"]), ("long qt syndrome type 2", ["long qt syndrome 2"]), ("type 2", []), ("asthma", []),
     ("a", []), ("trisomy 21 mosaic", [])],
)  # fmt: skip
def test_a_number_at_the_end_may_be_that_of_a_type(words: str, meant: list[str]) -> None:
    assert [" ".join(said) for said in with_type(tuple(words.split()))] == meant


@pytest.mark.parametrize("words", ["guillain barre", "inflammatory bowel", "sick sinus"])
def test_what_a_disease_is_may_be_left_out(words: str) -> None:
    said = tuple(words.split())
    assert with_what_it_is(said) == ((*said, "disease"), (*said, "syndrome"))


def test_a_name_may_lack_the_apostrophe_of_its_genitive() -> None:
    assert without_apostrophe("Crohns", ("crohn",)) == (("crohn", "disease"), ("crohn", "syndrome"))
    assert without_apostrophe("hives", ("hive",)) == without_apostrophe("crohn", ("crohn",)) == ()


@pytest.mark.parametrize("words", ["kidney", "coronary artery", "serotonin", "virus", "waiting list"])
def test_a_part_of_the_body_or_a_substance_is_not_its_disease(words: str) -> None:
    assert with_what_it_is(tuple(words.split())) == ()


@pytest.mark.parametrize(
    ("word", "finding"),
    [("confused", "confusion"), ("hypoxic", "hypoxia"), ("epileptic", "epilepsy"), ("acidotic", "acidosis"),
     ("hypertensive", "hypertension"), ("weak", "weakness"), ("arthritic", "arthritis")],
)  # fmt: skip
def test_an_adjective_by_itself_tells_a_finding(word: str, finding: str) -> None:
    assert (finding,) in findings_for(word)
