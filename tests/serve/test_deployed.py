"""The server as others meet it: the commands of the documentation, a client library, the container file, the unit."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from built import indexed
from running import running

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTED = "http://127.0.0.1:8000"
HEART = """format-version: 1.2
data-version: 2025-01-16
ontology: hp

[Term]
id: HP:0000118
name: Phenotypic abnormality

[Term]
id: HP:0001658
name: Myocardial infarction
synonym: "Heart attack" EXACT layperson []
is_a: HP:0000118
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of an index that the documentation's commands fit."""
    place = indexed(tmp_path_factory.mktemp("hp"), {"hp.obo": HEART})
    with running(place) as (found, _):
        yield found


def _commands(page: str) -> list[str]:
    """The curl commands of a page of the documentation, each on one line."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.startswith("curl ")]


@pytest.mark.slow
def test_the_curl_commands_of_the_documentation_are_answered(address: str) -> None:
    curl = shutil.which("curl") or pytest.skip("no curl here")
    commands = _commands("fhir.md")
    assert len(commands) >= 3
    said = []
    for command in commands:
        _, *arguments = shlex.split(command.replace(DOCUMENTED, address))
        done = subprocess.run(
            [curl, "-sS", "--fail-with-body", *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        said.append(json.loads(done.stdout))
    assert [one["resourceType"] for one in said] == ["TerminologyCapabilities", "Parameters", "ValueSet"]
    assert {"name": "display", "valueString": "Myocardial infarction"} in said[1]["parameter"]
    assert said[2]["expansion"]["contains"][0]["code"] == "HP:0001658"


@pytest.mark.slow
@pytest.mark.parametrize("version", ["r4", "r5"])
def test_fhirpy_reads_searches_and_calls_operations(address: str, version: str) -> None:
    fhirpy = pytest.importorskip("fhirpy", reason="needs fhirpy: pip install fhirpy")
    client = fhirpy.SyncFHIRClient(f"{address}/{version}")
    systems = client.resources("CodeSystem").search(status="active").fetch_all()
    assert [one["url"] for one in systems] == ["http://human-phenotype-ontology.org"]
    again = client.reference("CodeSystem", systems[0]["id"]).to_resource()
    assert again["name"] == systems[0]["name"]
    query = {"url": "http://human-phenotype-ontology.org?fhir_vs", "filter": "heart att"}
    expansion = client.execute("ValueSet/$expand", "get", params=query)["expansion"]
    assert [one["code"] for one in expansion["contains"]] == ["HP:0001658"]
    body = client.resource(
        "Parameters",
        parameter=[
            {"name": "system", "valueUri": "http://human-phenotype-ontology.org"},
            {"name": "code", "valueCode": "HP:0001658"},
        ],
    )
    found = client.execute("CodeSystem/$lookup", "post", data=body.serialize())
    assert {"name": "display", "valueString": "Myocardial infarction"} in found["parameter"]
    with pytest.raises(fhirpy.base.exceptions.ResourceNotFound):
        client.execute("CodeSystem/$lookup", "get", params={"system": "http://nothing.org", "code": "1"})


# How it is deployed


def _steps() -> list[tuple[str, str]]:
    """The instructions of the container file, each with the rest of its line."""
    text = (ROOT / "deploy/Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split(" ", 1) for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest.strip()) for name, rest in lines]


def test_the_container_file_takes_what_is_there() -> None:
    steps = _steps()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    base = next(rest for name, rest in steps if name == "FROM")
    version = re.search(r"python:(\d+)\.(\d+)", base)
    least = re.search(r">=(\d+)\.(\d+)", project["project"]["requires-python"])
    assert version is not None and least is not None
    assert tuple(map(int, version.groups())) >= tuple(map(int, least.groups()))
    copies = [rest.split() for name, rest in steps if name == "COPY"]
    copied = [word for words in copies if not words[0].startswith("--from") for word in words[:-1]]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    shown = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(shown) == sorted(copied), "the build sees what it copies, and nothing else"
    built = next(rest for name, rest in steps if name == "RUN")
    extra = re.search(r"'\.\[(\w+)\]'", built)
    constraint = re.search(r"--constraint (\S+)", built)
    assert extra is not None and constraint is not None
    assert extra[1] in project["project"]["optional-dependencies"]
    needed = {constraint[1], project["project"]["readme"], "LICENSE", "pyproject.toml", "src"}
    assert needed <= set(copied), "what the build reads is copied"
    users = [rest for name, rest in steps if name == "USER"]
    assert users and not users[-1].startswith(("0", "root"))
    ports = [rest for name, rest in steps if name == "EXPOSE"]
    entry = json.loads(next(rest for name, rest in steps if name == "ENTRYPOINT"))
    assert entry[entry.index("--port") + 1] == ports[0]


@pytest.mark.slow
def test_the_commands_of_the_container_file_start_and_watch_a_server(tmp_path: Path) -> None:
    entry = json.loads(next(rest for name, rest in _steps() if name == "ENTRYPOINT"))
    assert entry[:2] == ["ontonym", "serve"]
    last = json.loads(next(rest for name, rest in reversed(_steps()) if name == "CMD"))
    helped = subprocess.run([sys.executable, "-m", *entry, *last], capture_output=True, text=True, check=False)
    assert (helped.returncode, "--port" in helped.stdout) == (0, True)
    place = indexed(tmp_path, {"hp.obo": HEART})
    options = entry[2:]
    del options[options.index("--port") : options.index("--port") + 2]
    with running(place, *options) as (found, _):
        port = found.rpartition(":")[2]
        probe = next(rest for name, rest in _steps() if name == "HEALTHCHECK")
        _, code = json.loads(probe.partition("CMD")[2])[1:]
        healthy = code.replace(":8000", f":{port}")
        assert subprocess.run([sys.executable, "-c", healthy], check=False).returncode == 0
        asked = urllib.request.Request(f"http://127.0.0.1:{port}/health", headers={"Host": "terms.example.org"})
        with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310 (the address of our own server)
            assert answer.status == 200, "a proxy may ask under any name"
    ended = subprocess.run([sys.executable, "-c", healthy], capture_output=True, check=False)
    assert ended.returncode != 0, "a server that is gone is not healthy"


def test_the_unit_starts_what_the_command_line_takes() -> None:
    lines = (ROOT / "deploy/terminologies.service").read_text(encoding="utf-8").splitlines()
    unit: dict[str, Any] = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    program, *arguments = shlex.split(unit["ExecStart"])
    assert program.endswith("/bin/ontonym")
    from ontonym.cli.serve import command

    context = command.make_context("serve", arguments[1:])
    assert context.params["artifacts"] == ("/srv/ontonym/hp.index",)
    assert int(unit["TimeoutStopSec"]) > 31, "requests that run are answered first"
    assert "HUP" in unit["ExecReload"]
    assert Path(unit["ReadOnlyPaths"]).is_absolute()
