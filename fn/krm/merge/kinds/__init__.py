"""Kinds of objects: how their lists and mappings merge (docs/reference/merge.md, "Keyed lists").

schema       of one resource: what the user, definitions and Kubernetes say
facts        of the built-in kinds
list_facts   the table of those
"""
