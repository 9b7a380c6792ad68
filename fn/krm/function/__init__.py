"""The SDK for the author of a function: objects with fields, a list of them, and a way to run.

    object_list     ResourceList, generate
    objects         Resource, Origin
    fields          Part and PodSpec: fields that are edited by path
    reader          fields that are read by path
    owner           an object with the edits that are gathered for it
    object_changes  edits of one object, made at once; a comment that would be lost is refused
    field_comments  comments that are read, written, and named before they go
    configs         decode, schema, definition: a functionConfig as a dataclass
    running         run, transform: a function at work, whose exceptions become results; load, open
    command         the command line: files changed in place

`krm` names what is public; a run of a command imports none of this.
"""
