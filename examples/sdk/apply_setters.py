#!/usr/bin/env python3
"""Write values of the functionConfig into the fields that a comment `# kpt-set: ...${name}...` marks.

Each key in the `data` of the functionConfig, a ConfigMap, is a setter. A list is marked in the line of its key, and its
setter is a YAML list: `[a, b]`.
"""

import re

import krm

MARK = re.compile(r"kpt-set:\s*(.*)")
REFERENCE = re.compile(r"\$\{([^}]*)\}")


def apply_setters(resource_list: krm.ResourceList) -> None:
    config = resource_list.function_config
    setters = {} if config is None else config.string_map("data")
    for item in resource_list.items:
        if "kpt-set:" in item.text:
            for path in paths(item):
                if mark := MARK.fullmatch(item.comment(path)):
                    apply(item, path, mark[1], setters, resource_list)


def paths(item: krm.Resource) -> list[str]:
    """Return the path of every scalar, and of every list of scalars."""
    leaves = [leaf.path for leaf in item.walk()]
    lists = [path.removesuffix("[0]") for path in leaves if path.endswith("[0]")]
    return [*leaves, *lists]


def apply(
    item: krm.Resource, path: str, pattern: str, setters: dict[str, str], resource_list: krm.ResourceList
) -> None:
    names = REFERENCE.findall(pattern)
    if unknown := [name for name in names if name not in setters]:
        if len(unknown) < len(names):
            message = f"values for setters {', '.join(unknown)} must be given"
            raise krm.FnError(message, item, path)
        return
    text = REFERENCE.sub(lambda name: setters[name[1]], pattern)
    before = item.get(path)
    if isinstance(before, list):
        item.set(path, elements(text))
    else:
        item.set_text(path, text)
    if item.get(path) != before:
        resource_list.info(f"set field value to {text!r}", item, path)


def elements(text: str) -> list[str]:
    """Return the elements of a list that is written in brackets, or in lines with dashes."""
    if text.startswith("["):
        return [one.strip().strip("\"'") for one in text.strip("[] \n").split(",") if one.strip()]
    return [line.lstrip("- ").strip() for line in text.splitlines() if line.strip()]


if __name__ == "__main__":
    krm.run(apply_setters)
