"""Artifacts that answer: opened by any path, asked by methods or functions, with options as keywords."""

from __future__ import annotations

import copy
import itertools
import math
import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ontonym
from ontonym.encoder.static import StaticEncoder
from ontonym.errors import FormatError, InputError, UnknownNameError, WrongTypeError
from ontonym.index import Index, open_index
from ontonym.store import Terminology
from ontonym.tasks.columns import text_of


def test_open_knows_every_kind(heart: Path) -> None:
    with ontonym.open(str(heart / "a.index")) as index, ontonym.open(heart / "heart.terminology") as terminology:
        assert isinstance(index, Index)
        assert isinstance(terminology, Terminology)
    assert isinstance(ontonym.open(heart / "a.encoder"), StaticEncoder)
    assert isinstance(ontonym.open("static"), StaticEncoder)


def test_open_reads_mappings(tmp_path: Path) -> None:
    file = tmp_path / "map.sssom.tsv"
    columns = ("subject_id", "predicate_id", "object_id", "mapping_justification")
    row = ("A:1", "skos:exactMatch", "B:2", "semapv:ManualMappingCuration")
    file.write_text("\n".join(map("\t".join, (columns, row))) + "\n")
    assert [row["object_id"] for row in ontonym.open(file).rows] == ["B:2"]


def test_open_says_how_a_release_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.obo").write_text("format-version: 1.2\n\n[Term]\nid: T:1\nname: Fever\n")
    with pytest.raises(FormatError, match=r"a\.obo: no mapping in it\..* is read by `import_release`"):
        ontonym.open(tmp_path / "a.obo")


def test_home_is_expanded(heart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(heart))
    assert ontonym.search("~/a.index", "fits")[0].id == "H:6"
    assert ontonym.open("~/heart.terminology")["H:6"].preferred == "Seizure"


def test_search_takes_keywords(index: ontonym.IndexHandle) -> None:
    assert [hit.id for hit in index.search("fits", k=1)] == ["H:6"]
    assert index.search("heart", within="H:2", k=2).query == "heart"
    assert {hit.id for hit in index.search("abnormality of the heart", within="H:5")} <= {"H:5"}
    assert ontonym.search(index, "fits", ontonym.SearchOptions(k=1)) == index.search("fits", k=1)


@pytest.mark.parametrize("least", [-0.1, 80, float("nan")])
def test_the_lowest_confidence_is_one(index: ontonym.IndexHandle, least: float) -> None:
    with pytest.raises(InputError, match=r"but a confidence is between 0 and 1"):
        index.search("fits", least=least)


def test_an_unknown_keyword_lists_the_valid_ones(index: ontonym.IndexHandle) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown option 'limit'.*Valid: k, least"):
        index.search("fits", limit=3)


def test_an_index_opened_below_is_taken_too(heart: Path) -> None:
    with open_index(heart / "a.index") as plain:
        assert ontonym.search(plain, "fits", k=1)[0].id == "H:6"
        assert [one.id for one in ontonym.normalize(plain, ["fits", "fever"])] == ["H:6", "H:5"]


def test_hits_show_themselves(index: ontonym.IndexHandle) -> None:
    hits = index.search("heart attack", k=1)
    title, headers, row = repr(hits).splitlines()
    assert title == "1 concept for “heart attack”"
    assert headers.split() == ["id", "name", "confidence", "branch", "why"]
    assert row.startswith("H:3  Myocardial infarction")
    assert "<td" in hits._repr_html_()
    assert "nothing found" in repr(index.search("…"))


def test_html_of_a_query_is_escaped(index: ontonym.IndexHandle) -> None:
    assert "<script>" not in index.search("<script>fits</script>", k=1)._repr_html_()


def test_normalize_takes_texts_mentions_and_streams(index: ontonym.IndexHandle) -> None:
    answers = index.normalize(["fits", ontonym.Mention("fever")])
    assert [one.id for one in answers] == ["H:6", "H:5"]
    assert len(index.normalize("fits")) == 1
    asked = []

    def typed():
        for text in ("fits", "fever", "fits"):
            asked.append(text)
            yield text

    stream = index.normalize(typed(), at_once=1)
    assert (next(stream).id, asked) == ("H:6", ["fits"]), "it reads no further than it must"
    assert index.normalize(["fits"], k=2, threshold=0.0)[0].id == "H:6"


def test_a_name_in_place_of_an_id_says_the_id(index: ontonym.IndexHandle) -> None:
    with pytest.raises(ontonym.UnknownIdError, match=r"no concept 'fever' in .*\. Did you mean H:5\?"):
        index["fever"]
    assert index.get("fever") is None
    assert index.get("5") == index["H:5"]
    assert [one.get(id_) for one in index.terminologies[:1] for id_ in ("H:5", "H:99")] == [
        index.terminologies[0]["H:5"], None,
    ]  # fmt: skip


def test_a_missing_text_has_no_concept_and_keeps_its_place(index: ontonym.IndexHandle) -> None:
    given = ["fits", None, math.nan, "", "fever"]
    assert [one.id for one in index.normalize(given)] == ["H:6", None, None, None, "H:5"]
    assert [one.id for one in index.normalize(iter(given), at_once=1)] == ["H:6", None, None, None, "H:5"]
    assert [len(one) for one in index.annotate(given)] == [1, 0, 0, 0, 1]


def test_what_is_found_says_its_concept_and_its_place(index: ontonym.IndexHandle) -> None:
    found = index.annotate("Denies fever.")[0]
    assert (found.start, found.end, found.text, found.preferred) == (7, 12, "fever", index["H:5"].preferred)
    answer, nil = index.normalize(["fits", "qwxyz"], threshold=0.9)
    assert (answer.text, answer.preferred, nil.text, nil.preferred) == ("fits", "Seizure", "qwxyz", None)


def test_candidates_of_all_mentions_are_one_table(index: ontonym.IndexHandle) -> None:
    answers = index.normalize(["fits", None, "fever"], k=2)
    columns = answers.candidates.columns()
    assert columns["place"] == [0, 0, 2, 2]
    assert columns["rank"] == [1, 2, 1, 2]
    assert columns["id"] == [hit.id for one in answers for hit in one.candidates]
    assert columns["similarity"] == [hit.similarity for one in answers for hit in one.candidates]
    assert repr(answers.candidates).startswith("4 candidates of 2 mentions\n")


def test_unknown_keywords_list_all_that_there_are(index: ontonym.IndexHandle) -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'jobs'\?"):
        index.normalize(["fits"], n_jobs=2)
    with pytest.raises(UnknownNameError, match=r"Did you mean 'column'\?"):
        index.annotate("fits", colum="note")
    with pytest.raises(WrongTypeError, match=r"keywords \(column, jobs, on, at_once, threshold, .*\), not int"):
        index.normalize(["fits"], 2)
    with pytest.raises(WrongTypeError, match=r"a column as a keyword, `column=`, not str"):
        index.normalize(["fits"], "note")
    with pytest.raises(InputError, match="0 mentions at once were asked for"):
        index.normalize(["fits"], at_once=0)


def test_answers_say_which_findings_are_negated(index: ontonym.IndexHandle) -> None:
    _, _, several, one = repr(index.normalize(["palpitations without fever", "no fever"])).splitlines()
    assert several.endswith("negated: no|yes")
    assert one.endswith(", negated")


def test_options_take_lists_and_one_text_as_keywords_do(index: ontonym.IndexHandle) -> None:
    wanted = [hit.id for hit in index.search("fits", within="H:6")]
    for within in ("H:6", ["H:6"], {"H:6"}, index["H:6"]):
        options = ontonym.SearchOptions(within=within)
        assert [hit.id for hit in index.search("fits", options)] == wanted == ["H:6"]
        (answer,) = index.normalize(["fits"], ontonym.NormalizeOptions(search=options))
        assert [hit.id for hit in answer.candidates] == wanted
    with pytest.raises(WrongTypeError, match="give a text, or several, for `within=`, not int"):
        index.search("fits", ontonym.SearchOptions(within=6))


def test_results_are_members_of_sets(index: ontonym.IndexHandle) -> None:
    assert len({*index.search("fits"), *index.search("fits")}) == len(index.search("fits"))
    for ask in (index.normalize, index.annotate):
        assert len({ask("fits")[0], ask("fits")[0], ask("fever")[0]}) == 2


def test_an_unknown_id_is_a_key_that_is_not_there(index: ontonym.IndexHandle) -> None:
    with pytest.raises(KeyError) as raised:
        index["H:333"]
    assert str(raised.value).startswith("no concept 'H:333' in ")


def test_a_stream_over_a_path_outlives_the_call(heart: Path) -> None:
    assert [one.id for one in ontonym.normalize(heart / "a.index", iter(["fits"]))] == ["H:6"]
    endless = ontonym.normalize(heart / "a.index", itertools.cycle(["fits", "fever"]), at_once=2)
    assert [next(endless).id for _ in range(3)] == ["H:6", "H:5", "H:6"]
    with pytest.raises(UnknownNameError, match="unknown option 'tresh'"):
        ontonym.normalize(heart / "a.index", iter(["fits"]), tresh=0.5)


def test_annotate(index: ontonym.IndexHandle) -> None:
    found = index.annotate("Denies fever. Possible heart attack.")
    assert [(one.id, one.negated, one.uncertain) for one in found] == [("H:5", True, False), ("H:3", False, True)]
    assert [len(one) for one in index.annotate(["Fever.", "Well.", "Fits and fever."])] == [1, 0, 2]
    assert "negated" in repr(found)
    assert ontonym.annotate(index, "Fever.")[0].id == "H:5"


def test_concepts_by_id(index: ontonym.IndexHandle, heart: Path) -> None:
    assert index["H:3"].definition == "Death of heart muscle."
    assert index["H:3"].parents.ids == ("H:2",)
    assert "H:3" in index
    assert "H:33" not in index
    assert [concept.id for concept in index][:2] == ["H:1", "H:2"]
    assert len(index) == len([*index]) == index.concept_count < index.name_count
    (inside,) = index.terminologies
    assert (inside["H:3"], "H:33" in inside, [one.id for one in inside]) == (
        index["H:3"],
        False,
        [one.id for one in index],
    )
    terminology = ontonym.open_terminology(heart / "heart.terminology")
    assert terminology["H:3"] == index["H:3"]
    assert (len(terminology), next(one.preferred for one in terminology)) == (6, "Abnormality")
    assert ontonym.show(heart / "a.index", "H:3").names == ("Myocardial infarction", "Heart attack")
    assert "└── Seizure  H:6" in repr(ontonym.tree(index, "H:6"))
    assert repr(ontonym.tree(heart / "heart.terminology")).startswith("Abnormality  H:1")


def test_explain(index: ontonym.IndexHandle) -> None:
    found = ontonym.explain(index, "fits", "H:6", k=3)
    assert found.rank == 1
    first, second, *_ = repr(found).splitlines()
    assert first == f"Seizure H:6 for “fits”: confidence {found.hit.confidence:.2f}"
    assert second.startswith(f"  “{found.hit.matched}” (")
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 (pickled here)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda index: index.search(3), "give a text to search for (`normalize()` takes several), not int"),
        (lambda index: index.search("fits", {"k": 3}), "give SearchOptions, or its fields as keywords"),
        (lambda index: index[3], "give the id of a concept as text"),
        (lambda index: index.normalize(3), "give texts, mentions"),
        (lambda index: index.normalize([3]), "give texts, mentions"),
        (lambda index: index.normalize(["fits"], column="x"), "a data frame of pandas or polars"),
        (lambda index: index.normalize(["fits", 1.5]), "with `column=`, not float (at position 1)"),
        (lambda index: index.annotate(3), "give a text, or several, not int"),
        (lambda index: index.annotate(["fits", 3]), "give a text, or several, not int (at position 1)"),
        (lambda index: index.annotate(None), "give a text, or several, not NoneType"),
        (lambda index: index.annotate({"fits": 1}), "give a text, or several, not dict"),
        (lambda index: index.add_terms([3]), "give pairs of id and text"),
        (lambda _: ontonym.build_terminology([ontonym.Concept("H:1", ())], "x"), "give a release as `read_release"),
        (lambda _: ontonym.search(None, "fits"), "give an index: its path"),
        (lambda _: ontonym.open(3), "give the path of an artifact, not int"),
        (lambda index: ontonym.show(index, 3), "give the id of a concept as text"),
        (lambda index: ontonym.tree(index, 3), "give the id of a concept as text"),
        (lambda index: index["H:3"].is_a(3), "give the id of a concept as text"),
        (lambda index: index.resolve(3), "give the id of a concept as text"),
        (lambda index: index.explain(None, "H:3"), "give the text that is searched for, not NoneType"),
        (lambda index: index.normalize(["fits"], jobs="2"), "give a whole number for `jobs=`, not str"),
        (lambda index: index.annotate(["fits"], jobs=None), "give a whole number for `jobs=`, not NoneType"),
        (lambda _: ontonym.carry("a.csv", None, "b.csv"), "give the pair of an old and a new terminology"),
        (lambda _: ontonym.carry("a.csv", [("a", "b"), "c"], "b.csv"), "or several pairs, not str (at position 1)"),
        (
            lambda index: ontonym.build_index("x", "y", encoder=index),
            "or what `ontonym.open_encoder()` made of it, not ontonym.IndexHandle",
        ),
        (lambda index: ontonym.update(index, "x", encoder=index.signals), "made of it, not ontonym"),
        (lambda index: index.encoder.encode("fits"), "give a list of texts, not str"),
        (lambda index: index.encoder.encode(one for one in ["fits"]), "give a list of texts, not generator"),
        (lambda index: index.search(["fits"]), "(`normalize()` takes several), not list"),
        (lambda index: index.encoder.encode_names("fits"), "give a list of texts, not str"),
        (lambda index: ontonym.match(3, index), "give a terminology: its path"),
        (lambda index: index.search("fits", reranking="my.reranker"), "for reranking, not str"),
    ],
)
def test_wrong_types_say_what_to_give(index: ontonym.IndexHandle, asked, said: str) -> None:
    with pytest.raises(WrongTypeError) as raised:
        asked(index)
    assert said in str(raised.value)
    assert isinstance(raised.value, TypeError)


def test_a_terminology_in_place_of_an_index_says_what_to_do(heart: Path) -> None:
    with pytest.raises(InputError, match=r"is of kind terminology; make an index of it with `build_index\(\)`"):
        ontonym.search(heart / "heart.terminology", "fits")


def test_an_open_index_is_what_lower_rooms_take(index: ontonym.IndexHandle) -> None:
    from ontonym.tasks import search

    assert search(index, "fits")[0].id == "H:6"
    assert type(index.refreshed()) is type(index)


def test_working_folder_and_environment_stay(index: ontonym.IndexHandle) -> None:
    before = (Path.cwd(), dict(os.environ))
    index.search("fits")
    assert (Path.cwd(), dict(os.environ)) == before


WRONG = [
    ({"k": "3"}, "give a whole number for `k=`, not str"),
    ({"k": 2.5}, "give a whole number for `k=`, not float"),
    ({"k": True}, "give a whole number for `k=`, not bool"),
    ({"verbatim": "no"}, "give True or False for `verbatim=`, not str"),
    ({"within": 3}, "give a text, or several, for `within=`, not int"),
    ({"within": ["H:2", 3]}, "give a text, or several, for `within=`, not int"),
    ({"signal": 3}, "give a text for `signal=`, not int"),
    ({"threshold": "high"}, "give a number or None for `threshold=`, not str"),
]


@pytest.mark.parametrize(("keywords", "said"), WRONG)
def test_a_keyword_of_a_wrong_type_says_what_to_give(index, keywords, said):
    with pytest.raises(WrongTypeError) as raised:
        index.normalize(["fever"], **keywords)
    assert str(raised.value) == said


def test_numbers_of_numpy_and_a_threshold_that_is_a_whole_number_are_taken(index):
    assert index.normalize(["fever"], k=np.int64(1), threshold=0)[0].id == "H:5"
    assert index.normalize(["fever"], threshold=np.float32(0.5))[0].id == "H:5"


def test_a_name_that_is_no_text_is_unknown(index):
    with pytest.raises(UnknownNameError, match="unknown kind of mention 1"):
        index.annotate("fits", find=1)


def test_in_says_what_is_found(index: ontonym.IndexHandle, heart: Path) -> None:
    with ontonym.open(heart / "heart.terminology") as terminology:
        for source in (index, terminology):
            for concept_id in ("H:3", "3", "h:3"):
                assert source[concept_id].id == "H:3"
                assert concept_id in source
            assert "H:33" not in source
            assert 3 not in source


LONG = "fits " * 2_500


def test_a_list_with_a_text_that_is_too_long_says_where(index: ontonym.IndexHandle) -> None:
    with pytest.raises(
        InputError, match=r"the text at position 2 has 12,500 characters, 'fits .*; 10,000 are the most"
    ):
        index.normalize(["fits", "fever", ontonym.Mention(LONG)])


@pytest.mark.parametrize(("bad", "said"), [(LONG, "position 2 has 12,500 characters"), (3, "at position 2")])
def test_a_stream_gives_what_is_answered_before_it_stops(index: ontonym.IndexHandle, bad: object, said: str) -> None:
    stream = index.normalize(iter(["fits", "fever", bad, "fits"]))
    assert [next(stream).id, next(stream).id] == ["H:6", "H:5"]
    with pytest.raises(InputError, match=said):
        next(stream)


def test_hits_keep_their_branches_however_they_are_ordered_and_cut(index: ontonym.IndexHandle) -> None:
    hits = index.search("heart fever seizure", k=10)
    known = {hit.id: names for hit, names in zip(hits, hits.branches, strict=True)}
    assert len(set(map(tuple, known.values()))) > 1
    hits.sort(key=lambda hit: hit.preferred)
    assert hits.branches == [known[hit.id] for hit in hits]
    del hits[0]
    assert hits.columns()["branches"] == ["; ".join(known[hit.id]) for hit in hits]
    assert len(repr(hits).splitlines()) == len(hits) + 2
    for part in (hits[:1], hits[::-1], hits.copy()):
        assert isinstance(part, type(hits))
        assert part.query == hits.query
        assert part.branches == [known[hit.id] for hit in part]
    hits.append(hits[0])
    assert hits.branches[-1] == hits.branches[0]
    answers = index.normalize(["fits", "fever"])
    assert repr(answers[1:]).startswith("1 mention")
    assert index.annotate("Fits.")[:1].text == "Fits."


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy])
def test_what_is_open_says_that_it_is_opened_by_its_path_elsewhere(index: ontonym.IndexHandle, copied) -> None:
    for one in (index, index.terminologies[0], index["H:3"]):
        with pytest.raises(TypeError, match=r"an open (index|terminology) is not pickled or copied: give .*heart"):
            copied(one)


def test_terms_go_to_the_place_that_was_given(index: ontonym.IndexHandle, monkeypatch: pytest.MonkeyPatch) -> None:
    given = Path("postgresql://me:secret@/terms/hp?host=/run/postgresql")
    changed: list[Path] = []
    for verb in ("add_terms", "remove_terms"):
        monkeypatch.setattr(f"ontonym.index.{verb}", lambda path, *_, **__: changed.append(path))
    monkeypatch.setattr(index, "_present", lambda: index)
    monkeypatch.setattr(index, "opened_as", replace(index.opened_as, path=given))
    index.add_terms([("H:6", "funny turn")])
    index.remove_terms([("H:6", "funny turn")])
    assert changed == [given, given], "the path that is shown has neither password nor options"


def test_a_cell_may_be_a_number_and_is_no_list() -> None:
    assert [text_of(one) for one in (np.float32("nan"), 7.0, np.str_("fits"))] == [None, "7", "fits"]
    for cell in (np.array(["fits", "fever"]), ["fits"], {"text": "fits"}):
        with pytest.raises(WrongTypeError, match="give a column of texts, one in each row, not"):
            text_of(cell)


def test_a_document_of_spacy_stands_for_its_text_and_a_concept_for_its_id(index: ontonym.IndexHandle) -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    doc = nlp("No fever. She has fits.")
    assert [one.span for one in index.annotate(doc)] == [one.span for one in index.annotate(doc.text)]
    assert [[one.id for one in some] for some in index.annotate([doc, doc[3:]])] == [["H:5", "H:6"], ["H:6"]]
    assert [[one.id for one in some] for some in index.annotate(nlp.pipe([doc.text, "Nothing."]))] == [
        ["H:5", "H:6"],
        [],
    ]
    assert [hit.id for hit in index.search("fits", within=index["H:2"])] == [
        hit.id for hit in index.search("fits", within="H:2")
    ]
    with pytest.raises(WrongTypeError, match="give a text, or several, for `within=`, not int"):
        index.search("fits", within=3)
