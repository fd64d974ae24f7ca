"""``ontonym pairs`` from terminologies to a folder of examples, and what ``info`` tells of it."""

from __future__ import annotations

import gzip
import json
import shutil

import pytest

from ontonym.learning.recipes import open_examples

PUBTATOR = """1|t|A pyrexic patient
1|a|Missed beats and a seizing fit or two.
1\t2\t17\tpyrexic patient\tSpecificDisease\tT:5
1\t18\t30\tMissed beats\tSpecificDisease\tT:4
1\t37\t48\tseizing fit\tSpecificDisease\tT:6|T:5
1\t37\t48\tseizing fit\tSpecificDisease\t-1

"""


def made(run, tiny, tmp_path, *arguments):
    done = run("pairs", tiny / "tiny.terminology", "-o", tmp_path / "x.pairs", "--json", *arguments)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["content"]


def texts_of(path, split="train"):
    examples = open_examples(path)
    return [tuple(examples.texts.texts[place] for place in row) for row in examples.table(split).tolist()]


def test_synonyms_with_everything_in_train(run, tiny, tmp_path):
    content = made(run, tiny, tmp_path, "--recipe", "synonyms", "--split", "100/0/0")
    assert content["examples"] == {"train": 12, "dev": 0, "test": 0}
    assert (content["concepts"], content["names"], content["texts"]) == (7, 14, 12)
    assert content["concepts_without_names"] == 0
    assert ("Pyrexia", "Fever") in texts_of(tmp_path / "x.pairs")


def test_splits_are_by_concept_and_told(run, tiny, tmp_path):
    content = made(run, tiny, tmp_path, "--recipe", "synonyms", "--split", "2/1/1", "--seed", "3")
    assert sum(content["examples"].values()) == 12
    assert all(number % 3 == 0 for number in content["examples"].values())  # three pairs a concept
    assert content["options"]["pool"]["shares"] == [0.5, 0.25, 0.25]
    assert content["options"]["seed"] == content["options"]["pool"]["seed"] == 3


def test_the_table_a_person_sees(run, tiny, tmp_path):
    done = run(
        "pairs", tiny / "tiny.terminology", "-o", tmp_path / "x.pairs", "--recipe", "triplets", "--split", "1/0/0"
    )
    assert done.exit_code == 0, done.output
    lines = [line.split(None, 1) for line in done.stdout.splitlines()]
    rows = dict(line for line in lines if len(line) == 2)
    assert rows["recipe"] == "triplets"
    assert rows["examples"] == "36 train, 0 dev, 0 test"
    assert rows["of"].startswith("tiny 2024-01-01")
    assert rows["label"].startswith("pairs  train: pairs 12,") and "dev: pairs" not in done.stdout
    assert f"next: ontonym train {tmp_path / 'x.pairs'}" in done.stdout.replace("\n", "")


@pytest.mark.usefixtures("wide")
def test_info_tells_of_pairs(run, tiny, tmp_path):
    made(run, tiny, tmp_path, "--recipe", "triplets", "--split", "1/0/0")
    told = run("info", tmp_path / "x.pairs", "--verify").stdout
    assert "recipe       triplets\n" in told
    assert "train: pairs 12, without parents label 0, without others label 0, without either 0\n" in told
    assert "checked      every checksum matches" in told
    assert json.loads(run("info", tmp_path / "x.pairs", "--json").stdout)["content"]["recipe"] == "triplets"


def test_readable_examples_are_not_called_csv(run, tiny, tmp_path):
    asked = ("pairs", tiny / "tiny.terminology", "-o", tmp_path / "x.pairs", "--recipe", "synonyms")
    done = run(*asked, "--tsv", tmp_path / "x.csv")
    assert (done.exit_code, "give a name that ends in .tsv" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_readable_examples(run, tiny, tmp_path):
    made(run, tiny, tmp_path, "--recipe", "triplets", "--split", "1/0/0", "--tsv", tmp_path / "x.tsv.gz")
    with gzip.open(tmp_path / "x.tsv.gz", "rt") as stream:
        header, first, *others = stream.read().splitlines()
    assert header == "split\tanchor\tpositive\tnegative\tanchor_id\tpositive_id\tnegative_id"
    assert first == "train\tMyocardial infarction\tHeart attack\tAbnormality of the heart\tT:3\tT:3\tT:2"
    assert len(others) == 35
    made(run, tiny, tmp_path, "--recipe", "graph", "--split", "1/0/0", "--tsv", tmp_path / "g.tsv", "--force")
    lines = (tmp_path / "g.tsv").read_text().splitlines()
    assert lines[:2] == [
        "split\tanchor\tpositive\tanchor_id\tpositive_id",
        "train\tAbnormality of the heart\tPhenotypic abnormality\tT:2\tT:1",
    ]
    assert len(lines) == 6


def test_excluded_names_one_a_line_and_in_corpora(run, tiny, tmp_path):
    (tmp_path / "names.txt").write_text("attack, heart\n\nnothing of ours\n")
    (tmp_path / "corpus.PubTator").write_text(PUBTATOR)
    files = ("--exclude", tmp_path / "names.txt", "--exclude", tmp_path / "corpus.PubTator")
    content = made(run, tiny, tmp_path, "--recipe", "synonyms", "--split", "1/0/0", *files)
    assert content["excluded"] == {"names": 2, "annotated": 0}
    assert content["options"]["pool"]["exclude"] == 5
    texts = {text for pair in texts_of(tmp_path / "x.pairs") for text in pair}
    assert not texts & {"Heart attack", "Missed beats"}
    assert content["examples"]["train"] == 1 + 1 + 3 + 3


def test_annotated_texts_of_a_corpus(run, tiny, tmp_path):
    (tmp_path / "corpus.PubTator").write_text(PUBTATOR)
    arguments = ("--annotated", tmp_path / "corpus.PubTator", "--ratio", "1", "--split", "1/0/0")
    content = made(run, tiny, tmp_path, "--recipe", "batches", *arguments)
    # one mention names two concepts, another none; "Missed beats" is a name already and comes all the same
    assert content["annotated"] == {
        "given": 4, "of_unknown_concepts": 0, "unknown_concepts": {"count": 0, "first": []}, "kept": 4,
        "left_out": {"of_no_concept": 1},
    }  # fmt: skip
    assert content["anchors"]["train"] == {
        "of_ontology": 12, "of_corpus": 4, "of_corpus_repeated": 12, "without_positive": 2,
    }  # fmt: skip
    anchors = [anchor for anchor, _ in texts_of(tmp_path / "x.pairs")]
    assert anchors.count("pyrexic patient") == 3


def test_annotated_texts_one_a_line_and_unknown_concepts_are_told(run, tiny, tmp_path):
    (tmp_path / "marks.tsv").write_text("hot head\tT:5\n\nno one knows\tT:99\n")
    arguments = ("--annotated", tmp_path / "marks.tsv", "--split", "1/0/0")
    content = made(run, tiny, tmp_path, "--recipe", "batches", *arguments)
    assert content["annotated"] == {
        "given": 2, "of_unknown_concepts": 1, "unknown_concepts": {"count": 1, "first": ["T:99"]}, "kept": 1,
    }  # fmt: skip
    shown = run("info", tmp_path / "x.pairs").stdout
    assert "unknown concepts count 1, first T:99" in " ".join(shown.split())


def test_relations_languages_and_scopes_reach_the_recipe(run, tmp_path):
    (tmp_path / "x.jsonl").write_text(
        '{"ontonym_terminology": 1, "name": "x"}\n'
        '{"id": "A", "terms": [{"text": "one", "kind": "preferred"}, {"text": "eins", "language": "de"},'
        ' {"text": "number", "scope": "broad"}], "relations": [{"predicate": "near", "target": "B"}]}\n'
        '{"id": "B", "terms": [{"text": "two", "kind": "preferred"}], "parents": ["A"]}\n'
        '{"id": "C", "terms": [{"text": "old one"}], "status": "retired", "consider": ["A"]}\n'
    )
    assert run("import", tmp_path / "x.jsonl", "-o", tmp_path / "x.terminology").exit_code == 0

    def pairs(*arguments):
        done = run(
            "pairs", tmp_path / "x.terminology", "-o", tmp_path / "y.pairs", "--split", "1/0/0", "--force", *arguments
        )
        assert done.exit_code == 0, done.output
        return texts_of(tmp_path / "y.pairs")

    assert pairs("--recipe", "graph", "--relation", "near") == [("one", "two")]
    assert pairs("--recipe", "graph", "--relation", "is-a") == [("two", "one")]
    assert pairs("--recipe", "translations", "--language", "all") == [("eins", "one")]
    assert pairs("--recipe", "synonyms", "--scope", "exact", "--scope", "broad") == [("number", "one")]
    assert pairs("--recipe", "historical", "--association", "consider") == [("old one", "one")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--recipe", "triplet"), "unknown recipe 'triplet'. Did you mean 'triplets'? Valid: annotated, batches, comb"),
        (("--recipe", "historical"), "historical gives no training example from tiny: it needs retired concepts"),
        (("--recipe", "definitions"), "it needs definitions of concepts with names in the wanted languages"),
        (("--recipe", "translations"), "it needs names of a concept in several of the wanted languages"),
        (("--recipe", "synonyms", "--language", "fr"), "it needs concepts with several names in the wanted languages"),
        (("--recipe", "graph", "--relation", "eats"), "unknown relation 'eats'. Valid: is-a"),
        (("--recipe", "historical", "--association", "eats"), "unknown association 'eats'. Valid: consider,"),
        (("--recipe", "synonyms", "--scope", "wide"), "unknown scope 'wide'. Valid: broad, exact, narrow, related"),
        (("--recipe", "synonyms", "--split", "90/10"), "--shares 90/10: give three numbers such as 90/5/5"),
        (("--recipe", "batches", "--ratio", "-1"), "--ratio must be at least 0, not -1"),
        (("--recipe", "drawn", "--linked", "2"), "--linked must be between 0 and 1, not 2"),
        (("--recipe", "drawn", "--favour", "-2"), "--favour must be at least 0, not -2"),
        (("--recipe", "synonyms", "--exclude", "no.txt"), "no.txt: "),
        (("--recipe", "batches", "--annotated", "no.txt"), "no.txt: "),
        (("--recipe", "synonyms", "--tsv", "/"), "/: is a folder; give the name of a file"),
        (("--recipe", "synonyms", "--tsv", "no/x.tsv"), "no/x.tsv: cannot be written: there is no folder no"),
    ],
)  # fmt: skip
def test_what_a_user_can_mend_is_one_line_and_exit_code_2(run, tiny, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = run("pairs", tiny / "tiny.terminology", "-o", tmp_path / "x.pairs", *arguments)
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_line_that_is_no_annotation_is_named(run, tiny, tmp_path):
    (tmp_path / "marks.tsv").write_text("hot head\tT:5\nno id here\n")
    done = run(
        "pairs", tiny / "tiny.terminology", "-o", tmp_path / "x.pairs", "--recipe", "batches",
        "--annotated", tmp_path / "marks.tsv",
    )  # fmt: skip
    assert done.exit_code == 2
    assert f"{tmp_path / 'marks.tsv'}:2: not a text and a concept id. Give a text" in done.stderr
    assert not (tmp_path / "x.pairs").exists()


def test_a_folder_that_is_no_terminology_is_named(run, tiny, tmp_path):
    done = run("pairs", tiny / "tiny.index", "-o", tmp_path / "x.pairs", "--recipe", "synonyms")
    assert done.exit_code == 2
    assert "tiny.index" in done.stderr


def test_annotated_texts_of_a_table(run, tiny, tmp_path):
    (tmp_path / "gold.tsv").write_text("text\tid\nhot head\tT:5\nnothing\t\n")
    content = made(run, tiny, tmp_path, "--recipe", "batches", "--annotated", tmp_path / "gold.tsv", "--split", "1/0/0")
    assert (content["annotated"]["given"], content["annotated"]["left_out"]) == (1, {"of_no_concept": 1})


def test_a_terminology_that_is_given_twice(run, tiny, tmp_path):
    place = tiny / "tiny.terminology"
    shutil.copytree(place, tmp_path / "copy.terminology")
    for asked in (("pairs", "--recipe", "synonyms"), ("train", "--base", "none"), ("index",)):
        done = run(asked[0], place, place, *asked[1:], "-o", tmp_path / "new")
        assert (done.exit_code, f"{place}: is given twice: give it once" in done.stderr) == (2, True), done.output
    done = run("index", place, tmp_path / "copy.terminology", "-o", tmp_path / "new")
    assert f"copy.terminology: is the same release as {place}: give it once" in done.stderr
    assert not (tmp_path / "new").exists()
