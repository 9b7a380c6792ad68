"""Merging resources: what was generated before, what is generated now, what the user has.

    files       whole files and directories: their objects, matched, merged one by one and put together
    lines       an object as lines within its structure
    merge2      update put over local
    value_walk  origin, update and local, by values
    kubectl     what `kubectl apply` would make of an object
    decider     the base rule: a side that did not change gives way to the one that did
    replacing   the replacement of values of local by those of update
    unions      fields that exclude each other
    lists       the elements of a list: which ones are the same on the three sides, and their order after the merge
    kinds       how the lists and mappings of a kind merge
    outcome     conflicts and notes, and the results that report them
    policy      the base rule, and who wins a conflict
    trees       the three sides: origin, update, local
    text_merge  the merge of three texts: lines, and conflicts between them
    units       the merge of three sequences: of entries, elements or lines
    diff        the difference of two sequences

Files are merged by fields, each with its lines. Generated resources and overlays have no lines in common, so they are
merged by values: the answer is a target tree (`yamltree.target`), and `files.merged_object` makes its edits. A 3-way
merge, by fields or by values, asks one `decider`. An overlay takes the walk by values, and decides by itself.
"""
