"""MeSH of the National Library of Medicine: descriptors, qualifiers and supplementary records."""
