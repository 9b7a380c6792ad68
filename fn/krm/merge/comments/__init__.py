"""Comments of a merge: each belongs to a node and follows the base rule (docs/merge.md, "Comments").

merging        the comments of a whole object
nodecomments   the comments of one node
inside         those in brackets, or between a key and its value
refusals       those that an editor refuses
counterparts   which entries and elements of the three sides are the same
"""
