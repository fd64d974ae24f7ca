"""An index in a PostgreSQL or Milvus database, which many machines share: loading, opening, changing, copying back.

The database answers the same questions as the files of a folder (`ontonym.index.part.Backend`), and one and the same
ranking makes hits of the answers. ``docs/shared-index.md`` says how to run it.
"""
