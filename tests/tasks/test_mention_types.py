"""The types of mentions, and which of two codes of one name they get."""

from __future__ import annotations

from pathlib import Path

import pytest

from built import SMALL, indexed
from ontonym.index import open_index
from ontonym.tasks import AnnotateOptions, annotate


def test_types_are_the_terminology_or_given_where_concepts_have_no_tags(tmp_path: Path) -> None:
    with open_index(indexed(tmp_path, {"plain.csv": "id,preferred\nA:1,asthma\n"}, SMALL)) as plain:
        assert [one.mention.type for one in annotate(plain, "asthma")] == ["plain"]
        assert [one.mention.type for one in annotate(plain, "asthma", AnnotateOptions(type="Sign"))] == ["Sign"]


def test_tags_are_types_where_nearly_all_concepts_have_one(tmp_path: Path) -> None:
    rows = "id,preferred,tag\nA:1,asthma,disorder\nA:2,spirometry,procedure\n"
    with open_index(indexed(tmp_path, {"t.csv": rows}, SMALL)) as tagged:
        kinds = [one.mention.type for one in annotate(tagged, "Spirometry for asthma")]
    assert kinds == ["procedure", "disorder"]


LEVELS = "id,preferred,tag,parent\n"


def test_levels_of_a_classification_are_no_types(tmp_path: Path) -> None:
    rows = "I:1,Diseases,chapter,\nI:2,asthma,category,I:1\nI:3,mild asthma,subcategory,I:2\n"
    with open_index(indexed(tmp_path, {"icd.csv": LEVELS + rows}, SMALL)) as levels:
        kinds = [(one.id, one.mention.type) for one in annotate(levels, "Mild asthma. Asthma.")]
    assert kinds == [("I:3", "icd"), ("I:2", "icd")]


@pytest.mark.parametrize(
    ("code", "synonym"), [("Asthma", ""), ("Unspecified asthma", "Asthma NOS")], ids=["preferred term", "synonym"]
)
def test_a_code_comes_before_a_block_of_the_same_name(tmp_path: Path, code: str, synonym: str) -> None:
    rows = f"I:1,Asthma,block,,\nI:2,{code},category,I:1,{synonym}\nI:3,Gout,block,,\n"
    with open_index(indexed(tmp_path, {"icd.csv": LEVELS.strip() + ",synonyms\n" + rows}, SMALL)) as blocks:
        asthma, gout = annotate(blocks, "Asthma and gout.")
    assert (asthma.id, [one.id for one in asthma.candidates][:2]) == ("I:2", ["I:2", "I:1"])
    assert gout.id == "I:3"  # no code has the name
