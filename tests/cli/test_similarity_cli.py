"""``ontonym evaluate similarity``, as a user types it."""

from __future__ import annotations

import json

import pytest

from made import concept, opened
from ontonym.benchmark import build_sets

CONCEPTS = [
    concept(f"C{number}", f"{place} {what}", f"{what} of {place}", f"{old} {what}")
    for number, (place, old, what) in enumerate(
        (place, old, what)
        for place, old in (("kidney", "renal"), ("heart", "cardiac"), ("liver", "hepatic"), ("lung", "pulmonary"))
        for what in ("failure", "infarction", "tumour", "pain", "disease")
    )
]


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("similarity")
    with opened(folder, CONCEPTS) as (terminology,):
        build_sets(terminology, folder / "sets")
    return folder / "sets"


@pytest.mark.slow
def test_sets_are_measured_and_methods_compared(run, sets, encoder):
    result = run("evaluate", "similarity", sets, "--set", "hard", "--encoder", encoder, "--encoder", "edit", "--json")
    assert result.exit_code == 0
    shape = json.loads(result.stdout)
    assert [one["set"] for one in shape["sets"]] == [
        "fsn-synonym.hard.random", "fsn-synonym.hard.levenshtein", "synonym-synonym.hard.random",
        "synonym-synonym.hard.levenshtein",
    ]  # fmt: skip
    edit = shape["sets"][1]["methods"]["edit"]["edit"]
    assert edit["auc"]["value"] < 0.5 <= edit["value"]["value"]  # dissimilar names are spelled more alike
    assert set(edit["value"]) == {"value", "low", "high"}
    shown = run("evaluate", "similarity", sets, "--encoder", encoder, "--encoder", "edit")
    assert "accuracy at the threshold that is best on these pairs" in shown.stdout
    assert "command: ontonym evaluate similarity" in shown.stdout


def test_graded_files_and_all_measures(run, tmp_path, encoder):
    file = tmp_path / "grades.txt"
    file.write_text("heart pain\tcardiac pain\t9\nheart\tliver\t2\nrenal failure\tkidney failure\t8\nlung\tpain\t1\n")
    result = run(
        "evaluate", "similarity", file, "--encoder", encoder, "--encoder", "bm25", "--all-measures", "--resamples", 99
    )
    assert result.exit_code == 0
    rows = [line.split()[:3] for line in result.stdout.splitlines()[2:7]]
    assert rows == [["grades", measure, "4"] for measure in ("cos", "r", "rho", "tau", "bm25")]


def test_only_names_of_a_file(run, sets, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("".join(f"{term.text}\n" for one in CONCEPTS[:10] for term in one.terms))
    asked = ("evaluate", "similarity", sets, "--encoder", "edit", "--json", "--set", "synonym-synonym.hard.levenshtein")
    some, whole = json.loads(run(*asked, "--names", names).stdout), json.loads(run(*asked).stdout)
    assert 0 < some["sets"][0]["n"] < whole["sets"][0]["n"]
    names.write_text("nothing\n")
    refused = run(*asked, "--names", names)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "no pair whose names are both in the file" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--set", "nonsense"), "no set whose name has nonsense"),
        (("--encoder", "nowhere"), "nowhere"),
        (("--encoder", "default", "--measure", "nonsense"), "unknown measure"),
        (("--encoder", "edit", "--measure", "nonsense"), "unknown measure"),
    ],
)
def test_bad_input_is_one_line(run, sets, arguments, said):
    result = run("evaluate", "similarity", sets, *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_two_graded_pairs_are_too_few_to_correlate(run, tmp_path):
    (tmp_path / "two.csv").write_text("fever,pyrexia,4\nfits,fever,1\n")
    refused = run("evaluate", "similarity", tmp_path / "two.csv", "--encoder", "edit", "--encoder", "char")
    assert (refused.exit_code, refused.stderr) == (2, "error: 2 pairs: too few to correlate\n")
    (tmp_path / "three.csv").write_text("fever,pyrexia,4\nfits,fever,1\nseizure,fits,3\n")
    done = run("evaluate", "similarity", tmp_path / "three.csv", "--encoder", "edit", "--resamples", 99)
    assert "note: 3 pairs are few: intervals over so few are too narrow" in done.output


def test_sets_that_are_not_there_are_told_as_such(run, tmp_path):
    result = run("evaluate", "similarity", tmp_path / "no.sets", "--set", "levenshtein")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.endswith("no.sets: no such file or folder. `ontonym benchmark build` makes a folder of sets\n")


def test_a_folder_of_graded_files_is_not_a_folder_of_sets(run, tmp_path):
    (tmp_path / "a.txt").write_text("one\ttwo\t3\n")
    result = run("evaluate", "similarity", tmp_path)
    assert result.exit_code == 2
    assert "for graded pairs give its files" in result.stderr
