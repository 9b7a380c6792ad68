"""Packages: directories of files that hold resources (docs/reference/packages.md).

`files.read` reads a directory as a `Package`, whose items are changed in place, and `changes.of` says what that makes
of its files. `wire.text` and `changes.of_list` are the way around by a ResourceList, for other programs.
`transaction.commit` writes: all contents are staged first, then each file is replaced as a whole.
"""
