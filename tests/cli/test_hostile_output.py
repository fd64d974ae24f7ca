"""Names of files that are not UTF-8, control characters in names, and a standard output without room."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

OBO = "ontology: a\n\n[Term]\nid: A:1\nname: red \x1b[31malert\n\n[Term]\nid: A:2\nname: blue \u009b2Jalarm\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes, /dev/full"),
]


def ontonym(
    folder: Path, *arguments: bytes | str, stdout: object = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "ontonym", *arguments]
    return subprocess.run(command, cwd=folder, stdout=stdout, stderr=subprocess.PIPE, check=False)  # type: ignore[call-overload,no-any-return]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bytes")
    with open(os.fsencode(folder) + b"/caf\xe9.obo", "wb") as stream:  # noqa: PTH123
        stream.write(OBO.encode())
    for command in (
        ("import", b"caf\xe9.obo", "-o", b"caf\xe9.terminology"),
        ("index", b"caf\xe9.terminology", "-o", b"caf\xe9.index"),
    ):
        done = ontonym(folder, *command)
        assert done.returncode == 0, done.stderr
    return folder


def test_names_of_files_that_are_not_utf8(made: Path) -> None:
    done = ontonym(made, "info", b"caf\xe9.terminology", "--json")
    assert done.returncode == 0, done.stderr
    assert orjson.loads(done.stdout)["content"]["metadata"]["sources"][0]["name"] == "caf\\xe9.obo"
    found = ontonym(made, "search", b"caf\xe9.index", "alert", "--json")
    assert orjson.loads(found.stdout)["hits"][0]["id"] == "A:1"
    missing = ontonym(made, "search", b"th\xe9.index", "alert")
    assert missing.returncode == 2
    assert missing.stderr.startswith(b"error: th\\xe9.index: no such index")


def test_control_characters_of_names_never_reach_the_terminal(made: Path) -> None:
    for command in (
        ("search", b"caf\xe9.index", "alert alarm"),
        ("search", b"caf\xe9.index", "alert alarm", "--explain"),
        ("search", b"caf\xe9.index", "alert alarm", "--json"),
        ("search", b"caf\xe9.index", "\x1b[31mnothing", "--within", "\x1b[31m"),
        ("info", b"caf\xe9.index"),
        ("import", "\x1b]0;x\x07.obo", "-o", "x.terminology"),
        ("diff", b"caf\xe9.terminology", b"caf\xe9.terminology", "--json"),
    ):
        done = ontonym(made, *command)
        printed = (done.stdout + done.stderr).decode()
        assert not [c for c in printed if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160], (command, printed)
    assert b"\\x1b[31malert" in ontonym(made, "search", b"caf\xe9.index", "alert").stdout


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_standard_output_without_room_is_said(made: Path, flags: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = ontonym(made, "search", b"caf\xe9.index", "alert", *flags, stdout=full)
    said = b"standard output: cannot be read or written: No space left on device"
    assert done.stderr == (b'{"error": "%s", "exit_code": 2}\n' if flags else b"error: %s\n") % said
    assert done.returncode == 2
