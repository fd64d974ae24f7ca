"""Documents: passages of text with their offsets, and the mentions marked in them; one file for each format.

`read_documents` and `write_documents` are the way in and out. Nothing here knows of terminologies: the command line
normalizes what is read here, and evaluation compares it with what is found.
"""

from ontonym.documents.document import CharSpan, Document, Mark, Passage
from ontonym.documents.formats import FORMATS, WHOLE, DocumentFile, DocumentOptions, read_documents, write_documents

__all__ = [
    "FORMATS",
    "WHOLE",
    "CharSpan",
    "Document",
    "DocumentFile",
    "DocumentOptions",
    "Mark",
    "Passage",
    "read_documents",
    "write_documents",
]
