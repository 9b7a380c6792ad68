#!/usr/bin/env python3
"""Find fields by their value or their path, and put a value or a comment there.

The functionConfig has `by-value`, `by-value-regex` or `by-path`, and `put-value`, in which `${1}` is the first group of
the pattern, or `put-comment`. Without these it reports what it finds.
"""

import re
from dataclasses import dataclass, field

import krm


@dataclass
class Config:
    by_value: str | None = field(default=None, metadata={"key": "by-value"})
    by_value_regex: str | None = field(default=None, metadata={"key": "by-value-regex"})
    by_path: str | None = field(default=None, metadata={"key": "by-path"})
    put_value: str | None = field(default=None, metadata={"key": "put-value"})
    put_comment: str | None = field(default=None, metadata={"key": "put-comment"})


def search_replace(resource_list: krm.ResourceList) -> None:
    config = krm.decode(resource_list.function_config, Config)
    if config.by_value is None and config.by_value_regex is None and config.by_path is None:
        raise krm.FnError("give `by-value`, `by-value-regex` or `by-path`")
    for item in resource_list.items:
        for leaf in item.walk(leaves=True):
            match = matched(leaf, item, config)
            if match is not None:
                put(leaf, match, config, resource_list)
        add(item, config)


def matched(leaf: krm.Part, item: krm.Resource, config: Config) -> re.Match[str] | None:
    """Return the match of a scalar's text, None if value or path is another."""
    if config.by_value not in (None, leaf.text):
        return None
    if config.by_path is not None and not leads(config.by_path, leaf, item):
        return None
    return re.search(config.by_value_regex or ".*", leaf.text, re.DOTALL)


def leads(path: str, leaf: krm.Part, item: krm.Resource) -> bool:
    """True if a path leads to a scalar: `**` is any number of steps."""
    if "**" in path:
        return re.fullmatch(re.escape(path).replace(r"\*\*", ".*"), leaf.path) is not None
    return leaf in item.parts(path)


def put(leaf: krm.Part, match: re.Match[str], config: Config, resource_list: krm.ResourceList) -> None:
    text = before = leaf.text
    if config.put_value is not None:
        value = re.sub(r"\$\{(\d+)\}", lambda group: match[int(group[1])], config.put_value)
        text = text[: match.start()] + value + text[match.end() :] if config.by_value_regex else value
        leaf.text = text
    if config.put_comment is not None:
        comment = re.sub(r"\$\{(\d+)\}", lambda group: match[int(group[1])], config.put_comment)
        leaf.set_comment("", comment)
    resource_list.info(f"matched `{before}`", leaf, proposed=text)


def add(item: krm.Resource, config: Config) -> None:
    """Add the field of a path that is absent."""
    path, value = config.by_path, config.put_value
    if path and value is not None and "*" not in path and config.by_value is None and item.part(path) is None:
        item.set_text(path, value)


if __name__ == "__main__":
    krm.run(search_replace)
