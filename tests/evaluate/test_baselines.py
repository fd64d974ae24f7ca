"""Search methods compared by a plan: rankers beside plain loops, what is kept and done again, and bad plans."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from made import concept, opened
from ontonym.encoder import open_encoder
from ontonym.errors import FormatError, InputError, LockedError, UnknownIdError
from ontonym.evaluate.baselines import RUNS, VECTORS, run_plan
from ontonym.evaluate.plan import read_plan
from ontonym.evaluate.questions import Target
from ontonym.evaluate.retrieval import BootstrapOptions
from ontonym.evaluate.searchmethods import BM25Ranker, CharRanker, EncoderRanker, SearchedNames, without_stop_words
from ontonym.index import build_index
from ontonym.replacing import lock
from ontonym.text.normalization import tokens
from ontonym.types import Concept, Term

OURS = [
    concept("T:0", "disease"),
    concept("T:1", "kidney failure", "renal failure", Term("gone failure", "synonym", status="retired"), parents="T:0"),
    concept("T:2", "acute kidney failure", parents="T:1"),
    concept("T:3", "heart failure", "cardiac failure", "failure of the heart", parents="T:0"),
    concept("T:4", "heart failure clinic", status="retired"),
    concept("T:5", "kidney heart"),
]
MORE = [concept("M:1", "heart pain", "pain of the heart")]
ASKED = ["heart failure", "acute renal failure", "the kidney", "nothing known", ""]


def quiet(stage: str, done: int, total: int) -> None:
    assert done <= total


@pytest.fixture
def names(tmp_path):
    with opened(tmp_path, OURS, MORE) as terminologies:
        yield SearchedNames(Target(terminologies))


def test_what_is_searched_are_active_names_of_active_concepts(names):
    assert list(names) == [
        "disease", "kidney failure", "renal failure", "acute kidney failure", "heart failure", "cardiac failure",
        "failure of the heart", "kidney heart", "heart pain", "pain of the heart",
    ]  # fmt: skip
    assert [names.id(place) for place in range(len(names.concepts))] == ["T:0", "T:1", "T:2", "T:3", "T:5", "M:1"]
    assert list(names.documents())[3] == "heart failure cardiac failure failure of the heart"


def by_hand(names, similarities, k):
    """The nearest concepts by their nearest names, one at a time."""
    owners = np.repeat(np.arange(len(names.concepts)), np.diff([*names.starts, len(names)]))
    found = []
    for row in similarities:
        best = {}
        for owner, value in zip(owners.tolist(), row.tolist(), strict=True):
            best[owner] = max(best.get(owner, 0.0), value)
        ordered = sorted((owner for owner in best if best[owner] > 0), key=lambda owner: (-best[owner], owner))
        found.append([(names.id(owner), pytest.approx(best[owner], abs=1e-6)) for owner in ordered[:k]])
    return found


def bm25(documents, query):
    """Lucene's BM25 in plain words."""
    parted = [tokens(text) for text in documents]
    mean = np.mean([len(words) for words in parted])
    scores = np.zeros(len(parted))
    for word in tokens(query):
        having = sum(word in words for words in parted)
        idf = np.log(1 + (len(parted) - having + 0.5) / (having + 0.5))
        for row, words in enumerate(parted):
            often = words.count(word)
            scores[row] += idf * often / (often + 1.2 * (1 - 0.75 + 0.75 * len(words) / mean))
    return scores


@pytest.mark.parametrize("k", [2, 50])
def test_bm25_over_names_and_over_documents(names, k):
    by_name = np.array([bm25(list(names), query) for query in ASKED])
    found = BM25Ranker(names, documents=False).search(ASKED, k, quiet)
    assert [list(one) for one in found] == by_hand(names, by_name, k)
    documents = list(names.documents())
    expected = np.array([bm25(documents, query) for query in ASKED])
    found = BM25Ranker(names, documents=True).search(ASKED, k, quiet)
    for row, answers in zip(expected, found, strict=True):
        order = [place for place in np.argsort(-row, kind="stable").tolist() if row[place] > 0][:k]
        assert [concept for concept, _ in answers] == [names.id(place) for place in order]
        assert [score for _, score in answers] == pytest.approx(row[order].tolist(), abs=1e-5)


def test_without_stop_words(names):
    assert without_stop_words("Failure of the heart, with no fever") == "Failure heart, fever"
    assert without_stop_words("The Who") == "Who"
    assert without_stop_words("not in") == "not in"
    plain = BM25Ranker(names, documents=False, rewrite=without_stop_words)
    kept = [without_stop_words(name) for name in names]
    expected = np.array([bm25(kept, without_stop_words(query)) for query in ASKED])
    assert [list(one) for one in plain.search(ASKED, 9, quiet)] == by_hand(names, expected, 9)
    assert plain.search(["the of"], 9, quiet) == [()]
    assert BM25Ranker(names, documents=False).search(["the of"], 9, quiet)[0][0][0] == "T:3"


def test_an_encoder_without_stop_words(names, tmp_path):
    encoder = open_encoder("default")
    kept = encoder.encode([without_stop_words(name) for name in names])
    expected = by_hand(names, encoder.encode([*map(without_stop_words, ASKED)]) @ kept.T, 4)
    found = EncoderRanker(names, encoder, tmp_path / "names.f32", without_stop_words).search(ASKED, 4, quiet)
    assert [list(one) for one in found] == expected


def test_only_a_branch_is_searched(tmp_path):
    with opened(tmp_path, OURS, MORE) as terminologies:
        target = Target(terminologies, ("T:1", "M:1"))
        names = SearchedNames(target)
        assert [names.id(place) for place in range(len(names.concepts))] == ["T:1", "T:2", "M:1"]
        assert (target.resolve("T:2"), target.resolve("T:3")) == ("T:2", None)
        assert target.releases.endswith(", within T:1 or M:1")
        with pytest.raises(UnknownIdError, match="no concept 'X:1' in t0, t1"):
            SearchedNames(Target(terminologies, ("X:1",)))


def test_a_branch_without_active_names_is_refused(tmp_path):
    with opened(tmp_path, OURS) as terminologies, pytest.raises(InputError, match=r"within T:4: no active name"):
        SearchedNames(Target(terminologies, ("T:4",)))


def test_characters(names):
    weights = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5)).fit(list(names))
    cosines = (weights.transform(ASKED) @ weights.transform(list(names)).T).toarray()
    assert [list(one) for one in CharRanker(names).search(ASKED, 3, quiet)] == by_hand(names, cosines, 3)


def test_an_encoder_goes_on_where_it_was(names, tmp_path):
    encoder = open_encoder("default")
    file = tmp_path / "v" / "names.f32"
    cosines = encoder.encode(ASKED) @ encoder.encode(list(names)).T
    expected = by_hand(names, cosines, 4)
    assert [list(one) for one in EncoderRanker(names, encoder, file).search(ASKED, 4, quiet)] == expected
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2 + 5])  # an interrupted run, in the midst of a row
    assert [list(one) for one in EncoderRanker(names, encoder, file).search(ASKED, 4, quiet)] == expected
    assert file.read_bytes() == whole


PLAN = """
title = "Two golds"
terminology = "0.terminology"
depth = 4
k = [1, 3]

[[gold]]
name = "texts"
path = "texts.tsv"

[[gold]]
name = "mapped"
path = "map.tsv"
concepts = true

[[method]]
name = "BM25"
kind = "bm25-documents"

[[method]]
name = "static"
kind = "encoder"
encoder = "default"
"""


@pytest.fixture
def planned(tmp_path):
    with opened(tmp_path, OURS) as terminologies:
        build_index(terminologies, tmp_path / "ours.index")
        (tmp_path / "texts.tsv").write_text("text\tid\nheart failure\tT:3\nrenal failure\tT:1\nunheard of\tT:2\n")
        (tmp_path / "map.tsv").write_text(
            "source_id\ttext\tid\nS:1\tcardiac\tT:3\nS:1\theart failure\tT:3\nS:2\tkidney\tT:9\n"
        )
        (tmp_path / "plan.toml").write_text(PLAN)
        yield tmp_path


BOOTSTRAP = BootstrapOptions(unit="mention", resamples=99)


def tables(results):
    return {table.key: table for table in results.tables}


def test_tables_of_a_plan(planned):
    results, kept = run_plan(read_plan(planned / "plan.toml"), planned / "work", bootstrap=BOOTSTRAP)
    assert kept == 0
    found = tables(results)
    assert list(found) == ["hits-1", "usefulness-1", "overlap-1", "concepts-1"]
    assert found["hits-1"].columns == ("method", "texts hits@1", "texts hits@3", "mapped hits@1", "mapped hits@3")
    assert found["hits-1"].rows[0] == ("questions", "3", "3", "3", "3")
    values = {row[0]: [getattr(cell, "figure", cell).value for cell in row[1:]] for row in found["hits-1"].rows[1:]}
    assert values["BM25"] == pytest.approx([2 / 3, 2 / 3, 2 / 3, 2 / 3])
    assert found["usefulness-1"].rows[0][1] == 6  # all questions of the group
    assert found["concepts-1"].rows[0] == ("questions", "2", "2")
    assert found["concepts-1"].rows[1][1].figure.value == 0.5  # S:2 is mapped to nothing that is there
    assert [run.name for run in results.runs] == ["BM25", "static"]
    assert len(results.runs[0].keys) == 6


def test_ndcg_by_the_best_order_of_the_answers(planned):
    plan = planned / "plan.toml"
    first, _ = run_plan(read_plan(plan), planned / "work", bootstrap=BOOTSTRAP)
    plan.write_text('ideal = "returned"\n' + plan.read_text())
    results, kept = run_plan(read_plan(plan), planned / "work", bootstrap=BOOTSTRAP)
    assert kept == 4
    before, after = tables(first)["usefulness-1"], tables(results)["usefulness-1"]
    assert after.columns == tuple(name.replace("ndcg", "ndcg-returned") for name in before.columns)
    assert "best order of the K answers" in after.notes[0]
    for own, whole in zip(after.rows, before.rows, strict=True):
        assert [getattr(cell, "figure", cell).value for cell in own[2:4]] >= [
            getattr(cell, "figure", cell).value for cell in whole[2:4]
        ]


def test_only_what_is_new_is_searched(planned):
    plan = planned / "plan.toml"
    first, _ = run_plan(read_plan(plan), planned / "work", bootstrap=BOOTSTRAP)
    again, kept = run_plan(read_plan(plan), planned / "work", bootstrap=BOOTSTRAP)
    assert kept == 4
    assert again.to_dict() == first.to_dict()
    plan.write_text(PLAN + '\n[[method]]\nname = "ours"\nkind = "index"\nindex = "ours.index"\nsignal = "char"\n')
    more, kept = run_plan(read_plan(plan), planned / "work", bootstrap=BOOTSTRAP)
    assert kept == 4
    assert [run.name for run in more.runs] == ["BM25", "static", "ours"]
    (planned / "texts.tsv").write_text("text\tid\nheart failure\tT:3\n")
    _, kept = run_plan(read_plan(plan), planned / "work", bootstrap=BOOTSTRAP)
    assert kept == 3  # the other gold's
    assert len(list((planned / "work" / RUNS).glob("*.run"))) == 9
    assert len(list((planned / "work" / VECTORS).iterdir())) == 1


def test_another_version_searches_anew(planned, monkeypatch):
    plan = read_plan(planned / "plan.toml")
    run_plan(plan, planned / "work", bootstrap=BOOTSTRAP)
    monkeypatch.setattr("ontonym.evaluate.baselines.ontonym_version", lambda: "0.0.0")
    assert run_plan(plan, planned / "work", bootstrap=BOOTSTRAP)[1] == 0


def test_codes_with_spaces_are_right_where_they_are_found(tmp_path):
    plan = PLAN.replace('[[gold]]\nname = "mapped"\npath = "map.tsv"\nconcepts = true\n', "")
    with opened(tmp_path, [Concept(f"T:{name} x", (Term(name, "preferred"),)) for name in ("fits", "50%25", "ache")]):
        (tmp_path / "texts.tsv").write_text("text\tid\nfits\tT:fits x\n50%25\tT:50%25 x\nache\tT:ache x\n")
        (tmp_path / "plan.toml").write_text(plan)
        for _ in ("new", "kept"):
            results, _ = run_plan(read_plan(tmp_path / "plan.toml"), tmp_path / "work", bootstrap=BOOTSTRAP)
            assert tables(results)["hits-1"].rows[1][1].figure.value == 1.0


def test_a_branch_and_stop_words_in_a_plan(planned):
    plan = planned / "plan.toml"
    ours = '\n[[method]]\nname = "ours"\nkind = "index"\nindex = "ours.index"\nverbatim = true\n'
    plan.write_text(PLAN.replace("depth = 4", 'depth = 4\nwithin = ["T:1"]') + ours)
    results, _ = run_plan(read_plan(plan), planned / "work", bootstrap=BOOTSTRAP)
    rows = {row[0]: row[1:] for row in tables(results)["hits-1"].rows[1:]}
    values = {name: getattr(row[0], "figure", row[0]).value for name, row in rows.items()}
    assert values["BM25"] == values["ours"] == pytest.approx(1 / 3)  # T:3 is not in the branch
    plan.write_text(PLAN.replace('kind = "bm25-documents"', 'kind = "bm25-documents"\nstop_words = false'))
    _, kept = run_plan(read_plan(plan), planned / "work", bootstrap=BOOTSTRAP)
    assert kept == 0  # neither the branch nor the stop words are those of the runs before
    plan.write_text(PLAN + ours + "stop_words = false\n")
    with pytest.raises(FormatError, match="an index keeps stop words"):
        read_plan(plan)


def test_two_at_once_do_not_write_into_one_folder(planned):
    (planned / "work").mkdir()
    with lock(planned / "work" / RUNS), pytest.raises(LockedError, match="is writing it now"):
        run_plan(read_plan(planned / "plan.toml"), planned / "work", bootstrap=BOOTSTRAP)
    assert not list((planned / "work").glob("**/*.run"))


def test_an_index_of_something_else_is_refused(planned):
    with opened(planned / "other", MORE) as terminologies:
        build_index(terminologies, planned / "other.index")
    plan = PLAN + '\n[[method]]\nname = "ours"\nkind = "index"\nindex = "other.index"\n'
    (planned / "plan.toml").write_text(plan)
    with pytest.raises(InputError, match="not an index of the plan's terminology"):
        run_plan(read_plan(planned / "plan.toml"), planned / "work", bootstrap=BOOTSTRAP)
    assert not list((planned / "work").rglob("*.run"))  # nothing was searched before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('kind = "encoder"', 'kind = "nonsense"'), r"\[\[method\]\] 2: kind = 'nonsense' is not one of bm25-names"),
        (('encoder = "default"', ""), "static: a method of kind encoder needs encoder"),
        (('path = "texts.tsv"', ""), r"\[\[gold\]\] 1: path is missing"),
        (("depth = 4", "depth = 2"), "each k is from 1 to depth"),
        (("depth = 4", 'depth = "4"'), "depth = '4' is not a whole number"),
        (("depth = 4", "depht = 4"), "unknown key 'depht'. Did you mean 'depth'"),
        (("depth = 4", 'reference = "ours"'), "unknown method 'ours'"),
        (('name = "mapped"', 'name = "texts"'), "the same name"),
        (("k = [1, 3]", "k = [1, 3"), "not TOML"),
        (("[[method]]", "[[methods]]"), r"no \[\[method\]\]"),
        (('terminology = "0.terminology"', ""), "terminology is missing"),
        (("concepts = true", "concepts = 1"), "concepts = 1 is not true or false"),
    ],
)
def test_bad_plans_are_told(tmp_path, change, said):
    (tmp_path / "plan.toml").write_text(PLAN.replace(*change))
    with pytest.raises(FormatError, match=said):
        read_plan(tmp_path / "plan.toml")


def test_a_plan_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_plan(tmp_path / "none.toml")
