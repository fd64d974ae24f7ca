from __future__ import annotations

import copy
import json
import multiprocessing
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from built import SMALL, indexed
from ontonym.errors import ArtifactError, InputError, UnknownIdError, UnknownNameError
from ontonym.index import Index, build_index, open_index
from ontonym.index.query import Query
from ontonym.store import open_terminology
from ontonym.tasks import NormalizeOptions, SearchOptions, annotate, normalize, search
from ontonym.tasks.annotation.spans import Finder
from ontonym.tasks.search import pending_hits_of
from ontonym.types import Mention

pytestmark = pytest.mark.spacy

spacy = pytest.importorskip("spacy")

HUMAN = """\
id\tpreferred\tsynonyms\tparents\ttags
H:1\tHypotension\tlow blood pressure\t\tvascular
H:2\tLow back pain\tLBP|lumbago\tH:9\tpain
H:3\tCold\tcommon cold\t\tinfection
H:4\tLow temperature\tcold\t\tsign
H:5\tMyocardial infarction\theart attack\t\tvascular
H:9\tPain\t\t\tpain
H:10\tNeck pain\t\tH:9\tpain
"""

DRUGS = """\
id\tpreferred\tsynonyms
D:1\tAspirin\tacetylsalicylic acid
D:2\tCold cream\tcold
"""

NOTE = "Low blood pressure (LBP) at noon, no LBP at night. An umbrella against the common cold; aspirin."
ENTITIES = ("Low blood pressure", "LBP", "LBP", "umbrella", "common cold", "aspirin")
TEXTS = (NOTE, "No finding.", "Lumbago after a heart atack.", "", "LBP, heart attack and LBP.")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index over two terminologies, with an encoder of its own, as the command line makes it."""
    folder = tmp_path_factory.mktemp("spacy")
    indexed(folder, {"human.tsv": HUMAN, "drugs.tsv": DRUGS}, SMALL)
    return folder


@pytest.fixture(scope="module")
def index(made: Path) -> Iterator[Index]:
    with open_index(made / "a.index") as opened:
        yield opened


def blank() -> Any:
    """A pipeline that finds the entities of the texts, and no concepts."""
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    findings = (
        "low blood pressure",
        "LBP",
        "umbrella",
        "common cold",
        "cold",
        "lumbago",
        "heart attack",
        "heart atack",
    )
    ruler.add_patterns([{"label": "FINDING", "pattern": text} for text in findings])
    ruler.add_patterns([{"label": "DRUG", "pattern": "aspirin"}])
    return nlp


@pytest.fixture
def pipeline(made: Path) -> Callable[..., Any]:
    """Makes a pipeline with the component, whose config gets these options."""

    def make(**config: Any) -> Any:
        nlp = blank()
        nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), **config})
        return nlp

    return make


def told(doc: Any) -> list[tuple[str, str, Any, Any]]:
    """All that a document says of its entities."""
    return [(ent.text, ent.kb_id_, ent._.kb_ents, ent._.ontonym) for ent in doc.ents]


# What it sets ---------------------------------------------------------------------------------------------------------


def test_spacy_finds_the_component_by_itself(made: Path) -> None:
    code = (
        "import spacy; nlp = spacy.blank('en');"
        "nlp.add_pipe('entity_ruler').add_patterns([{'label': 'X', 'pattern': 'lumbago'}]);"
        f"nlp.add_pipe('ontonym', config={{'index': {str(made / 'a.index')!r}}}); print(nlp('lumbago').ents[0].kb_id_);"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "H:2", (
        f"{done.stderr}\nspaCy reads the entry point of what is installed: pip install --no-deps --editable ."
    )


def test_each_entity_gets_what_normalizing_gives(pipeline: Callable[..., Any], index: Index) -> None:
    doc = pipeline(threshold=0.2, k=3)(NOTE)
    assert tuple(ent.text for ent in doc.ents) == ENTITIES
    mentions = [Mention(ent.text, passage=NOTE) for ent in doc.ents]
    options = NormalizeOptions(threshold=0.2, composites=False, search=SearchOptions(k=3))
    for ent, expected in zip(doc.ents, normalize(index, mentions, options), strict=True):
        answer = ent._.ontonym
        assert ent.kb_id_ == (expected.id or "NIL")
        assert ent._.kb_ents == [(hit.id, hit.confidence) for hit in expected.candidates if hit.confidence >= 0.2]
        assert (answer.id, answer.confidence, answer.candidates) == (
            expected.id, expected.confidence, expected.candidates
        )  # fmt: skip
        assert answer.mention == Mention(ent.text, start=ent.start_char, end=ent.end_char, type=ent.label_)
    assert [ent.kb_id_ for ent in doc.ents] == ["H:1", "H:1", "H:1", "NIL", "H:3", "D:1"]


def test_every_token_of_an_entity_has_its_id(pipeline: Callable[..., Any]) -> None:
    doc = pipeline()(NOTE)
    assert [token.ent_kb_id_ for token in doc[:4]] == ["H:1", "H:1", "H:1", ""]


def test_precision_document_and_expected_types_are_those_of_normalizing(
    pipeline: Callable[..., Any], made: Path, index: Index
) -> None:
    with pytest.raises(InputError, match="was never calibrated"):
        pipeline(precision=0.9)
    with pytest.raises(UnknownNameError, match="unknown tag 'nonsense'"):
        pipeline(expected=["nonsense"])
    for document in (False, True):
        (ent, *_) = pipeline(document=document)(NOTE).ents
        options = NormalizeOptions(document=document, composites=False)
        (answer,) = normalize(index, [Mention(ent.text, passage=NOTE)], options)
        assert [hit.signals for hit in ent._.ontonym.candidates] == [hit.signals for hit in answer.candidates]
        assert all(("document" in hit.signals) is document for hit in ent._.ontonym.candidates)


def test_below_the_threshold_is_nil_with_no_kb_ents_but_all_candidates(pipeline: Callable[..., Any]) -> None:
    text = "heart atack"
    sure = pipeline(threshold=0.0)(text).ents[0]
    assert sure.kb_id_ == "H:5"
    confidence = sure._.kb_ents[0][1]
    assert 0 < confidence < 1
    at, below = (pipeline(threshold=value)(text).ents[0] for value in (confidence, confidence + 1e-9))
    assert (at.kb_id_, at._.kb_ents[0]) == ("H:5", ("H:5", confidence))
    assert (below.kb_id_, below._.kb_ents) == ("NIL", [])
    assert (below._.ontonym.id, below._.ontonym.candidates[0].id) == (None, "H:5")


def test_by_default_no_link_is_likelier_wrong_than_right(pipeline: Callable[..., Any]) -> None:
    by_default, given, off = (pipeline(**how)(NOTE).ents for how in ({}, {"threshold": 0.5}, {"threshold": 0.0}))
    assert [ent.kb_id_ for ent in by_default] == [ent.kb_id_ for ent in given]
    unsure = [ent._.ontonym.candidates[0].id for ent in by_default if ent.kb_id_ == "NIL"]
    assert unsure
    assert unsure == [ent.kb_id_ for ent in off if ent._.ontonym.confidence < 0.5]


def test_kb_ents_are_at_or_above_the_threshold_best_first(pipeline: Callable[..., Any], index: Index) -> None:
    hits = search(index, "cold")
    assert len({hit.confidence for hit in hits[:3]}) > 1
    threshold = hits[1].confidence
    ent = pipeline(threshold=threshold, document=False)("cold").ents[0]
    assert ent._.kb_ents == [(hit.id, hit.confidence) for hit in hits if hit.confidence >= threshold]
    assert len(ent._.kb_ents) < len(ent._.ontonym.candidates)


@pytest.mark.parametrize(
    ("config", "options"),
    [
        ({"k": 1}, SearchOptions(k=1)),
        ({"strategy": "O-T"}, SearchOptions(strategy="O-T")),
        ({"signal": "char"}, SearchOptions(signal="char")),
        ({"within": ["H:9"]}, SearchOptions(within=("H:9",))),
        ({"tags": ["sign", "pain"]}, SearchOptions(tags=("sign", "pain"))),
        ({"terminologies": ["drugs"]}, SearchOptions(terminologies=("drugs",))),
    ],
    ids=lambda value: "".join(value) if isinstance(value, dict) else "",
)
def test_search_options_reach_the_search(
    pipeline: Callable[..., Any], index: Index, config: dict[str, Any], options: SearchOptions
) -> None:
    ent = pipeline(**config, document=False)("Cold").ents[0]
    assert ent._.ontonym.candidates == tuple(search(index, "Cold", options))
    if "strategy" not in config:
        assert ent._.ontonym.candidates != tuple(search(index, "Cold"))


def test_abbreviations_are_written_out_unless_told_otherwise(pipeline: Callable[..., Any]) -> None:
    assert [ent.kb_id_ for ent in pipeline()(NOTE).ents[1:3]] == ["H:1", "H:1"]
    assert [ent.kb_id_ for ent in pipeline(abbreviations=False)(NOTE).ents[1:3]] == ["H:2", "H:2"]
    assert [ent.kb_id_ for ent in pipeline()("LBP.").ents] == ["H:2"]


def test_only_entities_with_a_label_are_linked(pipeline: Callable[..., Any]) -> None:
    doc = pipeline(labels=["DRUG"])(NOTE)
    assert [ent.kb_id_ for ent in doc.ents] == ["", "", "", "", "", "D:1"]
    assert (doc.ents[0]._.kb_ents, doc.ents[0]._.ontonym) == ([], None)


@pytest.mark.parametrize(("overwrite", "expected"), [(True, ["H:2", "D:1"]), (False, ["MINE", "D:1"])])
def test_an_id_that_is_there_is_kept_if_so_asked(
    pipeline: Callable[..., Any], overwrite: bool, expected: list[str]
) -> None:
    nlp = pipeline(overwrite=overwrite)
    nlp.get_pipe("entity_ruler").add_patterns([{"label": "FINDING", "pattern": "lumbago"}])
    doc = nlp.get_pipe("entity_ruler")(nlp.make_doc("lumbago, aspirin"))
    doc[0].ent_kb_id_ = "MINE"
    doc = nlp.get_pipe("ontonym")(doc)
    assert [ent.kb_id_ for ent in doc.ents] == expected


def test_a_second_component_is_asked_where_the_first_found_nothing(made: Path) -> None:
    nlp = blank()
    for name in ("human", "drugs"):
        config = {
            "index": str(made / "a.index"),
            "terminologies": [name],
            "threshold": 0.5,
            "overwrite": name == "human",
        }
        nlp.add_pipe("ontonym", name=name, config=config)
    ents = nlp("common cold, aspirin, umbrella").ents
    assert [ent.kb_id_ for ent in ents] == ["H:3", "D:1", "NIL"]
    assert [ent._.ontonym.id for ent in ents] == ["H:3", "D:1", None]


def test_two_components_share_a_document(made: Path) -> None:
    nlp = blank()
    place = str(made / "a.index")
    nlp.add_pipe("ontonym", name="drugs", config={"index": place, "labels": ["DRUG"], "terminologies": ["drugs"]})
    config = {"index": place, "labels": ["FINDING"], "terminologies": ["human"]}
    nlp.add_pipe("ontonym", name="findings", config=config)
    assert [ent.kb_id_ for ent in nlp("Cold or aspirin").ents] == ["H:3", "D:1"]


def test_a_document_without_entities_is_left_alone(pipeline: Callable[..., Any]) -> None:
    doc = pipeline()("Nothing at all.")
    assert (doc.ents, dict(doc.user_data)) == ((), {})


def test_another_components_kb_ents_are_written_too(pipeline: Callable[..., Any]) -> None:
    from spacy.tokens import Span

    expected = pipeline()("lumbago").ents[0]._.kb_ents
    ours = Span.get_extension("kb_ents")
    Span.set_extension("kb_ents", default=[], force=True)  # as scispaCy's linker does
    try:
        assert pipeline()("lumbago").ents[0]._.kb_ents == expected != []
    finally:
        Span.set_extension("kb_ents", getter=ours[2], setter=ours[3], force=True)


def test_what_it_needs_and_sets_is_declared(pipeline: Callable[..., Any]) -> None:
    summary = pipeline().analyze_pipes()["summary"]["ontonym"]
    assert summary["requires"] == ["doc.ents"]
    assert summary["assigns"] == [
        "token.ent_kb_id", "span._.kb_ents", "span._.ontonym", "span._.ontonym_context", "span._.ontonym_negated",
        "span._.ontonym_section", "span._.ontonym_runner_up", "doc.spans",
    ]  # fmt: skip
    assert pipeline().analyze_pipes()["problems"]["ontonym"] == []


def test_it_is_scored_by_ids(pipeline: Callable[..., Any]) -> None:
    from spacy.training import Example

    nlp = pipeline(threshold=0.2)
    links = {(0, 7): {"H:2": 1.0}, (9, 16): {"D:2": 1.0}}
    gold = {"entities": [(0, 7, "FINDING"), (9, 16, "DRUG")], "links": links}
    scores = nlp.evaluate([Example.from_dict(nlp.make_doc("lumbago, aspirin"), gold)])
    assert (scores["nel_micro_p"], scores["nel_micro_r"]) == (0.5, 0.5)


# Many documents -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [1, 2, 1000])
def test_pipe_gives_what_one_by_one_gives(pipeline: Callable[..., Any], batch_size: int) -> None:
    nlp = pipeline(threshold=0.2)
    expected = [told(nlp(text)) for text in TEXTS]
    docs = list(nlp.pipe(TEXTS, batch_size=batch_size))
    assert [doc.text for doc in docs] == list(TEXTS)
    assert [told(doc) for doc in docs] == expected


def test_equal_entities_of_a_batch_are_looked_up_once(
    pipeline: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp = pipeline()
    asked = []

    def counted(index: Index, queries: Sequence[Query], options: SearchOptions) -> Any:
        asked.extend(query.typed for query in queries)
        return pending_hits_of(index, queries, options)

    monkeypatch.setattr(sys.modules["ontonym.tasks.rerank"], "pending_hits_of", counted)
    list(nlp.pipe(["lumbago", "aspirin, lumbago", "lumbago"]))
    assert asked == ["lumbago", "aspirin"]
    list(nlp.pipe(["lumbago", "lumbago"], batch_size=1))
    assert asked == ["lumbago", "aspirin", "lumbago", "lumbago"]


def test_documents_are_streamed(pipeline: Callable[..., Any]) -> None:
    taken: list[int] = []

    def texts() -> Iterator[str]:
        for number in range(10):
            taken.append(number)
            yield "lumbago"

    docs = pipeline().pipe(texts(), batch_size=2)
    next(docs)
    assert len(taken) < 10


def test_a_batch_that_fails_goes_to_the_error_handler(
    pipeline: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp = pipeline()

    def failing(index: Index, queries: Sequence[Query], options: SearchOptions) -> Any:
        if any(query.typed == "aspirin" for query in queries):
            raise ValueError("no aspirin today")
        return pending_hits_of(index, queries, options)

    monkeypatch.setattr(sys.modules["ontonym.tasks.rerank"], "pending_hits_of", failing)
    with pytest.raises(ValueError, match="no aspirin today"):
        list(nlp.pipe(["lumbago", "aspirin"]))
    told: list[Any] = []
    nlp.set_error_handler(lambda name, linker, docs, error: told.append((name, [doc.text for doc in docs], str(error))))
    docs = list(nlp.pipe(["lumbago", "aspirin", "cold"], batch_size=1))
    assert [doc.text for doc in docs] == ["lumbago", "cold"]
    assert told == [("ontonym", ["aspirin"], "no aspirin today")]


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(name, marks=pytest.mark.slow if name == "spawn" else ())
        for name in ("fork", "spawn")
        if name in multiprocessing.get_all_start_methods()
    ],
)
def test_several_processes_give_what_one_gives(made: Path, tmp_path: Path, start: str) -> None:
    script = tmp_path / "several.py"
    script.write_text(
        "import multiprocessing, spacy\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({start!r})\n"
        "    nlp = spacy.blank('en')\n"
        "    found = ('LBP', 'Low blood pressure', 'cold', 'lumbago')\n"
        "    patterns = [{'label': 'F', 'pattern': text} for text in found]\n"
        "    nlp.add_pipe('entity_ruler').add_patterns(patterns)\n"
        f"    nlp.add_pipe('ontonym', config={{'index': {str(made / 'a.index')!r}, 'threshold': 0.2}})\n"
        "    tell = lambda doc: [(e.kb_id_, e._.kb_ents, e._.ontonym) for e in doc.ents]\n"
        f"    texts = {list(TEXTS)!r} * 3\n"
        "    one = [tell(doc) for doc in nlp.pipe(texts)]\n"
        "    two = [tell(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)]\n"
        "    assert one == two, (one, two)\n"
        "    print(sum(map(len, two)))\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "18"), done.stderr


# Documents that travel ------------------------------------------------------------------------------------------------


def test_answers_go_with_the_document(pipeline: Callable[..., Any]) -> None:
    from spacy.tokens import Doc, DocBin

    doc = pipeline(threshold=0.2)(NOTE)
    again = Doc(doc.vocab).from_bytes(doc.to_bytes())
    assert told(again) == told(doc)
    (binned,) = DocBin(store_user_data=True, docs=[doc]).get_docs(doc.vocab)
    assert told(binned) == told(doc)
    assert told(doc.copy()) == told(doc)
    assert [row[2] for row in told(Doc.from_docs([doc, doc]))] == 2 * [row[2] for row in told(doc)]
    written = json.loads(json.dumps(doc.to_json(underscore=["kb_ents"])))["underscore_span"]["kb_ents"]
    assert written[0]["value"] == [list(pair) for pair in doc.ents[0]._.kb_ents]


def test_a_copy_of_the_component_opens_the_index_for_itself(pipeline: Callable[..., Any]) -> None:
    nlp = pipeline(threshold=0.2)
    linker = nlp.get_pipe("ontonym")
    other = copy.deepcopy(linker)
    assert other.index is not linker.index
    assert (other.name, other.options) == (linker.name, linker.options)
    assert told(other(nlp.get_pipe("entity_ruler")(nlp.make_doc(NOTE)))) == told(nlp(NOTE))


# Saving ---------------------------------------------------------------------------------------------------------------


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


# Bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"index": ""}, InputError, r'needs an index, .*: nlp\.add_pipe\("ontonym", config='),
        ({"index": "gone.index"}, ArtifactError, r"gone.index: no such index; make one with `build_index\(\)`"),
        ({"strategy": "O-X"}, UnknownNameError, "unknown strategy 'O-X'.* Valid: .*names-mean"),
        ({"signal": "lexica"}, UnknownNameError, "unknown signal 'lexica'. Did you mean 'lexical'"),
        ({"tags": ["pian"]}, UnknownNameError, "unknown tag 'pian'. Did you mean 'pain'.* Valid: infection, pain"),
        ({"terminologies": ["mouse"]}, UnknownNameError, "unknown terminology 'mouse'. Valid: drugs, human"),
        ({"within": ["H:77"]}, UnknownIdError, "no concept 'H:77'"),
        ({"threshold": 1.5}, InputError, "the threshold is 1.5, but a confidence is between 0 and 1"),
        ({"k": 0}, InputError, "k is 0, but at least one hit must be asked for"),
    ],
    ids=lambda value: "".join(value) if isinstance(value, dict) else "",
)
def test_a_wrong_config_is_one_clear_line_at_once(
    pipeline: Callable[..., Any], config: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        pipeline(**config)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("config", "named"), [({"lables": ["X"]}, "lables"), ({"k": "many"}, "k")])
def test_an_option_that_is_unknown_or_of_another_type_is_named(
    pipeline: Callable[..., Any], config: dict[str, Any], named: str
) -> None:
    with pytest.raises(ValueError, match=rf"ontonym -> {named}\b"):
        pipeline(**config)


def test_entities_are_found_where_the_pipeline_has_none(made: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True})
    doc = nlp("He had a heart attack. No low back pain (LBP) today, no LBP at night.")
    assert [(ent.text, ent.kb_id_, ent._.ontonym_negated) for ent in doc.ents] == [
        ("heart attack", "H:5", False),
        ("low back pain", "H:2", True),
        ("LBP", "H:2", True),
        ("LBP", "H:2", True),
    ]
    assert doc.ents[1]._.ontonym_context == ("negated",)
    assert doc.ents[0]._.kb_ents[0][0] == "H:5"
    again = next(nlp.pipe(["He had a heart attack."]))
    assert [ent.kb_id_ for ent in again.ents] == ["H:5"]


def test_entities_that_are_found_have_the_answers_of_annotate(made: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True})
    text = "Pain in the low back and then a heart attack."
    with open_index(made / "a.index") as index:
        expected = {one.span: one for one in annotate(index, text)}
    for ent in nlp(text).ents:
        one = expected.pop((ent.start_char, ent.end_char))
        assert (ent.kb_id_, ent._.ontonym.confidence) == (one.id, one.confidence)
        assert ent._.ontonym.candidates[0].reason == one.candidates[0].reason
    assert not expected


def test_entities_of_the_pipeline_stay_where_some_are_found(made: Path) -> None:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "THING", "pattern": "heart attack patient"}])
    nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True})
    doc = nlp("A heart attack patient with lumbago.")
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("heart attack patient", "THING"), ("lumbago", "pain")]


def test_an_enumeration_that_shares_a_word_is_one_entity_of_several_concepts(made: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True})
    for doc in nlp.pipe(["She had low back and neck pain."] * 2):
        (entity,) = doc.ents
        assert (entity.text, entity.kb_id_) == ("low back and neck pain", "H:2")
        assert [part.id for part in entity._.ontonym.parts] == ["H:2", "H:10"]
        assert [id_ for id_, _ in entity._.kb_ents[:2]] == ["H:2", "H:10"]


# Notes ----------------------------------------------------------------------------------------------------------------

LETTER = "PMH: low back pain.\n\nNo low blood pressure. FH: heart attack, myocardial infarction."
LETTERS = [LETTER, "LBP (lumbago), no cold.", "", "Allergies:\n- aspirin\n- cold cream"] * 3


@pytest.fixture
def finding(made: Path) -> Callable[..., Any]:
    """A pipeline of the component alone, which finds mentions."""

    def make(**config: Any) -> Any:
        nlp = spacy.blank("en")
        nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": True, **config})
        return nlp

    return make


def test_entities_have_their_section_and_what_it_says(finding: Callable[..., Any]) -> None:
    doc = finding()(LETTER)
    assert [(ent.text, ent._.ontonym_section, ent._.ontonym_context, ent._.ontonym_negated) for ent in doc.ents] == [
        ("low back pain", "past medical history", ("historical",), False),
        ("low blood pressure", "", ("negated",), True),
        ("heart attack", "family history", ("family",), False),
        ("myocardial infarction", "family history", ("family",), False),
    ]
    ent = doc.ents[0]
    assert ent._.ontonym_runner_up == ent._.ontonym.candidates[1]
    with pytest.raises(AttributeError, match="follows from"):
        ent._.ontonym_runner_up = None


def test_nested_mentions_are_in_a_span_group_with_their_own_ids(finding: Callable[..., Any]) -> None:
    doc = finding(nested=True)(LETTER)
    assert "back pain" not in [ent.text for ent in doc.ents]
    found = {span.text: span for span in doc.spans["ontonym"]}
    assert set(found) == {"low back pain", "pain", "low blood pressure", "heart attack", "myocardial infarction"}
    assert (found["pain"].kb_id_, found["low back pain"].kb_id_) == ("H:9", "H:2")
    assert {ent.text: ent.kb_id_ for ent in doc.ents}["low back pain"] == "H:2"
    assert found["pain"]._.ontonym.id == "H:9"
    assert found["pain"]._.ontonym_context == ("historical",)
    assert "ontonym" not in finding()(LETTER).spans
    with pytest.raises(InputError, match="set both"):
        finding(nested=True, find=False)


def test_what_is_learned_of_one_text_serves_the_next(
    finding: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    class Counted(Finder):
        def __init__(self, *given: Any) -> None:
            made.append(self)
            super().__init__(*given)

    monkeypatch.setattr(sys.modules["ontonym.tasks.annotation.annotating"], "Finder", Counted)
    nlp = finding()
    for text in LETTERS:
        nlp(text)
    list(nlp.pipe(LETTERS, batch_size=2))
    assert len(made) == 1


def test_medspacys_attributes_are_set_where_they_are_there(finding: Callable[..., Any]) -> None:
    """As medspaCy registers them; one that another library computes is left alone."""
    from spacy.tokens import Span

    names = ("is_negated", "is_family", "is_historical")
    try:
        for name in names:
            Span.set_extension(name, default=False)
        Span.set_extension("is_uncertain", getter=lambda span: True)
        doc = finding()(f"{LETTER} Possible lumbago.")
        assert [tuple(getattr(ent._, name) for name in names) for ent in doc.ents] == [
            (False, False, True), (True, False, False), *[(False, True, False)] * 3,
        ]  # fmt: skip
        assert all(ent._.is_uncertain for ent in doc.ents)
    finally:
        for name in (*names, "is_uncertain"):
            Span.remove_extension(name)


def test_finding_in_several_processes_gives_what_one_gives(made: Path, tmp_path: Path) -> None:
    script = tmp_path / "several.py"
    script.write_text(
        "import spacy\n"
        "if __name__ == '__main__':\n"
        "    nlp = spacy.blank('en')\n"
        f"    config = {{'index': {str(made / 'a.index')!r}, 'find': True, 'nested': True}}\n"
        "    nlp.add_pipe('ontonym', config=config)\n"
        "    said = lambda e: (e.text, e.kb_id_, e._.kb_ents, e._.ontonym_context, e._.ontonym_section)\n"
        "    tell = lambda doc: [list(map(said, spans)) for spans in (doc.ents, doc.spans['ontonym'])]\n"
        f"    texts = {LETTERS!r}\n"
        "    one = [tell(nlp(text)) for text in texts]\n"
        "    two = [tell(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)]\n"
        "    assert one == two, (one, two)\n"
        "    print(sum(len(ents) for ents, _ in two), sum(len(spans) for _, spans in two))\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    entities, spans = map(int, done.stdout.split())
    assert 0 < entities < spans


def test_a_pipeline_that_finds_no_entities_is_warned_once(made: Path) -> None:
    alone = spacy.blank("en")
    alone.add_pipe("ontonym", config={"index": str(made / "a.index")})
    with pytest.warns(UserWarning, match="links entities, and no component before it finds any") as told:
        assert [doc.ents for doc in alone.pipe(TEXTS, batch_size=1)] == [()] * len(TEXTS)
        alone("Low back pain.")
    assert len(told) == 1


def test_a_pipeline_that_finds_entities_is_not_warned(made: Path, recwarn: pytest.WarningsRecorder) -> None:
    for find in (False, True):
        nlp = spacy.blank("en")
        if not find:
            nlp.add_pipe("entity_ruler")
        nlp.add_pipe("ontonym", config={"index": str(made / "a.index"), "find": find})
        nlp("Nothing at all.")
    given = spacy.blank("en")
    given.add_pipe("ontonym", config={"index": str(made / "a.index")})
    doc = given.make_doc("Low back pain.")
    doc.ents = (doc.char_span(0, 13, label="X"),)
    assert given(doc).ents[0].kb_id_ == "H:2"
    assert not [one for one in recwarn if "ontonym" in str(one.message)]
