"""Lists of a merge: which elements of three sides are the same, and in which order they come out.

pairing     elements known by a key, or by their data
renames     elements that got another key
alike       entries that kept most of what they said
sequences   elements that nothing names
order       the order of the result
envorder    the order of `env`, in which an entry refers to those above it
"""
