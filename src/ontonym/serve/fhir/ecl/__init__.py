"""The Expression Constraint Language: a grammar, and its evaluation over the concepts of a terminology."""

from ontonym.serve.fhir.ecl.evaluate import evaluate

__all__ = ["evaluate"]
