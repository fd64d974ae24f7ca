"""The verbs on a tiny terminology, from release file to answers."""

from __future__ import annotations

import json
import re

import pytest


def objects(output: str) -> list[dict]:
    return [json.loads(line) for line in output.splitlines()]


def test_import_counts_add_up(run, tiny, tmp_path):
    (tmp_path / "codes.csv").write_text("code,display\n1,Fever\n2,Cough\n,Nothing\n")
    done = run(
        "import", tmp_path / "codes.csv", "--column", "id=code", "--column", "preferred=display", "--prefix", "LOCAL",
        "--name", "local", "-o", tmp_path / "local.terminology", "--json",
    )  # fmt: skip
    shape = json.loads(done.stdout)
    assert shape["reader"]["rows"] == {"read": 3, "kept": 2, "skipped": {}, "malformed": 1}
    assert shape["metadata"]["name"] == "local"
    assert shape["metadata"]["prefix"] == "LOCAL"


def test_import_shows_the_malformed_rows(run, tmp_path):
    (tmp_path / "codes.csv").write_text("code,display\n1,Fever\n,Nothing\n")
    done = run("import", tmp_path / "codes.csv", "-o", tmp_path / "c.terminology")
    assert "rows         2 read = 1 kept + 0 skipped + 1 malformed\n" in done.stdout
    assert "  codes.csv:3: " in done.stdout


def test_import_names_the_output_after_the_release(run, tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("import", tiny / "tiny.obo").exit_code == 0
    assert json.loads(run("info", "tiny.terminology", "--json").stdout)["content"]["identity"]["name"] == "tiny"


def test_info_tells_release_and_counts(run, tiny):
    told = run("info", tiny / "tiny.terminology", "--verify").stdout
    assert "concepts     6 active, 1 retired" in told
    assert "checked      every checksum matches" in told


def test_names_beside_the_terminologies_are_told_alike(run, write, encoder, tmp_path):
    """By what builds an index, what updates it, and what says what it is."""
    text = "[Term]\nid: T:1\nname: Syncope\n\n[Term]\nid: T:2\nname: Burn of hand, unspecified site\n"
    write("own.obo", f"format-version: 1.2\nontology: own\n\n{text}")
    run("import", tmp_path / "own.obo", "-o", tmp_path / "own.terminology")
    arguments = (tmp_path / "own.terminology", "--encoder", encoder, "-o", tmp_path / "own.index")
    made = json.loads(run("index", *arguments, "--json").stdout)["content"]["statistics"]
    assert (made["everyday"] > 0, made["shortened"]) == (True, 1)
    told = (
        f"{made['everyday']} everyday names, such as patients use\n"
        'SPACE 1 shortened name, without "unspecified site", "(nonvenomous)"\n'
    )
    for command in (
        ("index", *arguments), ("info", tmp_path / "own.index"),
        ("update", tmp_path / "own.index", tmp_path / "own.terminology"),
    ):  # fmt: skip
        shown = run(*command).stdout
        assert re.sub(r"\n +", "\nSPACE ", shown).count(told) == 1, shown


def test_info_of_an_index_names_what_it_was_made_from(run, tiny):
    made_from = json.loads(run("info", tiny / "tiny.terminology", "--json").stdout)["fingerprint"]
    assert made_from in run("info", tiny / "tiny.index").stdout


def test_index_json(run, tiny, encoder, tmp_path):
    done = run("index", tiny / "tiny.terminology", "--encoder", encoder, "-o", tmp_path / "i.index", "--json")
    assert json.loads(done.stdout)["names"] == 14


def test_index_with_retired_concepts(run, tiny, encoder, tmp_path):
    path = tmp_path / "i.index"
    run("index", tiny / "tiny.terminology", "--encoder", encoder, "-o", path, "--include-retired")
    hits = json.loads(run("search", path, "dropsy", "--json").stdout)["hits"]
    assert (hits[0]["id"], hits[0]["status"]) == ("T:9", "retired")


def test_search_json_has_the_promised_shape(run, tiny):
    answer = json.loads(run("search", tiny / "tiny.index", "heart attack", "-k", "2", "--json").stdout)
    assert answer["query"] == "heart attack"
    first = answer["hits"][0]
    assert (first["id"], first["preferred"], first["matched"]) == ("T:3", "Myocardial infarction", "Heart attack")
    assert list(first)[:7] == ["id", "preferred", "matched", "confidence", "similarity", "signals", "reason"]
    assert first["reason"]["rule"] in ("exact", "normalized")
    assert set(first["signals"]) == {"lexical", "char", "dense"}


def test_search_shows_id_name_and_reason(run, tiny):
    shown = run("search", tiny / "tiny.index", "pyrexia").stdout
    assert "T:5" in shown
    assert "“Pyrexia” (synonym): " in shown


def test_search_words_need_no_quotes(run, tiny):
    assert json.loads(run("search", tiny / "tiny.index", "heart", "attack", "--json").stdout)["query"] == "heart attack"


def test_search_reads_queries_from_standard_input(run, tiny):
    answers = objects(run("search", tiny / "tiny.index", "-", "--json", input="fits\n\npyrexia\n").stdout)
    assert [(answer["query"], answer["hits"][0]["id"]) for answer in answers] == [("fits", "T:6"), ("pyrexia", "T:5")]


def test_search_within_leaves_the_rest_out(run, tiny):
    answer = json.loads(run("search", tiny / "tiny.index", "fever", "--within", "T:2", "--json").stdout)
    assert {hit["id"] for hit in answer["hits"]} <= {"T:2", "T:3", "T:4"}


def test_search_explain_says_why(run, tiny):
    said = run("search", tiny / "tiny.index", "Heart attack", "--explain", "-k", "1").stdout
    assert "“Heart attack” (lay term, layperson, tiny): the same text" in said
    assert re.search(r"signals: (words|meaning) \d+% \(1\.00\)", said)
    assert re.search(r"\d\.\d\d ahead of ", said)
    assert "signals:" not in run("search", tiny / "tiny.index", "Heart attack").stdout


def test_search_explain_as_json(run, tiny):
    answer = json.loads(run("search", tiny / "tiny.index", "heart atack", "--explain", "--json", "-k", "2").stdout)
    plain = json.loads(run("search", tiny / "tiny.index", "heart atack", "--json", "-k", "2").stdout)
    explanations = [hit.pop("explanation") for hit in answer["hits"]]
    assert answer == plain
    first, second = explanations
    assert list(first) == [
        "said", "read_as", "mended", "probability", "prior", "rank", "strategy", "signals", "words", "changes", "rival",
        "namesakes",
    ]  # fmt: skip
    assert (first["read_as"], first["mended"]) == ("heart attack", [{"written": "atack", "read_as": "attack"}])
    assert (first["rank"], second["rank"]) == (1, 2)
    assert first["strategy"] == {"module": "OD-T", "similarity": 1.0, "believed": False}
    assert sum(part["share"] for part in first["signals"].values()) == pytest.approx(1, abs=2e-4)
    assert first["words"] == {"shared": ["heart", "attack"], "only_query": [], "only_name": []}
    assert first["changes"] == ["case"]
    assert (first["rival"]["id"], second["rival"]["id"]) == (answer["hits"][1]["id"], "T:3")
    assert first["rival"]["lead"] == pytest.approx(-second["rival"]["lead"], abs=2e-4)
    assert first["said"][0].startswith("“Heart attack” (lay term, layperson, tiny): read as “heart attack”")
    assert first["said"][1] == "read into the query: “atack” as “attack”"
    decision = first["rival"]["decision"]
    assert (decision["group"], decision["for"], decision["feature"]) == ("equal", "first", "spelled")
    assert decision["values"] == [1.0, 0.0]
    assert decision["words"] == {"query": [], "first": [], "second": []}
    assert f"decided against {answer['hits'][1]['preferred']} by: {decision['said']}" in first["said"]
    assert second["rival"]["decision"]["for"] == "second"
    assert second["rival"]["decision"]["term"] == pytest.approx(-decision["term"], abs=1e-5)


def test_search_compare_tells_what_decides_between_any_two(run, tiny):
    said = run("search", tiny / "tiny.index", "heart attack", "--compare", "T:3", "T:4").stdout.splitlines()
    assert said[0].startswith("Myocardial infarction (T:3): rank 1, confidence ")
    assert said[1] == "  “Heart attack” (lay term, layperson, tiny): the same but for case"
    assert any(line.startswith("Palpitations (T:4): ") for line in said)
    decided = "decided against Palpitations by: “Heart attack” is equal to the query, “Skipped heart beats” is not"
    assert decided in said
    assert re.match(r"difference of \+\d+\.\d\d in log-odds: equal name \+\d", said[-1])
    several = run("search", tiny / "tiny.index", "-", "--compare", "T:3", "T:4", input="fever\n\nfits\n").stdout
    assert [line for line in several.splitlines() if line in ("fever", "fits")] == ["fever", "fits"]


def test_search_compare_as_json(run, tiny):
    done = run("search", tiny / "tiny.index", "heart attack", "--compare", "T:3", "T:5", "--json")
    found = json.loads(done.stdout)
    assert list(found) == ["query", "said", "relation", "unit", "difference", "terms", "rival", "first", "second"]
    assert list(found["terms"]) == [
        "lexical", "char", "dense", "equal", "numbers", "opposites", "qualifiers", "residual", "name", "dominance",
        "reading", "competition", "readings", "duplicates",
    ]  # fmt: skip
    assert sum(found["terms"].values()) == pytest.approx(found["difference"], abs=1e-5)
    assert (found["relation"], found["unit"], found["first"]["id"], found["second"]["id"]) == (
        "rivals",
        "log-odds",
        "T:3",
        "T:5",
    )
    answer = json.loads(run("search", tiny / "tiny.index", "heart attack", "--explain", "--json").stdout)
    assert answer["hits"][0] == found["first"]
    assert found["rival"]["id"] == "T:5"
    assert found["rival"]["decision"]["for"] == "first"


def test_search_compare_stands_alone(run, tiny):
    done = run("search", tiny / "tiny.index", "heart attack", "--compare", "T:3", "T:4", "--explain")
    assert done.exit_code == 2
    assert done.stderr == "error: --compare explains both concepts: leave out --explain\n"


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (("T:3", "T:77"), "error: no concept 'T:77' in tiny"),
        (("T:3", "t:3"), "error: T:3 and t:3 are the same concept, T:3: give two concepts"),
    ],
)
def test_search_compare_of_wrong_ids_is_an_error(run, tiny, ids, message):
    done = run("search", tiny / "tiny.index", "heart attack", "--compare", *ids)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(message)


def test_search_explain_says_why_there_is_nothing(run, tiny):
    options = ("search", tiny / "tiny.index", "xyzzy", "--signal", "lexical", "--explain")
    assert run(*options).stdout == "nothing found; nothing resembles it; in no name: xyzzy\n"
    assert json.loads(run(*options, "--json").stdout) == {
        "query": "xyzzy",
        "hits": [],
        "nil": {
            "rule": "nothing like it", "threshold": 0.0, "confidence": 0.0, "missing": 0.0, "none_of_them": None,
            "others": None, "unknown_words": ["xyzzy"],
        },
    }  # fmt: skip


def test_normalize_explain_says_why_of_each_mention(run, tiny, tmp_path):
    (tmp_path / "in.jsonl").write_text(
        '{"text": "MI", "passage": "Myocardial infarction (MI) again."}\n{"text": "xyzzy of the heart"}\n'
    )
    arguments = ("normalize", tiny / "tiny.index", tmp_path / "in.jsonl", "--threshold", "0.9")
    done = run(*arguments, "--explain")
    assert done.exit_code == 0, done.stderr
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["id"] == "T:3"
    assert first["explanation"] == {
        "said": ["“MI” means “Myocardial infarction” in this document"],
        "lookup": "Myocardial infarction",
        "abbreviations": {"MI": "Myocardial infarction"},
        "implied": "",
        "nil": None,
    }
    assert first["candidates"][0]["explanation"]["words"]["shared"] == ["Myocardial", "infarction"]
    nil = second["explanation"]["nil"]
    assert second["id"] is None
    assert (nil["rule"], nil["threshold"], nil["unknown_words"]) == ("below the threshold", 0.9, ["xyzzy"])
    assert nil["missing"] == pytest.approx(0.9 - second["confidence"], abs=2e-4)
    assert nil["none_of_them"] + nil["others"] + nil["confidence"] == pytest.approx(1, abs=3e-4)
    plain = [json.loads(line) for line in run(*arguments).stdout.splitlines()]
    for answer in (first, second):
        del answer["explanation"]
        for candidate in answer["candidates"]:
            del candidate["explanation"]
    assert plain == [first, second]


def test_normalize_explain_is_written_as_json_lines_only(run, tiny, tmp_path):
    (tmp_path / "in.txt").write_text("fever\n")
    done = run("normalize", tiny / "tiny.index", tmp_path / "in.txt", "--explain", "-o", tmp_path / "out.tsv")
    assert done.exit_code == 2
    assert done.stderr == "error: --explain is written as JSON lines, not as tsv. Write .jsonl\n"
    assert not (tmp_path / "out.tsv").exists()


def test_moved_terminology_is_found_where_the_user_says(run, tiny, tmp_path):
    import shutil

    shutil.copytree(tiny / "tiny.terminology", tmp_path / "elsewhere")
    done = run("search", tiny / "tiny.index", "fits", "--terminology", tmp_path / "elsewhere", "--json")
    assert json.loads(done.stdout)["hits"][0]["id"] == "T:6"


NORMALIZED = [("heart attack", "T:3"), ("pyrexia", "T:5")]


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("m.txt", "heart attack\n\npyrexia\n", []),
        ("m.csv", 'n,finding\n1,"heart attack"\n2,pyrexia\n', ["--column", "finding"]),
        ("m.csv", "1,heart attack\n2,pyrexia\n", ["--column", "2"]),
        ("m.tsv", "text\theard\nheart attack\tx\npyrexia\ty\n", []),
        ("m.jsonl", '{"text": "heart attack"}\n{"text": "pyrexia", "id": 7}\n', []),
        (
            "m.pubtator",
            "1|t|Heart attack\n1|a|and pyrexia\n1\t0\t12\theart attack\tDisease\tMESH:1\n1\t17\t24\tpyrexia\tDisease\n"
            "1\tCID\tD1\tD2\n",
            [],
        ),
    ],
    ids=["lines", "csv", "csv by number", "tsv", "jsonl", "pubtator"],
)
def test_normalize_reads_every_format(run, tiny, tmp_path, name, content, options):
    (tmp_path / name).write_text(content)
    answers = objects(run("normalize", tiny / "tiny.index", tmp_path / name, *options).stdout)
    assert [(answer["text"], answer["id"]) for answer in answers] == NORMALIZED


def test_normalize_keeps_the_place_of_a_mention(run, tiny, tmp_path):
    (tmp_path / "m.txt").write_text("9|t|A fever\n9\t2\t7\tfever\tSign\n")
    (answer,) = objects(run("normalize", tiny / "tiny.index", tmp_path / "m.txt").stdout)
    kept = {name: answer[name] for name in ("mention", "document", "start", "end", "type", "id")}
    assert kept == {"mention": "9:2-7", "document": "9", "start": 2, "end": 7, "type": "Sign", "id": "T:5"}


def test_normalize_below_the_threshold_is_null(run, tiny):
    (answer,) = objects(run("normalize", tiny / "tiny.index", "-", "--threshold", "1", input="qqq zzz\n").stdout)
    assert answer["id"] is None


def test_normalize_writes_a_table(run, tiny, tmp_path):
    out = tmp_path / "out.tsv"
    run("normalize", tiny / "tiny.index", "-", "-o", out, input="fits\n")
    header, row = (line.split("\t") for line in out.read_text().splitlines())
    found = dict(zip(header, row, strict=True))
    assert (found["text"], found["id"], found["preferred"], found["matched"]) == ("fits", "T:6", "Seizure", "Fits")


def test_normalize_accounts_for_every_row(run, tiny, tmp_path):
    (tmp_path / "m.jsonl").write_text('{"text": "fits"}\n{"txt": 1}\nnot json\n\n')
    done = run("normalize", tiny / "tiny.index", tmp_path / "m.jsonl")
    assert done.stderr.splitlines()[0] == (
        "4 rows (jsonl) = 1 mention + 1 blank + 2 malformed; 1 sure (confidence 0.8 or more), 0 doubtful (less), "
        "0 none (NIL: nothing reaches the confidence 0.5)"
    )
    assert f'{tmp_path / "m.jsonl"}:2: not an object with a string "text"' in done.stderr


def test_normalize_strict_stops_and_leaves_no_file(run, tiny, tmp_path):
    (tmp_path / "m.jsonl").write_text('{"text": "fits"}\n{"txt": 1}\n')
    out = tmp_path / "out.jsonl"
    done = run("normalize", tiny / "tiny.index", tmp_path / "m.jsonl", "--strict", "-o", out)
    assert done.exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.jsonl"]


@pytest.mark.training
def test_train_and_index_with_it(run, tiny, tmp_path):
    pytest.importorskip("torch")
    path = tmp_path / "my.encoder"
    done = run(
        "train", tiny / "tiny.terminology", "--base", "none", "--steps", "5", "--batch", "8", "--threads", "1",
        "--dim", "8", "--word-rows", "64", "--ngram-rows", "64", "-o", path, "--json",
    )  # fmt: skip
    content = json.loads(done.stdout)["content"]
    assert content["training"]["steps"] == 5
    assert content["terminologies"][0]["name"] == "tiny"
    assert run("index", tiny / "tiny.terminology", "--encoder", path, "-o", tmp_path / "i.index").exit_code == 0
    hits = json.loads(run("search", tmp_path / "i.index", "fits", "--json").stdout)["hits"]
    assert hits[0]["id"] == "T:6"


def test_train_refuses_a_shape_beside_a_base(run, tiny, encoder, tmp_path):
    done = run("train", tiny / "tiny.terminology", "--base", encoder, "--dim", "8", "-o", tmp_path / "x.encoder")
    assert done.exit_code == 2
    assert "--base none" in done.stderr
