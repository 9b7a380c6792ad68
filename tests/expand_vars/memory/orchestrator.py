"""The part of kpt: files become a ResourceList, functions change it, and what comes out goes back into the files."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from expand_vars import pipeline
from krm.resource import Resource
from tests import process
from tests.expand_vars.memory import editor, model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Files = dict[str, str]

_NOTES = ("config.kubernetes.io/path", "config.kubernetes.io/index", "internal.config.kubernetes.io/id")
_NOTE = re.compile(rf"^ +(?:{'|'.join(map(re.escape, _NOTES))}): .*\n", re.MULTILINE)
_EMPTY = re.compile(r"^  annotations:\n(?!    )", re.MULTILINE)


class Told(NamedTuple):
    """A result of a run."""

    reason: str
    severity: str
    name: str
    field: str
    message: str


class Ran(NamedTuple):
    """The files after a run, and its results."""

    files: Files
    results: list[Told]
    code: int


def run(files: Mapping[str, str], config: str) -> Ran:
    """Run the function over files, with one of them as the functionConfig."""
    own = _noted(files[config], config, 0, [*files].index(config))
    return run_with(files, Resource(own, (0, len(own)), "the functionConfig"))


def run_with(files: Mapping[str, str], config: Resource | None, arguments: Iterable[tuple[str, str]] = ()) -> Ran:
    """Run the function over files, with a functionConfig from elsewhere."""
    documents = [(path, index, one) for path, text in files.items() for index, one in enumerate(_split(text))]
    items = "".join(_element(_noted(text, path, index, number)) for number, (path, index, text) in enumerate(documents))
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    output = pipeline.run(f"{head}{items}", config, arguments)
    results = [
        Told(str(one.reason or ""), one.severity, (one.ref and one.ref.name) or "", str(one.field or ""), one.message)
        for one in output.results
    ]
    after = output.text.partition("\nresults:\n")[0].removesuffix("\n") + "\n"
    listed = after.removeprefix(head) if not output.exit_code else items
    return Ran(_filed(listed), results, output.exit_code)


def run_on_disk(files: Mapping[str, str], config: str) -> Ran:
    """Run the command line over a directory with these files."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        results = folder.with_suffix(".results")
        command = ("eval", ".", "--fn-config", config, "--results", str(results))
        answer = process.run(*command, stdin=b"", folder=folder)
        found = model.loaded(results.read_text())["results"] if results.exists() else ()
        results.unlink(missing_ok=True)
        after = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert answer.code in (0, 1), answer.stderr
    return Ran(dict(sorted(after.items())), [_told(one) for one in found], answer.code)


def _told(result: dict) -> Told:
    ref, field = result.get("resourceRef") or {}, result.get("field") or {}
    reason, severity = result["tags"]["reason"], result["severity"]
    return Told(reason, severity, ref.get("name", ""), field.get("path", ""), result["message"])


def _split(text: str) -> list[str]:
    """Return the documents of a file."""
    return re.split(r"^---\n", text, flags=re.MULTILINE)


def _element(text: str) -> str:
    lines = (f"  {line}\n" if line else "\n" for line in text.splitlines())
    return f"- {''.join(lines)[2:]}"


def _noted(text: str, path: str, index: int, number: int) -> str:
    notes = "".join(f"    {key}: '{value}'\n" for key, value in zip(_NOTES, (path, index, number), strict=True))
    if "\n  annotations:\n" in text:
        return text.replace("\n  annotations:\n", f"\n  annotations:\n{notes}", 1)
    return text.replace("\nmetadata:\n", f"\nmetadata:\n  annotations:\n{notes}", 1)


def _filed(items: str) -> Files:
    """Return the items as files. A new one gets its name from kpt, behind what is in a file of that name."""
    files: Files = {}
    for element in re.split(r"^- ", items, flags=re.MULTILINE)[1:]:
        text = "\n".join(line.removeprefix("  ") for line in element.split("\n"))
        noted = model.loaded(text)["metadata"].get("annotations") or {}
        path = noted.get(_NOTES[0]) or _default_path(text)
        document = _EMPTY.sub("", _NOTE.sub("", text))
        files[path] = f"{files[path]}---\n{document}" if path in files else document
    return dict(sorted(files.items()))


def _default_path(text: str) -> str:
    resource = model.loaded(text)
    folder = f"{resource['metadata']['namespace']}/" if "namespace" in resource["metadata"] else ""
    return f"{folder}{resource['kind'].lower()}_{resource['metadata']['name']}.yaml"


def prefix_names(text: str) -> str:
    """Do what a name prefix does."""
    name = model.loaded(text)["metadata"]["name"]
    return text if name.startswith("pre-") else editor.set_scalar(text, ("metadata", "name"), f"pre-{name}")


def set_namespace(text: str) -> str:
    """Do what `set-namespace` does."""
    return _set(text, "namespace", "prod")


def set_labels(text: str) -> str:
    """Do what `set-labels` does, but for the labels of pods."""
    labels = model.loaded(text)["metadata"].get("labels")
    if not labels:
        return editor.add_entry(text, ("metadata",), "labels", {"env": "prod"})
    if "env" in labels:
        return editor.set_scalar(text, ("metadata", "labels", "env"), "prod")
    return editor.add_entry(text, ("metadata", "labels"), "env", "prod")


def _set(text: str, key: str, value: str) -> str:
    if key in model.loaded(text)["metadata"]:
        return editor.set_scalar(text, ("metadata", key), value)
    return editor.add_entry(text, ("metadata",), key, value)


FUNCTIONS = {"prefix-names": prefix_names, "set-namespace": set_namespace, "set-labels": set_labels}
