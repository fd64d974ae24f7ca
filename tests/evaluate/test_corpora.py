from __future__ import annotations

import gzip
import os
from collections import Counter
from pathlib import Path

import pytest

from ontonym.errors import FormatError
from ontonym.evaluate.corpora import PubTatorCorpus

SMALL = """
101|t|Wilson disease and lung tumours
101|a|Heart, or kidney failure | was rare.
101\t0\t14\tWilson disease\tDisease\t D006527
101\t19\t31\tlung tumours\tDisease\tD008175
101\t32\t56\tHeart, or kidney failure\tDisease\tD006333|D051437\tHeart failure|kidney failure
101\tCID\tD006527\tD006333

102|t|Aspirin
102|a|
102\t0\t7\tAspirin\tChemical\t-1
"""


def write(folder: Path, text: str, name: str = "corpus.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def row(text: str, kind: str, ids: str) -> str:
    return f"1|t|{text}\n1|a|x\n1\t0\t{len(text)}\t{text}\t{kind}\t{ids}\n"


def gold_of(folder: Path, text: str, kind: str, ids: str) -> tuple[frozenset[str], ...]:
    (document,) = PubTatorCorpus(write(folder, row(text, kind, ids)))
    return document.mentions[0].parts


def test_text_joins_title_and_abstract_so_that_offsets_hold(tmp_path: Path) -> None:
    first, second = PubTatorCorpus(write(tmp_path, SMALL))
    assert first.text == "Wilson disease and lung tumours\nHeart, or kidney failure | was rare."
    assert second.text == "Aspirin\n"
    for gold in first.mentions:
        assert first.text[gold.mention.start : gold.mention.end] == gold.mention.text


def test_mention_carries_document_offsets_type_and_id(tmp_path: Path) -> None:
    first, _ = PubTatorCorpus(write(tmp_path, SMALL))
    mention = first.mentions[1].mention
    assert (mention.document, mention.start, mention.end, mention.type) == ("101", 19, 31, "Disease")
    assert mention.id == "101:19-31"


def test_counts_add_up(tmp_path: Path) -> None:
    corpus = PubTatorCorpus(write(tmp_path, SMALL + "102\tbroken\n"), types=frozenset({"Disease"}))
    list(corpus)
    counts = corpus.counts
    assert (counts.rows, counts.text, counts.mentions, counts.malformed) == (10, 4, 3, 1)
    assert counts.skipped == Counter({"relation": 1, "other type": 1})
    assert counts.rows == counts.text + counts.mentions + counts.skipped.total() + counts.malformed


def test_counts_start_anew_at_each_iteration(tmp_path: Path) -> None:
    corpus = PubTatorCorpus(write(tmp_path, SMALL))
    list(corpus)
    list(corpus)
    assert corpus.counts.documents == 2


def test_gzip_is_told_by_content(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(gzip.compress(SMALL.encode()))
    assert [document.id for document in PubTatorCorpus(path)] == ["101", "102"]


def test_ids_lose_spaces_and_gain_the_default_prefix(tmp_path: Path) -> None:
    assert gold_of(tmp_path, "enzyme deficiency", "DiseaseClass", " D008661") == ({"MESH:D008661"},)
    assert gold_of(tmp_path, "aniridia", "SpecificDisease", "OMIM:106210 ") == ({"OMIM:106210"},)


def test_bar_in_a_composite_separates_parts(tmp_path: Path) -> None:
    parts = gold_of(tmp_path, "C6 deficiencies", "CompositeMention", "OMIM:612446|D1")
    assert parts == ({"OMIM:612446"}, {"MESH:D1"})


def test_bar_in_another_ncbi_type_means_alternatives(tmp_path: Path) -> None:
    parts = gold_of(tmp_path, "cat eye syndrome", "SpecificDisease", "C535918|OMIM:115470")
    assert parts == ({"MESH:C535918", "OMIM:115470"},)


def test_bar_in_a_coordination_of_another_ncbi_type_separates_parts(tmp_path: Path) -> None:
    parts = gold_of(tmp_path, "breast and ovarian cancer", "Modifier", "D001943|D010051")
    assert parts == ({"MESH:D001943"}, {"MESH:D010051"})


def test_bar_in_bc5cdr_separates_parts(tmp_path: Path) -> None:
    assert gold_of(tmp_path, "choreoathetosis", "Disease", "D002819|D001264") == ({"MESH:D002819"}, {"MESH:D001264"})


def test_plus_joins_ids_of_one_part(tmp_path: Path) -> None:
    (document,) = PubTatorCorpus(write(tmp_path, row("hereditary deafness", "SpecificDisease", "D030342+D003638")))
    gold = document.mentions[0]
    assert (gold.parts, gold.composite, gold.joined) == (({"MESH:D030342", "MESH:D003638"},), False, True)


def test_plus_in_a_composite_separates_parts(tmp_path: Path) -> None:
    assert gold_of(tmp_path, "breast and ovarian cancer", "CompositeMention", "D1+D2") == ({"MESH:D1"}, {"MESH:D2"})


def test_minus_one_is_no_concept(tmp_path: Path) -> None:
    _, second = PubTatorCorpus(write(tmp_path, SMALL))
    assert second.mentions[0].nil
    assert second.mentions[0].parts == (frozenset(),)


def test_composite_with_one_part_of_no_concept_is_not_nil(tmp_path: Path) -> None:
    (document,) = PubTatorCorpus(write(tmp_path, row("artery and sinus occlusion", "Disease", "D002544|-1")))
    gold = document.mentions[0]
    assert (gold.parts, gold.nil, gold.composite) == (({"MESH:D002544"}, frozenset()), False, True)


def test_individual_mentions_are_kept_apart(tmp_path: Path) -> None:
    first, _ = PubTatorCorpus(write(tmp_path, SMALL))
    assert first.mentions[2].part_texts == ("Heart failure", "kidney failure")


def test_wrong_offsets_keep_the_mention_without_them(tmp_path: Path) -> None:
    corpus = PubTatorCorpus(write(tmp_path, "1|t|Gout\n1|a|x\n1\t2\t6\tGout\tDisease\tD006073\n"))
    (document,) = corpus
    mention = document.mentions[0].mention
    assert (mention.text, mention.start, mention.end, corpus.counts.without_offsets) == ("Gout", None, None, 1)


def test_strict_stops_at_wrong_offsets(tmp_path: Path) -> None:
    path = write(tmp_path, "1|t|Gout\n1|a|x\n1\t2\t6\tGout\tDisease\tD006073\n")
    with pytest.raises(FormatError, match=r"corpus\.txt:3: offsets 2-6 do not point at 'Gout'"):
        list(PubTatorCorpus(path, strict=True))


def test_documents_without_a_blank_row_between_them(tmp_path: Path) -> None:
    text = "1|t|Gout\n1|a|x\n2|t|Mumps\n2|a|y\n2\t0\t5\tMumps\tDisease\tD009107\n"
    assert [(d.id, len(d.mentions)) for d in PubTatorCorpus(write(tmp_path, text))] == [("1", 0), ("2", 1)]


def test_row_of_another_document_is_malformed(tmp_path: Path) -> None:
    corpus = PubTatorCorpus(write(tmp_path, "1|t|Gout\n1|a|x\n2\t0\t4\tGout\tDisease\tD006073\n"))
    list(corpus)
    assert (corpus.counts.malformed, corpus.counts.mentions) == (1, 0)
    assert corpus.counts.examples[0].endswith("corpus.txt:3: not a row of the document above it")


def test_repeated_document_is_kept_and_counted(tmp_path: Path) -> None:
    corpus = PubTatorCorpus(write(tmp_path, "1|t|Gout\n1|a|x\n\n1|t|Gout\n1|a|x\n"))
    assert [document.id for document in corpus] == ["1", "1"]
    assert corpus.counts.repeated_documents == 1


def test_file_of_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no PubTator document"):
        list(PubTatorCorpus(write(tmp_path, "id,name\n1,gout\n")))


def test_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is a directory"):
        list(PubTatorCorpus(tmp_path))


def test_truncated_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt.gz"
    path.write_bytes(gzip.compress(SMALL.encode())[:-12])
    with pytest.raises(FormatError, match="truncated gzip"):
        list(PubTatorCorpus(path))


def test_wrong_encoding_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"1|t|Gout\n1|a|Sj\xf6gren\n")
    with pytest.raises(FormatError, match=r"corpus\.txt:2: not UTF-8"):
        list(PubTatorCorpus(path))


DATA = Path(os.environ.get("ONTONYM_DATA", Path(__file__).parents[2].parent / "shared" / "data"))


@pytest.mark.live
@pytest.mark.parametrize(
    ("name", "mentions", "composites", "nil"),
    [
        ("ncbi_disease/NCBItrainset_corpus.txt", {"ncbi": 5145}, 78, 0),
        ("ncbi_disease/NCBIdevelopset_corpus.txt", {"ncbi": 787}, 20, 0),
        ("bc5cdr/CDR_TrainingSet.PubTator.txt", {"Disease": 4182, "Chemical": 5203}, 98, 76),
        ("bc5cdr/CDR_DevelopmentSet.PubTator.txt", {"Disease": 4244, "Chemical": 5347}, 100, 59),
    ],
)
def test_published_corpora_have_their_published_counts(
    name: str, mentions: dict[str, int], composites: int, nil: int
) -> None:
    if not (DATA / name).exists():
        pytest.skip(f"set ONTONYM_DATA to the folder that holds {name}")
    corpus = PubTatorCorpus(DATA / name, strict=True)
    golds = [gold for document in corpus for gold in document.mentions]
    types = Counter("ncbi" if "ncbi" in mentions else gold.mention.type for gold in golds)
    assert types == mentions
    assert sum(gold.composite for gold in golds) == composites
    assert sum(gold.nil for gold in golds) == nil
    assert corpus.counts.malformed == 0
