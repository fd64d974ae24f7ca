"""``ontonym learn-ranking``: kept only where it is better, forgotten on request, and used by the index from then on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from built import indexed
from ontonym.cli import main
from ontonym.encoder.places import RANKING
from ontonym.index import open_index
from ontonym.index.fuse import default_fusion

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.training]

PARTS = "heart lung liver kidney spleen bowel brain nerve muscle bone skin eye ear nose throat".split()
TROUBLES = "pain swelling infection bleeding injury tumor paralysis spasm".split()
OTHERS = {"pain": "ache", "swelling": "edema", "infection": "sepsis", "bleeding": "hemorrhage", "injury": "trauma",
          "tumor": "neoplasm", "paralysis": "palsy", "spasm": "cramp"}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    stanzas = [
        f'[Term]\nid: T:{number}\nname: {part} {trouble}\nsynonym: "{OTHERS[trouble]} of the {part}" EXACT []\n'
        for number, (part, trouble) in enumerate((part, trouble) for part in PARTS for trouble in TROUBLES)
    ]
    folder = tmp_path_factory.mktemp("ranking")
    indexed(folder, {"made.obo": "format-version: 1.2\nontology: made\n\n" + "\n".join(stanzas)})
    return folder


@pytest.fixture(scope="module")
def learned(made: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """An index with learned weights, and what learning them printed."""
    folder = Path(shutil.copytree(made, tmp_path_factory.mktemp("learned") / "made"))
    return folder / "a.index", learn(lambda *given: CliRunner().invoke(main, given), folder / "a.index")


@pytest.fixture
def index(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "made")
    return tmp_path / "made" / "a.index"


def learn(run: Any, index: Path, *more: str) -> dict[str, Any]:
    done = run("learn-ranking", str(index), "--queries", "600", "--epochs", "80", "--members", "1", "--json", *more)
    assert done.exit_code == 0, done.output
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_learned_weights_are_kept_and_used(run: Any, learned: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    place, told = learned
    index = Path(shutil.copytree(place.parent, tmp_path / "made")) / "a.index"
    assert told["kept"] == (told["after"]["loss"] < told["before"]["loss"])
    assert told["kept"]
    assert told["queries"] == 600
    with open_index(index) as opened:
        assert not np.array_equal(opened.fusion.hidden[:, :1], default_fusion().hidden[:, :1])
        assert opened.manifest.content["ranking"]["queries"] == 600
        assert opened.fusion.hidden.shape[1] == 13  # 12 were learned, one is for contradictions
    again = learn(run, index)
    assert again["before"]["loss"] == pytest.approx(told["after"]["loss"], abs=1e-3)
    forgotten = run("learn-ranking", str(index), "--forget", "--json")
    assert json.loads(forgotten.stdout)["forgotten"]
    with open_index(index) as opened:
        assert opened.fusion is default_fusion()
        assert not (index / RANKING).exists()


def test_an_open_index_takes_up_what_was_learned(run: Any, index: Path) -> None:
    with open_index(index) as opened:
        assert opened.fusion is default_fusion()
        learn(run, index)
        assert opened.refreshed().fusion.none == pytest.approx(json.loads((index / RANKING).read_bytes())["none"])
        run("learn-ranking", str(index), "--forget")
        assert opened.refreshed().fusion is default_fusion()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--hidden", "0.9", "--nothing", "0.5"), "--hidden-share, --nothing and --everyday-share are shares"),
        (("--extra", "1.5"), "--extra is a share between 0 and 1, not 1.5"),
        (("--members", "0"), "--members must be at least 1, not 0"),
        (("--rate", "0"), "--rate must be above 0"),
    ],
)
def test_numbers_that_make_no_sense_are_one_error(run: Any, index: Path, options: tuple[str, ...], said: str) -> None:
    done = run("learn-ranking", str(index), *options)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_dry_run_leaves_the_index_as_it_was(run: Any, index: Path) -> None:
    assert not learn(run, index, "--dry-run")["kept"]
    assert not (index / RANKING).exists()


def test_only_unseen_names_are_hidden(run: Any, index: Path, tmp_path: Path) -> None:
    unseen = tmp_path / "unseen.txt"
    unseen.write_text("no such name\n", encoding="utf-8")
    done = run("learn-ranking", str(index), "--queries", "200", "--hidden", "1", "--nothing", "0", "--everyday", "0",
               "--unseen", str(unseen))  # fmt: skip
    assert done.exit_code == 2
    assert "only 0 queries could be made" in done.stderr


def test_damaged_weights_are_one_error(run: Any, index: Path, learned: tuple[Path, dict[str, Any]]) -> None:
    shutil.copy(learned[0] / RANKING, index / RANKING)
    assert run("search", str(index), "heart pain").exit_code == 0
    (index / RANKING).write_text("{", encoding="utf-8")
    done = run("search", str(index), "heart pain")
    assert done.exit_code == 2
    assert "damaged" in done.stderr
