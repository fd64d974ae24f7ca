from __future__ import annotations

import gzip
import pickle
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ontonym.artifact import read_manifest, verify
from ontonym.encoder import open_encoder
from ontonym.encoder.vectors import VectorsEncoder, import_vectors, read_vectors, word_similarities
from ontonym.encoder.wordfiles import WordFile
from ontonym.errors import ArtifactError, FormatError, UnknownNameError

WORDS = {
    "heart": [1.0, 0.0, 0.0, 0.5],
    "pain": [0.0, 2.0, 0.0, 0.25],
    "Heart": [-1.0, 0.0, 1.0, 0.0],
    "non-hodgkin": [0.0, 0.0, 3.0, 1.5],
    "lymphoma": [0.5, 0.5, 0.5, -2.0],
    "gaucher": [0.25, -1.5, 0.0, 0.0],
    "β": [0.0, 0.0, -1.0, 4.0],
}


def text(header: bool = True, words: dict[str, list[float]] = WORDS, end: str = "\n") -> str:
    lines = [" ".join([word, *(f"{number:.4f}" for number in vector)]) for word, vector in words.items()]
    return "\n".join([f"{len(words)} 4", *lines] if header else lines) + end


def binary(words: dict[str, list[float]] = WORDS, between: bytes = b"\n", count: int | None = None) -> bytes:
    parts = [f"{len(words) if count is None else count} 4\n".encode()]
    parts += [word.encode() + b" " + struct.pack("<4f", *vector) + between for word, vector in words.items()]
    return b"".join(parts)


def written(folder: Path, content: str | bytes, name: str = "words.vec") -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def unit(*vectors: list[float]) -> np.ndarray:
    mean = np.mean(vectors, axis=0)
    return mean / np.linalg.norm(mean)


FORMS = {
    "word2vec text, fastText .vec": text(),
    "without a line break at the end": text(end=""),
    "blanks at line ends, as fastText has them": text().replace("\n", " \n").replace("7 4 \n", "7 4\n"),
    "carriage returns": text().replace("\n", "\r\n"),
    "GloVe text": text(header=False),
    "tabs": text(header=False).replace(" ", "\t"),
    "word2vec binary": binary(),
    "word2vec binary without line breaks": binary(between=b""),
}


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_every_form_of_file_gives_the_same_encoder(tmp_path: Path, content: str | bytes) -> None:
    encoder = read_vectors(written(tmp_path, content))
    assert (len(encoder), encoder.dim) == (7, 4)
    found = encoder.encode(["heart pain", "β", "nothing known"])
    assert found[0] == pytest.approx(unit(WORDS["heart"], WORDS["pain"]), abs=1e-6)
    assert found[1] == pytest.approx(unit(WORDS["β"]), abs=1e-6)
    assert not found[2].any()


def test_packed_files_are_read(tmp_path: Path) -> None:
    encoder = read_vectors(written(tmp_path, gzip.compress(text().encode()), "words.vec.gz"))
    assert encoder.encode(["heart"])[0] == pytest.approx(unit(WORDS["heart"]), abs=1e-6)


@pytest.mark.parametrize("first", ["\u00a0", "heart\u2028attack", "\u200bpain"])
def test_a_first_word_with_characters_that_are_not_seen_is_text_too(tmp_path: Path, first: str) -> None:
    encoder = read_vectors(written(tmp_path, f"2 2\n{first} 1 2\nfever 3 4\n"))
    assert (len(encoder), encoder.dim) == (2, 2)
    assert encoder.encode(["fever"])[0] == pytest.approx([0.6, 0.8])


def test_a_number_beyond_single_precision_is_refused_without_a_warning(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="vec:2: a vector with a number that is not finite"):
        read_vectors(written(tmp_path, "fits 1 2\nfever 1e39 2\n"))


def test_words_with_blanks_keep_them(tmp_path: Path) -> None:
    file = WordFile(written(tmp_path, "a 1 2 3\n. . . 4 5 6\nof the 7 8 9\n"))
    ((words, vectors),) = file.blocks()
    assert words == ["a", ". . .", "of the"]
    assert vectors.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("heart", ["heart"]),
        ("Heart", ["Heart"]),  # as it is written goes first
        ("PAIN", ["pain"]),
        ("Non-Hodgkin lymphomas", ["non-hodgkin", "lymphoma"]),  # a plural that the vocabulary lacks
        ("Gaucher's disease, (pain)", ["gaucher", "pain"]),
        ("pain/pain", ["pain", "pain"]),
        ("heart unheard-of pain", ["heart", "pain"]),
    ],
)
def test_a_word_is_found_as_written_else_in_lower_case_else_normalized(
    tmp_path: Path, name: str, words: list[str]
) -> None:
    encoder = read_vectors(written(tmp_path, text()))
    assert [list(WORDS)[row] for row in encoder.rows(name)] == words
    assert encoder.encode([name])[0] == pytest.approx(unit(*(WORDS[word] for word in words)), abs=1e-6)


def test_odd_texts(tmp_path: Path) -> None:
    found = read_vectors(written(tmp_path, text())).encode(["", "?!", "\ud800", "heart \ud800"])
    assert np.linalg.norm(found, axis=1) == pytest.approx([0, 0, 0, 1])


def test_imported_it_is_the_same_and_mapped(tmp_path: Path) -> None:
    file = written(tmp_path, text())
    manifest = import_vectors(file, tmp_path / "a.encoder")
    verify(tmp_path / "a.encoder", "encoder")
    assert manifest.content["identity"] == {"encoder": "vectors", "dim": 4, "words": 7}
    encoder = open_encoder(tmp_path / "a.encoder")
    assert isinstance(encoder, VectorsEncoder)
    assert encoder.fingerprint == manifest.fingerprint
    names = ["heart pain", "Non-Hodgkin lymphoma", "β", ""]
    assert encoder.encode(names).tolist() == open_encoder(file).encode(names).tolist()


def test_fingerprint_is_that_of_words_and_vectors(tmp_path: Path) -> None:
    prints = [
        read_vectors(written(tmp_path, content)).fingerprint for content in (text(), binary(), text(header=False))
    ]
    assert len(set(prints)) == 1
    assert read_vectors(written(tmp_path, text().replace("2.0000", "2.0001"))).fingerprint != prints[0]
    imported = [import_vectors(written(tmp_path, text()), tmp_path / f"{n}.encoder").fingerprint for n in range(2)]
    assert imported[0] == imported[1]


def test_the_first_words_only_where_asked(tmp_path: Path) -> None:
    for content in (text(), binary()):
        encoder = read_vectors(written(tmp_path, content), limit=2)
        assert len(encoder) == 2
        assert not encoder.encode(["lymphoma"]).any()


def test_what_became_of_the_words_is_told(tmp_path: Path) -> None:
    content = binary({"a": [1, 2, 3, 4], "b": [2, 2, 2, 2]}, count=4) + b"a " + struct.pack("<4f", 9, 9, 9, 9)
    content += b"\xff\xfe " + struct.pack("<4f", 1, 1, 1, 1)
    manifest = import_vectors(written(tmp_path, content, "words.bin"), tmp_path / "a.encoder")
    assert manifest.content["statistics"] == {"read": 4, "kept": 2, "repeated": 1, "unreadable": 1}
    assert open_encoder(tmp_path / "a.encoder").encode(["a"])[0] == pytest.approx(unit([1, 2, 3, 4]), abs=1e-6)


@pytest.mark.slow
def test_no_heavy_package_is_loaded(tmp_path: Path) -> None:
    import_vectors(written(tmp_path, text()), tmp_path / "a.encoder")
    code = (
        "import sys; from ontonym.encoder import open_encoder; open_encoder(sys.argv[1]).encode(['heart']); "
        "print(*(name for name in ('torch', 'tokenizers', 'onnxruntime', 'scipy') if name in sys.modules))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a.encoder")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("", "")


# Errors ----------------------------------------------------------------------------------------------------------


def line_of(words: dict[str, list[float]] = WORDS, at: int = 3) -> str:
    return text().split("\n")[at]


BROKEN = {
    "fewer words than said": (text().replace("7 4", "9 4"), "ends after 7 of the 9 words"),
    "more words than said": (text().replace("7 4", "5 4"), ":7: more words than the 5 that its first line says"),
    "too short a line": (text().replace(line_of(), "Heart 1 2 3"), ":4: 3 numbers after the word instead of 4"),
    "too long a line": (text().replace(line_of(), "Heart 1 2 3 4 5"), ":4: 5 numbers after the word instead of 4"),
    "a word alone": (text().replace(line_of(), "Heart"), ":4: 0 numbers after the word instead of 4"),
    "no number": (text().replace("2.0000", "2,0"), ":3: '2,0' is not a number"),
    "not finite": (text().replace("2.0000", "nan"), ":3: a vector with a number that is not finite"),
    "a header beyond the file": (text().replace("7 4", "7000000000 4"), ":1: its first line says 7,000,000,000 words"),
    "vectors beyond reason": (text().replace("7 4", "7 999999999"), ":1: its first line says 7 words of 999,999,999"),
    "a header of endless digits": ("9" * 5000 + " 4\nheart 1 2 3 4\n", ":1: its first line says"),
    "no words": ("0 4\n", ":1: its first line says 0 words"),
    "no vectors": ("4 0\n", "its first line says 4 words of 0 numbers"),
    "prose": ("The heart is a muscle\n", ":1: is none of word2vec text or binary"),
    "a table": ("id\tname\nHP:1\theart\n", ":1: is none of word2vec text or binary"),
    "not UTF-8": (b"heart 1 2\nc\xe9 3 4\n", ":2: not UTF-8"),
    "another binary": (b"\x93NUMPY\x01\x00" + bytes(range(256)), "is none of word2vec"),
    "binary cut short": (binary()[:-9], "ends after 6 of the 7 words"),
    "binary that says too few": (binary(count=6), "goes on after the 6 words"),
    "binary that says too many": (binary(count=9), "bytes cannot hold|ends after 7 of the 9 words"),
    "binary not finite": (binary({"a": [1, float("inf"), 2, 3]}), "word 1 has a number that is not finite"),
    "binary without blanks": (b"9 4\n" + b"\xff" * 10_000, "ends after 0 of the 9 words"),
    "fastText's own form": (b"\xba\x16\x4f\x2f" + bytes(100), "fastText's own binary form"),
    "a pickle": (pickle.dumps(WORDS), "is a pickle, which can run code"),
}


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN)
def test_what_is_wrong_is_named(tmp_path: Path, content: str | bytes, message: str) -> None:
    file = written(tmp_path, content, "words.bin")
    with pytest.raises(FormatError, match=message):
        read_vectors(file)
    with pytest.raises(FormatError, match=message):
        import_vectors(file, tmp_path / "a.encoder")
    assert not (tmp_path / "a.encoder").exists()


def test_a_missing_or_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nothing.vec: "):
        read_vectors(tmp_path / "nothing.vec")
    with pytest.raises(FormatError, match="empty"):
        read_vectors(written(tmp_path, ""))


def test_an_older_encoder_outlives_a_failed_import(tmp_path: Path) -> None:
    import_vectors(written(tmp_path, text()), tmp_path / "a.encoder")
    before = read_manifest(tmp_path / "a.encoder")
    with pytest.raises(FormatError):
        import_vectors(written(tmp_path, text().replace("7 4", "9 4")), tmp_path / "a.encoder")
    assert verify(tmp_path / "a.encoder") == before


def test_a_damaged_folder_is_an_error(tmp_path: Path) -> None:
    import_vectors(written(tmp_path, text()), tmp_path / "a.encoder")
    place = tmp_path / "a.encoder" / "word.offsets.npy"
    place.write_bytes(b"x" * place.stat().st_size)
    with pytest.raises(ArtifactError, match="damaged"):
        open_encoder(tmp_path / "a.encoder")


# Similarity ------------------------------------------------------------------------------------------------------


def test_pairwise_is_the_mean_over_all_pairs_of_words(tmp_path: Path) -> None:
    encoder = read_vectors(written(tmp_path, text()))
    (found,) = word_similarities(encoder, ["heart pain"], ["lymphoma pain gaucher"])
    cosines = [
        unit(WORDS[one]) @ unit(WORDS[other]) for one in ("heart", "pain") for other in ("lymphoma", "pain", "gaucher")
    ]
    assert found == pytest.approx(np.mean(cosines), abs=1e-6)


def test_average_is_the_cosine_of_the_encoded_texts(tmp_path: Path) -> None:
    encoder = read_vectors(written(tmp_path, text()))
    left, right = ["heart pain", "lymphoma", "unknown"], ["pain gaucher", "β heart", "pain"]
    found = word_similarities(encoder, left, right, aggregation="average")
    assert found[:2] == pytest.approx((encoder.encode(left) * encoder.encode(right)).sum(axis=1)[:2], abs=1e-6)
    assert np.isnan(found[2])


def test_unknown_measures_list_the_valid_ones(tmp_path: Path) -> None:
    encoder = read_vectors(written(tmp_path, text()))
    with pytest.raises(UnknownNameError, match="cosine, kendall, pearson, spearman"):
        word_similarities(encoder, [], [], measure="jaccard")
    with pytest.raises(UnknownNameError, match="average, pairwise"):
        word_similarities(encoder, [], [], aggregation="sum")


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("measure", "oracle"), [("pearson", "pearsonr"), ("spearman", "spearmanr"), ("kendall", "kendalltau")]
)
def test_correlations_are_those_of_scipy(tmp_path: Path, measure: str, oracle: str) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the extra eval")
    rng = np.random.default_rng(0)
    words = {f"word{number}": np.round(rng.standard_normal(4), 1).tolist() for number in range(6)}
    words["word5"] = [0.5, 0.5, 0.5, 0.1]  # ties
    encoder = read_vectors(written(tmp_path, text(words=words)))
    left, right = ["word0", "word1 word2"], ["word5", "word3 word4 word5"]
    pairwise = word_similarities(encoder, left, right, measure=measure)
    average = word_similarities(encoder, left, right, measure=measure, aggregation="average")
    judge = getattr(stats, oracle)
    for place, (one, other) in enumerate(zip(left, right, strict=True)):
        sides = [np.array([words[word] for word in side.split()], dtype=np.float32) for side in (one, other)]
        expected = np.mean([judge(a, b).statistic for a in sides[0] for b in sides[1]])
        assert pairwise[place] == pytest.approx(expected, abs=1e-6)
        assert average[place] == pytest.approx(judge(*(side.mean(axis=0) for side in sides)).statistic, abs=1e-6)
