"""Generated resources: merged into those that are there, and pruned when they are generated no longer.

What a functionConfig generates now is the **update**; the item that it is about is **local**; **origin** is what was
generated the last time, which the item carries in an annotation of ours. So a run sees what the generator changed and
what the user did, and keeps both.

`templates` makes resources of a functionConfig; what another program or function generates is as good. `generating`
takes the steps in order: `ownership` tells which item is local, `origins` what it was generated as, `placing` names the
file of a new one, `pruning` takes away what is no longer generated. `model` has what they are given.
"""

from fn.functionconfig import GROUP

LAST_GENERATED = f"{GROUP}/last-generated"
"""The annotation with what was generated the last time."""

GENERATED_BY = f"{GROUP}/generated-by"
"""The annotation with the functionConfig that generated an item."""
