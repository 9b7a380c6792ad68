"""Kinds of objects: how their lists and mappings merge (docs/reference/merge.md, "Keyed lists").

schema       the rules for one resource: by the user, by definitions and by Kubernetes
facts        the facts of the built-in kinds
list_facts   the table of these facts
"""
