"""``open_corpus``: every layout told by its content, PubTator's kin and BioC, and what is of no layout."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from laid import NOTE, SHARE, add_up, golds, laid, told
from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.evaluate import open_corpus as exported
from ontonym.evaluate.corpora import FORMATS, PubTatorCorpus, corpus_format, detected_format, has_type, open_corpus
from ontonym.evaluate.corpora.bioc import vocabulary

PUBTATOR = "7|t|Gout\n7|a|and mumps\n7\t0\t4\tGout\tDisease\tD1\n7\t9\t14\tmumps\tDisease\t-1\n"
MEDMENTIONS = (
    "1|t|Gout of the toe\n1|a|hurts.\n1\t0\t4\tGout\tT017,T103\tC0000001\n"
    "1\t12\t15\ttoe\tUnknownType\tUMLS:C0000002\n\n"
    "2|t|Mumps\n2|a|too.\n2\t0\t5\tMumps\tT047\tc0000003\n\n"
    "3|t|Fever\n3|a|again.\n3\t0\t5\tFever\tT184\tC0000004\n"
)
LISTS = {
    "corpus_pubtator_pmids_trng.txt": "1\n3\n", "corpus_pubtator_pmids_dev.txt": "2\n9\n",
    "corpus_pubtator_pmids_all.txt": "1\n2\n3\n",
}  # fmt: skip

BIOC = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source>made up</source><date/><key/>
<document><id>5</id>
<passage><infon key="type">title</infon><offset>0</offset><text>Gout and mumps</text>
<annotation id="0"><infon key="type">Disease</infon><infon key="MESH">D1</infon>
<location offset="0" length="4"/><text>Gout</text></annotation></passage>
<passage><infon key="type">abstract</infon><offset>15</offset><text>Heart, or kidney failure. Rash.</text>
<annotation id="1"><infon key="type">Disease</infon><infon key="MESH">D2|D3</infon>
<infon key="CompositeRole">CompositeMention</infon>
<location offset="15" length="24"/><text>Heart, or kidney failure</text></annotation>
<annotation id="2"><infon key="type">Disease</infon><infon key="MESH">D2</infon>
<infon key="CompositeRole">IndividualMention</infon>
<location offset="15" length="5"/><location offset="32" length="7"/><text>Heart failure</text></annotation>
<annotation id="3"><infon key="type">Disease</infon><infon key="MESH">-1</infon>
<location offset="41" length="4"/><text>Rash</text></annotation>
<annotation id="4"><infon key="type">Disease</infon>
<location offset="41" length="4"/><text>Rash</text></annotation>
<annotation id="5"><infon key="type">Disease</infon><infon key="OMIM">4</infon>
<location offset="15" length="5"/><location offset="32" length="7"/><text>Heart failure</text></annotation>
<annotation id="6"><infon key="type">Disease</infon><infon key="MESH">D6</infon>
<location offset="0" length="5"/><text>wrong</text></annotation>
<annotation id="7"><infon key="type">Disease</infon><infon key="MESH">D7</infon>
<location offset="x" length="5"/><text>Rash</text></annotation></passage></document></collection>
"""


def test_every_layout_is_told_by_its_content(tmp_path: Path) -> None:
    made = {
        "medmentions": {"corpus_pubtator.txt": MEDMENTIONS},
        "mcn": {"train_note/1.txt": NOTE, "train_norm/1.norm": "N0||C0000001||0||7\n"},
        "share": {"a/note1.txt": NOTE, "b/note1.pipe.txt": SHARE},
        "cometa": {"test.csv": "\tID\tTerm\tGeneral SNOMED ID\tSpecific SNOMED ID\tExample\n0\t1\ta\t1\t2\tb\n"},
        "askapatient": {"AskAPatient.fold-0.test.txt": "1\ta\tb\n"},
        "twadr-l": {"TwADR-L.fold-0.test.txt": "C0000001\ta\tb\n"},
        "mantra": {"a/1.txt": NOTE, "a/1.ann": "T1\tC0000001 0 7\tPatient\n"},
        "bioc": {"x.xml": BIOC},
        "pubtator": {"x.txt": PUBTATOR},
        "csv": {"x.txt": "text;id\ngout;X:1\n"},
    }
    assert list(made) == list(FORMATS)
    for name, files in made.items():
        found = detected_format(laid(tmp_path / name, files))
        assert found is not None
        assert found.name == name


def test_unknown_format_lists_the_formats(tmp_path: Path) -> None:
    path = laid(tmp_path, {"x.txt": PUBTATOR}) / "x.txt"
    valid = "askapatient, bioc, cometa, csv, mantra, mcn, medmentions, pubtator, share, twadr-l"
    with pytest.raises(
        UnknownNameError, match=f"unknown corpus format 'pubtater'. Did you mean 'pubtator'. Valid: {valid}"
    ):
        open_corpus(path, format="pubtater")


def test_what_is_of_no_layout_says_how_to_name_one(tmp_path: Path) -> None:
    path = laid(tmp_path, {"x.txt": "only words\n"}) / "x.txt"
    assert detected_format(path) is None
    with pytest.raises(FormatError, match=r"not recognized\. Known: medmentions, .*, csv\. .* `format=NAME`"):
        corpus_format(path)
    with pytest.raises(FormatError, match="no such file"):
        open_corpus(tmp_path / "gone")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="no file in it"):
        open_corpus(tmp_path / "empty")


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("askapatient", "twadr-l")])
def test_a_file_of_another_layout_is_refused_by_every_reader(tmp_path: Path, name: str) -> None:
    path = laid(tmp_path, {"x.txt": "only words\n"}) / "x.txt"
    with pytest.raises(FormatError):
        list(open_corpus(path, format=name))


def test_a_layout_of_one_file_has_no_splits(tmp_path: Path) -> None:
    path = laid(tmp_path, {"x.txt": PUBTATOR}) / "x.txt"
    with pytest.raises(InputError, match="pubtator has no splits of its own, so there is no 'dev'"):
        open_corpus(path, split="dev")
    laid(tmp_path, {"y.txt": PUBTATOR})
    with pytest.raises(FormatError, match=r"2 corpora in it \(x\.txt, y\.txt\)\. Name one of them"):
        open_corpus(tmp_path)


def test_pubtator_is_read_as_by_its_class(tmp_path: Path) -> None:
    path = laid(tmp_path, {"x.txt": PUBTATOR}) / "x.txt"
    assert list(exported(path)) == list(PubTatorCorpus(path))
    assert told(open_corpus(path)) == [("Gout", 0, 4, "MESH:D1"), ("mumps", 9, 14, "")]
    assert told(open_corpus(path, default_prefix="X"))[0][3] == "X:D1"
    with pytest.raises(FormatError, match=r"x\.txt:5: expected document"):
        list(open_corpus(laid(tmp_path, {"x.txt": PUBTATOR + "7\t1\n"}) / "x.txt", strict=True))


# MedMentions ---------------------------------------------------------------------------------------------------------


def test_medmentions_split_by_its_lists(tmp_path: Path) -> None:
    laid(tmp_path, {"corpus_pubtator.txt.gz": gzip.compress(MEDMENTIONS.encode()), **LISTS})
    train = open_corpus(tmp_path, split="train")
    assert told(train) == [
        ("Gout", 0, 4, "UMLS:C0000001"), ("toe", 12, 15, "UMLS:C0000002"), ("Fever", 0, 5, "UMLS:C0000004"),
    ]  # fmt: skip
    assert [document.id for document in train] == ["1", "3"]
    assert train.counts.skipped == Counter({"other split": 3})
    assert add_up(train.counts)
    dev = open_corpus(tmp_path / "corpus_pubtator.txt.gz", split="dev")
    assert told(dev) == [("Mumps", 0, 5, "UMLS:C0000003")]
    assert (dev.counts.missing_documents, dev.counts.notes()) == (
        1,
        ["documents of the split that the corpus lacks: 1"],
    )
    assert len(list(open_corpus(tmp_path))) == 3
    with pytest.raises(InputError, match=r"no split 'test'; there are dev, train"):
        open_corpus(tmp_path, split="test")


def test_medmentions_st21pv_uses_the_lists_of_the_full_corpus(tmp_path: Path) -> None:
    full = {f"full/data/{name}": text for name, text in LISTS.items()}
    laid(
        tmp_path, {**full, "st21pv/data/corpus_pubtator.txt": MEDMENTIONS, "full/data/corpus_pubtator.txt": MEDMENTIONS}
    )
    for path in ("st21pv", "st21pv/data", "st21pv/data/corpus_pubtator.txt", "full"):
        assert [document.id for document in open_corpus(tmp_path / path, split="dev")] == ["2"]
    with pytest.raises(FormatError, match="2 corpora in it"):
        open_corpus(tmp_path)


def test_medmentions_without_lists_or_documents(tmp_path: Path) -> None:
    path = laid(tmp_path, {"a/mine.txt": MEDMENTIONS}) / "a/mine.txt"
    assert corpus_format(path).name == "medmentions"
    with pytest.raises(InputError, match=r"no split 'dev', for no list of documents is there\. The lists"):
        open_corpus(path, split="dev")
    laid(tmp_path / "a", {"corpus_pubtator_pmids_dev.txt": "77\n"})
    with pytest.raises(FormatError, match="no document of the split in it"):
        list(open_corpus(path, split="dev"))


def test_one_of_several_semantic_types_is_enough(tmp_path: Path) -> None:
    path = laid(tmp_path, {"corpus_pubtator.txt": MEDMENTIONS}) / "corpus_pubtator.txt"
    corpus = open_corpus(path, types={"T103"})
    assert [(gold.mention.text, gold.mention.type) for gold in golds(corpus)] == [("Gout", "T017,T103")]
    assert corpus.counts.skipped == Counter({"other type": 3})
    assert has_type("T017,T103", ("T017",))
    assert not has_type("T017,T103", ("T01",))


def test_a_corpus_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "medmentions.tar"
    with tarfile.open(path, "w") as archive:
        for name, text in {"corpus_pubtator.txt": MEDMENTIONS, **LISTS}.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    assert [document.id for document in open_corpus(path, split="dev")] == ["2"]


# BioC ----------------------------------------------------------------------------------------------------------------


def test_bioc_as_bc5cdr_has_it(tmp_path: Path) -> None:
    path = laid(tmp_path, {"x.xml": BIOC}) / "x.xml"
    corpus = open_corpus(path)
    assert told(corpus) == [
        ("Gout", 0, 4, "MESH:D1"), ("Heart, or kidney failure", 15, 39, "MESH:D2 MESH:D3"), ("Rash", 41, 45, ""),
        ("Heart failure", None, None, "OMIM:4"), ("wrong", None, None, "MESH:D6"),
    ]  # fmt: skip
    composite = golds(corpus)[1]
    assert (composite.parts, composite.mention.id) == (({"MESH:D2"}, {"MESH:D3"}), "5:1")
    (document,) = corpus
    assert document.text == "Gout and mumps\nHeart, or kidney failure. Rash."
    counts = corpus.counts
    assert counts.skipped == Counter({"part of a composite": 1, "no concept given": 1})
    assert (counts.rows, counts.text, counts.malformed, counts.discontinuous, counts.without_offsets) == (
        10,
        2,
        1,
        1,
        1,
    )
    assert add_up(counts)
    with pytest.raises(FormatError, match=r"document 5: its places do not point at 'wrong'"):
        list(open_corpus(path, strict=True))


def test_bioc_json_ids_of_every_kind(tmp_path: Path) -> None:
    def annotation(number: int, infons: dict[str, str]) -> dict[str, object]:
        return {"id": number, "infons": infons, "text": "Gout", "locations": [{"offset": 0, "length": 4}]}

    annotations = [
        annotation(1, {"type": "Disease", "identifier": "MESH:D1", "name": "x"}),
        annotation(2, {"type": "Gene", "identifier": "672;673", "database": "ncbi_gene"}),
        annotation(3, {"type": "Disease", "identifier": "MIM:1,D2"}),
        annotation(4, {"type": "Disease", "identifier": "-", "database": "ncbi_mesh"}),
        annotation(5, {"type": "Sign", "HP": "0000001", "note": "x"}),
    ]
    document = {"id": "5", "passages": [{"offset": 0, "text": "Gout", "annotations": annotations}]}
    corpus = open_corpus(laid(tmp_path, {"x.json": json.dumps({"documents": [document]})}))
    assert [ids for *_, ids in told(corpus)] == [
        "MESH:D1",
        "NCBIGene:672 NCBIGene:673",
        "MESH:D2 OMIM:1",
        "",
        "HP:0000001",
    ]
    assert [gold.joined for gold in golds(corpus)] == [False, True, True, False, False]
    assert len(golds(open_corpus(tmp_path, types={"Gene"}))) == 1


def test_a_bioc_mention_that_begins_a_passage_without_a_gap_has_its_place(tmp_path: Path) -> None:
    infons, location = {"type": "Disease", "identifier": "MESH:D1"}, {"offset": 8, "length": 5}
    mention = {"id": "1", "infons": infons, "text": "Fever", "locations": [location]}
    passages = [{"offset": 0, "text": "No pain."}, {"offset": 8, "text": "Fever today", "annotations": [mention]}]
    (one,) = open_corpus(laid(tmp_path, {"x.json": json.dumps({"documents": [{"id": "5", "passages": passages}]})}))
    assert [(gold.mention.start, gold.mention.end) for gold in one.mentions] == [(9, 14)]


def test_infons_that_are_vocabularies() -> None:
    assert [vocabulary(key) for key in ("MESH", "mesh", "NCBI Gene", "HP", "hp", "pr", "type", "SNOMED_CT")] == [
        "MESH", "MESH", "NCBIGene", "HP", "", "", "", "SCTID",
    ]  # fmt: skip


DATA = Path(os.environ.get("ONTONYM_DATA", Path(__file__).parents[2].parent / "shared" / "data"))


@pytest.mark.live
@pytest.mark.parametrize("name", ["ncbi_disease/NCBIdevelopset_corpus.txt", "bc5cdr/CDR_DevelopmentSet.PubTator.txt"])
def test_published_corpora_are_pubtator(name: str) -> None:
    if not (DATA / name).exists():
        pytest.skip(f"set ONTONYM_DATA to the folder that holds {name}")
    assert corpus_format(DATA / name).name == "pubtator"
    assert list(open_corpus(DATA / name)) == list(PubTatorCorpus(DATA / name))


# Broken files --------------------------------------------------------------------------------------------------------

WHOLE: dict[str, dict[str, str]] = {
    "medmentions": {"corpus_pubtator.txt": MEDMENTIONS},
    "mcn": {"train_note/1.txt": NOTE, "train_norm/1.norm": "N0||C0000001||0||7\nN1||CUI-less||12||16||37||40\n"},
    "share": {"note1.txt": NOTE, "note1.pipe": SHARE},
    "cometa": {"general.csv": "\tID\tTerm\tGeneral SNOMED ID\tSpecific SNOMED ID\tExample\n0\t1\ta\t1\t2\tb a\n"},
    "askapatient": {"AskAPatient.fold-0.test.txt": "1\ta\tb\n2\tc\td e\n"},
    "mantra": {"1.txt": NOTE, "1.ann": 'T1\tC0000001 0 7\tPatient\n#1\tAnnotatorNotes T1\t"C0000001", "x", "y", "Z"\n'},
    "bioc": {"x.xml": BIOC},
    "pubtator": {"x.txt": PUBTATOR},
    "csv": {"x.csv": "text,id,start,end,passage\ngout,X:1,0,4,gout\nmumps,,,,\n"},
}


PIECES = (b"\xff", b"\t", b"|", b"\n", b"9", b"9" * 5000, b"", b"\0", b"<")


@pytest.mark.parametrize("name", WHOLE)
def test_broken_files_end_in_one_clear_error_or_add_up(tmp_path: Path, name: str) -> None:
    drawn = random.Random(name)  # noqa: S311 (no secret)
    for number in range(150):
        files = {}
        for path, text in WHOLE[name].items():
            data = bytearray(text.encode())
            for _ in range(drawn.randrange(4)):
                place = drawn.randrange(len(data))
                data[place : place + drawn.randrange(3)] = drawn.choice(PIECES)
            files[path] = bytes(data)
        try:
            corpus = open_corpus(laid(tmp_path / str(number), files), format=name)
            list(corpus)
        except InputError as error:
            assert str(tmp_path) in str(error)
        else:
            assert add_up(corpus.counts)
