from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from ontonym.errors import FormatError, InputError
from ontonym.text.lexicon import Lexicon, Meaning, read_lexicon, shipped_lexicon

ROOT = Path(__file__).parents[2]

LEXICON = Lexicon(
    {
        "RA": [Meaning("room air", 0.5), Meaning("rheumatoid arthritis", 0.4), Meaning("right atrium", 0.1)],
        "w/o": [Meaning("without", 1.0)],
        "L": [Meaning("left", 0.9), Meaning("liter", 0.1)],
        "CKD": [Meaning("chronic kidney disease", 1.0)],
        "Fe def": [Meaning("iron deficiency", 1.0)],
        "fall": [Meaning("fallopian", 1.0)],
        "ALL": [Meaning("acute lymphoblastic leukemia", 1.0)],
        "↑": [Meaning("increased", 1.0)],
        "a": [Meaning("before", 1.0)],
        "w": [Meaning("with", 1.0)],
    }
)


def unknown(word: str) -> bool:
    return False


def known(word: str) -> bool:
    return True


def texts(text: str, is_known=unknown) -> list[str]:
    return [one.text for one in LEXICON.expansions(text, is_known)]


def test_meanings_by_any_capitals_and_without_dots() -> None:
    assert [one.text for one in LEXICON.meanings("r.a.")] == ["room air", "rheumatoid arthritis", "right atrium"]
    assert LEXICON.meanings("xyz") == ()
    assert "ckd" in LEXICON
    assert "xyz" not in LEXICON


def test_meanings_come_by_their_share_and_the_word_itself_among_them() -> None:
    found = LEXICON.expansions("RA", unknown)
    assert [one.text for one in found] == ["room air", "rheumatoid arthritis", "RA", "right atrium"]
    assert [round(one.prior, 2) for one in found] == [0.45, 0.36, 0.1, 0.09]
    assert found[1].changes == (("RA", "rheumatoid arthritis"),)
    assert found[2].changes == ()


def test_a_text_without_forms_is_itself_alone() -> None:
    (one,) = LEXICON.expansions("heart attack", unknown)
    assert (one.text, one.prior, one.changes) == ("heart attack", 1.0, ())


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("anemia w/o fever", "anemia without fever"),
        ("Fe def anemia", "iron deficiency anemia"),
        ("CKD3", "chronic kidney disease 3"),
        ("↑CKD", "increased chronic kidney disease"),
        ("FRACTURE ARM L", "FRACTURE ARM left"),
        ("ALL", "acute lymphoblastic leukemia"),
        ("cough w fever", "cough with fever"),
        ("history of RA, mild", "history of room air mild"),
        ("pain ( CKD", "pain chronic kidney disease"),
        ("pain before the (Fe def. ) and much after it", "pain before the iron deficiency and much after it"),
    ],
)
def test_what_a_text_says(text: str, first: str) -> None:
    assert texts(text)[0] == first


@pytest.mark.parametrize("text", ["all of it", "vitamin l", "fall", "they fall", "bitten by a dog", "A dog"])
def test_words_of_the_language_are_no_forms(text: str) -> None:
    assert texts(text, lambda word: word == "fall") == [text]


def test_a_word_that_names_use_may_mean_itself() -> None:
    assert LEXICON.expansions("RA", lambda word: True)[0].text == "RA"


def test_as_many_readings_as_are_worth_it() -> None:
    assert len(LEXICON.expansions("RA L RA L RA L", unknown)) == 7


def test_many_forms_take_time_by_their_number() -> None:
    began = process_time()
    first, *_ = LEXICON.expansions("w/o " * 6_000, unknown)
    assert process_time() - began < 2  # by the square of it they took five
    assert first.text.count("without") == len(first.changes) == 6_000


def test_a_lexicon_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.tsv"
    file.write_text("written\tmeaning\nRA\tretinal artery\nQQ\tquick quiz\nQQ\tquiet quarter\n", encoding="utf-8")
    own = read_lexicon(file)
    assert [(one.text, one.share) for one in own.meanings("QQ")] == [("quick quiz", 0.5), ("quiet quarter", 0.5)]
    joined = LEXICON.with_own(own)
    assert [one.text for one in joined.meanings("RA")] == ["retinal artery"]
    assert [one.text for one in joined.meanings("CKD")] == ["chronic kidney disease"]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("form\tmeans\nRA\tx\n", "no columns written and meaning"),
        ("written\tmeaning\tshare\nRA\troom air\tmany\n", "needs a form, a meaning and a share above 0"),
        ("written\tmeaning\nRA\t\n", "needs a form, a meaning and a share above 0"),
        ("meaning\twritten\nroom air\n", "needs a form, a meaning and a share above 0"),
        ("written\tmeaning\tshare\nRA\troom air\tinf\n", "needs a form, a meaning and a share above 0"),
    ],
)
def test_a_lexicon_that_is_malformed(tmp_path: Path, content: str, error: str) -> None:
    file = tmp_path / "own.tsv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=error):
        read_lexicon(file)


def test_a_lexicon_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read as a lexicon"):
        read_lexicon(tmp_path / "none.tsv")


def test_the_shipped_one_knows_what_clinicians_write() -> None:
    lexicon = shipped_lexicon()
    for form, meaning in (("HTN", "hypertension"), ("s/p", "status post"), ("T2DM", "type 2 diabetes mellitus")):
        assert lexicon.meanings(form)[0].text == meaning


def test_the_shipped_one_says_places_as_terminologies_do() -> None:
    lexicon = shipped_lexicon()
    assert lexicon.expansions("abscess UR6", unknown)[0].text == "abscess tooth"
    for text in ("nodule RUL", "nodule right upper lobe"):
        assert {"nodule lung", "nodule pulmonary"} < {one.text for one in lexicon.expansions(text, unknown)}, text
    (first, *_) = lexicon.expansions("fracture of distal tibia", unknown)
    assert first.text == "fracture of lower end of tibia"


@pytest.mark.parametrize(
    ("text", "read"), [("gastritis wo bleeding", "gastritis without bleeding"), ("culture pos", "culture positive")]
)
def test_shorthand_in_small_letters_is_read_though_names_have_its_letters(text: str, read: str) -> None:
    found = shipped_lexicon().expansions(text, known)
    assert found[0].text == text
    assert read in " ".join(one.text for one in found)


@pytest.mark.parametrize("text", ["echo of the heart", "cord compression"])
def test_words_of_english_that_names_have_mean_themselves(text: str) -> None:
    assert [one.text for one in shipped_lexicon().expansions(text, known)] == [text]


def test_a_space_after_a_symbol_makes_no_other_form() -> None:
    lexicon = Lexicon({"↑Ca": [Meaning("hypercalcemia", 1.0)], "↑": [Meaning("increased", 1.0)]})
    for text in ("↑Ca", "↑ Ca", "↑ ca"):
        assert "hypercalcemia" in [one.text for one in lexicon.expansions(text, unknown)], text


def test_parts_of_the_body_are_forms_only_in_capitals_among_small_letters() -> None:
    lexicon = Lexicon({"TOE": [Meaning("transesophageal echocardiogram", 1.0)]})
    assert [one.text for one in lexicon.expansions("broken toe", unknown)] == ["broken toe"]
    assert [one.text for one in lexicon.expansions("FX TOE", unknown)] == ["FX TOE"]
    assert "had transesophageal echocardiogram" in [one.text for one in lexicon.expansions("had TOE", unknown)]


def test_a_unit_after_a_number_is_no_abbreviation() -> None:
    lexicon = Lexicon({"mg": [Meaning("myasthenia gravis", 1.0)]})
    assert [one.text for one in lexicon.expansions("omeprazole 20 mg daily", unknown)] == ["omeprazole 20 mg daily"]
    assert lexicon.expansions("hx of MG", unknown)[0].text == "hx of myasthenia gravis"
    assert lexicon.expansions("omeprazole mg", unknown)[0].text == "omeprazole myasthenia gravis"


def test_a_w_between_words_says_with() -> None:
    lexicon = shipped_lexicon()
    assert lexicon.expansions("AF w RVR", unknown)[0].text == "atrial fibrillation with rapid ventricular response"
    assert "white blood cell" in " ".join(one.text for one in lexicon.expansions("W", unknown))


@pytest.mark.parametrize("text", ["hepatitis C virus", "protein S deficiency", "vitamin A deficiency"])
def test_a_capital_beside_small_letters_is_no_preposition(text: str) -> None:
    said = {word for one in shipped_lexicon().expansions(text, unknown) for word in one.text.split()}
    assert said.isdisjoint({"with", "without", "before"})


def test_small_letters_and_those_among_capitals_are_prepositions() -> None:
    texts = [
        one.text for text in ("pain c fever", "PAIN C FEVER") for one in shipped_lexicon().expansions(text, unknown)
    ]
    assert "pain with fever" in texts and "PAIN with FEVER" in texts


@pytest.mark.parametrize(("text", "meant"), [("PPIs", "proton pump inhibitor"), ("three SSRI's", "three selective "
                         "serotonin reuptake inhibitor"), ("DVTs", "deep venous thromboses")])  # fmt: skip
def test_several_of_what_a_form_means(text: str, meant: str) -> None:
    assert meant in [one.text for one in shipped_lexicon().expansions(text, lambda words: [False])]


@pytest.mark.parametrize("text", ["ppis", "PGs"])  # PG is pregnancy, PGs are prostaglandins as often
def test_plurals_of_small_letters_and_of_two_are_none(text: str) -> None:
    assert [one.text for one in shipped_lexicon().expansions(text, lambda words: [False])] == [text]


def test_what_ships_is_what_its_source_says() -> None:
    source, shipped = ROOT / "benchmarks" / "lexicon" / "own.tsv", ROOT / "src" / "ontonym" / "text" / "lexicon.tsv"
    written = [line.split("\t")[:2] for line in source.read_text(encoding="utf-8").splitlines()[1:]]
    rows = [line.split("\t") for line in shipped.read_text(encoding="utf-8").splitlines()[1:]]
    ours = {(form, meaning) for form, meaning, _, sources in rows if "o" in sources}
    assert ours - {(form, meaning) for form, meaning in written} == set()
    assert len(ours) > 0.9 * len(written)
