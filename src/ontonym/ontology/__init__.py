"""Readers of terminology releases: one file per format behind the table in ``formats.py``; all stream ``Concept``s."""
