"""What an object remembers of its references between runs that write over their input, in an annotation of its own.

The next run expands the *template* of each field that still says what was *rendered*, with the values that variables
have then. Every line of the annotation is a JSON object, one of:

    {"path": P, "rendered": R, "template": T}        the field at P, or, with `[*]` in P, all fields that P leads to:
                                                     then R and T are lists, and T has null for what has no template
    {"from": F, "value": V, "variable": NAME}        the EnvVar text that functionConfig F gave to a variable
    {"identity": I}                                  the object's identity, for the hashes

R is a text, or `{"sha256": HEX}` for a long one, over I, P and the text; T is a text, or `{"plain": TEXT}` for a
reference that takes the type of its value. No line holds a `$`: kustomize's `vars` expands annotations.

No secret is in there (decision 25). With `"secret": true` beside P every text of R is a hash, those that have no
template too: a secret may have been copied to the place of one. Of a variable that is secret there is no V.

`entries` is that format, `alignment` finds the elements of a changed list again, `fields` goes between a record and
the fields of an object. Nothing here changes an object but `fields.write`
and `fields.hand_over`.
"""

from expand_vars.functionconfig import GROUP

KEY = f"{GROUP}/references"
