"""``ontonym calibrate``, the thresholds it gives to other verbs, and the figures of NIL."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ontonym.index.calibration import FILE

pytest.importorskip("sklearn")
pytest.importorskip("scipy")

MENTIONS = (
    ("Heart attack", "T:3"), ("cardiac infarct", "T:3"), ("missed beats", "T:4"), ("Fits", "T:6"), ("pyrexia", "T:5"),
    ("broken leg", "-1"), ("skipped dinner", "-1"), ("raised temperature", "T:5"), ("dropsy of old", "T:77"),
)  # fmt: skip


def pubtator(documents: int = 20, mentions: tuple[tuple[str, str], ...] = MENTIONS) -> str:
    rows = []
    for number in range(documents):
        taken = [mentions[(number + step) % len(mentions)] for step in range(4)] if mentions else []
        text, marks = "Seen:", []
        for words, concept in taken:
            marks.append(f"{number}\t{len(text) + 1}\t{len(text) + 1 + len(words)}\t{words}\tFinding\t{concept}")
            text += f" {words},"
        rows += [f"{number}|t|{text}", f"{number}|a|", *marks, ""]
    return "\n".join(rows)


@pytest.fixture
def index(tiny: Path, tmp_path: Path) -> Path:
    """An index of its own beside its terminology, for calibrations to be written into."""
    shutil.copytree(tiny / "tiny.terminology", tmp_path / "tiny.terminology")
    shutil.copytree(tiny / "tiny.index", tmp_path / "tiny.index")
    return tmp_path / "tiny.index"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    (tmp_path / "gold_dev.txt").write_text(pubtator())
    return tmp_path / "gold_dev.txt"


@pytest.mark.slow
def test_without_gold_names_are_asked_and_the_index_keeps_what_was_learned(run, index: Path) -> None:
    result = run("calibrate", index, "--questions", 120, "--resamples", 99)
    assert result.exit_code == 0, result.output
    assert "learned from" in result.output
    assert "cross-fitted by concept; 10 bins" in result.output
    assert "threshold" in result.output
    assert result.output.endswith(f"{index}: calibrated\n")
    kept = json.loads((index / FILE).read_bytes())
    assert kept["facts"]["learned_from"] == "names"
    assert len(kept["table"]) == 101


def test_with_gold_the_figures_are_those_of_its_mentions(run, index: Path, gold: Path) -> None:
    result = run("calibrate", index, "--gold", gold, "--resamples", 99, "--json", "--bins", 5)
    assert result.exit_code == 0, result.output
    shape = json.loads(result.stdout)
    assert (shape["learned_from"], shape["n"], shape["data"]) == ("annotation", 80, "gold_dev.txt")
    assert (shape["interval"]["unit"], shape["interval"]["threshold_resamples"]) == ("document", 99)
    assert sum(one["n"] for one in shape["after"]["bins"]) == 80
    assert 0 <= shape["after"]["ece"]["low"] <= shape["after"]["ece"]["value"] <= shape["after"]["ece"]["high"] <= 1
    (everything,) = [row for row in shape["thresholds"] if row["threshold"] == 0]
    assert everything["answered"] == 1
    assert everything["precision"]["value"] == pytest.approx(shape["accuracy"], abs=1e-5)
    # Of 9 mentions 3 have no concept in the terminology (two -1, one unknown id), so recall has fewer to find.
    assert everything["recall"]["value"] > everything["precision"]["value"]


@pytest.mark.slow
def test_the_diagram_is_an_svg_and_a_dry_run_leaves_the_index(run, index: Path, gold: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "reliability.svg"
    result = run("calibrate", index, "--gold", gold, "--resamples", 99, "--plot", picture, "--dry-run")
    assert result.exit_code == 0, result.output
    assert picture.read_text().startswith("<svg")
    assert "left as it was" in result.output
    assert not (index / FILE).exists()
    result = run("calibrate", index, "--gold", gold, "--resamples", 99, "--plot", tmp_path / "no" / "where.svg")
    assert result.exit_code == 2
    assert "cannot be written: there is no folder" in result.output
    result = run("calibrate", index, "--type", "Disease", "--dry-run")
    assert (result.exit_code, "chosen by --type: give --gold too" in result.output) == (2, True)


def test_a_precision_chooses_the_threshold_of_normalize_and_evaluate(run, index: Path, gold: Path) -> None:
    lines = gold.parent / "mentions.txt"
    lines.write_text("Heart attack\nbroken leg\n")
    result = run("normalize", index, lines, "--precision", 0.9)
    assert result.exit_code == 2
    assert "was never calibrated, so no threshold for a precision is known: run `ontonym calibrate`" in (result.output)
    assert run("calibrate", index, "--gold", gold, "--resamples", 99).exit_code == 0
    result = run("normalize", index, lines, "--precision", 0.9)
    assert result.exit_code == 0, result.output
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert answers[0]["id"] == "T:3"
    assert answers[1]["id"] is None
    result = run("normalize", index, lines, "--precision", 0.9, "--threshold", 0.5)
    assert result.exit_code == 2
    assert "not both" in result.output
    result = run("evaluate", "normalization", index, gold, "--nil", "in", "--precision", 0.9, "--resamples", 99)
    assert result.exit_code == 0, result.output
    assert "nothing is answered below a confidence of" in result.output
    assert "calibrated on: gold_dev.txt" in result.output


def test_evaluate_tells_how_well_nil_is_told(run, index: Path, gold: Path) -> None:
    asked = ("evaluate", "normalization", index, gold, "--nil", "in", "--resamples", 99, "--json")
    nothing = json.loads(run(*asked, "--threshold", 1).stdout)["nil"]
    text = gold.read_text()
    nils, missing = text.count("\t-1"), text.count("\tT:77")
    assert (nothing["gold"], nothing["both"]) == (nils, nils)
    assert nothing["recall"]["value"] == 1
    assert nothing["precision"]["value"] == pytest.approx(nils / nothing["answered"])
    assert nothing["f1"]["value"] == pytest.approx(2 * nils / (nils + nothing["answered"]))
    everything = json.loads(run(*asked, "--threshold", 0).stdout)["nil"]
    assert everything["recall"]["value"] == 0
    with_missing = json.loads(run(*asked, "--threshold", 1, "--missing", "nil").stdout)["nil"]
    assert with_missing["gold"] == nils + missing
    shown = run(*asked[:-1], "--threshold", 0.5)
    assert "no concept (NIL)  in the gold" in shown.output
    refused = run("evaluate", "normalization", index, gold, "--missing", "nil")
    assert refused.exit_code == 2
    assert "--nil in" in refused.output


@pytest.mark.slow
def test_it_is_forgotten_and_a_rebuild_says_that_it_is_gone(run, index: Path, gold: Path) -> None:
    assert run("calibrate", index, "--gold", gold, "--resamples", 99).exit_code == 0
    result = run("update", index, index.parent / "tiny.terminology")
    assert "curves   carried over" in result.output
    assert run("calibrate", index, "--forget").output == f"{index}: its calibration is forgotten\n"
    assert run("calibrate", index, "--forget").output == f"{index}: was not calibrated\n"
    assert run("calibrate", index, "--gold", gold, "--resamples", 99).exit_code == 0
    result = run("index", index.parent / "tiny.terminology", "-o", index, "--force")
    assert "dropped" in result.output
    assert not (index / FILE).exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (pubtator(mentions=()), "the gold has no mention to calibrate on"),
        ("", "the file is empty"),
        (pubtator(mentions=(("Fits", "X:1"), ("Fever", "X:2"))), "no concept of the gold's 80 mentions"),
        (pubtator(mentions=(("Fits", "T:6"), ("Pyrexia", "T:5"))), "the first hit of every query is right"),
        (pubtator(documents=3), "only 12 queries to calibrate on; at least 50"),
    ],
)
def test_gold_that_nothing_can_be_learned_from_is_one_clear_error(
    run, index: Path, tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "bad.txt").write_text(text)
    result = run("calibrate", index, "--gold", tmp_path / "bad.txt", "--resamples", 99)
    assert result.exit_code == 2, result.output
    assert told in result.output
    assert not (index / FILE).exists()


def test_options_that_make_no_sense_are_refused(run, index: Path, gold: Path) -> None:
    assert "no-such.txt" in run("calibrate", index, "--gold", "no-such.txt").output
    result = run("calibrate", index, "--gold", gold, "--bins", 1, "--resamples", 9)
    assert result.exit_code == 2
    assert "at least 2" in result.output
    assert run("calibrate", index, "--questions", 0).exit_code == 2
    assert "of type Drug" in run("calibrate", index, "--gold", gold, "--type", "Drug").output


@pytest.mark.parametrize("command", ["calibrate", "learn-ranking"])
def test_a_shared_index_is_refused_before_it_is_asked_anything(run, command: str) -> None:
    result = run(command, "postgresql://me@127.0.0.1:1/terms/hpo")
    assert result.exit_code == 2
    assert "this takes one in a folder" in result.output
