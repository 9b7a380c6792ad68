"""The record: what an object remembers of its references between runs that write over their input.

It is an annotation of the object. The next run expands the template of each field that still has the hash of what was
rendered, with the values that variables have then (docs/runs-in-place.md, "The record").

`entries` is the text of the annotation, `alignment` finds the elements of a changed list again, `fields` goes between a
record and the fields of an object, `history` reports what becomes of the recorded values, and `merging` writes the
record of an object that was merged of two files.
"""

from expand_vars.functionconfig import GROUP

KEY = f"{GROUP}/references"
