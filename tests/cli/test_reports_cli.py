"""Reports, comparisons, TREC files, gold and baselines, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from made import concept, opened
from ontonym.index import build_index

OURS = [
    concept("T:0", "disease"),
    concept("T:1", "kidney failure", "renal failure", parents="T:0"),
    concept("T:2", "acute kidney failure", parents="T:1"),
    concept("T:3", "heart failure", "cardiac failure", parents="T:0"),
]
THEIRS = [
    concept("S:1", "failing kidney", "kidney failure", xrefs="T:1"),
    concept("S:2", "cardiac weakness", "failure, heart", xrefs="T:3"),
    concept("S:3", "sudden kidney failure", xrefs="T:2"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory, encoder):
    folder = tmp_path_factory.mktemp("reports")
    with opened(folder, OURS, THEIRS) as (ours, _):
        build_index([ours], folder / "ours.index", encoder=encoder)
    return folder


@pytest.fixture(scope="module")
def gold(made):
    from click.testing import CliRunner

    from ontonym.cli import main

    place = made / "s-t.gold"
    result = CliRunner().invoke(
        main, ["benchmark", "gold", str(made / "1.terminology"), str(made / "0.terminology"), "-o", str(place)]
    )
    assert result.exit_code == 0
    assert "5 in questions.tsv, names of 3 concepts" in result.stdout
    assert "2 are names of the right concept too" in result.stdout
    return place


QUICK = ("--resamples", 99)
SIGNALS = ("--signal", "lexical", "--signal", "char")


def test_gold_of_mappings_is_searched_text_by_text_and_concept_by_concept(made, gold, run):
    asked = ("evaluate", "search", made / "ours.index", gold, *SIGNALS, *QUICK, "--json")
    single = json.loads(run(*asked).stdout)["runs"]["lexical"]
    assert single["n"] == 5
    together = json.loads(run(*asked, "--together", "--measure", "recall", "--k", 2).stdout)["runs"]["lexical"]
    assert (together["n"], list(together["measures"])) == (3, ["recall@2"])


def test_gold_is_told_and_has_no_sets(gold, run):
    told = run("info", gold).stdout
    assert "5 of 3 concepts" in told
    assert "xref 3" in told
    refused = run("evaluate", "similarity", gold)
    assert (refused.exit_code, "has no similarity sets" in refused.stderr) == (2, True)


@pytest.mark.slow
def test_reports_in_every_form(made, gold, run, tmp_path):
    outputs = [tmp_path / f"report{ending}" for ending in (".html", ".md", ".tex", ".json", ".svg")]
    result = run(
        "evaluate", "search", made / "ours.index", gold, *SIGNALS, *QUICK, "--compare", "char", "lexical",
        *(part for output in outputs for part in ("-o", output)),
    )  # fmt: skip
    assert result.exit_code == 0
    assert "char and lexical are not told apart: hits@1" in result.stdout
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "report.md").read_text().startswith("# Searching t0 1 for s-t.gold\n")
    assert r"\begin{tabular}" in (tmp_path / "report.tex").read_text()
    assert sorted(path.name for path in tmp_path.glob("*.svg")) == ["report.curve.svg", "report.overlap.svg"]
    again = run("evaluate", "report", tmp_path / "report.json", "-o", tmp_path / "again.md")
    assert again.exit_code == 0
    assert (tmp_path / "again.md").read_bytes() == (tmp_path / "report.md").read_bytes()


def test_runs_of_two_evaluations_are_compared(made, gold, run, tmp_path):
    for name, signal in (("a", "lexical"), ("b", "char")):
        run(
            "evaluate", "search", made / "ours.index", gold, "--signal", signal, *QUICK, "-o", tmp_path / f"{name}.json"
        )
    asked = ("evaluate", "report", tmp_path / "a.json", tmp_path / "b.json", "--compare", "char", "lexical", *QUICK)
    told = json.loads(run(*asked, "--json").stdout)
    (comparison,) = told["comparisons"]
    assert (comparison["run"], comparison["against"]) == ("char", "lexical")
    assert set(comparison["differences"]["mrr"]) == {"value", "low", "high", "p"}
    shown = run(*asked).stdout
    assert "char - lexical  mrr" in shown
    beside = run(*asked, "-o", tmp_path / "page.html")
    assert "char - lexical  mrr" in beside.stdout
    assert "Figures" not in beside.stdout
    assert beside.stderr.endswith("page.html\n")
    both = run("evaluate", "report", tmp_path / "a.json", tmp_path / "a.json", "--compare", "a:lexical", "b:lexical")
    assert both.exit_code == 2
    assert "unknown run 'b:lexical'" in both.stderr


def test_trec_files_give_the_same_figures(made, gold, run, tmp_path):
    asked = ("evaluate", "search", made / "ours.index", gold, *SIGNALS, *QUICK, "--json", "--trec", tmp_path / "trec")
    ours = json.loads(run(*asked).stdout)["runs"]
    paths = [tmp_path / "trec" / f"{name}.run" for name in ("lexical", "char")]
    theirs = json.loads(run("evaluate", "runs", tmp_path / "trec" / "qrels.txt", *paths, *QUICK, "--json").stdout)[
        "runs"
    ]
    for name, one in theirs.items():
        assert one["measures"] == ours[name]["measures"]
    shown = run(
        "evaluate", "runs", tmp_path / "trec" / "qrels.txt", *paths, *QUICK, "--candidates", "lexical", "--measure",
        "recall", "--measure", "AP@10", "--compare", "char", "lexical",
    ).stdout  # fmt: skip
    assert "n. recall@1" in shown
    assert "AP@10" in shown
    assert "right: a relevance of at least 3" in shown


def test_questions_that_a_run_does_not_answer_are_wrong(run, tmp_path):
    (tmp_path / "gold.txt").write_text("1 0 A 1\n2 0 B 1\n")
    (tmp_path / "r.run").write_text("1 Q0 A 1 0.9 r\n9 Q0 A 1 0.9 r\n")
    told = json.loads(run("evaluate", "runs", tmp_path / "gold.txt", tmp_path / "r.run", *QUICK, "--json").stdout)
    assert told["runs"]["r"]["measures"]["hits@1"]["value"] == 0.5
    assert (
        "r: 1 question not answered, counted as wrong; 1 answered question not in the gold, left out" in told["notes"]
    )


def test_zero_shot_groups_and_a_first_stage(made, gold, run, tmp_path):
    (tmp_path / "seen.tsv").write_text("Failing Kidney\tT:1\n")
    (tmp_path / "names.txt").write_text("sudden kidney failure\n")
    asked = ("evaluate", "search", made / "ours.index", gold, *SIGNALS, *QUICK, "--candidates", "lexical", "--json")
    told = json.loads(run(*asked, "--seen", tmp_path / "seen.tsv", "--seen", tmp_path / "names.txt").stdout)["runs"]
    assert {kind: one["n"] for kind, one in told["char"]["zero_shot"].items()} == {
        "mention seen": 2, "mentions only": 1, "mentions and concepts": 2,
    }  # fmt: skip
    assert told["lexical"]["normalized"]["hits@10"]["value"] == 1.0
    assert told["char"]["reachable"] == told["lexical"]["reachable"] <= 5
    whole = json.loads(run(*asked, "--seen", made / "0.terminology").stdout)["runs"]["char"]["zero_shot"]
    assert {kind: one["n"] for kind, one in whole.items()} == {"mention seen": 2, "mentions only": 3}


@pytest.mark.slow
def test_baselines_by_a_plan(made, gold, run, encoder, tmp_path):
    (made / "plan.toml").write_text(
        'terminology = "0.terminology"\n[[gold]]\nname = "g"\npath = "s-t.gold"\nconcepts = true\n'
        '[[method]]\nname = "BM25"\nkind = "bm25-names"\n'
        '[[method]]\nname = "ours"\nkind = "index"\nindex = "ours.index"\n'
    )
    asked = (
        "evaluate",
        "baselines",
        made / "plan.toml",
        *QUICK,
        "-o",
        tmp_path / "r.html",
        "--compare",
        "ours",
        "BM25",
    )
    first = run(*asked)
    assert first.exit_code == 0
    assert "plan.runs; 0 were there before" in first.stderr
    assert "2 were there before" in run(*asked).stderr
    assert "Hits@K, concept to concept" in (tmp_path / "r.html").read_text()
    assert json.loads(run(*asked, "--json").stdout)["kept"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "ours.index", "s-t.gold", "-o", "report.pdf"), "Endings known: .html .md .tex .svg .json"),
        (("search", "ours.index", "s-t.gold", "--compare", "fused", "nonsense"), "unknown run 'nonsense'"),
        (("search", "ours.index", "s-t.gold", "--candidates", "x"), "unknown run 'x'"),
        (("search", "ours.index", "s-t.gold", "--measure", "x"), "unknown measure 'x'"),
        (("search", "ours.index", "0.terminology"), "is a terminology, but a benchmark was expected"),
        (("report", "0.terminology/manifest.json"), "not a results file"),
        (("runs", "none.txt", "none.run"), "cannot be read"),
        (("baselines", "none.toml"), "cannot be read"),
        (("search", "ours.index", "s-t.gold", "--trec", "0.terminology/manifest.json"), "cannot be made: File exists"),
    ],
)
def test_bad_input_is_one_line(made, gold, run, monkeypatch, arguments, said):
    monkeypatch.chdir(made)
    result = run("evaluate", *arguments, *(["--force"] if said.startswith("cannot be made") else []))
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder that nobody can write into")
@pytest.mark.parametrize("option", ["-o", "--write-queries"])
def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(run, tmp_path, option):
    done = run("evaluate", "search", "no.index", "no.gold", option, "/proc/self/report.html")
    assert (done.exit_code, done.stderr.startswith("error: /proc/self/report.html: cannot be written: ")) == (2, True)
    (tmp_path / "there.html").mkdir()
    done = run("evaluate", "search", "no.index", "no.gold", option, tmp_path / "there.html")
    assert "there.html: is a folder; give the name of a file" in done.stderr
