"""Similar names of small terminologies, worked out by hand."""

from __future__ import annotations

from made import concept
from ontonym.benchmark.similar import SimilarNameOptions, similar_pairs
from ontonym.types import Mapping, Property, Relation, Term

EXACT_ENGLISH = SimilarNameOptions()


def pairs_of(terminology, relation, older=(), options=EXACT_ENGLISH):
    names, pairs = similar_pairs(terminology, older, options)
    found = pairs[relation]
    return [
        (names.texts[a], names.texts[b], *ids) for (a, b), ids in zip(found.names.tolist(), found.concepts, strict=True)
    ]


def fsn(text, status="active"):
    return Term(text, "fsn", status=status)


def test_every_fully_specified_name_with_each_synonym_and_all_pairs_of_names(open_concepts):
    (terminology,) = open_concepts(
        [
            concept("A", "Ankle sprain", fsn("Sprain of ankle (disorder)"), Term("Twisted ankle", scope="related")),
            concept("B", "Malaria", fsn("Malaria (disorder)"), "malaria", "Paludism", Term("Paludisme", language="fr")),
            concept("C", "No other name"),
            concept("D", "gone", "left", status="retired"),
        ]
    )
    assert pairs_of(terminology, "fsn-synonym") == [
        ("Sprain of ankle", "Ankle sprain", "A", "A"),
        ("Malaria", "Paludism", "B", "B"),
    ]
    wide = SimilarNameOptions(languages=(), scopes=("exact", "related"))
    assert pairs_of(terminology, "synonym-synonym", options=wide) == [
        ("Sprain of ankle", "Ankle sprain", "A", "A"),
        ("Sprain of ankle", "Twisted ankle", "A", "A"),
        ("Ankle sprain", "Twisted ankle", "A", "A"),
        ("Malaria", "Paludism", "B", "B"),
        ("Malaria", "Paludisme", "B", "B"),
        ("Paludism", "Paludisme", "B", "B"),
    ]


def test_without_fully_specified_names_the_preferred_name_is_taken(open_concepts):
    (terminology,) = open_concepts([concept("A", "Seizure (event)", "Fit"), concept("B", "fit", "SEIZURE (event)")])
    assert pairs_of(terminology, "fsn-synonym") == [("Seizure (event)", "Fit", "A", "A")]  # the other way round once


def test_names_of_concepts_about_the_terminology_itself_are_left_out(open_concepts):
    (terminology,) = open_concepts(
        [
            concept("SCTID:900000000000441003", "model", "component"),
            concept("SCTID:1", "below it", "as well", parents="SCTID:900000000000441003"),
            concept("SCTID:2", "in its module", "too", properties=(Property("moduleId", "900000000000012004"),)),
            concept("SCTID:3", "medical", "medicine", properties=(Property("moduleId", "900000000000207008"),)),
        ]
    )
    assert pairs_of(terminology, "synonym-synonym") == [("medical", "medicine", "SCTID:3", "SCTID:3")]


def test_retired_concepts_with_their_successors_by_association(open_concepts):
    (terminology,) = open_concepts(
        [
            concept("A", "Nausea", fsn("Nausea (finding)")),
            concept("B", "Vomiting", fsn("Vomiting (finding)")),
            concept("O1", fsn("[D]Nausea symptom (finding)"), status="retired", relations=(Relation("SAME AS", "A"),)),
            concept("O2", fsn("Old (or)", "retired"), fsn("Feeling (or being) sick"), status="retired",
                    relations=(Relation("POSSIBLY EQUIVALENT TO", "A"), Relation("POSSIBLY EQUIVALENT TO", "B"))),
            concept("O3", fsn("Emesis (disorder)"), status="retired", relations=(Relation("REPLACED BY", "O4"),)),
            concept("O4", fsn("Being sick"), status="retired", relations=(Relation("REPLACED BY", "B"),),
                    replaced_by="B"),
            concept("O5", fsn("nausea (disorder)"), status="retired", relations=(Relation("SAME AS", "A"),)),
            concept("O6", fsn("nobody's"), status="retired", relations=(Relation("MOVED TO", "A"),)),
        ]
    )  # fmt: skip
    assert pairs_of(terminology, "same-as") == [("Nausea symptom", "Nausea", "O1", "A")]
    assert pairs_of(terminology, "possibly-equivalent-to") == [
        ("Feeling (or being) sick", "Nausea", "O2", "A"),
        ("Feeling (or being) sick", "Vomiting", "O2", "B"),
    ]
    assert pairs_of(terminology, "replaced-by") == [
        ("Emesis", "Vomiting", "O3", "B"),
        ("Being sick", "Vomiting", "O4", "B"),
    ]


def test_other_formats_tell_by_their_lists_and_older_releases_name_what_is_gone(open_concepts):
    now, before, long_before = open_concepts(
        [
            concept("A", "heart attack", alternative_ids="M1 M2 M3"),
            concept("B", "stroke"),
            concept("O1", "obsolete apoplexy", status="retired", replaced_by="B"),
            concept("O2", "fit", status="retired", consider="A B"),
            concept("U1", status="retired", replaced_by="A"),  # as UMLS merges: without a name
            concept("U2", status="retired", replaced_by="A"),
            concept("W1", "cva", status="retired", mappings=(Mapping("W1", "skos:closeMatch", "B", "j"),)),
            concept("W2", "vague", status="retired", mappings=(
                Mapping("W2", "skos:closeMatch", "A", "j"), Mapping("W2", "skos:closeMatch", "B", "j"))),
        ],
        [concept("M1", "myocardial infarction"), concept("A", "heart attacks"), concept("U1", "infarct of heart")],
        [concept("M1", "infarctus"), concept("M2", "cardiac infarction"), concept("M3", "gone", status="retired")],
    )  # fmt: skip
    older = (before, long_before)
    assert pairs_of(now, "possibly-equivalent-to", older) == [
        ("fit", "heart attack", "O2", "A"), ("fit", "stroke", "O2", "B"),
    ]  # fmt: skip
    assert pairs_of(now, "replaced-by", older) == [("apoplexy", "stroke", "O1", "B"), ("cva", "stroke", "W1", "B")]
    assert pairs_of(now, "same-as", older) == [
        ("infarct of heart", "heart attack", "U1", "A"),
        ("myocardial infarction", "heart attack", "M1", "A"),
        ("cardiac infarction", "heart attack", "M2", "A"),
    ]
    assert pairs_of(now, "same-as") == []
