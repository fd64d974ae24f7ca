"""What a validation finds: its issues, and the code that is in the value set."""

from __future__ import annotations

from dataclasses import dataclass, field

from ontonym.serve.fhir.concepts import CodeSystemContent, Designation
from ontonym.serve.fhir.outcomes import Issue, issue


@dataclass
class ValidationReport:
    """What was found while checking: issues, messages, unknown systems, and the status of the code."""

    issues: list[Issue] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    inactive: bool = False
    inactive_path: str = ""
    status: str = ""
    said: set[tuple[str, str]] = field(default_factory=set)

    def add(self, found: Issue, *, message: bool = True) -> None:
        """Adds an issue once, and its text to the message of the answer."""
        if found not in self.issues:
            self.issues.append(found)
        if message and found.text not in self.messages:
            self.messages.append(found.text)

    def error(self, code: str, message: str, detail: str, path: str, /, **values: object) -> None:
        """Adds an issue of severity ``error``."""
        self.note("error", code, message, detail, path, **values)

    def note(self, severity: str, code: str, message: str, detail: str, path: str, /, **values: object) -> None:
        """Adds an issue, and its text to the message of the answer."""
        self.add(issue(severity, code, message, detail=detail, expression=path, **values))

    def remark(self, severity: str, code: str, message: str, detail: str, path: str, /, **values: object) -> None:
        """Adds an issue that the message of the answer does not repeat."""
        self.add(issue(severity, code, message, detail=detail, expression=path, **values), message=False)

    def unknown_system(self, name: str) -> bool:
        """Notes a code system that is not here; whether that is new."""
        if name in self.unknown:
            return False
        self.unknown.append(name)
        return True


@dataclass
class Match:
    """A code that is in the value set: the code system in the version used, and its names there."""

    system: CodeSystemContent
    names: list[Designation] = field(default_factory=list)
    code: str = ""
    known: bool = True
