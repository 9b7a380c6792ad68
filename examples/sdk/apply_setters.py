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
            for part in item.walk():
                if mark := MARK.fullmatch(part.comment()):
                    apply(part, mark[1], setters, resource_list)


def apply(part: krm.Part, pattern: str, setters: dict[str, str], resource_list: krm.ResourceList) -> None:
    names = REFERENCE.findall(pattern)
    if unknown := [name for name in names if name not in setters]:
        if len(unknown) < len(names):
            message = f"values for setters {', '.join(unknown)} must be given"
            raise krm.FnError(message, part)
        return
    text = REFERENCE.sub(lambda name: setters[name[1]], pattern)
    before = part.get()
    if isinstance(before, list):
        part.set("", elements(text))
    else:
        part.text = text
    if part.get() != before:
        resource_list.info(f"set field value to {text!r}", part)


def elements(text: str) -> list[str]:
    """Return the elements of a list that is written in brackets, or in lines with dashes."""
    if text.startswith("["):
        return [one.strip().strip("\"'") for one in text.strip("[] \n").split(",") if one.strip()]
    return [line.lstrip("- ").strip() for line in text.splitlines() if line.strip()]


if __name__ == "__main__":
    krm.run(apply_setters)
