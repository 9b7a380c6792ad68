"""Generated resources: merged into those that are there, and pruned when they are generated no longer.

What a functionConfig generates now is the **update**; the item that it is about is **local**; **origin** is what was
generated the last time. The state remembers that, in an object beside the functionConfig. So a run sees what the
generator changed and what the user did, and keeps both.

`updates` has what a generator makes, `settings` who it is. `generating` takes the steps in order: `ownership` tells
which item is local, `state` has what it was generated as, of which `sides` makes the origin of a merge, and `merging`
merges the three. `mirror` is the form in which a resource is remembered. `following` finds the fields that still show
what a template was expanded to. `pruning` tells which of the items that are no longer generated go. `packages` says
where items stand, and where new ones go.
"""

DOMAIN = "expandvars.dev"
"""The domain of the mark and the state, for a function that has none of its own."""

GENERATED_BY = "generated-by"
"""The annotation, below the domain, with the functionConfig that generated an item, and its template."""
