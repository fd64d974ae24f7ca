"""Shared indexes in Milvus: it holds the vectors of names and searches them, and the files that clients copy.

Milvus has no transactions. What changes is written so that none is needed: rows are only added, one row is the present
state, and of several the one that knows most is taken; ``docs/shared-index.md`` says what that promises.
"""
