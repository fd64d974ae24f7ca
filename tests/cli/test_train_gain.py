"""``ontonym train`` on a static encoder that goes on: what is compared, and what is not written."""

from __future__ import annotations

import json
from itertools import chain

import pytest

from built import imported

pytestmark = pytest.mark.training

WORDS = ("cardiac", "renal", "hepatic", "dermal", "ocular", "aural", "nasal", "dental")
FORMS = ("{} disease", "disorder of {}")
TERMS = chain.from_iterable(
    (
        "",
        "[Term]",
        f"id: M:{number}",
        f"name: {word} syndrome",
        *(f'synonym: "{form.format(word)}" EXACT []' for form in FORMS),
    )
    for number, word in enumerate(WORDS)
)
OBO = "\n".join(["format-version: 1.2", "ontology: made", *TERMS, ""])


def test_an_encoder_that_got_worse_is_written_only_on_request(run, tmp_path, output):
    (made,) = imported(tmp_path, {"made.obo": OBO})
    work = output.with_name("made.encoder.training")
    ruined = ("train", made, "--steps", "4", "--rate", "1", "--batch", "8", "--shares", "1/1/0", "-o", output)
    refused = run(*ruined)
    assert refused.exit_code == 1
    assert f"{output} is not written, since it got worse: " in refused.stderr
    assert "everyday phrases 0." in refused.stderr and "add --resume and --allow-worse" in refused.stderr
    assert not output.exists() and work.exists()
    done = run(*ruined, "--resume", "--allow-worse", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [one["name"] for one in told["compared"]] == ["held-out synonyms", "everyday phrases", "clinical synonyms"]
    own, everyday, clinical = told["compared"]
    assert everyday["before"] > 0.2 > everyday["after"] + 0.02
    assert clinical["before"] > 0.4 > clinical["after"] + 0.1
    assert own["questions"] > 1
    assert told["content"]["trained"]["compared"] == told["compared"]
    assert output.exists() and not work.exists()


def test_a_base_of_ones_own_is_compared_with_itself(run, tmp_path, output, encoder):
    (made,) = imported(tmp_path, {"made.obo": OBO})
    kept = ("train", made, "--base", encoder, "--rate", "1e-12", "--steps", "2", "--batch", "8", "--tolerance", "0")
    done = run(*kept, "--shares", "1/0/0", "-o", output, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["compared"]
    assert [one["name"] for one in found] == ["everyday phrases", "clinical synonyms"]
    # Quantized again, a weight may differ by one part in 127.
    assert all(abs(one["after"] - one["before"]) <= 0.001 for one in found)


def test_from_scratch_there_is_nothing_to_compare_with(run, tmp_path, output):
    (made,) = imported(tmp_path, {"made.obo": OBO})
    shape = ("--dim", "8", "--word-rows", "64", "--ngram-rows", "64")
    done = run("train", made, "--base", "none", *shape, "--steps", "2", "--batch", "8", "-o", output, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["compared"] is None


def test_a_tolerance_is_a_share(run, tmp_path, output):
    (made,) = imported(tmp_path, {"made.obo": OBO})
    done = run("train", made, "--tolerance", "2", "-o", output)
    assert done.exit_code == 2
    assert "--tolerance must be between 0 and 1, not 2" in done.stderr


def test_an_encoder_that_learned_nothing_says_so(run, tmp_path, output):
    one = 'format-version: 1.2\nontology: one\n\n[Term]\nid: M:1\nname: cold\nsynonym: "catarrh" EXACT []\n'
    (made,) = imported(tmp_path, {"one.obo": one})
    done = run("train", made, "--steps", "2", "--batch", "8", "--shares", "1/0/0", "-o", output)
    assert done.exit_code == 0, done.output
    told = (
        "unchanged the encoder is the one that training began from: 1 example taught nothing; give terminologies with"
    )
    assert told in " ".join(done.stdout.split())
