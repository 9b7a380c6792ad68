"""Generated resources: merged into those that are there, and pruned when they are generated no longer.

What a functionConfig generates now is the **update**; the item that it is about is **local**; **origin** is what was
generated the last time, which the item carries in an annotation of ours. So a run sees what the generator changed and
what the user did, and keeps both.

`updates` has what a generator makes, `settings` who it is and the annotations in which it remembers. `generating` takes
the steps in order: `ownership` tells which item is local, `origins` what it was generated as, `merging` merges the two
as `local` shows it, and `mirror` writes what the next run reads as the origin. `dropped` are the items that are no
longer generated: `pruning` tells which of them go. `packages` says where items stand, and where new ones go.
"""

DOMAIN = "expandvars.dev"
"""The domain of the annotations, for a function that has none of its own."""

GENERATED_BY = "generated-by"
"""The annotation, below the domain, with the functionConfig that generated an item, and its template."""

LAST_GENERATED = "last-generated"
"""The annotation, below the domain, with what an item was generated as."""

_LARGEST = 32 * 1024
_ALL_ANNOTATIONS = 256 * 1024


def room(size: int) -> int:
    """Return how many bytes our annotations may take together of an object of `size` bytes.

    An API server takes 256 KiB of all annotations of an object, and `kubectl apply` writes the whole object into one,
    ours included: it must not fail because of us. An object that is too large for that anyway is applied by the server.
    """
    left = (_ALL_ANNOTATIONS - size) // 3  # ours themselves, and once more in what kubectl notes, with escapes
    return _LARGEST if left < 0 else min(_LARGEST, left)
