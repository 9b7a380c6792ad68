"""A model of templates in comments, by brute force: what a run makes of each field (docs/reference/runs-in-place.md).

It knows lines of a few forms, and all ways in which a short text can be cut into the texts of a template's names. It
imports nothing of the implementation.
"""

from __future__ import annotations

import re
from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field

Texts = dict[str, str]
Told = Counter[tuple[str, str, str]]
"""How often each reason was told, with file and field."""

REFERENCE = re.compile(r"\$\((\w+)\)")


@dataclass
class Field:
    """A field: its text, and the template in its comment. A block has a free line above, which no template has."""

    form: str
    text: str
    template: str | None = None
    free: str = "set -e"

    def lines(self) -> list[str]:
        """Return how the field is written, from its own column on."""
        note = "" if self.template is None else f" # expand: {self.template}"
        match self.form:
            case "plain":
                return [f"- {self.text}{note}"]
            case "quoted":
                note = note and f' # expand: "{self.template}"'
                return [f'- "{self.text}"{note}']
            case "block":
                above = [] if self.template is None else ["# expand: - |", f"#   {self.template}"]
                return [*above, "- |", f"  {self.free}", f"  {self.text}"]
            case "brackets":
                above = [] if self.template is None else [f'# expand: command: [sh, "{self.template}"]']
                return [*above, f'command: [sh, "{self.text}"]']
        return [f"{self.form}: {self.text}{note}"]

    @property
    def names(self) -> list[str]:
        return REFERENCE.findall(self.template or "")


@dataclass
class Container:
    name: str
    command: list[Field] = field(default_factory=list)
    args: list[Field] = field(default_factory=list)


@dataclass
class Document:
    """A Deployment with containers, or a custom resource with fields, in one of the package's files."""

    file: str
    name: str
    containers: list[Container] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)

    def written(self) -> str:
        if self.fields:
            lines = ["apiVersion: e.com/v1", "kind: Thing", "metadata:", f"  name: {self.name}", "spec:"]
            return "\n".join([*lines, *(f"  {line}" for one in self.fields for line in one.lines())]) + "\n"
        lines = ["apiVersion: apps/v1", "kind: Deployment", "metadata:", f"  name: {self.name}"]
        lines += ["spec:", "  template:", "    spec:", "      containers:"]
        for container in self.containers:
            lines.append(f"      - name: {container.name}")
            lines += [f"        {line}" for one in container.command for line in one.lines()]
            lines.append("        args:" if container.args else "        args: []")
            lines += [f"        {line}" for one in container.args for line in one.lines()]
        return "\n".join(lines) + "\n"

    def placed(self) -> list[tuple[str, str, Field]]:
        """Return each field behind its document and path, and the kind of list that it is in."""
        found = [(f"{self.name} spec.{one.form}", "", one) for one in self.fields]
        for container in self.containers:
            path = f"{self.name} spec.template.spec.containers[name={container.name}]"
            found += [(f"{path}.command[1]", "command", one) for one in container.command]
            found += [(f"{path}.args[{number}]", "args", one) for number, one in enumerate(container.args)]
        return found


@dataclass
class Place:
    """A field in a package: where it is, and what stands there for the names of its template."""

    file: str
    path: str
    group: tuple[int, str, str]
    field: Field
    readings: list[Texts]

    @property
    def has_values(self) -> bool:
        return not self.group[1]

    @property
    def reading(self) -> Texts | None:
        """What stands for the names, if that can be told."""
        return self.readings[0] if len(self.readings) == 1 else None

    @property
    def back(self) -> set[str]:
        """The names that stand for themselves."""
        return {name for name in self.field.names if all(one.get(name) == f"$({name})" for one in self.readings)}

    def narrow(self, *known: Texts) -> None:
        """Keep the one reading that this run's values or others tell, unless the two tell different ones."""
        told = [found[0] for texts in known if len(found := self._fitting(texts)) == 1]
        self.readings = told[:1] if told and all(one == told[0] for one in told) else self.readings

    def settle(self, values: Texts, others: Texts) -> None:
        """Keep one reading if each name with a value has one place in all that this run and other fields leave."""
        names = self.field.names
        given = {name: values[name] for name in names if name in values}
        told = ({name: text for name, text in given.items() if text}, others)
        readings = [one for known in told for one in self._fitting(known)] or self.readings
        gaps = dict.fromkeys(given, "|")
        places = {(said(self.field.template or "", one | gaps), *(one[name] for name in given)) for one in readings}
        if given and len(places) == 1 and len({*names}) == len(names):
            self.readings = readings[:1]

    def _fitting(self, known: Texts) -> list[Texts]:
        """Return the readings that say what is known of names that nobody put back."""
        open_ = {name: text for name, text in known.items() if name in {*self.field.names} - self.back}
        return [one for one in self.readings if one.items() >= open_.items()]


class Package:
    """The documents of a package, and what its runs have to do."""

    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents

    def copy(self) -> Package:
        return Package(deepcopy(self.documents))

    def files(self) -> dict[str, str]:
        """Return the text of each file."""
        found: dict[str, list[str]] = {}
        for document in self.documents:
            found.setdefault(document.file, []).append(document.written())
        return {file: "---\n".join(texts) for file, texts in found.items()}

    def fields(self) -> list[Field]:
        return [one for document in self.documents for _, _, one in document.placed()]

    def run(self, values: Texts) -> Run:
        """Let the fields follow these values."""
        return Run(self, values)


class Run:
    """What a run has to do: `told` with file and field, and `messages` about names."""

    def __init__(self, package: Package, values: Texts) -> None:
        self.values = values
        self.told: Told = Counter()
        self.messages: Counter[str] = Counter()
        self._changed: dict[str, list[tuple[Place, str]]] = {}
        self._kept: Counter[str] = Counter()
        self._places = [
            Place(document.file, path, (id(document), kind, one.template or ""), one, readings(one))
            for document in package.documents
            for path, kind, one in document.placed()
        ]
        given = {name: text for name, text in values.items() if text}
        whole = [place.readings for place in self._places]
        for place in self._places:
            place.narrow(given)
        # What others say is asked before any of them is told apart by others.
        by_others = [self._by_others(place) for place in self._places]
        self._said = [place for place in self._places if place.reading and not self._is_renewed(place)]
        for place, all_readings, others in zip(self._places, whole, by_others, strict=True):
            place.readings = all_readings
            place.narrow(given, others)
            if place.has_values:
                place.settle(values, others)
        left = self._doubled()
        for place in self._places:
            if id(place) not in left:
                self._follow(place)
        self._tell()

    def _is_renewed(self, place: Place) -> bool:
        """True if a text has a reference that its template has not, and so is a template itself."""
        for name, text in (place.reading or {}).items():
            live = {*REFERENCE.findall(text)} - ({name} if text == f"$({name})" else set())
            if live and (name in self.values or not live.isdisjoint(self.values)):
                return True
        return not place.readings and bool(REFERENCE.findall(place.field.text))

    def _by_others(self, place: Place) -> Texts:
        """Return what all other fields say for the names that have no value, if they do and agree."""
        found = {}
        for name in place.field.names:
            if name not in self.values:
                said_ = {
                    other.reading[name]
                    for other in self._places
                    if other.reading and name in other.reading and not self._is_renewed(other)
                    if other.has_values is place.has_values and other is not place
                }
                found[name] = said_ - {f"$({name})"}
        return {name: min(texts) for name, texts in found.items() if {*map(len, found.values())} == {1}}

    def _follow(self, place: Place) -> None:
        one = place.field
        if one.template is None or self._is_renewed(place):
            can_be = place.has_values and one.template is None
            if not can_be and not self.values.keys().isdisjoint(REFERENCE.findall(one.text)):
                one.template, one.text = one.text, said(one.text, self.values)
            elif one.template is not None:
                self._tell_if_declared("EditedByHand", place)
        elif not place.readings:
            self._tell_if_declared("EditedByHand", place)
        elif place.reading is None and not {*one.names} - place.back <= self.values.keys():
            self._tell_if_declared("AmbiguousText", place)
        else:
            self._follow_reading(place, place.reading or {})

    def _follow_reading(self, place: Place, texts: Texts) -> None:
        for name, text in texts.items():
            if text != f"$({name})":
                if name in self.values:
                    self._changed.setdefault(name, []).append((place, text))
                else:
                    self._kept[name] += 1
        place.field.text = said(place.field.template or "", texts | self.values)

    def _tell_if_declared(self, reason: str, place: Place) -> None:
        if any(name in self.values for name in place.field.names):
            self.told[reason, place.file, place.path] += 1

    def _doubled(self) -> set[int]:
        """Return the fields that a template may have been copied to, by their `id()`."""
        groups: dict[tuple[int, str, str], list[Place]] = {}
        for place in self._places:
            is_back = any(f"$({name})" in place.field.text for name in place.field.names)
            if place.readings and not place.has_values and not is_back and not self._is_renewed(place):
                groups.setdefault(place.group, []).append(place)
        left: set[int] = set()
        for group, places in groups.items():
            differ = len({one.field.text for one in places}) > 1
            if differ and any(name in self.values for name in places[0].field.names):
                found = [one for one in places if not self._is_own(one, group)]
                left |= {*map(id, found)}
                for one in found:
                    self.told["TemplateDoubled", one.file, one.path] += 1
        return left

    def _is_own(self, place: Place, group: tuple[int, str, str]) -> bool:
        others = [one for one in self._said if one.group != group and one.has_values is place.has_values]
        return any(
            self.values[name] == text or any((other.reading or {}).get(name) == text for other in others)
            for name, text in (place.reading or {}).items()
            if name in self.values
        )

    def _tell(self) -> None:
        """Note what there is to tell about each name."""
        for name, number in self._kept.items():
            self.messages[
                f"this run has no value for `{name}`: what stands there for it stays in {_count(number)}"
            ] += 1
        for name, fields in self._changed.items():
            now = self.values[name]
            before = [text for _, text in fields if text != now]
            if before:
                listed = ", ".join(f"`{text}`" for text in dict.fromkeys(before))
                self.messages[f"`{name}` is `{now}` now, and was {listed}, in {_count(len(before))}"] += 1


def readings(one: Field) -> list[Texts]:
    """Return what the names of a field's template may stand for: all ways to cut its text."""
    if one.template is None:
        return []
    pieces = REFERENCE.split(one.template)
    found = [*_cut(one.text, pieces[::2], pieces[1::2], {})]
    unfilled = {name: f"$({name})" for name in one.names if f"$({name})" in one.text}
    return [texts for texts in found if texts.items() >= unfilled.items()] or found


def _cut(text: str, literals: list[str], names: list[str], so_far: Texts) -> list[Texts]:
    if not text.startswith(literals[0]):
        return []
    rest = text[len(literals[0]) :]
    if not names:
        return [] if rest else [so_far]
    name, found = names[0], []
    for end in [len(so_far[name])] if name in so_far else range(len(rest) + 1):
        if so_far.get(name, rest[:end]) == rest[:end]:
            found += _cut(rest[end:], literals[1:], names[1:], so_far | {name: rest[:end]})
    return found


def said(template: str, values: Texts) -> str:
    """Return what a template says with these values."""
    return REFERENCE.sub(lambda one: values.get(one[1], one[0]), template)


def _count(number: int) -> str:
    return "1 field" if number == 1 else f"{number} fields"


LINE = {
    "block": re.compile(r"(?:# expand: - \|\n#   (?P<template>.*)\n)?- \|\n  (?P<free>.*)\n  (?P<text>.*)\n"),
    "quoted": re.compile(r'- "(?P<text>[^"\n]*)"(?: # expand: "(?P<template>[^"\n]*)")?\n'),
    "plain": re.compile(r"- (?P<text>[^#\n|]*?)(?: # expand: (?P<template>.*))?\n"),
    "brackets": re.compile(
        r'(?:# expand: command: \[sh, "(?P<template>.*)"\]\n)?command: \[sh, "(?P<text>[^"\n]*)"\]\n'
    ),
    "size": re.compile(r"size: (?P<text>[^#\n]*?)(?: # expand: (?P<template>.*))?\n"),
    "host": re.compile(r"host: (?P<text>[^#\n]*?)(?: # expand: (?P<template>.*))?\n"),
}


def read(files: dict[str, str]) -> Package | None:
    """Return the package in files, None where they are not of these forms: a merge by lines may take any lines."""
    package = Package([])
    for file, text in files.items():
        for written in text.split("---\n") if text else ():
            document = _document(file, written)
            if document is None:
                return None
            package.documents.append(document)
    names = [document.name for document in package.documents]
    return package if package.files() == {k: v for k, v in files.items() if v} and len({*names}) == len(names) else None


def _document(file: str, text: str) -> Document | None:
    name = re.search(r"\n  name: (.*)\n", text)
    head, _, body = text.partition("\nspec:\n")
    if name is None or not body:
        return None
    document = Document(file, name[1])
    if "kind: Thing" in head:
        document.fields = _fields(re.sub(r"(?m)^  ", "", body))
    for written in body.split("      - name: ")[1:]:
        of, _, rest = written.partition("\n")
        found = _fields(re.sub(r"(?m)^        ", "", rest))
        is_command = [one for one in found if one.form == "brackets"]
        document.containers.append(Container(of, is_command, [one for one in found if one.form != "brackets"]))
    names = [one.name for one in document.containers]
    return document if len({*names}) == len(names) else None


def _fields(text: str) -> list[Field]:
    found, position = [], 0
    while position < len(text):
        for form, pattern in LINE.items():
            one = pattern.match(text, position)
            if one is not None:
                found.append(Field(form, **one.groupdict()))
                position = one.end()
                break
        else:
            position = text.find("\n", position) + 1 or len(text)
    return found
