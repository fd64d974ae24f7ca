"""The pool of threads in which requests are answered: what nobody waits for any longer is not computed."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from fhiranimals import SYSTEM

from ontonym.serve.api import searching
from ontonym.serve.api.parameters import Parameter, from_body
from ontonym.serve.fhir.engine import Request
from ontonym.serve.http.metrics import ServerMetrics
from ontonym.serve.http.pool import Searches
from ontonym.serve.http.settings import ServerOptions
from ontonym.serve.wanted import AbandonedSearch, check_wanted, wanted_until
from serving import Serving


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
