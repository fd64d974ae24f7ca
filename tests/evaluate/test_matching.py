"""Mappings judged by a reference: beside scikit-learn, and by hand where pairs are ignored, denied or not spoken of."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from ontonym.errors import FormatError, InputError
from ontonym.evaluate.matching import (
    Alignment,
    MatchingOptions,
    evaluate_mapping_files,
    evaluate_matching,
    read_alignment,
)
from ontonym.evaluate.significance import BootstrapOptions

QUICK = BootstrapOptions(unit="mention", resamples=199)


@pytest.mark.parametrize("seed", range(6))
def test_precision_recall_and_f1_are_scikit_learns(seed):
    generator = np.random.default_rng(seed)
    every = [(f"S{one}", f"T{other}") for one in range(12) for other in range(8)]
    gold, found = (generator.random(len(every)) < 0.2 for _ in range(2))
    report = evaluate_matching(
        [pair for pair, taken in zip(every, found, strict=True) if taken],
        Alignment(frozenset(pair for pair, taken in zip(every, gold, strict=True) if taken)),
        bootstrap=QUICK,
    )
    expected = precision_recall_fscore_support(gold, found, average="binary", zero_division=0)
    assert [one.value for one in (report.precision, report.recall, report.f1)] == pytest.approx(expected[:3], abs=1e-9)
    assert all(one.low <= one.value <= one.high for one in (report.precision, report.recall, report.f1))


GOLD = Alignment(
    frozenset({("A", "1"), ("B", "2"), ("C", "3")}), denied=frozenset({("D", "4")}), ignored=frozenset({("C", "3")})
)


def test_what_is_ignored_counts_nowhere_and_what_is_denied_is_wrong():
    report = evaluate_matching({("A", "1"), ("C", "3"), ("D", "4"), ("E", "5")}, GOLD, bootstrap=QUICK)
    assert (report.found, report.right, report.reference, report.denied, report.left_out) == (3, 1, 2, 1, 1)
    assert report.precision.value == pytest.approx(1 / 3)
    assert report.recall.value == 0.5
    assert report.f1.value == pytest.approx(2 / 5)


def test_a_partial_reference_judges_only_what_it_speaks_of():
    found = {("A", "1"), ("A", "9"), ("X", "2"), ("E", "5"), ("F", "6"), ("D", "4")}
    report = evaluate_matching(found, GOLD, negatives=[("F", "6")], partial=True, bootstrap=QUICK)
    assert (report.found, report.right, report.denied, report.left_out) == (5, 1, 2, 1)  # E-5: nothing is known of it


def test_finding_nothing():
    report = evaluate_matching([], GOLD, bootstrap=QUICK)
    assert report.precision is None
    assert (report.recall.value, report.f1.value) == (0.0, 0.0)
    with pytest.raises(InputError, match="no pair that counts"):
        evaluate_matching([], Alignment(frozenset()))


RDF = """<?xml version="1.0"?>
<rdf:RDF xmlns="http://knowledgeweb.semanticweb.org/heterogeneity/alignment"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<Alignment><xml>yes</xml>
<map><Cell><entity1 rdf:resource="http://mouse.owl#MA_0000001"/><entity2 rdf:resource="http://human.owl#NCI_C1"/>
<measure rdf:datatype="xsd:float">1.0</measure><relation>=</relation></Cell></map>
<map><Cell><entity1 rdf:resource="http://purl.obolibrary.org/obo/HP_0000002"/><entity2 rdf:resource="http://x.example/two"/>
<relation>?</relation></Cell></map>
<map><Cell><entity1 rdf:resource="http://mouse.owl#MA_3"/><entity2 rdf:resource="http://human.owl#NCI_C3"/>
<relation>&lt;</relation></Cell></map>
</Alignment></rdf:RDF>
"""


def test_oaei_rdf(tmp_path):
    (tmp_path / "a.rdf").write_text(RDF)
    assert read_alignment(tmp_path / "a.rdf") == Alignment(
        frozenset({("MA:0000001", "NCIT:C1")}), ignored=frozenset({("HP:0000002", "http://x.example/two")})
    )
    (tmp_path / "b.rdf").write_text(RDF.replace('<entity1 rdf:resource="http://mouse.owl#MA_0000001"/>', ""))
    with pytest.raises(FormatError, match=r"b\.rdf:5: a Cell without entity1"):
        read_alignment(tmp_path / "b.rdf")


def test_sssom_with_what_is_denied_and_what_is_only_near(tmp_path):
    (tmp_path / "m.tsv").write_text(
        "subject_id\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification\n"
        "X:1\tskos:exactMatch\t\tY:1\tm\nX:2\towl:equivalentClass\t\tY:2\tm\nX:3\tskos:broadMatch\t\tY:3\tm\n"
        "X:4\tskos:exactMatch\tNot\tY:4\tm\n"
    )
    assert read_alignment(tmp_path / "m.tsv") == Alignment(
        frozenset({("X:1", "Y:1"), ("X:2", "Y:2")}), frozenset({("X:4", "Y:4")})
    )


def sssom(path, *pairs, modifier=""):
    path.parent.mkdir(exist_ok=True)
    rows = [f"{one}\tskos:exactMatch\t{modifier}\t{other}\tm" for one, other in pairs]
    header = "subject_id\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification"
    path.write_text("\n".join([header, *rows, ""]))
    return path


def test_files_of_one_name_are_told_apart(tmp_path):
    one = sssom(tmp_path / "a/map.tsv", ("X:1", "Y:1"))
    other = sssom(tmp_path / "b/map.tsv", ("X:1", "Y:2"), ("X:2", "Y:2"))
    runs = evaluate_mapping_files([one, other], one, MatchingOptions(resamples=9)).shape["runs"]
    assert {name: run["found"] for name, run in runs.items()} == {str(one): 1, str(other): 2}


def test_a_reference_made_by_hand_has_the_ids_of_our_mappings(tmp_path):
    found = sssom(tmp_path / "found.tsv", ("local:W1", "Y:1"))
    found.write_text("# curie_map:\n#   local: urn:ontonym:no-prefix:\n" + found.read_text())
    reference = sssom(tmp_path / "reference.tsv", ("local:W1", "Y:1"))
    assert evaluate_mapping_files([found], reference, MatchingOptions(resamples=9)).shape["runs"]["found.tsv"]["right"]


@pytest.mark.parametrize(
    ("pair", "said"),
    [(("W1", "Y:1"), "no source: X:1 in the one, W1 in"), (("X:1", "Z:1"), "no target: Y:1 in the one, Z:1 in"),
     (("Y:1", "X:1"), "")],
)  # fmt: skip
def test_files_that_share_no_ids_say_so(tmp_path, pair, said):
    found, reference = sssom(tmp_path / "found.tsv", ("X:1", "Y:1")), sssom(tmp_path / "reference.tsv", pair)
    notes = evaluate_mapping_files([found], reference, MatchingOptions(resamples=9)).results.about
    assert [said in one for one in notes if "share no" in one] == [True] * bool(said)


def test_ids_that_are_not_shared_are_shown_of_right_pairs(tmp_path):
    found, reference = sssom(tmp_path / "found.tsv", ("X:1", "Y:1")), sssom(tmp_path / "reference.tsv", ("X:1", "Z:1"))
    denied = sssom(tmp_path / "denied.tsv", ("X:1", "A:1"), modifier="Not").read_text().splitlines()[1]
    reference.write_text(f"{reference.read_text()}{denied}\n")
    notes = evaluate_mapping_files([found], reference, MatchingOptions(resamples=9)).results.about
    assert [one for one in notes if "share no target: Y:1 in the one, Z:1 in the other" in one]


def test_negatives_count_in_either_direction(tmp_path):
    found = sssom(tmp_path / "found.tsv", ("X:1", "Y:1"), ("X:2", "Y:3"))
    reference = sssom(tmp_path / "reference.tsv", ("X:1", "Y:1"), ("X:2", "Y:2"))
    for pair in (("X:2", "Y:3"), ("Y:3", "X:2")):
        negatives = sssom(tmp_path / "negatives.tsv", pair, modifier="Not")
        options = MatchingOptions(negatives=(str(negatives),), resamples=9)
        assert evaluate_mapping_files([found], reference, options).shape["runs"]["found.tsv"]["denied"] == 1


def test_a_pair_is_the_same_in_either_direction_within_one_file_too(tmp_path):
    gold = [("X:1", "Y:1"), ("Y:1", "X:1"), ("X:2", "Y:2"), ("Y:3", "X:3"), ("X:4", "X:5")]
    reference = sssom(tmp_path / "reference.tsv", *gold)
    pairs = [("Y:2", "X:2"), ("X:3", "Y:3"), ("X:5", "X:4"), ("Y:9", "X:9"), ("X:9", "Y:9")]
    found = sssom(tmp_path / "found.tsv", *pairs)
    run = evaluate_mapping_files([found], reference, MatchingOptions(resamples=9)).shape["runs"]["found.tsv"]
    assert (run["found"], run["right"], run["reference"]) == (4, 3, 4)


@pytest.mark.parametrize("denied", [("X:1", "Y:2"), ("Y:2", "X:1")])
def test_what_a_reference_denies_is_denied_in_either_direction(tmp_path, denied):
    reference = sssom(tmp_path / "reference.tsv", ("X:1", "Y:1"), ("X:2", "Y:2"))
    text = reference.read_text() + f"{denied[0]}\tskos:exactMatch\tNot\t{denied[1]}\tm\n"
    reference.write_text(text)
    found = sssom(tmp_path / "found.tsv", ("X:1", "Y:2"))
    run = evaluate_mapping_files([found], reference, MatchingOptions(resamples=9)).shape["runs"]["found.tsv"]
    assert (run["right"], run["denied"]) == (0, 1)
