"""The part of the build that pyproject.toml cannot say: with COMPILED in the environment the wheel is a compiled one.

mypyc makes extension modules of the modules in which a run spends its time. Their sources are in the wheel too, and
stay the reference: without COMPILED, and wherever no compiled wheel fits, they are what runs
(docs/reference/performance.md, "Compiled wheels").
"""

from __future__ import annotations

import os
from glob import glob
from pathlib import PurePath

from setuptools import setup

FOLDERS = ("fn/krm", "fn/krm/yamltree", "fn/expand_vars/expansion", "fn/krm/template_comments")
LEFT_OUT = (
    "__init__.py",  # `krm` loads its names when they are asked for
    "__main__.py",  # a program, which is started as one
    "changes.py",  # has a KeyError of its own: mypyc makes no subclasses of that
    "declarations.py",  # reads a functionConfig, once; compiled, a boolean that is an int by its type is 1
    "difference.py",  # the SDK derives from it, and is not compiled
    "field_comments.py",  # reads and writes a comment where an author asks for one
    "fieldtypes.py",  # a table
    "kustomize.py",  # reads kustomizations, once; has classes for types alone
    "process.py",  # starts a program, once
    "sources.py",  # reads what a run inlines, once
    "stdio.py",  # does its work once
    "testing.py",  # for tests of functions
    "without_effect.py",  # asked once, at the end of a run
)


def extensions() -> list[object]:
    """Return the extension modules of a compiled wheel, none for a pure one."""
    if not os.environ.get("COMPILED"):
        return []
    from mypyc.build import mypycify  # noqa: PLC0415 - a pure wheel is built without it

    sources = [path for folder in FOLDERS for path in sorted(glob(f"{folder}/*.py"))]  # noqa: PTH207 - as mypyc wants it
    compiled = [path for path in sources if PurePath(path).name not in LEFT_OUT]
    # Types are what `make lint` checks. mypyc infers some otherwise, and would fail where that finds an Any.
    options = ["--config-file=", "--ignore-missing-imports"]
    made: list[object] = mypycify(
        [*options, *compiled, "fn/expand_vars/pipeline.py"], group_name="krm_expand_vars", opt_level="1"
    )
    return made


setup(ext_modules=extensions())
