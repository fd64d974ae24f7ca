"""Writes docs/python.md: every public name of the package with its signature, docstring, fields and members.

``python docs/pythondoc.py`` writes the page; a test compares it. What functions give and the options that they take are
found in their annotations and docstrings, so a new one is on the page as soon as a function names it.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import ontonym
from ontonym import errors

DOCS = Path(__file__).parent
PAGE = DOCS / "python.md"
SOURCE = DOCS.parent / "src"

HEAD = """# Python

Every name that `import ontonym` gives: what it takes, what it gives, and which options there are.
[In depth](guide.md#in-python) shows how they are used together, and [examples](../examples) has a script for each task.

```python
import ontonym

with ontonym.open("hp.index") as index:
    hits = index.search("wide set eyes", k=3)  # a HitList: a list of Hit, best first
    for hit in hits:
        print(hit.id, hit.preferred, hit.confidence, hit.reason.detail)
    print(hits.columns())  # the same as columns; to_pandas(), to_polars() and to_arrow() give frames

    answer = index.normalize(["fits", "our keys"], threshold=0.8)[0]  # an AnswerList: a Normalization for each text
    print(answer.id, answer.confidence, answer.certainty, answer.negated)

    for found in index.annotate("No fever. Her mother had fits."):  # an AnnotationList: an Annotation for each mention
        print(found.span, found.text, found.id, found.context)

    concept = index["HP:0000316"]  # a ConceptView
    print(concept.preferred, concept.names, concept.parents)
```

Rules that hold everywhere:

- Where a function takes an index, a terminology or an encoder, give its path, or what `ontonym.open` gave.
- Options are keywords (`k=3`, `within="HP:0000118"`). They are the fields of the options class that the function names;
  all of them stand under [Options](#options). An object of that class is taken too:
  `options=ontonym.SearchOptions(k=3)`.
- Close what you open, or use `with`. What you give by its path is opened and closed for you.
- Where a function takes `progress`, it calls it with the stage, how much is done and how much there is (None: not
  known): `progress=print` shows it.
- A function that writes replaces what is at the path, an artifact only one of its own kind.
- Arrays are of numpy: `Mask` holds bool, `Ints` and `Rows` (from 0) int64, `Doubles` float64, `Vectors` float32.
- An error that you can fix is an `ontonym.OntonymError` ([all of them](#errors)).

This page is made by `python docs/pythondoc.py`.
"""

TASKS: dict[str, str] = {
    "Open": "open open_index open_terminology open_encoder open_reranker open_pages open_review info "
    "sentence_transformer",
    "Find": "search normalize annotate explain show tree register_duckdb",
    "Make": "import_release build_index update add_terms remove_terms terms diff export read_release build_terminology",
    "Map": "match start_review merge_reviews export_mappings read_mappings carry align",
    "Learn": "train distill join calibrate learn_ranking pairs train_reranker",
    "Measure": "evaluate_normalization evaluate_annotation evaluate_strategies evaluate_search evaluate_heldout "
    "hidden_names evaluate_matching evaluate_alignment evaluate_similarity evaluate_categories evaluate_baselines "
    "evaluate_runs build_gold build_sets",
}
"""The functions by task: each public one once."""

HELD = ("IndexHandle", "TerminologyHandle", "ConceptView", "ReviewHandle")
"""What people hold while they work: each method of their own gets a heading."""

INHERITED = {"IndexHandle": ("refreshed", "encoder", "concept_count")}
"""What they have of a base class that is described nowhere else."""

NOT_SHOWN = ("Handle", "Closing", "Index")
"""Base classes whose members are for the lower rooms."""

FIRST = (
    "HitList", "Hit", "Reason", "AnswerList", "Normalization", "AnnotationList", "Annotation", "Mention", "Explanation",
    "MatchList", "Concept", "Term", "Encoder", "Reranker",
)  # fmt: skip
"""What comes back most often, in the order of the page; the rest follows by name."""

ERRORS = tuple(name for name in ontonym.__all__ if isinstance(getattr(errors, name, None), type))

_NAME = re.compile(r"\b[A-Z]\w+")
_LITERAL = re.compile(r"^(\w+) = Literal\[(.+)\]$", re.MULTILINE)
_OPTIONS = re.compile(r"`(\w+(?:Options|Choice|Shape))`")


def page() -> str:
    """The page."""
    results, options = found()
    known = {*HELD, *results, *options, *(name for names in TASKS.values() for name in names.split())}
    sections = [
        HEAD,
        *_overview(),
        *(line for title, names in TASKS.items() for line in _functions(title, names.split())),
        "## What you hold\n",
        *(line for name in HELD for line in _held(_public(name))),
        "## What comes back\n",
        *(line for name in results for line in _class(home(name))),
        "## Options\n",
        *(line for name in options for line in _class(home(name))),
        "## Errors\n",
        "Names of `ontonym`, all of them: `except ontonym.UnknownIdError`.\n",
        _tree(),
    ]
    return _linked("\n".join(sections), known)


def found() -> tuple[list[str], list[str]]:
    """The names of the classes that public functions and members give, and of the options that they take."""
    functions = [_public(name) for names in TASKS.values() for name in names.split()]
    methods = [one for name in HELD for key, one in _members(_public(name)) if key in vars(_public(name))]
    public = {name for name in ontonym.__all__ if not name.islower()} - {*HELD, *ERRORS}
    given = {name for one in (*functions, *methods) for name in _NAME.findall(_gives(_getter(one)))} | public
    for name in FIRST:  # and what these consist of
        kind = home(name)
        if kind is not None and dataclasses.is_dataclass(kind):
            given |= {word for field in dataclasses.fields(kind) for word in _NAME.findall(str(field.type))}
    ours = {name for name in given - {*HELD} if home(name) is not None and not name.endswith("Options")}
    described = [inspect.getdoc(one) or "" for one in (*functions, *methods, *map(home, sorted(ours)))]
    options = {name for text in described for name in _OPTIONS.findall(text)}
    options |= {name for name in public if name.endswith("Options")}
    return [*FIRST, *sorted(ours - {*FIRST})], sorted(options)


@cache
def home(name: str) -> Any:
    """The class of ours that has this name, whose module is imported; None where there is none."""
    for path in sorted((SOURCE / "ontonym").rglob("*.py")):
        if re.search(rf"^class {name}\b", path.read_text(encoding="utf-8"), re.MULTILINE):
            parts = path.relative_to(SOURCE).with_suffix("").parts
            return getattr(importlib.import_module(".".join(parts).removesuffix(".__init__")), name)
    return None


@cache
def literals() -> dict[str, str]:
    """The values of each type that names some."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((SOURCE / "ontonym").rglob("*.py")))
    return {name: values for text in texts for name, values in _LITERAL.findall(text)}


def _public(name: str) -> Any:
    return getattr(ontonym, name)


def _overview() -> Iterator[str]:
    """A table of all functions by task."""
    yield "## Which function\n"
    yield "| | function | what it does |"
    yield "|---|---|---|"
    for title, names in TASKS.items():
        for place, name in enumerate(names.split()):
            yield f"| {'' if place else title} | `{name}` | {_first_sentence(_public(name))} |"
    yield ""


def _functions(title: str, names: list[str]) -> Iterator[str]:
    yield f"## {title}\n"
    for name in names:
        yield f"### {name}\n"
        yield from _signature(name, _public(name))
        yield _text(_public(name))


def _held(kind: Any) -> Iterator[str]:
    yield f"### {kind.__name__}\n"
    yield _text(kind)
    members = dict(_members(kind)) | {name: getattr(kind, name) for name in INHERITED.get(kind.__name__, ())}
    own = {name: one for name, one in members.items() if callable(one) and name in vars(kind)}
    yield from _bullets((name, one) for name, one in members.items() if name not in own)
    for name, member in own.items():
        yield f"#### {kind.__name__}.{name}\n"
        yield from _signature(name, member)
        yield _text(member)


def _class(kind: Any) -> Iterator[str]:
    """A class with its fields and what else it has."""
    yield f"### {kind.__name__}\n"
    yield _text(kind)
    if dataclasses.is_dataclass(kind):
        yield "```text"
        yield from (_field(one) for one in dataclasses.fields(kind) if not one.name.startswith("_"))
        yield "```\n"
    yield from _bullets(_members(kind))


def _bullets(members: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """A list of members, each with what it gives, in one line."""
    lines = [f"- `{_called(name, one)}`: {_first_paragraph(one)}" for name, one in members]
    if lines:
        yield "\n".join([*lines, ""])


def _members(kind: Any) -> Iterator[tuple[str, Any]]:
    """The public properties and methods that a class has of its own, or of a base of ours, with a docstring."""
    seen = set()
    for base in kind.__mro__:
        if not base.__module__.startswith("ontonym") or base.__name__ in NOT_SHOWN:
            continue
        for name, member in vars(base).items():
            plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            shown = isinstance(plain, property | cached_property) or (callable(plain) and not inspect.isclass(plain))
            if shown and not name.startswith("_") and name not in seen and inspect.getdoc(plain):
                seen.add(name)
                yield name, plain


def _field(one: dataclasses.Field[Any]) -> str:
    default = ""
    if one.default is not dataclasses.MISSING:
        default = f" = {_value(one.default)}"
    elif one.default_factory is not dataclasses.MISSING:
        default = f" = {_value(one.default_factory())}"
    values = literals().get(_type(one.type), "")
    return f"{one.name}: {_type(one.type)}{default}" + (f"  # {values}" if values else "")


def _called(name: str, member: Any) -> str:
    if not callable(member):
        return f"{name}: {_gives(_getter(member))}"
    inside = [one for one in inspect.signature(member).parameters.values() if one.name not in ("self", "cls")]
    return f"{name}({', '.join(_parameter(one) for one in inside)}) -> {_gives(member)}"


def _signature(name: str, function: Callable[..., object]) -> Iterator[str]:
    """A signature as it is read: names of types alone, a parameter on each line where it is long."""
    signature = inspect.signature(function)
    parameters = [one for one in signature.parameters.values() if one.name != "self"]
    shown = [_parameter(one) for one in parameters]
    kinds = [one.kind for one in parameters]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    gives = f" -> {_gives(function)}"
    line = f"{name}({', '.join(shown)}){gives}"
    if len(line) > 100:
        line = "\n".join([f"{name}(", *(f"    {one}," for one in shown), f"){gives}"])
    yield f"```text\n{line}\n```\n"


def _gives(function: Callable[..., object]) -> str:
    """What a function gives; of one with overloads what each of them gives."""
    several = [_type(inspect.signature(one).return_annotation) for one in typing.get_overloads(function)]
    return " | ".join(dict.fromkeys(several)) or _type(inspect.signature(function).return_annotation)


def _getter(member: Any) -> Callable[..., object]:
    """The function behind a property; of anything else itself."""
    return member.fget if isinstance(member, property) else getattr(member, "func", member)


def _parameter(one: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(one.kind, "")
    if stars == "**":
        return f"**{one.name}"
    kind = "" if one.annotation is one.empty else f": {_type(one.annotation)}"
    default = "" if one.default is one.empty else f" = {_value(one.default)}"
    return f"{stars}{one.name}{kind}{default}"


def _type(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _value(default: object) -> str:
    """A default value as it would be typed; of an object of ours that is as it comes, the class alone."""
    if isinstance(default, str):
        return f'"{default}"'
    if dataclasses.is_dataclass(default) and not isinstance(default, type):
        return f"{type(default).__name__}()" if len(repr(default)) > 40 else repr(default).replace("'", '"')
    if isinstance(default, tuple | list) and default:
        inside = ", ".join(map(_value, default))
        return f"({inside}{',' * (len(default) == 1)})"
    return "…" if callable(default) else str(default)


def _text(thing: object) -> str:
    """A docstring as Markdown."""
    text = (inspect.getdoc(thing) or "").replace("<", "&lt;")
    text = re.sub(r"^Raises:\n((?:    .+\n?)+)", lambda raises: _raises(raises[1]), text, flags=re.MULTILINE)
    return text.replace("``", "`") + "\n"


def _raises(lines: str) -> str:
    return "".join(f"- raises `{kind}` for {why}\n" for kind, why in re.findall(r"    (\w+): (.+)", lines))


def _first_paragraph(thing: object) -> str:
    return " ".join(_text(thing).partition("\n\n")[0].split())


def _first_sentence(thing: object) -> str:
    return re.split(r"(?<=\w)[.:;] |\.$", _first_paragraph(thing))[0]


def _tree() -> str:
    """The tree of errors, as their module draws it."""
    tree = (errors.__doc__ or "").partition("::\n\n")[2].partition("\n\n")[0]
    return f"```text\n{inspect.cleandoc(tree)}\n```\n"


def _linked(text: str, known: set[str]) -> str:
    """The text, in which the names that have a heading lead there."""
    parts = re.split(r"(^```.*?^```$|^#+ [^\n]+$)", text, flags=re.MULTILINE | re.DOTALL)

    def link(match: re.Match[str]) -> str:
        name = match[1].removeprefix("ontonym.")
        whole = name if name in known else name.partition(".")[0] if name.partition(".")[0] in HELD else ""
        return f"[`{match[1]}`](#{name.lower().replace('.', '')})" if whole else match[0]

    return "".join(part if part.startswith(("```", "#")) else re.sub(r"`([\w.]+)`", link, part) for part in parts)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    PAGE.write_text(page(), encoding="utf-8")
