"""Writes docs/api.md: every operation of the JSON API with its parameters and an answer, from a server that runs here.

`python docs/apidoc.py` writes the page; a test compares it.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.testclient import TestClient

from ontonym.index import IndexOptions, build_index
from ontonym.ontology.formats import read_release
from ontonym.serve.api.operations import BASE, OPERATIONS, ApiOperation
from ontonym.serve.api.parameters import Parameter
from ontonym.serve.http.app import make_app
from ontonym.serve.http.settings import ServerOptions
from ontonym.serve.library import ServedLibrary
from ontonym.store import build_terminology, open_terminology

PAGE = Path(__file__).parent / "api.md"
KEY = "3f9c2b7d51e84a06"
OBO = """format-version: 1.2
data-version: 2024-01-01
ontology: tiny

[Term]
id: T:1
name: Phenotypic abnormality

[Term]
id: T:2
name: Abnormality of the heart
is_a: T:1

[Term]
id: T:3
name: Heart attack
def: "Death of heart muscle." []
synonym: "Myocardial infarction" EXACT []
is_a: T:2

[Term]
id: T:4
name: Palpitations
synonym: "Skipped heart beats" EXACT layperson []
is_a: T:2

[Term]
id: T:5
name: Fever
synonym: "Pyrexia" EXACT []
is_a: T:1

[Term]
id: T:6
name: Seizure
synonym: "Fits" EXACT layperson []
is_a: T:1
"""

HEAD = f"""# The JSON API

`ontonym serve INDEX…` answers at `http://127.0.0.1:8000{BASE}`. `{BASE}/openapi.json` describes all of this for
programs (OpenAPI 3.1). [Running a server](server.md) has keys, limits, processes and reverse proxies.

- Operations with GET take their parameters in the query string; those that take several values are repeated. With POST
  they are a JSON object (`Content-Type: application/json`), where these are lists. Where an operation takes both, POST
  keeps what is asked out of the logs of proxies.
- What writes needs a key, `Authorization: Bearer KEY`, whose name goes into the journal.
- An answer is of one generation of what is served: an index may be replaced at any time.
- Errors are `{{"error": "what to change"}}` with status 400 (a parameter), 401 and 403 (keys), 404 (no such concept),
  409 (another process writes there), 413, 415, 429, 503 (wait as long as `Retry-After` says) and 507 (its disk is
  full).
- Hits and mentions are what `ontonym search --json`, `normalize` and `annotate` print. `path` is the way from a root to
  the concept, without it.

Long answers are cut (…) here. This page is made by `python docs/apidoc.py`.
"""


def page() -> str:
    """The page."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "tiny.obo").write_text(OBO, encoding="utf-8")
        build_terminology(read_release([place / "tiny.obo"]), place / "tiny.terminology")
        with open_terminology(place / "tiny.terminology") as terminology:
            build_index([terminology], place / "tiny.index", encoder="static", options=IndexOptions(everyday=False))
        (place / "keys.txt").write_text(f"anna {KEY}\n", encoding="utf-8")
        options = ServerOptions(keys=str(place / "keys.txt"), names=("testserver",))
        with ServedLibrary([place / "tiny.index"]) as library, TestClient(make_app(library, options)) as client:
            return "\n".join([HEAD, *(line for one in OPERATIONS for line in _section(one, client))])


def _section(one: ApiOperation, client: TestClient) -> Iterator[str]:
    yield f"## {' and '.join(one.methods)} {BASE}{one.path}\n"
    yield f"{one.summary}.{' Needs a key.' if one.writes else ''}\n"
    if one.parameters:
        yield "| parameter | takes | meaning |"
        yield "|---|---|---|"
        yield from map(_row, one.parameters)
        yield ""
    if one.example or not one.parameters:
        yield "```text"
        yield f"{_asked(one)}\n"
        yield _shown(_answer(one, client))
        yield "```\n"


def _row(one: Parameter) -> str:
    takes = {"text": "a text", "texts": "texts", "number": "a number", "share": "0 to 1", "flag": "true or false"}
    meaning = one.help + (f" One of {', '.join(f'`{name}`' for name in one.choices if name)}." if one.choices else "")
    if one.required:
        meaning += " Required."
    elif one.default not in (None, "", False):
        meaning += f" By default {json.dumps(one.default)}."
    if one.type == "number" and one.most < 10_000:
        meaning += f" At most {one.most:,}."
    return f"| `{one.name}` | {takes[one.type]} | {meaning} |"


def _asked(one: ApiOperation) -> str:
    if one.methods[0] == "GET":
        return f"GET {BASE}{one.path}" + (f"?{urlencode(one.example, doseq=True)}" if one.example else "")
    return f"POST {BASE}{one.path}\n{json.dumps(dict(one.example))}"


def _answer(one: ApiOperation, client: TestClient) -> Any:
    if one.methods[0] == "GET":
        found = client.get(BASE + one.path, params=dict(one.example))
    else:
        headers = {"Authorization": f"Bearer {KEY}"}
        found = client.post(BASE + one.path, json=dict(one.example), headers=headers)
    assert found.status_code == 200, found.text  # noqa: S101 (a script, run by hand)
    return found.json()


def _shown(answer: Any) -> str:
    text = json.dumps(_cut(answer), indent=2, ensure_ascii=False)
    text = re.sub(r'"[0-9a-f]{64}"', '"…"', text)
    return re.sub(r"\{[^{}]{0,160}?\}|\[[^\[\]{}]{0,100}?\]", _on_one_line, text)


def _on_one_line(found: re.Match[str]) -> str:
    line = (
        re.sub(r"\s*\n\s*", " ", found[0]).replace("{ ", "{").replace(" }", "}").replace("[ ", "[").replace(" ]", "]")
    )
    return line if len(line) < 110 else found[0]


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _cut(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_cut(one) for one in value[:3]] + (["…"] if len(value) > 3 else [])
    return value


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
