"""What a request asks of an expansion or validation: read once, from its parameters and from the value set."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ontonym.serve.fhir.canonicals import EXPANSION_PARAMETER, split, version_fits
from ontonym.serve.fhir.languages import Languages, parsed
from ontonym.serve.fhir.outcomes import FhirJson, refused
from ontonym.serve.fhir.values import Arguments, bad, value_of

RULES = {
    "system-version": ("system", "default"),
    "check-system-version": ("system", "check"),
    "force-system-version": ("system", "force"),
    "default-valueset-version": ("valueset", "default"),
    "check-valueset-version": ("valueset", "check"),
    "force-valueset-version": ("valueset", "force"),
}
FLAGS = {
    "activeOnly": "active_only",
    "includeDesignations": "include_designations",
    "includeDefinition": "include_definition",
    "excludeNested": "exclude_nested",
    "excludeNotForUI": "exclude_not_for_ui",
    "excludePostCoordinated": "exclude_postcoordinated",
    "inferSystem": "infer_system",
    "abstract": "abstract",
    "lenient-display-validation": "lenient_display",
    "valueset-membership-only": "membership_only",
    "versionsMatch": "versions_match",
}
NUMBERS = ("count", "offset")
ECHOED = (
    "activeOnly",
    "includeDesignations",
    "includeDefinition",
    "excludeNested",
    "excludeNotForUI",
    "excludePostCoordinated",
    "filter",
    "count",
    "offset",
    "designation",
    "displayLanguage",
    "exclude-system",
)


@dataclass(frozen=True)
class Rule:
    """One version rule: for a system or a value set, the version that is the default, checked or forced."""

    of: str
    mode: str
    url: str
    version: str
    name: str


@dataclass(frozen=True)
class Settings:
    """The parameters of an operation. A value set's own expansion parameters apply where the request says nothing."""

    active_only: bool = False
    include_designations: bool = False
    include_definition: bool = False
    exclude_nested: bool = False
    exclude_not_for_ui: bool = False
    exclude_postcoordinated: bool = False
    infer_system: bool = False
    abstract: bool = True
    lenient_display: bool = False
    membership_only: bool = False
    versions_match: bool = False
    count: int | None = None
    offset: int | None = None
    filter: str = ""
    properties: tuple[str, ...] = ()
    designations: tuple[str, ...] = ()
    supplements: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    display_languages: Languages | None = None
    http_languages: Languages | None = None
    named: frozenset[str] = frozenset()
    echo: tuple[FhirJson, ...] = field(default=(), compare=False)

    @property
    def languages(self) -> Languages | None:
        """The languages that displays should have, or None where nobody said."""
        return self.display_languages or self.http_languages

    def leaves_out(self, include: FhirJson) -> bool:
        """Whether the request leaves the code system of an include out (``exclude-system``)."""
        for canonical in self.left_out:
            url, version = split(canonical)
            if url == include.get("system") and (not version or version_fits(version, include.get("version", ""))):
                return True
        return False

    def version_rules(self, of: str, url: str) -> list[Rule]:
        """The rules for a code system (``of="system"``) or a value set."""
        return [rule for rule in self.rules if rule.of == of and rule.url == url]

    def version(self, of: str, url: str, version: str) -> tuple[str, Rule | None]:
        """The version to use of what is asked for in some version (empty: any), and the rule that decided it.

        A forced version always, a default or checked one where none is asked for. Raises FhirError where two rules
        force different versions.
        """
        rules = self.version_rules(of, url)
        forced = [rule for rule in rules if rule.mode == "force"]
        if forced:
            other = next((rule for rule in forced if rule.version != forced[0].version), None)
            if other is not None:
                raise refused(
                    400,
                    "exception",
                    "SYSTEM_VERSION_MULTIPLE_OVERRIDE",
                    detail="version-error",
                    system=url,
                    first=forced[0].version,
                    second=other.version,
                )
            return forced[0].version, forced[0]
        if not version:
            for mode in ("default", "check"):
                for rule in rules:
                    if rule.mode == mode:
                        return rule.version, rule
        return version, None

    def broken_check(self, of: str, url: str, version: str) -> Rule | None:
        """The check that this version does not pass, or None."""
        for rule in self.version_rules(of, url):
            if rule.mode == "check" and not version_fits(rule.version, version):
                return rule
        return None

    def with_value_set(self, value_set: FhirJson) -> Settings:
        """These settings with what the value set's compose asks for itself; the request wins."""
        compose = value_set.get("compose") or {}
        entries = []
        for extension in compose.get("extension") or ():
            if extension.get("url") in EXPANSION_PARAMETER:
                parts = {part.get("url"): part for part in extension.get("extension") or ()}
                name, value = value_of(parts.get("name", {})), parts.get("value")
                if isinstance(name, str) and value is not None:
                    entries.append({"name": name, **{k: v for k, v in value.items() if k.startswith("value")}})
        entries.extend({"name": "property", "valueCode": name} for name in compose.get("property") or ())
        result = _read(self, Arguments(entries), self.named) if entries else self
        language = value_set.get("language")
        if result.http_languages is None and language:
            result = replace(result, http_languages=parsed(language))
        return result


def read(arguments: Arguments, accept_language: str = "") -> Settings:
    """The settings of a request. Raises FhirError (400) where a parameter has the wrong type."""
    base = Settings(http_languages=parsed(accept_language) if accept_language else None)
    return _read(base, arguments, frozenset())


def _read(base: Settings, arguments: Arguments, kept: frozenset[str]) -> Settings:
    changed: dict[str, Any] = {}
    named = {str(entry.get("name")) for entry in arguments.list}
    for name, attribute in FLAGS.items():
        if name in arguments and name not in kept:
            changed[attribute] = arguments.boolean(name)
    for name in NUMBERS:
        if name in arguments and name not in kept:
            changed[name] = arguments.integer(name)
    if ("filter" in arguments or "term" in arguments) and "filter" not in kept:
        changed["filter"] = arguments.string("filter") or arguments.string("term")
    if "displayLanguage" in arguments and "displayLanguage" not in kept:
        changed["display_languages"] = parsed(arguments.string("displayLanguage"))
    changed["properties"] = tuple(dict.fromkeys((*base.properties, *arguments.strings("property"))))
    changed["designations"] = (*base.designations, *arguments.strings("designation"))
    changed["supplements"] = (*base.supplements, *arguments.strings("useSupplement"))
    changed["left_out"] = (*base.left_out, *arguments.strings("exclude-system"))
    changed["rules"] = (*base.rules, *_rules(arguments))
    changed["echo"] = (
        *base.echo,
        *(e for e in arguments.list if e.get("name") in ECHOED and e.get("name") not in kept),
    )
    changed["named"] = base.named | named
    return replace(base, **changed)


def _rules(arguments: Arguments) -> list[Rule]:
    rules = []
    for name, (of, mode) in RULES.items():
        for canonical in arguments.strings(name):
            url, version = split(canonical)
            if not url or not version:
                raise bad(name, "a canonical with a version, url|version", canonical)
            rules.append(Rule(of, mode, url, version, name))
    return rules
