"""Everyday names in an index: which concepts get them, which do not, and what comes after a change."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from listed import stored
from ontonym.index import AddedTerm, IndexOptions, add_terms, build_index, open_index, update_index
from ontonym.index.everyday import SOURCE, ListedNames, TextForms, everyday_names
from ontonym.index.names import forms_of
from ontonym.index.scan import Scan
from ontonym.store import open_terminology
from ontonym.tasks import SearchOptions, annotate, search
from ontonym.tasks.annotation.overlaps import EVERYDAY
from ontonym.tasks.explain.texts import matched
from ontonym.text.normalization import canonical, tokens
from ontonym.text.strings import Strings
from ontonym.types import Concept, Term

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


def test_a_concept_that_is_only_near_is_found_and_said_to_be_near(workshop: Any) -> None:
    """Obstructive sleep apnea is found as sleep apnea where a terminology has nothing narrower; it is not the same."""
    apnea, other = "id: H:9\nname: Sleep apnea", "id: O:9\nname: Obstructive sleep apnea"
    alone, both = workshop.terminology("a", apnea, SYNCOPE), workshop.terminology("b", other)
    index = workshop.index(alone, options=IndexOptions())
    near = search(index, "obstructive sleep apnea")[0]
    assert (near.id, near.scope, near.reason.rule) == ("H:9", "related", "exact")
    assert matched(near) == "“obstructive sleep apnea” (near name)"
    people = search(index, "choking and snorting awake")[0]
    assert (people.id, people.scope, matched(people).endswith("(everyday name)")) == ("H:9", "exact", True)
    index = workshop.index(alone, both, options=IndexOptions(), name="both")
    exact, beside = search(index, "obstructive sleep apnea")[:2]
    assert (exact.id, exact.equivalents, beside.id, beside.equivalents) == ("O:9", (), "H:9", ())
    exact, beside = search(index, "choking and snorting awake")[:2]
    assert (exact.id, exact.scope, beside.id, beside.scope) == ("O:9", "exact", "H:9", "related")


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


def test_they_make_no_clinical_word_farther_from_what_the_terminology_says(workshop: Any) -> None:
    terminology = workshop.terminology("a", 'id: H:1\nname: Syncope\nsynonym: "Swoon" EXACT []', MURMUR)
    near = {}
    for everyday in (False, True):
        index = workshop.index(terminology, options=IndexOptions(everyday=everyday), name=f"with {everyday}")
        for text in ("Syncope", "Swoon", "passed out"):
            evidence = index.signals.evidence(index.signals.query(text), Scan())
            near[everyday, text] = float(evidence.column("dense_concept")[evidence.concepts.tolist().index(0)])
    for text in ("Syncope", "Swoon"):
        assert near[True, text] == pytest.approx(near[False, text], abs=0.02)
    assert near[True, "passed out"] > near[False, "passed out"] + 0.1


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


def test_a_letter_at_the_end_of_a_name_is_no_article(workshop: Any) -> None:
    every = 'id: H:8\nname: Liver inflammation\nsynonym: "Hepatitis" EXACT []'
    index = workshop.index(workshop.terminology("a", every, "id: H:9\nname: Acute hepatitis A"), options=IndexOptions())
    assert search(index, "hepatitis A")[0].id == "H:9"


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
        ("Essential (primary) hypertension", "hypertension"),
        ("Diaphragmatic hernia without obstruction or gangrene", "hiatal hernia"),
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
    listed = ListedNames.read()
    own = np.flatnonzero(~listed.is_near)
    assert [(row, text) for row, (clinical, said) in enumerate(rows) for text in (*clinical, *said)] == list(
        zip(listed.rows[own].tolist(), listed.texts.take(own).tolist(), strict=True)
    )
    written = [(row, name) for row, (clinical, _) in enumerate(_rows_of_the_list()) for name in clinical]
    assert [(row, f"~{name}" if near else name) for row, name, near in zip(
        listed.rows[listed.is_clinical].tolist(),
        listed.texts.take(np.flatnonzero(listed.is_clinical)).tolist(),
        listed.is_near[listed.is_clinical].tolist(),
        strict=True,
    )] == written  # fmt: skip
    assert 0 < listed.is_near.sum() < listed.is_clinical.sum()
    assert not (listed.is_near & ~listed.is_clinical).any()
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


def test_texts_of_the_list_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def both(words: list[str]) -> tuple[list[str], list[str]]:
        return words, words[1:]

    listed = ListedNames.read().texts.take(np.arange(100))
    fresh = TextForms.of(listed, both, "listed", None)
    fresh.save(tmp_path, "listed")
    read: list[str] = []
    monkeypatch.setattr("ontonym.index.everyday.tokens", lambda name: read.append(name) or tokens(name))
    kept = TextForms.of(listed, both, "listed", tmp_path)
    assert read == []
    assert (
        kept.forms.tolist()
        == fresh.forms.tolist()
        == forms_of([form for text in listed for form in both(tokens(text))]).reshape(-1, 2).tolist()
    )
    others = Strings.joined([Strings.of(("a new name of it",)), listed.take(np.arange(5, 100))])
    changed = TextForms.of(others, both, "listed", tmp_path)  # another release of ontonym has another list
    assert read == ["a new name of it"]
    assert changed.forms[1:].tolist() == fresh.forms[5:].tolist()
    assert changed.forms[0].tolist() == forms_of([tokens("a new name of it"), tokens("new name of it")]).tolist()


def _rows_of_the_list() -> list[tuple[list[str], list[str]]]:
    text = files("ontonym.text").joinpath("everyday.tsv").read_text(encoding="utf-8")
    return [(line.split("\t")[0].split("|"), line.split("\t")[1].split("|")) for line in text.splitlines()]


def _form(text: str) -> tuple[str, ...]:
    return tuple(sorted(tokens(text)))


def _with_of(form: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(word for word in form if word != "of") if "of" in form else sorted([*form, "of"]))


def _expected(concepts: list[Concept], shortened: dict[str, list[str]]) -> dict[str, list[str]]:
    """The everyday names of the concepts of one terminology by the rules, word for word."""
    exact = [(concept.id, term) for concept in concepts for term in concept.terms if term.scope == "exact"]
    named = {_form(term.text) for concept in concepts for term in concept.terms}
    found: dict[str, dict[tuple[str, ...], str]] = {concept.id: {} for concept in concepts}
    own: set[tuple[str, tuple[str, ...]]] = set()
    said_of: set[tuple[str, tuple[str, ...]]] = set()
    for clinical, said in _rows_of_the_list():
        same = [name for name in clinical if not name.startswith("~")]
        forms = [(name, form) for name in clinical for one in [_form(name)] for form in (one, _with_of(one))]
        for name, form in forms:
            preferred = [id_ for id_, term in exact if term.kind == "preferred" and _form(term.text) == form]
            spelled = preferred or [id_ for id_, term in exact if _form(term.text) == form]
            holders = dict.fromkeys(spelled or [id_ for id_, texts in shortened.items() if form in map(_form, texts)])
            if not holders:
                continue
            for text in (*said, *same):
                first, *others = tokens(text)
                bare = tuple(sorted([first, *(word for word in others if word not in ("a", "an", "my", "the"))]))
                if _form(text) not in named and bare not in named:
                    for id_ in holders if len(holders) <= 3 else ():
                        found[id_].setdefault(_form(text), text)
                        own |= {(id_, _form(text))} if name in same else set()
                        said_of |= {(id_, _form(text))} if text in said else set()
            break
    named_so = {form for _, form in own}
    own |= {(id_, form) for id_, form in said_of if form not in named_so}  # what people say is near only beside these
    owned = {form for _, form in own}
    return {
        id_: [
            text
            for form, text in texts.items()
            if form not in map(_form, shortened.get(id_, ())) and ((id_, form) in own or form not in owned)
        ]
        for id_, texts in found.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_they_are_those_that_the_rules_give_and_updates_are_rebuilds(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [_rows_of_the_list()[row] for row in rng.choice(len(everyday_names()), 12, replace=False)]
    clinical = [name.lstrip("~") for names, _ in rows for name in names]
    drawn = [*clinical, *(f"{name}, unspecified" for name in clinical[::2]), *(said[0] for _, said in rows[::3])]
    drawn += [" of ".join(name.split()) for name in clinical[1::3]]

    def release(name: str, before: list[Concept]) -> list[Concept]:
        """A third of the concepts are new, gone, or have other names."""
        kept = [concept for concept in before if rng.random() > 0.33]
        new = [
            Concept(
                f"{name}:{number}",
                tuple(
                    Term(str(rng.choice(drawn)), kind, scope=scope)  # type: ignore[arg-type]
                    for kind, scope in (("preferred", "exact"), ("synonym", str(rng.choice(["exact", "related"]))))
                ),
            )
            for number in rng.choice(100, 14, replace=False).tolist()
        ]
        return sorted({concept.id: concept for concept in (*new, *kept)}.values(), key=lambda concept: concept.id)

    held: dict[str, list[Concept]] = {"A": [], "B": []}
    for step in range(3):
        held = {name: release(name, before) for name, before in held.items()}
        places = [stored(tmp_path / f"{name}{step}.terminology", made, name) for name, made in held.items()]
        with ExitStack() as stack:
            build_index([stack.enter_context(open_terminology(place)) for place in places], tmp_path / "rebuilt")
        if step:
            update_index(tmp_path / "updated", places)
            for file in sorted((tmp_path / "rebuilt").rglob("*")):
                other = tmp_path / "updated" / file.relative_to(tmp_path / "rebuilt")
                assert file.is_dir() or file.name == "manifest.json" or file.read_bytes() == other.read_bytes()
        else:
            shutil.copytree(tmp_path / "rebuilt", tmp_path / "updated")
        with open_index(tmp_path / "rebuilt") as index:
            beside = index.signals.everyday
            assert beside is not None
            given: dict[str, dict[str, list[str]]] = {"everyday name": {}, "shortened": {}}
            for row in range(len(beside)):
                of = given[beside.term(row).source].setdefault(index.id(int(beside.part.names.concepts[row])), [])
                of.append(beside.term(row).text)
        for name, concepts in held.items():
            shortened = {id_: texts for id_, texts in given["shortened"].items() if id_.startswith(name)}
            expected = _expected(concepts, shortened)
            assert {id_: given["everyday name"].get(id_, []) for id_ in expected} == expected
        assert sum(map(len, given["everyday name"].values())) > 10
