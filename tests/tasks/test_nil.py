"""Texts without a concept as a class (Xu's CUI-less), found where added terms are, against a plain reading of 3.2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from built import imported, indexed
from ontonym.errors import InputError
from ontonym.evaluate.corpora import open_corpus
from ontonym.evaluate.indexes import CorpusEvaluationOptions, evaluate_index
from ontonym.evaluate.ownterms import OwnTerms, add_own_terms, remove_own_terms
from ontonym.evaluate.strategies import StrategyOptions, evaluate_strategies
from ontonym.index import AddedTerm, Index, add_terms, holdings, open_index, remove_terms, update_index
from ontonym.index.open import IndexPlace
from ontonym.tasks import (
    STRATEGIES,
    NormalizeOptions,
    SearchOptions,
    explain_mention,
    normalize,
    search,
)
from ontonym.tasks.explain.texts import described_mention
from ontonym.types import NIL, Mention

CSV = """id,name
T:1,Myocardial infarction
T:1,Heart attack
T:2,Fainting
T:2,Syncope
T:3,Fever
T:4,Family disruption
"""
ADDED = (("T:1", "coronary event"), ("T:2", "funny turn"), (NIL, "family history"), (NIL, "events of note"))
QUERIES = ("family history", "family historys", "coronary event", "heart attack", "turn", "events", "family", "fevers")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return indexed(tmp_path, {"t.csv": CSV})


@pytest.fixture
def index(made: Path) -> Iterator[Index]:
    add_terms(made, [AddedTerm(*one) for one in ADDED])
    with open_index(made) as opened:
        yield opened


def answered(index: Index, text: str, **options: object) -> str | None:
    (answer,) = normalize(index, [Mention(text, "m")], NormalizeOptions(search=SearchOptions(**options)))  # type: ignore[arg-type]
    return answer.id


def plain(index: Index, module: str, query: str) -> dict[str, float]:
    """The similarity of every concept, and of NIL, under one module: equations 7 and 8 over D with NIL in it."""
    source, representation = module.split("-")
    own = [tuple(row.split(",")) for row in CSV.splitlines()[1:]]
    names = [*(own if "O" in source else []), *(ADDED if "D" in source else [])]
    vectors = index.encoder.encode_names([name for _, name in names])
    asked = index.encoder.encode_names([query])[0]
    found = {}
    for concept in {concept for concept, _ in names}:
        held = vectors[[row for row, (id_, _) in enumerate(names) if id_ == concept]]
        mean = held.mean(axis=0)
        near = (held @ asked).max() if representation == "T" else mean @ asked / np.linalg.norm(mean)
        found[concept] = float(near)
    return found


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_answer_is_that_of_a_plain_search_with_nil_as_one_concept_more(index: Index, strategy: str) -> None:
    answers = []
    for query in QUERIES:
        *sieves, last = strategy.split("+")
        expected = plain(index, last, query)
        for module in sieves:
            first = plain(index, module, query)
            expected = first if max(first.values()) >= 0.95 else expected
        best, second = sorted(expected.values(), reverse=True)[:2]
        answers.append(answered(index, query, strategy=strategy, signal="dense", verbatim=True) or NIL)
        if best > 0 and best - second > 0.02:  # int8 decides what is nearer than that
            assert expected[answers[-1]] == best, (query, expected)
    is_found = "D" in strategy and not strategy.startswith("D-C+O-")  # no query is so near the mean of two texts
    assert (NIL in answers) == is_found


@pytest.mark.parametrize("signal", ["fused", "lexical", "char", "dense"])
def test_what_is_most_like_a_text_of_nil_has_no_concept_under_every_signal(index: Index, signal: str) -> None:
    assert answered(index, "Family history", signal=signal) is None
    assert answered(index, "heart attack", signal=signal) == "T:1"
    assert answered(index, "funny turn", signal=signal) == "T:2"
    assert search(index, "family history")[0].id == "T:4"


def test_of_a_text_that_is_nil_and_a_term_the_commoner_one_answers(made: Path) -> None:
    for times, expected in ((2, "T:3"), (3, "T:3"), (4, None)):
        add_terms(made, [AddedTerm("T:3", "warm", 3), AddedTerm("cui-less", "warm", times)])
        with open_index(made) as index:
            assert answered(index, "warm") == expected
            assert {one.term.id for one in holdings(index)} == {"T:3", NIL}


def test_without_them_the_index_answers_as_before_and_an_open_one_does_not_change(made: Path) -> None:
    with open_index(made) as opened:
        before = answered(opened, "family disruptions")
        assert before == "T:4"
        change = add_terms(made, [AddedTerm("CUI-less", "Family disruptions")])
        assert (change.added, change.unknown) == (1, ())
        assert answered(opened, "family disruptions") == "T:4"
        now = opened.refreshed()
        assert now.nil is not None and len(now.nil) == 1
        assert answered(now, "family disruptions") is None
        assert remove_terms(made, [AddedTerm(NIL, "Family disruptions")]).held == 0
        assert now.refreshed().nil is None
        assert answered(now.refreshed(), "family disruptions") == before


def test_they_stay_through_an_update(made: Path, index: Index, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    update_index(made, imported(tmp_path / "new", {"t.csv": f"{CSV}T:5,Gout\n"}))
    with open_index(made) as now:
        assert answered(now, "gout") == "T:5"
        assert answered(now, "family history") is None


def test_the_explanation_says_why(index: Index) -> None:
    explained = explain_mention(index, Mention("family history", "m"), NormalizeOptions(threshold=0.0))
    assert explained.nil is not None and explained.nil.rule == "added as NIL"
    (line,) = described_mention(explained)
    assert line == "texts that were added as NIL are nearer than Family disruption (T:4)"


CORPUS = """1|t|Family plans and a heart attack.
1|a|Family plans again.
1\t0\t12\tFamily plans\tDisease\t-1
1\t19\t31\theart attack\tDisease\tT:1
1\t33\t45\tFamily plans\tDisease\tCUI-less

"""


def test_a_corpus_gives_its_mentions_without_a_concept_where_they_are_wanted(made: Path, tmp_path: Path) -> None:
    gold, place = tmp_path / "gold.txt", IndexPlace(made)
    gold.write_text(CORPUS)
    own = OwnTerms(files=(str(gold),), who="ann")
    assert add_own_terms(place, own).files[0].counts.skipped == {"of_no_concept": 2}
    with_nil = replace(own, nil=True)
    done = add_own_terms(place, with_nil)
    assert (done.change.added, done.change.replaced, done.files[0].counts.skipped) == (1, 1, {})
    with open_index(made) as index:
        assert [(one.term.id, one.term.text, one.term.count, one.concept) for one in holdings(index)] == [
            ("T:1", "heart attack", 1, "T:1"),
            (NIL, "Family plans", 2, NIL),
        ]
        corpus = open_corpus(gold)
        figures = {}
        for strategy in ("O-T", "D-T+OD-T"):
            runs = evaluate_index(
                index,
                [corpus],
                CorpusEvaluationOptions(signals=("dense",), nil="in", resamples=10),
                normalizing=NormalizeOptions(search=SearchOptions(strategy=strategy)),
            )
            figures[strategy] = runs.first.measures["accuracy@1"].value
            assert runs.first.n == 3
        assert figures == {"O-T": pytest.approx(1 / 3), "D-T+OD-T": 1.0}
        tried = evaluate_strategies(index, [corpus], StrategyOptions(nil="in", signal="dense", resamples=10))
        found = {name: report.measures["accuracy@1"].value for name, report in tried.reports.items()}
        assert found["D-T"] == 1.0 and found["O-T"] == figures["O-T"]
        assert {report.n for report in tried.reports.values()} == {3}
    assert remove_own_terms(place, with_nil).change.held == 0


def test_a_folder_may_be_a_corpus(made: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "n.text").write_text("Family plans.")
    (notes / "n.pipe").write_text("n.text||Disease_Disorder||CUI-less||0||12\n")
    assert add_own_terms(IndexPlace(made), OwnTerms(files=(str(notes),), nil=True)).change.added == 1


def test_an_index_in_a_database_refuses_them(index: Index) -> None:
    from ontonym.index.added import Journal
    from ontonym.index.shared.outgoing import check_terms

    with pytest.raises(InputError, match=r"cannot hold texts without a concept \(NIL\)"):
        check_terms(Journal.open(index.path))
