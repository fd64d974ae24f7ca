"""``add-terms``, ``remove-terms`` and ``terms`` on a tiny index."""

from __future__ import annotations

import json
import shutil

import pytest


@pytest.fixture
def own(tiny, tmp_path):
    """An index of one's own, which a test may change."""
    for name in ("tiny.terminology", "tiny.index"):
        shutil.copytree(tiny / name, tmp_path / name)
    return tmp_path / "tiny.index"


def first(run, index, query):
    return json.loads(run("search", index, query, "--json").stdout)["hits"][0]


@pytest.mark.slow
def test_a_table_is_added_and_searched_and_listed_and_removed(run, own, tmp_path):
    table = tmp_path / "ours.csv"
    table.write_text(
        "Concept,Term,why,count\nT:6,funny turn,ward 3,2\nT:5,hot and bothered,,\n\n,nothing,,\nT:5,?!,,\nT:5,x,,zero\n"
    )
    done = run("add-terms", own, table, "--who", "ann", "--why", "ours")
    assert done.exit_code == 0
    assert done.stdout == f"2 terms added, 0 replaced; {own} holds 2 now\n"
    assert f"{table}: 6 rows = 2 terms + 1 blank + 3 malformed" in done.stderr
    assert f"{table}:5: no concept id" in done.stderr
    assert f"{table}:7: the count 'zero' is not a whole number from 1" in done.stderr
    assert (first(run, own, "funny turn")["id"], first(run, own, "funny turn")["source"]) == ("T:6", "added by ann")
    listed = run("terms", own).stdout.splitlines()
    assert listed[0] == "id,text,count,who,when,why,status,concept"
    assert [line.split(",")[:4] + line.split(",")[5:] for line in listed[1:]] == [
        ["T:6", "funny turn", "2", "ann", "ward 3", "active", "T:6"],
        ["T:5", "hot and bothered", "1", "ann", "ours", "active", "T:5"],
    ]
    assert "2 terms, 2 of them searched" in run("info", own).stdout
    copy = tmp_path / "copy.csv"
    assert run("terms", own, "-o", copy).exit_code == 0
    assert run("remove-terms", own, copy).stdout == f"2 terms removed; {own} holds 0 now\n"
    again = run("add-terms", own, copy, "--json")
    assert json.loads(again.stdout)["added"] == 2
    assert run("terms", own).stdout.splitlines() == listed
    journal = [json.loads(line) for line in run("terms", own, "--journal", "--json").stdout.splitlines()]
    assert [(one["did"], one["text"]) for one in journal] == [
        ("added", "funny turn"), ("added", "hot and bothered"), ("removed", "funny turn"),
        ("removed", "hot and bothered"), ("added", "funny turn"), ("added", "hot and bothered"),
    ]  # fmt: skip


@pytest.mark.parametrize("begun", ["", "sep=;\n"])
def test_a_table_may_be_parted_by_semicolons(run, own, tmp_path, begun):
    table = tmp_path / "ours.csv"
    table.write_text(f"{begun}id;term;count\nT:6;funny, turn;2\nT:5;x;zero\n")
    done = run("add-terms", own, table)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("1 term added")
    assert f"{table}:{4 if begun else 3}: the count 'zero' is not" in done.stderr
    assert first(run, own, "funny, turn")["id"] == "T:6"


def test_ids_without_their_prefix_or_in_another_case_are_those_of_their_concepts(run, own):
    given = [("6", "funny turn"), ("t:6", "jerks"), ("77", "nobody"), ("NIL", "a heading")]
    done = run("add-terms", own, *(word for one in given for word in ("--term", *one)), "--json")
    assert json.loads(done.stdout)["unknown"] == [{"id": "77", "text": "nobody"}]
    listed = [json.loads(line) for line in run("terms", own, "--json").stdout.splitlines()]
    assert [(one["id"], one["text"], one["status"]) for one in listed] == [
        ("T:6", "funny turn", "active"), ("T:6", "jerks", "active"), ("77", "nobody", "gone"),
        ("NIL", "a heading", "nil"),
    ]  # fmt: skip
    assert run("add-terms", own, "--term", "6", "x", "--strict").exit_code == 0
    removed = run("remove-terms", own, "--term", "6", "jerks", "--term", "77", "nobody")
    assert removed.stdout.startswith("2 terms removed")


def test_terms_are_typed_and_all_of_a_concept_removed(run, own):
    assert run("add-terms", own, "--term", "T:6", "funny turn", "--term", "T:6", "jerks").exit_code == 0
    assert first(run, own, "jerks")["id"] == "T:6"
    assert run("remove-terms", own, "--concept", "T:6").stdout.startswith("2 terms removed")
    missing = run("remove-terms", own, "--term", "T:6", "jerks")
    assert (missing.exit_code, missing.stdout.splitlines()[0]) == (1, f"0 terms removed; {own} holds 0 now")
    assert "not held, so not removed: T:6 'jerks'" in missing.stderr


@pytest.mark.slow
def test_json_lines_texts_with_ids_and_a_corpus(run, own, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "T:6", "text": "funny turn", "who": "bob"}\n{"id": "T:5"}\n[]\nno\n')
    done = json.loads(run("add-terms", own, tmp_path / "a.jsonl", "--json").stdout)
    assert (done["added"], done["files"][0]["rows"], done["files"][0]["malformed"]) == (1, 4, 3)
    (tmp_path / "b.tsv").write_text("skipping\tT:4\nburning up\tT:5\n")
    assert run("add-terms", own, tmp_path / "b.tsv").stdout.startswith("2 terms added")
    (tmp_path / "c.txt").write_text(
        "1|t|Fits and starts\n1|a|Hot.\n1\t0\t4\tFits\tSign\tT:6\n"
        "1\t0\t15\tFits and starts\tCompositeMention\tT:6|T:4\n"
        "1\t16\t19\tHot\tSign\t-1\n1\t0\t4\tFits\tSign\tT:6\n"
    )
    corpus = run("add-terms", own, tmp_path / "c.txt")
    assert "4 rows = 2 terms + 1 of several concepts + 1 of no concept" in corpus.stderr
    rows = [json.loads(line) for line in run("terms", own, "--json").stdout.splitlines()]
    assert [(row["text"], row["count"], row["why"]) for row in rows[-1:]] == [("Fits", 2, "annotated in c.txt")]
    assert rows[0]["who"] == "bob"


def test_an_unknown_id_is_kept_and_told_or_refused(run, own):
    done = run("add-terms", own, "--term", "T:77", "spots")
    assert done.exit_code == 0
    assert "1 term of 1 id that no active concept has: kept, and searched when a release has them (T:77)" in done.stderr
    assert run("terms", own, "--gone").stdout.splitlines()[1].endswith(",gone,")
    strict = run("add-terms", own, "--term", "T:78", "spots", "--strict")
    assert strict.exit_code == 2
    assert "T:78" in strict.stderr
    assert len(run("terms", own).stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.csv", "words,concepts\nx,y\n", "a.csv:1: its first line names no columns id and text"),
        ("b.txt", "", "b.txt: the file is empty"),
    ],
)
def test_a_file_that_is_none_of_these_is_an_error(run, own, tmp_path, name, text, problem):
    (tmp_path / name).write_text(text)
    done = run("add-terms", own, tmp_path / name)
    assert (done.exit_code, problem in done.stderr) == (2, True), done.stderr
    assert run("terms", own).stdout.splitlines()[1:] == []


def test_a_text_of_a_whole_page_is_malformed(run, own, tmp_path):
    (tmp_path / "c.csv").write_text('id,text\nT:1,"' + "x" * 200_000 + '"\n')
    done = run("add-terms", own, tmp_path / "c.csv")
    assert f"{tmp_path / 'c.csv'}:2: a text of more than 10,000 characters" in done.stderr
    assert run("terms", own).stdout.splitlines()[1:] == []


def test_corrected_answers_are_terms(run, own, tmp_path):
    table = tmp_path / "answers.csv"
    table.write_text("nr,said,ontonym_id,ontonym_name\n1,'-ish turn,T:6,x\n2,queer do,,\n3,our keys,NIL,\n")
    columns = ("--column", "id=ontonym_id", "--column", "text=said")
    done = run("add-terms", own, table, *columns)
    assert done.stdout == f"2 terms added, 0 replaced; {own} holds 2 now\n"
    assert f"{table}: 3 rows = 2 terms + 1 without id" in done.stderr
    assert [line.split(",")[:2] for line in run("terms", own).stdout.splitlines()[1:]] == [
        ["T:6", "'-ish turn"], ["NIL", "our keys"],
    ]  # fmt: skip
    assert first(run, own, "-ish turn".strip("-"))["id"] == "T:6"
    lines = tmp_path / "answers.jsonl"
    lines.write_text('{"said": "queer do", "ontonym_id": "T:6"}\n{"said": "odd do"}\n')
    done = run("add-terms", own, lines, *columns)
    assert f"{lines}: 2 rows = 1 term + 1 without id" in done.stderr
    lines.with_suffix(".txt").write_text("1|t|A fit\n1|a|\n1\t2\t5\tfit\tDisease\tT:6\n\n")
    done = run("add-terms", own, lines.with_suffix(".txt"), *columns)
    assert (done.exit_code, "is an annotated corpus, which has no columns" in done.stderr) == (2, True)
    done = run("add-terms", own, table, *columns[:2], "--column", "text=sayd")
    assert (done.exit_code, "unknown column 'sayd'. Did you mean 'said'?" in done.stderr) == (2, True)
    done = run("add-terms", own, table, "--column", "name=said")
    assert (done.exit_code, "unknown field of a term 'name'" in done.stderr) == (2, True)
    done = run("add-terms", own, table, "--column", "said")
    assert (done.exit_code, "'said' names no column" in done.stderr) == (2, True)


def test_strict_stops_at_a_malformed_row(run, own, tmp_path):
    (tmp_path / "a.csv").write_text("id,text\nT:5,hot\nT:5,\n")
    done = run("add-terms", own, tmp_path / "a.csv", "--strict")
    assert (done.exit_code, "a.csv:3: no text" in done.stderr) == (2, True)
    assert run("terms", own).stdout.splitlines()[1:] == []


def test_nothing_given_is_an_error(run, own):
    assert run("add-terms", own).exit_code == 2
    assert run("remove-terms", own).exit_code == 2


@pytest.mark.slow
def test_terms_stay_when_the_index_is_updated_or_built_anew(run, own, tmp_path, encoder):
    run("add-terms", own, "--term", "T:6", "funny turn", "--term", "T:99", "later")
    updated = run("update", own, tmp_path / "tiny.terminology")
    assert "added    1 term of users carried over; 1 not searched: `ontonym terms" in updated.stdout
    rebuilt = run("index", tmp_path / "tiny.terminology", "--encoder", encoder, "-o", own)
    assert "1 term of users carried over" in rebuilt.stdout.replace("\n", " ")
    assert first(run, own, "funny turn")["id"] == "T:6"


def test_evaluation_says_that_terms_were_added(run, own, tmp_path):
    corpus = tmp_path / "dev.txt"
    corpus.write_text(
        "1|t|A funny turn\n1|a|Then fever.\n1\t2\t12\tfunny turn\tSign\tT:6\n1\t18\t23\tfever\tSign\tT:5\n"
    )
    run("add-terms", own, "--term", "T:6", "funny turn", "--why", "by hand")
    for strategy, names in (("O-T", "ontology"), ("D-T", "added terms"), ("D-T+OD-T", "ontology+added terms")):
        done = run(
            "evaluate", "normalization", own, corpus, "--prefix", "T", "--strategy", strategy, "--resamples", "50"
        )
        assert f"names: {names}," in done.stdout.replace("\n", " ") or f"names: {names}" in done.stdout
        assert f"strategy: {strategy}" in done.stdout
        assert "added terms: 1 by hand" in done.stdout


@pytest.mark.slow
def test_a_composite_counts_when_all_its_parts_are_right(run, own, tmp_path):
    corpus = tmp_path / "dev.txt"
    text = "fever and funny turn"
    corpus.write_text(f"1|t|{text}\n1|a|Ends.\n1\t0\t{len(text)}\t{text}\tSign\tT:5|T:6\n")
    asked = ("evaluate", "strategies", own, corpus, "--prefix", "T", "--resamples", "50", "--no-keep", "--json")
    rules = {
        rule: json.loads(run(*asked, *(("--composite", rule) if rule else ())).stdout)["runs"]["O-T"]
        for rule in ("", "any", "all")
    }
    assert rules["any"]["measures"]["accuracy@1"]["value"] == 1  # the fever is found, the turn is in no name
    assert rules["all"]["measures"]["accuracy@1"]["value"] == 0
    assert rules[""]["measures"] == rules["all"]["measures"]
    assert rules[""]["protocol"]["composite"] == "all"


@pytest.mark.slow
def test_the_best_strategy_of_a_dev_set_is_kept(run, own, tmp_path):
    corpus = tmp_path / "dev.txt"
    corpus.write_text(
        "1|t|A funny turn\n1|a|Then fever.\n1\t2\t12\tfunny turn\tSign\tT:6\n1\t18\t23\tfever\tSign\tT:5\n"
    )
    bare = run("evaluate", "strategies", own, corpus, "--prefix", "T", "--resamples", "50", "--no-keep")
    assert "note: no terms were added to this index, so D finds nothing, and OD is O" in bare.output
    untuned = run("search", own, "fever", "--strategy", "tuned")
    assert (untuned.exit_code, "ontonym evaluate strategies" in untuned.stderr) == (2, True)
    run("add-terms", own, "--term", "T:6", "funny turn", "--term", "T:4", "fever")
    tried = run("evaluate", "strategies", own, corpus, "--prefix", "T", "--resamples", "50", "--no-keep")
    assert tried.exit_code == 0
    assert "T: each name by itself, C: the mean of a concept's names" in tried.output
    assert "no terms were added" not in tried.output
    assert run("search", own, "fever", "--strategy", "tuned").exit_code == 2
    done = json.loads(run("evaluate", "strategies", own, corpus, "--prefix", "T", "--resamples", "50", "--json").stdout)
    found = {name: one["measures"]["accuracy@1"]["value"] for name, one in done["runs"].items()}
    assert (len(found), found["O-T"], found["D-T"]) == (14, 0.5, 0.5)
    assert found[done["best"]] == max(found.values()) == 1
    assert done["best"].startswith("OD-")  # a sieve believes the added "fever", O does not know the turn
    for query, concept in (("funny turn", "T:6"), ("fever", "T:5")):
        shown = json.loads(run("search", own, query, "--strategy", "tuned", "--json").stdout)
        assert shown["hits"][0]["id"] == concept
    assert f"strategy {done['best']}, by dev.txt (signal fused)" in run("info", own).stdout.replace("\n", " ")
    run("update", own, tmp_path / "tiny.terminology")
    assert run("search", own, "fever", "--strategy", "tuned").exit_code == 0
    assert run("evaluate", "strategies", own, corpus, "--type", "Drug").exit_code == 2
    assert run("evaluate", "strategies", own, corpus, "--signal", "all").exit_code == 2


def test_a_text_that_names_another_concept_too_is_told(own, run):
    done = run("add-terms", own, "--term", "T:5", "odd turn", "--term", "T:6", "odd turn")
    assert done.exit_code == 0
    told = "2 texts are a name of another concept too: “odd turn” of T:5, and of T:6; “odd turn” of T:6, and of T:5"
    assert told in " ".join((done.stdout + done.stderr).split())
    told = json.loads(run("add-terms", own, "--term", "T:5", "odd turn", "--json").stdout)
    assert told["shared"] == [{"id": "T:5", "text": "odd turn", "others": ["T:6"]}]


def test_a_term_without_letters_says_what_it_lacks(own, run):
    done = run("add-terms", own, "--term", "T:5", " ")
    assert "a term needs a letter or a digit" in done.stdout + done.stderr
