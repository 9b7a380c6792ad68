"""The merge of an object as lines within structure (docs/reference/merge.md, "Lines within structure").

blocks     a block collection as its lines, and the entries in it
pieces     what comes out: texts, and conflicts between them
entering   an entry that both sides changed: a leaf, or what is in it
sides      a collection of each side as units
walking    collections in collections, and what is edited where lines do not tell its parts
"""
