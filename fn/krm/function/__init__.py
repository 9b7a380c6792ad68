"""The SDK for the author of a function: objects with fields, a list of them, and a way to run.

    object_list    ResourceList, generate
    objects        Resource, Origin, PodSpec
    fields         Part: fields that are read and edited by path
    edited_object  an object with the edits that are gathered for it, made at once; no comment is lost by them
    copies         what `get` returned: a copy that was changed and never given back is told
    configs        decode, schema, definition: a functionConfig as a dataclass
    running        run, transform: a function at work, whose exceptions become results; load, open; its command line

`krm` names what is public; a run of a command imports none of this.
"""
