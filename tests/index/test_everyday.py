"""Everyday names in an index: which concepts get them, which do not, and what comes after a change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ontonym.index import AddedTerm, IndexOptions, add_terms, open_index, update_index
from ontonym.index.everyday import SOURCE, ClinicalForms, clinical_synonyms, everyday_names
from ontonym.tasks import SearchOptions, annotate, search
from ontonym.tasks.annotation.overlaps import EVERYDAY
from ontonym.text.normalization import canonical, tokens

SYNCOPE = "id: H:1\nname: Syncope"
MURMUR = "id: H:2\nname: Heart murmur"
PREFERRED = 'id: H:3\nname: Fainting fit\nsynonym: "Passed out" EXACT []'
OTHER = "id: O:1\nname: Syncope"
NARROW = 'id: H:4\nname: Collapse\nsynonym: "Syncope" RELATED []'


def test_a_concept_is_found_by_what_people_say(workshop: Any) -> None:
    with_names = workshop.index(workshop.terminology("a", SYNCOPE, MURMUR), options=IndexOptions())
    (hit, *_) = search(with_names, "passed out")
    assert (hit.id, hit.matched, hit.kind, hit.source, hit.reason.rule) == ("H:1", "passed out", "lay", SOURCE, "exact")
    assert "passed out" in with_names.aliases(0)
    assert with_names.aliases(0)[0] == "Syncope"


def test_the_other_clinical_names_of_a_row_are_names_of_a_concept_that_has_one(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("a", "id: H:9\nname: Influenza", SYNCOPE), options=IndexOptions())
    (hit, *_) = search(index, "flu")
    assert (hit.id, hit.matched, hit.source, hit.reason.rule) == ("H:9", "flu", SOURCE, "exact")


def test_a_clinical_name_is_found_with_of_too(workshop: Any) -> None:
    """The list has ankle sprain and fracture of toe; classifications write it one way or the other."""
    sprain, fracture = "id: H:9\nname: Sprain of ankle", "id: H:8\nname: Toe fracture"
    index = workshop.index(workshop.terminology("a", sprain, fracture), options=IndexOptions())
    assert [search(index, text)[0].id for text in ("twisted ankle", "broken toe")] == ["H:9", "H:8"]


def test_a_name_that_is_only_near_brings_what_people_say_and_no_name(workshop: Any) -> None:
    """Sleep apnea is snoring and more, where a terminology has nothing narrower; but not all of it is obstructive."""
    apnea = "id: H:9\nname: Sleep apnea"
    index = workshop.index(workshop.terminology("a", apnea, SYNCOPE), options=IndexOptions())
    said = index.aliases(0)
    assert "choking and snorting awake" in said
    assert "obstructive sleep apnea" not in said


def test_they_do_not_move_the_mean_of_a_concepts_own_names(workshop: Any) -> None:
    terminology = workshop.terminology("a", 'id: H:1\nname: Syncope\nsynonym: "Swoon" EXACT []', MURMUR)
    found = {}
    for everyday in (False, True):
        index = workshop.index(terminology, options=IndexOptions(everyday=everyday), name=f"with {everyday}")
        options = SearchOptions(strategy="O-C", signal="dense", verbatim=True)
        found[everyday] = {text: search(index, text, options) for text in ("Syncope", "Swoon", "passed out")}
    for text in ("Syncope", "Swoon"):
        plain, beside = (found[everyday][text][0] for everyday in (False, True))
        assert beside.id == plain.id == "H:1"
        assert beside.confidence == pytest.approx(plain.confidence, abs=0.02)
    assert found[True]["passed out"][0].confidence > found[False]["passed out"][0].confidence


def test_they_can_be_left_out(workshop: Any) -> None:
    terminology = workshop.terminology("a", SYNCOPE, MURMUR)
    without = workshop.index(terminology, options=IndexOptions(everyday=False))
    assert without.signals.everyday is None
    assert without.aliases(0) == ("Syncope",)
    english = workshop.index(workshop.terminology("b", SYNCOPE), options=IndexOptions(languages=("en",)), name="b")
    assert english.signals.everyday is not None


def test_the_terminology_s_own_names_win(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("a", SYNCOPE, PREFERRED), options=IndexOptions())
    assert search(index, "passed out")[0].id == "H:3"
    assert "passed out" not in index.aliases(0)


def test_articles_inside_a_name_make_no_other_one(workshop: Any) -> None:
    palate, roof = "id: H:8\nname: Hard palate", "id: H:9\nname: Roof of mouth"
    index = workshop.index(workshop.terminology("a", palate, roof), options=IndexOptions())
    assert "roof of the mouth" not in index.aliases(0)
    assert "top of my mouth" in index.aliases(0)
    assert search(index, "roof of the mouth")[0].id == "H:9"


def test_each_terminology_gets_them_and_related_synonyms_do_not(workshop: Any) -> None:
    one, two = workshop.terminology("a", SYNCOPE, NARROW), workshop.terminology("b", OTHER)
    index = workshop.index(one, two, options=IndexOptions())
    named = [index.id(concept) for concept in range(index.concept_count) if "passed out" in index.aliases(concept)]
    assert named == ["H:1", "O:1"]


@pytest.mark.parametrize(
    ("formal", "asked"),
    [
        ("Ventricular premature depolarization", "premature ventricular contractions"),
        ("Malignant neoplasm of ovary", "ovarian cancer"),
        ("Dissection of aorta", "aortic dissection"),
        ("Abnormal results of thyroid function studies", "raised TSH"),
    ],
)
def test_clinical_words_lead_to_the_formal_names_of_classifications(workshop: Any, formal: str, asked: str) -> None:
    index = workshop.index(workshop.terminology("a", SYNCOPE, f"id: H:5\nname: {formal}"), options=IndexOptions())
    (hit, *_) = search(index, asked)
    assert (hit.id, hit.confidence > 0.9) == ("H:5", True)


def test_added_terms_follow_them(workshop: Any) -> None:
    place = workshop.index(workshop.terminology("a", SYNCOPE, MURMUR), options=IndexOptions()).path
    add_terms(place, [AddedTerm("H:2", "whooshing valve")])
    with open_index(place) as index:
        (hit, *_) = search(index, "whooshing valve")
        assert (hit.id, hit.source) == ("H:2", "added")
        assert search(index, "passed out")[0].source == SOURCE
        assert index.aliases(1)[-1] == "whooshing valve"
        (alone, *_) = search(index, "passed out", SearchOptions(strategy="D-T"))
        assert alone.id == "H:2"


@pytest.mark.slow
def test_an_update_keeps_and_renews_them(workshop: Any, tmp_path: Path) -> None:
    place = workshop.index(workshop.terminology("a", MURMUR), options=IndexOptions()).path
    newer = workshop.terminology("newer", MURMUR, SYNCOPE)
    update_index(place, [newer.path])
    with open_index(place) as index:
        assert search(index, "passed out")[0].id == "H:1"
    fresh = workshop.index(newer, options=IndexOptions(), name="fresh")
    for file in sorted((fresh.path / "everyday").iterdir()):
        assert (place / "everyday" / file.name).read_bytes() == file.read_bytes(), file.name


def test_every_row_of_the_list_is_whole() -> None:
    rows = everyday_names()
    assert len(rows) > 4_000
    assert sum(len(said) for _, said in rows) > 20_000
    for clinical, said in rows:
        assert all(name and name == name.strip() for name in (*clinical, *said))
        assert not {canonical(name) for name in clinical} & {canonical(name) for name in said}
    assert all(set(same) <= set(clinical) for same, (clinical, _) in zip(clinical_synonyms(), rows, strict=True))
    firsts = [canonical(clinical[0]) for clinical, _ in rows]
    assert len(set(firsts)) == len(firsts)


def test_in_texts_everyday_names_are_less_sure_and_no_other_words(workshop: Any) -> None:
    immune, blood = "id: H:9\nname: Acquired immunodeficiency syndrome", "id: H:8\nname: Infectious mononucleosis"
    index = workshop.index(workshop.terminology("a", immune, blood, SYNCOPE), options=IndexOptions())
    assert {"aids", "glandular"} <= {name.lower() for row in range(3) for name in index.aliases(row)}
    said, meant = annotate(index, "It was syncope: he passed out."), {"syncope": 1.0, "passed out": EVERYDAY}
    assert {one.text: one.confidence for one in said} == {
        text: pytest.approx(sure * said[0].confidence) for text, sure in meant.items()
    }
    assert [one.text for one in annotate(index, "An aid for AIDS, with glandular fever and glandular atrophy.")] == [
        "AIDS", "glandular fever",
    ]  # fmt: skip


def test_clinical_names_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = ClinicalForms.of(None)
    fresh.save(tmp_path)
    read: list[str] = []
    monkeypatch.setattr("ontonym.index.everyday.tokens", lambda name: read.append(name) or tokens(name))
    kept = ClinicalForms.of(tmp_path)
    assert read == []
    for one, other in zip(kept, fresh, strict=True):
        assert (one == other).all()
    rows = everyday_names()
    others = ((("a new name of it",), ("said so",)), *rows[5:])
    monkeypatch.setattr("ontonym.index.everyday.everyday_names", lambda: others)
    changed = ClinicalForms.of(tmp_path)  # another release of ontonym has another list
    assert read == ["a new name of it"]
    skipped = sum(len(clinical) for clinical, _ in rows[:5])
    assert (changed.forms[1:] == fresh.forms[skipped:]).all()
    assert (changed.rows[1:] == fresh.rows[skipped:] - 4).all()
    assert changed.forms[0, 0] != changed.forms[0, 1]  # with "of" and without it
