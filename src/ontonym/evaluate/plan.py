"""The plan of a comparison of search methods: a TOML file of what to search, for which questions, and how."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from ontonym.encoder import is_name
from ontonym.errors import FormatError, UnknownNameError
from ontonym.evaluate.texts import file_text
from ontonym.tasks import SIGNALS

MethodKind = Literal["bm25-names", "bm25-documents", "char", "encoder", "index"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GoldPlan:
    """Questions: a file or folder for `read_questions`; ``name`` is for the tables.

    ``labels`` is the terminology that has the names of mapped concepts, if ``path`` is a mapping file. Golds of one
    ``group`` are in one table. With ``concepts`` all names of a mapped concept together are a question too (Ngo, table
    4).
    """

    name: str
    path: str
    labels: str = ""
    group: str = ""
    concepts: bool = False


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """A search method; ``name`` is for the tables.

    ``kind``: ``bm25-names``, ``bm25-documents`` (all names of a concept as one text), ``char`` (TF-IDF of characters),
    ``encoder`` (a model or word vectors at ``encoder``, whose token vectors are combined by ``pooling``: own, mean, cls
    or max), or ``index`` (an ontonym index at ``index``, by ``signal``; ``verbatim`` as in `SearchOptions`). Without
    ``stop_words``, which an index keeps, English ones are left out of names and texts, as in Ngo's BM25 and word2vec.
    """

    name: str
    kind: MethodKind
    encoder: str = ""
    pooling: Literal["own", "mean", "cls", "max"] = "own"
    index: str = ""
    signal: str = "fused"
    verbatim: bool = False
    stop_words: bool = True


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """A comparison: each ``method`` searches ``terminology`` for the questions of every ``gold``.

    With ``within``, only these concepts and those below them are searched (Ngo, table 1). ``depth`` answers are
    considered; ``k`` are the cutoffs of Hits and nDCG. ``reference`` is the method that the others are tested against,
    by default the last one. ``ideal`` is what nDCG compares a ranking with: the best one made of ``all`` concepts that
    are worth something, or the best order of the K answers ``returned`` (`ontonym.evaluate.measures.ndcg`).
    """

    terminology: str
    gold: tuple[GoldPlan, ...]
    method: tuple[MethodPlan, ...]
    title: str = "Search methods compared"
    depth: int = 64
    k: tuple[int, ...] = (1, 5, 10)
    reference: str = ""
    within: tuple[str, ...] = ()
    ideal: Literal["all", "returned"] = "all"

    @property
    def ndcg(self) -> str:
        """The name of the nDCG of the plan, one of `ontonym.evaluate.measures.MEASURES`."""
        return "ndcg" if self.ideal == "all" else "ndcg-returned"

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of golds; a gold without one belongs to the group named by the title."""
        return tuple(dict.fromkeys(one.group or self.title for one in self.gold))

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs that can be compared: a method, with its group if there are several."""
        if len(self.groups) == 1:
            return tuple(one.name for one in self.method)
        return tuple(f"{group}: {one.name}" for group in self.groups for one in self.method)

    @property
    def base(self) -> str:
        """The method that the others are tested against."""
        return self.reference or self.method[-1].name


def read_plan(path: Path | str) -> ComparisonPlan:
    """Reads the plan in a TOML file; relative paths in it start at its folder.

    Raises InputError if the file cannot be read, FormatError with a hint if it is not a plan.
    """
    try:
        held = tomllib.loads(file_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(path, f"not TOML: {error}") from None
    golds = _tables(path, held, "gold", GoldPlan)
    methods = _tables(path, held, "method", MethodPlan)
    top = {name: value for name, value in held.items() if name not in ("gold", "method")}
    top |= {name: tuple(value) for name, value in top.items() if isinstance(value, list)}
    plan = _made(path, "", ComparisonPlan, {**top, "gold": golds, "method": methods})
    _check(path, plan)
    return _with_paths(plan, Path(path).parent)


def _tables(path: Path | str, held: Mapping[str, Any], name: str, made: type[T]) -> tuple[T, ...]:
    tables = held.get(name, [])
    if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
        raise FormatError(path, f"no [[{name}]]", hint=f"A plan has a table [[{name}]] for each {name}")
    return tuple(_made(path, f"[[{name}]] {number}: ", made, one) for number, one in enumerate(tables, 1))


def _made(path: Path | str, where: str, made: type[T], held: Mapping[str, Any]) -> T:
    """A dataclass from a table, every key and value checked."""
    hints = get_type_hints(made)
    known = {field.name: field for field in fields(made)}  # type: ignore[arg-type]
    for name, value in held.items():
        if name not in known:
            raise FormatError(path, f"{where}{UnknownNameError('key', name, known)}")
        if not _fits(value, hints[name]):
            raise FormatError(path, f"{where}{name} = {value!r} is not {_expected(hints[name])}")
    for name, field in known.items():
        if field.default is MISSING and held.get(name) in (None, ""):
            raise FormatError(path, f"{where}{name} is missing")
    return made(**held)


def _fits(value: Any, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(_fits(one, get_args(hint)[0]) for one in value)
    return isinstance(value, hint) and not (hint is int and isinstance(value, bool))


def _expected(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return f"one of {', '.join(get_args(hint))}"
    if get_origin(hint) is tuple:
        return f"a list of {'ids' if get_args(hint)[0] is str else 'whole numbers'}"
    return {str: "a text", int: "a whole number", bool: "true or false"}[hint]


def _check(path: Path | str, plan: ComparisonPlan) -> None:
    """Raises FormatError for a plan whose parts do not fit each other."""
    for what, names in (("gold", [one.name for one in plan.gold]), ("method", [one.name for one in plan.method])):
        if len(set(names)) < len(names):
            raise FormatError(path, f"two of [[{what}]] have the same name", hint="Give each a name of its own")
    methods = [one.name for one in plan.method]
    if plan.reference and plan.reference not in methods:
        raise FormatError(path, f"reference: {UnknownNameError('method', plan.reference, methods)}")
    if plan.depth < 1 or not plan.k or min(plan.k) < 1 or max(plan.k) > plan.depth:
        raise FormatError(path, f"k = {list(plan.k)} and depth = {plan.depth}: each k is from 1 to depth")
    for one in plan.method:
        needed = {"encoder": "encoder", "index": "index"}.get(one.kind, "")
        if needed and not getattr(one, needed):
            raise FormatError(path, f"[[method]] {one.name}: a method of kind {one.kind} needs {needed}")
        if one.kind == "index" and not one.stop_words:
            raise FormatError(path, f"[[method]] {one.name}: an index keeps stop words; leave stop_words out")
        if one.signal not in SIGNALS:
            raise FormatError(path, f"[[method]] {one.name}: {UnknownNameError('signal', one.signal, SIGNALS)}")


def _with_paths(plan: ComparisonPlan, folder: Path) -> ComparisonPlan:
    """The plan with its paths made relative to the working folder."""

    def place(text: str) -> str:
        return text if not text or is_name(text) else str(folder / text)

    golds = (replace(one, path=place(one.path), labels=place(one.labels)) for one in plan.gold)
    methods = (replace(one, encoder=place(one.encoder), index=place(one.index)) for one in plan.method)
    return replace(plan, terminology=place(plan.terminology), gold=tuple(golds), method=tuple(methods))
