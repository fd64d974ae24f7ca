"""``ontonym mcp``: tools for language models over indexes."""

from __future__ import annotations

import click

from ontonym.cli.options import examples
from ontonym.errors import needing
from ontonym.serve.library import ServedLibrary


@click.command("mcp", epilog=examples(
    "mcp hp.index",
    "mcp hp.index icd10cm.index",
    "mcp hp.index --http --port 8100",
))  # fmt: skip
@click.argument("artifacts", metavar="INDEX…", nargs=-1, required=True)
@click.option("--http", is_flag=True, help="Answer over HTTP, at /mcp, in place of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="NAME", help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8100, show_default=True, help="The port.")
def command(*, artifacts: tuple[str, ...], http: bool, host: str, port: int) -> None:
    """Give language models tools over indexes (Model Context Protocol): search, concept, hierarchy, normalize,
    annotate and map, so that no code is invented.

    A client such as an editor or a chat program starts this command by itself: give it the words of the first example.
    """
    with needing("mcp", "mcp", "serving language models", exact=True):
        from ontonym.serve.agents.server import make_agent_server, run_over_http
    with ServedLibrary(artifacts) as library:
        library.watch()
        server = make_agent_server(library)
        if http:
            run_over_http(server, host, port)
        else:
            server.run()
