"""ConceptMap/$translate: what the stored maps say of a concept, and on request what a search in the target finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ontonym.ontology.fhir.systems import known_prefix
from ontonym.serve.fhir.canonicals import IMPLICIT_VALUE_SET, SNOMED, joined, split, version_fits
from ontonym.serve.fhir.concepts import code_row, code_test, preferred
from ontonym.serve.fhir.implicit import edition_of
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.messages import text
from ontonym.serve.fhir.outcomes import FhirJson, missing, refused
from ontonym.serve.fhir.r4 import TRANSLATE
from ontonym.serve.fhir.settings import Settings
from ontonym.serve.fhir.terminologycodes import TerminologyCodes
from ontonym.serve.fhir.termmappings import TURNED, XREF, CodeTranslation
from ontonym.serve.fhir.values import Arguments, parameter, parameters, part, stated, typed

MOST_FOUND = 10
NOT_A_MATCH = frozenset({"not-related-to", "unmatched", "disjoint"})


@dataclass(frozen=True)
class TranslateQuestion:
    """What is to be translated: the coding, and whether it stands on the target side of the maps."""

    coding: FhirJson
    reverse: bool


def translate(library: Library, arguments: Arguments, settings: Settings, own: FhirJson | None = None) -> FhirJson:
    """The Parameters that answer $translate; ``own`` is the map that the url of the request names.

    With the parameter ``search`` the target code system is searched by meaning too: those matches are ``related-to``,
    and carry their confidence (0 to 1, higher is surer) and the reason. Where R4 asks to ``reverse``, the concept of a
    match is what was found, and its relationship is read from there; R5 has it as the ``source``. Raises FhirError
    where nothing is asked, or a map or code system that the request names is unknown.
    """
    asked = _asked(arguments)
    implicit = _implicit(arguments)
    maps = [] if implicit else list(_maps(library, arguments, own))
    matches: list[FhirJson] = []
    if implicit or (own is None and "conceptMap" not in arguments and not arguments.string("url")):
        if not maps and not any(question.coding.get("system") for question in asked):
            raise missing("the system of the code, or the url of a map")
        for question in asked:
            matches.extend(one for one in _stored(library, question, arguments, implicit) if one not in matches)
    for question in asked:
        for resource in maps:
            matches.extend(one for one in _matches(library, resource, question, arguments) if one not in matches)
    if arguments.boolean("search"):
        for question in asked:
            matches.extend(_searched(library, question, arguments, settings))
    good = any(_relationship(entry) not in NOT_A_MATCH for entry in matches)
    message = None if good else parameter("message", "String", text("UNKNOWN_TARGET"))
    if arguments.boolean("reverse"):
        matches = list(map(_turned, matches))
    return parameters(parameter("result", "Boolean", good), message, *matches)


def _relationship(match: FhirJson) -> str:
    return next((str(p["valueCode"]) for p in match["part"] if p["name"] == "relationship"), "")


def _turned(match: FhirJson) -> FhirJson:
    """The match from the side of what was found."""
    source = next((one["valueCoding"] for one in match["part"] if one["name"] == "source"), None)
    if source is None:
        return match
    relationship = _relationship(match)
    others = [one for one in match["part"] if one["name"] not in ("relationship", "concept", "source")]
    turned = parameter("relationship", "Code", TURNED.get(relationship, relationship))
    return part("match", turned, parameter("concept", "Coding", source), *others)


def _asked(arguments: Arguments) -> list[TranslateQuestion]:
    for old, now in TRANSLATE.items():
        if old in arguments:
            raise refused(400, "not-supported", "R4_PARAMETER", name=old, now=now)
    for reverse, side in ((False, "source"), (True, "target")):
        concept = arguments.concept(f"{side}CodeableConcept")
        if concept is not None:
            return [TranslateQuestion(coding, reverse) for coding in concept.get("coding") or () if coding.get("code")]
        coding = arguments.coding(f"{side}Coding")
        if coding is not None and coding.get("code"):
            return [TranslateQuestion(coding, reverse)]
        code = arguments.code(f"{side}Code")
        if code:
            own = arguments.string(f"{side}System") if reverse else ""
            system = own or arguments.string("system") or arguments.string(f"{side}System")
            version = arguments.string("version")
            facts = {"system": system, "code": code, "version": version, "display": arguments.string("display")}
            return [TranslateQuestion({name: value for name, value in facts.items() if value}, reverse)]
    raise missing("a code with its system, a Coding or a CodeableConcept")


def _maps(library: Library, arguments: Arguments, own: FhirJson | None) -> Iterator[FhirJson]:
    given = own or arguments.resource("conceptMap", "ConceptMap")
    if given is not None:
        yield given
        return
    url, version = split(arguments.string("url"))
    version = arguments.string("conceptMapVersion") or version
    found = list(_named(library, url, version))
    if url and not found:
        raise refused(404, "not-found", "NOT_FOUND", detail="not-found", what=f"ConceptMap {joined(url, version)}")
    scopes = {side: split(arguments.string(f"{side}Scope"))[0] for side in ("source", "target")}
    for resource in found:
        if all(scope in ("", _scope(resource, side)) for side, scope in scopes.items()):
            yield resource


def _named(library: Library, url: str, version: str) -> Iterator[FhirJson]:
    """The maps with that url (empty: any) in a version that fits."""
    for one in library.concept_maps():
        if (not url or one.get("url") == url) and version_fits(version, one.get("version", "")):
            yield one


def _implicit(arguments: Arguments) -> str:
    """The map of SNOMED CT that a url means by itself (``http://snomed.info/sct?fhir_cm=SCTID``), or nothing."""
    system, mark, code = arguments.string("url").partition("?fhir_cm=")
    return code if mark and (system == SNOMED or system.startswith(f"{SNOMED}/")) else ""


def _stored(library: Library, asked: TranslateQuestion, arguments: Arguments, implicit: str) -> Iterator[FhirJson]:
    """What the terminologies of the server say themselves: their mappings, cross-references and history."""
    wanted = _wanted_systems(library, arguments, "source" if asked.reverse else "target")
    for system in library.systems():
        if not isinstance(system, TerminologyCodes):
            continue
        if asked.coding.get("system") == system.url:
            row = system.row(asked.coding["code"])
            own = [] if row is None else list(_own_translations(system, row, implicit))
        elif implicit or (wanted and system.url not in wanted):
            continue
        else:
            own = [one.turned() for one in system.mappings.to(_ids(library, asked.coding))]
        for one in own:
            coding = system.coding_of(one.target)
            if one.display:
                coding.setdefault("display", one.display)
            if (not wanted or coding["system"] in wanted) and coding["code"] != "":
                yield _translated(system, asked, one, coding)


def _wanted_systems(library: Library, arguments: Arguments, side: str) -> set[str]:
    """The code systems where a translation is wanted: the one that is named, or those of the scope; empty for all, also
    where the scope takes in other value sets.
    """
    scope = split(arguments.string(f"{side}System") or arguments.string(f"{side}Scope"))[0]
    value_set = library.value_set(scope) if scope else None
    if value_set is not None:
        systems = {str(one.get("system", "")) for one in value_set.get("compose", {}).get("include", ())}
        return set() if "" in systems else systems
    return {edition_of(scope.partition(IMPLICIT_VALUE_SET)[0])[0]} - {""}


def _own_translations(system: TerminologyCodes, row: int, implicit: str) -> Iterator[CodeTranslation]:
    if not implicit:
        yield from system.mappings.of(row)
        return
    if implicit.isdigit():
        yield from system.mappings.history(row, int(implicit))
    at = system.row(implicit)
    names = {implicit, "" if at is None else system.label(at)[1].partition(" (")[0]} - {""}
    yield from (one for one in system.mappings.of(row) if one.of in names)


def _translated(system: TerminologyCodes, asked: TranslateQuestion, one: CodeTranslation, coding: FhirJson) -> FhirJson:
    origin = f"{system.url}?fhir_cm" if one.of != XREF else ""
    if not asked.reverse:
        return _match(coding, one.relationship, origin)
    relationship = TURNED.get(one.relationship, one.relationship)
    target = {name: value for name, value in asked.coding.items() if name in ("system", "code")}
    return _match(target, relationship, origin, coding)


def _ids(library: Library, coding: FhirJson) -> list[str]:
    """The concept ids that a coding may have in a terminology that refers to it."""
    url, code = coding.get("system", ""), coding["code"]
    prefixes = [known_prefix(url)] if known_prefix(url) else []
    prefixes += [one.prefix for one in library.systems(url) if isinstance(one, TerminologyCodes)]
    ids = [code if code.startswith(f"{prefix}:") else f"{prefix}:{code}" for prefix in prefixes if prefix]
    return list(dict.fromkeys(ids))


def _scope(resource: FhirJson, side: str) -> str:
    return split(resource.get(f"{side}ScopeUri") or resource.get(f"{side}ScopeCanonical") or "")[0]


def _matches(
    library: Library, resource: FhirJson, asked: TranslateQuestion, arguments: Arguments, seen: set[str] | None = None
) -> Iterator[FhirJson]:
    """What a map says of the concept; ``seen`` are the maps that were asked before, each of which is asked once."""
    origin = joined(resource.get("url", ""), resource.get("version"))
    seen = set() if seen is None else seen
    if origin in seen:
        return
    seen.add(origin)
    other = arguments.string("sourceSystem" if asked.reverse else "targetSystem")
    for group in resource.get("group") or ():
        ends = {"source": split(group.get("source", ""))[0], "target": split(group.get("target", ""))[0]}
        here, there = ("target", "source") if asked.reverse else ("source", "target")
        if asked.coding.get("system", ends[here]) != ends[here] or (other and split(other)[0] != ends[there]):
            continue
        fits = _code_test(library, ends[here], asked.coding)
        found = list(_elements(group, ends, asked, origin, fits))
        yield from found
        if found or asked.reverse or _has_no_target(group, fits):
            continue
        unmapped = group.get("unmapped") or {}
        if unmapped.get("mode") != "other-map":
            yield from _unmapped(unmapped, ends, asked.coding, origin)
        elif unmapped.get("otherMap"):
            for other_map in _named(library, *split(unmapped["otherMap"])):
                yield from _matches(library, other_map, asked, arguments, seen)


def _code_test(library: Library, url: str, coding: FhirJson) -> Callable[[str], bool]:
    """Says of a code in a map whether it means the concept that is asked for."""
    system = library.system(url, coding.get("version", ""))
    row = None if system is None else code_row(system, coding["code"])
    return str(coding["code"]).__eq__ if system is None or row is None else code_test(system, row)


def _elements(
    group: FhirJson, ends: dict[str, str], asked: TranslateQuestion, origin: str, fits: Callable[[str], bool]
) -> Iterator[FhirJson]:
    for element in group.get("element") or ():
        if element.get("noMap") or not (asked.reverse or fits(element.get("code", ""))):
            continue
        source = _coding(ends["source"], element) if asked.reverse else None
        for target in element.get("target") or ():
            if not asked.reverse or fits(target.get("code", "")):
                relationship = target.get("relationship") or "related-to"
                yield _match(_coding(ends["target"], target), relationship, origin, source, target)


def _has_no_target(group: FhirJson, fits: Callable[[str], bool]) -> bool:
    """Whether the map says that the code has no target there, so that what it says of other codes does not apply."""
    return any(one.get("noMap") and fits(one.get("code", "")) for one in group.get("element") or ())


def _unmapped(unmapped: FhirJson, ends: dict[str, str], coding: FhirJson, origin: str) -> Iterator[FhirJson]:
    relationship = unmapped.get("relationship") or "related-to"
    if unmapped.get("mode") == "fixed" and unmapped.get("code"):
        yield _match(_coding(ends["target"], unmapped), relationship, origin)
    elif unmapped.get("mode") == "use-source-code":
        yield _match({"system": ends["target"], "code": coding["code"]}, relationship, origin)


def _coding(system: str, entry: FhirJson) -> FhirJson:
    facts = {"system": system, "code": entry.get("code"), "display": entry.get("display")}
    return {name: value for name, value in facts.items() if value}


def _match(
    concept: FhirJson, relationship: str, origin: str, source: FhirJson | None = None, mapped: FhirJson | None = None
) -> FhirJson:
    target = mapped or {}
    return part(
        "match",
        parameter("relationship", "Code", relationship),
        parameter("concept", "Coding", concept),
        *_attributes("product", target.get("product")),
        *_attributes("dependsOn", target.get("dependsOn")),
        stated("source", "Coding", source),
        stated("originMap", "Canonical", origin),
    )


def _attributes(name: str, entries: Iterable[FhirJson] | None) -> Iterator[FhirJson]:
    for entry in entries or ():
        kind, value = typed(entry)
        if value is not None:
            yield part(name, parameter("attribute", "Uri", entry.get("attribute", "")), {"name": "value", kind: value})


def _searched(
    library: Library, asked: TranslateQuestion, arguments: Arguments, settings: Settings
) -> Iterator[FhirJson]:
    side = "source" if asked.reverse else "target"
    url, version = split(arguments.string(f"{side}System"))
    wanted = [url] if url else sorted(_wanted_systems(library, arguments, side))
    if len(wanted) != 1:
        raise missing("one code system of the target, to search it")
    url = wanted[0]
    target = library.system(url, version)
    if target is None:
        raise refused(404, "not-found", "UNKNOWN_CODESYSTEM", detail="not-found", system=url)
    words = asked.coding.get("display") or _display(library, asked.coding, settings)
    if not words:
        raise missing("a display, or a code whose code system is known here")
    result = target.search(words, None)
    for found in map(result.found, result.rows[:MOST_FOUND].tolist()):
        concept = target.concept(found.row)
        shown = preferred(concept.names, settings.languages, target.language)
        coding = {"system": target.url, "code": concept.code, **({"display": shown.value} if shown else {})}
        yield part(
            "match",
            parameter("relationship", "Code", "related-to"),
            parameter("concept", "Coding", coding),
            parameter("confidence", "Decimal", round(found.confidence, 4)) if found.confidence is not None else None,
            stated("reason", "String", found.reason or found.matched),
        )


def _display(library: Library, coding: FhirJson, settings: Settings) -> str:
    system = library.system(coding.get("system", ""), coding.get("version", ""))
    row = None if system is None else system.row(coding["code"])
    if system is None or row is None:
        return ""
    shown = preferred(system.concept(row).names, settings.languages, system.language)
    return shown.value if shown else ""
