"""The SDK for the author of a function: objects with fields, a list of them, and a way to run.

    listing      ResourceList, generate
    objects      Resource, Origin
    fields       Part and PodSpec: fields that are edited by path
    reader       Leaf: fields that are read by path
    owner        an object with the edits that are gathered for it
    changes      edits that are gathered as a target tree and made at once
    difference   the target tree that makes a value of what is there
    comments     comments that are read and written
    configs      decode, schema, definition: a functionConfig as a dataclass
    processing   a function at work: its exceptions become results
    command      the command line: files changed in place
    running      run, transform

`krm` names what is public; a run of `expand-vars` imports none of this.
"""
