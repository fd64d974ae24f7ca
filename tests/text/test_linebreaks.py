"""Words and compounds that a line break parts are read as one, and every place leads back to the text as it is."""

from __future__ import annotations

import pytest

from ontonym.text.linebreaks import unbroken

KNOWN = {"macrocephaly", "seizure", "mental", "non", "small", "nonsmall", "hearing", "impairment"}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("macro-\ncephaly", "macrocephaly"),
        ("a macro-\r\n   cephaly and seiz\u2010\nures", "a macrocephaly and seizures"),
        ("wide-\nset eyes", "wide-set eyes"),
        ("non-\nsmall cells", "non-small cells"),  # each is a word of its own
        ("Guillain-\nBarré", "Guillain-Barré"),
        ("un\u00ad\nknown", "unknown"),
        ("IL-\n6", "IL-6"),
        ("hypo-\nand hyperthyroidism", "hypo-\nand hyperthyroidism"),
        ("hearing -\nimpairment", "hearing -\nimpairment"),
        ("macro-\n\ncephaly", "macro-\n\ncephaly"),
        ("macro-cephaly\nmental", "macro-cephaly\nmental"),
        ("- fever\n- cough", "- fever\n- cough"),
        ("", ""),
    ],
)
def test_a_text_without_line_breaks_in_words(text: str, read: str) -> None:
    assert unbroken(text, KNOWN.__contains__).text == read


def test_places_lead_back_to_the_text_as_it_is() -> None:
    text = "No macro-\r\n cephaly, seiz-\nures or men-\ntal wide-\nset."
    found = unbroken(text, KNOWN.__contains__)
    assert found.text == "No macrocephaly, seizures or mental wide-set."
    for part, there in {
        "No": "No", "macrocephaly": "macro-\r\n cephaly", "seizures": "seiz-\nures", "mental": "men-\ntal",
        "set": "set", "wide-set": "wide-\nset", "or": "or", ".": ".",
    }.items():  # fmt: skip
        start = found.text.index(part)
        first, last = found.place(start, start + len(part))
        assert text[first:last] == there


def test_a_run_of_two_million_letters_is_read_in_no_time() -> None:
    run = "acgt" * 500_000
    assert unbroken(f"{run} macro-\ncephaly", lambda word: word == "macrocephaly").text == f"{run} macrocephaly"
