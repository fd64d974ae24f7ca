"""Parts of the body: which words are said of one."""

from __future__ import annotations

import pytest

from ontonym.text.bodyparts import is_shape_of_part


@pytest.mark.parametrize(
    ("text", "is_shape"),
    [
        ("a sternal depression", True),
        ("a median supra-umbilical depression", True),
        ("periumbilical depression", True),
        ("perinatal depression", False),
        ("major depression", False),
        ("depression", False),
        ("neck pain, depression", False),
    ],
)
def test_a_depression_of_a_part_of_the_body_is_its_shape(text: str, is_shape: bool) -> None:
    start = text.index("depression")
    assert is_shape_of_part(text, start, len(text)) is is_shape
    assert not is_shape_of_part(text, 0, start)
