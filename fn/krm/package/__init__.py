"""Packages: directories of files that hold resources (docs/reference/packages.md).

`listing` finds the files of a `folder`. `files.read` reads them as a `Package`, whose items are changed in place, and
`file_changes.of` returns the changes of its files. For other programs, `wire.text` and `file_changes.of_list` go by a
ResourceList, with the annotations of `paths`. `transaction.commit` writes: all contents are staged first, then each
file is replaced as a whole. `package_merge` merges three directories.
"""
