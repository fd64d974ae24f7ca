"""The Alignment format of OAEI (RDF/XML, https://moex.gitlabpages.inria.fr/alignapi/format.html): pairs of IRIs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

from ontonym.store.export.mappingfacts import MappingFacts, Written
from ontonym.store.mappings.iris import iri_of_id
from ontonym.store.mappings.read import RELATIONS
from ontonym.store.mappings.rows import NO_TERM, Row, denied

_RELATION_OF = {predicate: relation for relation, predicate in RELATIONS.items()} | {"owl:equivalentClass": "="}

_HEAD = """<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns="http://knowledgeweb.semanticweb.org/heterogeneity/alignment#"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xsd="http://www.w3.org/2001/XMLSchema#">
<Alignment>
<xml>yes</xml>
<level>0</level>
<type>??</type>
"""


def write_alignment(rows: Sequence[Row], facts: MappingFacts, out: BinaryIO) -> Written:
    """Writes mappings that say equal, broader, narrower or disjoint; returns what else there was, which is left out."""
    left_out: Counter[str] = Counter()
    out.write(_HEAD.encode())
    for row in rows:
        relation = _RELATION_OF.get(row["predicate_id"])
        if not row.get("subject_id"):
            left_out["sources without a code"] += 1
        elif denied(row) or row["object_id"] == NO_TERM:
            left_out["mappings that are denied, or to nothing"] += 1
        elif relation is None:
            left_out[f"{row['predicate_id']}, which the format has no relation for"] += 1
        else:
            ends = [quoteattr(iri_of_id(row[end], facts.iris)) for end in ("subject_id", "object_id")]
            out.write(
                f"<map><Cell>\n<entity1 rdf:resource={ends[0]}/>\n<entity2 rdf:resource={ends[1]}/>\n"
                f'<measure rdf:datatype="http://www.w3.org/2001/XMLSchema#float">{row.get("confidence") or "1.0"}'
                f"</measure>\n<relation>{escape(relation)}</relation>\n</Cell></map>\n".encode()
            )
    out.write(b"</Alignment>\n</rdf:RDF>\n")
    return Written(len(rows) - left_out.total(), left_out)
