"""The merge of an object as lines within structure (docs/reference/merge.md, "Lines within structure").

brackets       a collection in brackets as lines, and the text of these lines
blocks         the lines of a collection, the entries in it, and which of these are the same on the three sides
changed_entry  an entry that both sides changed: its value, or the block in it
line_walk      the walk from collection to collection, and the entries that lines cannot divide
"""
