"""What any KRM function written in Python needs, in the style of the kpt functions SDK.

`resourcelist` is the list, read and emitted whole, in one of the `shapes` that a text can have: `cutlists`, or one
parsed whole, or documents; with an `envelope` around its items, `additions` to them, and the text again in `pieces`.
`resource` is one object in it, changed in place in the `part` of the text where it stands, and found again by its
`ids`; `fieldpath` says where in it, `selector` which of them, `results` what there is to tell about them.
"""
