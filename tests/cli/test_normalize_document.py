"""``ontonym normalize``: mentions in their document, and mentions of several concepts."""

from __future__ import annotations

import json

import pytest

from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.tasks.confidences import SURE

WARD = """id,name,synonyms,tags
W:1,Potassium,K,substance
W:2,Potassium measurement,Potassium,measurement
W:3,Breast cancer,,disorder
W:4,Ovarian cancer,,disorder
W:5,Breast and ovarian surgery,,procedure
W:14,Drug toxicity,,disorder
W:15,Nerve toxicity,,disorder
"""


@pytest.fixture
def ward(run, tmp_path, encoder):
    (tmp_path / "ward.csv").write_text(WARD)
    terminology, index = tmp_path / "ward.terminology", tmp_path / "ward.index"
    assert run("import", tmp_path / "ward.csv", "-o", terminology).exit_code == 0
    assert run("index", terminology, "--encoder", encoder, "-o", index).exit_code == 0
    return index


@pytest.fixture
def ask(run, ward, tmp_path):
    def asked(rows, *flags):
        file = tmp_path / "mentions.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        done = run("normalize", ward, file, *flags)
        assert done.exit_code == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return asked


COMPOSITE = {"text": "breast and ovarian cancer", "id": "a", "document": "d"}


def test_json_has_the_parts_of_a_composite(ask):
    whole, alone = ask([COMPOSITE, {"text": "breast cancer"}])
    assert [(part["text"], part["id"]) for part in whole["parts"]] == [
        ("breast cancer", "W:3"),
        ("ovarian cancer", "W:4"),
    ]
    assert (whole["id"], whole["text"]) == ("W:3", "breast and ovarian cancer")
    assert (alone["id"], alone["parts"]) == ("W:3", [])
    (unsplit,) = ask([COMPOSITE], "--whole")
    assert unsplit["parts"] == []


def test_a_table_has_a_row_for_each_part(run, ward, tmp_path):
    (tmp_path / "in.txt").write_text("breast and ovarian cancer\nbreast cancer\n")
    done = run("normalize", ward, tmp_path / "in.txt", "-o", tmp_path / "out.tsv")
    assert "2 rows (lines) = 2 mentions" in done.stderr
    header, *rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines()]
    columns = [[row[header.index(name)] for name in ("mention", "text", "id", "part")] for row in rows]
    assert columns == [
        ["1", "breast and ovarian cancer", "W:3", "breast cancer"],
        ["1", "breast and ovarian cancer", "W:4", "ovarian cancer"],
        ["2", "breast cancer", "W:3", ""],
    ]


def test_a_row_of_a_part_without_a_concept_keeps_its_columns(run, ward, tmp_path):
    (tmp_path / "in.txt").write_text("breast and ovarian cancer\n")
    run("normalize", ward, tmp_path / "in.txt", "-o", tmp_path / "out.tsv", "--threshold", "1")
    header, *rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines()]
    assert [len(row) for row in rows] == [len(header)] * 2
    assert [row[-1] for row in rows] == ["breast cancer", "ovarian cancer"]


def test_a_table_names_the_nearest_candidate_of_nil(run, ward, tmp_path):
    (tmp_path / "in.txt").write_text("nerve toxicity test\nbreast cancer\n")
    done = run("normalize", ward, tmp_path / "in.txt", "-o", tmp_path / "out.tsv", "--threshold", "0.96")
    assert "1 sure (confidence 0.8 or more), 0 doubtful (less), 1 none (NIL: nothing reaches the confidence 0.96)" in (
        done.stderr
    )
    header, nil, found = [line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines()]
    columns = [[row[header.index(name)] for name in ("id", "preferred", "nearest")] for row in (nil, found)]
    assert columns == [["", "", "W:15 Nerve toxicity"], ["W:3", "Breast cancer", ""]]
    assert 0 < float(nil[header.index("confidence")]) < 0.96


def test_help_says_what_is_counted(run):
    said = " ".join(run("normalize", "--help").stdout.split())
    assert f"sure (a confidence of {SURE:g} or more), doubtful (from the threshold up to {SURE:g})" in said
    assert f"By default {LIKELIER_RIGHT:g}" in said


def test_one_signal_is_counted_without_words_of_certainty(run, ward, tmp_path):
    (tmp_path / "in.txt").write_text("brest\n?\n")
    done = run("normalize", ward, tmp_path / "in.txt", "--signal", "char")
    assert "2 mentions + 0 malformed; 1 with a concept, 1 without" in done.stderr


def test_the_document_chooses_unless_told_not_to(ask):
    rows = [
        {"text": "toxicity", "passage": "toxicity of the drug"},
        {"text": "toxicity", "passage": "toxicity to the nerve"},
    ]
    drug, nerve = ({hit["id"]: hit["confidence"] for hit in answer["candidates"]} for answer in ask(rows))
    assert drug["W:14"] > nerve["W:14"]
    assert drug["W:15"] < nerve["W:15"]
    one, other = ask(rows, "--no-document")
    assert one["candidates"] == other["candidates"]


def test_the_type_expected_decides_between_equal_names(ask):
    mention = [{"text": "potassium"}]
    assert ask(mention, "--type", "substance")[0]["id"] == "W:1"
    assert ask(mention, "--type", "measurement")[0]["id"] == "W:2"


def test_the_section_decides_between_equal_names(ask):
    passage = "Allergies: potassium\nLabs: potassium 3.1"
    rows = [{"text": "potassium", "passage": passage, "start": start, "end": start + 9} for start in (11, 27)]
    answers = ask(rows, "--section", "Labs=measurement", "--section", "allergies = substance")
    assert [answer["id"] for answer in answers] == ["W:1", "W:2"]


@pytest.mark.parametrize("given", ["Labs", "=substance", "Labs="])
def test_a_section_without_heading_or_tag_is_an_error(run, ward, tmp_path, given):
    (tmp_path / "in.txt").write_text("potassium\n")
    done = run("normalize", ward, tmp_path / "in.txt", "--section", given)
    assert done.exit_code == 2
    assert done.stderr == f"error: --section {given!r} is not HEADING=TAG, such as 'Allergies=substance'\n"


def test_an_unknown_type_lists_the_tags(run, ward, tmp_path):
    (tmp_path / "in.txt").write_text("potassium\n")
    done = run("normalize", ward, tmp_path / "in.txt", "--type", "drug")
    assert (done.exit_code, "unknown tag 'drug'. Valid: disorder, measurement" in done.stderr) == (2, True)


CORPUS = """1|t|Risk of breast and ovarian cancer
1|a|The breast cancer grew.
1\t8\t33\tbreast and ovarian cancer\tDisease\tW:3|W:4
1\t38\t51\tbreast cancer\tDisease\tW:3
"""


@pytest.mark.parametrize(
    ("flags", "right"),
    [
        (("--composite", "found"), 1),
        (("--composite", "found", "--whole"), 0.5),
        (("--composite", "all", "--whole"), 1),
        (("--composite", "all"), 1),
    ],
)
def test_evaluation_judges_the_parts_as_normalized(run, ward, tmp_path, flags, right):
    (tmp_path / "gold_dev.txt").write_text(CORPUS)
    done = run("evaluate", "normalization", ward, tmp_path / "gold_dev.txt", "--resamples", "50", "--json", *flags)
    shape = json.loads(done.stdout)
    assert shape["measures"]["accuracy@1"]["value"] == right
    whole = "--whole" in flags or "all" in flags
    assert ("composites: looked up whole" in shape["notes"]) is whole


@pytest.mark.parametrize("verb", ["normalize", "annotate"])
def test_filters_that_leave_no_concept_together_are_an_error(run, ward, tmp_path, verb):
    (tmp_path / "one.csv").write_text("text\npotassium\n")
    asked = (verb, ward, tmp_path / "one.csv", "--column", "text", "--within", "W:3")
    assert run(*asked, "--tag", "disorder").exit_code == 0
    done = run(*asked, "--tag", "substance")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "no concept is left by --within W:3, --tag substance together: leave one out" in done.stderr
