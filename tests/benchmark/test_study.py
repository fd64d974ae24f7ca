"""The quality study: what annotators see, and what their answers say, beside other implementations."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from limits import examples
from made import concept
from ontonym.benchmark import build_sets, open_sets
from ontonym.benchmark.study import StudyOptions, StudyPair, draw_study, majority, quality, read_study, write_sheets
from ontonym.cli import main
from ontonym.errors import FormatError, InputError

PAIRS = [
    StudyPair("a", "=heart", "cardiac", True), StudyPair("a", "foot", "hand", False),
    StudyPair("b", "fit", "seizure", True),
    StudyPair("b", "liver", "lung", False),
]  # fmt: skip


@pytest.fixture
def sets(open_concepts, tmp_path):
    concepts = [concept(f"C{n}", f"name {n} of a thing", f"{n} thing", f"what {n} was called") for n in range(40)]
    (terminology,) = open_concepts(concepts)
    build_sets(terminology, tmp_path / "sets")
    return tmp_path / "sets"


def test_as_many_similar_pairs_as_others_of_each_set_shuffled_and_the_same_again(sets):
    pairs = draw_study(open_sets(sets), StudyOptions(each=7, seed=1))
    names = {made.name for made in open_sets(sets)}
    assert len(pairs) == 14 * len(names)
    for name in names:
        assert sorted(pair.similar for pair in pairs if pair.set == name) == [False] * 7 + [True] * 7
    assert len({pair.set for pair in pairs[:10]}) > 1
    assert pairs == draw_study(open_sets(sets), StudyOptions(each=7, seed=1))
    assert pairs != draw_study(open_sets(sets), StudyOptions(each=7, seed=2))
    known = {frozenset(terms) for made in open_sets(sets) for terms in zip(made.first, made.second, strict=True)}
    assert all(frozenset((pair.first, pair.second)) in known for pair in pairs)


def fill(sheet, answers):
    if sheet.suffix == ".xlsx":
        book = load_workbook(sheet)
        for row, answer in enumerate(answers, 2):
            book.active.cell(row, 4, answer)
        book.save(sheet)
        return
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    for row, answer in zip(rows[1:], answers, strict=True):
        row[3] = answer or ""
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows(rows)  # as a spreadsheet in some countries saves it


@pytest.mark.parametrize("excel", [False, True])
def test_sheets_tell_nothing_and_come_back(tmp_path, excel):
    anna, ben = write_sheets(tmp_path / "study", PAIRS, ["anna", "ben"], excel=excel)
    if excel:
        rows = [list(row) for row in load_workbook(anna).active.iter_rows(values_only=True)]
    else:
        with anna.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.reader(stream))
    assert [str(cell) for cell in rows[1][:3]] == ["1", "=heart" if excel else "'=heart", "cardiac"]
    assert all(not row[3] for row in rows[1:])
    assert all(len(row) == 4 for row in rows)
    fill(anna, ["Same", "NOT  same", "?", None])
    fill(ben, ["1", "0", "don't know", "yes"])
    pairs, answers = read_study(tmp_path / "study")
    assert pairs == PAIRS
    assert answers == {
        "anna": ["same", "not same", "don't know", None], "ben": ["same", "not same", "don't know", "same"],
    }  # fmt: skip
    with pytest.raises(InputError, match="has a study already"):
        write_sheets(tmp_path / "study", PAIRS, ["carl"])


def test_a_file_called_as_an_annotator_is_kept(tmp_path):
    (tmp_path / "anna.csv").write_text("mine")
    with pytest.raises(InputError, match=r"anna\.csv: is there already"):
        write_sheets(tmp_path, PAIRS, ["ben", "anna"])
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("anna.csv", "mine")]


def test_majority_of_all_annotators():
    nan = np.nan
    votes = np.array([[1, 1, 1, 1, nan], [1, 0, 1, 0, nan], [0, 0, nan, nan, 1]], dtype=np.float64)
    assert majority(votes).tolist()[:3] == [1.0, 0.0, 1.0]
    assert np.isnan(majority(votes)[3:]).all()


def alpha_by_hand(votes):
    """Krippendorff 2011, nominal: 1 less observed over expected disagreement, over units with two answers or more."""
    units = [[vote for vote in column if vote is not None] for column in zip(*votes, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    counts = [sum(unit.count(value) for unit in units) for value in (0, 1)]
    total = sum(counts)
    observed = sum(2 * unit.count(0) * unit.count(1) / (len(unit) - 1) for unit in units) / total
    return 1 - observed / (2 * counts[0] * counts[1] / (total * (total - 1)))


@examples(100)
@given(st.lists(st.tuples(*[st.sampled_from([0, 1, None])] * 3), min_size=2, max_size=12), st.data())
def test_alpha_and_scores_as_worked_out_by_hand(columns, data):
    votes = list(zip(*columns, strict=True))
    words = {0: "not same", 1: "same", None: "don't know"}
    labels = [data.draw(st.booleans()) for _ in columns]
    found = quality(
        [StudyPair("a", "x", "y", label) for label in labels],
        {str(who): [words[vote] for vote in own] for who, own in enumerate(votes)},
    )
    truths = [1 if column.count(1) > 1 else 0 if column.count(0) > 1 else None for column in columns]
    decided = [(truth, label) for truth, label in zip(truths, labels, strict=True) if truth is not None]
    assert found.undecided == pytest.approx(1 - len(decided) / len(columns))
    if not decided:
        assert (found.accuracy, found.recall, found.precision) == (None, None, None)
    else:
        right = [truth for truth, label in decided if label]
        found_same = [label for truth, label in decided if truth]
        assert found.accuracy == pytest.approx(sum(truth == label for truth, label in decided) / len(decided))
        assert found.precision == (pytest.approx(sum(right) / len(right)) if right else None)
        assert found.recall == (pytest.approx(sum(found_same) / len(found_same)) if found_same else None)
    paired = [
        vote for column in columns if sum(v is not None for v in column) > 1 for vote in column if vote is not None
    ]
    if len(set(paired)) < 2:
        assert found.alpha is None
    else:
        assert found.alpha == pytest.approx(alpha_by_hand(votes), abs=1e-9)


def test_the_commands(sets, tmp_path):
    def run(*arguments):
        return CliRunner().invoke(main, ["benchmark", "study", *map(str, arguments)])

    study = tmp_path / "study"
    made = run(sets, "-o", study, "--annotator", "anna", "--annotator", "ben", "--each", 3, "--xlsx")
    assert made.exit_code == 0
    assert f"keep {study / 'key.json'} to yourself" in made.stdout
    pairs, _ = read_study(study)
    for name in ("anna", "ben"):
        fill(study / f"{name}.xlsx", ["same" if pair.similar else "not same" for pair in pairs])
    told = json.loads(run(study, "--json").stdout)
    assert told["sets"]["all"] == {
        "pairs": len(pairs), "undecided": 0.0, "alpha": 1.0, "accuracy": 1.0, "recall": 1.0, "precision": 1.0,
    }  # fmt: skip
    shown = run(study).stdout.splitlines()
    assert shown[2].split() == ["all", str(len(pairs)), "0%", "1.00", "1.00", "1.00", "1.00"]
    for arguments, said in (
        ((sets, "-o", tmp_path / "x"), "needs annotators"),
        ((sets, "-o", tmp_path / "x", "--annotator", "../me"), "cannot be the name of a file"),
        ((study, "--annotator", "me"), "give that too"),
        ((tmp_path,), "key.json: cannot be read"),
        ((sets, "-o", tmp_path / "x", "--annotator", "me", "--each", 0), "at least 1 pair"),
    ):
        refused = run(*arguments)
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
        assert said in refused.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1,=heart,cardiac,perhaps", "anna.csv:2: 'perhaps' is no answer"),
        ("9,=heart,cardiac,same", "anna.csv:2: '9' is the number of no pair"),
        ("1,heart,cardiac,same", "anna.csv:2: the terms are not those of pair 1"),
    ],
)
def test_a_changed_sheet_is_said_with_its_line(tmp_path, line, said):
    (sheet,) = write_sheets(tmp_path, PAIRS, ["anna"])
    rows = sheet.read_text(encoding="utf-8-sig").splitlines()
    sheet.write_text("\n".join([rows[0], line, *rows[2:]]))
    with pytest.raises(FormatError, match=said):
        read_study(tmp_path)


def test_a_folder_without_sheets_and_a_broken_workbook_are_said(tmp_path):
    (sheet,) = write_sheets(tmp_path, PAIRS, ["anna"])
    sheet.unlink()
    with pytest.raises(InputError, match="no sheet"):
        read_study(tmp_path)
    (tmp_path / "anna.xlsx").write_bytes(b"no workbook")
    with pytest.raises(FormatError, match="cannot be read as an Excel workbook"):
        read_study(tmp_path)
