"""The page's files without a browser: served as they are, and nothing in them that a strict policy forbids."""

from __future__ import annotations

import re

import pytest

from ontonym.serve.http.app import PAGE

FILES = sorted(one for one in PAGE.iterdir() if one.is_file())
SCRIPTS = [one for one in FILES if one.suffix == ".js"]
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

_MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|setHTML")
_IMPORT = re.compile(r'^import .*?from "(.+?)";$|^import "(.+?)";$', re.MULTILINE)


def test_every_file_is_served_as_what_it_is(served):
    for file in FILES:
        answer = served.get(f"/{file.name}")
        assert answer.status_code == 200, file.name
        assert answer.headers["content-type"].partition(";")[0] == KINDS[file.suffix]
        assert answer.content == file.read_bytes()
    assert served.get("/").content == (PAGE / "index.html").read_bytes()


def test_a_browser_finds_the_icon_beside_an_answer_of_the_api(served):
    answer = served.get("/favicon.ico")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert answer.content == (PAGE / "icon.svg").read_bytes()


def test_the_page_has_no_inline_script_or_style():
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
    assert all(re.search(r'\ssrc="[\w.]+"', tag) for tag in re.findall(r"<script[^>]*>", text))
    assert re.findall(r"https?:", text) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda one: one.name)
def test_a_script_makes_no_markup_of_text_and_imports_what_is_there(script):
    text = script.read_text(encoding="utf-8")
    assert _MARKUP.findall(text) == []
    assert re.findall(r"https?://", text) == []
    assert text.count("\n") < 400
    for found in _IMPORT.findall(text):
        (name,) = filter(None, found)
        assert (PAGE / name.removeprefix("./")) in FILES, name


def test_every_imported_name_is_exported():
    exported = {
        one.name: set(
            re.findall(r"^export (?:async )?(?:function|const|class) (\w+)", one.read_text(encoding="utf-8"), re.M)
        )
        for one in SCRIPTS
    }
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        for names, file in re.findall(r'^import \{([^}]+)\} from "\./([\w.]+)";$', text, re.MULTILINE):
            wanted = {name.split(" as ")[0].strip() for name in names.split(",")}
            assert wanted <= exported[file], f"{script.name}: {wanted - exported[file]} of {file}"
            assert all(len(re.findall(rf"\b{name}\b", text)) > 1 for name in wanted), f"{script.name}: unused import"
