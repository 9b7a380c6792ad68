"""Lists of a merge: which elements are the same on the three sides, and their order after the merge.

pairing     entries with the same key, with the same data, or with most of it in common, and their order
renames     elements that got another key, and lists of elements without a key
envorder    the order of `env`, in which an entry refers to those above it
"""
