"""Documents: passages of text with their offsets, and the mentions marked in them.

`read_documents` and `write_documents` are the way in and out, both in ``formats.py``, which has the table of formats
and detects them. A format is a function that takes an ``Input`` (``rows.py``: the lines of a file or of standard input,
and the counts of what became of them) and gives a stream of ``Document`` (``document.py``), each with its ``Mark`` s:

- mentions alone: ``text.py`` (a mention a line, or whole texts), ``table.py`` (CSV, TSV, xlsx, Parquet), ``jsonl.py``
- whole documents, which are written too: ``pubtator.py``, ``bioc.py`` (XML and JSON)

Nothing here knows of terminologies: the command line normalizes what is read here, and evaluation compares it with what
is found.
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
