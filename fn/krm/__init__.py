"""What any KRM function written in Python needs, in the style of the kpt functions SDK.

`resourcelist` is the envelope, read and emitted whole, in one of the `shapes` that a text can have; `resource` one
object in it, changed in place in the `part` of the text where it stands; `fieldpath` says where in it, `selector` which
of them, `results` what there is to tell about them.
"""
