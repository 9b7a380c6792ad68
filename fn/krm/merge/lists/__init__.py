"""Lists of a merge: which elements are the same on the three sides, and their order after the merge.

pairing     the elements by their keys, their data or their names, and their order
likeness    entries that are the same under another key: those that have most in common
envorder    the order of `env`, in which an entry refers to those above it
"""
