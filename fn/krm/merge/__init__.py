"""Merging resources: what was generated before, what is generated now, what the user has.

    trees      the three sides: origin, update, local
    walk       all three in step; at each place a decider says what becomes of it
    merge3     the base rule: a side that did not change gives way to the one that did
    apply      what `kubectl apply` would make of it
    merge2     update put over local

A merge answers with a tree of what is wanted (`yamltree.wanted`), its conflicts and its notes, and knows nothing of
text: `yamltree.plan` has the edits. Of a subtree in which nothing changes, what is wanted is local's own node.
"""
