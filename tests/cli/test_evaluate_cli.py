"""``ontonym evaluate`` on a tiny corpus and a tiny terminology."""

from __future__ import annotations

import json
import re

import pytest

from laid import laid
from ontonym.evaluate.indexes import split_of
from ontonym.evaluate.results import read_results

CORPUS = """1|t|Heart attack and fits
1|a|with pyrexia
1\t0\t12\tHeart attack\tDisease\tT:3
1\t17\t21\tfits\tSign\tT:6
1\t27\t34\tpyrexia\tSign\tT:3
"""


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "tiny_dev.txt"
    path.write_text(CORPUS)
    return path


def test_normalization_json(run, tiny, corpus):
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, "--resamples", "50", "--json")
    shape = json.loads(done.stdout)
    assert shape["n"] == 3
    assert shape["measures"]["accuracy@1"]["value"] == pytest.approx(2 / 3)
    assert (shape["protocol"]["split"], shape["protocol"]["terminology"]) == ("dev", "tiny 2024-01-01")
    assert set(shape["measures"]["mrr"]) == {"value", "low", "high"}
    assert shape["notes"][-1] == (
        f"command: ontonym evaluate normalization {tiny / 'tiny.index'} {corpus} --resamples 50 --json"
    )


def test_one_type_only(run, tiny, corpus):
    done = run(
        "evaluate", "normalization", tiny / "tiny.index", corpus, "--type", "Sign", "--resamples", "50", "--json"
    )  # fmt: skip
    shape = json.loads(done.stdout)
    assert (shape["n"], shape["measures"]["accuracy@1"]["value"]) == (2, 0.5)


def test_unknown_type_lists_the_types(run, tiny, corpus):
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, "--type", "Drug")
    assert (done.exit_code, done.stderr) == (2, "error: unknown mention type 'Drug'. Valid: Disease, Sign\n")


def test_all_signals_under_both_rules_side_by_side(run, tiny, corpus):
    done = run(
        "evaluate", "normalization", tiny / "tiny.index", corpus, "--signal", "all", "--ambiguity", "both",
        "--resamples", "50", "--compare", "dense strict", "fused strict", "--json",
    )  # fmt: skip
    assert list(json.loads(done.stdout)["runs"]) == [
        f"{signal} {rule}" for signal in ("fused", "lexical", "char", "dense") for rule in ("strict", "lenient")
    ]


@pytest.mark.slow
def test_runs_are_compared_and_held_against_a_published_figure(run, tiny, corpus, tmp_path):
    asked = (
        "evaluate", "normalization", tiny / "tiny.index", corpus, "--signal", "lexical", "--signal", "char",
        "--resamples", "50", "--compare", "char", "lexical", "--against", "0.9",
    )  # fmt: skip
    told = json.loads(run(*asked, "--json").stdout)["comparisons"]
    assert [(one["run"], one["against"]) for one in told] == [
        ("char", "lexical"), ("lexical", "0.9"), ("char", "0.9"),
    ]  # fmt: skip
    lexical = json.loads(run(*asked, "--json").stdout)["runs"]["lexical"]["measures"]["accuracy@1"]["value"]
    assert told[1]["differences"]["accuracy@1"]["value"] == pytest.approx(lexical - 0.9)
    done = run(*asked, "-o", tmp_path / "r.json", "-o", tmp_path / "r.html")
    assert "lexical - 0.9" in done.stdout
    assert done.stdout.count("command: ") == 1
    results = read_results(tmp_path / "r.json")
    assert [table.key for table in results.tables] == ["figures", "types", "comparisons", "published"]
    assert [run.name for run in results.runs] == ["lexical", "char"]
    assert results.runs[0].values["accuracy@1"].mean() == pytest.approx(lexical)
    assert "Against a published figure" in (tmp_path / "r.html").read_text()
    refused = run(*asked[:-5], "--compare", "char", "fused")
    assert (refused.exit_code, refused.stderr) == (2, "error: unknown run 'fused'. Valid: char, lexical\n")


def test_mistakes_name_the_gold_concept(run, tiny, corpus, tmp_path):
    out = tmp_path / "wrong.tsv"
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, "--resamples", "50", "--mistakes", out)
    assert done.stderr == f"1 mistake written to {out}\n"
    assert "Myocardial infarction" in out.read_text()


def test_unknown_rule_lists_the_rules(run, tiny, corpus):
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, "--composite", "some")
    assert done.stderr == "error: unknown composite rule 'some'. Valid: all, any, found, skip\n"


@pytest.mark.parametrize(
    ("names", "split"),
    [
        (["NCBIdevelopset_corpus.txt"], "dev"),
        (["CDR_TrainingSet.PubTator.txt"], "train"),
        (["a_train.txt", "a_dev.txt"], "as given"),
        (["corpus.txt"], "as given"),
    ],
)
def test_split_told_by_the_names(names, split):
    assert split_of(names) == split


@pytest.mark.parametrize("source", ["tiny.obo", "tiny.terminology"])
def test_held_out_warns_of_an_encoder_that_may_have_seen_the_names(run, tiny, encoder, source):
    done = run(
        "evaluate", "heldout", tiny / source, "--encoder", encoder, "--fraction", "0.5", "--signal", "fused",
        "--resamples", "50", "--json",
    )  # fmt: skip
    shape = json.loads(done.stdout)
    assert shape["n"] > 0
    assert list(shape["measures"]) == ["hits@1", "hits@10", "mrr"]
    assert shape["notes"][0].startswith(f"warning: the encoder {encoder} may have seen the hidden names")


def test_figures_by_overlap_are_printed_and_no_note_of_the_report(run, tiny, tmp_path):
    done = run(
        "evaluate", "heldout", tiny / "tiny.terminology", "--fraction", "0.5", "--signal", "lexical",
        "--signal", "char", "--resamples", "50", "-o", tmp_path / "r.md",
    )  # fmt: skip
    assert re.search(r"^hits@10 +n +lexical +char$", done.stdout, re.MULTILINE)
    assert "hits@10 n lexical" not in (tmp_path / "r.md").read_text()


@pytest.mark.training
def test_held_out_trusts_an_encoder_trained_without_the_names(run, tiny, tmp_path):
    pytest.importorskip("torch")
    hidden, blind = tmp_path / "hidden.txt", tmp_path / "blind.encoder"
    assert run("evaluate", "heldout", tiny / "tiny.obo", "--fraction", "0.3", "--names", hidden).exit_code == 0
    run(
        "train", tiny / "tiny.terminology", "--base", "none", "--exclude", hidden, "--steps", "2", "--batch", "8",
        "--dim", "8", "--threads", "1", "-o", blind,
    )  # fmt: skip
    done = run(
        "evaluate", "heldout", tiny / "tiny.obo", "--fraction", "0.3", "--encoder", blind, "--signal", "dense",
        "--resamples", "50", "--json",
    )  # fmt: skip
    assert json.loads(done.stdout)["notes"][0] == f"note: the encoder {blind} was trained without the hidden names"


def test_normalization_of_a_table(run, tiny, tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("text,id,type\nHeart attack,T:3,Disease\nfits,T:6|T:9,Sign\npyrexia,T:3,Sign\nnothing,,Sign\n")
    done = run("evaluate", "normalization", tiny / "tiny.index", path, "--resamples", "50", "--json")
    shape = json.loads(done.stdout)
    assert (shape["n"], shape["mentions"]["skipped"]) == (3, {"no concept": 1})
    assert shape["measures"]["accuracy@1"]["value"] == pytest.approx(2 / 3)


def test_normalization_of_notes_with_a_part_and_a_prefix(run, tiny, tmp_path):
    row = "note1.txt||Disease_Disorder||{}||{}\n"
    laid(tmp_path, {
        "texts/note1.txt": "Heart attack, with pain in chest; pyrexia.",
        "train_ann/note1.pipe": row.format("C0000003", "0||12"),
        "test_ann/note1.pipe": row.format("CUI-less", "0||12") + row.format("T:5", "19||23||34||41"),
    })  # fmt: skip
    arguments = ("evaluate", "normalization", tiny / "tiny.index", tmp_path, "--resamples", "50")
    assert "has several parts: test_ann, train_ann. Say which: --split NAME" in run(*arguments).stderr
    assert run(*arguments, "--split", "dev").stderr.endswith("no split 'dev'; there are test_ann, train_ann\n")
    shape = json.loads(run(*arguments, "--split", "test", "--json").stdout)
    assert (shape["n"], shape["protocol"]["split"], shape["mentions"]["read"]) == (1, "test", 2)
    assert shape["notes"][0] == f"note: {tmp_path}: 1 of 2 mentions are in several pieces, and looked up as one text"


def test_split_is_a_label_where_a_corpus_has_no_parts(run, tiny, corpus):
    done = run(
        "evaluate", "normalization", tiny / "tiny.index", corpus, "--split", "mine", "--resamples", "50", "--json"
    )  # fmt: skip
    assert json.loads(done.stdout)["protocol"]["split"] == "mine"


def test_format_and_prefix_are_the_users_word(run, tiny, tmp_path):
    path = tmp_path / "phrases.txt"
    path.write_text("3\tMyocardial infarction\theart attack\n5\tFever\tpyrexia\n")
    arguments = ("evaluate", "normalization", tiny / "tiny.index", path, "--resamples", "50", "--json")
    assert "the format of this corpus is not recognized. Known: medmentions," in run(*arguments).stderr
    assert "unknown corpus format 'askapatients'. Did you mean 'askapatient'?" in run(
        *arguments, "--format", "askapatients"
    ).stderr  # fmt: skip
    shape = json.loads(run(*arguments, "--format", "askapatient", "--prefix", "T").stdout)
    assert (shape["n"], shape["measures"]["accuracy@1"]["value"]) == (2, 1.0)


def test_one_of_several_types_of_a_mention(run, tiny, tmp_path):
    path = tmp_path / "corpus_pubtator.txt"
    path.write_text(
        "1|t|Heart attack and fits\n1|a|x\n1\t0\t12\tHeart attack\tT017,T103\tT:3\n1\t17\t21\tfits\tT047\tT:6\n"
    )
    arguments = ("evaluate", "normalization", tiny / "tiny.index", path, "--resamples", "50", "--json")
    assert json.loads(run(*arguments, "--type", "T103").stdout)["n"] == 1
    assert "Valid: T017, T017,T103, T047, T103" in run(*arguments, "--type", "T1").stderr


def test_a_corpus_that_is_given_twice(run, tiny, corpus):
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, corpus)
    assert (done.exit_code, f"{corpus}: is given twice: give it once" in done.stderr) == (2, True)


def test_normalization_says_which_names_beside_the_terminology_are_searched(run, tmp_path):
    names = ["Asthma, unspecified", "Fever, unspecified", "Nausea", "Cough", "Fracture of femur, unspecified"]
    table = "id,name\n" + "".join(f'T:{number},"{name}"\n' for number, name in enumerate(names))
    (tmp_path / "t.csv").write_text(table)
    (tmp_path / "gold.csv").write_text("text,id\nasthma,T:0\n")
    assert run("import", tmp_path / "t.csv", "-o", tmp_path / "t.terminology").exit_code == 0
    notes = {}
    for flag in ((), ("--no-everyday",)):
        place = tmp_path / f"{len(flag)}.index"
        assert run("index", tmp_path / "t.terminology", *flag, "-o", place).exit_code == 0
        done = run("evaluate", "normalization", place, tmp_path / "gold.csv", "--resamples", "9", "--json")
        assert done.exit_code == 0, done.output
        notes[flag] = " ".join(json.loads(done.stdout)["notes"])
    assert "everyday names that come with ontonym are searched too" in notes[()]
    assert "everyday" not in notes["--no-everyday",]
    assert "3 shortened names searched too" in notes["--no-everyday",]
