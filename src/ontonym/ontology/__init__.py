"""Readers of terminology releases: one file per format behind the table in ``formats.py``; all stream ``Concept``s.

Begin with `read_release`; what it does:

1. The files are gathered, and the table `FORMATS` says by their beginnings which format they are of.
2. A `Release` is opened: the sources, the reader of the format, the `ReadOptions`. Nothing is read yet.
3. A `Reader` is a function from sources and a `ReleaseLog` to a stream of ``Concept`` records, or of ``Batch`` columns
   where a release has millions. It reports every row, and what the release says about itself, to the log.
4. The release selects the names that the options want, counts what passes, and checks that the counts add up.

Where to look (a test holds this list to the files):

- the way of every release: ``formats``, ``release``, ``options``, ``counts``; concepts as columns: ``batch``
- what readers share: ids in one spelling: ``xrefs``; languages: ``languages``; RDF: ``rdf``
- ontologies: ``obo``, ``owl``, ``skos``; classifications: ``icd``; the large ones: ``rf2`` (SNOMED CT), ``rrf`` (UMLS,
  RxNorm), ``mesh``, ``loinc``, ``omop``; ``ctd`` (MEDIC), ``fhir``, ``wiki``
- tables of users: ``tables``; those that add to a release: ``additions``; read as the time before: ``like``
- where open releases are: ``published``, ``embedded``
"""
