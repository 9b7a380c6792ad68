"""Lossless YAML: text to a tree that knows its spans, changes as splices on the text.

Nothing in here knows of Kubernetes. The text is the truth: a tree is only a map of it, and a change never prints a node
that it does not change. `parser` makes `nodes` of a text. `editor` changes them at paths: `changes` build the `target`
tree, `plan` makes the edits for it, with `block` and `flow` for entries that come and go, `splices`, `rewriting` and
`transplant` for values, `aliases` for what is shown elsewhere, and `proof` proves what came out. `scalars` and `style`
write new values. `cuts` cuts a long text into parts that need not be parsed. The rules: docs/lossless-yaml.md.
"""
