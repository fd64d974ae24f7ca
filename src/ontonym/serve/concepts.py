"""Concepts that were looked up, as JSON and for a person: one concept, and the hierarchy around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ontonym.files import page
from ontonym.serve.show import ShownLine, Summary
from ontonym.store import Terminology
from ontonym.tasks.concepts import ConceptView
from ontonym.tasks.explain.texts import KIND_WORDS
from ontonym.text.counting import count, first_and_more
from ontonym.text.visible import visible
from ontonym.types import Mapping as ConceptMapping
from ontonym.types import Term

if TYPE_CHECKING:
    from rich.tree import Tree

SHOWN = 20
"""How many concepts or names of one sort a person is shown."""


def concept_ref(view: ConceptView) -> dict[str, str]:
    """A concept named in the answer about another one."""
    return {"id": view.id, "preferred": view.preferred}


def concept_shape(view: ConceptView) -> dict[str, Any]:
    """All that is known of a concept; ``elsewhere`` is empty unless it was looked up in an index."""
    record = view.record
    return {
        **concept_ref(view),
        "terminology": view.terminology.name,
        "version": view.terminology.version,
        "status": view.status,
        "names": [_term_shape(term) for term in record.terms],
        "definitions": list(record.definitions),
        "tags": list(record.tags),
        "branches": [concept_ref(one) for one in view.branches],
        "parents": [concept_ref(one) for one in view.parents],
        "children": [concept_ref(one) for one in view.children],
        "relations": [{"predicate": one.predicate, "target": one.target} for one in record.relations],
        "properties": [{"name": one.name, "value": one.value} for one in record.properties],
        "xrefs": list(record.xrefs),
        "mappings": [_mapping_shape(one) for one in record.mappings],
        "elsewhere": [concept_ref(one) | {"terminology": one.terminology.name} for one in view.elsewhere],
        "alternative_ids": list(record.alternative_ids),
        "replaced_by": list(record.replaced_by),
        "consider": list(record.consider),
    }


def _term_shape(term: Term) -> dict[str, str]:
    return {
        "text": term.text, "kind": term.kind, "scope": term.scope, "language": term.language,
        "status": term.status, "source": term.source,
    }  # fmt: skip


def _mapping_shape(mapping: ConceptMapping) -> dict[str, Any]:
    return {
        "predicate": mapping.predicate_id,
        "target": mapping.object_id,
        "target_preferred": mapping.object_label,
        "justification": mapping.justification,
        "confidence": mapping.confidence,
        "source": mapping.source,
        "rule": mapping.rule,
    }


def concept_summary(view: ConceptView) -> Summary:
    """One concept, for a person."""
    record = view.record
    terminology = view.terminology
    facts = [
        ("concept", f"{view.preferred}  {view.id}"),
        ("of", terminology.full_name),
        ("status", "" if view.status == "active" else "retired"),
        ("replaced by", _lines([*map(str, view.replaced_by)])),
        ("consider", _lines([_named(terminology, one) for one in record.consider])),
        ("definition", "\n".join(record.definitions)),
        *_names(record.terms),
        ("tags", ", ".join(record.tags)),
        ("branch", _lines([*map(str, view.branches)])),
        ("parents", _lines([*map(str, view.parents)])),
        ("children", _lines([*map(str, view.children)])),
        ("relations", _lines([f"{one.predicate} {_named(terminology, one.target)}" for one in record.relations])),
        ("mappings", _lines([*map(_mapping_line, record.mappings)])),
        ("cross-references", first_and_more(record.xrefs, SHOWN)),
        ("the same elsewhere", _lines([f"{one} ({one.terminology.name})" for one in view.elsewhere])),
        ("notes", _lines([f"{one.name}: {one.value}" for one in record.properties])),
        ("other ids", first_and_more(record.alternative_ids, SHOWN)),
    ]  # fmt: skip
    return Summary(concept_shape(view), facts)


def _names(terms: Sequence[Term]) -> Iterator[tuple[str, str]]:
    """The active names after the preferred one, by language and kind, those of the preferred one's language first."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for term in terms[1:]:
        if term.status == "active" and term.text != terms[0].text:
            scope = f"{term.scope} " if term.kind == "synonym" and term.scope != "exact" else ""
            groups.setdefault((term.language, f"{scope}{KIND_WORDS[term.kind]}"), {})[term.text] = None
    own = terms[0].language if terms else ""
    several = len({term.language for term in terms}) > 1
    for language, kind in sorted(groups, key=lambda key: (key[0] != own, key[0])):
        label = f"{kind}, {language}" if several and language else kind
        yield label, _lines([*groups[language, kind]])


def _mapping_line(mapping: ConceptMapping) -> str:
    target = f"{mapping.object_id or 'nothing'} {mapping.object_label}".strip()
    return f"{mapping.predicate_id} {target}" + (f" ({mapping.rule})" if mapping.rule else "")


def _named(terminology: Terminology, concept_id: str) -> str:
    row = terminology.find(concept_id)
    return concept_id if row is None else f"{concept_id} {terminology.preferred(row)}"


def _lines(values: Sequence[str]) -> str:
    more = len(values) - SHOWN
    return "\n".join([*values[:SHOWN], *([f"… and {more:,} more"] if more > 0 else [])])


# The hierarchy ----------------------------------------------------------------------------------------------------


def tree_shape(view: ConceptView, *, levels: int = 1, most: int = SHOWN) -> dict[str, Any]:
    """A concept in its hierarchy: ``trees`` from the roots down to it, with ``levels`` levels below it.

    A node has ``id``, ``preferred``, ``is_concept`` (the one asked for) and ``children``; ``left_out`` is the number of
    children that are not listed, since there are more than ``most``. A node that is reached on several ways has its
    children only where it comes first, and is ``repeated`` elsewhere.
    """
    above = {one.row for one in view.ancestors}
    seen: set[int] = set()
    roots = [one for one in view.ancestors if not len(one.parents)] or [view]
    trees = [_node_above(one, view, above, seen, levels, most) for one in roots]
    return {**concept_ref(view), "terminology": view.terminology.name, "trees": trees}


def roots_shape(terminology: Terminology, *, levels: int = 1, most: int = SHOWN) -> dict[str, Any]:
    """The top of a terminology, as `tree_shape` gives it, without a concept asked for."""
    rows = ordered_roots(terminology)
    trees = [_node_below(ConceptView(terminology, row), levels, most, set()) for row in rows[:most]]
    return {"id": None, "terminology": terminology.name, "trees": trees, "left_out": max(len(rows) - most, 0)}


def ordered_roots(terminology: Terminology) -> list[int]:
    """The top concepts, those with children first."""
    hierarchy = terminology.hierarchy
    return sorted(hierarchy.roots().tolist(), key=lambda row: (not len(hierarchy.children(row)), row))


def levels_within(terminology: Terminology, rows: Sequence[int], levels: int, *, each: int, most: int) -> int:
    """How many of the ``levels`` below some concepts have room, whole: with them a tree has at most ``most`` concepts.

    ``each`` concept has at most so many children in it. At least none: the concepts themselves always have room.
    """
    hierarchy = terminology.hierarchy
    last, seen, total = list(rows), set(rows), len(rows)
    for level in range(levels):
        below = [child for row in last for child in hierarchy.children(row)[:each].tolist()]
        total += len(below)
        if total > most:
            return level
        last = [row for row in dict.fromkeys(below) if row not in seen]
        seen.update(last)
    return levels


def _node(view: ConceptView, children: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {**concept_ref(view), "is_concept": False, "children": children, "left_out": 0, "repeated": False, **more}


def _node_above(
    view: ConceptView, asked: ConceptView, above: set[int], seen: set[int], levels: int, most: int
) -> dict[str, Any]:
    if view.row in seen:
        return _node(view, [], repeated=True, is_concept=view.row == asked.row)
    seen.add(view.row)
    if view.row == asked.row:
        return _node_below(view, levels, most, set()) | {"is_concept": True}
    way = [one for one in view.children if one.row in above or one.row == asked.row]
    return _node(view, [_node_above(one, asked, above, seen, levels, most) for one in way])


def _node_below(view: ConceptView, levels: int, most: int, seen: set[int]) -> dict[str, Any]:
    children = view.children
    if view.row in seen and len(children):
        return _node(view, [], repeated=True)
    seen.add(view.row)
    shown = children[: most if levels else 0]
    left = len(children) - len(shown)
    return _node(view, [_node_below(one, levels - 1, most, seen) for one in shown], left_out=left)


class ConceptTree:
    """A concept in its hierarchy, or the top of a terminology, drawn as text; ``shape`` is as of `tree_shape`."""

    def __init__(self, shape: dict[str, Any]) -> None:
        self.shape = shape

    def __repr__(self) -> str:
        from io import StringIO

        from rich.console import Console

        out = Console(file=StringIO(), width=200, color_system=None, markup=False, highlight=False, emoji=False)
        for tree in self.shape["trees"]:
            out.print(_drawn(tree))
        text: str = out.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(visible(line.rstrip()) for line in text.splitlines())

    def _repr_html_(self) -> str:
        return page.preformatted(repr(self))


def tree_summary(shape: Mapping[str, Any]) -> Summary:
    """What `tree_shape` or `roots_shape` gave, for a person."""
    lines: list[ShownLine] = [_drawn(tree) for tree in shape["trees"]]
    if shape.get("left_out"):
        lines.append((f"… and {shape['left_out']:,} more at the top", "dim"))
    return Summary(shape, lines=lines)


def _drawn(node: Mapping[str, Any], into: Tree | None = None) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    style = "bold" if node["is_concept"] else ""
    label = Text.assemble((node["preferred"], style), (f"  {node['id']}", f"dim {style}"))
    if node["repeated"]:
        label.append("  (see above)", style="dim")
    elif node["left_out"] and not node["children"]:
        label.append(f"  ({count(node['left_out'], 'child', 'children')})", style="dim")
    tree = Tree(label, guide_style="dim") if into is None else into.add(label)
    for child in node["children"]:
        _drawn(child, tree)
    if node["left_out"] and node["children"]:
        tree.add(Text(f"… and {node['left_out']:,} more", style="dim"))
    return tree
