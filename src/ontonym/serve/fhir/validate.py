"""$validate-code on ValueSet and CodeSystem: the answer to whether a code, Coding or CodeableConcept is valid."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field

from ontonym.serve.fhir.canonicals import canonical_text, joined, version_key
from ontonym.serve.fhir.compose import Composer, MissingImport
from ontonym.serve.fhir.concepts import code_row, display_of
from ontonym.serve.fhir.displays import display_issue
from ontonym.serve.fhir.implicit import found_value_set
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.membership import Checker, at
from ontonym.serve.fhir.outcomes import FhirJson, missing, outcome, refused
from ontonym.serve.fhir.report import Match, ValidationReport
from ontonym.serve.fhir.settings import Settings
from ontonym.serve.fhir.values import Arguments, parameter, parameters, stated

MOST_CODINGS = 1000
NOT_IN_VALUE_SET = "None_of_the_provided_codes_are_in_the_value_set_one"
CODE, CODING, CONCEPT = "code", "coding", "codeableConcept"
PATHS = {CODE: "", CODING: "Coding", CONCEPT: "CodeableConcept"}
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:\S+")


@dataclass
class CodingsGiven:
    """What is to be validated: the codings, how they were given (``mode``), and the CodeableConcept they came in."""

    mode: str
    codings: list[FhirJson]
    concept: FhirJson = field(default_factory=dict)

    def path(self, row: int) -> str:
        """The path of a coding."""
        return f"CodeableConcept.coding[{row}]" if self.mode == CONCEPT else PATHS[self.mode]


def coded_of(arguments: Arguments, *, system: str = "system", version: str = "systemVersion") -> CodingsGiven:
    """What a request wants validated. Raises FhirError where that is nothing."""
    concept = arguments.concept("codeableConcept")
    if concept is not None:
        codings = copy.deepcopy(concept.get("coding") or [])
        if len(codings) > MOST_CODINGS:
            raise refused(400, "too-costly", "TOO_MANY", count=len(codings), what="codings", limit=MOST_CODINGS)
        return CodingsGiven(CONCEPT, codings, {**concept, "coding": codings} if codings else concept)
    coding = arguments.coding("coding")
    if coding is not None:
        return CodingsGiven(CODING, [coding])
    code = arguments.code("code")
    if not code:
        raise missing("code, coding or codeableConcept")
    url, asked = arguments.system(system, version) if system == "url" else (arguments.string(system), "")
    facts = {
        "system": url,
        "version": asked or arguments.string(version),
        "display": arguments.string("display"),
        "code": code,
    }
    return CodingsGiven(CODE, [{name: value for name, value in facts.items() if value}])


def validate(
    library: Library, value_set: FhirJson, coded: CodingsGiven, settings: Settings, *, internal: bool = False
) -> FhirJson:
    """The Parameters that answer $validate-code.

    ``internal`` marks a value set that stands for a whole code system. Raises FhirError where the value set cannot be
    read.
    """
    report = ValidationReport()
    try:
        composed = Composer(library).compose(value_set, settings)
    except MissingImport as missing:
        return _missing_import(coded, joined(missing.url, missing.version), value_set)
    checker = Checker(library, composed, report)
    checker.status(value_set, composed.canonical)
    answer = ValidationAnswer(coded, checker, internal)
    for row, coding in enumerate(coded.codings):
        if not answer.check(coded.path(row), coding):
            break
    return answer.parameters()


@dataclass
class ValidationAnswer:
    """The answer in the making, coding after coding."""

    coded: CodingsGiven
    checker: Checker
    internal: bool
    ok: bool | None = False
    first: tuple[FhirJson, Match] | None = None
    tried: FhirJson = field(default_factory=dict)
    display: str = ""
    version: str = ""
    implied: str = ""
    named: list[str] = field(default_factory=list)

    @property
    def report(self) -> ValidationReport:
        """What was found so far."""
        return self.checker.report

    @property
    def value_set(self) -> str:
        """How a message names the value set."""
        return canonical_text(self.checker.composed.value_set)

    def check(self, path: str, coding: FhirJson) -> bool:
        """Checks one coding; False where there is nothing to check and the answer is done."""
        if not coding.get("code"):
            self.report.note("warning", "invalid", "Coding_has_no_code", "invalid-data", path)
            return False
        settings = self.checker.settings
        found = self._member(path, coding)
        if not self.tried or found:
            self.tried = coding
        self._name(coding)
        if found is False and self.coded.mode == CONCEPT and not self.internal:
            noted = ("information", "code-invalid", NOT_IN_VALUE_SET, "this-code-not-in-vs", at(path, "code"))
            self.report.remark(*noted, codes=_shown(self.named[-1]), vs=self.value_set)
        if self.ok is not True and found is not False:
            self.ok = True if found else None
        if isinstance(found, Match):
            self._matched(path, coding, found)
        elif not settings.membership_only and (coding.get("system") or self.implied):
            self._explain(path, coding)
        return True

    def _member(self, path: str, coding: FhirJson) -> Match | bool | None:
        if not coding.get("system"):
            if not self.checker.settings.infer_system:
                self.report.note("warning", "invalid", "Coding_has_no_system__cannot_validate", "invalid-data", path)
                return False
            self.implied = self._inferred(coding)
            if not self.implied:
                return False
            return self.checker.member(path, {**coding, "system": self.implied})
        return self.checker.member(path, coding)

    def _inferred(self, coding: FhirJson) -> str:
        """The only code system in which the value set has this code, empty with an issue where there is none."""
        code = coding["code"]
        systems: dict[str, None] = {}
        for members in self.checker.composed.members():
            row = code_row(members.system, code)
            if row is not None and members.mask[row]:
                systems[members.system.url] = None
        if len(systems) == 1:
            return next(iter(systems))
        message = (
            "Unable_to_resolve_system__value_set_has_multiple_matches" if systems else "UNABLE_TO_INFER_CODESYSTEM"
        )
        tried = systems or {members.system.url: None for members in self.checker.composed.members()}
        self.report.error(
            "not-found", message, "cannot-infer", "code", code=code, vs=self.value_set, systems=", ".join(sorted(tried))
        )
        return ""

    def _name(self, coding: FhirJson) -> None:
        system = self.implied or coding.get("system", "")
        text = f"{joined(system, coding.get('version'))}#{coding['code']}"
        self.named.append(text + (f" ('{coding['display']}')" if coding.get("display") else ""))

    def _matched(self, path: str, coding: FhirJson, match: Match) -> None:
        settings = self.checker.settings
        if coding.get("display") and match.known:
            self._check_display(path, coding, match)
        if self.first is None:
            self.first = (coding, match)
            self.version = match.system.version
            self.display = display_of(match.names, settings.languages, match.system.language)

    def _check_display(self, path: str, coding: FhirJson, match: Match) -> None:
        found = display_issue(
            match.names,
            coding["display"],
            self.checker.settings,
            system=match.system.url,
            code=coding["code"],
            language=match.system.language,
            path=at(path, "display"),
        )
        if found is not None:
            self.report.add(found, message=found.message != "INACTIVE_DISPLAY_FOUND")

    def _explain(self, path: str, coding: FhirJson) -> None:
        """What the code system says of a code that is not in the value set."""
        url = self.implied or coding.get("system", "")
        if not _ABSOLUTE.fullmatch(url):
            where = "Coding.system" if self.coded.mode == CODING else at(path, "system")
            self.report.error("invalid", "Terminology_TX_System_Relative", "invalid-data", where)
        included = [c.raw.get("version", "") for c in self.checker.composed.include if c.url == url]
        version = coding.get("version") or max(included, key=version_key, default="")
        system = self.checker.find(url, version)
        if system is None:
            self._explain_unknown(path, url, version)
            return
        self.checker.status(system.facts, joined(system.url, system.version))
        row = code_row(system, coding["code"])
        if row is None:
            self.checker.tell_unknown_code(path, system, coding["code"])
            return
        concept = system.concept(row)
        if self.coded.mode == CONCEPT and not coding.get("version") and system.version:
            coding["version"] = system.version
        if concept.inactive:
            self.checker.note_inactive(path, concept.status, True)
        match = Match(system, list(concept.names), concept.code)
        if self.first is None:  # otherwise the answer is of a code that the value set has
            self.display = display_of(match.names, self.checker.settings.languages, system.language) or self.display
        if coding.get("display"):
            self._check_display(path, coding, match)
        if self.coded.mode != CONCEPT:
            self.version = system.version

    def _explain_unknown(self, path: str, url: str, version: str) -> None:
        library = self.checker.library
        where = at(path, "system")
        if found_value_set(library, url) is not None:
            self.report.error("invalid", "Terminology_TX_System_ValueSet2", "invalid-data", where, system=url)
            return
        supplement = library.supplement(joined(url, version))
        if supplement is not None:
            name = joined(url, supplement.get("version"))
            self.report.error("invalid", "CODESYSTEM_CS_NO_SUPPLEMENT", "invalid-data", where, canonical=name)
            return
        self.checker.unknown_system(path, url, version)

    def _none_found(self) -> None:
        mode = self.coded.mode
        if mode == CONCEPT:
            message, path = "TX_GENERAL_CC_ERROR_MESSAGE", ""
        else:
            message, path = NOT_IN_VALUE_SET, at(PATHS[mode], "code")
        self.report.error(
            "code-invalid", message, "not-in-vs", path, vs=self.value_set, codes=", ".join(map(_shown, self.named))
        )

    def _say_inactive(self) -> list[FhirJson]:
        report, code = self.report, self.tried.get("code", "")
        if report.inactive:
            status = report.status if report.status in ("inactive", "DISCOURAGED") else f"{report.status} and inactive"
            path = report.inactive_path or "code"
            report.note(
                "warning", "business-rule", "INACTIVE_CONCEPT_FOUND", "code-comment", path, code=code, status=status
            )
            said = [parameter("inactive", "Boolean", True)]
            if report.status and report.status != "inactive":
                said.append(parameter("status", "Code", report.status))
            return said
        if report.status.lower() == "deprecated":
            path = PATHS[self.coded.mode] or "code"
            report.note("warning", "business-rule", "DEPRECATED_CONCEPT_FOUND", "code-comment", path, code=code)
            return [parameter("status", "Code", "deprecated")]
        return []

    def parameters(self) -> FhirJson:
        """The answer."""
        errors = any(entry.severity == "error" for entry in self.report.issues)
        if self.ok is False and self.named and not (self.internal and errors):
            self._none_found()
            errors = True
        valid = self.ok is True and not errors
        alone = self.coded.mode != CONCEPT
        coding, match = self.first or (self.tried if alone else {}, None)
        system = coding.get("system") or (self.implied if self.ok is True else "")
        version = self.version or (coding.get("version", "") if alone or match else "")
        unknown = "x-unknown-system" if self.ok is False else "x-caused-by-unknown-system"
        said = self._say_inactive() if self.tried else []
        entries: list[FhirJson | None] = [
            parameter("result", "Boolean", valid),
            stated("system", "Uri", system),
            *(parameter(unknown, "Canonical", name) for name in self.report.unknown if not valid),
            self._normal(match, coding),
            stated("code", "Code", coding.get("code")),
            stated("version", "String", version),
            stated("display", "String", self.display if coding.get("code") else ""),
            *said,
        ]
        if self.report.messages:
            entries.append(parameter("message", "String", "; ".join(sorted(self.report.messages))))
        if not alone:
            entries.append(parameter("codeableConcept", "CodeableConcept", self.coded.concept))
        if self.report.issues:
            entries.append({"name": "issues", "resource": outcome(self.report.issues)})
        return parameters(*entries)

    def _normal(self, match: Match | None, coding: FhirJson) -> FhirJson | None:
        if match is None or not match.known or match.code == coding.get("code"):
            return None
        return parameter("normalized-code", "Code", match.code)


def _shown(name: str) -> str:
    return f"'{name}'"


def _missing_import(coded: CodingsGiven, name: str, value_set: FhirJson) -> FhirJson:
    """The answer where a value set that the value set includes is not here: nobody knows whether the code is in it."""
    report = ValidationReport()
    report.error("not-found", "Unable_to_resolve_value_Set_", "not-found", "", vs=name)
    coding = coded.codings[0] if coded.codings and coded.mode != CONCEPT else {}
    return parameters(
        parameter("result", "Boolean", False),
        stated("system", "Uri", coding.get("system")),
        stated("code", "Code", coding.get("code")),
        stated("version", "String", coding.get("version")),
        stated("display", "String", coding.get("display")),
        parameter("message", "String", "; ".join(report.messages)),
        parameter("codeableConcept", "CodeableConcept", coded.concept) if coded.mode == CONCEPT else None,
        {"name": "issues", "resource": outcome(report.issues)},
    )
