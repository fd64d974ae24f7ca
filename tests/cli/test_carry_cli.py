"""``ontonym carry``, and the review of what it lists."""

from __future__ import annotations

import csv
import json

import pytest

from listed import stored
from made import concept
from ontonym.store.mappings import read_mappings

HEAD = "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
LINES = [f"{source}\tskos:exactMatch\tX:{number}\tm\n" for number, source in enumerate(("T:1", "T:2", "T:3", "T:4"))]


@pytest.fixture
def made(tmp_path):
    stored(tmp_path / "old.terminology", [concept(f"T:{n}", f"name {n}") for n in range(1, 5)], "t", "2023")
    new = [
        concept("T:1", "name 1", alternative_ids="T:2"),
        concept("T:3", "quite another thing"),
        concept("T:4", "name 4"),
    ]
    stored(tmp_path / "new.terminology", new, "t", "2024")
    (tmp_path / "map.sssom.tsv").write_text(HEAD + "".join(LINES))
    return tmp_path


def asked(made, *more):
    releases = ("--releases", made / "old.terminology", made / "new.terminology")
    return ("carry", made / "map.sssom.tsv", *releases, "-o", made / "carried.tsv", *more)


def test_carrying_and_the_review_of_what_is_left(made, run):
    done = run(*asked(made, "--look", made / "look.sssom.tsv"))
    assert done.exit_code == 0
    assert "2023 → 2024" in done.stdout
    assert "2 look again" in done.stdout
    assert "T:3 was “name 3” and is now “quite another thing”" in done.stdout
    assert (made / "carried.tsv").read_text() == HEAD + LINES[0] + LINES[3]
    started = run("review", "start", made / "look.sssom.tsv", "-o", made / "s.review")
    assert "2 source concepts with 2 candidates" in started.stdout
    listed = run("review", "list", made / "s.review").stdout
    assert "T:3  quite another thing" in listed
    assert "proposal: look again; was T:3 skos:exactMatch X:2, line 4 of map.sssom.tsv" in listed
    run("review", "decide", made / "s.review", "T:3", "accept")
    run("review", "export", made / "s.review", "-o", made / "decided.tsv")
    assert "T:3\tquite another thing\tskos:exactMatch" in (made / "decided.tsv").read_text()


def test_json_and_following(made, run):
    (made / "map.sssom.tsv").write_text(HEAD + LINES[1] + LINES[3])
    told = json.loads(run(*asked(made, "--follow", "--json")).stdout)
    assert (told["mappings"], told["stay"], told["followed"], told["to_look_at"]) == (2, 1, 1, 0)
    assert told["reasons"] == {"merged": 1}
    assert told["changed"][0]["reasons"][0]["instead"] == [{"id": "T:1", "preferred": "name 1"}]
    assert (made / "carried.tsv").read_text() == HEAD + LINES[1].replace("T:2", "T:1") + LINES[3]


def test_without_look_it_is_said_that_they_are_nowhere(made, run):
    assert "2 mappings in no file: --look FILE writes them" in run(*asked(made)).stdout


def test_the_names_of_a_side_without_a_new_release(made, run):
    stored(made / "x.terminology", [concept("X:0", "name 1"), concept("X:2", "other side")], "x", "7")
    same = made / "x.terminology"
    done = run(*asked(made, "--releases", same, same, "--look", made / "look.sssom.tsv"))
    assert "7, the same" in done.stdout
    assert "caution" not in done.stdout
    lines = [one for one in (made / "look.sssom.tsv").read_text().splitlines() if not one.startswith("#")]
    row = next(one for one in csv.DictReader(lines, delimiter="\t") if one["subject_id"] == "T:3")
    assert (row["subject_label"], row["object_label"]) == ("quite another thing", "other side")


def test_what_is_to_look_at_keeps_who_made_it_and_how_often_it_is_needed(made, run):
    head = (
        '# curie_map:\n#   T: "http://ours.example/T_"\n#   anna: "http://people.example/"\n# license: "mine"\n'
        "# mapping_date: 2024-05-06\n# mapping_tool: theirs\n"
        f"{HEAD.strip()}\tauthor_id\tconfidence\text_frequency\tcomment\tother\n"
    )
    row = f"{LINES[2].strip()}\tanna:1|orcid:0000-0001\t0.9\t77\tseen twice\tfrom the ward\n"
    (made / "map.sssom.tsv").write_text(head + row)
    assert run(*asked(made, "--look", made / "look.sssom.tsv")).exit_code == 0
    found = read_mappings(made / "look.sssom.tsv")
    assert found.prefixes["T"] == "http://ours.example/T_"
    assert found.prefixes["anna"] == "http://people.example/"
    (one,) = found.rows
    kept = {
        "author_id": "anna:1|orcid:0000-0001", "mapping_date": "2024-05-06", "mapping_tool": "theirs",
        "ext_frequency": "77", "confidence": None,
    }  # fmt: skip
    assert {name: one.get(name) for name in kept} == kept
    assert one["comment"] == "T:3 was “name 3” and is now “quite another thing”; seen twice"
    assert one["other"].endswith("line 8 of map.sssom.tsv; from the ward")
    run("review", "start", made / "look.sssom.tsv", "-o", made / "s.review")
    assert json.loads(run("review", "list", made / "s.review", "--json").stdout)["items"][0]["frequency"] == 77


def test_nothing_to_look_at(made, run):
    (made / "map.sssom.tsv").write_text(HEAD + LINES[0])
    done = run(*asked(made, "--look", made / "look.sssom.tsv"))
    assert (done.exit_code, (made / "carried.tsv").read_text()) == (0, HEAD + LINES[0])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("-o", "map.sssom.tsv"), "is the mapping file itself"),
        (("--look", "map.sssom.tsv"), "is the mapping file itself"),
        (("--releases", "old.terminology", "gone.terminology"), "gone.terminology: no such terminology"),
        (("--releases", "old.terminology", "new.terminology") * 2, "at most twice"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(made, run, monkeypatch, more, said):
    monkeypatch.chdir(made)
    done = run(*asked(made, *more), "--force")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr
    assert not (made / "carried.tsv").exists()
    assert (made / "map.sssom.tsv").read_text() == HEAD + "".join(LINES)


def test_a_file_of_other_terminologies(made, run):
    (made / "map.sssom.tsv").write_text(HEAD + LINES[0].replace("T:1", "Y:1"))
    done = run(*asked(made))
    assert (done.exit_code, "no id of its mappings is in the releases of t 2024" in done.stderr) == (2, True)


def test_a_mapping_file_that_is_not_there(made, run):
    (made / "map.sssom.tsv").unlink()
    (made / "carried.tsv").write_text("before")
    done = run(*asked(made), "--force")
    assert (done.exit_code, "map.sssom.tsv: no such file" in done.stderr) == (2, True)
    assert (made / "carried.tsv").read_text() == "before"


def test_reasons_that_are_as_frequent_come_in_the_order_in_which_they_are_found(made, run):
    assert list(json.loads(run(*asked(made, "--json")).stdout)["reasons"]) == ["merged", "joined", "renamed"]
