"""The one table of languages, for every format that names them by words or by three letters."""

from __future__ import annotations

import pytest

from ontonym.ontology.languages import language_codes, language_names
from ontonym.text.tables import table


@pytest.mark.parametrize(
    ("code", "tag"),
    [("eng", "en"), ("ger", "de"), ("deu", "de"), ("scr", "hr"), ("hrv", "hr"), ("slo", "sk"), ("slv", "sl")],
)
def test_a_code_of_three_letters_is_that_of_one_language(code: str, tag: str) -> None:
    assert language_codes()[code] == tag


def test_no_code_and_no_name_stands_twice() -> None:
    rows = table("languagecodes.tsv")
    codes = [code for row in rows for code in row["codes"].split("|")]
    assert len(codes) == len(set(codes)) == len(language_codes())
    assert {len(code) for code in codes} == {3}
    assert len({row["tag"] for row in rows}) == len(rows) == len(language_names())
