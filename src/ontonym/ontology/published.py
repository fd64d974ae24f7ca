"""Open terminologies that their publishers let anyone download: where, and under which licence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class PublishedTerminology:
    """A terminology that is downloaded from ``url`` as it is; ``page`` says more, about the newest release too."""

    title: str
    url: str
    licence: str
    page: str

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.url.rpartition("/")[2]

    def at(self, mirror: str) -> str:
        """The address at a mirror: that of the file itself, or of the folder that it lies in."""
        ending = "." + self.file.rpartition(".")[2]
        return mirror if mirror.endswith(ending) else f"{mirror.rstrip('/')}/{self.file}"


_OBO = "https://purl.obolibrary.org/obo"
_CDC = "https://ftp.cdc.gov/pub/Health_Statistics/NCHS/Publications/ICD10CM"

PUBLISHED: Mapping[str, PublishedTerminology] = MappingProxyType(
    {
        "hpo": PublishedTerminology(
            "Human Phenotype Ontology", f"{_OBO}/hp.obo",
            "HPO licence: free to use, unmodified, with attribution and the version shown (https://hpo.jax.org/license)",
            "https://hpo.jax.org",
        ),
        "mondo": PublishedTerminology(
            "Mondo Disease Ontology", f"{_OBO}/mondo.obo", "CC BY 4.0", "https://mondo.monarchinitiative.org"
        ),
        "doid": PublishedTerminology("Disease Ontology", f"{_OBO}/doid.obo", "CC0 1.0", "https://disease-ontology.org"),
        "uberon": PublishedTerminology(
            "Uberon anatomy ontology", f"{_OBO}/uberon.obo", "CC BY 3.0", "https://obophenotype.github.io/uberon"
        ),
        "chebi": PublishedTerminology(
            "ChEBI, chemicals of biological interest", f"{_OBO}/chebi.obo", "CC BY 4.0", "https://www.ebi.ac.uk/chebi"
        ),
        "efo": PublishedTerminology(
            "Experimental Factor Ontology", "https://www.ebi.ac.uk/efo/efo.obo", "Apache 2.0",
            "https://www.ebi.ac.uk/efo",
        ),
        "go": PublishedTerminology("Gene Ontology", f"{_OBO}/go.obo", "CC BY 4.0", "https://geneontology.org"),
        "icd10cm": PublishedTerminology(
            "ICD-10-CM, April 2025", f"{_CDC}/2025-Update/icd10cm-table-index-April-2025.zip",
            "public domain in the USA (CDC, NCHS); ICD-10 itself is © WHO",
            "https://www.cdc.gov/nchs/icd/icd-10-cm/files.html",
        ),
        "mesh": PublishedTerminology(
            "Medical Subject Headings 2025",
            "https://nlmpubs.nlm.nih.gov/projects/mesh/MESH_FILES/xmlmesh/desc2025.gz",
            "NLM terms: free to use, with the National Library of Medicine named as the source",
            "https://www.nlm.nih.gov/mesh",
        ),
    }
)  # fmt: skip
"""By the name that `ontonym get` knows; none needs a licence agreement or an account."""
