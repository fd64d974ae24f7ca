from __future__ import annotations

import pytest

from ontonym.tasks.composite import split_composite


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("breast and ovarian cancer", ("breast cancer", "ovarian cancer")),
        (
            "colorectal, endometrial, and ovarian cancers",
            ("colorectal cancers", "endometrial cancers", "ovarian cancers"),
        ),
        ("breast and/or ovarian cancer", ("breast cancer", "ovarian cancer")),
        ("cleft lip/palate", ("cleft lip", "cleft palate")),
        ("Duchenne/Becker muscular dystrophy", ("Duchenne muscular dystrophy", "Becker muscular dystrophy")),
        ("C6 and C7 deficiencies", ("C6 deficiencies", "C7 deficiencies")),
        ("deficiency of C6 and C7", ("deficiency of C6", "deficiency of C7")),
        ("cancer of the breast and ovaries", ("cancer of the breast", "cancer of the ovaries")),
        ("prostaglandin D2, E2, or F2 alpha", ("prostaglandin D2", "prostaglandin E2", "prostaglandin F2 alpha")),
        ("cardiac dilation and dysfunction", ("cardiac dilation", "cardiac dysfunction")),
        (
            "cardiovascular and central nervous system toxicity",
            ("cardiovascular toxicity", "central nervous system toxicity"),
        ),
        ("hypo- and hyperthyroidism", ("hypothyroidism", "hyperthyroidism")),
        (
            "basal cell, colonic and cervical carcinomas",
            ("basal cell carcinomas", "colonic carcinomas", "cervical carcinomas"),
        ),
    ],
)
def test_coordination_gives_the_names_it_stands_for(text: str, names: tuple[str, ...]) -> None:
    assert split_composite(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("renal failure and hypertension", ("renal failure", "hypertension")),
        ("ataxia and seizures", ("ataxia", "seizures")),
        ("acute renal failure and liver damage", ("acute renal failure", "liver damage")),
        ("hepatitis and lung cancer", ("hepatitis", "lung cancer")),
    ],
)
def test_complete_conjuncts_borrow_nothing(text: str, names: tuple[str, ...]) -> None:
    assert split_composite(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "hemorrhagic cystitis",
        "CL/P",
        "hand-foot syndrome",
        "",
        "complement deficiencies (C2 and C7)",
        "Anderson disease",
    ],
)
def test_what_is_no_coordination_stays_whole(text: str) -> None:
    assert split_composite(text) == (text,)


def test_equal_names_come_once() -> None:
    assert split_composite("breast cancer and breast cancer") == ("breast cancer",)
