from __future__ import annotations

import unicodedata
from time import process_time

import pytest

from ontonym.text.denials import NEGATORS
from ontonym.text.foreign.cues import denials
from ontonym.text.foreign.frames import _DENIES
from ontonym.text.foreign.words import in_other_words, said_in
from ontonym.text.languages import language_of, language_of_document
from ontonym.text.notes.context import contexts
from ontonym.text.notes.cues import BEFORE
from ontonym.text.notes.sections import sections
from ontonym.text.patterns import phrases_of
from ontonym.text.pieces import pieces

ALL = ("de", "es", "fr", "it", "pt", "nl", "cs", "tr", "ja", "zh")


def _said(text: str, *mentions: str) -> list[str]:
    spans = [(text.index(one), text.index(one) + len(one)) for one in mentions]
    return [" ".join(said) for said in contexts(text, spans)]


@pytest.mark.parametrize(
    ("text", "mentions", "said"),
    [
        ("Kein Fieber, keine Dyspnoe. Husten wird verneint.", "Fieber Dyspnoe Husten", "negated negated negated"),
        ("Klagt über Husten, aber kein Fieber. V.a. Pneumonie.", "Husten Fieber Pneumonie", " negated uncertain"),
        ("Z.n. Schlaganfall. Der Vater hat Asthma.", "Schlaganfall Asthma", "historical family"),
        ("Die Mutter berichtet über Fieber.", "Fieber", ""),
        ("Niega fiebre y tos. Descartar neumonía.", "fiebre tos neumonía", "negated negated uncertain"),
        ("La madre refiere fiebre. El padre tiene asma.", "fiebre asma", " family"),
        ("Pas d'asthme mais toux. Suspicion d'appendicite.", "asthme toux appendicite", "negated  uncertain"),
        ("Non febbre. Pregresso ictus. Padre con diabete.", "febbre ictus diabete", "negated historical family"),
        ("Nega febre ou tosse. Mãe com epilepsia.", "febre tosse epilepsia", "negated negated family"),
        ("Geen koorts, wel hoesten. Moeder heeft epilepsie.", "koorts hoesten epilepsie", "negated  family"),
        ("Ateş yok, öksürük var. Annesinde diyabet var.", "Ateş öksürük diyabet", "negated  family"),
        ("Fieber: nein. Schwindel: ja, seit gestern", "Fieber Schwindel", "negated "),
        ("嘔吐なし、下痢を認めない。頭痛あり。肺炎の疑い。", "嘔吐 下痢 頭痛 肺炎", "negated negated  uncertain"),
        ("既往歴：高血圧。母にてんかん。", "高血圧 てんかん", "historical family"),
        (
            "否认恶心、呕吐，伴头痛。疑似肺炎。母亲患癫痫。",
            "恶心 呕吐 头痛 肺炎 癫痫",
            "negated negated  uncertain family",
        ),
    ],
)
def test_what_notes_in_other_languages_say_of_a_mention(text: str, mentions: str, said: str) -> None:
    assert _said(text, *mentions.split()) == said.split(" ")


def test_accents_beside_their_letters_hide_no_cue() -> None:
    text, mention = (unicodedata.normalize("NFD", one) for one in ("La mère a une épilepsie.", "épilepsie"))
    assert _said(text, mention) == ["family"]


def test_headings_in_other_languages() -> None:
    text = "Vorerkrankungen: Asthma.\nFamilienanamnese: Brustkrebs.\nAntecedentes familiares: asma.\n"
    assert [one.says for one in sections(text)] == ["historical", "family", "family"]


def test_any_two_characters_of_chinese_may_begin_a_mention() -> None:
    found = [("头痛伴发热"[one.start : one.end], one.goes_on) for one in pieces("头痛伴发热")]
    assert found == [("头痛", False), ("痛伴", True), ("伴发", True), ("发热", True)]


def test_forms_of_the_table_in_a_text() -> None:
    text = "Husten mit Auswurf, HWI"
    places = [(one.start, one.end) for one in pieces(text)]
    assert said_in(text, places, "de") == {(0, 2): "productive cough", (3, 3): "urinary tract infection"}
    assert said_in(text, places, "") == {}


def test_the_language_of_a_document_is_that_of_most_of_it() -> None:
    note = "The patient has no fever and was seen with her mother.\n" * 8
    assert language_of_document(note) == ""
    assert language_of_document("Der Patient klagt über Husten und hat kein Fieber.\n" * 8 + note[:100]) == "de"
    assert language_of("ból głowy") == "pl"


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("mir tut das linke Knie weh", "left knee pain"),
        ("me pican los ojos", "eye itching"),
        ("mal au genou", "knee pain"),
        ("dizlerim ağrıyor", "knee pain"),
        ("Ohrenjucken", "ear itching"),
        ("膝が痛い", "knee pain"),
        ("左膝疼", "left knee pain"),
        ("左乳癌", "left breast cancer"),
        ("câncer de mama esquerda", "breast cancer left"),
        ("diareia", "diarrhea"),
        ("mir tut das Knie weh", "knieschmerz"),
        ("me duele la rodilla", "rodilla dolor"),
        ("膝が痛い", "膝痛"),
        ("メマイ", "vertigo"),
    ],
)
def test_what_is_complained_of_in_other_languages(text: str, english: str) -> None:
    assert english in [one.text for one in in_other_words(text, ALL, lambda word: False)]


@pytest.mark.parametrize("text", ["rib pain", "arm and hand", "mal de debarquement", "Knee", "red hand", "fever"])
def test_english_is_no_complaint_in_another_language(text: str) -> None:
    assert in_other_words(text, ALL) == []


def test_an_index_of_english_names_reads_a_form_that_no_name_has() -> None:
    assert [one.text for one in in_other_words("Kopfweh", (), lambda word: False)] == ["headache"]
    assert in_other_words("Kopfweh", (), lambda word: True) == []
    assert "knee pain" in [one.text for one in in_other_words("me duele la rodilla", ())]


@pytest.mark.parametrize("word", ["hals", "crónico", "bouche", "胸部"])
def test_a_word_of_two_meanings_may_stand_any_number_of_times(word: str) -> None:
    assert len(in_other_words(" ".join([word] * 60), ALL, lambda _: False)) <= 3


def test_an_enumeration_without_full_stops_takes_time_by_its_length() -> None:
    text = "発熱なし" * 4_000
    began = process_time()
    said = contexts(text, [(place, place + 2) for place in range(0, len(text), 4)])
    assert said == [("negated",)] * 4_000
    assert process_time() - began < 2.5  # by the square of its length it took three


def test_what_stands_far_before_a_mention_says_nothing_of_it() -> None:
    assert contexts("否认" + "及" * 400 + "胸痛", [(402, 404)]) == [()]


def test_what_denies_in_queries_denies_in_notes() -> None:
    assert NEGATORS - {"non"} <= set(BEFORE["negated"])
    for language, phrases in _DENIES.items():
        for phrase in phrases_of(phrases):
            words = phrase.split()
            runs = {
                " ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1)
            }
            assert runs & denials(language), phrase
