"""Shared indexes in PostgreSQL: vectors, inverted lists and names by their words are asked of tables."""
