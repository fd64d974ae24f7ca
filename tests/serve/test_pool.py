"""The pool of threads in which requests are answered: what nobody waits for any longer is not computed."""

from __future__ import annotations

import asyncio
import threading
import time
from itertools import count

import pytest
from fhiranimals import SYSTEM
from starlette.requests import ClientDisconnect

from ontonym.index import open_index
from ontonym.serve.api import searching
from ontonym.serve.api.parameters import Parameter, from_body
from ontonym.serve.fhir.engine import Request
from ontonym.serve.http.metrics import ServerMetrics
from ontonym.serve.http.pool import PATIENCE, Searches
from ontonym.serve.http.settings import ServerOptions
from ontonym.tasks import annotate
from ontonym.wanted import AbandonedSearch, check_wanted, wanted_until
from serving import SIGNED, Serving


def test_a_call_that_was_given_up_while_it_waited_is_not_made():
    going, made = threading.Event(), list[str]()

    async def asked() -> int:
        searches = Searches(ServerOptions(threads=1), ServerMetrics())
        first = asyncio.ensure_future(searches.run(lambda: going.wait(20)))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(searches.run(lambda: made.append("nobody waits for it")), 0.1)
        going.set()
        assert await first
        assert await searches.run(lambda: made.append("waited for")) is None
        searches.close()
        return searches._taken

    assert asyncio.run(asked()) == 0
    assert made == ["waited for"]


def test_a_call_sees_that_nobody_waits_for_it_any_longer():
    seen, ended = list[str](), threading.Event()

    def call() -> None:
        try:
            for _ in range(2000):
                check_wanted()
                time.sleep(0.01)
        except AbandonedSearch:
            seen.append("given up")
        ended.set()

    async def asked() -> None:
        searches = Searches(ServerOptions(threads=1), ServerMetrics())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(searches.run(call), 0.1)
        assert await asyncio.to_thread(ended.wait, 20)
        searches.close()

    asyncio.run(asked())
    check_wanted()  # outside of the pool everything is wanted
    assert seen == ["given up"]


def test_a_call_ends_when_its_client_goes_away():
    messages, seen, ended = asyncio.Queue[dict[str, str]](), list[str](), threading.Event()

    def call() -> None:
        try:
            while True:
                check_wanted()
                time.sleep(0.01)
        except AbandonedSearch:
            seen.append("given up")
        ended.set()

    async def asked() -> None:
        searches = Searches(ServerOptions(threads=1), ServerMetrics())
        call_later = asyncio.get_running_loop().call_later
        messages.put_nowait({"type": "http.request"})
        call_later(2 * PATIENCE, messages.put_nowait, {"type": "http.disconnect"})
        with pytest.raises(ClientDisconnect):
            await searches.run(call, messages.get)
        assert await asyncio.to_thread(ended.wait, 20)
        assert await searches.run(lambda: "quick", messages.get) == "quick"
        searches.close()
        assert {task for task in asyncio.all_tasks() if not task.done()} == {asyncio.current_task()}

    asyncio.run(asked())
    assert seen == ["given up"]


def test_an_annotation_nobody_waits_for_ends(built):
    with open_index(built / "tiny/tiny.index") as index:
        text = "The fever came with heart attack and skipped beats. " * 300
        looked = count()
        assert annotate(index, "fever")[0].id == "T:5"
        with wanted_until(lambda: next(looked) < 0):
            annotate(index, text)
        asked = next(looked)
        assert asked > 100
        for stop in (
            0,
            20,
            asked - 20,
        ):  # while the text is read, searched for, answered
            left = count()
            with pytest.raises(AbandonedSearch), wanted_until(lambda stop=stop, left=left: next(left) >= stop):
                annotate(index, text)
            assert next(left) == stop + 1
        assert len(annotate(index, text)) == 900


def test_what_writes_is_done_to_its_end_although_nobody_waits(own, tmp_path, monkeypatch):
    done = list[str]()

    def slowly() -> None:
        time.sleep(0.6)
        check_wanted()
        done.append("opened anew")

    serving = Serving(own, tmp_path, seconds=0.3)
    monkeypatch.setattr(serving.library, "refresh", slowly)
    with serving as client:
        given = {"id": "T:6", "text": "funny turn"}
        assert client.post("/api/terms/add", json=given, headers=SIGNED).status_code == 503
    assert done[-1] == "opened anew"


def test_a_thousand_explanations_end_with_their_request(built, tmp_path, monkeypatch):
    explained = []

    def slowly(index: object, one: object, options: object) -> None:
        explained.append(one)
        time.sleep(0.02)

    monkeypatch.setattr(searching, "explain_answer", slowly)
    with Serving(built, tmp_path, seconds=0.3) as client:
        many = [f"fever {number}" for number in range(1000)]
        assert client.post("/api/normalize", json={"text": many, "explain": True}).status_code == 503
    assert len(explained) < 100, "the server has stopped after the request"


def test_a_batch_of_fhir_ends_with_its_request(engine):
    asked = {"request": {"method": "GET", "url": f"ValueSet/$expand?url={SYSTEM}?fhir_vs"}}
    batch = Request("POST", "", resource={"resourceType": "Bundle", "type": "batch", "entry": [asked] * 5})
    assert len(engine.answer(batch).resource["entry"]) == 5
    left = iter([False, False, True])

    with pytest.raises(AbandonedSearch), wanted_until(lambda: next(left)):
        engine.answer(batch)
    assert not [*left]


def test_long_texts_are_checked_without_holding_up_others():
    text = Parameter("text", "A text.", longest=1_000_000)
    began = time.process_time()
    assert from_body([text], {"text": "é" * 1_000_000})["text"].startswith("é")
    assert time.process_time() - began < 0.02
