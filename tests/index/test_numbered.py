"""A letter that numbers a disease counts as a number does: "hepatitis B" is not hepatitis of another letter."""

from __future__ import annotations

from typing import Any

from built import index_fixture
from ontonym.index.scan import Scan

TABLE = """id\tpreferred\tsynonyms
T:1\tHepatitis A\tInfectious hepatitis
T:2\tHepatitis B\t
T:3\tTrisomy 21\t
T:4\tTrisomy 13\t
"""


index = index_fixture({"made.tsv": TABLE})


def test_a_name_without_the_letter_lacks_a_number(index: Any) -> None:
    evidence = index.signals.evidence(index.signals.query("infection with hepatitis B"), Scan())
    missing = dict(zip(map(index.id, evidence.concepts), evidence.column("number_missing"), strict=True))
    assert (missing["T:1"], missing["T:2"]) == (1, 0)
