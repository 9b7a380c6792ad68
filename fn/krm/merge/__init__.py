"""Merging resources: what was generated before, what is generated now, what the user has.

    files      whole files and directories: their objects, matched, merged one by one and written
    kubectl    what `kubectl apply` would make of an object
    merge3     the base rule: a side that did not change gives way to the one that did
    merge2     update put over local
    walk       all three sides in step; at each place a decider says what becomes of it
    comments   the comments of an object, which follow the base rule as well
    lists      the elements of a list: which are the same, and in which order they come out
    kinds      how the lists and mappings of a kind merge
    outcome    conflicts and notes, and the results that report them
    policy     who wins a conflict
    trees      the three sides: origin, update, local
    text       three texts, line by line
    units      three sequences: of entries, elements or lines
    diff       the difference of two sequences

A merge answers with a tree of what is wanted (`yamltree.target`), its conflicts and its notes, and knows nothing of
text: `files.becoming` has the edits. Of a subtree in which nothing changes, what is wanted is local's own node.
"""
