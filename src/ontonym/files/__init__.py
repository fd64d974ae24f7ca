"""Bytes in and out: files, archives, XML, JSON, delimited text, records. Nothing here knows a format of the field."""
