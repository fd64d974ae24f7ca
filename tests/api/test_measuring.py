"""What is measured from Python is what the commands measure."""

from __future__ import annotations

from pathlib import Path

import pytest

import ontonym
from listed import stored
from little_pages import CONCEPTS, PAGES
from ontonym.errors import InputError, UnknownNameError, WrongTypeError
from ontonym.index.pagebuild import build_pages

GOLD = "1|t|Heart attack with fits\n1|a|\n1\t0\t12\tHeart attack\tDisease\tH:3\n1\t18\t22\tfits\tDisease\tH:6\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (place := tmp_path / "gold.pubtator").write_text(GOLD)
    return place


def test_search_options_say_how_an_evaluation_searches(index: ontonym.IndexHandle, corpus: Path) -> None:
    plain = ontonym.evaluate_normalization(index, corpus, strategy="O-T", verbatim=True, signals="dense", resamples=20)
    assert plain.first.n == 2
    assert plain.first.protocol.names == "ontology"
    nowhere = ontonym.evaluate_normalization(index, corpus, within="H:2", resamples=20)
    assert nowhere.first.measures["accuracy@1"].value == 0.5
    with pytest.raises(UnknownNameError, match=r"unknown option 'k'. Valid: .*depth.*signals.*strategy"):
        ontonym.evaluate_normalization(index, corpus, k=3)
    with pytest.raises(InputError, match="there is no gold"):
        ontonym.evaluate_normalization(index)


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A corpus of two parts, in the layout of COMETA; the one to test with has one term."""
    head = "ID\tTerm\tGeneral SNOMED ID\tSpecific SNOMED ID\tExample\n"
    terms = {"train": ["1\theart attack\tH:3\tH:3\thad a heart attack", "2\tfits\tH:6\tH:6\thas fits"],
             "test": ["3\tpyrexia\tH:5\tH:5\twith pyrexia"]}  # fmt: skip
    for part, rows in terms.items():
        place = tmp_path / "cometa" / "stratified_general" / f"{part}.csv"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(head + "".join(f"{row}\n" for row in rows))
    return tmp_path / "cometa"


def test_a_part_of_a_corpus_is_chosen_by_its_name(index: ontonym.IndexHandle, parts: Path, heart: Path) -> None:
    with pytest.raises(InputError, match=r"has several parts: .*Say which: `split=NAME`"):
        ontonym.evaluate_normalization(index, parts, resamples=20)
    runs = ontonym.evaluate_normalization(index, parts, split="test", resamples=20)
    assert (runs.first.n, runs.first.protocol.split) == (1, "test")
    assert index.evaluate(parts, split="train", format="cometa", resamples=20).first.n == 2
    tried = ontonym.evaluate_strategies(heart / "a.index", parts, split="train", resamples=20)
    assert tried.reports[tried.best].n == 2
    with pytest.raises(InputError, match="only 1 query to calibrate on"):
        ontonym.calibrate(index, parts, split="test", keep=False)
    with pytest.raises(InputError, match="mentions are chosen by `types=` and `split=`: give `gold=` too"):
        ontonym.calibrate(index, split="test", types="Disease", keep=False)
    with pytest.raises(UnknownNameError, match=r"unknown option 'splits'.*prefix.*split"):
        ontonym.evaluate_normalization(index, parts, splits="test")


def test_hidden_names_are_those_that_are_searched_for(heart: Path, tmp_path: Path) -> None:
    with ontonym.open_terminology(heart / "heart.terminology") as opened:
        names = ontonym.hidden_names(opened, tmp_path / "hidden.txt", fraction=1)
        runs = ontonym.evaluate_heldout(opened, encoder=heart / "a.encoder", signals="char", fraction=1, resamples=20)
    assert sorted(names) == ["Fits", "Heart attack", "Pyrexia", "Skipped heart beats"]
    assert (tmp_path / "hidden.txt").read_text().split("\n")[:-1] == names
    assert runs.first.n == 4


def test_the_best_strategy_is_kept_where_that_is_asked_for(heart: Path, corpus: Path, tmp_path: Path) -> None:
    made = tmp_path / "own.index"
    ontonym.build_index(heart / "heart.terminology", made, encoder=heart / "a.encoder")
    tried = ontonym.evaluate_strategies(made, corpus, resamples=20)
    assert tried.best in tried.reports
    assert repr(tried).endswith(tried.verdict)
    with pytest.raises(InputError, match="tuned"):
        ontonym.search(made, "fits", strategy="tuned")
    ontonym.evaluate_strategies(made, corpus, keep=True, resamples=20)
    assert ontonym.search(made, "fits", strategy="tuned")[0].id == "H:6"


def test_runs_are_measured_by_their_files(tmp_path: Path) -> None:
    pytest.importorskip("ir_measures")
    (tmp_path / "qrels.txt").write_text("1 0 A 1\n2 0 B 1\n")
    (tmp_path / "mine.run").write_text("1 Q0 A 1 0.9 x\n2 Q0 A 1 0.9 x\n2 Q0 B 2 0.8 x\n")
    for runs in (tmp_path / "mine.run", [tmp_path / "mine.run"], {"mine": tmp_path / "mine.run"}):
        found = ontonym.evaluate_runs(tmp_path / "qrels.txt", runs, measures=("mrr",), resamples=20)
        assert found.shape["runs"]["mine"]["measures"]["mrr"]["value"] == 0.75


def test_two_near_categories_are_compared_with_a_far_one(heart: Path) -> None:
    pytest.importorskip("scipy")
    given = {"encoders": str(heart / "a.encoder")}
    found = ontonym.evaluate_categories(heart / "heart.terminology", ["H:2", "H:5"], "H:6", **given)
    assert "Fever" in found.text or "H:5" in found.text
    with pytest.raises(InputError, match="give two ids as `near=`, not 1"):
        ontonym.evaluate_categories(heart / "heart.terminology", "H:2", "H:6")


def test_annotation_is_measured_by_what_is_asked_for(index: ontonym.IndexHandle, corpus: Path, tmp_path: Path) -> None:
    found = ontonym.evaluate_annotation(index, corpus, resamples=20, mistakes=tmp_path / "wrong.tsv")
    assert found.shape["n"] == 2
    assert found.shape["measures"]["exact_recall"]["value"] == 1
    assert "Mentions found in texts" in found.text
    assert (tmp_path / "wrong.tsv").read_text().count("\n") == 1  # its header
    within = ontonym.evaluate_annotation(index, corpus, within="H:2", find="names", resamples=20)
    assert within.shape["measures"]["exact_recall"]["value"] == 1  # of what is within
    assert "1 gold mention with a place and a concept, 1 found" in within.text
    with pytest.raises(UnknownNameError, match=r"unknown option 'foo'. Valid: .*except_.*find.*prefix"):
        ontonym.evaluate_annotation(index, corpus, foo=3)
    with pytest.raises(UnknownNameError, match=r"unknown context 'negate'\. Did you mean 'negated'"):
        ontonym.evaluate_annotation(index, corpus, except_="negate")
    with pytest.raises(InputError, match="there is no gold"):
        ontonym.evaluate_annotation(index)


def test_an_alignment_is_measured_as_the_command_does(tmp_path: Path) -> None:
    pytest.importorskip("ir_measures")
    source = stored(tmp_path / "source.terminology", CONCEPTS, "source", "1")
    with ontonym.open_terminology(stored(tmp_path / "pages.terminology", PAGES, "pages", "1")) as pages:
        build_pages([pages], tmp_path / "little.pages")
    (tmp_path / "gold.sssom.tsv").write_text(
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
        "T:7\tskos:exactMatch\tWikidata:Q11\tsemapv:ManualMappingCuration\n"
    )
    found = ontonym.evaluate_alignment(
        source, tmp_path / "little.pages", tmp_path / "gold.sssom.tsv", cutoffs=(1, 3), candidates=5, resamples=20
    )
    assert found.shape["runs"]["weighed"]["measures"]["recall@1"]["value"] == 1
    assert set(found.shape["runs"]) == {"lexical", "char", "both", "all", "weighed"}


def test_an_open_encoder_stands_for_its_place(heart: Path, tmp_path: Path) -> None:
    encoder = ontonym.open_encoder(heart / "a.encoder")
    made = ontonym.build_index(heart / "heart.terminology", tmp_path / "own.index", encoder=encoder)
    assert made.content["identity"]["encoder"] == encoder.fingerprint
    (tmp_path / "pairs.csv").write_text("fits,Seizure,4\nfever,Heart attack,1\nPyrexia,fever,3\n")
    with ontonym.open(tmp_path / "own.index") as own:  # the encoder of an open index too
        again = ontonym.build_index(heart / "heart.terminology", tmp_path / "again.index", encoder=own.encoder)
    assert again.content["encoder"] == made.content["encoder"]
    pairs = tmp_path / "pairs.csv"
    mine = ontonym.evaluate_similarity(pairs, [encoder], resamples=20)
    assert mine.shape == ontonym.evaluate_similarity(pairs, [heart / "a.encoder"], resamples=20).shape
    with pytest.raises(WrongTypeError, match=r"what `ontonym.open_encoder\(\)` made of it"):
        ontonym.build_index(heart / "heart.terminology", tmp_path / "own.index", encoder=object())
