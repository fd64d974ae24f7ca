from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limits import rounds
from ontonym.artifact import verify
from ontonym.errors import ArtifactError, InputError, MismatchError, UnknownIdError, UnknownNameError
from ontonym.index import IndexOptions, build_index, open_index
from ontonym.index.evidence import FEATURES
from ontonym.index.fuse import Fusion, default_fusion
from ontonym.index.scan import Scan

HEART = 'id: H:1\nname: Heart disease\nsynonym: "Diseases of the heart" EXACT []\nsynonym: "Cardiopathy" EXACT []'
ATTACK = 'id: H:2\nname: Heart attack\nsynonym: "MI" BROAD []\nis_a: H:1'
ASTHMA = "id: H:3\nname: Asthma\nalt_id: H:9"
DROPSY = 'id: H:4\nname: obsolete Dropsy\nsynonym: "Hydropsy" EXACT []\nis_obsolete: true\nreplaced_by: H:1'
MOUSE = 'id: M:1\nname: Whisker loss\nsynonym: "Asthma" EXACT []'


def texts(index: Any) -> list[str]:
    names = index.signals.names
    places = [index.locate(int(concept)) for concept in names.concepts]
    return [terminology.term_texts()[int(row)] for (terminology, _), row in zip(places, names.terms, strict=True)]


def test_names_of_one_concept_that_differ_in_form_only_share_a_row(workshop: Any) -> None:
    names = 'id: H:1\nname: Heart disease\nsynonym: "DISEASE, HEART" EXACT []\nsynonym: "Heart diseases" EXACT []'
    index = workshop.index(workshop.terminology("human", f'{names}\nsynonym: "Cardiopathy" EXACT []'))
    assert texts(index) == ["Heart disease", "Cardiopathy"]
    assert index.signals.names.kinds.tolist() == [0, 2]


def test_equal_names_of_two_concepts_keep_a_row_each(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("human", ASTHMA, "id: H:5\nname: asthma"))
    assert index.signals.names.spelled(["asthma"]).tolist() == [0, 1]


def test_several_terminologies_are_numbered_in_their_order(workshop: Any) -> None:
    human, mouse = workshop.terminology("human", HEART, ATTACK), workshop.terminology("mouse", MOUSE)
    index = workshop.index(human, mouse)
    assert texts(index) == [
        "Heart disease", "Diseases of the heart", "Cardiopathy", "Heart attack", "MI", "Whisker loss", "Asthma",
    ]  # fmt: skip
    assert [index.id(concept) for concept in range(3)] == ["H:1", "H:2", "M:1"]
    assert index.number("M:1") == 2
    assert index.preferred(2) == "Whisker loss"
    assert (index.concept_count, index.name_count, index.name) == (3, 7, "human + mouse")


def test_retired_concepts_are_left_out_or_taken_in(workshop: Any) -> None:
    terminology = workshop.terminology("human", HEART, DROPSY)
    assert "Hydropsy" not in texts(workshop.index(terminology))
    taken = workshop.index(terminology, options=IndexOptions(retired=True), name="b")
    assert "Hydropsy" in texts(taken)


def test_alternative_and_retired_ids_mean_the_concept_of_today(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("human", HEART, ATTACK, ASTHMA, DROPSY))
    assert [index.resolve(i) for i in ("H:9", "H:4", "H:2", "H:77")] == ["H:3", "H:1", "H:2", None]
    with pytest.raises(UnknownIdError, match="no concept 'H:77' in human"):
        index.number("H:77")
    with pytest.raises(UnknownIdError, match="Did you mean H:2"):
        index.number("h:2")


def test_no_name_to_index_is_an_error(workshop: Any, tmp_path: Path) -> None:
    terminology = workshop.terminology("human", DROPSY)
    with pytest.raises(InputError, match=r"no name to index.*languages: all, retired: out"):
        workshop.index(terminology)
    assert not (tmp_path / "a.index").exists()
    with pytest.raises(InputError, match="at least one terminology"):
        build_index([], tmp_path / "a.index")


def test_languages_are_chosen_by_their_first_part(workshop: Any) -> None:
    terminology = workshop.terminology("human", HEART)
    assert workshop.index(terminology, options=IndexOptions(languages=("en",))).name_count == 3
    with pytest.raises(InputError, match="languages: fr, retired: out"):
        workshop.index(terminology, options=IndexOptions(languages=("fr",)), name="b")


def test_mask_is_that_of_the_filters(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("human", HEART, ATTACK, ASTHMA), workshop.terminology("mouse", MOUSE))
    assert index.mask() is None
    assert index.mask(within=["H:1"]).tolist() == [True, True, False, False]
    assert index.mask(within=["H:9", "M:1"]).tolist() == [False, False, True, True]
    assert index.mask(terminologies=["mouse"]).tolist() == [False, False, False, True]
    assert index.mask(within=["H:1"], terminologies=["mouse"]).tolist() == [False] * 4
    with pytest.raises(UnknownNameError, match=r"unknown terminology 'mouze'. Did you mean 'mouse'\?"):
        index.mask(terminologies=["mouze"])
    with pytest.raises(UnknownNameError, match="unknown tag 'x'"):
        index.mask(tags=["x"])


def test_allowed_concepts_are_the_only_candidates(workshop: Any) -> None:
    stanzas = [f"id: N:{n}\nname: pain of kind{n} and sort{n % 7}" for n in range(300)]
    index = workshop.index(workshop.terminology("many", *stanzas))
    allowed = np.random.default_rng(0).random(300) < 0.1
    evidence = index.signals.evidence(index.signals.query("pain of sort3"), Scan(allowed=allowed))
    assert sorted(evidence.concepts.tolist()) == np.flatnonzero(allowed).tolist()


@pytest.mark.slow
def test_another_terminology_or_encoder_in_the_place_is_an_error(workshop: Any, tmp_path: Path) -> None:
    workshop.index(workshop.terminology("human", HEART))
    workshop.terminology("human", HEART, ATTACK)
    with pytest.raises(MismatchError, match=r"human it was made from is not the one at.*rebuild with"):
        open_index(tmp_path / "a.index")
    workshop.terminology("human", HEART)
    open_index(tmp_path / "a.index").close()
    workshop.encoder("a", seed=1)
    with pytest.raises(MismatchError, match="the encoder it was made from"):
        open_index(tmp_path / "a.index")
    with pytest.raises(MismatchError, match="was made from 1 terminology, but 2 were given"):
        open_index(tmp_path / "a.index", terminologies=[tmp_path / "human.terminology"] * 2)


def test_moved_together_all_is_found(workshop: Any, tmp_path: Path) -> None:
    workshop.index(workshop.terminology("human", HEART))
    place = tmp_path / "elsewhere" / "deep"
    place.mkdir(parents=True)
    for name in ("a.index", "human.terminology", "a.encoder"):
        shutil.move(tmp_path / name, place / name)
    with open_index(place / "a.index") as index:
        assert index.terminologies[0].path == place / "human.terminology"
        assert index.id(0) == "H:1"


def test_index_moved_alone_finds_the_rest_where_it_was(workshop: Any, tmp_path: Path) -> None:
    workshop.index(workshop.terminology("human", HEART))
    (tmp_path / "b" / "c").mkdir(parents=True)
    shutil.move(tmp_path / "a.index", tmp_path / "b" / "c" / "a.index")
    open_index(tmp_path / "b" / "c" / "a.index").close()


def test_what_was_in_other_folders_is_found_beside_the_index(workshop: Any, tmp_path: Path) -> None:
    (tmp_path / "releases").mkdir()
    workshop.index(workshop.terminology("releases/human", HEART))
    place = tmp_path / "mounted"
    place.mkdir()
    for name in ("a.index", "releases/human.terminology", "a.encoder"):
        shutil.move(tmp_path / name, place / Path(name).name)
    with open_index(place / "a.index") as index:
        assert index.terminologies[0].path == place / "human.terminology"


def test_a_lost_terminology_can_be_given(workshop: Any, tmp_path: Path) -> None:
    workshop.index(workshop.terminology("human", HEART))
    shutil.move(tmp_path / "human.terminology", tmp_path / "kept.terminology")
    with pytest.raises(ArtifactError, match="its terminology is no longer at"):
        open_index(tmp_path / "a.index")
    with open_index(tmp_path / "a.index", terminologies=[tmp_path / "kept.terminology"]) as index:
        assert index.id(0) == "H:1"


FOR_UPDATES = ("name_hash", "repeat_", "shorter_", "clinical_", "said_")
"""What only `update_index` opens."""


def files_of(folder: Path) -> list[str]:
    return sorted(json.loads((folder / "manifest.json").read_text())["files"])


@pytest.mark.slow
def test_every_missing_cut_or_garbled_file_is_an_error(workshop: Any, tmp_path: Path) -> None:
    workshop.index(workshop.terminology("human", HEART, ATTACK, ASTHMA), options=IndexOptions())
    folder = tmp_path / "a.index"
    assert (folder / "everyday").is_dir()
    for name in files_of(folder):
        kept = (folder / name).read_bytes()
        (folder / name).unlink()
        with pytest.raises(ArtifactError, match="is missing"):
            open_index(folder)
        (folder / name).write_bytes(kept[:-1])
        if kept:
            with pytest.raises(ArtifactError, match="bytes instead of"):
                open_index(folder)
        if name.endswith(".npy") and not Path(name).name.startswith(FOR_UPDATES):
            (folder / name).write_bytes(b"x" * len(kept))
            with pytest.raises(ArtifactError, match="damaged"):
                open_index(folder)
        (folder / name).write_bytes(kept)


def test_same_input_gives_the_same_evidence(workshop: Any) -> None:
    terminology = workshop.terminology("human", HEART, ATTACK, ASTHMA)
    first, second = (workshop.index(terminology, name=name) for name in "ab")
    for text in ("heart", "astma", "MI"):
        one, other = (
            first.signals.evidence(first.signals.query(text)),
            second.signals.evidence(second.signals.query(text)),
        )
        assert one.features.tolist() == other.features.tolist()
        assert one.concepts.tolist() == other.concepts.tolist()


def test_manifest_says_what_is_inside(workshop: Any, tmp_path: Path) -> None:
    terminology = workshop.terminology("human", HEART, DROPSY)
    content = workshop.index(terminology).manifest.content
    assert content["statistics"] == {"concepts": 2, "terms": 5, "names": 3, "words": 5, "everyday": 0, "shortened": 0}
    assert content["identity"]["options"] == {"languages": [], "retired": False, "everyday": False, "shards": 1}
    assert content["identity"]["terminologies"][0]["fingerprint"] == terminology.fingerprint
    assert content["terminologies"][0]["relative"] == "human.terminology"


def test_progress_tells_each_stage_to_its_end(workshop: Any, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    terminology = workshop.terminology("human", HEART, ATTACK)
    build_index(
        [terminology], tmp_path / "a.index", encoder=workshop.encoder(), progress=lambda *step: told.append(step)
    )
    ends = {stage: (done, total) for stage, done, total in told}
    assert ends == {"reading names": (5, 5), "meaning": (5, 5)}


REBUILD = """
import sys
from pathlib import Path
from ontonym.index import build_index
from ontonym.store import open_terminology
folder = Path(sys.argv[1])
with open_terminology(folder / "many.terminology") as terminology:
    while True:
        print("go", flush=True)
        build_index([terminology], folder / "a.index", encoder=folder / "a.encoder")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix signal")
def test_killed_at_any_moment_the_index_opens_and_searches(workshop: Any, tmp_path: Path) -> None:
    stanzas = [f"id: N:{n}\nname: pain of kind{n} and sort{n % 7}" for n in range(3000)]
    workshop.index(workshop.terminology("many", *stanzas))
    chance = random.Random(20)  # noqa: S311 (no secret)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(rounds(20)):
        process = subprocess.Popen(
            [sys.executable, "-c", REBUILD, str(tmp_path)], stdout=subprocess.PIPE, env=environment
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.6))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        verify(tmp_path / "a.index", "index")
        with open_index(tmp_path / "a.index") as index:
            assert index.signals.evidence(index.signals.query("pain of kind42")).column("spelled").sum() == 0
            assert index.signals.evidence(index.signals.query("pain of kind42 and sort0")).column("spelled").sum() == 1
    workshop.index(*workshop.index(workshop.keep(open_index(tmp_path / "a.index")).terminologies[0]).terminologies)
    assert [place.name for place in tmp_path.iterdir() if place.name.startswith(".")] == []


# Fusion -------------------------------------------------------------------------------------------------------------


def test_confidences_are_shares_of_one_and_leave_some_for_none() -> None:
    rng = np.random.default_rng(0)
    for count in (1, 2, 50, 500):
        for spread in (0.1, 1, 100):
            features = (rng.standard_normal((count, len(FEATURES))) * spread).astype(np.float32)
            confidences = default_fusion().confidences(features)
            assert confidences.shape == (count,)
            assert ((confidences >= 0) & (confidences <= 1)).all()
            assert confidences.sum() <= 1 + 1e-9


def test_fusion_is_a_softmax_with_a_score_for_none() -> None:
    width = len(FEATURES)
    fusion = Fusion(
        mean=np.zeros(width, dtype=np.float32),
        scale=np.ones(width, dtype=np.float32),
        hidden=np.eye(width, 1, dtype=np.float32),
        hidden_bias=np.zeros(1, dtype=np.float32),
        output=np.asarray([2], dtype=np.float32),
        none=0.5,
    )
    features = np.zeros((2, width), dtype=np.float32)
    features[0, 0] = 1.0
    raised = np.exp([2 * np.tanh(1), 0.0, 0.5])
    assert fusion.confidences(features) == pytest.approx((raised / raised.sum())[:2], rel=1e-6)


def test_for_queries_of_one_word_some_features_count_less() -> None:
    width, at = len(FEATURES), FEATURES.index("name_share")
    fusion = replace(
        default_fusion(),
        mean=np.zeros(width, dtype=np.float32),
        scale=np.ones(width, dtype=np.float32),
        hidden=np.ones((width, 1), dtype=np.float32),
        hidden_bias=np.zeros(1, dtype=np.float32),
        output=np.ones(1, dtype=np.float32),
        single=np.where(np.arange(width) == at, 0.25, 1).astype(np.float32),
    )
    features = np.zeros((2, width), dtype=np.float32)
    features[1, at] = 0.4
    assert fusion.scores(features) == pytest.approx([0, np.tanh(0.4)])
    features[:, FEATURES.index("one_word")] = 1
    assert fusion.scores(features) == pytest.approx([np.tanh(1), np.tanh(1.1)])
    assert Fusion.from_dict(fusion.to_dict()).exact_scores(features) == pytest.approx([np.tanh(1), np.tanh(1.1)])


def test_fusion_comes_back_from_its_dictionary() -> None:
    fusion = default_fusion()
    again = Fusion.from_dict(json.loads(json.dumps(fusion.to_dict())))
    features = np.random.default_rng(0).standard_normal((9, len(FEATURES))).astype(np.float32)
    assert again.confidences(features) == pytest.approx(fusion.confidences(features), abs=1e-4)


def test_weights_for_other_features_are_an_error() -> None:
    values = default_fusion().to_dict()
    values["features"] = values["features"][::-1]
    with pytest.raises(ArtifactError, match="made for other features"):
        Fusion.from_dict(values)


def test_a_name_equal_to_the_query_is_surest(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("human", HEART, ATTACK, ASTHMA))
    confidences = index.fusion.confidences(index.signals.evidence(index.signals.query("asthma")).features)
    evidence = index.signals.evidence(index.signals.query("asthma"))
    assert evidence.concepts[confidences.argmax()] == 2
    assert confidences.max() > 0.5


def test_a_concept_of_two_terminologies_makes_no_reading_less_sure(workshop: Any) -> None:
    one, two = (
        workshop.terminology("a", "id: A:1\nname: Heart murmur"),
        workshop.terminology("b", "id: B:1\nname: Heart murmur"),
    )
    alone, both = workshop.index(one, name="alone"), workshop.index(one, two, name="both")
    scan = Scan("O", "T", "fused", 10)
    sure, as_sure = (
        index.interpreter.candidates.interpretations([index.signals.query("heart murmur")], scan)[0].surest
        for index in (alone, both)
    )
    assert as_sure == pytest.approx(sure, abs=1e-3)
    assert sure > 0.9
