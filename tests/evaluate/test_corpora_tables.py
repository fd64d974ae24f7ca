"""Phrases with their concepts in tables: COMETA, AskAPatient and TwADR-L with their folds, and CSV of one's own."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from laid import add_up, golds, laid, told
from ontonym.errors import FormatError, InputError
from ontonym.evaluate.corpora import FoldOverlap, fold_overlap, open_corpus
from ontonym.files.tables import written_table

# COMETA --------------------------------------------------------------------------------------------------------------

HEADER = "\tID\tTerm\tGeneral SNOMED Label\tGeneral SNOMED ID\tSpecific SNOMED Label\tSpecific SNOMED ID\tExample\n"
TEST = HEADER + (
    "6\t17\ttummy bug\tBug\t111\tTummy bug\t222\tMy Tummy bug came back .\n"
    '9\t18\tbug\tBug\t111\tGreen bug\t333\t"a ""bug"" is a bug"\n'
)
COMETA = {
    f"splits/{kind}_{level}/{part}.csv": TEST
    for kind in ("stratified", "zeroshot")
    for level in ("general", "specific")
    for part in ("train", "dev", "test")
} | {"splits/random/test.csv": TEST}


@pytest.mark.parametrize(
    ("split", "ids"),
    [("stratified_general/test", ["SCTID:111", "SCTID:111"]), ("zeroshot specific dev", ["SCTID:222", "SCTID:333"]),
     ("random/test/specific", ["SCTID:222", "SCTID:333"])],
)  # fmt: skip
def test_cometa_takes_the_level_of_the_split(tmp_path: Path, split: str, ids: list[str]) -> None:
    corpus = open_corpus(laid(tmp_path, COMETA) / "splits", split=split)
    assert told(corpus) == [("tummy bug", 3, 12, ids[0]), ("bug", None, None, ids[1])]
    first, second = corpus
    assert (first.id, first.text, second.text) == ("17", "My Tummy bug came back .", 'a "bug" is a bug')
    assert (corpus.counts.rows, corpus.counts.without_offsets) == (2, 1)
    assert add_up(corpus.counts)


def test_cometa_agrees_with_the_csv_module(tmp_path: Path) -> None:
    path = laid(tmp_path, COMETA) / "splits/stratified_specific/test.csv"
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    expected = [(row["Term"], row["Example"], f"SCTID:{row['Specific SNOMED ID']}") for row in rows]
    assert [(g.mention.text, g.mention.passage, *g.ids) for g in golds(open_corpus(path))] == expected


def test_cometa_file_and_folder_know_their_level(tmp_path: Path) -> None:
    laid(tmp_path, COMETA)
    general = tmp_path / "splits/zeroshot_general"
    assert golds(open_corpus(general / "test.csv"))[0].ids == {"SCTID:111"}
    assert golds(open_corpus(general, split="test"))[0].ids == {"SCTID:111"}
    with pytest.raises(InputError, match=r"no split 'gold'; there are zeroshot_general/dev, zeroshot_general/test, "):
        open_corpus(general, split="gold")


def test_cometa_without_a_level_asks_for_it(tmp_path: Path) -> None:
    path = laid(tmp_path, {"x/chv.csv": TEST}) / "x/chv.csv"
    with pytest.raises(InputError, match=r"several parts: x/chv/general, x/chv/specific\. Say which"):
        open_corpus(path)
    assert golds(open_corpus(path, split="specific"))[1].ids == {"SCTID:333"}


def test_cometa_malformed_rows(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, {"general/test.csv": TEST + "10\t19\tfew\n11\t20\t\t\t1\t\t2\tx\n"}))
    assert len(golds(corpus)) == 2
    assert (corpus.counts.malformed, corpus.counts.rows) == (2, 4)
    assert corpus.counts.examples[0].endswith("test.csv:4: expected 8 columns with a term, got 3")


# AskAPatient and TwADR-L ---------------------------------------------------------------------------------------------

FOLDS = {
    "AskAPatient.fold-0.train.txt": "111\tTired\tso tired\n111\tTired\tSo  Tired\n222\tSad\tdown\n",
    "AskAPatient.fold-0.validation.txt": "222\tSad\tblue\n",
    "AskAPatient.fold-0.test.txt": "111\tTired\tSO tired\n333\tOther\tso tired\n111\tTired\tcan\u2019t wake\n".encode(
        "cp1252"
    ),
    "AskAPatient.fold-1.test.txt": "111\tTired\tso tired\n444\tNone\tcaf\u00e9\n",
}


def test_folds_count_what_has_leaked(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, FOLDS), split="fold-0/test")
    assert told(corpus) == [
        ("SO tired", None, None, "SCTID:111"), ("so tired", None, None, "SCTID:333"),
        ("can\u2019t wake", None, None, "SCTID:111"),
    ]  # fmt: skip
    counts = corpus.counts
    assert (counts.rows, counts.leaked, counts.in_other_folds, counts.reencoded) == (3, 1, 1, 1)
    assert add_up(counts)
    assert counts.notes() == [
        "1 of 3 mentions are, with their concept, in the training part of their fold too",
        "1 of 3 mentions are, with their concept, in this part of another fold too",
        "rows that are not UTF-8, read as Windows-1252: 1",
    ]


def test_overlap_of_every_part(tmp_path: Path) -> None:
    assert fold_overlap(laid(tmp_path, FOLDS)) == [
        FoldOverlap("AskAPatient", 0, "test", 3, 1, 1, 0),
        FoldOverlap("AskAPatient", 0, "train", 3, None, None, 1),
        FoldOverlap("AskAPatient", 0, "validation", 1, 0, None, 0),
        FoldOverlap("AskAPatient", 1, "test", 2, None, 1, 0),
    ]
    with pytest.raises(FormatError, match="no folds of AskAPatient or TwADR-L"):
        fold_overlap(laid(tmp_path / "other", {"a.txt": "x"}))


def test_a_lone_part_looks_for_its_training_part_beside_it(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, FOLDS) / "AskAPatient.fold-0.test.txt")
    list(corpus)
    assert (corpus.counts.leaked, corpus.counts.in_other_folds) == (1, 1)
    laid(tmp_path / "b", {"AskAPatient.fold-2.test.txt": "1\tA\tb\n"})
    corpus = open_corpus(tmp_path / "b")
    list(corpus)
    assert (corpus.counts.leaked, corpus.counts.in_other_folds) == (None, None)


def test_folds_are_asked_for_by_number_and_part(tmp_path: Path) -> None:
    laid(tmp_path, FOLDS)
    assert golds(open_corpus(tmp_path, split="0 dev"))[0].mention.text == "blue"
    listed = "there are fold-0/test, fold-0/train, fold-0/validation, fold-1/test"
    with pytest.raises(InputError, match=f"several parts called 'test'; {listed}"):
        open_corpus(tmp_path, split="test")
    with pytest.raises(InputError, match=f"no split '7/test'; {listed}"):
        open_corpus(tmp_path, split="7/test")


def test_twadr_has_umls_ids_and_malformed_lines_are_shown(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, {"TwADR-L.fold-3.test.txt": "C0000001\tTired\tso tired\nC0000002\ttwo\n\n"}))
    assert told(corpus) == [("so tired", None, None, "UMLS:C0000001")]
    assert corpus.counts.examples[0].endswith(
        "TwADR-L.fold-3.test.txt:2: expected the id of a concept, its name and a phrase, with tabs between"
    )


def test_both_corpora_in_one_folder_are_kept_apart(tmp_path: Path) -> None:
    laid(
        tmp_path,
        {f"{name}/{name}.fold-0.test.txt": f"{id_}\tA\tb\n" for name, id_ in (("AskAPatient", "1"), ("TwADR-L", "C2"))},
    )
    assert told(open_corpus(tmp_path, format="twadr-l")) == [("b", None, None, "UMLS:C2")]
    assert told(open_corpus(tmp_path, format="askapatient")) == [("b", None, None, "SCTID:1")]
    assert [(one.corpus, one.in_other_folds) for one in fold_overlap(tmp_path)] == [
        ("AskAPatient", None),
        ("TwADR-L", None),
    ]


def test_another_three_column_file_must_be_named(tmp_path: Path) -> None:
    path = laid(tmp_path, {"mine.txt": "1\tA\tb\n"}) / "mine.txt"
    with pytest.raises(FormatError, match="the format of this corpus is not recognized"):
        open_corpus(path)
    assert told(open_corpus(path, format="askapatient")) == [("b", None, None, "SCTID:1")]


# CSV and TSV ---------------------------------------------------------------------------------------------------------

CSV = """Text,ID,Semantic Type,Document,Start,End,Passage
heart attack,X:1|Y:2,Disease,d1,2,14,a heart attack
fits,,Sign,d1,0,4,a heart attack
"gout, acute",MIM:3,Disease,d2,,,
"""


def test_csv_with_everything(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, {"gold.csv": "\ufeff" + CSV.replace("\n", "\r\n")}))
    assert told(corpus) == [
        ("heart attack", 2, 14, "X:1 Y:2"), ("fits", None, None, ""), ("gout, acute", None, None, "OMIM:3"),
    ]  # fmt: skip
    assert [(document.id, len(document.mentions)) for document in corpus] == [("d1", 2), ("d2", 1)]
    assert [gold.mention.type for gold in golds(corpus)] == ["Disease", "Sign", "Disease"]
    assert (corpus.counts.rows, corpus.counts.without_offsets) == (3, 1)
    assert add_up(corpus.counts)
    with pytest.raises(FormatError, match=r"gold\.csv:3: start and end \(0-4\) do not point at 'fits'"):
        list(open_corpus(tmp_path / "gold.csv", strict=True))


def test_the_places_of_a_mention_count_in_its_own_passage(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text(
        "document,text,id,start,end,passage\n"
        "d1,bug,X:1,2,5,a bug here\n"
        "d1,here,X:2,6,10,\n"
        "d1,toe,X:3,4,7,the toe\n"
        "d2,toe,X:3,4,7,the toe\n",
        encoding="utf-8",
    )
    documents = list(open_corpus(path))
    assert [(one.id, one.text) for one in documents] == [("d1", "a bug here"), ("d1", "the toe"), ("d2", "the toe")]
    marked = [[one.text[m.mention.start : m.mention.end] for m in one.mentions] for one in documents]
    assert marked == [["bug", "here"], ["toe"], ["toe"]]


def test_tsv_with_two_columns_and_a_prefix(tmp_path: Path) -> None:
    path = laid(tmp_path, {"gold.tsv": 'mention\tcui\n5" wide\tC0000001\nnothing\tCUI-less\n'}) / "gold.tsv"
    corpus = open_corpus(path, default_prefix="UMLS")
    assert told(corpus) == [('5" wide', None, None, "UMLS:C0000001"), ("nothing", None, None, "")]
    assert [gold.mention.document for gold in golds(corpus)] == ["2", "3"]
    assert told(open_corpus(path))[0][3] == "C0000001"


def test_id_is_the_mentions_own_beside_a_column_of_gold(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, {"gold.csv": "id,text,gold\nm1,gout,X:1\n"}))
    assert [(gold.mention.id, set(gold.ids)) for gold in golds(corpus)] == [("m1", {"X:1"})]


def test_ids_of_composites_as_pubtator_has_them(tmp_path: Path) -> None:
    rows = "text,gold\na,X:1|X:2\nb,X:1+X:2\nc,1+2|3\nd,ICD10:A17.0+\n"
    corpus = open_corpus(laid(tmp_path, {"gold.csv": rows}), default_prefix="X")
    assert [set(gold.ids) for gold in golds(corpus)] == [
        {"X:1", "X:2"}, {"X:1", "X:2"}, {"X:1", "X:2", "X:3"}, {"ICD10:A17.0+"},
    ]  # fmt: skip


def test_csv_rows_that_are_none(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, {"gold.csv": 'text,id\ngout,X:1\ngout\n,X:2\na,b,c\n"open,X:1\n'}))
    assert told(corpus) == [("gout", None, None, "X:1")]
    assert (corpus.counts.rows, corpus.counts.malformed) == (5, 4)
    assert corpus.counts.examples[0].endswith("gold.csv:3: expected 2 columns, got 1")
    assert corpus.counts.examples[1].endswith("gold.csv:4: no text")
    assert add_up(corpus.counts)


@pytest.mark.parametrize("ending", ["xlsx", "parquet"])
def test_gold_in_a_workbook_is_what_it_is_as_csv(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("openpyxl")
    with written_table(tmp_path / f"gold.{ending}", ending, ["term", "code", "n"]) as write:
        for row in (["gout", "X:1|X:2", 3], [None, None, None], ["a\nb; c", "X:3", None], ["nothing", None, 1]):
            write(row)
    corpus = open_corpus(tmp_path / f"gold.{ending}")
    assert [(gold.mention.text, set(gold.ids)) for gold in golds(corpus)] == [
        ("gout", {"X:1", "X:2"}), ("a\nb; c", {"X:3"}), ("nothing", set()),
    ]  # fmt: skip
    assert add_up(corpus.counts)


def test_csv_types(tmp_path: Path) -> None:
    corpus = open_corpus(laid(tmp_path, {"gold.csv": CSV}), types={"Sign"})
    assert told(corpus) == [("fits", None, None, "")]
    assert corpus.counts.skipped == Counter({"other type": 2})


def test_csv_without_the_columns_says_which(tmp_path: Path) -> None:
    path = laid(tmp_path, {"gold.csv": "words,number\ngout,1\n"}) / "gold.csv"
    with pytest.raises(FormatError, match=r"gold\.csv:1: no column of texts, or none of ids, among words, number"):
        list(open_corpus(path, format="csv"))


@pytest.mark.parametrize(("prefix", "code"), [("", "A 01"), ("LAB", "LAB:A 01"), ("MESH", "MESH:A01")])
def test_codes_of_ones_own_may_have_spaces(tmp_path: Path, prefix: str, code: str) -> None:
    (tmp_path / "gold.csv").write_text("text,code\nfits,A  01\n")
    assert [gold.ids for gold in golds(open_corpus(tmp_path / "gold.csv", default_prefix=prefix))] == [{code}]
