"""Lists of a merge: which elements are the same on the three sides, and their order after the merge.

pairing     elements with the same key, or with the same data, and their order
renames     elements that got another key, and lists of elements without a key
alike       entries that have most of their data in common
envorder    the order of `env`, in which an entry refers to those above it
"""
