"""Issues and OperationOutcomes: what the server says is wrong, in FHIR's own shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ontonym.serve.fhir.canonicals import ISSUE_TYPES, MESSAGE_ID
from ontonym.serve.fhir.messages import text

FhirJson = dict[str, Any]


@dataclass(frozen=True)
class Issue:
    """One issue of an OperationOutcome.

    ``code`` is of FHIR's issue-type, ``detail`` of HL7's tx-issue-type (or empty), ``message`` the id of the text,
    ``expression`` the element it is about, as FHIRPath (or empty).
    """

    severity: str
    code: str
    message: str
    text: str
    detail: str = ""
    expression: str = ""

    def resource(self) -> FhirJson:
        """The issue as JSON of an OperationOutcome."""
        details: FhirJson = {"text": self.text}
        if self.detail:
            details = {"coding": [{"system": ISSUE_TYPES, "code": self.detail}], **details}
        issue: FhirJson = {
            "extension": [{"url": MESSAGE_ID, "valueString": self.message}],
            "severity": self.severity,
            "code": self.code,
            "details": details,
        }
        if self.expression:
            issue |= {"location": [self.expression], "expression": [self.expression]}
        return issue


def issue(
    severity: str, code: str, message: str, /, *, detail: str = "", expression: str = "", **values: object
) -> Issue:
    """The issue with the text of that message id."""
    return Issue(severity, code, message, text(message, **values), detail, expression)


def outcome(issues: Iterable[Issue]) -> FhirJson:
    """The OperationOutcome of these issues."""
    return {"resourceType": "OperationOutcome", "issue": [entry.resource() for entry in issues]}


class FhirError(Exception):
    """The request cannot be answered: an HTTP status, the issues that say why, and the headers of the answer."""

    def __init__(self, status: int, *issues: Issue) -> None:
        self.status = status
        self.issues = issues
        self.headers: Mapping[str, str] = {}
        super().__init__("; ".join(entry.text for entry in issues))


class WrongMethodError(FhirError):
    """The HTTP method is not one of those that are allowed there."""

    def __init__(self, method: str, *allowed: str) -> None:
        listed = ", ".join(allowed)
        super().__init__(405, issue("error", "not-supported", "WRONG_METHOD", method=method, allowed=listed))
        self.headers = {"Allow": listed}


def refused(
    status: int, code: str, message: str, /, *, detail: str = "", expression: str = "", **values: object
) -> FhirError:
    """The error with one issue of severity ``error`` and the text of that message id."""
    return FhirError(status, issue("error", code, message, detail=detail, expression=expression, **values))


def missing(wanted: str) -> FhirError:
    """The error of a request without a parameter that its operation needs."""
    return refused(400, "invalid", "MISSING_PARAMETER", wanted=wanted)
