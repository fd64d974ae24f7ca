"""What the marks of checklists say of a mention beside them."""

from __future__ import annotations

from time import process_time

import pytest

from ontonym.text.notes.context import contexts

_FINDINGS = ("chest pain", "fever", "cough", "nausea", "vomiting", "Sepsis", "asthma", "stroke")


def said(text: str) -> dict[str, str]:
    """What is said of each finding in a text."""
    spans = sorted((text.index(one), text.index(one) + len(one)) for one in _FINDINGS if one in text)
    return {text[slice(*span)]: " ".join(found) for span, found in zip(spans, contexts(text, spans), strict=True)}


def test_answers_to_questions_in_other_words_than_no() -> None:
    """ "Any fever? Not this time" denies it, and "A bit" does not leave it open."""
    for answer in ("Never.", "Nope.", "None seen.", "Denied.", "Not this time.", "Not at all."):
        assert said(f"Any fever? {answer} He sleeps.") == {"fever": "negated"}, answer
    for answer in ("A bit.", "Sometimes.", "Yes."):
        assert said(f"Any fever? {answer} He sleeps.") == {"fever": ""}, answer
    assert said("Any fever? Nothing was asked.") == {"fever": "uncertain"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fever: no", {"fever": "negated"}),
        ("fever: No.", {"fever": "negated"}),
        ("fever: no, cough: yes", {"fever": "negated", "cough": ""}),
        ("fever: no\ncough: yes", {"fever": "negated", "cough": ""}),
        ("fever - no", {"fever": "negated"}),
        ("fever: no cough", {"fever": "", "cough": "negated"}),
        ("nausea: denies", {"nausea": "negated"}),
        ("nausea: neg; cough", {"nausea": "negated", "cough": ""}),
        ("fever? No.", {"fever": "negated"}),
        ("fever? Yes.", {"fever": ""}),
        ("ROS: denies fever", {"fever": "negated"}),
        ("fever: nil known", {"fever": "negated"}),
        ("asthma (self/family): N", {"asthma": "negated"}),
        ("fever: no     cough: yes", {"fever": "negated", "cough": ""}),
        ("| cough | + |\n| fever | - |", {"cough": "", "fever": "negated"}),
        ("fever: no known cause", {"fever": ""}),
        ("| cough | - | see below |\n\nNa+ 140, K+ 4", {"cough": ""}),  # ions, and no other cell
        ("cough\t+\nfever\t-\n", {"cough": "", "fever": "negated"}),
        ("asthma- well controlled, K+ 4.1, 2+ edema", {"asthma": ""}),
        ("asthma-, HTN+", {"asthma": "negated"}),
        ("chest pain on exertion: no", {"chest pain": "negated"}),
        ("asthma review: no", {"asthma": ""}),
        ("fever\tN\t\ncough\tY\tdry", {"fever": "negated", "cough": ""}),
        ("| fever | No |\n| cough | Yes |", {"fever": "negated", "cough": ""}),
        ("fever\t-\ncough\t+", {"fever": "negated", "cough": ""}),
        ("fever: 0. cough: 0.5", {"fever": "negated", "cough": ""}),
        ("chest pain 0/10, nausea 4/10", {"chest pain": "negated", "nausea": ""}),
        ("grade 1 nausea, grade 0 vomiting, cough G0", {"nausea": "", "vomiting": "negated", "cough": "negated"}),
        ("fever N, cough Y", {"fever": "negated", "cough": ""}),
        ("vitamin K N, fever N", {"fever": ""}),
        ("asthma no, stroke yes", {"asthma": "negated", "stroke": ""}),
        ("asthma no\nstroke yes", {"asthma": "negated", "stroke": ""}),
        ("fever no\nlonger", {"fever": ""}),
    ],
)
def test_values(text: str, expected: dict[str, str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("chest pain (-)", {"chest pain": "negated"}),
        ("chest pain (neg), cough", {"chest pain": "negated", "cough": ""}),
        ("(-) vomiting", {"vomiting": "negated"}),
        ("(+) nausea (-) vomiting", {"nausea": "", "vomiting": "negated"}),
        ("nausea (-) vomiting (+)", {"nausea": "negated", "vomiting": ""}),
        ("CV: chest pain (-), cough (+).", {"chest pain": "negated", "cough": ""}),
        ("[ ] cough", {"cough": "negated"}),
        ("[x] fever [ ] cough", {"fever": "", "cough": "negated"}),
        ("fever [ ] cough [x]", {"fever": "negated", "cough": ""}),
        ("- [ ] fever\n- [x] cough", {"fever": "negated", "cough": ""}),
        ("\u2610 fever", {"fever": "negated"}),
        ("\u2610 fever \u2612 cough", {"fever": "negated", "cough": ""}),
        ("asthma \u2713 stroke \u2717", {"asthma": "", "stroke": "negated"}),
        (
            "[ ] new left chest pain\n[ ] nausea or vomiting",
            dict.fromkeys(("chest pain", "nausea", "vomiting"), "negated"),
        ),
        ("[ ] CT for stroke", {"stroke": ""}),
        ("fever: Y / [N]\ncough: [Y] / N", {"fever": "negated", "cough": ""}),
        ("fever: \u2610 Yes \u2612 No\ncough: \u2612 Yes \u2610 No", {"fever": "negated", "cough": ""}),
        ("fever Yes [ ] No [x]", {"fever": "negated"}),
        ("fever (Y/N): N, cough (Y/N): Y", {"fever": "negated", "cough": ""}),
        ("fever: Y / N", {"fever": "uncertain"}),
    ],
)
def test_marks_stand_before_or_after(text: str, expected: dict[str, str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+cough -fever", {"cough": "", "fever": "negated"}),
        ("asthma-, cough+", {"asthma": "negated", "cough": ""}),
        ("cough +, asthma -", {"cough": "", "asthma": "negated"}),
        ("asthma -\ncough", {"asthma": "", "cough": ""}),
        ("-fever, +cough", {"fever": "negated", "cough": ""}),
        ("ROS: -fever, -cough", {"fever": "negated", "cough": "negated"}),
        ("Denies nausea, +cough", {"nausea": "negated", "cough": ""}),
        ("- fever\n- cough", {"fever": "", "cough": ""}),
        ("-fever\n-cough", {"fever": "", "cough": ""}),
        ("post-stroke and non-asthma", {"stroke": "", "asthma": ""}),
        ("Plan -fever control", {"fever": ""}),
    ],
)
def test_signs(text: str, expected: dict[str, str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sepsis?", {"Sepsis": "uncertain"}),
        ("?stroke", {"stroke": "uncertain"}),
        ("Does he have asthma?", {"asthma": "uncertain"}),
        ("What helps my asthma?", {"asthma": ""}),
        ("Sepsis ruled out? cough", {"Sepsis": "negated", "cough": ""}),
        ("no fever, hr 96 reg. ?stroke", {"fever": "negated", "stroke": "uncertain"}),
        ("no fever?", {"fever": "negated uncertain"}),
        ("asthma ? stroke", {"asthma": "", "stroke": "uncertain"}),
        ("asthma ? stroke ?", {"asthma": "", "stroke": "uncertain"}),
        ("? asthma ? stroke", {"asthma": "uncertain", "stroke": "uncertain"}),
        ("Is it asthma? fever", {"asthma": "uncertain", "fever": ""}),
    ],
)
def test_questions(text: str, expected: dict[str, str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize("gap", [" " * 20_000, "\t" * 20_000, " score" + " " * 20_000, " (self)" + " " * 20_000])
def test_long_gaps_take_time_by_their_length(gap: str) -> None:
    began = process_time()
    assert said(f"fever{gap}x") == {"fever": ""}
    assert process_time() - began < 2  # by the square of it, ten times that
