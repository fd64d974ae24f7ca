"""The day of someone who runs a server: start it, ask it, let a colleague add a word, swap the index, stop it.

A server of a made terminology, asked over HTTP as programs ask it. Takes less than half a minute. Needs ontonym[serve].
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import TypeVar

from day import Day, check

OBO = """\
format-version: 1.2
ontology: signs
data-version: {version}

[Term]
id: SG:1
name: Finding of the chest

[Term]
id: SG:2
name: Chest pain
synonym: "Thoracic pain" EXACT []
is_a: SG:1

[Term]
id: SG:4
name: Palpitations
synonym: "Skipped heart beats" EXACT []
is_a: SG:1
"""
MORE = """
[Term]
id: SG:5
name: Fever
"""
KEY = "3f9c2b7d51e84a06"

Found = TypeVar("Found")


class Server:
    """A server that runs beside the day."""

    def __init__(self, day: Day, line: str) -> None:
        print(f"\n$ {line} &")
        self.log = (day.folder / "server.log").open("w+", encoding="utf-8")
        self.process = subprocess.Popen(  # noqa: S603 (our own server)
            day.command(line), cwd=day.folder, stdout=self.log, stderr=self.log, env=day.environment
        )
        found = until(lambda: re.search(r"http://127\.0\.0\.1:(\d+)", (day.folder / "server.log").read_text()))
        self.url = f"http://127.0.0.1:{found[1]}"
        until(lambda: self.ask("/ready")[0] == 200)

    def ask(self, path: str, body: object = None, key: str = "") -> tuple[int, str]:
        """The status and the text of an answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = urllib.request.Request(self.url + path, data, headers)  # noqa: S310 (this machine)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 (the address of our own server)
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def first(self, words: str) -> str | None:
        """The id of the best concept for words."""
        status, text = self.ask(f"/api/search?k=1&q={words.replace(' ', '+')}")
        hits = json.loads(text)["hits"] if status == 200 else []
        print(f"{words}: {hits[0]['id'] if hits else text}")
        return hits[0]["id"] if hits else None

    def stop(self) -> int:
        """Asks it to end, as systemd does, and gives its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def until(what: Callable[[], Found | None]) -> Found:
    """What a function gives once it gives something; ends the day where it does not."""
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        found = what()
        if found:
            return found
        time.sleep(0.1)
    raise SystemExit("the server did not do it in time")


def main(day: Day) -> None:
    """From an index to a server that answers, and on to the next release without stopping it."""
    run = day.run
    day.write("signs.obo", OBO.format(version="2026-01-01"))
    day.write("keys.txt", f"anna {KEY}\n")
    run("ontonym import signs.obo -o signs.terminology")
    run("ontonym index signs.terminology -o signs.index --encoder static")

    server = Server(day, "ontonym serve signs.index --port 0 --keys keys.txt")
    try:
        check(server.first("skipped heart beats") == "SG:4")
        check("<!doctype html>" in server.ask("/")[1])
        status, text = server.ask("/fhir/CodeSystem/$lookup?system=urn:ontonym:prefix:SG&code=SG:2")
        check(status == 200 and "Thoracic pain" in text)

        word = {"id": "SG:4", "text": "heart doing somersaults"}
        check(server.ask("/api/terms/add", word)[0] in (401, 403))  # without a key nobody writes
        check(server.ask("/api/terms/add", word, KEY)[0] == 200)
        until(lambda: server.first("heart doing somersaults") == "SG:4")
        check("anna" in run("ontonym terms signs.index"))

        day.write("next/signs.obo", OBO.format(version="2026-07-01") + MORE)
        run("ontonym import next/signs.obo -o signs.terminology")  # a newer release of the same: no --force needed
        run("ontonym index signs.terminology -o signs.index --encoder static")
        until(lambda: server.first("fever") == "SG:5")  # the server has noticed
        check(server.first("heart doing somersaults") == "SG:4")  # and the word of the colleague has stayed
        check("ontonym_requests" in server.ask("/metrics")[1])
        check("--force" in run("ontonym import signs.obo -o signs.terminology", code=2))  # an older one: not unasked
    finally:
        code = server.stop()
    check(code in (0, -signal.SIGTERM))  # requests that ran were answered first
    log = day.read("server.log")
    check('"status"' in log and "somersaults" not in log)  # what was asked is not in the log


if __name__ == "__main__":
    with Day("An operator's day") as today:
        main(today)
