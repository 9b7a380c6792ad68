#!/usr/bin/env python3
"""Put a substring in front of, or behind, every name that does not hold it.

The functionConfig has `prepend` or `append`; or it is of kind EnsureNameSubstring, with `substring` and `editMode`.
"""

from dataclasses import dataclass, field
from typing import Literal

import krm


@dataclass
class Config:
    substring: str = ""
    edit_mode: Literal["prepend", "append"] = "prepend"
    additional_name_fields: list[str] = field(default_factory=list)
    prepend: str = ""
    append: str = ""


def ensure_name_substring(resource_list: krm.ResourceList) -> None:
    config = krm.decode(resource_list.function_config, Config)
    prefix = config.prepend or (config.substring if config.edit_mode == "prepend" else "")
    suffix = config.append or (config.substring if config.edit_mode == "append" else "")
    if bool(prefix) == bool(suffix):
        raise krm.FnError(krm.Result("give exactly one of `prepend` and `append`, or a `substring`", krm.ERROR))
    for item in resource_list.items:
        with item.edit():
            for path in ("metadata.name", *config.additional_name_fields):
                name = item.get_str(path)
                if name and prefix + suffix not in name:
                    item.set(path, prefix + name + suffix)


if __name__ == "__main__":
    krm.run(ensure_name_substring)
