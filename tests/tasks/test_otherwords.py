"""Mentions and queries that are names in other words."""

from __future__ import annotations

import pytest

from built import ROOMY, index_fixture, indexed
from mentioned import found
from ontonym.index import Index, open_index
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions, annotate, search
from ontonym.tasks.search import Experiment
from ontonym.types import Correction

TABLE = """id\tpreferred\tsynonyms
M:1\tKidney disease\tRenal disorders
M:2\tLiver disease\t
M:3\tDrug-induced liver injury\t
M:4\tDiabetes mellitus\t
M:5\tDrug overdose\t
M:99\tNeoplasm of the lung\t
M:6\tDyskinesia\t
M:7\tDyskinesia, drug-induced\t
M:8\tGrowth delay\t
M:9\tNeurotoxicity syndrome\t
M:10\tRenal failure\t
M:11\tOptic nerve disease\t
M:12\tHereditary disease\t
M:13\tHereditary breast and ovarian cancer syndrome\t
M:14\tOvarian cancer\t
M:15\tVomiting\t
M:16\tObesity\t
M:17\tDrowsiness\t
M:18\tHyperhidrosis\t
M:19\tUrinary incontinence\t
M:20\tFecal incontinence\tIncontinent of feces
M:21\tThrombocytopenia\t
M:22\tDengue\t
M:23\tAlcohol induced acute pancreatitis\t
M:24\tPancreatitis\t
M:25\tGuillain-Barré syndrome\t
M:26\tGuillain-Barré syndrome, familial\t
M:27\tHeart murmur\t
M:28\tSystolic heart murmur\t
M:29\tWeakness\t
M:30\tProximal muscle weakness\t
M:31\tDistal muscle weakness\t
"""


index = index_fixture({"made.tsv": TABLE}, ROOMY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Long treatment led to nephropathy in two.", [("nephropathy", "M:1")]),
        ("It was stopped for nephrotoxicity.", [("nephrotoxicity", "M:1")]),
        ("Severe renal damage was seen.", [("renal damage", "M:1")]),
        ("We saw lesions of the kidney.", [("lesions of the kidney", "M:1")]),
        ("It was stopped for hepatotoxicity.", [("hepatotoxicity", "M:3")]),
        ("He had hepatic dysfunction.", [("hepatic dysfunction", "M:2")]),
        ("Optic nerve damage was found.", [("Optic nerve damage", "M:11")]),
        ("She has had diabetes for years.", [("diabetes", "M:4")]),
        ("Diabetics were left out.", [("Diabetics", "M:4")]),
        ("He died of an overdose.", [("overdose", "M:5")]),
        ("Suspicious for lung malignancy.", [("lung malignancy", "M:99")]),
        ("His growth declined after that.", [("growth declined", "M:8")]),
        ("The dose was limited by neurotoxicity.", [("neurotoxicity", "M:9")]),
        ("He had impaired renal function.", [("impaired renal function", "M:1")]),
        ("A decline in his hepatic function", [("decline in his hepatic function", "M:2")]),
        (
            "The liver function deteriorated. Optic nerve function impairment",
            [
                ("liver function deteriorated", "M:2"),
                ("Optic nerve function impairment", "M:11"),
            ],
        ),
        ("He did not vomit. No vomit.", [("vomit", "M:15"), ("vomit", "M:15")]),
        ("She vomited twice, and is obese.", [("vomited", "M:15"), ("obese", "M:16")]),
        ("A drowsy man, incontinent.", [("drowsy", "M:17"), ("incontinent", "M:19")]),
        ("He felt sweaty in sweaty clothes.", [("sweaty", "M:18")]),
    ],
)
def test_a_name_in_other_words_is_found(index: Index, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(index, text) == expected
    assert found(index, text, find="phrases") == []


def test_an_adjective_that_tells_a_finding_leaves_a_longer_name_whole(index: Index) -> None:
    assert found(index, "He is incontinent of feces.") == [("incontinent of feces", "M:20")]


def test_a_mention_in_other_words_says_how_it_was_read_and_is_less_sure(index: Index) -> None:
    damage, failure = annotate(index, "Renal damage, then renal failure.")
    assert damage.candidates[0].reason.correction is Correction.REWORDED
    assert damage.candidates[0].reason.detail == "read as “Kidney disease”: the same text"
    assert damage.confidence == damage.candidates[0].confidence == pytest.approx(0.8 * failure.confidence)
    assert failure.candidates[0].reason.correction is Correction.NONE
    surer = AnnotateOptions(NormalizeOptions(threshold=0.9))
    assert [one.id for one in annotate(index, "Renal damage, then renal failure.", surer)] == [None, "M:10"]


def test_an_abbreviation_of_the_text_says_what_it_stands_for(index: Index) -> None:
    _, short = annotate(index, "Renal failure (RF). RF is treated.")[:2]
    reason = short.candidates[0].reason
    assert (reason.correction, reason.rule) == (Correction.EXPANDED, "spelling")
    assert reason.detail == "read as “Renal failure”: the same text"


def test_what_a_chemical_induced_is_drug_induced(index: Index) -> None:
    assert found(index, "He has cocaine-induced dyskinesia.") == [("dyskinesia", "M:7")]
    assert found(index, "A dyskinesia induced by cocaine was seen.") == [("dyskinesia", "M:7")]
    assert found(index, "He has exercise-induced dyskinesia.") == [("dyskinesia", "M:6")]


def test_members_of_an_enumeration_share_what_is_wrong(index: Index) -> None:
    assert found(index, "Signs of renal, hepatic or optic nerve damage.") == [
        ("renal", "M:1"),
        ("hepatic", "M:2"),
        ("optic nerve damage", "M:11"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She had a loud murmur.", [("murmur", "M:27")]),
        ("A grade 3/6 systolic murmur was heard.", [("systolic murmur", "M:28")]),
        ("He has proximal weakness.", [("proximal weakness", "M:30")]),
        ("Proximal and distal weakness", [("Proximal", "M:30"), ("distal weakness", "M:31")]),
        ("The weakness persists.", [("weakness", "M:29")]),
        ("A renal murmur was heard.", []),
    ],
)
def test_what_the_last_word_is_short_for_makes_a_name_of_a_phrase(
    index: Index, text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(index, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Damage to DNA was measured.",
        "A kidney was biopsied.",
        "The toxicity-related dose.",
        "Kidneys were normal.",
        "Renal function was normal.",
        "Impaired function of genes.",
    ],
)
def test_other_words_are_no_mention(index: Index, text: str) -> None:
    assert found(index, text) == []


def test_the_own_words_of_a_name_come_first(index: Index) -> None:
    assert found(index, "Renal failure followed.") == [("Renal failure", "M:10")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is an autosomal dominant disorder.", [("autosomal dominant disorder", "M:12")]),
        ("An inherited human disease, X-linked.", [("inherited human disease", "M:12")]),
        ("An X-linked recessive condition was likely.", [("X-linked recessive condition", "M:12")]),
        ("Among human diseases, and in this disorder.", []),
        ("The dominant condition of the linked disorder.", []),
    ],
)
def test_a_disease_that_is_inherited_and_nothing_else_is_said_of_it(
    index: Index, text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(index, text) == expected


@pytest.mark.parametrize("begins", ["Hereditary", "Familial", "Inherited"])
def test_a_phrase_may_leave_out_that_it_is_a_syndrome(index: Index, begins: str) -> None:
    text = f"{begins} breast and/or ovarian cancer runs in families."
    assert found(index, text) == [(f"{begins} breast and/or ovarian cancer", "M:13")]
    assert found(index, "Breast and ovarian cancer") == [("ovarian cancer", "M:14")]


@pytest.mark.parametrize(
    ("query", "id_", "read_as"),
    [
        ("renal damage", "M:1", "kidney disease"),
        ("nephrotoxicity", "M:1", "kidney disease"),
        ("damage to the liver", "M:2", "liver disease"),
        ("diabetic", "M:4", "diabetes mellitus"),
        ("reduced liver function", "M:2", "liver disease"),
        ("autosomal recessive disorder", "M:12", "hereditary disease"),
        ("inherited breast and ovarian cancer", "M:13", "hereditary breast and ovarian cancer syndrome"),
        ("ovarian adenocarcinoma", "M:14", "ovarian cancer"),
        ("dengue virus infection", "M:22", "dengue"),
        ("Guillain-Barre", "M:25", "guillain barre syndrome"),
        ("heparin-induced thrombocytopenia", "M:21", "thrombocytopenia"),
        ("levodopa-induced dyskinesia", "M:7", "drug induced dyskinesia"),
    ],
)
def test_a_query_in_other_words_is_read_as_a_name(index: Index, query: str, id_: str, read_as: str) -> None:
    best = search(index, query)[0]
    assert (best.id, best.reason.correction) == (id_, Correction.REWORDED)
    assert f"read as “{read_as}”" in best.reason.detail
    assert 0.5 < best.confidence < 0.9


@pytest.mark.parametrize("query", ["kidney disease", "renal failure", "toxicity", "dyskinesia", "kidney"])
def test_a_name_and_what_says_nothing_in_other_words_are_read_as_they_are(index: Index, query: str) -> None:
    assert all(hit.reason.correction is not Correction.REWORDED for hit in search(index, query))


def test_a_name_that_tells_what_induced_a_disease_comes_before_the_disease_alone(index: Index) -> None:
    assert search(index, "alcohol-induced pancreatitis")[0].id == "M:23"


def test_a_name_with_or_without_of_comes_before_other_words_for_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    table = "id\tpreferred\nM:1\tCornea injury\nM:2\tCorneal disease\nM:3\tAbnormality of bone\nM:4\tBone disease\n"
    with open_index(indexed(tmp_path_factory.mktemp("of"), {"made.tsv": table}, ROOMY)) as opened:
        assert [search(opened, text)[0].id for text in ("injury of cornea", "bone abnormality")] == ["M:1", "M:3"]
        assert search(opened, "corneal damage")[0].id == "M:2"


def test_a_denied_query_in_other_words_is_denied(index: Index) -> None:
    best = search(index, "no renal damage")[0]
    assert (best.id, best.reason.negated, best.reason.correction) == ("M:1", True, Correction.REWORDED)


def test_a_query_is_not_reworded_where_it_is_taken_verbatim_or_one_signal_ranks(index: Index) -> None:
    for options in (SearchOptions(signal="lexical"), SearchOptions(verbatim=True)):
        hits = search(index, "renal damage", options)
        assert all(hit.reason.correction is Correction.NONE for hit in hits)


def test_a_hidden_name_is_no_reading(index: Index) -> None:
    rows = tuple(row for word in ("kidney", "renal") for row in index.signals.spelled([word, "disease"]).tolist())
    for hit in search(index, "renal damage", Experiment(hidden=rows)):
        assert "kidney disease" not in hit.reason.detail
        assert "renal disease" not in hit.reason.detail
