"""Generated resources: merged into those that are there, and pruned when they are generated no longer.

What a functionConfig generates now is the **update**; the item that it is about is **local**; **origin** is what was
generated the last time, which the item carries in an annotation of ours. So a run sees what the generator changed and
what the user did, and keeps both.

`templates` makes resources of a functionConfig, `reading` of what a program prints. `generating` takes the steps in
order: `ownership` tells which item is local, `origins` what it was generated as, `placing` names the file of a new one,
`merging` merges the others, `pruning` takes away what is no longer generated, and `tracking` says what the next
run has to know. An item is merged as one of the `sides`, with the templates of its references; `overrides` are
where it keeps something else than what is generated. `model` has what they are given, `findings` the words for
what they tell.
"""

DOMAIN = "expandvars.dev"
"""The domain of the annotations, for a function that has none of its own."""

GENERATED_BY = "generated-by"
"""The annotation, below the domain, with the functionConfig that generated an item, and its template."""

LAST_GENERATED = "last-generated"
"""The annotation, below the domain, with what an item was generated as."""
