"""``ontonym evaluate search``, as a user types it."""

from __future__ import annotations

import json

import pytest

from made import concept, opened
from ontonym.errors import FormatError
from ontonym.evaluate.questions import Target, gains_in, read_questions
from ontonym.index import build_index, open_index
from ontonym.store import open_terminology

OURS = [
    concept("T:0", "disease"),
    concept("T:1", "kidney failure", "renal failure", parents="T:0"),
    concept("T:2", "acute kidney failure", parents="T:1"),
    concept("T:3", "heart failure", "cardiac failure", parents="T:0"),
    concept("T:4", "old name", status="retired", replaced_by="T:3"),
]
THEIRS = [
    concept("ORPHA:1", "failure of the kidney", "insufficiency of the kidneys", "kidney failure"),
    concept("ORPHA:2", "failing heart", "heart failure"),
]
SSSOM = """# curie_map:
#   T: http://example.org/
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification
orphanet.ordo:1\tkidney trouble\tskos:exactMatch\t\tT:1\tm
orphanet.ordo:2\t\tskos:exactMatch\t\tT:4\tm
orphanet.ordo:2\theart trouble\tskos:exactMatch\tNot\tT:2\tm
T:9\tgone\tskos:exactMatch\t\tORPHA:1\tm
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory, encoder):
    folder = tmp_path_factory.mktemp("questions")
    with opened(folder, OURS, THEIRS) as (ours, theirs):
        build_index([ours], folder / "ours.index", encoder=encoder)
        (folder / "map.sssom.tsv").write_text(SSSOM)
        (folder / "texts.csv").write_text(
            'text,id\nRenal failure,T:1\n"failure, acute kidney",T:2|X:1\ncardiac failure,T:4\nnonsense,X:2\n'
        )
        yield folder, theirs.path


@pytest.mark.parametrize(
    ("verb", "table"),
    [
        ("search", "term;icd\nkidney failure;N19\n"),  # no header that is known
        ("search", "text,id\nkidney failure,1\nheart failure,3\n"),
        ("normalization", "text,id\nkidney failure,1\nheart failure,3\n"),
        ("annotation", "document,text,start,end,id,passage\nd,kidney failure,0,14,1,kidney failure\n"),
    ],
)
def test_gold_of_another_terminology_is_an_error_and_no_figure(run, made, tmp_path, verb, table):
    (tmp_path / "gold.csv").write_text(table)
    done = run("evaluate", verb, made[0] / "ours.index", tmp_path / "gold.csv", "--resamples", 9)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert "has none of its gold ids (" in done.stderr
    assert "such as T:0" in done.stderr


def test_mentions_whose_gold_is_missing_are_counted(run, made, tmp_path):
    (tmp_path / "gold.csv").write_text("text,id\nkidney failure,T:1\nwilting,T:77\n")
    done = run("evaluate", "normalization", made[0] / "ours.index", tmp_path / "gold.csv", "--resamples", 9)
    assert "note: 1 mention with no gold id that is in the terminology (T:77)\n" in done.stdout


def test_a_type_that_the_terminology_does_not_have_is_told(run, made, tmp_path):
    (tmp_path / "gold.csv").write_text(
        "text,id,type\nkidney failure,T:1,Disease\nwilting,T:77,Plant\nrust,T:78,Plant\n"
    )
    asked = ("evaluate", "normalization", made[0] / "ours.index", tmp_path / "gold.csv", "--resamples", 9)
    said = "has hardly a concept of the type Plant, and each counts as wrong: the option type leaves them out (Disease)"
    assert said in run(*asked).stdout
    assert "hardly a concept" not in run(*asked, "--type", "Disease").stdout


def test_a_table_with_ids_of_its_own_beside_gold(made, tmp_path):
    (tmp_path / "gold.csv").write_text("id,phrase,cui\nq1,kidney failure,T:1\n")
    with open_index(made[0] / "ours.index") as index:
        (question,) = read_questions(tmp_path / "gold.csv", Target(index.terminologies)).questions
    assert (question.texts, question.gold) == (("kidney failure",), {"T:1"})


def test_ids_joined_by_plus_are_all_right(made, tmp_path):
    (tmp_path / "gold.tsv").write_text("text\tid\nkidney and heart failure\tT:1+T:3\n")
    with open_index(made[0] / "ours.index") as index:
        (question,) = read_questions(tmp_path / "gold.tsv", Target(index.terminologies)).questions
    assert question.gold == {"T:1", "T:3"}


def test_texts_and_their_gold(made):
    folder, _ = made
    with open_index(folder / "ours.index") as index:
        read = read_questions(folder / "texts.csv", Target(index.terminologies))
        assert [(one.texts, one.gold, one.overlap) for one in read.questions] == [
            (("Renal failure",), {"T:1"}, 1.0),
            (("failure, acute kidney",), {"T:2"}, 1.0),
            (("cardiac failure",), {"T:3"}, 1.0),  # what took the place of T:4
            (("nonsense",), {"X:2"}, -1.0),
        ]
        assert dict(read.counts.unknown) == {"X:1": 1, "X:2": 1}
        assert [dict(one) for one in gains_in(Target(index.terminologies), read.questions)] == [
            {"T:1": 3, "T:0": 2, "T:2": 2, "T:3": 1}, {"T:2": 3, "T:1": 2, "T:0": 1, "T:3": 1},
            {"T:3": 3, "T:0": 2, "T:1": 1}, {},
        ]  # fmt: skip
        assert len(read_questions(folder / "texts.csv", Target(index.terminologies), missing="skip").questions) == 3


def test_cells_of_several_lines_and_what_is_no_csv(made, tmp_path):
    place = tmp_path / "gold.csv"
    with open_index(made[0] / "ours.index") as index:
        target = Target(index.terminologies)
        place.write_text('# made\ntext,id\n"kidney\nfailure",T:1\n\n#1,x\nheart failure,T:3\n')
        assert [one.texts for one in read_questions(place, target).questions] == [
            ("kidney\nfailure",), ("heart failure",),
        ]  # fmt: skip
        place.write_text('text,id\n"kidney\nfailure",T:1\nheart failure,\n')
        with pytest.raises(FormatError, match=r"gold\.csv:4: expected a text and the id"):
            read_questions(place, target)
        place.write_text('text,id\nkidney failure,T:1\n"heart" failure,T:3\n')
        with pytest.raises(FormatError, match=r"gold\.csv:3: not valid CSV \("):
            read_questions(place, target)


def test_what_fits_nowhere_is_no_question_and_words_without_a_code_are_one(made, tmp_path):
    (tmp_path / "map.sssom.tsv").write_text(
        "subject_id\tsubject_label\tsubject_type\tpredicate_id\tobject_id\n"
        "L:1\tkidney trouble\t\tskos:exactMatch\tT:1\nL:2\tbicycle\t\tskos:exactMatch\tsssom:NoTermFound\n"
        "\theart trouble\trdfs literal\tskos:exactMatch\tT:3\n"
        "L:3\tbroken heart\t\tskos:broadMatch\tT:3\n"
        "L:4\theart\t\thttp://www.w3.org/2004/02/skos/core#relatedMatch\tT:3\n"
    )
    with open_index(made[0] / "ours.index") as index:
        read = read_questions(tmp_path / "map.sssom.tsv", Target(index.terminologies))
    assert [(one.texts, one.gold) for one in read.questions] == [
        (("kidney trouble",), {"T:1"}),
        (("heart trouble",), {"T:3"}),
    ]
    assert dict(read.counts.skipped) == {
        "nothing fits": 1, "skos:broadMatch": 1, "http://www.w3.org/2004/02/skos/core#relatedMatch": 1,
    }  # fmt: skip
    assert (read.counts.rows, read.counts.asked, dict(read.counts.unknown)) == (5, 2, {})


def test_mappings_with_labels_of_the_file_or_all_names(made):
    folder, theirs = made
    with open_index(folder / "ours.index") as index, open_terminology(theirs) as source:
        plain = read_questions(folder / "map.sssom.tsv", Target(index.terminologies))
        assert [(one.id, one.texts, one.gold) for one in plain.questions] == [
            ("ORPHA:1", ("kidney trouble",), {"T:1"}), ("T:9", ("gone",), {"ORPHA:1"}),
        ]  # fmt: skip
        assert dict(plain.counts.skipped) == {"no label": 1, "not the same": 1}
        each = read_questions(folder / "map.sssom.tsv", Target(index.terminologies), source=source)
        assert [(one.id, one.texts) for one in each.questions] == [
            ("ORPHA:1#0", ("failure of the kidney",)), ("ORPHA:1#1", ("insufficiency of the kidneys",)),
            ("ORPHA:1#2", ("kidney failure",)), ("ORPHA:2#0", ("failing heart",)), ("ORPHA:2#1", ("heart failure",)),
        ]  # fmt: skip
        together = read_questions(folder / "map.sssom.tsv", Target(index.terminologies), source=source, together=True)
        assert [(one.id, len(one.texts), one.gold) for one in together.questions] == [
            ("ORPHA:1", 3, {"T:1"}), ("ORPHA:2", 2, {"T:3"}),
        ]  # fmt: skip


def test_figures_by_run_and_overlap(made, run):
    folder, theirs = made
    signals = ("--signal", "lexical", "--signal", "char")
    asked = ("evaluate", "search", folder / "ours.index", folder / "texts.csv", *signals)
    told = json.loads(run(*asked, "--resamples", 99, "--json").stdout)
    lexical = told["runs"]["lexical"]
    assert (lexical["n"], lexical["measures"]["hits@1"]["value"]) == (4, 0.75)
    assert lexical["measures"]["mrr"]["value"] == 0.75
    assert lexical["measures"]["ndcg@1"]["value"] == 0.75
    assert lexical["by_overlap"]["overlap 0.8-1"]["n"] == 3
    assert set(told["runs"]["char"]["p"]) == set(lexical["measures"])
    shown = run(*asked, "--missing", "skip", "--resamples", 99).stdout
    assert "3 questions of 4 rows; 2 gold ids the index does not have (X:1, X:2…), left out" in shown
    assert shown.splitlines()[1].split() == [
        "run",
        "n",
        "hits@1",
        "hits@5",
        "hits@10",
        "mrr",
        "ndcg@1",
        "ndcg@5",
        "ndcg@10",
    ]
    assert "99 resamples" in shown
    first = json.loads(run(*asked, "--k", 2, "--k", 25, "--resamples", 99, "--json").stdout)["runs"]["lexical"]
    assert list(first["measures"]) == ["hits@2", "hits@25", "mrr", "ndcg@2", "ndcg@25"]
    gold = (folder / "map.sssom.tsv", "--labels", theirs, "--together")
    mapped = run("evaluate", "search", folder / "ours.index", *gold, "--signal", "lexical", "--json")
    assert json.loads(mapped.stdout)["runs"]["lexical"]["measures"]["hits@1"]["value"] == 1.0


def test_within_a_branch_and_verbatim(made, run):
    folder, _ = made
    asked = ("evaluate", "search", folder / "ours.index", folder / "texts.csv", "--signal", "char", "--resamples", 99)
    told = json.loads(run(*asked, "--within", "T:1", "--json").stdout)
    assert told["runs"]["char"]["measures"]["hits@1"]["value"] == 0.5  # T:3, the answer to the third, is elsewhere
    assert set(told["unknown"]) == {"T:4", "X:1", "X:2"}
    shown = run(*asked, "--within", "T:1", "--missing", "skip", "--verbatim").stdout
    assert "within T:1: 2 questions of 4 rows, verbatim;" in shown
    assert run(*asked, "--within", "T:77").exit_code == 2


def test_the_texts_can_be_kept_from_training(made, run, tmp_path):
    folder, theirs = made
    result = run("evaluate", "search", folder / "ours.index", folder / "map.sssom.tsv", "--labels", theirs, "--queries",
                 tmp_path / "queries.txt")  # fmt: skip
    assert result.exit_code == 0
    assert (tmp_path / "queries.txt").read_text().splitlines() == [
        "failure of the kidney", "insufficiency of the kidneys", "kidney failure", "failing heart", "heart failure",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        ("# nothing\n", (), "no question"),
        ("only a text\n", (), "gold.tsv:1: expected a text and the id"),
        ("text\tid\nheart\t\n", (), "gold.tsv:2: expected a text and the id"),
        ("subject_id\tobject_id\nT:1\t\n", (), "gold.tsv:2: a mapping needs"),
        ("text\tid\nheart\tT:1\n", ("--together",), "gold.tsv:2: no column source_id"),
        ("heart\tT:1\n", ("--signal", "x"), "unknown signal"),
    ],
)
def test_bad_input_is_one_line(made, run, tmp_path, content, more, said):
    folder, _ = made
    (tmp_path / "gold.tsv").write_text(content)
    result = run("evaluate", "search", folder / "ours.index", tmp_path / "gold.tsv", *more)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
