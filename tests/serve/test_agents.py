"""The tools of language models, called by a real client: the list, answers, errors, cancellation, transports."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner

pytest.importorskip("mcp", reason="needs mcp: pip install 'ontonym[mcp]'")

import mcp

from built import indexed
from ontonym.cli import main
from ontonym.serve.agents import tools
from ontonym.serve.agents.server import make_agent_server
from ontonym.serve.library import ServedLibrary
from serving import OTHER, TINY

Session = Callable[[Any], Awaitable[Any]]


def asked(built: Path, ask: Session) -> Any:
    """What a session with a server of both indexes gives."""

    async def main() -> Any:
        with ServedLibrary([built / "tiny/tiny.index", built / "other/other.index"]) as library:
            async with mcp.Client(make_agent_server(library)) as client:
                return await ask(client)

    return anyio.run(main)


def called(built: Path, tool: str, **arguments: Any) -> Any:
    async def ask(client: Any) -> Any:
        answer = await client.call_tool(tool, arguments)
        assert not answer.is_error, answer.content
        return answer.structured_content

    return asked(built, ask)


def test_the_tools_are_listed_with_typed_answers(built):
    async def ask(client: Any) -> Any:
        return (await client.list_tools()).tools

    listed = {one.name: one for one in asked(built, ask)}
    assert sorted(listed) == ["annotate", "concept", "hierarchy", "map", "normalize", "search"]
    assert all(one.annotations.read_only_hint for one in listed.values())
    assert listed["search"].input_schema["required"] == ["query"]
    assert set(listed["concept"].output_schema["properties"]) == set(tools.DescribedConcept.__annotations__)


def test_search_concept_and_hierarchy(built):
    (hit,) = called(built, "search", query="heart attack", k=1)["hits"]
    assert (hit["id"], hit["name"], hit["matched"], hit["terminology"]) == (
        "T:3", "Myocardial infarction", "Heart attack", "tiny",
    )  # fmt: skip
    assert [called(built, "search", query=words, k=1)["hits"][0]["negated"] for words in ("fever", "no fever")] == [
        False, True,
    ]  # fmt: skip
    told = called(built, "concept", id="T:2")
    assert told["parents"] == [{"id": "T:1", "name": "Phenotypic abnormality"}]
    assert (told["children_total"], told["children"][0]["id"]) == (2, "T:3")
    around = called(built, "hierarchy", id="T:3", relation="siblings")
    assert around == {"id": "T:3", "relation": "siblings", "total": 1,
                      "concepts": [{"id": "T:4", "name": "Palpitations"}]}  # fmt: skip


def test_normalize_annotate_and_map(built):
    first, second = called(built, "normalize", mentions=["fits", "zzzz qqqq"])["mentions"]
    assert (first["id"], first["name"], second["id"]) == ("T:6", "Seizure", None)
    (denied,) = called(built, "normalize", mentions=["no fits"])["mentions"]
    assert [(one["id"], one["negated"]) for one in (first, second, denied)] == [
        ("T:6", False), (None, False), ("T:6", True),
    ]  # fmt: skip
    (found,) = called(built, "annotate", text="No fever.")["mentions"]
    assert (found["start"], found["end"], found["id"], found["context"]) == (3, 8, "T:5", ["negated"])
    assert called(built, "map", id="T:3", index="other")["candidates"][0]["id"] == "U:3"


def test_what_is_served_is_told_first(built):
    async def ask(client: Any) -> Any:
        return client.instructions

    assert asked(built, ask).endswith("Served: index tiny (tiny 2024-01-01), index other (other 1).")


def test_one_terminology_of_an_index_is_asked_for(tmp_path):
    indexed(tmp_path, {"tiny.obo": TINY, "other.obo": OTHER}).rename(tmp_path / "both.index")

    async def ask(client: Any) -> Any:
        async def of(tool: str, **given: Any) -> Any:
            return (await client.call_tool(tool, given)).structured_content

        (mapped,) = (await client.call_tool("map", {"id": "T:3"})).content
        return (
            [
                (await of("search", query="seizure", terminology=name, k=1))["hits"][0]["id"]
                for name in ("tiny", "other")
            ],
            [(await of("normalize", mentions=["seizure"], terminology=name))["mentions"][0] for name in ("", "other")],
            (await of("annotate", text="A seizure.", terminology="other"))["mentions"][0]["id"],
            (await of("concept", id="T:6"))["same_as"],
            mapped.text,
        )

    async def main() -> Any:
        with ServedLibrary([tmp_path / "both.index"]) as library:
            async with mcp.Client(make_agent_server(library)) as client:
                return await ask(client)

    searched, (all_, other), annotated, same, mapped = anyio.run(main)
    assert (searched, other["id"], annotated) == (["T:6", "U:2"], "U:2", "U:2")
    assert (all_["id"], all_["same_as"], all_["nearest"]) == ("T:6", ["U:2"], [])
    assert same == [{"id": "U:2", "name": "Seizures"}]
    assert "there is no other: see same_as of `concept`" in mapped


def test_answers_are_short(built, monkeypatch):
    assert [hit["id"] for hit in called(built, "search", query="heart attack", k=5)["hits"]] == ["T:3"]
    (nearest,) = called(built, "search", query="wholly unlike anything", k=5)["hits"] or [{"confidence": 0}]
    assert nearest["confidence"] < 0.5
    monkeypatch.setattr(tools, "MOST_MENTIONS", 2)
    found = called(built, "annotate", text="Fever, palpitations and a seizure. No fever.")
    assert ([one["id"] for one in found["mentions"]], found["left_out"]) == (["T:5", "T:4"], 2)


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("concept", {"id": "T:77"}, "no concept 'T:77'"),
        ("concept", {"id": "my heart"}, "`search` finds the ids of concepts for words"),
        ("map", {"id": "T:3", "index": "tiny"}, "tiny is in this index itself: give one of other"),
        ("search", {"query": "x", "terminology": "none"}, "'none'"),
        ("search", {"query": "x", "index": "none"}, "unknown index 'none'. Valid: other, tiny"),
        ("search", {"query": ""}, "at least 1 character"),
        ("search", {"query": "x", "k": 1000}, "less than or equal to 50"),
        ("nothing", {}, "nothing"),
    ],
)
def test_errors_say_what_to_change(built, tool, arguments, message):
    async def ask(client: Any) -> str:
        try:
            answer = await client.call_tool(tool, arguments)
        except mcp.MCPError as error:
            return str(error)
        assert answer.is_error
        return str(answer.content[0].text)

    assert message in asked(built, ask)


def test_a_cancelled_call_ends_at_once_and_the_server_goes_on(built, monkeypatch):
    going, begun = threading.Event(), threading.Event()
    search = tools.found_concepts

    def slow(opened: Any, query: str, *rest: Any) -> Any:
        if query == "slow":
            begun.set()
            going.wait(30)
        return search(opened, query, *rest)

    monkeypatch.setattr(tools, "found_concepts", slow)

    async def ask(client: Any) -> Any:
        with anyio.move_on_after(0.5) as scope:
            await client.call_tool("search", {"query": "slow"})
        answer = await client.call_tool("search", {"query": "fever", "k": 1})
        going.set()
        return scope.cancelled_caught, answer.structured_content["hits"][0]["id"]

    assert asked(built, ask) == (True, "T:5")
    assert begun.is_set()


@pytest.mark.slow
def test_the_command_answers_over_standard_input_and_output(built):
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "ontonym", "mcp", str(built / "tiny/tiny.index")], env=dict(os.environ)
    )

    async def main() -> Any:
        async with mcp.Client(server) as client:
            return (await client.call_tool("search", {"query": "pyrexia", "k": 1})).structured_content

    assert anyio.run(main)["hits"][0]["id"] == "T:5"


def test_a_port_that_is_taken_is_told_as_any_other_mistake(built):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(main, ["mcp", str(built / "tiny/tiny.index"), "--http", "--port", port])
    assert (done.exit_code, done.stderr) == (
        2, f"error: cannot listen on 127.0.0.1, port {port}: Address already in use; give another --port\n",
    )  # fmt: skip


@pytest.mark.slow
def test_the_command_answers_over_http(built):
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ontonym", "mcp", str(built / "tiny/tiny.index"), "--http", "--port", str(port)]

    async def main() -> Any:
        async with mcp.Client(f"http://127.0.0.1:{port}/mcp") as client:
            return (await client.call_tool("concept", {"id": "T:5"})).structured_content

    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(200):
                with closing(socket.socket()) as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            assert anyio.run(main)["name"] == "Fever"
        finally:
            process.terminate()
