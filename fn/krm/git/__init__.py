"""Merges in git: the merge driver, and `solve` for what git left unmerged (docs/guides/git.md).

repository   a repository, by git: what changed in it, what is unmerged, and the settings by which git calls the driver
line_merge   git's own line merge of three texts, and what its markers call the two sides
cascade      that, or our merge of the same three texts field by field: which of the two is the result
markers      the lines around the sides of a conflict
"""
