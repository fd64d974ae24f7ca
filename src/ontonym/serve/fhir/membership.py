"""Whether a code is in a value set, with HL7's issues where it is not, or where versions disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ontonym.serve.fhir.budget import CHECK
from ontonym.serve.fhir.canonicals import (
    EXTENSIONS,
    STANDARDS_STATUS,
    joined,
    version_fits,
    version_key,
)
from ontonym.serve.fhir.compose import Clause, Composed, required_supplements
from ontonym.serve.fhir.concepts import CodeSystemContent, canonical, caution, code_row
from ontonym.serve.fhir.contains import all_names
from ontonym.serve.fhir.implicit import found_value_set
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.messages import listed as as_list
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.report import Match, ValidationReport
from ontonym.serve.fhir.settings import Settings
from ontonym.serve.fhir.values import extension, has_extension


@dataclass
class Checker:
    """Checks codes against one value set."""

    library: Library
    composed: Composed
    report: ValidationReport

    @property
    def settings(self) -> Settings:
        """The settings of the request and the value set."""
        return self.composed.settings

    @property
    def required(self) -> list[str]:
        """The supplements that the request or the value set asks for."""
        return required_supplements(self.composed.value_set, self.settings)

    def find(self, url: str, version: str) -> CodeSystemContent | None:
        """The code system in the version that the request's rules give."""
        wanted, _ = self.settings.version("system", url, version)
        return self.library.system(url, wanted, self.required)

    # Membership

    def member(self, path: str, coding: FhirJson, composed: Composed | None = None) -> Match | bool | None:
        """The match where the code is in the value set, False where it is not, None where that cannot be known."""
        composed = composed or self.composed
        self.library.budget.spend(CHECK * (1 + len(composed.include) + len(composed.exclude)))
        url, version, code = coding.get("system", ""), coding.get("version", ""), coding["code"]
        chosen = self._applicable(composed, coding) if not version else None
        found: Match | bool | None = False
        for clause in composed.include:
            found = self._in_clause(path, clause, url, version, code, chosen, composed.include)
            if found is None:
                return None
            for inner in clause.imports:
                self.status(inner.value_set, inner.canonical)
                if found:
                    deeper = self.member(path, coding, inner)
                    if deeper is None:
                        return None
                    found = deeper if clause.system is None or not deeper else found
            if found:
                break
        return False if found and self._excluded(composed, found, url, code) else found

    def _applicable(self, composed: Composed, coding: FhirJson) -> str | None:
        """Of several versions that the value set includes, the newest in which the code and its display are found."""
        url = coding.get("system", "")
        versions: set[str] = {c.raw.get("version", "") for c in composed.include if c.url == url} - {""}
        if len(versions) < 2:
            return None
        found = [v for v in versions if self._fits(url, v, coding)]
        if len(found) == len(versions):
            return None
        return max(found or versions, key=version_key)

    def _fits(self, url: str, version: str, coding: FhirJson) -> bool:
        system = self.find(url, version)
        row = None if system is None else code_row(system, coding["code"])
        if system is None or row is None:
            return False
        display = coding.get("display")
        return not display or any(name.value == display for name in system.concept(row).names)

    def _in_clause(
        self,
        path: str,
        clause: Clause,
        url: str,
        version: str,
        code: str,
        chosen: str | None,
        clauses: Sequence[Clause],
    ) -> Match | bool | None:
        if not clause.url:
            return True
        if clause.url != url or (chosen is not None and clause.raw.get("version") != chosen):
            return False
        if version and clause.raw.get("version") != version and any(c.raw.get("version") == version for c in clauses):
            return False
        wanted = self._version(path, clause, version)
        system = self.find(url, wanted)
        if system is None:
            return self._missing(path, url, wanted)
        self._check_version(path, system)
        self.status(system.facts, canonical(system))
        return self._selected(path, clause, system, code)

    def _missing(self, path: str, url: str, version: str) -> bool | None:
        if self.settings.membership_only:
            return False
        if found_value_set(self.library, url) is None and self.library.supplement(url) is None:
            self.unknown_system(path, url, version)
        return None

    def unknown_system(self, path: str, url: str, version: str) -> None:
        """Reports a code system that is not here, or not in that version."""
        versions = self.library.versions(url)
        message = "UNKNOWN_CODESYSTEM"
        if version:
            message += "_VERSION" if versions else "_VERSION_NONE"
        name = joined(url, version) if version and versions else url
        if self.report.unknown_system(name):
            facts = {"system": url, "version": version, "versions": as_list(versions)}
            self.report.error("not-found", message, "not-found", at(path, "system"), **facts)

    def _version(self, path: str, clause: Clause, given: str) -> str:
        """The version in which to look for the code, with issues where the value set and the code want others."""
        url, asked = clause.url, clause.raw.get("version", "")
        wanted = clause.version
        if not given:
            return wanted
        if (wanted and wanted != given and version_fits(wanted, given)) or (
            not wanted and any(version_fits(given, v) for v in self.library.versions(url))
        ):
            wanted = given
        system = self.find(url, wanted)
        if system is None:
            if wanted != given:
                self._mismatch(path, "VALUESET_VALUE_MISMATCH", "error", url, wanted, asked, given)
            return wanted
        if system.version == given or version_fits(given, system.version):
            return wanted
        if not wanted:
            self._mismatch(path, "VALUESET_VALUE_MISMATCH_DEFAULT", "warning", url, system.version, asked, given)
        elif wanted != asked:
            self._mismatch(path, "VALUESET_VALUE_MISMATCH_CHANGED", "error", url, wanted, asked, given)
        else:
            self._mismatch(path, "VALUESET_VALUE_MISMATCH", "error", url, wanted, asked, given)
        if self.library.system(url, given) is None:
            self.unknown_system(path, url, given)
        return wanted

    def _mismatch(self, path: str, message: str, severity: str, url: str, version: str, asked: str, given: str) -> None:
        facts = {"system": url, "version": version, "include": asked, "given": given}
        add = self.report.note if severity == "error" else self.report.remark
        add(severity, "invalid", message, "vs-invalid", at(path, "version"), **facts)

    def _check_version(self, path: str, system: CodeSystemContent) -> None:
        broken = self.settings.broken_check("system", system.url, system.version)
        if broken is not None:
            facts = {"system": system.url, "version": system.version, "wanted": broken.version}
            self.report.error("exception", "VALUESET_VERSION_CHECK", "version-error", at(path, "version"), **facts)

    def _selected(self, path: str, clause: Clause, system: CodeSystemContent, code: str) -> Match | bool:
        """Whether a clause selects a code of its system, with issues where the code itself is the problem."""
        row = code_row(system, code)
        whole = not clause.raw.get("concept") and not clause.raw.get("filter")
        if row is None:
            return self._unknown_code(path, system, code) if whole else False
        listed = clause.listed(system, row) if clause.raw.get("concept") else None
        filtered = clause.filtered if clause.system is system else _same_clause(clause, system).filtered
        if (clause.raw.get("concept") and listed is None) or (filtered is not None and not filtered[row]):
            return False
        concept = system.concept(row)
        match = Match(system, all_names(concept, listed or {}), concept.code)
        if concept.code != code:
            self._other_code(path, system, code, concept.code)
        if concept.abstract and not self.settings.abstract:
            if not self.settings.membership_only:
                where = at(path, "code")
                self.report.error(
                    "business-rule", "ABSTRACT_CODE_NOT_ALLOWED", "code-rule", where, system=system.url, code=code
                )
            return False
        excluded = self.composed.excludes_inactive
        if concept.inactive and (excluded or self.settings.active_only):
            if whole:
                facts = {"code": code, "status": "not active"}
                self.report.error("business-rule", "STATUS_CODE_WARNING_CODE", "code-rule", at(path, "code"), **facts)
            self.note_inactive(path, concept.status, concept.inactive)
            return False
        if listed is not None:
            self._deprecated_here(path, clause, system, code, listed)
        self.note_inactive(path, concept.status, concept.inactive)
        return match

    def _other_code(self, path: str, system: CodeSystemContent, code: str, normal: str) -> None:
        """Reports a code that the concept has besides its own: the same in another case, or an alternative code."""
        same = code.casefold() == normal.casefold()
        severity, message = ("information", "CODE_CASE_DIFFERENCE") if same else ("warning", "ALTERNATIVE_CODE")
        facts = {"code": code, "normal": normal, "canonical": canonical(system)}
        self.report.note(severity, "business-rule", message, "code-rule", at(path, "code"), **facts)

    def _unknown_code(self, path: str, system: CodeSystemContent, code: str) -> Match | bool:
        if self.settings.membership_only:
            return False
        self.tell_unknown_code(path, system, code)
        return Match(system, [], code, known=False) if system.content != "complete" else False

    def tell_unknown_code(self, path: str, system: CodeSystemContent, code: str) -> None:
        """Reports a code that the code system does not have, once."""
        key = (joined(system.url, system.version), code)
        if key in self.report.said:
            return
        self.report.said.add(key)
        facts = {"code": code, "system": system.url, "version": system.version}
        where = at(path, "code")
        if system.content != "complete":
            noted = ("warning", "code-invalid", "UNKNOWN_CODE_IN_FRAGMENT", "invalid-code", where)
            self.report.remark(*noted, **facts)
        else:
            message = "Unknown_Code_in_Version" if system.version else "Unknown_Code_in"
            self.report.error("code-invalid", message, "invalid-code", where, **facts)

    def _deprecated_here(
        self, path: str, clause: Clause, system: CodeSystemContent, code: str, listed: FhirJson
    ) -> None:
        status = extension(listed, STANDARDS_STATUS)
        if status not in ("withdrawn", "deprecated"):
            if not has_extension(listed, EXTENSIONS + "valueset-deprecated"):
                return
            status = "deprecated"
        name = joined(clause.value_set.get("url", ""), clause.value_set.get("version"))
        facts = {"code": code, "system": system.url, "vs": name, "status": status}
        noted = ("warning", "business-rule", "CONCEPT_DEPRECATED_IN_VALUESET", "code-comment", at(path, "code"))
        self.report.remark(*noted, **facts)

    def note_inactive(self, path: str, status: str, inactive: bool) -> None:
        """Notes the status of a code, unless an inactive one was noted before."""
        if not self.report.inactive:
            self.report.inactive, self.report.inactive_path, self.report.status = inactive, path, status

    def _excluded(self, composed: Composed, match: Match | bool, url: str, code: str) -> bool:
        for clause in composed.exclude:
            if clause.url and clause.url != url:
                continue
            version = match.system.version if isinstance(match, Match) else None
            if version is not None and _of_other_version(composed, clause, version):
                continue
            for members in clause.members():
                row = members.system.row(code) if members.system.url == url else None
                if row is not None and members.mask[row]:
                    return True
        return False

    def status(self, resource: FhirJson, name: str) -> None:
        """Notes that a code system or value set is not (or no longer) meant to be used."""
        if kind := caution(resource, self.composed.value_set):
            facts = {"resource": resource.get("resourceType", "CodeSystem"), "canonical": name, "status": kind}
            noted = ("information", "business-rule", f"MSG_{kind.upper()}", "status-check", "")
            self.report.remark(*noted, **facts)


def _of_other_version(composed: Composed, clause: Clause, version: str) -> bool:
    return clause.system is not None and composed.by_version(clause) and clause.system.version != version


def _same_clause(clause: Clause, system: CodeSystemContent) -> Clause:
    return Clause(clause.raw, clause.path, clause.value_set, clause.url, clause.version, clause.rule, system)


def at(path: str, name: str) -> str:
    """The path of an element in FHIRPath; nothing stands before it where the path is empty."""
    return f"{path}.{name}" if path else name
