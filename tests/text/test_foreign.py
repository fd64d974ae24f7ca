from __future__ import annotations

from importlib.resources import files
from time import process_time

import pytest

from ontonym.text.foreign.frames import without_foreign_frame, without_foreign_negation
from ontonym.text.foreign.words import SIMPLIFIED, in_other_words, other_writings, table_languages

ALL = table_languages()
ROWS = [
    line.split("\t")
    for line in files("ontonym.text").joinpath("foreign/languages.tsv").read_text(encoding="utf-8").splitlines()
]


def said(text: str, *languages: str) -> list[str]:
    return [one.text for one in in_other_words(text, languages)]


def test_the_table_has_a_form_of_every_language_in_every_row() -> None:
    assert ROWS[0] == ["english", "de", "es", "fr", "it", "pt", "nl", "cs", "tr", "ja", "zh"]
    concepts = [row[0] for row in ROWS[1:]]
    assert concepts == sorted(set(concepts))
    for row in ROWS[1:]:
        assert len(row) == len(ROWS[0]), row[0]
        for cell in row[1:]:
            forms = cell.split("|")
            assert len(set(forms)) == len(forms), row[0]
            assert all(form and form == form.strip() for form in forms), row[0]


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Kopfweh", "headache"),
        ("HWI", "urinary tract infection"),
        ("Roeteln", "rubella"),
        ("hinchazon de los tobillos", "ankle swelling"),
        ("慢阻肺", "chronic obstructive pulmonary disease"),
        ("ﾃﾝｶﾝ", "epilepsy"),
        ("２型糖尿病", "type 2 diabetes mellitus"),
        ("ISHAL", "diarrhea"),
        ("işitme kaybı", "hearing impairment"),
        ("İŞİTME KAYBI", "hearing impairment"),
    ],
)
def test_everyday_words_and_abbreviations_in_any_writing(text: str, english: str) -> None:
    assert english in said(text, *ALL)


def test_only_in_the_languages_of_the_index() -> None:
    assert said("HTA", "fr") == ["hypertension", "hypertension artérielle"]
    assert said("HTA", "ja") == []
    assert said("FA", "es") == ["atrial fibrillation", "fibrilación auricular"]


def test_an_abbreviation_is_one_in_capitals_only() -> None:
    assert "sexually transmitted disease" in said("IST", "fr")
    assert said("ist", "fr") == []
    assert said("PATIENT HAS FEVER", "pt") == []


def test_long_words_and_abbreviations_are_read_inside_a_text_too() -> None:
    (one,) = in_other_words("rezidivierende Harnwegsinfekte, HWI", ["de"])
    assert one.text == "rezidivierende Harnwegsinfekte, urinary tract infection"
    assert one.changes == (("HWI", "urinary tract infection"),)
    assert said("tos nocturna", "es") == []  # a short word may be another


def test_an_english_index_reads_only_whole_texts_that_cannot_be_english() -> None:
    assert said("dolor de cabeza") == ["headache"]
    assert said("头痛") == ["headache"]
    assert said("depression") == said("HTA") == said("Kopfweh") == []


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("kein Fieber", "Fieber"),
        ("Kein Hinweis auf Pneumonie", "Pneumonie"),
        ("sin fiebre", "fiebre"),
        ("pas d'angine", "angine"),
        ("sem febre", "febre"),
        ("geen koorts", "koorts"),
        ("bez horečky", "horečky"),
        ("ateşi yok", "ateşi"),
        ("発熱なし", "発熱"),
        ("咳はない", "咳"),
        ("否认胸痛", "胸痛"),
        ("无发热", "发热"),
    ],
)
def test_negations(text: str, denied: str) -> None:
    assert without_foreign_negation(text) == denied


@pytest.mark.parametrize("text", ["SEM heard", "无汗症", "absence de pouce", "Kinder ohne Fieber", "なし", "fever"])
def test_what_is_no_negation(text: str) -> None:
    assert without_foreign_negation(text) == ""


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("V.a. Lungenentzündung", "Lungenentzündung"),
        ("Z.n. Schlaganfall", "Schlaganfall"),
        ("Durchfall seit drei Tagen", "Durchfall"),
        ("sospecha de neumonía", "neumonía"),
        ("ronquera desde hace dos semanas", "ronquera"),
        ("suspicion d'appendicite", "appendicite"),
        ("肺炎の疑い", "肺炎"),
        ("高血压病史", "高血压"),
    ],
)
def test_words_around_a_finding(text: str, finding: str) -> None:
    assert without_foreign_frame(text) == finding


@pytest.mark.parametrize("text", ["VA 20/200", "va loss", "dd mass", "Fieber", "V.a. "])
def test_what_is_no_frame(text: str) -> None:
    assert without_foreign_frame(text) == ""


def test_other_writings() -> None:
    assert other_writings("聽力損失", ["zh"]) == ["听力损失"]
    assert other_writings("Geschwuer der Fuesse", ["de"]) == ["Geschwur der Fusse"]
    assert other_writings("blue tissue", ["de"]) == other_writings("Fuesse", ["fr"]) == []
    assert all(len(new) == 1 and chr(old) != new for old, new in SIMPLIFIED.items())


def test_unspaced_words_that_are_not_in_the_table_take_time_by_their_number() -> None:
    began = process_time()
    (one,) = in_other_words("头痛" + "龘" * 10_000, ["zh"])
    assert one.text == "headache " + "龘" * 10_000
    assert process_time() - began < 5  # by the square of their number it took ten times as long


def test_a_word_of_many_letters_is_no_compound_and_no_slip() -> None:
    began = process_time()
    assert in_other_words("ß" * 30_000, ALL) == []
    assert process_time() - began < 1  # by the square of their number it took a minute
    (one, *_) = in_other_words("Bauchspeicheldrüsenentzündumg", ["de"], lambda word: False)
    assert one.text == "pancreatitis"  # one letter off the longest form
