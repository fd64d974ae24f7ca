"""The spaCy component ``ontonym``: entities are linked to concepts, and found where the pipeline has none.

``linking.py`` is the component, ``spanattributes.py`` what it leaves on spans and documents, and ``pipelineindex.py``
finds the index again when a saved pipeline is loaded.
"""

from ontonym.tasks.spacy.linking import make_linker

__all__ = ["make_linker"]
