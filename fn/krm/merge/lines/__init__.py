"""The merge of an object as lines within structure (docs/reference/merge.md, "Lines within structure").

brackets   a collection in brackets as lines, and the text that becomes of these
blocks     a collection as its lines, and the entries in it
entering   an entry that both sides changed: a leaf, or what is in it
sides      a collection of each side as units
walking    collections in collections, and what is one value since lines do not tell its parts
"""
