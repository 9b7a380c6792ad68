"""The law of files in fields: a value goes in as the file's language spells it, the next one follows, and all go back.

docs/reference/expansion.md, "Files in a field". The judges are PyYAML and the json of Python: they read what was
written, and the model puts values into the data that the author wrote. The bytes are judged by `--restore`.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from krm import resourcelist
from krm.template_comments import writing
from tests.expand_vars.expansion.running import run

if TYPE_CHECKING:
    from collections.abc import Callable

    Values = dict[str, str]
    Part = Callable[[Values], Any]

SEEDS = range(60 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 8)
TIMES = 25
SPEC = 'record: Always\nunresolved: Ignore\ntargets: [{fieldPaths: ["data[*]"]}]\n'
PLAIN = ["eu", "80", "1.0", "true", "null", "yes", "0644", "", "x y", "1.2.3", "-", "~", "[", "<<", "2024-01-01"]
ODD = [
    'say "hi": yes',
    "it's",
    "a # b",
    "a: b",
    "{a}",
    "- x",
    "c:\\temp\\n",
    "&x",
    "*x",
    "!t",
    "%",
    "@",
    "`",
    "| x",
    " x ",
]
ODDER = ["\té", "\u2028", "\x85", "\a", "🦊", "a\nb", "\n", "$", "$$", "a\r\nb", "'", '"', "\\", "},", '",']
NAMES = "ABC"


def leaf(random: Random, *, is_json: bool, flow: bool) -> tuple[str, Part]:
    """Return the source of a scalar, and what it says with values."""
    name = random.choice(NAMES)
    whole: list[tuple[str, Part]] = [
        (f"$({name})", lambda values: typed(values[name])),
        (f'"$({name})"', lambda values: values[name]),
        (f'"\\u00e9 \\"$({name})\\" \\\\"', lambda values: f'é "{values[name]}" \\'),
        ("1.0", lambda _: 1.0),
        ('"x"', lambda _: "x"),
    ]
    plain: list[tuple[str, Part]] = [
        (f"x-$({name})", lambda values: f"x-{values[name]}"),
        (f"it is $({name}) here", lambda values: f"it is {values[name]} here"),
        (f"'it''s $({name})'", lambda values: f"it's {values[name]}"),
        (f"!!str $({name})", lambda values: values[name]),
        (f'&a{random.randrange(10**9)} "/$({name})"', lambda values: f"/{values[name]}"),
        (f"{{k: $({name}), 'l': x}}", lambda values: {"k": typed(values[name]), "l": "x"}),
        ("$(A)/$(B)", lambda values: f"{values['A']}/{values['B']}"),
        ("0x1F", lambda _: 31),
        ("~", lambda _: None),
    ]
    block: list[tuple[str, Part]] = [
        (f"|-\n    echo \"$({name})\" 'x'", lambda values: f"echo \"{values[name]}\" 'x'"),
        (f">-\n    a\n    $({name})", lambda values: f"a {values[name]}"),
        (f'"a\n    $({name})"', lambda values: f"a {values[name]}"),
        (f"a\n    $({name})", lambda values: f"a {values[name]}"),
    ]
    return random.choice(whole if is_json else [*whole, *plain] if flow else [*whole, *plain, *block])


def typed(value: str) -> object:
    """Return what a reference without quotes becomes: a number or a boolean of JSON, else a text."""
    try:
        read = json.loads(value)
    except ValueError:
        return value
    return read if isinstance(read, bool | int | float) and value == value.strip() else value


def a_file(random: Random, *, is_json: bool) -> tuple[str, Callable[[Values], Any]]:
    """Return the text of a file, and the data that it has with values."""
    keys = random.sample(["b", "a", "Z y", "c.d", "$x", "e-f", "g"], random.randint(1, 5))
    written: list[str] = []
    parts: dict[str, Part] = {}
    for key in keys:
        is_list = random.random() < 0.3
        leaves = [leaf(random, is_json=is_json, flow=is_list) for _ in range(random.randint(1, 3))]
        sources = ", ".join(source for source, _ in leaves)
        shown = json.dumps(key) if is_json else key
        written.append(f"{shown}: [{sources}]" if is_list else f"{shown}: {leaves[0][0]}")
        of_key = [part for _, part in leaves]
        parts[key] = a_list(of_key) if is_list else of_key[0]
    if is_json:
        text = "{" + random.choice([", ", ",", ",\n  "]).join(written) + "}" + random.choice(["", "\n"])
    else:
        mark = random.choice(["", "# of $(A): 'x'\n", "--- # b\n"])
        text = mark + "".join(
            f"{line}{'' if {'|', '>'} & {*line} else random.choice(['', ' # $(B)'])}\n" for line in written
        )
    return text, lambda values: {key: part(values) for key, part in parts.items()}


def a_list(parts: list[Part]) -> Part:
    return lambda values: [part(values) for part in parts]


def in_a_field(random: Random, key: str, text: str) -> str:
    """Return the entry of `data` that holds a text."""
    if random.random() < 0.4 or not text.endswith("\n"):
        return f"  {key}: {json.dumps(text)} # of $(A)\n"
    if random.random() < 0.2:
        quoted = yaml.safe_dump({"k": text}, default_style="'", width=1000, allow_unicode=True)
        return "".join(f"  {line}\n" if line else "\n" for line in quoted.replace("'k'", key, 1).splitlines())
    return f"  {key}: |\n" + "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())


def a_value(random: Random) -> str:
    return random.choice([*PLAIN, *PLAIN, *ODD, *ODDER])


@pytest.mark.parametrize("seed", SEEDS)
def test_values_follow_each_other_in_a_file_and_go_back(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - texts, no secrets
    seen: Counter[str] = Counter()
    for _ in range(TIMES):
        is_json = random.random() < 0.4
        text, expected = a_file(random, is_json=is_json)
        key = random.choice(["a.json"] if is_json else ["a.yaml", "b.yml", "'x y.yaml'"])
        source = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n{in_a_field(random, key, text)}"
        values = {name: f"$({name})" for name in NAMES}
        once = source
        history: list[object] = [source]
        for name in random.sample(NAMES, 3):
            value = a_value(random)
            before, ran = once, run(once, spec=SPEC, arguments=[(name, value)])
            history.append((name, value, ran.text, ran.told))
            assert ran.text, history
            once = ran.text
            left = {"NoRoomForReference", "AmbiguousText"}.intersection(ran.reasons)
            seen.update(left or {"followed"})
            if left:
                assert once == before, ran.told
                continue
            values[name] = value
            assert {*ran.reasons} <= {"UnusedArgument", "ValueChanged", "KeptLastValue"}, (source, once, ran.told)
            (written,) = yaml.safe_load(once)["data"].values()
            read = json.loads if is_json and "$(" not in written else yaml.safe_load
            assert comparable(read(written)) == comparable(expected(values)), history
            assert run(once, spec=SPEC, arguments=[(name, value)]).text == once
        assert restored(once) == source
    assert seen["followed"] > 9 * (seen["NoRoomForReference"] + seen["AmbiguousText"])


def comparable(data: Any) -> Any:
    """Return data in which `1.0` and `1` differ, as they do for whoever reads the text."""
    return json.dumps(data, ensure_ascii=True)


def restored(text: str) -> str:
    read = resourcelist.read(text)
    assert [*writing.restore(read.items, lambda *_: None)] == [], text
    return read.emit().text
