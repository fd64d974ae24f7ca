"""``ontonym match``, as a user types it."""

from __future__ import annotations

import json

import pyoxigraph
import pytest
from matched import asked, made, written

from listed import stored
from made import concept, opened
from ontonym.index import build_index
from ontonym.store import open_terminologies
from ontonym.store.mappings import read_mappings, statements
from ontonym.tasks.match import matching

__all__ = ["made"]


def test_mappings_are_sssom_that_is_read_back(made, run, tmp_path):
    output = tmp_path / "map.sssom.tsv"
    done = run(*asked(made, output, "--candidates", tmp_path / "all.sssom.tsv"))
    assert done.exit_code == 0
    assert "proposed   2 for 4 concepts" in done.stdout
    found = written(output)
    assert [(one.subject_id, one.predicate_id, one.object_id, one.justification) for one in found] == [
        ("L:1", "skos:exactMatch", "T:2", "semapv:LexicalMatching"),
        ("L:2", "skos:exactMatch", "T:1", "semapv:LexicalMatching"),
        ("L:3", "skos:exactMatch", "sssom:NoTermFound", "semapv:UnspecifiedMatching"),
        ("L:4", "skos:exactMatch", "sssom:NoTermFound", "semapv:UnspecifiedMatching"),
    ]
    assert (found[0].subject_label, found[0].object_label) == ("failure of the heart", "heart failure")
    assert found[0].confidence == 1.0
    lines = output.read_text().splitlines()
    assert '#   "T": "urn:ontonym:T:"' in lines
    assert lines[lines.index(next(line for line in lines if not line.startswith("#")))].split("\t")[:3] == [
        "subject_id", "subject_label", "predicate_id",
    ]  # fmt: skip
    assert len(written(tmp_path / "all.sssom.tsv")) > len(found)


def test_modes(made, run, tmp_path):
    told = json.loads(run(*asked(made, tmp_path / "m.tsv", "--mode", "best", "--json")).stdout)
    assert [(one["id"], one["target"]) for one in told["mappings"]] == [
        ("L:1", "T:2"),
        ("L:2", "T:1"),
        ("L:3", "T:1"),
    ]
    told = json.loads(run(*asked(made, tmp_path / "m.tsv", "--mode", "one-to-one", "--force", "--json")).stdout)
    assert sorted(one["target"] for one in told["mappings"]) == ["T:1", "T:2"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--mode", "x"), "unknown mode 'x'"),
        (("--aggregate", "x"), "unknown way to aggregate 'x'"),
        (("--signal", "x"), "unknown signal 'x'"),
        (("--aggregate", "learned"), "the learned score weighs all signals"),
        (("--via", "none.terminology"), "no such terminology"),
        (("--known", "none.tsv"), "none.tsv"),
        (("--known", "strange.tsv"), "no mapping between t1 and"),
        (("--within", "T:9"), "no concept 'T:9'"),
        (("--format", "x"), "unknown format 'x'"),
        (("--format", "omop"), "OMOP's own concept ids are needed"),
        (("--system", "T"), "--system T: expected PREFIX=URL"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(made, run, tmp_path, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    header = "subject_id\tpredicate_id\tobject_id\tmapping_justification"
    (tmp_path / "strange.tsv").write_text(f"{header}\nX:1\tskos:exactMatch\tY:1\tm\n")
    result = run(*asked(made, tmp_path / "out.tsv", *more))
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out.tsv").exists()


def test_mappings_are_judged_and_written_as_rdf(made, run, tmp_path):
    run(*asked(made, tmp_path / "map.rdf", "--iri", "T=http://ours.example#T_", "--iri", "L=http://theirs.example#L_"))
    run(*asked(made, tmp_path / "map.sssom.tsv", "--mode", "best"))
    (tmp_path / "gold.tsv").write_text(
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
        "T:1\tskos:exactMatch\tL:2\tm\nT:2\tskos:exactMatch\tL:1\tm\nT:3\tskos:exactMatch\tL:4\tm\n"
    )
    assert 'entity1 rdf:resource="http://theirs.example#L_1"' in (tmp_path / "map.rdf").read_text()
    ends = {(str(one.predicate.value).rpartition("#")[2], str(getattr(one.object, "value", "")))
            for one in pyoxigraph.parse(path=tmp_path / "map.rdf", format=pyoxigraph.RdfFormat.RDF_XML)}  # fmt: skip
    assert {iri for name, iri in ends if name == "entity1"} == {
        "http://theirs.example#L_1", "http://theirs.example#L_2",
    }  # fmt: skip
    judged = ("evaluate", "matching", tmp_path / "map.rdf", tmp_path / "map.sssom.tsv", tmp_path / "gold.tsv")
    told = json.loads(run(*judged, "--resamples", 99, "--json").stdout)["runs"]
    rdf, best = told["map.rdf"], told["map.sssom.tsv"]
    assert (rdf["found"], rdf["right"], rdf["reference"]) == (2, 2, 3)  # though the gold is the other way round
    assert (best["found"], best["right"]) == (3, 2)
    assert best["measures"]["f1"]["value"] == pytest.approx(4 / 6)
    (tmp_path / "wrong.tsv").write_text(
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\nT:1\tskos:exactMatch\tL:3\tm\n"
    )
    done = run(*judged, "--resamples", 99, "--negatives", tmp_path / "wrong.tsv", "--partial", "-o", tmp_path / "r.md")
    assert "3 pairs of gold.tsv, partial" in done.stdout
    assert "| map.sssom.tsv | 3 | 2 | 1 |" in (tmp_path / "r.md").read_text()
    assert run("evaluate", "matching", tmp_path / "gold.tsv").exit_code == 2
    (tmp_path / "train.tsv").write_text("SrcEntity\tTgtEntity\tScore\nL:2\tT:1\t1.0\n")
    told = json.loads(run(*judged, "--resamples", 99, "--ignore", tmp_path / "train.tsv", "--json").stdout)["runs"]
    assert (told["map.rdf"]["found"], told["map.rdf"]["reference"], told["map.rdf"]["left_out"]) == (1, 2, 1)
    (tmp_path / "old.tsv").write_text((tmp_path / "gold.tsv").read_text().replace("T:1", "T:10"))
    asked_again = (*judged[:3], tmp_path / "old.tsv", "--resamples", 99, "--json")
    assert json.loads(run(*asked_again).stdout)["runs"]["map.rdf"]["right"] == 1
    resolved = json.loads(run(*asked_again, "--resolve", made / "0.terminology").stdout)["runs"]["map.rdf"]
    assert (resolved["right"], resolved["reference"]) == (2, 3)
    refused = run(*asked(made, tmp_path / "x.rdf", "--iri", "T"))
    assert (refused.exit_code, "expected PREFIX=IRI" in refused.stderr) == (2, True)


@pytest.mark.slow
def test_a_table_of_local_codes_is_matched_as_it_is(made, run, tmp_path):
    codes = tmp_path / "codes.csv"
    codes.write_text('source_code,source_name,frequency\nL1,renal failure,"1,200"\nL2,cardiac failure,7\nL3,gout,1\n')
    output = tmp_path / "codes.sssom.tsv"
    done = run("match", codes, made / "ours.index", "-o", output, "--mode", "best", "--jobs", 2)
    assert done.exit_code == 0, done.stderr
    assert {one.ends for one in statements(output)} == {("L1", "T:1"), ("L2", "T:2")}
    assert "\t1200\t" in output.read_text() or "\t1200\n" in output.read_text()
    again = run("match", codes, made / "ours.index", "-o", tmp_path / "more.tsv", "--known", output, "--json")
    assert (json.loads(again.stdout)["kept"], json.loads(again.stdout)["concepts"]) == (2, 1)
    assert not (tmp_path / "codes.sssom.tsv.unfinished").exists()
    codes.write_text("source_code,source_name,frequency\nL1,renal failure,often\n")
    refused = run("match", codes, made / "ours.index", "-o", output)
    assert refused.exit_code == 2


def test_sides_that_cannot_be_matched_are_told(made, run, tmp_path):
    output = tmp_path / "out.tsv"
    same = run("match", made / "0.terminology", made / "ours.index", "-o", output)
    assert (same.exit_code, "both sides are the same" in same.stderr) == (2, True)
    assert not output.exists()
    (tmp_path / "half.csv").write_text("code,name\nT:1,kidney failure\nL:8,cardiac failure\n")
    told = run("match", tmp_path / "half.csv", made / "ours.index", "-o", output, "--mode", "best")
    assert "not asked  1 id on both sides" in told.stdout


def test_broader_matches_and_those_against_the_hierarchies_are_told(run, tmp_path, encoder):
    ours = [concept("T:1", "asthma"), concept("T:2", "lung disease", parents="T:1")]
    theirs = [concept("L:1", "asthma", parents="L:2"), concept("L:2", "lung disease"),
              concept("L:3", "quite another matter", parents="L:1")]  # fmt: skip
    with opened(tmp_path, ours, theirs) as (target, _):
        build_index([target], tmp_path / "t.index", encoder=encoder)
    output = tmp_path / "out.tsv"
    done = run("match", tmp_path / "1.terminology", tmp_path / "t.index", "-o", output, "--aggregate", "max",
               "--signal", "lexical", "--related")  # fmt: skip
    assert "turn the hierarchies against others" in done.stdout
    assert "related    1 broader, 0 narrower" in done.stdout
    found = {one.subject_id: one for one in written(output)}
    assert {id_: (one.predicate_id, one.object_id, one.justification) for id_, one in found.items()} == {
        "L:1": ("skos:exactMatch", "T:1", "semapv:LexicalMatching"),
        "L:2": ("skos:exactMatch", "T:2", "semapv:LexicalMatching"),
        "L:3": ("skos:broadMatch", "T:1", "semapv:StructuralMatching"),
    }
    assert "turns the hierarchies against 1 other mapping" in output.read_text()


@pytest.mark.parametrize("batches", [0, 1])
def test_an_interrupted_match_says_how_to_go_on(made, run, tmp_path, monkeypatch, batches):
    find = matching.CandidateFinder.__call__
    left = iter(range(batches))

    def interrupted(self, batch):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return find(self, batch)

    output = tmp_path / "map.sssom.tsv"
    monkeypatch.setattr(matching, "_AT_ONCE", 1)
    monkeypatch.setattr(matching, "_KEPT_AT_ONCE", 1)
    with monkeypatch.context() as patched:
        patched.setattr(matching.CandidateFinder, "__call__", interrupted)
        done = run(*asked(made, output))
    assert (done.exit_code, "--resume goes on from there" in done.stderr) == (130, bool(batches))
    assert not output.exists()
    assert (tmp_path / "map.sssom.tsv.unfinished").is_dir()
    refused = run(*asked(made, output, "-k", 3, "--resume"))
    assert (refused.exit_code, "with other options" in refused.stderr) == (2, True)
    assert run(*asked(made, output, "--resume")).exit_code == 0
    assert not (tmp_path / "map.sssom.tsv.unfinished").exists()


def test_mappings_to_several_releases_claim_no_version_of_one(made, run, tmp_path, encoder):
    stored(tmp_path / "other.terminology", [concept("O:1", "cold")], "other", "2026")
    with open_terminologies([made / "0.terminology", tmp_path / "other.terminology"]) as both:
        build_index(both, tmp_path / "both.index", encoder=encoder)
    of = {}
    for name, index in (("one", made / "ours.index"), ("both", tmp_path / "both.index")):
        run("match", made / "1.terminology", index, "-o", tmp_path / f"{name}.sssom.tsv")
        of[name] = read_mappings(tmp_path / f"{name}.sssom.tsv").slots
    assert (of["one"]["object_source_version"], "object_source_version" in of["both"]) == ("1", False)
    assert "other 2026" in of["both"]["mapping_set_title"]
