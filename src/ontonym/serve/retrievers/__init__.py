"""Concepts as documents for the pipelines of others: one thin file for each library."""
