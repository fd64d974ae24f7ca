from __future__ import annotations

import copy
import json
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import ArtifactError, InputError, UnknownIdError, UnknownNameError
from ontonym.index import Index
from ontonym.index.query import Query
from ontonym.tasks import NormalizeOptions, SearchOptions, normalize, search
from ontonym.tasks.search import pending_hits_of
from ontonym.types import Mention
from pipelines import ENTITIES, NOTE, TEXTS, blank, told

pytestmark = pytest.mark.spacy

spacy = pytest.importorskip("spacy")

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
