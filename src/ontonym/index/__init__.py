"""Indexes over terminologies: three signals, each usable alone, and their fusion into one confidence."""
