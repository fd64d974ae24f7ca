"""``ontonym review``, as a user types it, and the circle from matching to matching."""

from __future__ import annotations

import csv
import json
import sys

import pytest

from made import concept, opened
from ontonym.index import build_index
from ontonym.ontology.formats import read_release
from ontonym.tasks.review import read_journal
from reviewed import CANDIDATES, begun, laid_out, play

ORCID = "orcid:0000-0002-1825-0097"


def rows_of(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def test_a_target_that_is_proposed_for_another_concept_says_so(run, tmp_path):
    row = "L:6\tkidneys fail\tskos:exactMatch\t\tT:1\trenal failure\tsemapv:LexicalMatching\t0.9\t\t\t\t\n"
    path = laid_out(tmp_path, CANDIDATES + row)
    (tmp_path / "props.sssom.tsv").write_text("".join(CANDIDATES.splitlines(keepends=True)[:4]))
    run("review", "start", path, "--proposals", tmp_path / "props.sssom.tsv", "-o", tmp_path / "s.review")
    listed = run("review", "list", tmp_path / "s.review").stdout
    assert "0.90  T:1  renal failure  (proposed for L:1)\n" in listed
    assert "→ 0.95  T:1  renal failure\n" in listed
    assert listed.count("(proposed for") == 1


def test_a_review_from_start_to_export(run, tmp_path):
    laid_out(tmp_path)
    state = tmp_path / "s.review"
    done = run("review", "start", tmp_path / "all.sssom.tsv", "-o", state)
    assert (done.exit_code, "5 source concepts with 6 candidates" in done.stdout) == (0, True)
    listed = run("review", "list", state, "-n", 2)
    assert "0 of 5 decided (0%)" in listed.stdout
    assert listed.stdout.index("L:2  heart failure  100×") < listed.stdout.index("L:4  nosebleed")
    assert "→ 0.60  T:3  cardiac failure" in listed.stdout
    decided = run("review", "decide", state, "L:2", "accept", "--reviewer", ORCID, "--comment", "sure")
    assert decided.stdout == f"L:2 heart failure: {ORCID}: exact T:3 cardiac failure\n"
    run("review", "decide", state, "L:5", "accept", "--reviewer", "anna")
    run("review", "decide", state, "L:1", "reject", "T:2", "--reviewer", "anna")
    run("review", "decide", state, "L:3", "none", "--reviewer", "anna")
    told = json.loads(run("review", "list", state, "--filter", "all", "--json").stdout)
    assert told["progress"] == {"items": 5, "mapped": 2, "none": 1, "disagreed": 0, "undecided": 2}
    second = next(one for one in told["items"] if one["id"] == "L:2")
    assert (second["status"], second["comments"][0]["text"], second["frequency"]) == ("mapped", "sure", 100)
    out = tmp_path / "out.sssom.tsv"
    exported = run("review", "export", state, "-o", out)
    assert "5 rows (2 rejected, 2 mapped, 1 with no match)" in exported.stdout
    told = run("review", "export", state, "-o", tmp_path / "out.rdf", "--iri", "L=http://l.example/").stdout
    assert "out.rdf: 2 of 5 rows (2 rejected, 2 mapped, 1 with no match)" in told
    assert (tmp_path / "out.rdf").read_text().count("<Cell>") == 2
    rows = rows_of(out)
    assert [(r["subject_id"], r["predicate_id"], r["predicate_modifier"], r["object_id"]) for r in rows] == [
        ("L:1", "skos:exactMatch", "Not", "T:2"),
        ("L:2", "skos:exactMatch", "", "T:3"),
        ("L:3", "skos:exactMatch", "", "sssom:NoTermFound"),
        ("L:3", "skos:exactMatch", "Not", "T:5"),
        ("L:5", "skos:broadMatch", "", "T:6"),
    ]
    assert {row["mapping_justification"] for row in rows} == {"semapv:ManualMappingCuration"}
    assert (rows[1]["author_id"], rows[1]["author_label"], rows[1]["comment"]) == (ORCID, "", f"{ORCID}: sure")
    assert (rows[4]["author_id"], rows[4]["author_label"]) == ("", "anna")
    assert [row["ext_frequency"] for row in rows] == ["10", "100", "", "", "1"]
    assert rows[1]["mapping_date"] == read_journal(state).events[0].time[:10]
    assert '# license: "https://example.org/free"' in out.read_text()
    assert read_release([out]).counts.malformed == 0
    run("review", "export", state, "-o", out, "--all", "--force")
    others = {row["subject_id"]: row["other"] for row in rows_of(out)}
    assert others["L:4"] == "status: undecided"
    assert others["L:2"] == "status: mapped"
    undecided = [row for row in rows_of(out) if "undecided" in row["other"] and row["subject_id"] == "L:1"]
    assert [(row["object_id"], row["predicate_modifier"]) for row in undecided] == [("T:2", "Not"), ("T:1", "")]


def test_codes_without_a_candidate_are_told(run, tmp_path):
    laid_out(tmp_path)
    (tmp_path / "f.csv").write_text("id,frequency\nL:1,7\nL:8,90\n")
    asked = ("review", "start", tmp_path / "all.sssom.tsv", "--frequencies", tmp_path / "f.csv", "-o")
    assert "without a candidate: L:8" in run(*asked, tmp_path / "a.review").stdout
    assert json.loads(run(*asked, tmp_path / "b.review", "--json").stdout)["without_candidates"] == ["L:8"]


def test_decisions_on_what_is_no_candidate_any_more_are_told(run, tmp_path):
    state = begun(tmp_path)
    play(state, "anna", [("exact", "L:1", "T:1"), ("none", "L:2", ""), ("comment", "L:3", "ask")])
    lines = (tmp_path / "all.sssom.tsv").read_text().splitlines(keepends=True)
    (tmp_path / "new.sssom.tsv").write_text("".join(line for line in lines if not line.startswith("L:2\t")))
    asked = ("review", "start", tmp_path / "new.sssom.tsv", "--decided", state, "-o")
    done = run(*asked, tmp_path / "a.review")
    assert "taken over   decisions on 1 of 2 source concepts; not among the candidates: L:2\n" in done.stdout
    told = json.loads(run(*asked, tmp_path / "b.review", "--json").stdout)
    assert (told["taken_over"], told["not_taken_over"]) == (1, ["L:2"])


def test_decisions_on_what_is_called_otherwise_now_are_not_taken_over(run, tmp_path):
    state = begun(tmp_path)
    play(state, "anna", [("exact", "L:1", "T:1"), ("none", "L:2", ""), ("comment", "L:3", "ask")])
    old, new = tmp_path / "all.sssom.tsv", tmp_path / "new.sssom.tsv"
    new.write_text(
        old.read_text().replace("heart failure", "chart failure").replace("kidney failure", "Kidney-Failure")
    )
    asked = ("review", "start", new, "--decided", state, "-o")
    done = run(*asked, tmp_path / "a.review")
    assert "taken over   decisions on 1 of 2 source concepts; called otherwise now: L:2\n" in done.stdout
    assert [event.source for event in read_journal(tmp_path / "a.review").events] == ["L:1", "L:3"]
    old.write_text(new.read_text())  # made again in its place: nobody knows what it called them
    told = " ".join(run(*asked, tmp_path / "b.review").stdout.split())
    assert "decisions on 2 of 2 source concepts; which of them are called otherwise now is not known" in told


def test_a_target_that_the_index_has_not_is_an_error_with_its_line(run, tiny, tmp_path):
    state, sheet = begun(tmp_path), tmp_path / "s.csv"
    sheet.write_text("source_id,target_id,decision\nL:1,T:3,x\nL:2,T:77,x\n")
    done = run("review", "sheet", state, "--read", sheet, "--index", tiny / "tiny.index")
    assert (done.exit_code, "s.csv:3: no concept 'T:77' in tiny" in done.stderr) == (2, True), done.stderr
    assert not read_journal(state).events


def test_undo_begins_with_the_decision_and_not_with_its_comment(run, tmp_path):
    state = begun(tmp_path)
    run("review", "decide", state, "L:1", "exact", "T:1", "--comment", "as in 2020", "--reviewer", "anna")
    assert run("review", "undo", state, "--reviewer", "anna").stdout.startswith("undone: L:1: decide exact T:1")
    assert [one.verdict for one in read_journal(state).events if one.did == "decide"] == ["exact"]
    assert run("review", "undo", state, "--reviewer", "anna").stdout == "undone: L:1: comment as in 2020\n"
    assert (
        run("review", "undo", state, "--redo", "--reviewer", "anna").stdout == "done again: L:1: comment as in 2020\n"
    )


def test_undo_assign_and_comment(run, tmp_path, monkeypatch):
    monkeypatch.setenv("ONTONYM_REVIEWER", "anna")
    state = begun(tmp_path)
    assert run("review", "undo", state).exit_code == 1
    run("review", "decide", state, "L:1", "exact", "T:50", "--label", "of my own")
    assert run("review", "undo", state).stdout == "undone: L:1: decide exact T:50 of my own\n"
    assert run("review", "undo", state, "--redo").stdout.startswith("done again: L:1")
    assert run("review", "undo", state, "--redo").exit_code == 1
    done = run("review", "assign", state, "--to", "anna", "--to", "ben")
    assert done.stdout == "4 source concepts for anna, ben; 4 of them newly so\n"
    assert "newly so" in run("review", "assign", state, "L:1", "--to", "ben").stdout
    mine = json.loads(run("review", "list", state, "--filter", "assigned", "--json").stdout)
    assert [one["id"] for one in mine["items"]] == ["L:2", "L:3"]  # by turns, the most urgent first
    assert run("review", "decide", state, "L:2", "skip").exit_code == 0
    assert run("review", "decide", state, "L:2", "comment", "--comment", "ask").exit_code == 0
    listed = json.loads(run("review", "list", state, "--json").stdout)["items"]
    assert (listed[-1]["id"], listed[-1]["comments"][0]["text"]) == ("L:2", "ask")


def test_a_frequency_of_one_is_known(run, tmp_path):
    head = "subject_id\tsubject_label\tpredicate_id\tobject_id\tmapping_justification\text_frequency\n"
    rows = "".join(f"L:{n}\tx\tskos:exactMatch\tT:1\tsemapv:LexicalMatching\t{n}\n" for n in (1, 2))
    (tmp_path / "found.sssom.tsv").write_text("#curie_map:\n#  L: https://l/\n#  T: https://t/\n" + head + rows)
    done = run("review", "start", tmp_path / "found.sssom.tsv", "-o", tmp_path / "r.review")
    assert "frequencies of 2 of them" in " ".join(done.stdout.split()), done.output


def test_codes_without_their_prefix_are_those_of_the_table_that_was_matched(run, tmp_path):
    state, more = begun(tmp_path), tmp_path / "counts.csv"
    assert run("review", "decide", state, "2", "accept").stdout.startswith("L:2 heart failure: ")
    assert run("review", "assign", state, "4", "--to", "ben").exit_code == 0
    assert [(event.did, event.source) for event in read_journal(state).events] == [("decide", "L:2"), ("assign", "L:4")]
    assert "no source concept '9'" in run("review", "decide", state, "9", "none").stderr
    more.write_text("id,frequency\n3,700\n9,5\n")
    done = run("review", "start", tmp_path / "all.sssom.tsv", "--frequencies", more, "-o", tmp_path / "more.review")
    assert done.exit_code == 0, done.stderr
    assert "a candidate: 9\n" in done.output
    assert "L:3  red hair  700×" in run("review", "list", tmp_path / "more.review", "--filter", "all").stdout


def test_merging_lists_disagreements(run, tmp_path):
    pytest.importorskip("sklearn")
    paths = [begun(tmp_path, "a.review"), begun(tmp_path, "b.review")]
    play(paths[0], "anna", [("exact", "L:1", "T:1"), ("none", "L:2", "")])
    play(paths[1], "ben", [("exact", "L:1", "T:1"), ("exact", "L:2", "T:3")])
    both = tmp_path / "both.review"
    done = run("review", "merge", *paths, "-o", both)
    assert done.exit_code == 1
    assert "anna and ben: the same on 1 of 2 that both decided alone (50%), Cohen's kappa 0.00" in done.stdout
    assert "ben: exact T:3 cardiac failure" in done.stdout
    assert "error: 1 disagreement" in done.stderr
    told = json.loads(run("review", "merge", both, "--json").stdout)
    assert [one["source"] for one in told["disagreements"]] == ["L:2"]
    assert told["agreement"] == [{"reviewers": ["anna", "ben"], "both": 2, "same": 1, "kappa": 0.0}]
    out = tmp_path / "out.tsv"
    assert "what reviewers disagree on is left out" in run("review", "export", both, "-o", out).stdout
    assert [row["subject_id"] for row in rows_of(out)] == ["L:1"]
    assert rows_of(out)[0]["author_label"] == "anna|ben"
    run("review", "decide", both, "L:2", "none", "--reviewer", "ben")
    assert run("review", "merge", both, "-o", both).exit_code == 0


def test_a_torn_line_is_told(run, tmp_path):
    state = begun(tmp_path)
    play(state, "anna", [("none", "L:1", ""), ("none", "L:2", "")])
    state.write_bytes(state.read_bytes()[:-20])
    looked = run("review", "list", state)
    assert "the last line of" in looked.stderr
    assert "1 of 5 decided" in looked.stdout
    done = run("review", "decide", state, "L:3", "none")
    assert "is kept in" in done.stderr
    assert (tmp_path / "one.review.torn").exists()
    assert "2 of 5 decided" in run("review", "list", state).stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "none.review"), "none.review: no such review. Begin one: `ontonym review start`"),
        (("list", "one.review", "--filter", "x"), "unknown filter 'x'"),
        (("decide", "one.review", "L:1", "x"), "unknown verdict 'x'"),
        (("decide", "one.review", "L:3", "accept"), "L:3: nothing is proposed: say what it is mapped to"),
        (("decide", "one.review", "L:1", "accept", "T:9"), "L:1: T:9 is no candidate"),
        (("decide", "one.review", "L:1", "comment"), "L:1: the comment is empty"),
        (("decide", "one.review", "L:1", "none", "--reviewer", " "), "a reviewer needs a name"),
        (("sheet", "one.review"), "either written or read"),
        (("sheet", "one.review", "--read", "gone.csv"), "gone.csv: cannot be read"),
        (("assign", "one.review", "--to", "a", "--to", "a"), "the same reviewer twice"),
        (("start", "all.sssom.tsv", "-o", "one.review"), "is there already"),
        (("start", "gone.tsv", "-o", "new.review"), "gone.tsv"),
        (("open", "one.review"), "the screen needs a terminal"),
        (("open", "one.review", "--filter", "x"), "unknown filter 'x'"),
        (("reopen",), "unknown command 'reopen'. Did you mean 'open'"),
    ],
)
def test_errors_are_one_line(run, tmp_path, monkeypatch, arguments, said):
    begun(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = run("review", *arguments)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr
    assert not (tmp_path / "new.review").exists()


def test_without_textual_it_is_said_what_to_install(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ontonym.serve.screen.app", None)
    done = run("review", "open", begun(tmp_path))
    assert (done.exit_code, done.stderr) == (
        2, "error: the screen of a review needs textual, which is not installed. Type: pip install 'ontonym[review]'\n",
    )  # fmt: skip


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_exports_pass_the_validation_of_sssom(run, tmp_path):
    parsers, validators = pytest.importorskip("sssom.parsers"), pytest.importorskip("sssom.validators")
    state, out = begun(tmp_path), tmp_path / "out.sssom.tsv"
    play(
        state, ORCID, [("exact", "L:1", "T:1"), ("none", "L:3", ""), ("reject", "L:2", "T:3"), ("broad", "L:5", "T:6")]
    )
    play(state, "anna", [("exact", "L:1", "T:1"), ("comment", "L:1", "yes")])
    for more in ((), ("--all",)):
        run("review", "export", state, "-o", out, *more)
        read = parsers.parse_sssom_table(str(out))
        assert len(read.df) == len(rows_of(out))
        found = validators.validate(read, fail_on_error=False)
        assert {str(kind): [one.message for one in report.results] for kind, report in found.items()} == {
            str(kind): [] for kind in found
        }


def test_the_circle_from_matching_to_matching(run, tmp_path, encoder):
    ours = [concept("T:1", "renal failure"), concept("T:2", "heart failure"), concept("T:3", "lung failure")]
    theirs = [concept("L:1", "renal failure"), concept("L:2", "heart failure"), concept("L:3", "lung failure"),
              concept("L:4", "failure")]  # fmt: skip
    with opened(tmp_path, ours, theirs) as (one, _):
        build_index([one], tmp_path / "ours.index", encoder=encoder)
    match = ("match", tmp_path / "1.terminology", tmp_path / "ours.index", "--aggregate", "max", "--signal", "lexical",
             "--mode", "best", "--threshold", 0.1)  # fmt: skip
    everything, proposals = tmp_path / "all.sssom.tsv", tmp_path / "p.sssom.tsv"
    told = json.loads(run(*match, "-o", proposals, "--candidates", everything, "--json").stdout)
    assert {one["id"]: one["target"] for one in told["mappings"]}.items() >= {("L:1", "T:1"), ("L:2", "T:2")}
    state, known = tmp_path / "s.review", tmp_path / "known.sssom.tsv"
    run("review", "start", everything, "--proposals", proposals, "-o", state)
    run("review", "decide", state, "L:1", "accept")
    run("review", "decide", state, "L:2", "reject", "T:2")
    run("review", "decide", state, "L:4", "none")
    assert run("review", "export", state, "-o", known).exit_code == 0
    again = tmp_path / "again.sssom.tsv"
    told = json.loads(
        run(*match, "-o", again, "--known", known, "--candidates", everything, "--force", "--json").stdout
    )
    assert (told["kept"], told["concepts"]) == (2, 2)  # a mapping, and that there is none for L:4
    pairs = {(row["subject_id"], row["object_id"]) for row in rows_of(everything)}
    assert ("L:2", "T:2") not in pairs  # denied: never proposed again
    assert not {pair for pair in pairs if pair[0] == "L:4"}  # nothing fits: not asked for either
    assert not {pair for pair in pairs if pair[0] == "L:1"}  # decided: not asked for
    kept = {row["subject_id"]: row["object_id"] for row in rows_of(again)}
    assert kept["L:1"] == "T:1"
    assert kept["L:4"] == "sssom:NoTermFound"


def test_codes_without_a_prefix_keep_their_names_all_the_way(run, tmp_path, encoder):
    codes = tmp_path / "codes.csv"
    codes.write_text("source_code,source_name,frequency\nA1,renal failure,7\nB 2,heart failure,9\nC3,gout,1\n")
    with opened(tmp_path, [concept("T:1", "renal failure"), concept("T:2", "heart failure")]) as (target,):
        build_index([target], tmp_path / "t.index", encoder=encoder)
    match = ("match", codes, tmp_path / "t.index", "--aggregate", "max", "--signal", "lexical", "--mode", "best")
    everything, proposals, state = tmp_path / "all.sssom.tsv", tmp_path / "p.sssom.tsv", tmp_path / "s.review"
    assert run(*match, "-o", proposals, "--candidates", everything).exit_code == 0
    run("review", "start", everything, "--proposals", proposals, "-o", state)
    listed = json.loads(run("review", "list", state, "--json").stdout)
    assert "B 2" in json.dumps(listed)
    assert "local:" not in json.dumps(listed)
    assert run("review", "decide", state, "B 2", "accept").exit_code == 0
    known = tmp_path / "known.sssom.tsv"
    assert run("review", "export", state, "-o", known).exit_code == 0
    told = json.loads(run(*match, "-o", tmp_path / "again.sssom.tsv", "--known", known, "--json").stdout)
    assert (told["kept"], [one["id"] for one in told["mappings"]]) == (1, ["A1"])
