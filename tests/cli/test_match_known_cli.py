"""``ontonym match`` with what is known: decisions that are kept, denied, of other names and of former ids."""

from __future__ import annotations

import json

import pytest
from matched import asked, made, written

from ontonym.store.mappings import read_mappings

__all__ = ["made"]


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


def test_a_file_without_mappings_decides_nothing(made, run, tmp_path):
    known, output = tmp_path / "known.sssom.tsv", tmp_path / "map.sssom.tsv"
    known.write_text("subject_id\tpredicate_id\tobject_id\tmapping_justification\n")
    told = json.loads(run(*asked(made, output, "--known", known, "--json")).stdout)
    plain = json.loads(run(*asked(made, output, "--force", "--json")).stdout)
    assert (told["kept"], told["proposed"]) == (0, plain["proposed"]) != (0, 0)


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


def test_where_all_is_decided_there_is_nothing_to_review(made, run, tmp_path, wide):
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
    assert "1 candidate that nobody decided" in refused.stderr
    weak.write_text(weak.read_text().replace("0.1\t", "0.1\tAnna"))
    assert json.loads(run(*asked(made, again, "--known", weak, "--force", "--json")).stdout)["kept"] == 1


def test_what_a_file_says_is_open_is_asked_again(made, run, tmp_path):
    known, output = tmp_path / "known.sssom.tsv", tmp_path / "map.sssom.tsv"
    known.write_text(
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\tconfidence\tauthor_label\tother\n"
        "L:3\tskos:exactMatch\tT:1\tsemapv:LexicalMatching\t0.9\t\tstatus: undecided; assigned to Ann\n"
        "L:1\tskos:exactMatch\tT:2\tsemapv:ManualMappingCuration\t\tAnn\tstatus: disagreed\n"
        "L:4\tskos:exactMatch\tT:2\tsemapv:ManualMappingCuration\t\tAnn\tstatus: mapped\n"
    )
    told = json.loads(run(*asked(made, output, "--known", known, "--json")).stdout)
    assert (told["kept"], told["undecided"], told["concepts"]) == (1, 2, 3)


def test_a_file_that_usagi_saved_is_known_where_it_is_approved(run, tmp_path):
    athena = tmp_path / "CONCEPT.csv"
    head = "concept_id concept_name domain_id vocabulary_id concept_class_id standard_concept concept_code "
    head += "valid_start_date valid_end_date invalid_reason"
    lines = [f"{number}\t{name}\tCondition\tSNOMED\tFinding\tS\t{number}1\t19700101\t20991231\t" for number, name in
             ((30, "Snout pain"), (31, "Tail pain"), (32, "Ear pain"))]  # fmt: skip
    athena.write_text("\n".join([head.replace(" ", "\t"), *lines, ""]))
    assert run("import", athena, "-o", tmp_path / "omop.terminology").exit_code == 0
    assert run("index", tmp_path / "omop.terminology", "-o", tmp_path / "omop.index").exit_code == 0
    saved = tmp_path / "saved.csv"
    saved.write_text(
        "sourceCode,sourceName,sourceFrequency,matchScore,mappingStatus,equivalence,statusSetBy,conceptId,conceptName\n"
        "007,Snout pain,12,0.9,APPROVED,WIDER,ann,31,Tail pain\n"
        "008,Ear pain,-1,0.9,UNCHECKED,UNREVIEWED,,31,Tail pain\n"
    )
    output = tmp_path / "next.usagi.csv"
    done = run("match", saved, tmp_path / "omop.index", "--known", saved, "-o", output, "--mode", "best", "--json")
    told = json.loads(done.stdout)
    assert (told["kept"], told["undecided"], told["proposed"]) == (1, 1, 1), done.stderr
    names = ("subject_id", "predicate_id", "object_id", "author_label")
    assert [tuple(row.get(name) for name in names) for row in read_mappings(output).rows] == [
        ("007", "skos:broadMatch", "OMOP:31", "ann"), ("008", "skos:closeMatch", "OMOP:32", None),
    ]  # fmt: skip


HEAD = "subject_id\tsubject_label\tpredicate_id\tobject_id\tmapping_justification\n"
MANUAL = "skos:exactMatch\tT:1\tsemapv:ManualMappingCuration\n"


@pytest.fixture
def codes(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("code,display\n007,renal failure\n008/1,gout\n009,fits\n")
    return path


@pytest.mark.parametrize(
    ("head", "prefix"),
    [
        ("", "WARD:"),
        ("", "http://hospital.example/codes/"),
        ("", "http://hospital.example/codes?code="),
        ("X:", "WARD:"),
        ("X:", ""),
    ],
)
def test_decisions_hold_whatever_prefix_their_file_gives_the_codes(made, run, tmp_path, codes, head, prefix):
    known, output = tmp_path / "known.sssom.tsv", tmp_path / "map.sssom.tsv"
    known.write_text(
        f"{HEAD}{prefix}007\tRenal failure\t{MANUAL}{prefix}008/1\tgout\t{MANUAL}{prefix}009\tbroken arm\t{MANUAL}"
    )
    source = codes
    if head:
        source = tmp_path / "codes.terminology"
        assert run("import", codes, "-o", source, "--prefix", "X").exit_code == 0
    told = json.loads(run("match", source, made / "ours.index", "-o", output, "--known", known, "--json").stdout)
    assert (told["kept"], told["sourceless"], told["followed"]) == (2, 0, [])
    assert told["relabelled"] == [{"id": f"{head}009", "was": "broken arm", "now": "fits"}]
    kept = [row["subject_id"] for row in read_mappings(output).rows if "Manual" in row["mapping_justification"]]
    assert kept == [f"{head}007", f"{head}008/1"]


@pytest.mark.parametrize("ending", ["r4.json", "r5.json", "sssom.tsv", "csv"])
def test_what_was_written_with_a_name_for_ones_own_codes_is_known_again(made, run, tmp_path, codes, ending):
    first, named = tmp_path / "first.sssom.tsv", tmp_path / f"named.{ending}"
    first.write_text(f"{HEAD}007\tRenal failure\t{MANUAL}008/1\tgout\t{MANUAL}")
    system = ("--system", "local=http://h.example/dx")
    option = {"sssom.tsv": ("--iri", "local=http://h.example/dx/"), "csv": ()}.get(ending, system)
    assert run("export-mappings", first, "-o", named, *option).exit_code == 0
    done = run("match", codes, made / "ours.index", "-o", tmp_path / "m.sssom.tsv", "--known", named, "--json")
    assert json.loads(done.stdout)["kept"] == 2


def test_equal_codes_of_another_list_are_not_the_same(made, run, tmp_path, codes):
    known, output = tmp_path / "known.sssom.tsv", tmp_path / "map.sssom.tsv"
    known.write_text(f"{HEAD}LAB:007\tsodium\t{MANUAL}LAB:009\tpotassium\t{MANUAL}LAB:008/1\t\t{MANUAL}")
    done = run("match", codes, made / "ours.index", "-o", output, "--known", known)
    assert (done.exit_code, output.exists()) == (2, False)
    assert "it maps ids such as LAB:007 to such as T:1, and codes has ids such as 007" in done.stderr


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
