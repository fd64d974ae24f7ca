from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import ArtifactError
from ontonym.index import build_index
from ontonym.store import open_terminology
from pipelines import NOTE, blank, told

pytestmark = pytest.mark.spacy

spacy = pytest.importorskip("spacy")


@pytest.fixture
def mine(made: Path, tmp_path: Path) -> Path:
    """A folder of the test's own with copies of all artifacts."""
    shutil.copytree(made, tmp_path / "mine")
    return tmp_path / "mine"


def saved(mine: Path, **config: Any) -> tuple[Path, Any]:
    """A pipeline saved beside its index, and what it says of the note."""
    nlp = blank()
    nlp.add_pipe("ontonym", config={"index": str(mine / "a.index"), "threshold": 0.2, **config})
    nlp.to_disk(mine / "model")
    return mine / "model", told(nlp(NOTE))


def test_a_saved_pipeline_says_the_same(mine: Path) -> None:
    model, expected = saved(mine, labels=["FINDING"], k=2)
    nlp = spacy.load(model)
    assert told(nlp(NOTE)) == expected
    assert nlp.get_pipe("ontonym").options.labels == ("FINDING",)
    assert nlp.config["components"]["ontonym"]["k"] == 2
    assert json.loads((model / "meta.json").read_text())["ontonym"] == {"ontonym": "human + drugs"}
    assert not (model / "ontonym" / "copy").exists()


def test_a_pipeline_moved_together_with_its_index_loads(mine: Path, tmp_path: Path) -> None:
    _, expected = saved(mine)
    mine.rename(tmp_path / "elsewhere")
    assert told(spacy.load(tmp_path / "elsewhere" / "model")(NOTE)) == expected


def test_a_pipeline_moved_away_from_its_index_loads(mine: Path, tmp_path: Path) -> None:
    model, expected = saved(mine)
    (tmp_path / "far").mkdir()
    model.rename(tmp_path / "far" / "model")
    assert told(spacy.load(tmp_path / "far" / "model")(NOTE)) == expected


def test_a_path_from_the_working_folder_holds_from_any_other(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine)
    nlp = blank()
    nlp.add_pipe("ontonym", config={"index": "a.index"})
    nlp.to_disk("model")
    monkeypatch.chdir(tmp_path)
    assert copy.deepcopy(nlp.get_pipe("ontonym")).index.path == (mine / "a.index").resolve()
    assert told(spacy.load(mine / "model")(NOTE)) == told(nlp(NOTE))
    mine.rename(tmp_path / "elsewhere")
    assert spacy.load("elsewhere/model")("lumbago").ents[0].kb_id_ == "H:2"


def test_an_index_that_is_gone_is_one_clear_error(mine: Path, made: Path) -> None:
    model, expected = saved(mine)
    shutil.rmtree(mine / "a.index")
    with pytest.raises(ArtifactError, match=r"a\.index: the index of this pipeline is no longer there: give its new"):
        spacy.load(model)
    with pytest.raises(ArtifactError, match=r"no such index; make one with `build_index\(\)`"):
        spacy.load(model, config={"components.ontonym.index": "gone.index"})
    nlp = spacy.load(model, config={"components.ontonym.index": str(made / "a.index")})
    assert told(nlp(NOTE)) == expected
    assert "ontonym" not in spacy.load(model, exclude=["ontonym"]).pipe_names


def test_options_given_when_loading_hold(mine: Path) -> None:
    model, _ = saved(mine)
    nlp = spacy.load(model, config={"components.ontonym.threshold": 1.0})
    assert [ent.kb_id_ for ent in nlp("heart atack").ents] == ["NIL"]


def test_an_index_given_when_loading_holds(mine: Path) -> None:
    model, _ = saved(mine)
    with open_terminology(mine / "drugs.terminology") as drugs:
        build_index([drugs], mine / "drugs.index", encoder=mine / "a.encoder")
    nlp = spacy.load(model, config={"components.ontonym.index": str(mine / "drugs.index")})
    assert nlp.get_pipe("ontonym").index.name == "drugs"
    nlp.to_disk(model)
    assert spacy.load(model).get_pipe("ontonym").index.name == "drugs"


def test_a_copied_index_needs_nothing_else(mine: Path, tmp_path: Path) -> None:
    model, expected = saved(mine, copy_index=True)
    away = tmp_path / "away"
    model.rename(away)
    shutil.rmtree(mine)
    nlp = spacy.load(away)
    assert told(nlp(NOTE)) == expected
    nlp.to_disk(away)
    nlp.to_disk(tmp_path / "third")
    shutil.rmtree(away)
    assert told(spacy.load(tmp_path / "third")(NOTE)) == expected
    parts = sorted(path.name for path in (tmp_path / "third" / "ontonym" / "copy").iterdir())
    assert parts == ["encoder", "index", "terminology.0", "terminology.1"]


def test_a_copy_is_preferred_to_the_index_it_was_copied_from(mine: Path) -> None:
    model, _ = saved(mine, copy_index=True)
    nlp = spacy.load(model)
    assert nlp.get_pipe("ontonym").index.path == model / "ontonym" / "copy" / "index"


def test_an_encoder_that_comes_with_the_package_is_not_copied(mine: Path) -> None:
    with open_terminology(mine / "drugs.terminology") as drugs:
        build_index([drugs], mine / "a.index")
    model, expected = saved(mine, copy_index=True)
    assert sorted(path.name for path in (model / "ontonym" / "copy").iterdir()) == ["index", "terminology.0"]
    shutil.rmtree(mine / "a.index")
    assert told(spacy.load(model)(NOTE)) == expected


def test_bytes_note_the_place(mine: Path, made: Path) -> None:
    _, expected = saved(mine)
    nlp = blank()
    nlp.add_pipe("ontonym", config={"index": str(mine / "a.index"), "threshold": 0.2})
    linker = nlp.get_pipe("ontonym")
    assert linker.from_bytes(linker.to_bytes()) is linker
    other = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert told(other.get_pipe("ontonym")(blank()(NOTE))) == expected
    data = linker.to_bytes()
    shutil.rmtree(mine)
    with pytest.raises(ArtifactError, match="the index of this pipeline is no longer there"):
        linker.from_bytes(data)
    with pytest.raises(ArtifactError, match=r"the bytes of the pipeline: damaged .*: save the pipeline again"):
        linker.from_bytes(b"{")


@pytest.mark.parametrize("damage", [b"", b'{"configured": 1}', b"[]", b'{"unheard": "of"}'])
def test_a_damaged_note_is_an_error(mine: Path, damage: bytes) -> None:
    model, _ = saved(mine)
    (model / "ontonym" / "index.json").write_bytes(damage)
    with pytest.raises(ArtifactError, match=r"index\.json: damaged .*: save the pipeline again"):
        spacy.load(model)
