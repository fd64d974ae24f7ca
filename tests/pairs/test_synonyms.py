from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made import concept, examples_of, texts_of
from ontonym.learning.recipes import PoolOptions
from ontonym.learning.recipes.combining import across, distinct_pairs, within
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ragged import boundaries
from ontonym.store import Terminology, build_terminology, open_terminology

TABULAR = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular>
  <version>2031</version>
  <chapter><name>1</name><desc>Glumps (A00-A09)</desc>
    <section id="A00-A09"><desc>Wet glumps (A00-A09)</desc>
      <diag><name>A00</name><desc>Toe glump</desc>
        <inclusionTerm><note>Glumpy toe</note></inclusionTerm>
        <diag><name>A00.1</name><desc>Toe glump of the left foot</desc></diag>
        <diag><name>A00.9</name><desc>Toe glump, unspecified</desc></diag>
      </diag>
    </section>
  </chapter>
</ICD10CM.tabular>
"""
INDEX = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.index>
  <version>2031</version><title>Index to Diseases</title>
  <letter><title>G</title>
    <mainTerm><title>Glump</title>
      <term level="1"><title>toe</title><code>A00.9</code><seeAlso>Sore, toe</seeAlso>
        <term level="2"><title>left</title><code>A00.1</code></term></term></mainTerm>
  </letter>
</ICD10CM.index>
"""
CLAML = """<?xml version="1.0" encoding="UTF-8"?>
<ClaML version="2.0.0">
  <Meta name="lang" value="en"/><Identifier authority="WHO" uid="icd10_2030"/>
  <Title date="2030-01-01" name="ICD-10-EN-2030" version="2030">Classification, 10th Revision</Title>
  <Class code="E10" kind="category"><SubClass code="E10.0"/><SubClass code="E10.1"/>
    <Rubric kind="preferred"><Label xml:lang="en">Glump, unspecified</Label></Rubric></Class>
  <Class code="E10.0" kind="category"><SuperClass code="E10"/><SubClass code="E10.00"/>
    <Rubric kind="preferred"><Label xml:lang="en">With coma</Label></Rubric>
    <Rubric kind="inclusion"><Label xml:lang="en">Sleepy glump</Label></Rubric></Class>
  <Class code="E10.1" kind="category"><SuperClass code="E10"/>
    <Rubric kind="preferred"><Label xml:lang="en">Dry glump</Label></Rubric></Class>
</ClaML>
"""


def read(folder: Path, *contents: str, **options: bool) -> Terminology:
    files = []
    for place, content in enumerate(contents):
        files.append(folder / f"f{place}.xml")
        files[-1].write_text(content)
    build_terminology(read_release(files, options=ReadOptions(**options)), folder / "icd.terminology")
    return open_terminology(folder / "icd.terminology")


def test_all_pairs_of_a_concept_with_the_main_name_on_the_right(open_concepts):
    names = [concept("A", "l1", "l2", "l3", "l4"), concept("B", "m1"), concept("C"), concept("D", "n1", "n2")]
    examples = examples_of(open_concepts(names), "synonyms")
    assert texts_of(examples) == [
        ("l2", "l1"),
        ("l3", "l1"), ("l3", "l2"),
        ("l4", "l1"), ("l4", "l2"), ("l4", "l3"),
        ("n2", "n1"),
    ]  # fmt: skip


def test_a_spelling_counts_once(open_concepts):
    examples = examples_of(open_concepts([concept("A", "Left arm", "left-arm", "arm of the left")]), "synonyms")
    assert texts_of(examples) == [("arm of the left", "Left arm")]


@given(sizes=st.lists(st.integers(0, 6), max_size=12))
def test_pairs_within_are_d_times_d_minus_1_half(sizes):
    bounds = boundaries(np.array(sizes, dtype=np.int64))
    texts = np.arange(100, 100 + int(bounds[-1]))
    expected = [
        [int(texts[start + later]), int(texts[start + earlier])]
        for start, size in zip(bounds[:-1].tolist(), sizes, strict=True)
        for later in range(size)
        for earlier in range(later)
    ]
    assert within(texts, bounds).tolist() == expected
    assert len(expected) == sum(size * (size - 1) // 2 for size in sizes)


@given(data=st.data(), left=st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_pairs_across_are_the_product_of_both_sides(data, left):
    right = data.draw(st.lists(st.integers(0, 3), min_size=len(left), max_size=len(left)))
    place = st.integers(0, len(left) - 1)
    pairs = data.draw(st.lists(st.tuples(place, place), max_size=8))
    ends = [boundaries(np.array(sizes, dtype=np.int64)) for sizes in (left, right)]
    groups = [(np.arange(int(bounds[-1])) + shift, bounds) for bounds, shift in zip(ends, (100, 500), strict=True)]
    expected = [
        [100 + one, 500 + other]
        for a, b in pairs
        for one in range(*ends[0][a : a + 2].tolist())
        for other in range(*ends[1][b : b + 2].tolist())
    ]
    assert across(np.array(pairs, dtype=np.int64).reshape(-1, 2), *groups).tolist() == expected


def test_distinct_pairs_keep_the_first_way_round():
    assert distinct_pairs(np.array([[3, 1], [2, 2], [1, 3], [0, 1], [3, 1]])).tolist() == [[3, 1], [0, 1]]


# --- ICD-10 (Kong 4.1) -----------------------------------------------------------------------------------------------


def test_icd10_pairs_its_three_sections_both_ways(tmp_path):
    with read(tmp_path, TABULAR, INDEX, full_titles=True) as terminology:
        examples = examples_of([terminology], "synonyms")
    # title concatenation by the index, the code's description, and see also; the inclusion term is no section
    left = {("left toe Glump", "Toe glump of the left foot")}
    whole = {
        ("toe Glump", "Toe glump, unspecified"),
        ("toe Glump", "Sore, toe"),
        ("Toe glump, unspecified", "Sore, toe"),
    }
    assert sorted(texts_of(examples)) == sorted([*left, *whole, *(pair[::-1] for pair in left | whole)])
    assert examples.described["sections"] == {"title_concatenations": 2, "code_descriptions": 5, "see_also": 1}


def test_icd10_without_sections_is_paired_like_any_terminology(tmp_path):
    with read(tmp_path, TABULAR) as terminology:
        examples = examples_of([terminology], "synonyms")
    assert texts_of(examples) == [("Glumpy toe", "Toe glump")]
    assert "sections" not in examples.described


@pytest.mark.parametrize("scopes", [("exact", "narrow", "related"), ("exact", "narrow", "related", "broad")])
def test_titles_that_say_too_little_are_concatenated_here_or_by_the_import(tmp_path, scopes):
    pool = PoolOptions(scopes=scopes)
    with read(tmp_path, CLAML) as terminology:
        examples = examples_of([terminology], "synonyms", pool=pool)
    assert sorted(texts_of(examples)) == [("Glump with coma", "With coma"), ("With coma", "Glump with coma")]
    assert examples.texts.concepts[examples.table("train")].tolist() == [[1, 1], [1, 1]]
    with read(tmp_path, CLAML, full_titles=True) as terminology:
        if "broad" in scopes:  # the import keeps the published title as a broad name
            assert sorted(texts_of(examples_of([terminology], "synonyms", pool=pool))) == sorted(texts_of(examples))
        else:
            made = texts_of(examples_of([terminology], "synonyms", pool=pool))
            assert made == [("Sleepy glump", "Glump with coma")]


def test_icd10_and_another_terminology_are_each_paired_their_own_way(tmp_path, open_concepts):
    with read(tmp_path, CLAML) as terminology:
        others = open_concepts([concept("A", "l1", "l2")])
        for order in ([terminology, *others], [*others, terminology]):
            made = texts_of(examples_of(order, "synonyms"))
            assert sorted(made) == [("Glump with coma", "With coma"), ("With coma", "Glump with coma"), ("l2", "l1")]
