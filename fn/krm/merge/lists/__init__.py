"""Lists of a merge: which elements are the same on the three sides, and their order after the merge.

pairing     entries with the same key, with the same data, or with most of it in common, and their order
elements    the elements of a list on all sides: also those that got another key, or have none
envorder    the order of `env`, in which an entry refers to those above it
"""
