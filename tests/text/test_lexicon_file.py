"""The shipped lexicon of abbreviations: that the file is whole, sorted, and free of identifiers of other works."""

from __future__ import annotations

import re
from collections import defaultdict
from importlib.resources import files
from itertools import groupby

import pytest

from ontonym.text.lexicon import shipped_lexicon
from ontonym.text.normalization import canonical

TEXT = files("ontonym.text").joinpath("lexicon.tsv").read_text(encoding="utf-8")
ROWS = [line.split("\t") for line in TEXT.splitlines()]


def folded(written: str) -> str:
    return written.casefold().replace(".", "")


def test_every_row_has_the_columns_of_the_header() -> None:
    assert ROWS[0] == ["written", "meaning", "share", "sources"]
    assert TEXT.endswith("\n")
    for row in ROWS[1:]:
        assert len(row) == 4
        assert all(field == field.strip() and field for field in row)
        assert re.fullmatch(r"o?c?d?s?b?", row[3])


def test_forms_are_sorted_and_their_shares_fall_and_sum_to_one() -> None:
    forms = []
    for form, found in groupby(ROWS[1:], key=lambda row: folded(row[0])):
        rows = list(found)
        shares = [float(row[2]) for row in rows]
        forms.append(form)
        assert len({row[0] for row in rows}) == 1, form
        assert shares == sorted(shares, reverse=True), form
        assert all(0 < share <= 1 for share in shares), form
        assert sum(shares) == pytest.approx(1, abs=1e-9), form
    assert forms == sorted(set(forms))
    assert len(forms) > 3_000


def test_no_meaning_is_listed_twice_nor_is_the_form_itself() -> None:
    meanings = defaultdict(list)
    for written, meaning, _, _ in ROWS[1:]:
        assert folded(meaning) != folded(written)
        meanings[folded(written)].append(canonical(meaning.lower()))
    assert {form: found for form, found in meanings.items() if len(set(found)) < len(found)} == {}


def test_no_identifiers_and_no_remarks_were_kept() -> None:
    assert not re.search(r"\bC\d{7}\b", TEXT, re.IGNORECASE)
    remarks = re.compile(r"abbreviation|acronym|initials of|\bnull\b|\btypo\b|vanderbilt|[_\"]", re.IGNORECASE)
    assert [row for row in ROWS[1:] if remarks.search(f"{row[0]} {row[1]}")] == []


@pytest.mark.parametrize(
    ("written", "meaning"),
    [
        ("COPD", "chronic obstructive pulmonary disease"),
        ("T2DM", "type 2 diabetes mellitus"),
        ("AF", "atrial fibrillation"),
        ("s/p", "status post"),
        ("w/o", "without"),
        ("unspec", "unspecified"),
        ("CRP", "C-reactive protein"),
        ("c/o", "complains of"),
        ("PTB", "pulmonary tuberculosis"),
        ("pneum", "pneumonia"),
        ("D&V", "diarrhea and vomiting"),
        ("surgical emphysema", "subcutaneous emphysema"),
        ("high K", "hyperkalemia"),
        ("heart racing", "palpitations"),
        ("tummy", "abdomen"),
    ],
)
def test_the_commonest_meaning_comes_first(written: str, meaning: str) -> None:
    assert next(row[1] for row in ROWS if folded(row[0]) == folded(written)) == meaning


def test_ambiguous_forms_keep_their_meanings() -> None:
    assert {"femur", "femoral", "female"} == {row[1] for row in ROWS if row[0] == "fem"}
    assert {"multiple sclerosis", "mitral stenosis", "mental status"} <= {row[1] for row in ROWS if row[0] == "MS"}


def test_everyday_words_are_read_only_where_no_name_has_them() -> None:
    text = "pain in my tummy after heart racing"
    unknown, known = (
        shipped_lexicon().expansions(text, lambda word, is_known=is_known: is_known) for is_known in (False, True)
    )
    assert [one.text for one in unknown][:1] == ["pain in my abdomen after palpitations"]
    assert [one.text for one in known][:1] == ["pain in my tummy after palpitations"]


@pytest.mark.parametrize("text", ["insurance card", "dim vision", "pathology poster", "spy camera"])
def test_words_of_plain_english_are_no_abbreviations(text: str) -> None:
    assert [one.text for one in shipped_lexicon().expansions(text, lambda _: False)] == [text]
    assert shipped_lexicon().expansions("CARD ARR", lambda _: False)[0].text == "cardiac arrest"
