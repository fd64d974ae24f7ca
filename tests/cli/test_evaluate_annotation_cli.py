"""Annotations judged by gold documents: each level, the mistakes, the page, and the command."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from built import SMALL, index_fixture
from ontonym.errors import UnknownNameError
from ontonym.evaluate.annotation import (
    AnnotationEvaluationOptions,
    JudgedDocument,
    Placed,
    evaluate_annotation,
    judge_annotations,
    right_by_confidence,
)
from ontonym.evaluate.annotationmistakes import mistake_rows
from ontonym.evaluate.annotationpage import annotation_page
from ontonym.evaluate.corpora import open_corpus
from ontonym.index import Index

TABLE = """id\tpreferred\tparents
M:1\tAny finding\t
M:2\tSeizure\tM:1
M:3\tFocal seizure\tM:2
M:4\tShort stature\tM:1
"""
TEXT = "She had a focal seizure and short stature, no seizure since."
CORPUS = f"""1|t|{TEXT}
1|a|
1\t10\t23\tfocal seizure\tPhenotype\tM:2
1\t28\t41\tshort stature\tPhenotype\tM:4

"""


index = index_fixture({"made.tsv": TABLE}, SMALL)


def placed(start: int, end: int, *ids: str) -> Placed:
    return Placed(start, end, tuple(frozenset([one]) for one in ids))


def test_every_level(index: Index) -> None:
    judged = [
        JudgedDocument("1", TEXT, (placed(10, 23, "M:2"), placed(28, 41, "M:4")),
                       (placed(10, 23, "M:3"), placed(34, 41, "M:4"), placed(46, 53, "M:2"))),
    ]  # fmt: skip
    values = {
        level: tuple(round(figure.value, 3) for figure in three)
        for level, three in judge_annotations(judged, index).items()
    }
    assert values == {
        "document": (0.667, 1.0, 0.8),
        "exact": (0.0, 0.0, 0.0),
        "overlapping": (0.333, 0.5, 0.4),
        "near": (0.667, 1.0, 0.8),
        "place": (0.333, 0.5, 0.4),
    }
    assert [row[0] for row in mistake_rows(judged, index)] == ["other concept", "not in gold"]
    shown = annotation_page("Cases", judged, index)
    why = "another concept than in gold&#10;gold: M:2 Seizure&#10;found: M:3 Focal seizure"
    assert f'<mark class="other" title="{why}">focal seizure</mark>' in shown
    assert shown.count('<mark class="both"') == 2  # the legend, and stature
    assert shown.count('<mark class="gold"') == 2


def test_a_composite_is_right_in_part_and_counts_each_concept(index: Index) -> None:
    judged = [JudgedDocument("1", TEXT, (placed(0, 9, "M:2", "M:4"),), (placed(0, 9, "M:4"),))]
    found = judge_annotations(judged, index)
    assert found["exact"][2].value == 1
    assert (found["document"][0].value, found["document"][1].value) == (1, 0.5)


def test_right_mentions_by_their_confidence() -> None:
    found = tuple(replace(placed(place, place + 1, "M:2"), confidence=sure)
                  for place, sure in enumerate((0.96, 0.8, 0.79, 0.5, 0.49)))  # fmt: skip
    gold = (placed(0, 1, "M:2"), placed(1, 2, "M:4"), placed(3, 4, "M:2"))
    table = right_by_confidence([JudgedDocument("1", TEXT, gold, found)])
    assert [(name, number, right.value) for name, number, right in table.rows] == [
        ("sure: 0.8 or more", 2, 0.5),
        ("0.5 to 0.8", 2, 0.5),
        ("below 0.5", 1, 0.0),
    ]
    assert [(number, right) for _, number, right in right_by_confidence([]).rows] == [(0, None)] * 3


def test_a_corpus(index: Index, tmp_path: Path) -> None:
    path = tmp_path / "gold.pubtator"
    path.write_text(CORPUS)
    evaluation, judged = evaluate_annotation(index, [open_corpus(str(path))])
    assert [(one.start, one.end) for one in judged[0].found] == [(10, 23), (28, 41), (46, 53)]
    assert evaluation.shape["measures"]["overlapping_recall"]["value"] == 0.5
    assert evaluation.shape["n"] == 2
    assert [one["n"] for one in evaluation.shape["by_confidence"]] == [3, 0, 0]


def test_gold_mentions_in_one_place_are_one_of_several_concepts(index: Index, tmp_path: Path) -> None:
    path = tmp_path / "gold.pubtator"
    again = "1\t10\t23\tfocal seizure\tPhenotype\t"
    path.write_text(CORPUS.replace(f"{again}M:2\n", f"{again}M:3\n{again}M:1\n{again}M:3\n"))
    evaluation, judged = evaluate_annotation(index, [open_corpus(str(path))])
    assert judged[0].gold == (placed(10, 23, "M:3", "M:1"), placed(28, 41, "M:4"))
    assert evaluation.shape["measures"]["exact_recall"]["value"] == 1


def test_the_command(run, index: Index, tmp_path: Path) -> None:
    path = tmp_path / "gold.pubtator"
    path.write_text(CORPUS)
    options = ("--except", "negated", "--mistakes", tmp_path / "wrong.tsv", "--page", tmp_path / "page.html", "--json")
    done = run("evaluate", "annotation", index.path, path, *options)
    assert done.exit_code == 0, done.output
    measures = json.loads(done.stdout)["measures"]
    assert measures["document_precision"]["value"] == 0.5
    assert (tmp_path / "wrong.tsv").read_text().splitlines()[1].split("\t")[:5] == [
        "other concept", "1", "10", "23", "focal seizure",
    ]  # fmt: skip
    written = (tmp_path / "page.html").read_text()
    assert "focal seizure</mark>" in written
    assert re.search(r"<td>exact</td>.*<small>\[0\.\d+, [01]\.\d+\]</small>", written), "the figures"
    assert run("evaluate", "annotation", index.path, path, "--except", "x").exit_code == 2
    path.write_text(CORPUS.replace("M:2", "-1").replace("M:4", "-1"))
    nothing = run("evaluate", "annotation", index.path, path)
    assert nothing.exit_code == 2
    assert "no gold mention has a place in the text and a concept: nothing to find" in nothing.stderr


def test_codes_of_several_terminologies_are_one_concept_that_a_document_wants(
    run, index: Index, tmp_path: Path
) -> None:
    (tmp_path / "gold.pubtator").write_text(CORPUS.replace("\tM:2\n", "\tM:3|OTHER:7\n"))
    asked = ("evaluate", "annotation", index.path, tmp_path / "gold.pubtator", "--except", "negated", "--json")
    for rule, recall in (((), 2 / 3), (("--composite", "any"), 1.0)):
        done = run(*asked, *rule)
        assert done.exit_code == 0, done.stderr
        figures = json.loads(done.stdout)
        assert figures["measures"]["document_recall"]["value"] == pytest.approx(recall, abs=1e-4)
        assert figures["measures"]["exact_recall"]["value"] == 1
        assert figures["protocol"]["composite"] == (rule[-1] if rule else "all")
    done = run(*asked, "--composite", "some")
    assert (done.exit_code, "Valid: all, any" in done.stderr) == (2, True), done.stderr
    with pytest.raises(UnknownNameError, match="all, any"):
        AnnotationEvaluationOptions(composite="some")  # type: ignore[arg-type]
