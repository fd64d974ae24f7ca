"""``ontonym train``: stops, where checkpoints and outputs are, and bases that cannot be trained."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from trainings import FEW, STATIC

from ontonym.artifact import read_manifest
from ontonym.cli import main

pytestmark = pytest.mark.training


def test_resume_begins_where_there_is_no_checkpoint(run, terminology, output, tmp_path):
    done = run("train", terminology, *STATIC, *FEW, "-o", output, "--resume")
    assert done.exit_code == 0, done.output
    assert run("train", terminology, *STATIC, *FEW, "-o", tmp_path / "b.encoder").exit_code == 0
    assert read_manifest(output).fingerprint == read_manifest(tmp_path / "b.encoder").fingerprint
    assert not Path(f"{output}.training").exists()


@pytest.fixture(scope="module")
def stopped_once(tiny, tmp_path_factory) -> Path:
    """The folder of checkpoints that a training of `STATIC` left, stopped in the fourth step of six."""

    def stop(self, label, done, total, note=""):
        if done >= 4:
            raise KeyboardInterrupt

    folder = tmp_path_factory.mktemp("stopped")
    work, output = folder / "work", folder / "made.encoder"
    asked = ("train", tiny / "tiny.terminology", *STATIC, "--steps", "6", "--batch", "8", "--every", "2")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ONTONYM_CACHE", str(folder / "cache"))
        patched.setattr("ontonym.cli.train.Bar.stage", stop)
        done = CliRunner().invoke(main, [*map(str, asked), "-o", str(output), "--work", str(work)])
    assert done.exit_code == 130
    assert f"the last checkpoint is in {work}: --resume goes on from there" in done.stderr
    assert not output.exists()
    return work


@pytest.fixture
def stopped(stopped_once: Path, tmp_path: Path) -> Path:
    """A copy of these checkpoints, to go on from."""
    return Path(shutil.copytree(stopped_once, tmp_path / "work"))


def test_an_interruption_before_the_first_checkpoint_has_nothing_to_go_on_from(run, terminology, output, monkeypatch):
    def stop(self, label, done, total, note=""):
        if label == "training":
            raise KeyboardInterrupt

    monkeypatch.setattr("ontonym.cli.train.Bar.stage", stop)
    done = run("train", terminology, *STATIC, "--steps", "6", "--batch", "8", "--every", "4", "-o", output)
    assert (done.exit_code, "--resume" in done.stderr) == (130, False)


@pytest.mark.parametrize("more", [(), ("--resume",)])
def test_the_same_training_goes_on_to_the_same_weights(run, terminology, output, tmp_path, stopped, monkeypatch, more):
    assert not output.exists()
    assert [place.name for place in stopped.glob("checkpoint-*")] == ["checkpoint-2"]
    trained = ("train", terminology, *STATIC, "--steps", "6", "--batch", "8", "--every", "2")
    seen = []
    with monkeypatch.context() as patched:
        patched.setattr(
            "ontonym.cli.train.Bar.stage",
            lambda self, label, done, total, note="": seen.append(done) if label == "training" else None,
        )
        assert run(*trained, "-o", output, "--work", stopped, *more).exit_code == 0
    assert seen == [4, 6]
    assert run(*trained, "-o", tmp_path / "whole.encoder").exit_code == 0
    assert read_manifest(output).fingerprint == read_manifest(tmp_path / "whole.encoder").fingerprint


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--rate", "0.1"), "differing in training.rate);"),
        (("--dim", "16"), "differing in shape.dim);"),
        (("--loss", "batch-hard", "--seed", "1"), "differing in loss.name, pairs.options.pool.seed, "),
        (("--recipe", "synonyms"), "differing in pairs.recipe, examples of drawn, examples of synonyms, "),
    ],
)
def test_resume_goes_on_with_no_other_training(run, terminology, output, stopped, options, told):
    trained = ("train", terminology, *STATIC, "--steps", "6", "--batch", "8", "--every", "2", "--work", stopped)
    done = run(*trained, *options, "-o", output, "--resume")
    assert done.exit_code == 2
    assert f"{stopped}: its checkpoints are of another training" in done.stderr
    assert told in done.stderr
    assert not output.exists()
    assert run(*trained, "--at-once", "4", "-o", output, "--resume").exit_code == 0  # less memory, the same result


def test_another_training_begins_anew_where_it_may(run, terminology, output, stopped, tmp_path):
    trained = ("train", terminology, *STATIC, "--steps", "4", "--batch", "8", "--every", "2", "--rate", "0.1")
    assert run(*trained, "-o", output, "--work", stopped).exit_code == 0
    assert run(*trained, "-o", tmp_path / "whole.encoder").exit_code == 0
    assert read_manifest(output).fingerprint == read_manifest(tmp_path / "whole.encoder").fingerprint


def test_a_folder_for_checkpoints_keeps_what_else_is_in_it(run, terminology, output, tmp_path):
    (mine := tmp_path / "scratch").mkdir()
    (mine / "notes.txt").write_text("mine")
    (mine / "checkpoint-best").mkdir()
    os.utime(mine / "checkpoint-best", (0, 0))
    trained = ("train", terminology, *STATIC, *FEW, "--work", mine)
    assert run(*trained, "-o", output).exit_code == 0
    assert sorted(file.name for file in mine.iterdir()) == ["checkpoint-best", "notes.txt"]
    (mine / "checkpoint-500").mkdir()
    for more in ((), ("--resume",)):
        done = run(*trained, "-o", tmp_path / "other.encoder", *more)
        assert (done.exit_code, f"{mine}: has checkpoints of another program" in done.stderr) == (2, True)
        assert (mine / "checkpoint-500").is_dir()


def test_an_output_may_end_with_a_slash(run, terminology, output):
    assert run("train", terminology, *STATIC, *FEW, "-o", f"{output}/").exit_code == 0
    assert read_manifest(output).kind == "encoder"


def test_a_page_of_somebody_else_is_not_replaced(run, terminology, output):
    page = Path(f"{output}.html")
    page.write_text("notes of mine")
    asked = ["train", terminology, "-o", output, "--base", "none", "--steps", 2, "--dim", 8]
    done = run(*asked)
    assert (done.exit_code, f"{page}: is there already" in done.stderr) == (2, True)
    assert (page.read_text(), Path(output).exists()) == ("notes of mine", False)
    assert run(*asked, "--force").exit_code == 0
    assert "<title>" in page.read_text()
    assert run(*asked).exit_code == 0, "the same command made it"


def test_an_output_that_is_no_encoder_is_refused_before_training(run, terminology, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "ontonym.learning.encoders.runs.train_encoder", lambda *_, **__: pytest.fail("it was trained for nothing")
    )
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "letter.txt").write_text("mine")
    for place, told in (
        (tmp_path / "file", "is a file"),
        (tmp_path / "folder", "is a folder that ontonym did not make"),
        (terminology, "is a terminology, which an encoder may not replace"),
        (tmp_path / "file" / "below", "cannot be written"),
    ):
        done = run("train", terminology, *STATIC, *FEW, "-o", place, "--force")
        assert done.exit_code == 2, done.output
        assert f"{place}: {told}" in done.stderr
    done = run("train", terminology, *STATIC, *FEW, "-o", tmp_path / "x.encoder", "--work", tmp_path / "file")
    assert done.exit_code == 2, done.output
    assert f"{tmp_path / 'file'}: checkpoints cannot be kept there" in done.stderr
    assert (tmp_path / "folder" / "letter.txt").read_text() == "mine"
    assert read_manifest(terminology).kind == "terminology"


def test_a_base_with_missing_files_names_the_file(run, terminology, output, trainable, tmp_path):
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        broken = tmp_path / f"without {name}"
        shutil.copytree(trainable, broken)
        (broken / name).unlink()
        done = run("train", terminology, "--base", broken, *FEW, "-o", output)
        assert done.exit_code == 2, done.output
        assert f"{broken}: file {name}" in done.stderr
        assert "missing" in done.stderr
    done = run("train", terminology, "--base", tmp_path / "nowhere", *FEW, "-o", output)
    assert done.exit_code == 2
    assert f"--base {tmp_path / 'nowhere'}: no such folder; give default, none, small, or" in done.stderr
    assert not output.exists()


def test_word_vectors_are_no_base(run, terminology, output, tmp_path):
    from ontonym.encoder.vectors import import_vectors

    (tmp_path / "glove.txt").write_text("heart 0.1 0.2 0.3\nattack 0.2 0.1 0.5\nfever 0.9 0.1 0.2\n")
    import_vectors(tmp_path / "glove.txt", tmp_path / "glove.encoder")
    for place, told in (("glove.txt", "is a file, and cannot be trained on"), ("glove.encoder", "holds word vectors")):
        done = run("train", terminology, "--base", tmp_path / place, *FEW, "-o", output)
        assert done.exit_code == 2
        assert f"--base {tmp_path / place} {told}" in done.stderr
        assert not output.exists()


def test_options_that_the_base_cannot_have(run, terminology, output, encoder, trainable):
    for options, told in (
        (("--base", encoder, "--pooling", "cls"), "is a static encoder, which pools nothing"),
        (("--base", trainable, "--dim", "16"), "brings its own shape"),
        (("--base", "none", "--export", "onnx"), "--base none makes a static encoder, which has no ONNX form"),
    ):
        done = run("train", terminology, *options, *FEW, "-o", output)
        assert done.exit_code == 2, done.output
        assert told in done.stderr
        assert not output.exists()
