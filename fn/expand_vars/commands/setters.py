"""`expand-vars migrate --from-setters`: the comments of setters in a package become templates.

So `image: nginx:1.27 # kpt-set: nginx:${tag}` becomes `image: nginx:1.27 # expand: nginx:$(tag)`, and the Kptfile runs
this function (docs/setters.md, "The command").
"""

from __future__ import annotations

import re

from expand_vars import __version__
from expand_vars.functionconfig import GROUP
from krm import stdio, syntax
from krm.commands import printing
from krm.package import changes, files, folder, transaction
from krm.package.folder import Folder
from krm.references import comments
from krm.references.matching import Pattern
from krm.yamltree import lines, scalars
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Collection, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.references.comments import Entry
    from krm.resource import Resource
    from krm.results import Result

IMAGE = f"ghcr.io/expand-vars/expand-vars:v{__version__.rpartition('.')[0]}"

_MARK = "# kpt-set: "
_NAME = re.compile(r"\$\{([^$}]*)\}")
_OF_SETTERS = re.compile(r"(?:^|/)apply-setters(?:[:@]|$)")
_STEPS = ("mutators", "validators")


class _NoTemplateError(Exception):
    """A setter's comment has no template that does the same. The message says why, and what to do."""


def migrate(path: str) -> int:
    """Change the files of a package, and return the exit code: 0 if no comment of setters is left. FnError."""
    with Folder(path) as opened, transaction.locked([opened]):
        package = files.read(opened)
        left = [result for item in package.items for result in _migrated(item)]
        steps = 0 if left else sum(map(_replaced_steps, package.items))
        changed = changes.of(opened, package)
        package.locate(left)
        stdio.report(folder.name_below(path, left))
        transaction.commit(opened, changed)
    for line in printing.summary(changed, lambda file: folder.called(path, file), is_done=True):
        stdio.tell(line.rstrip("\n"))
    if not steps:
        stdio.tell(f"run `{IMAGE}` {'behind' if left else 'in the place of'} `apply-setters`, with the same values")
    return 3 if left else 0


def _migrated(item: Resource) -> Iterator[Result]:
    """Make templates of the setters' comments in an item, and yield a warning for each that has none."""
    made = []
    root = item.root if item.spells(_MARK) else None
    text = "" if root is None else item.editor.text
    for mark, place, entry in comments.Reader(text, root, _MARK).marked() if isinstance(root, Collection) else ():
        end = lines.line_end(text, mark)
        written = text[mark + len(_MARK) : end].strip()
        try:
            # Where nothing stands, setters write nothing.
            if _NAME.search(written) and (entry is None or entry.node.start < entry.node.end):
                made.append(Edit(mark, end, f"{comments.MARK} {_template(item, entry, written)}"))
        except _NoTemplateError as error:
            yield item.notice(f"`{_MARK}{written}` stays: {error}", "", *([place] if place else []))
    item.splice(made)


def _template(item: Resource, entry: Entry | None, written: str) -> str:
    """Return the template that does what a setter's comment does. _NoTemplateError if there is none."""
    if item.kind == "Kptfile" or item.group == GROUP or item.is_local_config:
        raise _NoTemplateError("this function changes no object that configures tools")
    if entry is None or not isinstance(entry.node, Scalar):
        raise _NoTemplateError("a template is of one text: give each element of a list its own comment")
    if "$" in _NAME.sub("", written) or not all(map(syntax.is_name, _NAME.findall(written))):
        raise _NoTemplateError(
            "a name has letters, digits, `_`, `-` and `.`, and no other `$` stands in it: write the template by hand"
        )
    template = _NAME.sub(r"$(\1)", written)
    if not Pattern(template).readings(entry.node.value):
        raise _NoTemplateError("the text is not of its shape: run `apply-setters` once, and then this again")
    return scalars.leaf(template, flow=False, style=entry.node.style)


def _replaced_steps(item: Resource) -> int:
    """Let the steps of a Kptfile run this function that ran setters, and return how many they are."""
    pipeline = item.get(("pipeline",)) if item.kind == "Kptfile" else None
    steps = {key: pipeline.get(key) or () for key in _STEPS} if isinstance(pipeline, dict) else {}
    found = [
        ("pipeline", key, number, "image")
        for key, listed in steps.items()
        for number, step in enumerate(listed)
        if _OF_SETTERS.search(str(step.get("image")))
    ]
    for place in found:
        item.set(place, IMAGE)
    return len(found)
