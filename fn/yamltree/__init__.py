"""Lossless YAML: text to a tree that knows its spans, changes as splices on the text.

Nothing in here knows of Kubernetes. The text is the truth: a tree is only a map of it, and a change never prints
a node that it does not change. `edits` splice, `nodes` are the tree, `parser` builds it, `scalars` and `style` write
new text, `editor` finds what to splice, `cuts` cuts a long text into parts that need not be parsed (spec/lossless.md).
"""
