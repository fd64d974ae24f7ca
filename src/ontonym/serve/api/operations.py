"""The table of operations: path, methods, parameters, what it answers and what it needs. All else is made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, get_args

from ontonym.serve.api import changing, concepts, matching, searching
from ontonym.serve.api.parameters import ID, INDEX, LONGEST_NOTE, QUERY, TERMINOLOGY, ApiValues, Parameter
from ontonym.serve.library import Opened
from ontonym.tasks import PLAIN, SIGNALS, STRATEGIES, AnnotateOptions, SearchOptions
from ontonym.tasks.annotation.spans import Sought
from ontonym.tasks.review import FILTERS, VERDICTS
from ontonym.types import LONGEST_TEXT

BASE = "/api"
"""What the paths of all operations begin with."""

ApiAnswer = Callable[[Opened, ApiValues], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """One operation. ``path`` is below `BASE`; with GET parameters come in the query string, else in a JSON body.

    ``writes`` needs a key always; ``kept`` are those whose answers depend on nothing but the generation and are asked
    for again and again. ``example`` are values of its parameters that documentation shows.
    """

    path: str
    methods: tuple[str, ...]
    answer: ApiAnswer
    summary: str
    parameters: tuple[Parameter, ...] = ()
    writes: bool = False
    kept: bool = False
    example: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


_READ = ("GET", "POST")
_OPTIONS = SearchOptions()
_K = Parameter("k", "How many concepts at most.", "number", _OPTIONS.k, least=1, most=100)
_WITHIN = Parameter("within", "Only these concepts and those below them.", "texts")
_TAG = Parameter("tag", "Only concepts with one of these tags.", "texts")
_ONLY = Parameter("only", "Only these terminologies of the index.", "texts")
_FILTERS = (_WITHIN, _TAG, _ONLY)
_EXPLAIN = Parameter("explain", "Explain the answer.", "flag", default=False)
_OFFSET = Parameter("offset", "How many to leave out at the beginning.", "number", 0)
_COUNT = Parameter("count", "How many at most.", "number", 100, least=1, most=1000)
_REVIEW = Parameter("review", "The review; by default the first one.", default="")
_THRESHOLD = Parameter("threshold", "The confidence below which no concept is given.", "share")
_FIND = Parameter(
    "find", "What counts as a mention: names; phrases, also in other forms or another order; statements, also values "
    "such as K 6.2; likely, phrases and what resembles a name; or all.",
    default=AnnotateOptions().find, choices=get_args(Sought),
)  # fmt: skip
_SOURCE = Parameter("id", "The id of the source concept.", required=True)
_TEXTS = Parameter("text", "The mentions.", "texts", longest=LONGEST_TEXT)

OPERATIONS: tuple[ApiOperation, ...] = (
    ApiOperation("/about", ("GET",), concepts.about_answer, "What is served: indexes, terminologies, tags, reviews"),
    ApiOperation(
        "/search", _READ, searching.search_answer, "The concepts behind words, best first",
        (
            QUERY, INDEX, _K, *_FILTERS,
            Parameter("strategy", "What is searched, as for the command.", default=_OPTIONS.strategy,
                      choices=(*PLAIN, *STRATEGIES, "tuned")),
            Parameter("signal", "What ranks.", default=_OPTIONS.signal, choices=tuple(SIGNALS)),
            Parameter("verbatim", "Search for exactly what is given.", "flag", default=False),
            Parameter("typing", "The words are still being typed: search only if the last one is whole, else give it "
                      "as `unfinished`.", "flag", default=False),
            _EXPLAIN,
        ),
        kept=True, example={"q": "heart skipping beats", "k": 1},
    ),
    ApiOperation(
        "/autocomplete", _READ, searching.autocomplete_answer, "The concepts that a text still being typed may mean",
        (QUERY, INDEX, _K, *_FILTERS,
         Parameter("meaning", "Search by meaning where no name begins so.", "flag", default=True)),
        kept=True, example={"q": "hea att", "k": 1},
    ),
    ApiOperation(
        "/normalize", _READ, searching.normalize_answer, "The concept of each mention, or none",
        (_TEXTS, INDEX, Parameter("k", "Candidates of each mention.", "number", 3, least=1, most=100), *_FILTERS,
         _THRESHOLD, Parameter("passage", "The text that the mentions are from.", default="", longest=LONGEST_NOTE),
         _EXPLAIN),
        example={"text": ["skipped beats"], "k": 1},
    ),
    ApiOperation(
        "/annotate", _READ, searching.annotate_answer, "The mentions in a text, with negation and doubt",
        (Parameter("text", "The text.", required=True, longest=LONGEST_NOTE), INDEX,
         Parameter("k", "Candidates of each mention.", "number", 3, least=1, most=100), *_FILTERS, _THRESHOLD,
         _FIND),
        example={"text": "No fever.", "k": 1},
    ),
    ApiOperation(
        "/explain", _READ, searching.explain_answer_of, "Why a concept was found for words, by default the best ones",
        (QUERY, Parameter("id", "The concept; by default the best hits.", default=""), INDEX, _K),
        example={"q": "heart skipping beats", "k": 1},
    ),
    ApiOperation(
        "/compare", _READ, searching.compare_answer, "Two concepts compared for words, found or not",
        (QUERY, Parameter("first", "The id of a concept.", required=True),
         Parameter("second", "The id of another one.", required=True), INDEX),
        example={"q": "raised temperature", "first": "T:5", "second": "T:6"},
    ),
    ApiOperation(
        "/concept", ("GET",), concepts.concept_answer, "The whole record of a concept", (ID, TERMINOLOGY),
        kept=True, example={"id": "T:3"},
    ),
    ApiOperation(
        "/hierarchy", ("GET",), concepts.hierarchy_answer, "What is around a concept; without an id the roots",
        (Parameter("id", "The id of a concept.", default=""), TERMINOLOGY,
         Parameter("relation", "What is asked for; by default the children, without an id the roots.", default="",
                   choices=("", "roots", *concepts.RELATIONS)),
         _OFFSET, _COUNT),
        kept=True, example={"id": "T:3", "relation": "siblings"},
    ),
    ApiOperation(
        "/tree", ("GET",), concepts.tree_answer, "The hierarchy around a concept as a tree from the roots down",
        (Parameter("id", "The id of a concept; without it the top.", default=""), TERMINOLOGY,
         Parameter("levels", "Levels below the concept, whole ones: fewer where they have more than "
                   f"{concepts.MOST_IN_TREE:,} concepts. `levels` of the answer says how many there are, `left_out` of "
                   "a concept how many of its children are not listed.",
                   "number", 1, most=5),
         Parameter("count", "Most children of a concept.", "number", 20, least=1, most=200)),
        kept=True, example={"id": "T:3"},
    ),
    ApiOperation(
        "/candidates", _READ, matching.candidates_answer, "The concepts that one of another terminology may be",
        (ID, TERMINOLOGY, INDEX, _K, _WITHIN, _TAG),
    ),
    ApiOperation(
        "/terms", ("GET",), changing.terms_answer, "The terms that were added to an index",
        (INDEX, Parameter("id", "Only of this concept.", default=""), _OFFSET, _COUNT),
    ),
    ApiOperation(
        "/terms/add", ("POST",), changing.add_term_answer, "Add a term to an index: searches find it from now on",
        (ID, Parameter("text", "The name.", required=True, longest=LONGEST_TEXT), INDEX,
         Parameter("why", "Why.", default="")),
        writes=True, example={"id": "T:6", "text": "funny turn", "why": "ward 3 writes so"},
    ),
    ApiOperation(
        "/terms/remove", ("POST",), changing.remove_term_answer, "Remove an added term from an index",
        (ID, Parameter("text", "The name.", required=True, longest=LONGEST_TEXT), INDEX,
         Parameter("why", "Why.", default="")),
        writes=True, example={"id": "T:6", "text": "funny turn"},
    ),
    ApiOperation("/reviews", ("GET",), changing.reviews_answer, "The reviews with their progress"),
    ApiOperation(
        "/review", ("GET",), changing.review_answer, "The source concepts of a review, most urgent first",
        (_REVIEW, Parameter("filter", "Which.", default="undecided", choices=tuple(FILTERS)),
         Parameter("search", "Only those with these words.", default=""), _OFFSET, _COUNT),
    ),
    ApiOperation(
        "/review/item", ("GET",), changing.review_item_answer, "A source concept of a review with its candidates",
        (_SOURCE, _REVIEW),
    ),
    ApiOperation(
        "/review/decide", ("POST",), changing.decide_answer, "Decide on a source concept of a review",
        (_SOURCE, Parameter("verdict", "What is decided.", required=True,
                            choices=(*VERDICTS, "accept", "skip", "comment")),
         Parameter("target", "The id that it is mapped to, or that is rejected.", default=""),
         Parameter("label", "The name of the target, where it is no candidate.", default=""),
         Parameter("also", "In addition to what it is mapped to already.", "flag", default=False),
         Parameter("comment", "Why.", default="", longest=LONGEST_TEXT), _REVIEW,
         Parameter("version", "The `version` that the source concept had when you read it. A decision of another that "
                   "was made since is then not replaced: both are kept as a disagreement, and `notice` says so.",
                   default="", longest=LONGEST_TEXT)),
        writes=True,
    ),
    ApiOperation(
        "/review/undo", ("POST",), changing.undo_answer, "Undo what you did last in a review, or do it again",
        (Parameter("redo", "Do again what was undone last.", "flag", default=False), _REVIEW), writes=True,
    ),
)  # fmt: skip
"""Every operation of the API."""
