"""What a user does to a file in an editor: lines come, go and change, and no other byte does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    Place = tuple[str | int, ...]

_WIDE = 1 << 20


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as literals, and nothing as an alias."""

    def ignore_aliases(self, _: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


_dumps: dict[str, str] = {}


def dumped(value: Any) -> str:
    """Return data as YAML in block style. Most of it is asked for again and again."""
    key = repr(value)
    if key not in _dumps:
        _dumps[key] = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDE)
    return _dumps[key]


def scalar(value: Any) -> str:
    """Return a value that fits on one line."""
    return yaml.safe_dump(value, default_flow_style=True, width=_WIDE).removesuffix("\n").removesuffix("\n...")


def places(text: str, kind: type[yaml.Node] = yaml.ScalarNode) -> list[Place]:
    """Return the places of all nodes of a kind but those that only we write."""
    return [place for place, node in _nodes(_root(text), ()) if isinstance(node, kind)]


def _root(text: str) -> yaml.Node:
    root = yaml.compose(text)
    assert root is not None
    return root


def _nodes(node: yaml.Node, place: Place) -> Iterator[tuple[Place, yaml.Node]]:
    if any(str(step).startswith("expandvars.dev/") for step in place):
        return
    yield place, node
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _nodes(value, (*place, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _nodes(value, (*place, index))


def _find(text: str, place: Place) -> tuple[yaml.Node, yaml.Node]:
    """Return the key of an entry, or the element of a list, and its value."""
    node = key = _root(text)
    for step in place:
        if isinstance(node, yaml.MappingNode):
            key, node = next((key, value) for key, value in node.value if key.value == step)
        else:
            key = node = node.value[step]
    return key, node


def _end(text: str, node: yaml.Node) -> int:
    """Return where the last line of a node ends: PyYAML's own mark is behind the comments that follow."""
    if isinstance(node, yaml.MappingNode) and node.value:
        return _end(text, node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and node.value:
        return _end(text, node.value[-1])
    if isinstance(node, yaml.ScalarNode) and node.style == "|":
        return text.rindex("\n", 0, node.end_mark.index) + 1
    return text.index("\n", node.end_mark.index) + 1


def _line(text: str, node: yaml.Node) -> int:
    """Return where the line of a node starts."""
    return text.rfind("\n", 0, node.start_mark.index) + 1


def set_scalar(text: str, place: Place, value: Any) -> str:
    key, node = _find(text, place)
    is_literal = isinstance(node, yaml.ScalarNode) and node.style == "|"
    end = _end(text, node) - 1 if is_literal else node.end_mark.index
    margin = " " * (key.start_mark.column + 2)
    new = "|\n" + "\n".join(f"{margin}{line}" for line in value.splitlines()) if _is_long(value) else scalar(value)
    return text[: node.start_mark.index] + new + text[end:]


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and "\n" in value


def delete(text: str, place: Place) -> str:
    """Take an entry or an element away, and what holds nothing else."""
    _, above = _find(text, place[:-1])
    if len(above.value) == 1:
        return delete(text, place[:-1])
    key, node = _find(text, place)
    return text[: _line(text, key)] + text[_end(text, node) :]


def add_entry(text: str, place: Place, key: str, value: Any) -> str:
    """Add an entry behind the last one of a mapping in block style, or in the place of `{}`."""
    above, mapping = _find(text, place)
    if not mapping.value:
        margin = " " * (above.start_mark.column + 2)
        lines = "".join(f"\n{margin}{line}" for line in dumped({key: value}).splitlines())
        return text[: mapping.start_mark.index].rstrip(" ") + lines + text[mapping.end_mark.index :]
    margin = " " * mapping.value[0][0].start_mark.column
    lines = "".join(f"{margin}{line}\n" for line in dumped({key: value}).splitlines())
    end = _end(text, mapping)
    return text[:end] + lines + text[end:]


def add_annotation(text: str, key: str) -> str:
    metadata, annotations = ("metadata",), ("metadata", "annotations")
    if "\n  annotations:\n" in text:
        return add_entry(text, annotations, key, "true")
    return add_entry(text, metadata, "annotations", {key: "true"})


def delete_annotation(text: str, key: str) -> str:
    return delete(text, ("metadata", "annotations", key))


def insert_element(text: str, place: Place, index: int, value: Any) -> str:
    """Insert an element into a list in block style."""
    _, found = _find(text, place)
    margin = " " * (found.value[0].start_mark.column - 2)
    lines = "".join(f"{margin}{line}\n" for line in dumped([value]).splitlines())
    start = _line(text, found.value[index]) if index < len(found.value) else _end(text, found)
    return text[:start] + lines + text[start:]


def comment_behind(text: str, place: Place, comment: str) -> str:
    """Write a comment behind a value that takes one line and has none."""
    _, node = _find(text, place)
    end = text.find("\n", node.end_mark.index)
    if node.start_mark.line != node.end_mark.line or "#" in text[node.end_mark.index : end]:
        return text
    return f"{text[:end]}  # {comment}{text[end:]}"


def comment_above(text: str, place: Place, comment: str) -> str:
    """Write a comment above the line of an entry."""
    key, _ = _find(text, place)
    start = _line(text, key)
    margin = " " * (len(text[start:]) - len(text[start:].lstrip()))
    return f"{text[:start]}{margin}# {comment}\n{text[start:]}"
