"""What any KRM function written in Python needs, in the style of the kpt functions SDK.

`resourcelist` is the envelope, read and emitted whole; `resource` one object in it, changed in place; `fieldpath`
says where in it, `selector` which of them, `results` what there is to tell about them.
"""
