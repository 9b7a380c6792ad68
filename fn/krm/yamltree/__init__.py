"""Lossless YAML: text to a tree that knows its spans, changes as splices on the text.

Nothing in here knows of Kubernetes. The text is the truth: a tree is only a map of it, and a change never prints
a node that it does not change (docs/architecture.md, "The text stays").

`parser` makes `nodes` of a text, within `limits`; `editor` changes
them at paths, each change an edit that `splices`, `entries` and `rewriting` plan and `draft` proves; `scalars`
and `style` write new values; `aliases` says what shows elsewhere; `cuts` cuts a long text into parts that need not be
parsed.

`amending` makes of a text its `target`, many changes at once: `plan` plans all edits on the text as it
is, with what comes in from another text by `transplant`; where that fails, `steps` makes one change after the other.
"""
