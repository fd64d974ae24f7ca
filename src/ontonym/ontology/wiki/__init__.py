"""Wikidata entities and Wikipedia pages."""
