"""Lossless YAML: a text is read as a tree of nodes with spans, and is changed by splices.

Nothing in here knows of Kubernetes. The text is the truth, and a tree is only a map of it. A change never prints a node
that it does not change. The rules are in docs/reference/lossless-yaml.md.

- Reading: `parser` makes `nodes` from the `events` of PyYAML. `scalars` knows their values. `cuts` cuts a long text
  into parts that need not be parsed, and `outline` finds the lines of a field without a parser.
- Asking for a change: `editor` changes a text at paths. `changes` and `difference` build the `target` tree, and
  `partners` pairs the elements of two lists.
- Writing: `plan` walks over the tree and makes edits, or refuses the change. `arranging` makes them for new, moved and
  deleted entries, `splices` and `transplant` for values. The new text is proven by `sameness`, which also knows what
  aliases show. `comments` reads comments, and `field_comments` writes them.
- Text: `lines` and `positions` find lines and entries, `style` writes new values, `edits` change parts of a text. A
  file inside a scalar is `embedded`.
"""


class Verbatim(str):
    """The text of a single-line scalar, to be written as it is: `8080`, `"a"`, `!!str 1`."""

    # It stands here, since mypyc makes no subclass of `str`: the modules beside are compiled.
    __slots__ = ()
