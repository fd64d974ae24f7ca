"""Functions for the verbs: from a release file to an index, mappings, figures and an encoder, by paths alone."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ontonym
from built import SMALL
from ontonym.encoder.static import save_static
from ontonym.errors import ArtifactError, FormatError, InputError, UnknownNameError, WrongTypeError
from ontonym.store.export.mappings import MappingOptions

LOCAL = "code,name,frequency\nL1,Heart attack,5\nL2,Fits and fever,9\nL3,Zebra crossing,1\n"


@pytest.fixture(scope="module")
def made(heart: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the verbs make of heart.obo: new.terminology and new.index."""
    folder = tmp_path_factory.mktemp("made")
    release = folder / "new.obo"
    release.write_text((heart / "heart.obo").read_text().replace("name: Fever", "name: Raised temperature"))
    terminology = ontonym.import_release(release, folder / "new.terminology", languages="en")
    assert terminology["H:5"].preferred == "Raised temperature"
    manifest = ontonym.build_index(folder / "new.terminology", folder / "new.index", encoder=heart / "a.encoder")
    assert manifest.kind == "index"
    said = r"<Manifest of an index of [^ ]+: \d+ files with [\d,]+ bytes, fingerprint \w{12}>"
    assert re.fullmatch(said, repr(manifest))
    return folder


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda made: ontonym.open(""), "give the path of an artifact, not ''"),
        (lambda made: ontonym.open_terminology("a\0b"), r"give a terminology: .*, not 'a\\x00b'"),
        (lambda made: ontonym.align(made / "new.terminology", 5, made / "a.tsv"), "path of a page index.*, not int"),
        (lambda made: ontonym.add_terms(made / "new.index", {"H:5": "hot"}, why=7), "a text for `why=`, not int"),
        (lambda made: ontonym.evaluate_matching([], made / "a.tsv"), "no mappings to judge"),
    ],
)
def test_what_is_given_wrong_is_said(made: Path, ask: Callable[[Path], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ask(made)


def test_from_a_release_to_hits(made: Path, heart: Path) -> None:
    assert ontonym.search(made / "new.index", "heart attack", k=1)[0].id == "H:3"
    assert ontonym.info(made / "new.index").kind == "index"
    static = ontonym.open_encoder("static")
    assert ontonym.info("static") == ontonym.info(static)
    assert ontonym.info("static").kind == "encoder"
    assert (
        ontonym.info(ontonym.open_encoder(heart / "a.encoder")).fingerprint
        == ontonym.info(heart / "a.encoder").fingerprint
    )


def test_no_index_is_made_of_a_table_that_nobody_kept(tmp_path: Path) -> None:
    (tmp_path / "local.csv").write_text(LOCAL)
    with pytest.raises(ArtifactError, match="is a file, but a terminology is a folder"):
        ontonym.build_index(tmp_path / "local.csv", tmp_path / "no.index")
    assert not (tmp_path / "no.index").exists()


def test_diff_by_paths(made: Path, heart: Path) -> None:
    difference = ontonym.diff(heart / "heart.terminology", made / "new.terminology")
    assert [(one.id, one.old, one.new) for one in difference.changes("renamed")] == [
        ("H:5", "Fever", "Raised temperature")
    ]
    assert repr(difference) == "<Difference between heart 2024-01-01 and heart 2024-01-01: 1 renamed>"


def test_export_by_paths(made: Path, tmp_path: Path) -> None:
    assert ontonym.export(made / "new.terminology", tmp_path / "new.csv").concepts == 6


@pytest.mark.slow
def test_match_a_table_of_local_codes(index: ontonym.IndexHandle, tmp_path: Path) -> None:
    file, output = tmp_path / "codes.csv", tmp_path / "map.sssom.tsv"
    file.write_text(LOCAL)
    found = ontonym.match(file, index, output, candidates=tmp_path / "all.sssom.tsv", mode="best", threshold=0.3)
    assert [one.id.partition(":")[2] or one.id for one in found] == ["L1", "L2", "L3"], "unmatched ones too"
    assert found[0].proposed is not None
    assert found[0].proposed.id == "H:3"
    assert "L3" in repr(found.unmatched)
    assert "H:3" in [row["object_id"] for row in ontonym.read_mappings(output).rows]
    assert repr(ontonym.read_mappings(output)) == "<MappingSet of 3 mappings, read as sssom>"
    assert (tmp_path / "all.sssom.tsv").exists()
    done = ontonym.export_mappings(output, tmp_path / "map.csv")
    assert done.format == "csv"


def test_proposals_are_written_as_a_standard_wants_them(index: ontonym.IndexHandle, tmp_path: Path) -> None:
    (tmp_path / "local.csv").write_text(LOCAL)
    systems = ("H=http://h.example", "LOCAL=http://l.example")
    mapping = MappingOptions(format="fhir-r5", systems=systems, url="http://maps.example/1")
    ontonym.match(tmp_path / "local.csv", index, tmp_path / "map.json", mapping=mapping, mode="best", threshold=0.3)
    written = json.loads((tmp_path / "map.json").read_text())
    assert (written["resourceType"], written["url"]) == ("ConceptMap", "http://maps.example/1")
    assert {group["target"] for group in written["group"] if "target" in group} == {"http://h.example|2024-01-01"}
    both = tmp_path / "both.sssom.tsv"
    with pytest.raises(InputError, match="named by `output=` and by `candidates=`, which would replace each other"):
        ontonym.match(tmp_path / "local.csv", index, both, candidates=both)
    with pytest.raises(WrongTypeError, match="give MappingOptions, or its fields"):
        ontonym.match(tmp_path / "local.csv", index, both, mapping="fhir-r5")  # type: ignore[arg-type]


ODD = "Kürzel,Bezeichnung\nL1,Heart attack\nL2,Fever\n"
"""A table whose header says nothing to a program."""


def test_columns_of_a_table_are_named_as_the_error_says(index: ontonym.IndexHandle, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text(ODD)
    with pytest.raises(FormatError, match=re.escape('for example `columns=["id=Kürzel", "preferred=Bezeichnung"]`')):
        ontonym.match(tmp_path / "odd.csv", index, mode="best")
    with pytest.raises(InputError, match=re.escape('holds the codes? Name it: `columns=["id=COLUMN"]`; the columns')):
        ontonym.match(tmp_path / "odd.csv", index, columns="Bezeichnung")
    for columns in (["id=Kürzel", "Bezeichnung"], ["id=1", "preferred=2"]):
        found = ontonym.match(tmp_path / "odd.csv", index, columns=columns, mode="best", aggregate="max")
        assert [one.proposed.id for one in found.proposals if one.proposed] == ["H:3", "H:5"]
    names = ["id=Kürzel", "preferred=Bezeichnung"]
    made = ontonym.import_release(tmp_path / "odd.csv", tmp_path / "odd.terminology", columns=names)
    assert made["L2"].preferred == "Fever"
    columns = {"id": "Kürzel", "preferred": "Bezeichnung"}
    assert ontonym.import_release(tmp_path / "odd.csv", tmp_path / "odd.terminology", columns=columns)["L1"].names
    assert [
        one.proposed.id for one in ontonym.match(tmp_path / "odd.csv", index, columns=columns).proposals if one.proposed
    ]
    with pytest.raises(InputError, match=re.escape("`columns=` is for a table, and a terminology is given")):
        ontonym.match(made, index, columns=names)
    with pytest.raises(WrongTypeError, match=re.escape('such as ["id=code", "preferred=display"], not int')):
        ontonym.match(tmp_path / "odd.csv", index, columns=3)


def test_one_release_is_read_by_its_path_alone(tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text(LOCAL)
    assert [one.id for one in ontonym.read_release(str(tmp_path / "codes.csv")).concepts()] == ["L1", "L2", "L3"]


@pytest.mark.slow
def test_measuring_and_calibrating(made: Path, heart: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "gold.pubtator"
    mentions = "1\t0\t12\tHeart attack\tDisease\tH:3\n1\t18\t22\tfits\tDisease\tH:6\n"
    corpus.write_text(f"1|t|Heart attack with fits\n1|a|\n{mentions}")
    runs = ontonym.evaluate_normalization(heart / "a.index", corpus, resamples=20)
    assert "accuracy@1" in runs.text
    assert (repr(runs), str(runs)) == (runs.text, runs.text)
    assert runs._repr_html_().startswith("<pre>")
    with ontonym.open(made / "new.index") as index:
        assert index.evaluate(corpus, resamples=20).first.n == 2
        assert "precision" in ontonym.calibrate(index, questions=100, resamples=20, keep=False).text
        assert index.refreshed().calibration is None


def test_update_to_a_new_release(made: Path, heart: Path) -> None:
    done = ontonym.update(made / "new.index", made / "new.terminology")
    assert (done.encoded, done.copied > 0) == (0, True)


@pytest.mark.training
def test_train_and_distil(heart: Path, tmp_path: Path) -> None:
    encoder = ontonym.train(heart / "heart.terminology", tmp_path / "my.encoder", steps=2, batch=4, dev_names=4)
    assert encoder.encode(["fits"]).shape == (1, 256)
    small = ontonym.distill(encoder, heart / "heart.terminology", tmp_path / "small.encoder", dim=16, epochs=1)
    assert small.dim == 16
    assert ontonym.info(tmp_path / "small.encoder").content["terminologies"][0]["name"] == "heart"
    joined = ontonym.join([tmp_path / "my.encoder", tmp_path / "small.encoder"], tmp_path / "both.encoder")
    assert joined.dim == 272
    assert re.fullmatch(r"<JoinedEncoder: 272 dimensions, fingerprint \w{12}>", repr(joined))


@pytest.mark.parametrize(("second", "known"), [("a", "a"), ("b", "")])
def test_names_that_no_joined_encoder_saw_are_still_unseen(tmp_path: Path, second: str, known: str) -> None:
    for name, unseen in (("one", "a"), ("two", second)):
        save_static(tmp_path / name, np.ones((SMALL.rows, SMALL.dim), dtype=np.float32), SMALL, {"unseen": unseen})
    ontonym.join([tmp_path / "one", tmp_path / "two"], tmp_path / "both")
    content = ontonym.info(tmp_path / "both").content
    assert content["unseen"] == known
    assert content["joined"] == [str(tmp_path / "one"), str(tmp_path / "two")]
    with pytest.raises(InputError, match="at least two"):
        ontonym.join(str(tmp_path / "one"), tmp_path / "alone")


def test_weights_are_not_kept_that_were_learned_from_names_the_encoder_has_seen(heart: Path, tmp_path: Path) -> None:
    ontonym.build_index(heart / "heart.terminology", tmp_path / "a.index", encoder="static")
    with pytest.raises(InputError, match="static brings weights of its own, and has seen"):
        ontonym.learn_ranking(tmp_path / "a.index")


def test_what_comes_back_is_shown_in_a_line(heart: Path, tmp_path: Path) -> None:
    made = ontonym.pairs(heart / "heart.terminology", tmp_path / "a.pairs", recipe="synonyms", shares=(1, 0, 0))
    assert repr(made.examples) == "<Examples of synonyms: 4 train, 0 dev, 0 test>"
    assert len(repr(made)) < 300
    ontonym.build_sets(heart / "heart.terminology", tmp_path / "a.sets")
    shown = [repr(one) for one in ontonym.open(tmp_path / "a.sets")]
    assert shown[0].startswith("<SimilaritySet fsn-synonym.")
    assert max(map(len, shown)) < 100


def test_train_says_what_is_wrong_before_it_begins(heart: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown option 'step'"):
        ontonym.train(heart / "heart.terminology", tmp_path / "x.encoder", step=2)
    with pytest.raises(WrongTypeError, match="give a terminology"):
        ontonym.build_index(3, tmp_path / "x.index")


@pytest.mark.parametrize("name", [name for name in ontonym.__all__ if name.islower()])
def test_every_function_says_what_it_gives(name: str) -> None:
    function = getattr(ontonym, name)
    assert function.__doc__
    assert inspect.signature(function).return_annotation is not inspect.Signature.empty


def test_searching_loads_neither_torch_nor_pandas(heart: Path) -> None:
    code = "import sys, ontonym; ontonym.search(sys.argv[1], 'fits'); print({'torch', 'pandas'} & sys.modules.keys())"
    command = [sys.executable, "-c", code, str(heart / "a.index")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "set()\n"


@pytest.mark.slow
def test_pairs_of_a_recipe(made: Path, tmp_path: Path) -> None:
    pairs = ontonym.pairs(
        made / "new.terminology", tmp_path / "new.pairs", recipe="synonyms", shares="100/0/0", tsv=tmp_path / "new.tsv",
        seed=3,
    )  # fmt: skip
    assert len(pairs) == pairs.examples.counts()["train"] > 0
    assert ontonym.open(tmp_path / "new.pairs").described["options"]["seed"] == 3
    rows = (tmp_path / "new.tsv").read_text().splitlines()
    assert rows[0] == "split\tanchor\tpositive\tanchor_id\tpositive_id"
    assert {"Myocardial infarction", "Heart attack"} in [set(row.split("\t")[1:3]) for row in rows]
    with pytest.raises(UnknownNameError, match="unknown option 'sede'"):
        ontonym.pairs(made / "new.terminology", tmp_path / "x.pairs", recipe="synonyms", sede=3)


@pytest.mark.training
def test_train_a_reranker(heart: Path, tmp_path: Path, tiny_bert: Callable[..., Path]) -> None:
    bert = tiny_bert(tmp_path / "bert", ["heart", "fever", "seizure", "beats"])
    reranker = ontonym.train_reranker(
        heart / "a.index", tmp_path / "my.reranker", base=bert, shares="100/0/0", groups=4, dev=0, tokens=48, batch=2,
        epochs=1, threads=1,
    )  # fmt: skip
    scores = reranker.score([(["fits"], ["Seizure"]), (["fits"], ["Fever"])])
    assert scores.shape == (2,)
    assert ontonym.info(tmp_path / "my.reranker").content["training"]["batch"] == 2


def test_malformed_rows_are_warned_of(tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("id,name\n1,Fever\n,Cough\n2,Fits\n")
    with pytest.warns(UserWarning, match=r"^1 malformed row left out; the first: line 3, an empty id$"):
        made = ontonym.import_release(tmp_path / "codes.csv", tmp_path / "codes.terminology")
    assert [one.id for one in made] == ["1", "2"]


def test_rows_without_a_name_are_warned_of(heart: Path, tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("id,name\n1,Fever\n2,\n")
    with pytest.warns(UserWarning, match=r"^1 row left out whose concept has no name$") as told:
        made = ontonym.match(tmp_path / "codes.csv", heart / "a.index")
    assert [one.id for one in made] == ["1"]
    assert [one.filename for one in told] == [__file__], "the line that asked is shown, not one of ours"
    with pytest.warns(UserWarning, match=r"^1 row left out whose concept has no name$"):
        ontonym.import_release(tmp_path / "codes.csv", tmp_path / "codes.terminology")
