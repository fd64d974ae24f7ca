"""The server of the Model Context Protocol (https://modelcontextprotocol.io), over standard streams or HTTP."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

import anyio
import anyio.to_thread
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from ontonym.errors import InputError
from ontonym.manifest import ontonym_version
from ontonym.serve.agents import tools
from ontonym.serve.agents.tools import (
    AnnotatedTexts,
    ConceptsAround,
    DescribedConcept,
    FoundConcepts,
    MappedConcepts,
    NormalizedTexts,
)
from ontonym.serve.http.listening import listening
from ontonym.serve.library import Opened, ServedLibrary
from ontonym.types import LONGEST_TEXT
from ontonym.wanted import wanted_until

T = TypeVar("T")

AT_ONCE = 4
"""Calls that run at the same time."""

INSTRUCTIONS = (
    "Clinical terminologies. Take every code from these tools and never from memory: `search` finds concepts, "
    "`concept` checks an id, `normalize` and `annotate` give mentions their codes, null where none fits. "
    "A confidence is the probability that the concept is the right one; below 0.5 ask or say that you are not sure. "
    "Where codes of one terminology are wanted, name it: `terminology`. Served: {served}."
)

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

AskedWords = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, description="The words to look for.")]
ConceptId = Annotated[str, Field(min_length=1, max_length=2000, description="An id such as HP:0001250.")]
IndexName = Annotated[str, Field(max_length=200, description="The index to ask; empty for the first one.")]
TerminologyName = Annotated[str, Field(max_length=200, description="The terminology; empty for the first that has it.")]
OnlyTerminology = Annotated[
    str,
    Field(
        max_length=200, description="Only concepts of this terminology, such as icd10cm; empty for all of the index."
    ),
]
AnyConceptId = Annotated[str, Field(max_length=2000, description="An id such as HP:0001250; none for roots.")]
HowMany = Annotated[int, Field(ge=1, le=50, description="How many at most.")]
Offset = Annotated[int, Field(ge=0, description="How many to leave out at the beginning.")]
Within = Annotated[list[str], Field(max_length=20, description="Only these concepts (ids) and those below them.")]
AskedMentions = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_TEXT)]],
    Field(min_length=1, max_length=200, description="The mentions, each by itself."),
]
LongText = Annotated[str, Field(min_length=1, max_length=200_000, description="The text of a note.")]
AskedRelation = Literal["children", "parents", "siblings", "ancestors", "descendants", "roots"]


def make_agent_server(library: ServedLibrary) -> MCPServer[Any]:
    """The server over what a library has opened."""
    with library.pinned() as opened:
        instructions = INSTRUCTIONS.format(served=_served(opened))
    server: MCPServer[Any] = MCPServer(
        "ontonym", instructions=instructions, version=ontonym_version(), log_level="WARNING"
    )
    called = _Calls(library).called

    @server.tool(annotations=_READS, structured_output=True)
    async def search(
        query: AskedWords,
        k: HowMany = 5,
        within: Within = [],  # noqa: B006 (the schema shows it)
        terminology: OnlyTerminology = "",
        index: IndexName = "",
    ) -> FoundConcepts:
        """Find the concepts behind words, best first: a finding, a diagnosis, an everyday phrase, an abbreviation.

        Misspelled words and codes are found too. Ask for one thing at a time; use annotate for a text.
        """
        return await called(lambda opened: tools.found_concepts(opened, query, k, within, terminology, index))

    @server.tool(annotations=_READS, structured_output=True)
    async def concept(id: ConceptId, terminology: TerminologyName = "") -> DescribedConcept:
        """Look up a concept by its id: names, definition, parents, children, the same concept in other terminologies.

        An unknown id is an error that names near ones; use search for words.
        """
        return await called(lambda opened: tools.described_concept(opened, id, terminology))

    @server.tool(annotations=_READS, structured_output=True)
    async def hierarchy(
        id: AnyConceptId = "",
        relation: AskedRelation = "children",
        terminology: TerminologyName = "",
        offset: Offset = 0,
        count: HowMany = 20,
    ) -> ConceptsAround:
        """Walk the hierarchy: what is above, below or beside a concept; relation roots needs no id."""
        return await called(lambda opened: tools.concepts_around(opened, id, relation, terminology, offset, count))

    @server.tool(annotations=_READS, structured_output=True)
    async def normalize(
        mentions: AskedMentions, terminology: OnlyTerminology = "", index: IndexName = ""
    ) -> NormalizedTexts:
        """Give each of some mentions, such as the lines of a problem list, its concept, or null where none fits."""
        return await called(lambda opened: tools.normalized_texts(opened, mentions, terminology, index))

    @server.tool(annotations=_READS, structured_output=True)
    async def annotate(text: LongText, terminology: OnlyTerminology = "", index: IndexName = "") -> AnnotatedTexts:
        """Find the mentions of concepts in a text, such as a note, with what it says of each (negated, family).

        Where it says nothing of these (an empty context), the finding is present.
        """
        return await called(lambda opened: tools.annotated_texts(opened, text, terminology, index))

    @server.tool(name="map", annotations=_READS, structured_output=True)
    async def map_concept(
        id: ConceptId, terminology: TerminologyName = "", index: IndexName = "", k: HowMany = 5
    ) -> MappedConcepts:
        """Map a concept to another index, of another terminology: candidates that may be the same, best first."""
        return await called(lambda opened: tools.mapped_concepts(opened, id, terminology, index, k))

    return server


class _Calls:
    """Calls of tools over what a library has opened: they work in threads, and end when they are cancelled."""

    def __init__(self, library: ServedLibrary) -> None:
        self._library = library
        self._limiter = anyio.CapacityLimiter(AT_ONCE)

    async def called(self, answer: Callable[[Opened], T]) -> T:
        """The answer. Raises ToolError for what cannot be answered."""
        ended = threading.Event()

        def call() -> T:
            with wanted_until(ended.is_set), self._library.pinned() as opened:
                return answer(opened)

        try:
            return await anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=self._limiter)
        except InputError as error:
            raise ToolError(str(error)) from None
        finally:
            ended.set()


def _served(opened: Opened) -> str:
    """The indexes with their terminologies, then those for lookups alone."""
    indexes = [
        f"index {name} ({', '.join(one.full_name for one in index.terminologies)})"
        for name, index in opened.indexes.items()
    ]
    held = {one.fingerprint for index in opened.indexes.values() for one in index.terminologies}
    alone = [one.full_name for one in opened.terminologies.values() if one.fingerprint not in held]
    return ", ".join([*indexes, *(f"{name} for lookups alone" for name in alone)])


def run_over_http(server: MCPServer[Any], host: str, port: int) -> None:
    """Answers at ``/mcp`` until it is interrupted; raises InputError where the address cannot be listened on."""
    with listening(host, port) as listener:
        config = uvicorn.Config(server.streamable_http_app(host=host), log_level="warning")
        uvicorn.Server(config).run(sockets=[listener])
