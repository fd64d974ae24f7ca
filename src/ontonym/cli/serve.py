"""``ontonym serve``: indexes and terminologies over HTTP."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from ontonym.cli.errors import in_flags
from ontonym.cli.options import Opt, OptionGroup, examples
from ontonym.cli.terminal import echo
from ontonym.errors import needing, without_password
from ontonym.serve.http.settings import LOOPBACK, ServerOptions

SERVER = OptionGroup(
    ServerOptions(),
    host=Opt("The address to listen on. Only this machine reaches the default one; put a reverse proxy with TLS before "
             "any other.", metavar="NAME"),
    port=Opt("The port; 0 for any free one.", type=click.IntRange(0, 65535)),
    workers=Opt("Processes that answer; they share the pages of the indexes.", type=click.IntRange(1, 256)),
    threads=Opt("Searches that each process runs at once.", "--search-threads", type=click.IntRange(1, 256)),
    reviews=Opt("A review to decide on the page (its state file). May be repeated.", "--review", "STATE"),
    resources=Opt("FHIR code systems, value sets and concept maps to serve too: a file (JSON or XML), a folder, or a "
                  "package (.tgz). May be repeated.", "--resource", "PATH"),
    keys=Opt("Who may write: a name and a key of 16 characters or more on each line.", metavar="FILE"),
    issuer=Opt("Who has a token of this OIDC issuer may write too.", metavar="URL"),
    audience=Opt("The audience that tokens must have.", metavar="NAME"),
    scope=Opt("The scope or role that tokens must have to write.", "--token-scope", "NAME"),
    closed=Opt("Reading needs a key or token too."),
    rate=Opt("Requests a second that one client may make of each process; 0 for any.",
             "--requests-per-second", type=click.FloatRange(0)),
    seconds=Opt("Time that an answer may take.", "--timeout", type=click.FloatRange(0.1, 3600)),
    longest_body=Opt("Bytes that a request may have; one of FHIR may have 16 MiB.", "--longest-body",
                     type=click.IntRange(1000)),
    origins=Opt("A web site that may read answers (CORS), such as https://example.org. May be repeated.",
                "--allow-origin", "URL"),
    names=Opt("A host name under which requests are answered. May be repeated. By default any, or for an address of "
              "this machine alone its names.", "--allow-host", "NAME"),
    public=Opt("The address that clients use, where a reverse proxy gives the server another one, such as "
               "https://terms.example.org/terms: links of FHIR begin with it, and its host name is answered.",
               "--public-url", "URL"),
    access_log=Opt("Write no line for each request.", "--no-access-log", off=True),
    log_queries=Opt("Write query strings too, which may hold what patients said."),
)  # fmt: skip
"""How to serve: `ServerOptions`."""


@click.command("serve", epilog=examples(
    "serve hp.index",
    "serve hp.index icd10cm.index doid.terminology --port 8080 --workers 2",
    "serve hp.index --keys keys.txt --review hp-doid.review",
    "serve hp.index --resource hospital-value-sets/ --resource hl7.terminology.r4.tgz",
))  # fmt: skip
@click.argument("artifacts", metavar="INDEX…", nargs=-1, required=True)
@SERVER.as_("options")
def command(*, artifacts: tuple[str, ...], options: ServerOptions) -> None:
    """Serve indexes to people and programs: a web page, a JSON API and a FHIR terminology server.

    INDEX is an index, or a terminology for lookups alone. The page is at /, the JSON API is described at
    /api/openapi.json, and FHIR is at /r5 and /r4. Artifacts that are replaced on disk are picked up while requests are
    answered. /health, /ready and /metrics (Prometheus) are for whoever runs the server.
    """
    with needing("starlette", "serve", "serving over HTTP", exact=True):
        from ontonym.serve.http.running import run_server

    def announce(address: str) -> None:
        echo(without_password(f"serving {', '.join(artifacts)} at {address}  (Ctrl-C stops)"), err=True)
        if options.host not in LOOPBACK and not options.closed:
            echo(
                "other machines may reach it: whoever does can read, without a key (--closed) and over plain HTTP",
                err=True,
            )

    run_server(replace(options, artifacts=artifacts), announce, worded=in_flags, factory=f"{__name__}:worker_app")


def worker_app() -> Any:
    """The application of a worker process, whose messages name commands and flags."""
    from ontonym.serve.http.running import worker_app as made

    return made(in_flags)
