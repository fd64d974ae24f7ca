"""``ontonym evaluate ranking``, as a user types it, and what its figures are."""

from __future__ import annotations

import json

import pytest

from made import concept, opened
from ontonym.errors import FormatError
from ontonym.evaluate.ranking import Ranked, rank_of, read_candidates, report_ranking
from ontonym.index import build_index

OURS = [concept("S:1", "kidney failure", "renal failure"), concept("S:2", "cardiac failure"), concept("S:3", "gout")]
THEIRS = [concept("T:1", "renal failure"), concept("T:2", "heart failure", "cardiac failure"), concept("T:3", "asthma"),
          concept("T:4", "tooth")]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory, encoder):
    folder = tmp_path_factory.mktemp("ranking")
    with opened(folder, OURS, THEIRS) as (_, target):
        build_index([target], folder / "t.index")
    return folder


def written(path, *rows):
    path.write_text("".join("\t".join(row) + "\n" for row in (("SrcEntity", "TgtEntity", "TgtCandidates"), *rows)))
    return path


def test_given_candidates_are_ranked(folder, run, tmp_path):
    file = written(
        tmp_path / "test.cands.tsv",
        ("S:1", "T:1", "('T:3', 'T:1', 'T:4')"),
        ("S:2", "T:2", "['T:2', 'T:4']"),
        ("S:3", "T:9", "T:9|T:1|T:2"),  # the right one is not in the index
        ("S:9", "T:1", "T:1|T:2"),
    )
    asked = ("evaluate", "ranking", folder / "0.terminology", folder / "t.index", file, "--aggregate", "learned",
             "--aggregate", "max", "--resamples", 99)  # fmt: skip
    told = json.loads(run(*asked, "--json").stdout)["runs"]["learned"]
    assert (told["n"], told["absent"]) == (4, 1)
    assert told["measures"]["Hits@1"]["value"] == 2 / 4
    assert told["measures"]["Hits@5"]["value"] == 1.0
    assert told["measures"]["MRR"]["value"] == pytest.approx((1 + 1 + 1 / 3 + 1 / 2) / 4)
    done = run(*asked, "-o", tmp_path / "r.md")
    assert "4 source concepts of test.cands.tsv, 1 of them not in 0.terminology" in done.stdout
    assert "| learned |" in (tmp_path / "r.md").read_text()


def test_ranks_count_ties_against_the_right_one():
    question = Ranked("S", "a", ("a", "b", "c", "d"))
    assert rank_of(question, {"a": 0.5, "b": 0.9, "c": 0.5}) == 3
    assert rank_of(question, {"a": 0.9, "b": 0.5}) == 1
    assert rank_of(question, {}) == 4
    other = Ranked("R", "b", ("a", "b"))
    report = report_ranking([question, other], {"S": {"a": 0.5, "b": 0.9}, "R": {"b": 1.0}})
    assert report.mrr.value == pytest.approx((1 / 2 + 1) / 2)
    assert [report.hits[k].value for k in (1, 5)] == [0.5, 1.0]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("SrcEntity\tTgtEntity\n", 1, "no column TgtCandidates"),
        ("SrcEntity\tTgtEntity\tTgtCandidates\nS:1\tT:1\n", 2, "expected 3 fields, found 2"),
        ("SrcEntity\tTgtEntity\tTgtCandidates\nS:1\tT:1\tT:2\n", 2, "is not among its candidates"),
        ("SrcEntity\tTgtEntity\tTgtCandidates\nS:1\tT:1\t(1, 2)\n", 2, "no list of ids"),
        ("SrcEntity\tTgtEntity\tTgtCandidates\nS:1\tT:1\t('T:1', open('x'))\n", 2, "no list of ids"),
    ],
)
def test_a_broken_file_of_candidates_names_its_line(tmp_path, text, line, said):
    file = tmp_path / "c.tsv"
    file.write_text(text)
    with pytest.raises(FormatError, match=said) as raised:
        list(read_candidates(file))
    assert f"{file}:{line}" in str(raised.value)


def test_bad_input_is_one_line(folder, run, tmp_path):
    twice = written(tmp_path / "c.tsv", ("S:1", "T:1", "T:1|T:2"), ("S:1", "T:2", "T:1|T:2"))
    done = run("evaluate", "ranking", folder / "0.terminology", folder / "t.index", twice)
    assert (done.exit_code, "1 source concept more than once" in done.stderr) == (2, True)
