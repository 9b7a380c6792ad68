"""Merges in git: the merge driver, and `solve` for what git left unmerged (docs/git.md).

program      git itself
line_merge   git's own line merge of three texts
structured   our merge of the same three texts, with git's markers where both sides changed a field
cascade      which of the two is the result
markers      the lines around the sides of a conflict
labels       what the markers call the two sides
field_paths  the paths of fields by the lines that they are written in
setup        the settings of a repository by which git calls the driver
unmerged     the files that git left unmerged, and their three texts
changed      the files that differ from those of a commit
ignored      the files that git ignores
"""
