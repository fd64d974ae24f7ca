"""Notes with annotations in files of their own: ShARe/CLEF, MCN, Mantra and other BRAT, each in its layout."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from laid import NOTE, SHARE, add_up, golds, laid, told
from ontonym.errors import FormatError, InputError
from ontonym.evaluate.corpora import open_corpus
from ontonym.evaluate.corpora.gold import spelled

TOLD = [
    ("pain in the left arm", 12, 32, "UMLS:C0000001"),
    ("pain leg", None, None, "UMLS:C0000002"),
    ("fever", 45, 50, ""),
]
SHARE_FILES = {
    "ALLREPORTS/note1.txt": NOTE,
    "ALLREPORTS/note2.txt": "Asthma.",
    "PIPES/note1.pipe.txt": SHARE,
    "Gold_SN2012/note2.txt": "note2.txt||Disease_Disorder||c0000003||0||6\n",
}
MCN_FILES = {
    "train/train_note/0001.txt": NOTE,
    "train/train_note/0002.txt": "Asthma.",
    "train/train_norm/0001.norm": "N000||C0000001||12||32\nN001||C0000002||12||16||37||40\nN002||CUI-less||45||50\n",
    "train/train_norm/0002.norm": "N000||C0000003||0||6\n",
    "train/train_file_list.txt": "0002\n0001\n",
    "test/test_note/0003.txt": "Gout.",
    "test/test_norm_cui_replaced_with_unk/0003.norm": "N000||unk||0||4\n",
    "gold/test_norm/0003.norm": "N000||C0000004||0||4\n",
}


# ShARe/CLEF ----------------------------------------------------------------------------------------------------------


def test_share_reads_spans_pieces_and_nil(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, SHARE_FILES), split="PIPES")
    assert told(corpus) == TOLD
    assert [gold.nil for gold in golds(corpus)] == [False, False, True]
    (document,) = corpus
    assert (document.id, document.text) == ("note1", NOTE)
    mention = document.mentions[1].mention
    assert (mention.id, mention.type, mention.passage) == ("note1:12-16,37-40", "Disease_Disorder", NOTE)
    assert (corpus.counts.rows, corpus.counts.text, corpus.counts.discontinuous) == (4, 1, 1)
    assert add_up(corpus.counts)


def test_share_agrees_with_a_plain_loop(tmp_path: Path) -> None:
    laid(tmp_path, SHARE_FILES)
    expected = []
    for line in (tmp_path / "PIPES/note1.pipe.txt").read_text().splitlines():
        numbers = [int(number) for number in line.split("||")[3:]]
        pieces = [NOTE[start:end] for start, end in zip(numbers[::2], numbers[1::2], strict=True)]
        expected.append((" ".join(pieces), line.split("||")[2]))
    read = [
        (text, ids.removeprefix("UMLS:") or "CUI-less") for text, _, _, ids in told(open_corpus(tmp_path / "PIPES"))
    ]
    assert read == expected


def test_share_annotations_may_be_called_as_their_text(tmp_path: Path) -> None:
    laid(tmp_path, SHARE_FILES)
    assert told(open_corpus(tmp_path, split="gold_sn2012")) == [("Asthma", 0, 6, "UMLS:C0000003")]
    assert told(open_corpus(tmp_path / "Gold_SN2012")) == [("Asthma", 0, 6, "UMLS:C0000003")]


def test_share_in_one_folder_and_as_one_file(tmp_path: Path) -> None:
    laid(tmp_path, {"a/note1.text": NOTE, "a/note1.pipe": SHARE})
    assert told(open_corpus(tmp_path / "a")) == TOLD
    assert told(open_corpus(laid(tmp_path, {"b/all.pipe": SHARE}) / "b/all.pipe")) == TOLD


def test_share_templates_of_2014(tmp_path: Path) -> None:
    rows = "note1.txt|12-32|C0000001|no|null|patient|null\nnote1.txt|12-16,37-40|CUI-less|no|null|patient|null\n"
    corpus = open_corpus(laid(tmp_path, {"train/note1.txt": NOTE, "train_ann/note1.pipe.txt": rows}))
    assert told(corpus) == [("pain in the left arm", 12, 32, "UMLS:C0000001"), ("pain leg", None, None, "")]
    assert {gold.mention.type for gold in golds(corpus)} == {"Disease_Disorder"}


def test_share_of_several_folders_asks_which(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has several parts: Gold_SN2012, PIPES\. Say which: `split=NAME`"):
        open_corpus(laid(tmp_path, SHARE_FILES))
    with pytest.raises(InputError, match=r"no split 'dev'; there are Gold_SN2012, PIPES"):
        open_corpus(tmp_path, split="dev")


def test_share_without_the_text_says_which(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, {"x/ann/note1.pipe": SHARE}))
    with pytest.raises(InputError, match=r"note1\.pipe: the text of the note note1 is not there\. Put note1\.txt"):
        list(corpus)


def test_share_malformed_rows_are_counted_and_shown(tmp_path: Path) -> None:
    rows = SHARE + "note1.txt||Disease_Disorder||C0000009||50||5000\nnote1.txt||Disease_Disorder||C0000009||1\n"
    corpus = open_corpus(laid(tmp_path, {"note1.txt": NOTE, "note1.pipe": rows}))
    assert told(corpus) == TOLD
    assert (corpus.counts.malformed, corpus.counts.rows) == (2, 6)
    assert add_up(corpus.counts)
    assert sorted(re.sub(r"^.*(?=note1)", "", one) for one in corpus.counts.examples) == [
        "note1.pipe:4: 50-5000 is no place in the text, which has 58 characters",
        "note1.pipe:5: expected note, type, id, and start and end of each piece, with || between",
    ]
    strict = open_corpus(tmp_path, strict=True)
    with pytest.raises(FormatError, match=r"note1\.pipe:5: expected note"):
        list(strict)


def test_share_types_and_prefix(tmp_path: Path) -> None:
    laid(tmp_path, {"note1.txt": NOTE, "note1.pipe": SHARE})
    corpus = open_corpus(tmp_path, types={"Drug"})
    assert golds(corpus) == []
    assert corpus.counts.skipped == Counter({"other type": 3})
    assert told(open_corpus(tmp_path, default_prefix="X"))[0][3] == "X:C0000001"


def test_share_keeps_line_breaks_of_two_characters(tmp_path: Path) -> None:
    text, row = "Chest\r\npain\r\n", "n.txt||Disease_Disorder||C0000001||0||11\r\n"
    corpus = open_corpus(laid(tmp_path, {"n.txt": "\ufeff" + text, "n.pipe": row}))
    assert told(corpus) == [("Chest pain", 0, 11, "UMLS:C0000001")]


def test_wrong_encoding_of_a_note_names_file_and_line(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, {"note1.txt": NOTE.encode() + b"Sj\xf6gren", "note1.pipe": SHARE}))
    with pytest.raises(FormatError, match=r"note1\.txt:3: not UTF-8: byte 0xf6"):
        list(corpus)


# MCN -----------------------------------------------------------------------------------------------------------------


def test_mcn_in_the_order_of_the_list(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, MCN_FILES), split="train")
    assert told(corpus) == [("Asthma", 0, 6, "UMLS:C0000003"), *TOLD]
    assert [document.id for document in corpus] == ["0002", "0001"]
    assert (corpus.counts.rows, corpus.counts.text, corpus.counts.discontinuous) == (6, 2, 1)
    assert add_up(corpus.counts)


def test_mcn_gold_of_the_test_part_lies_elsewhere(tmp_path: Path) -> None:
    assert told(open_corpus(laid(tmp_path, MCN_FILES), split="test")) == [("Gout", 0, 4, "UMLS:C0000004")]


def test_mcn_asks_which_part_and_tells_hidden_concepts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has several parts: test, train\. Say which"):
        open_corpus(laid(tmp_path, MCN_FILES))
    with pytest.raises(InputError, match=r"no split 'dev'; there are test, train"):
        open_corpus(tmp_path, split="dev")
    hidden = open_corpus(tmp_path / "test")
    assert golds(hidden) == []
    assert hidden.counts.examples[0].endswith("its concept is hidden (unk): these are not the gold files")


def test_mcn_norm_folder_alone_finds_the_notes_beside_it(tmp_path: Path) -> None:
    laid(tmp_path, MCN_FILES)
    corpus = open_corpus(tmp_path / "train/train_norm")
    assert [text for text, *_ in told(corpus)] == ["pain in the left arm", "pain leg", "fever", "Asthma"]


def test_mcn_files_that_the_list_lacks_are_skipped_and_counted(tmp_path: Path) -> None:
    files = {**MCN_FILES, "train/train_file_list.txt": "0002\n"}
    corpus = open_corpus(laid(tmp_path, files) / "train")
    assert told(corpus) == [("Asthma", 0, 6, "UMLS:C0000003")]
    assert corpus.counts.skipped == Counter({"not in the file list": 3})
    assert add_up(corpus.counts)


def test_mcn_missing_files_are_refused(tmp_path: Path) -> None:
    files = {**MCN_FILES, "train/train_file_list.txt": "0001\n0009\n"}
    with pytest.raises(InputError, match=r"0009\.norm is in the list of train files, and is not there"):
        list(open_corpus(laid(tmp_path / "a", files), split="train"))
    files = {name: text for name, text in MCN_FILES.items() if "note/0001" not in name}
    with pytest.raises(InputError, match=r"0001\.norm: the text of the note 0001 is not there"):
        list(open_corpus(laid(tmp_path / "b", files), split="train"))


def test_mcn_malformed_rows(tmp_path: Path) -> None:
    rows = "N000||C0000001||12\nN001||C0000001||40||12\nN002||C0000001||11||12\n"
    corpus = open_corpus(laid(tmp_path, {"train_note/1.txt": NOTE, "train_norm/1.norm": rows}))
    assert golds(corpus) == []
    assert [one.rpartition("1.norm:")[2] for one in corpus.counts.examples] == [
        "1: expected number, id, and start and end of each piece, with || between",
        "2: 40-12 is no place in the text, which has 58 characters",
        "3: no words at its place in the text",
    ]
    assert add_up(corpus.counts)


# Mantra and other BRAT -----------------------------------------------------------------------------------------------

MANTRA_XML = """<?xml version="1.0" encoding="UTF-8"?>
<Corpus>
<document id="d1"><unit id="d1.u1"><text>Kein Fieber &amp; Husten</text>
<e id="1" cui="C0000001" type="Sign or Symptom" grp="DISO" offset="5" len="6">Fieber</e>
<e id="2" cui="C0000002" grp="DISO" offset="14" len="6">Husten</e>
<e id="3" cui="C0000003" grp="CHEM" offset="0" len="4">Niemand</e>
<e id="4" cui="C0000004" grp="DISO" offset="14" len="60">Husten</e>
<e id="5" grp="DISO" offset="0" len="4">Kein</e></unit></document>
</Corpus>
"""
ANN = """T8\tC0000001 12 32\tpain in the left arm
#8\tAnnotatorNotes T8\t"C0000001", "ache of arm", "Sign or Symptom" ,"DISO"
T9\tC0000002 12 16;37 40\tpain leg
#9\tAnnotatorNotes T9\t"ache of leg", "Sign or Symptom", "DISO"
"""


def test_mantra_xml(tmp_path: Path) -> None:
    path = laid(tmp_path, {"EMEA_GSC_de_man.xml": MANTRA_XML}) / "EMEA_GSC_de_man.xml"
    corpus = open_corpus(path)
    assert told(corpus) == [
        ("Fieber", 5, 11, "UMLS:C0000001"),
        ("Husten", 14, 20, "UMLS:C0000002"),
        ("Niemand", None, None, "UMLS:C0000003"),
    ]
    assert [(g.mention.document, g.mention.type) for g in golds(corpus)] == [
        ("d1.u1", "DISO"), ("d1.u1", "DISO"), ("d1.u1", "CHEM"),
    ]  # fmt: skip
    assert (corpus.counts.rows, corpus.counts.text, corpus.counts.malformed, corpus.counts.without_offsets) == (
        6,
        1,
        2,
        1,
    )
    assert add_up(corpus.counts)
    assert [one.rpartition("xml:")[2] for one in corpus.counts.examples] == [
        "7: 14-74 is no place in the text, which has 20 characters", "8: expected the attributes cui, offset and len",
    ]  # fmt: skip
    with pytest.raises(FormatError, match=r"xml:6: 0-4 does not point at 'Niemand'"):
        list(open_corpus(path, strict=True))


def test_mantra_xml_agrees_with_an_independent_parser(tmp_path: Path) -> None:
    from xml.etree import ElementTree

    path = laid(tmp_path, {"EMEA_GSC_de_man.xml": MANTRA_XML}) / "EMEA_GSC_de_man.xml"
    marks = [mark for mark in ElementTree.parse(path).getroot().iter("e") if mark.get("id") in "123"]  # noqa: S314 (our own file)
    expected = [(mark.text, f"UMLS:{mark.get('cui')}") for mark in marks]
    assert [(text, ids) for text, _, _, ids in told(open_corpus(path))] == expected


def test_mantra_brat(tmp_path: Path) -> None:
    files = {"English/EMEA_x/1.txt": NOTE, "English/EMEA_x/1.ann": ANN, "English/EMEA_x/2.txt": "Nothing."}
    corpus = open_corpus(laid(tmp_path, files))
    assert told(corpus) == TOLD[:2]
    assert {gold.mention.type for gold in golds(corpus)} == {"DISO"}
    assert [document.id for document in corpus] == ["1", "2"]
    assert corpus.counts.skipped == Counter({"note": 2})
    assert add_up(corpus.counts)


def test_brat_with_concepts_in_plain_notes_and_references(tmp_path: Path) -> None:
    ann = (
        "T1\tSign 12 16\tpain\n#1\tAnnotatorNotes T1\tC0000005\n"
        "T2\tSign 45 50\tfever\nN1\tReference T2 HP:0000001\tx\nN2\tReference T2 UMLS:C0000006\ty\n"
        "T3\tSign 0 7\tPatient\nR1\tof Arg1:T1 Arg2:T2\nT4\tSign 33 36\tand\n#2\tAnnotatorNotes T4\tCUI-less\n"
        "T5\tSign 0 7\tDoctor\n#3\tAnnotatorNotes T5\tC0000007\nT6\tSign 0\tbroken\n?\n"
    )
    corpus = open_corpus(laid(tmp_path, {"1.txt": NOTE, "1.ann": ann}))
    assert told(corpus) == [
        ("pain", 12, 16, "UMLS:C0000005"),
        ("fever", 45, 50, "HP:0000001 UMLS:C0000006"),
        ("and", 33, 36, ""),
        ("Doctor", None, None, "UMLS:C0000007"),
    ]
    assert corpus.counts.skipped == Counter({"note": 5, "other annotation": 1, "no concept given": 1})
    assert (corpus.counts.malformed, corpus.counts.without_offsets, corpus.counts.rows) == (2, 1, 14)
    assert add_up(corpus.counts)


def test_mantra_asks_which_of_several(tmp_path: Path) -> None:
    files = {
        "English/EMEA_x/1.txt": NOTE, "English/EMEA_x/1.ann": ANN, "German/EMEA_x/1.txt": NOTE,
        "German/EMEA_x/1.ann": ANN, "Medline_GSC_en_man.xml": MANTRA_XML,
    }  # fmt: skip
    with pytest.raises(InputError, match="Medline_GSC_en_man, English/EMEA_x, German/EMEA_x"):
        open_corpus(laid(tmp_path, files))
    assert len(golds(open_corpus(tmp_path, split="german emea x"))) == 2
    assert len(golds(open_corpus(tmp_path, split="Medline_GSC_en_man"))) == 3
    with pytest.raises(InputError, match="several parts called 'EMEA_x'; there are"):
        open_corpus(tmp_path, split="EMEA_x")


def test_brat_without_the_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"1\.ann: its text 1\.txt is not there"):
        list(open_corpus(laid(tmp_path, {"1.ann": ANN})))


# Places --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spans", "words", "whole"),
    [
        ([(0, 4)], "left", (0, 4)),
        ([(5, 8), (0, 4)], "left arm", (0, 8)),
        ([(0, 4), (13, 17)], "left pain", None),
        ([(0, 8), (5, 8)], "left arm arm", (0, 8)),
    ],
)
def test_pieces_with_white_space_between_are_one(spans: list[tuple[int, int]], words: str, whole: object) -> None:
    assert spelled("left arm and pain", spans) == (words, whole)


def test_a_notes_name_leads_nowhere_else(tmp_path: Path) -> None:
    laid(tmp_path, {"secret.txt": NOTE, "x/ann/a.pipe": SHARE.replace("note1.txt", "../../secret.txt")})
    with pytest.raises(InputError, match="is not there"):
        list(open_corpus(tmp_path / "x/ann"))
    laid(tmp_path, {"y/ann/a.pipe": SHARE.replace("note1", "n" * 5000)})
    with pytest.raises(InputError, match="is not there"):
        list(open_corpus(tmp_path / "y/ann"))
