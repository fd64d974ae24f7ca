"""``ontonym match``, as a user types it."""

from __future__ import annotations

import json

import pyoxigraph
import pytest

from listed import stored
from made import concept, opened
from ontonym.index import build_index
from ontonym.ontology.formats import read_release
from ontonym.store import open_terminologies
from ontonym.store.mappings import read_mappings, statements
from ontonym.tasks.match import matching

OURS = [
    concept("T:1", "kidney failure", "renal failure", alternative_ids="T:10"),
    concept("T:2", "heart failure", "cardiac failure"),
    concept("T:3", "lung disease"),
]
THEIRS = [
    concept("L:1", "failure of the heart", "Cardiac failure"),
    concept("L:2", "renal failure"),
    concept("L:3", "renal failures"),
    concept("L:4", "unheard of"),
    concept("L:5", "gone", status="retired"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory, encoder):
    folder = tmp_path_factory.mktemp("match")
    with opened(folder, OURS, THEIRS) as (ours, _):
        build_index([ours], folder / "ours.index", encoder=encoder)
    return folder


def asked(made, output, *more):
    return (
        "match",
        made / "1.terminology",
        made / "ours.index",
        "-o",
        output,
        "--aggregate",
        "max",
        "--signal",
        "lexical",
        "--threshold",
        0.5,
        *more,
    )


def written(path):
    """What our own reader makes of the file."""
    release = read_release([path])
    found = [mapping for one in release.concepts() for mapping in one.mappings]
    assert release.counts.malformed == 0
    return found


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


def test_what_is_known_is_kept_and_what_is_denied_never_proposed(made, run, tmp_path):
    known = tmp_path / "known.sssom.tsv"
    known.write_text(
        "subject_id\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification\n"
        "L:3\tskos:exactMatch\t\tT:1\tsemapv:ManualMappingCuration\n"
        "L:1\tskos:exactMatch\tNot\tT:2\tsemapv:ManualMappingCuration\n"
    )
    output = tmp_path / "map.sssom.tsv"
    told = json.loads(run(*asked(made, output, "--known", known, "--json")).stdout)
    assert (told["concepts"], told["kept"], told["proposed"]) == (3, 1, 0)  # T:1 is taken, T:2 denied
    kept, *unmatched = written(output)
    assert [one.object_id for one in unmatched] == ["sssom:NoTermFound"] * 3
    assert (kept.subject_id, kept.object_id, kept.justification) == ("L:3", "T:1", "semapv:ManualMappingCuration")


def test_a_decision_on_a_concept_with_another_name_is_not_kept(made, run, tmp_path):
    known, output = tmp_path / "known.sssom.tsv", tmp_path / "map.sssom.tsv"
    head = "subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification\n"
    known.write_text(
        f"{head}L:1\tbroken arm\tskos:exactMatch\t\tT:1\tsemapv:ManualMappingCuration\n"
        "L:2\tbroken leg\tskos:exactMatch\tNot\tT:1\tsemapv:ManualMappingCuration\n"
        "L:3\t\tskos:exactMatch\t\tT:3\tsemapv:ManualMappingCuration\n"
    )
    done = run(*asked(made, output, "--known", known))
    assert "known under another name: matched again\n  L:1 was “broken arm” and is now “failure of the heart”" in (
        done.stdout
    )
    assert "kept       1 known, 0 denied" in done.stdout
    told = json.loads(run(*asked(made, output, "--known", known, "--force", "--json")).stdout)
    assert told["relabelled"] == [
        {"id": "L:1", "was": "broken arm", "now": "failure of the heart"},
        {"id": "L:2", "was": "broken leg", "now": "renal failure"},
    ]
    assert {one.subject_id: (one.object_id, one.justification) for one in written(output)} == {
        "L:1": ("T:2", "semapv:LexicalMatching"),
        "L:2": ("T:1", "semapv:LexicalMatching"),
        "L:3": ("T:3", "semapv:ManualMappingCuration"),
        "L:4": ("sssom:NoTermFound", "semapv:UnspecifiedMatching"),
    }
    known.write_text(f"{head}L:1\tFailure, of the HEART\tskos:exactMatch\t\tT:1\tsemapv:ManualMappingCuration\n")
    told = json.loads(run(*asked(made, output, "--known", known, "--force", "--json")).stdout)
    assert (told["kept"], told["relabelled"]) == (1, [])


def test_known_decisions_on_former_ids_and_on_concepts_of_neither_side_are_told(made, run, tmp_path):
    known, output = tmp_path / "known.sssom.tsv", tmp_path / "map.sssom.tsv"
    known.write_text(
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
        "L:3\tskos:exactMatch\tT:10\tsemapv:ManualMappingCuration\n"
        "L:1\tskos:exactMatch\tT:99\tsemapv:ManualMappingCuration\n"
        "T:2\tskos:exactMatch\tL:98\tsemapv:ManualMappingCuration\n"
        "L:99\tskos:exactMatch\tT:1\tsemapv:ManualMappingCuration\n"
    )
    done = run(*asked(made, output, "--known", known))
    for said in (
        "no source  2 of the known ones left out: the source has no such concept",
        "no target  1 of the known ones left out: the index has no such concept",
        "kept, with the successor of a retired or merged id\n  L:3: T:10 is now T:1",
        "left out, because the source has no such concept\n  T:2  = L:98\n  L:99  = T:1",
        "left out, because the index has no such concept: matched again, if not decided elsewhere\n  L:1  = T:99",
    ):
        assert said in done.stdout
    told = json.loads(run(*asked(made, output, "--known", known, "--force", "--json")).stdout)
    assert (told["kept"], told["sourceless"], told["targetless"]) == (1, 2, 1)
    assert told["followed"] == [{"id": "L:3", "was": "T:10", "now": "T:1"}]
    assert [one["object_id"] for one in told["gone"]] == ["L:98", "T:1", "T:99"]


def test_where_all_is_decided_there_is_nothing_to_review(made, run, tmp_path):
    known, output, every = (tmp_path / f"{name}.sssom.tsv" for name in ("known", "map", "all"))
    known.write_text("subject_id\tpredicate_id\tobject_id\tmapping_justification\n" + "".join(
        f"L:{number}\tskos:exactMatch\tsssom:NoTermFound\tsemapv:ManualMappingCuration\n" for number in range(1, 5)
    ))  # fmt: skip
    done = run(*asked(made, output, "--known", known, "--candidates", every))
    assert f"to review  {every}  (" in done.stdout
    assert "proposed   0 for 0 concepts in" in done.stdout
    assert (" s:" in done.stdout, "next:" in done.stdout) == (False, False)


def test_a_second_file_may_repeat_what_the_first_has(made, run, tmp_path):
    known = tmp_path / "known.sssom.tsv"
    known.write_text("subject_id\tpredicate_id\tobject_id\tmapping_justification\nL:3\tskos:exactMatch\tT:1\tm\n")
    done = run(*asked(made, tmp_path / "map.sssom.tsv", "--known", known, "--known", known))
    assert done.exit_code == 0, done.stderr


def test_candidates_that_nobody_decided_are_not_known(made, run, tmp_path):
    every, again = tmp_path / "all.sssom.tsv", tmp_path / "again.sssom.tsv"
    run(*asked(made, tmp_path / "map.sssom.tsv", "--candidates", every))
    told = json.loads(run(*asked(made, again, "--known", every, "--json")).stdout)
    assert told["undecided"] > 0
    assert all(one.confidence is None or one.confidence >= 0.3 for one in written(again))
    weak = tmp_path / "weak.sssom.tsv"
    weak.write_text(
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\tconfidence\treviewer_label\n"
        "L:3\tskos:exactMatch\tT:1\tsemapv:LexicalMatching\t0.1\t\n"
    )
    refused = run(*asked(made, again, "--known", weak, "--force"))
    assert refused.exit_code == 2
    assert "1 candidate below 0.3 that nobody decided" in refused.stderr
    weak.write_text(weak.read_text().replace("0.1\t", "0.1\tAnna"))
    assert json.loads(run(*asked(made, again, "--known", weak, "--force", "--json")).stdout)["kept"] == 1


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
        (("--format", "omop"), "SOURCE_TO_CONCEPT_MAP wants OMOP's own concept ids"),
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


def test_what_is_known_has_the_frequency_that_its_code_has_now(made, run, tmp_path):
    codes = tmp_path / "codes.csv"
    codes.write_text("source_code,source_name,frequency\nL1,renal failure,1200\nL3,gout,1\n")
    known = "subject_id\tpredicate_id\tobject_id\tmapping_justification\text_frequency\n"
    known += "L1\tskos:exactMatch\tT:1\tsemapv:ManualMappingCuration\t3\n"
    (tmp_path / "known.tsv").write_text(known)
    output = tmp_path / "out.sssom.tsv"
    done = run("match", codes, made / "ours.index", "-o", output, "--known", tmp_path / "known.tsv")
    assert done.exit_code == 0, done.stderr
    rows = {row["subject_id"]: row.get("ext_frequency") for row in read_mappings(output).rows}
    assert rows == {"L1": "1200", "L3": "1"}


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


def test_what_is_known_keeps_who_said_it_and_settles_what_has_no_match(made, run, tmp_path):
    known = tmp_path / "known.sssom.tsv"
    known.write_text(
        "#curie_map:\n#  orcid: https://orcid.org/\n"
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\tauthor_id\tcomment\n"
        "L:2\tskos:broadMatch\tT:2\tsemapv:ManualMappingCuration\torcid:1\tseen\n"
        "T:10\tskos:narrowMatch\tL:3\tsemapv:ManualMappingCuration\torcid:1\t\n"
        "L:4\tskos:exactMatch\tsssom:NoTermFound\tsemapv:ManualMappingCuration\t\t\n"
    )
    output = tmp_path / "map.sssom.tsv"
    told = json.loads(run(*asked(made, output, "--known", known, "--json")).stdout)
    assert (told["concepts"], told["kept"], told["proposed"]) == (1, 3, 1)  # T:2 is free: only a broader one
    rows = {row["subject_id"]: row for row in read_mappings(output).rows}
    assert (rows["L:2"]["author_id"], rows["L:2"]["comment"]) == ("orcid:1", "seen")
    assert (rows["L:3"]["predicate_id"], rows["L:3"]["object_id"]) == (
        "skos:broadMatch",
        "T:1",
    )  # turned round, renamed
    assert rows["L:4"]["object_id"] == "sssom:NoTermFound"
    assert rows["L:1"]["object_id"] == "T:2"


@pytest.mark.parametrize("batches", [0, 1])
def test_an_interrupted_match_says_how_to_go_on(made, run, tmp_path, monkeypatch, batches):
    asking = matching.Asking.__call__
    left = iter(range(batches))

    def interrupted(self, index):
        work = asking(self, index)

        def answer(batch):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return work(batch)

        return answer

    output = tmp_path / "map.sssom.tsv"
    monkeypatch.setattr(matching, "_AT_ONCE", 1)
    monkeypatch.setattr(matching, "_KEPT_AT_ONCE", 1)
    with monkeypatch.context() as patched:
        patched.setattr(matching.Asking, "__call__", interrupted)
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


def test_a_kept_decision_names_the_release_that_its_id_is_of_now(made, run, tmp_path):
    known, output = tmp_path / "known.sssom.tsv", tmp_path / "map.sssom.tsv"
    known.write_text(
        "subject_id\tpredicate_id\tobject_id\tobject_source_version\tmapping_justification\n"
        "L:3\tskos:exactMatch\tT:10\t0.9\tsemapv:ManualMappingCuration\n"
        "L:4\tskos:exactMatch\tsssom:NoTermFound\t0.9\tsemapv:ManualMappingCuration\n"
    )
    run(*asked(made, output, "--known", known))
    read = read_mappings(output)
    kept = {row["subject_id"]: row for row in read.rows if "Manual" in row["mapping_justification"]}
    versions = {
        id_: row.get("object_source_version") or read.slots["object_source_version"] for id_, row in kept.items()
    }
    assert (kept["L:3"]["object_id"], versions) == ("T:1", {"L:3": "1", "L:4": "0.9"})
