"""Directories of files as lists of resources, and back (docs/packages.md).

`source.read` reads a directory, `source.text` writes it as a ResourceList, `sink.changes` says what a list makes of
its files, and `transaction.commit` writes that: all contents are staged first, then each file is replaced as a whole.
"""
