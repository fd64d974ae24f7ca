"""Gold for search made from mappings: every name of a concept, with the concepts of another terminology that it means.

Ngo's hpo2sct, fma2sct and ncit2sct are such sets: labels of mapped concepts, searched for in SNOMED CT.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path

from ontonym.artifact import write_artifact
from ontonym.errors import InputError
from ontonym.files.output import write_lines
from ontonym.learning.recipes.making import RecipeOptions
from ontonym.manifest import MANIFEST, Manifest
from ontonym.ontology.formats import read_release
from ontonym.store import Terminology, open_terminology
from ontonym.text.normalization import normalize
from ontonym.types import Mapping, Progress, no_progress

QUESTIONS = "questions.tsv"
NAMES = "names.txt"
HEADER = ("source_id", "text", "id", "by")

ANY = "any"
"""Instead of predicates: all of them."""

XREF = "xref"
"""The predicate of cross-references, beside those of mappings."""


_BREAKS = str.maketrans("\t\r\n", "   ")


@dataclass(frozen=True, slots=True)
class GoldOptions:
    """What counts as gold.

    ``predicates`` are those of mappings that say that two concepts are the same, with `XREF` for cross-references, or
    `ANY`. ``languages`` are those of the names used as questions (empty: all). Without ``copies``, names that the right
    concept has too, after normalization, are left out: they only test spelling.
    """

    predicates: tuple[str, ...] = (*RecipeOptions().predicates, XREF)
    languages: tuple[str, ...] = ()
    copies: bool = True

    def takes(self, predicate: str) -> bool:
        """Whether mappings with this predicate count."""
        return ANY in self.predicates or predicate in self.predicates


@dataclass(frozen=True, slots=True)
class _Link:
    """A source concept's row, the row of the target concept it means, and the predicate that says so."""

    source: int
    target: int
    by: str


def build_gold(
    source: Terminology,
    target: Terminology,
    path: Path | str,
    options: GoldOptions = GoldOptions(),
    *,
    mappings: Iterable[Mapping] = (),
    progress: Progress = no_progress,
) -> Manifest:
    """Writes a folder of questions: a name of a source concept, and the ids of the target's concepts it means.

    Mappings are those in either terminology (RF2 maps among them), cross-references of either, and further
    ``mappings``, each in both directions; retired concepts stand for their replacements. `QUESTIONS` has a row for each
    active name of a mapped concept, in a fixed order; `NAMES` has all these names, one per line, for leaving them out
    of training. The statistics count the ``copies``, names that a right concept has too, and the ``elsewhere``, names
    that only wrong concepts of the target have.

    Raises InputError if nothing in one terminology is mapped to the other.
    """
    progress("reading mappings", 0, 0)
    mapped, not_taken = _mapped(source, target, mappings, options)
    asked = _question_rows(source, target, mapped, options, progress)
    if not asked.rows:
        wanted = f" in {', '.join(options.languages)}" if options.languages else ""
        besides = "" if options.copies else " that the right concept does not have too"
        raise InputError(f"{source.name}: no mapped concept has a name{wanted}{besides}. Ask for more names")
    with write_artifact(path, "benchmark") as writer:
        write_lines(writer.folder / QUESTIONS, ("\t".join(HEADER), *asked.rows))
        write_lines(writer.folder / NAMES, asked.names)
        writer.content["identity"] = {
            "source": source.release,
            "target": target.release,
            "options": asdict(options),
        }
        writer.content["statistics"] = {
            "concepts": asked.concepts,
            "questions": len(asked.rows),
            "names": len(asked.names),
            "copies": asked.copies,
            "elsewhere": asked.elsewhere,
            "by": dict(sorted(Counter(by for some in mapped.values() for one in some.values() for by in one).items())),
            "not_taken": dict(sorted(not_taken.items())),
        }
    return writer.manifest


Mapped = dict[int, dict[int, dict[str, None]]]
"""Rows of source concepts with the rows of target concepts that they mean, and the predicates that say so."""


def _mapped(
    source: Terminology, target: Terminology, mappings: Iterable[Mapping], options: GoldOptions
) -> tuple[Mapped, Counter[str]]:
    """The mapped concepts, and the number of links between the two whose predicates do not count."""
    not_taken: Counter[str] = Counter()
    found: Mapped = defaultdict(lambda: defaultdict(dict))
    for link in _links(source, target, mappings, options, not_taken):
        found[link.source][link.target][link.by] = None
    if not found:
        seen = ", ".join(f"{by} {number:,}" for by, number in not_taken.most_common()) or "none"
        raise InputError(
            f"{source.name} and {target.name}: no mapping between them with {', '.join(options.predicates)} (between "
            f"others or with other predicates: {seen}). Give a mapping file, or another `predicate=`"
        )
    return found, not_taken


@dataclass(slots=True)
class _Asked:
    """The rows of the file of questions, their distinct names, and the number of each kind."""

    rows: list[str] = field(default_factory=list)
    names: dict[str, None] = field(default_factory=dict)
    concepts: int = 0
    copies: int = 0
    elsewhere: int = 0


def _question_rows(
    source: Terminology,
    target: Terminology,
    mapped: Mapped,
    options: GoldOptions,
    progress: Progress,
) -> _Asked:
    """The names of mapped concepts as questions, concept by concept."""
    holders = _holders(target)
    asked = _Asked()
    for number, concept in enumerate(sorted(mapped)):
        if number % 1000 == 0:
            progress("writing questions", number, len(mapped))
        right = mapped[concept]
        gold = "|".join(sorted(target.id(row) for row in right))
        by = ",".join(sorted({one for some in right.values() for one in some}))
        before = len(asked.rows)
        for text in source.names(concept, options.languages):
            having = holders.get(normalize(text), ())
            copied = any(row in right for row in having)
            asked.copies += copied
            asked.elsewhere += bool(having) and not copied
            if options.copies or not copied:
                name = text.translate(_BREAKS)
                asked.rows.append("\t".join((source.id(concept), name, gold, by)))
                asked.names[name] = None
        asked.concepts += len(asked.rows) > before
    return asked


def _links(
    source: Terminology,
    target: Terminology,
    mappings: Iterable[Mapping],
    options: GoldOptions,
    counts: Counter[str],
) -> Iterator[_Link]:
    """Every link between an active concept of each terminology; ``counts`` gets those of other predicates."""
    stated = chain(_stated(source), _stated(target), mappings, _xrefs(source, target), _xrefs(target, source))
    for said in stated:
        ends = _ends(source, target, said)
        if ends is not None and options.takes(said.predicate_id):
            yield _Link(*ends, said.predicate_id)
        elif ends is not None:
            counts[said.predicate_id] += 1


def _ends(source: Terminology, target: Terminology, said: Mapping) -> tuple[int, int] | None:
    """The rows of a mapping's two concepts, in either direction; None if one is of neither terminology or unknown."""
    for one, other in ((said.subject_id, said.object_id), (said.object_id, said.subject_id)):
        first = source.current(one)
        second = target.current(other) if first is not None else None
        if first is not None and second is not None:
            return first, second
    return None


def _stated(terminology: Terminology) -> Iterator[Mapping]:
    """The mappings of active concepts that name another concept."""
    counts = terminology.part("mappings").counts
    for row in range(len(terminology)):
        if counts[row] and terminology.active[row]:
            yield from (one for one in terminology.mappings_of(row) if one.object_id)


def _xrefs(terminology: Terminology, other: Terminology) -> Iterator[Mapping]:
    """The cross-references of active concepts to ids with a prefix of the other terminology, as mappings."""
    prefixes = frozenset(other.manifest.content["prefixes"])
    lists = terminology.lists("xrefs")
    for row in range(len(terminology)):
        if terminology.active[row]:
            for xref in lists[row]:
                if xref.partition(":")[0] in prefixes:
                    yield Mapping(terminology.id(row), XREF, xref, "")


def mappings_in(places: Iterable[Path | str]) -> Iterator[Mapping]:
    """The mappings in terminologies, and in releases of any format, such as SSSOM files."""
    for place in places:
        if (Path(place) / MANIFEST).is_file():
            with open_terminology(place) as terminology:
                for row in range(len(terminology)):
                    yield from terminology.mappings_of(row)
        else:
            for concept in read_release([place]).concepts():
                yield from concept.mappings


def _holders(target: Terminology) -> dict[str, set[int]]:
    """The active concepts that have each normalized name."""
    found: dict[str, set[int]] = defaultdict(set)
    owners = target.term_concepts().tolist()
    for row, text in enumerate(target.term_texts()):
        if target.active[owners[row]]:
            found[normalize(text)].add(owners[row])
    return found
