"""Merging resources: what was generated before, what is generated now, what the user has.

    files      whole files and directories: their objects, matched, merged one by one and put together
    lines      an object as lines within its structure
    merge3     the base rule: a side that did not change gives way to the one that did
    merge2     update put over local
    kubectl    what `kubectl apply` would make of an object
    walk       the walk of merge3 and merge2 through the fields; at each place a decider says what becomes of it
    unions     fields that exclude each other
    lists      the elements of a list: which are the same, and in which order they come out
    kinds      how the lists and mappings of a kind merge
    outcome    conflicts and notes, and the results that report them
    policy     who wins a conflict
    trees      the three sides: origin, update, local
    pieces     the base rule, and what comes out of three texts: lines, and conflicts between them
    units      three sequences: of entries, elements or lines
    diff       the difference of two sequences

Files are merged by lines. What has no lines is merged by its fields: what is generated, and overlays. Such a merge
answers with a tree of what is wanted (`yamltree.target`), and `files.becoming` has the edits. Both ask one decider.
"""
