"""Lossless YAML: text to a tree that knows its spans, changes as splices on the text.

Nothing in here knows of Kubernetes. The text is the truth: a tree is only a map of it, and a change never prints a node
that it does not change. The rules: docs/reference/lossless-yaml.md.

- Reading: `parser` makes `nodes` of a text; `scalars` says what they mean; `cuts` cuts a long text into parts that need
  not be parsed.
- Wanting: `editor` changes a text at paths; `changes` and `difference` build the `target` tree.
- Writing: `plan` makes the change or refuses it: it walks over the tree and makes edits,
  `arranging` for entries that come and go, `splices` and `transplant` for values. `proof` proves the product by
  `sameness`, which also says what aliases show. `field_comments` writes comments, where `comments` reads them.
- Text: `lines` and `positions` say where things stand; `style` writes new values, `edits` change parts.
"""


class Verbatim(str):
    """The text of a single-line scalar, to be written as it is: `8080`, `"a"`, `!!str 1`."""

    # It stands here, since mypyc makes no subclass of `str`: the modules beside are compiled.
    __slots__ = ()
