"""Bytes in and out: files, archives, XML, JSON, delimited text, records. Nothing here knows a format of the field.

A file on its way in, and a reader of the field's formats asks for one of the last steps:

1. `gather` walks folders and opens archives, one `Packed` for each file in them; nothing is unpacked to the disk.
2. A `Source` is such a file. Its `GuardedStream` turns whatever is wrong with the bytes into one `FormatError`, its
   ``lines`` are UTF-8, its ``head`` is what formats are recognized by.
3. A parser takes it from there: lines, blocks of columns, records of a table, elements of XML, values of JSON.
4. Each row is reported to a `RowLog`: kept, skipped by a rule, or malformed. `RowCounts` adds up, or it is a bug.

Where to look (a test holds this list to the files):

- from paths to bytes: ``archive``, ``packing``, ``source``; what became of each row: ``counts``
- tables: ``records`` (any text, row by row), ``csvtext``, ``titles`` (above a header), ``delimited`` (big ones, as
  columns), ``workbooks`` (xlsx and Parquet, read); their cells: ``cells``, ``lists``
- XML: ``xml``, and ``checkedxml`` for parsers that do not guard themselves; JSON: ``jsontext``
- out: ``output`` (whole or not at all), ``tables`` (in every format), ``page`` (HTML); put aside in between: ``spool``
- the web: ``download``; the user and the caches: ``user``
"""
