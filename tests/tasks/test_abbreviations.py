import pytest

from ontonym.tasks.abbreviations import expand, find_abbreviations


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("Patients with renal cell carcinoma (RCC) were seen.", "RCC", "renal cell carcinoma"),
        ("Myotonic dystrophy (DM) is common.", "DM", "Myotonic dystrophy"),
        ("attenuated adenomatous polyposis coli (AAPC)", "AAPC", "attenuated adenomatous polyposis coli"),
        ("the gene for adrenoleukodystrophy (ALD).", "ALD", "adrenoleukodystrophy"),
        ("Known as RCC (renal cell carcinoma) here.", "RCC", "renal cell carcinoma"),
        ("congestive heart failure (heart failure; CHF) was", "CHF", "congestive heart failure"),
        ("ataxia-telangiectasia (A-T) cells", "A-T", "ataxia-telangiectasia"),
    ],
)
def test_a_definition_is_found(text, short, long):
    assert find_abbreviations(text)[short] == long


@pytest.mark.parametrize(
    "text",
    [
        "Ten patients (N = 10) were seen.",
        "as was shown (see above).",
        "in a mouse (Smith 1998).",
        "weights rose (P < 0.05)",
        "(CT) first",
        "",
        "unbalanced ( bracket",
    ],
)
def test_other_parentheses_define_nothing(text):
    assert find_abbreviations(text) == {}


def test_a_definition_does_not_reach_over_the_end_of_a_sentence():
    assert find_abbreviations("Renal cell. Carcinoma (RCC) was rare.") == {}


def test_the_first_definition_holds():
    text = "renal cell carcinoma (RCC) and red cell count (RCC)"
    assert find_abbreviations(text) == {"RCC": "renal cell carcinoma"}


def test_mentions_are_written_out():
    known = {"ALD": "adrenoleukodystrophy", "HPT-JT": "hyperparathyroidism-jaw tumor syndrome", "RCC": "renal cancer"}
    assert expand("ALD", known) == "adrenoleukodystrophy"
    assert expand("cerebral ALD", known) == "cerebral adrenoleukodystrophy"
    assert expand("RCCs", known) == "renal cancer"
    assert expand("HPT-JT syndrome", known) == "hyperparathyroidism-jaw tumor syndrome"
    assert expand("renal cancer (RCC)", known) == "renal cancer"
    assert expand("bald", known) == "bald"
