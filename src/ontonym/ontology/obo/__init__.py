"""The formats of the OBO community: flat files, OBO Graphs and node-link graphs."""
