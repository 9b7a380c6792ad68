"""Lists of a merge: which elements of three sides are the same, and in which order they come out.

pairing     elements known by a key, or by their data, and the order of the result
renames     elements that got another key, and lists of elements that nothing names
alike       entries that kept most of what they said
envorder    the order of `env`, in which an entry refers to those above it
"""
