"""The merge of an object as lines within structure (docs/reference/merge.md, "Lines within structure").

brackets   a collection in brackets as lines, and the text of these lines
blocks     the lines of a collection, the entries in it, and its units on the three sides
entering   the merge of an entry that both sides changed: of its value, or of the block in it
walking    the walk from collection to collection, and the entries that are one value since lines cannot divide them
"""
