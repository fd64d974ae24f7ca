"""The multilingual encoder of ontonym as data: the folder ``encoder``, which ontonym finds where this is installed."""
