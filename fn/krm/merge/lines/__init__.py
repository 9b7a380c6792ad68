"""The merge of an object as lines within structure (docs/git.md, "Lines within structure").

blocks     a block collection as its lines, and the entries in it
pieces     what comes out: texts, and conflicts between them
entering   an entry around what is in it
leaves     an entry that is no collection
sides      a collection of each side as units
editing    an entry whose parts are no lines, by its fields
env        what an entry of `env` refers to, above it
walking    collections in collections
"""
