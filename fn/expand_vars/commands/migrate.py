"""`expand-vars migrate`: make an ExpandVars from the `vars` of kustomize (docs/guides/migration.md, "The command").

With `--from-setters` it makes templates from the comments of setters (docs/guides/setters.md, "The command").
"""

from __future__ import annotations

import difflib
import os
import re
from tempfile import TemporaryDirectory

from expand_vars import pipeline
from expand_vars.commands import arguments, kustomizations
from expand_vars.commands.kustomizations import Kustomizations
from expand_vars.commands.table import PROGRAM
from expand_vars.expansion import containers
from expand_vars.expansion.findings import LITERAL_REFERENCE, NAME_NOT_FINAL
from expand_vars.functionconfig import GROUP, decoding, manifest
from expand_vars.functionconfig.config import IMAGE
from krm import fieldpath, resourcelist, results, stdio, syntax
from krm.commands import printing
from krm.commands.options import Parser
from krm.encoding import visible
from krm.fieldpath import WILDCARD
from krm.package import file_changes, files, folder, transaction
from krm.package.folder import Folder
from krm.resource import KPTFILE, KUSTOMIZATIONS, Resource
from krm.results import is_printed, notice
from krm.stdio import InputError
from krm.template_comments import reading
from krm.template_comments.patterns import Pattern
from krm.workloads import PodSpecs
from krm.yamltree import lines, scalars, style
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Scalar, at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from expand_vars.commands.kustomizations import KustomizeVar
    from expand_vars.functionconfig.config import Config
    from krm.fieldpath import Place
    from krm.results import Result
    from krm.template_comments.reading import FieldEntry

_DESCRIPTION = """\
Print the ExpandVars that takes the place of the `vars` of a kustomization and of all that it builds on, and check it:
`kubectl kustomize` with `vars`, and without them in front of this function, are compared. No file is changed.

With --comments: write the values into the files, each with its reference in a comment, if the build stays the same, and
that of each other kustomization in the repository that is built of these files. The ExpandVars has the values.

With --from-setters: make templates of the comments of `apply-setters` in a package, and let its Kptfile run this
function. Standard error says what is left to do.
"""
_EPILOG = """\
Standard error says which `vars` to remove, what the function reports, and each line that differs.

exit codes: 0 both are the same, byte for byte; 1 failed (standard error says why), 2 wrong usage, 3 they differ, or a
comment of setters is left
"""
_NAME = "metadata.name"
_REMOTE = "`{}` is fetched from elsewhere, and its `vars` are not read: clone it, and name the copy here"
_HASHED_NAME = (
    "`{}` is read from `{field}` of `{name}`. That name ends with a hash of the data: when the data changes, nothing "
    "is found there. Give the generator `options: {{disableNameSuffixHash: true}}`, or write the value as a `value`"
)
# A hash of kustomize has ten of these characters, with which it spells no word.
_HASHED = re.compile("-[2456789bcdfghkmt]{10}")


def main(argv: Sequence[str]) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    options = Parser(PROGRAM, "migrate", _DESCRIPTION, _EPILOG).parsed(argv[1:])
    if options.from_setters:
        return stdio.attempt(lambda: _from_setters(options.kustomization))
    return stdio.attempt(lambda: _run(options.kustomization, is_commented=options.comments))


def _run(path: str, *, is_commented: bool) -> int:
    """Write the ExpandVars and the result of the check, and return the exit code. InputError if a build fails."""
    if os.path.isfile(arguments.real(path)) and os.path.basename(path) not in KUSTOMIZATIONS:
        raise InputError(f"{path}: this file is no kustomization: name a directory with one, such as `.`")
    directory = os.path.dirname(path) or "." if os.path.isfile(path) else path
    given = Kustomizations(directory)
    for file, name in given.remote:
        stdio.report([notice(_REMOTE.format(visible(name)), folder.LEFT_ALONE, file=_message_path(file))])
    if not given.variables:
        raise InputError(f"{path}: there are no `vars` in this kustomization, nor in what it builds on")
    before = given.build()
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        copy = given.without_vars(one)
        after = copy.build()
        given.probe(other)
        return _commented(given, copy, before, after) if is_commented else _migrated(given, before, after)


def _commented(given: Kustomizations, copy: Kustomizations, before: str, after: str) -> int:
    """Write values and comments into the files of `copy`, and into those of `given` if the build stays the same."""
    if any(one.entry["objref"].get("kind") == "Secret" for one in given.variables):
        raise InputError(
            "an entry of `vars` reads a Secret, whose text would stand in the files: remove the entry first"
        )
    spec = {"inline": ["Variables"], "variables": [{"name": one.name, "value": one.value} for one in given.variables]}
    config = decoding.decode(_config(_with_targets(spec, before, after))).in_place()
    stdio.report(result for result in _comment(copy, config) if is_printed(result))
    made = copy.build()
    if made != before:
        stdio.tell("no file is changed: with these comments the build differs")
        return _compared(before, made)
    if others := [*_differences_elsewhere(given, copy)]:
        for line in others:
            stdio.tell(line)
        stdio.tell("no file is changed: give these a copy of their own, or keep the ExpandVars, without --comments")
        return printing.DIFFERS
    _comment(given, config)
    is_written = stdio.write((_config({"variables": spec["variables"]}).text,))
    _tell_left(given)
    return _compared(before, made) if is_written else 1


def _differences_elsewhere(given: Kustomizations, copy: Kustomizations) -> Iterator[str]:
    """Yield the differences that the files of a copy would make to other kustomizations of the repository.

    A kustomization that cannot be built now is reported, and does not keep the files from being changed.
    """
    texts = {path: stdio.read_file(copied) for path, copied in zip(given.files, copy.files, strict=True)}
    changed = {path: text for path, text in texts.items() if text != stdio.read_file(path)}
    for directory in kustomizations.around(os.path.commonpath([one.directory for one in given.all])):
        try:
            other = Kustomizations(directory)
            if other.top.path == given.top.path or changed.keys().isdisjoint(other.files):
                continue
            before = other.build()
        except InputError as error:
            stdio.report([notice(f"not compared: {error}", folder.LEFT_ALONE, file=_message_path(directory))])
            continue
        # A base does not declare the variables, so their references stay in its build. It gets the same values.
        for one in given.variables:
            before = before.replace(f"$({one.name})", str(one.value))
        with TemporaryDirectory() as room:
            after = other.with_files(room, changed).build()
        if after != before:
            yield f"{_message_path(other.top.path)} is built of these files, too, and would differ:"
            yield from _differences(before, after)


def _comment(given: Kustomizations, config: Config) -> list[results.Result]:
    """Expand the files of kustomizations in place, and return the results. FnError if the run fails."""
    found = sorted({*given.files})
    base = os.path.commonpath([given.top.directory, *found])
    with Folder(base) as opened, transaction.locked([opened]):
        package = files.read(opened, [os.path.relpath(path, base) for path in found])
        pipeline.expand(package, config)
        transaction.commit(opened, file_changes.of(package))
    return package.results


def _migrated(given: Kustomizations, before: str, after: str) -> int:
    """Write the ExpandVars, run the function with it on the build `after`, and compare this with the build `before`."""
    spec, notes = _declared(given.variables, after)
    spec = _with_targets(spec, before, after)
    made = pipeline.run(after, _config(spec))
    stdio.report(notes)
    stdio.report(result for result in made.results if is_printed(result))
    if not stdio.write((_config(spec).text,)) or results.failed(made.results):
        return 1
    _tell_left(given)
    return _compared(before, made.text)


def _tell_left(given: Kustomizations) -> None:
    for one in given.all:
        if one.variables:
            stdio.tell(f"remove `vars` from {_message_path(one.path)}")


def _compared(before: str, made: str) -> int:
    """Write each line in which two builds differ to standard error, and return the exit code."""
    differences = [*_differences(before, made)]
    for line in differences or ["the build stays the same, byte for byte"]:
        stdio.tell(line)
    return printing.DIFFERS if differences else 0


def _differences(before: str, made: str) -> Iterator[str]:
    return difflib.unified_diff(before.split("\n"), made.split("\n"), "vars", "expand-vars", n=0, lineterm="")


def _message_path(path: str) -> str:
    """Return the path of a file as messages have it."""
    return visible(os.path.relpath(path))


def _declared(given: Sequence[KustomizeVar], after: str) -> tuple[dict[str, Any], list[Result]]:
    """Return the `spec` that declares the variables, and results about them."""
    # kustomize inserts a value as it is, and expands references in it. This function does so only with a `value`, and
    # inserts a text from an object literally. So a value with a `$` is copied to a `value`.
    items = resourcelist.read(after).items
    spec: dict[str, Any] = {"inline": ["Variables"], "variables": [], "kustomizeVars": []}
    notes: list[Result] = []
    for one in given:
        is_secret = one.entry["objref"].get("kind") == "Secret"  # its value is never copied
        if isinstance(one.value, str) and "$" in one.value and not is_secret:
            spec["variables"].append({"name": one.name, "value": one.value})
            message = f"`{one.name}` is a copy of its value, because there is a `$` in it"
            notes.append(notice(message, LITERAL_REFERENCE))
        else:
            spec["kustomizeVars"].append(entry := _entry(one, items))
            if _is_hashed(one, entry["objref"]["name"]):
                field = entry.get("fieldref", {"fieldpath": _NAME})["fieldpath"]
                message = _HASHED_NAME.format(one.name, field=field, name=one.final_name)
                notes.append(notice(message, NAME_NOT_FINAL))
    return {key: value for key, value in spec.items() if value}, notes


def _entry(one: KustomizeVar, items: Sequence[Resource]) -> dict[str, Any]:
    """Return the element of `kustomizeVars` for an element of `vars`, with the final name of its object."""
    objref: dict[str, Any] = one.entry["objref"]
    field = one.entry.get("fieldref", {}).get("fieldpath") or _NAME
    # The hash changes with the data, and so does the name. A field that refers to the object always has the right name.
    if field == _NAME and _is_hashed(one, one.final_name):
        nodes = ((item, *found) for item in items for found in containers.scalars(item.root))
        fields = ((item, at) for item, at, node in nodes if at[:1] == ("spec",) and node.value == one.final_name)
        for item, place in fields:
            return {"name": one.name, "objref": item.ref.as_data(), "fieldref": {"fieldpath": item.path_of(place)}}
    kept = {key: objref[key.lower()] for key in ("apiVersion", "group", "version", "kind") if objref.get(key.lower())}
    kept["name"] = one.final_name
    namespaces = {item.namespace for item in items if (item.kind, item.name) == (objref["kind"], one.final_name)}
    # The namespace is needed only if several objects have the name. kustomize may have changed that of `objref`.
    if len(namespaces) > 1 and objref.get("namespace") in namespaces:
        kept["namespace"] = objref["namespace"]
    entry = {"name": one.name, "objref": kept}
    return entry if field == _NAME else {**entry, "fieldref": {"fieldpath": field}}


def _is_hashed(one: KustomizeVar, name: str) -> bool:
    """True if `name` is the name of the object, and ends with a hash of its data."""
    is_own = name == one.final_name and one.entry["objref"].get("kind") in ("ConfigMap", "Secret")
    return is_own and bool(_HASHED.fullmatch(name[-11:])) and name != one.entry["objref"]["name"]


def _with_targets(spec: dict[str, Any], before: str, after: str) -> dict[str, Any]:
    """Return a `spec` with targets for the fields that without targets differ from the build with `vars`."""
    dry = pipeline.run(after, _config(spec))
    if results.failed(dry.results):
        return spec
    found: dict[tuple[str, str], dict[str, None]] = {}
    builds = (resourcelist.read(text).items for text in (before, after, dry.text))
    for old, new, made in zip(*builds, strict=True):
        for place, scalar in containers.referring(new):
            is_left = old.get(place) != scalar.value and made.get(place) == scalar.value
            if is_left and not PodSpecs({}).is_expanded(new, place):
                # A varReference covers every element of a list, but names the keys of a mapping.
                path = fieldpath.to_text(fieldpath.general(place))
                found.setdefault((new.group, new.kind), {})[path] = None
    kinds = {of: {"group": re.escape(of[0]), "kind": of[1]} if of[0] else {"kind": of[1]} for of in found}
    targets = [{"select": kinds[of], "fieldPaths": [*field_paths]} for of, field_paths in found.items()]
    return {**spec, "targets": targets} if targets else spec


def _config(spec: dict[str, Any]) -> Resource:
    return Resource.alone(style.document(manifest(spec)), "the ExpandVars")


_MARK = "# kpt-set: "
_SETTER = re.compile(r"\$\{([^$}]*)\}")
_OF_SETTERS = re.compile(r"(?:^|/)apply-setters(?:[:@]|$)")


class _NoTemplateError(Exception):
    """No template does what the comment of a setter does. The message says why, and what to do."""


def _from_setters(path: str) -> int:
    """Change the files of a package, and return the exit code: 0 if no comment of setters is left, else 3. FnError."""
    with Folder(path) as opened, transaction.locked([opened]):
        package = files.read(opened)
        left = [result for item in package.items for result in _without_setters(item)]
        steps = 0 if left else sum(map(_replaced_steps, package.items))
        changed = file_changes.of(package)
        package.locate(left)
        stdio.report(folder.name_below(path, left))
        transaction.commit(opened, changed)
    for line in printing.summary(changed, lambda file: folder.called(path, file), is_done=True):
        stdio.tell(line.rstrip("\n"))
    if not steps:
        stdio.tell(f"run `{IMAGE}` {'behind' if left else 'in the place of'} `apply-setters`, with the same values")
    return 3 if left else 0


def _without_setters(item: Resource) -> Iterator[Result]:
    """Replace the comments of setters in an item by templates, and yield a warning for each comment that stays."""
    made = []
    root = item.root if item.spells(_MARK) else None
    text = "" if root is None else item.editor.text
    comments = reading.MarkedComments(text, root, _MARK)
    for line, mark in comments.marks.items():
        entry, place = next(iter(comments.ending_in(line)), None), comments.near(line)
        end = lines.line_end(text, mark)
        # The mark begins the comment, which is behind something.
        begun = lines.comment_in(text, line if entry is None else entry.node.end).lstrip()
        if len(begun) != end - mark or lines.is_first(text, mark):
            continue
        written = text[mark + len(_MARK) : end].strip()
        try:
            # Setters write no value into an empty field.
            if _SETTER.search(written) and (entry is None or entry.node.start < entry.node.end):
                made.append(Edit(mark, end, f"{reading.MARK} {_template(item, entry, place, written)}"))
        except _NoTemplateError as error:
            yield item.notice(f"`{_MARK}{written}` stays: {error}", "", *([place] if place else []))
    item.splice(made)


def _template(item: Resource, entry: FieldEntry | None, place: Place, written: str) -> str:
    """Return the template that does what the comment of a setter at a place does. _NoTemplateError if there is none."""
    if item.kind == KPTFILE or item.group == GROUP or item.is_local_config:
        raise _NoTemplateError("this function changes no object that configures tools")
    if entry is None and isinstance(at(item.root, *place), Scalar):
        raise _NoTemplateError("the template of a text over several lines is above it: write it by hand")
    if entry is None or not isinstance(entry.node, Scalar):
        raise _NoTemplateError("a template is of one text: give each element of a list its own comment")
    if "$" in _SETTER.sub("", written) or not all(map(syntax.is_name, _SETTER.findall(written))):
        raise _NoTemplateError(
            "a name has letters, digits, `_`, `-` and `.`, and no other `$` stands in it: write the template by hand"
        )
    template = _SETTER.sub(r"$(\1)", written)
    if not Pattern.of(template).readings(entry.node.value):
        raise _NoTemplateError("the text is not of its shape: run `apply-setters` once, and then this again")
    return scalars.leaf(template, flow=False, style=entry.node.style)


def _replaced_steps(item: Resource) -> int:
    """Replace the image of setters in the steps of a Kptfile by that of this function. Return how many there were."""
    paths = [("pipeline", step, WILDCARD, "image") for step in ("mutators", "validators") if item.kind == KPTFILE]
    found = [place for path in paths for place, node in item.find(path) if _OF_SETTERS.search(text_at(node) or "")]
    for place in found:
        item.set(place, IMAGE)
    return len(found)
