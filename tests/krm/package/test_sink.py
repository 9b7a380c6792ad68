"""A list becomes a directory: what changed is written, and in a file that changed every other byte stays."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
import yaml
from ruamel.yaml import YAML

from expand_vars import pipeline
from krm import resourcelist
from krm.package import paths
from krm.resource import Resource
from krm.results import FnError
from tests.calls import counted
from tests.krm.package.directories import changed, config, contents, sunk, text, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from krm.resourcelist import ResourceList

A, B, C = config("a"), config("b"), config("c")
PLACED = A.replace(
    "name: a", "name: a\n  annotations: {config.kubernetes.io/index: '7', config.kubernetes.io/path: b.yaml}"
)
ODD = """\
# Copyright the authors

--- # the first
# about a
apiVersion: v1
kind:   ConfigMap
metadata:
    name: "a" # name
data:
    k:    [1,   2]   # list

# below a
---
# values, no resource
x:   {y: 1}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b,   labels: {}}


--- # nothing
"""


def test_in_a_file_that_changed_every_other_byte_stays(tmp_path: Path) -> None:
    write(tmp_path, {"odd.yaml": ODD, "other.yaml": "# c\n" + A})
    assert changed(tmp_path, lambda listed: listed.items[1].set(("metadata", "labels", "app"), "b")) == ["odd.yaml"]
    assert contents(tmp_path) == {"odd.yaml": ODD.replace("labels: {}", "labels: {app: b}"), "other.yaml": "# c\n" + A}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["\n", "", "\n\n\n", "\n# end", "\n...\n"])
def test_line_ends_marks_and_ends_of_files_stay(mark: str, newline: str, end: str, tmp_path: Path) -> None:
    before = mark + A.replace("k: 1\n", "k: 1 # one").replace("\n", newline) + end.replace("\n", newline)
    write(tmp_path, {"a.yaml": before})
    assert changed(tmp_path, lambda listed: listed.items[0].set(("data", "k"), "2")) == ["a.yaml"]
    assert contents(tmp_path) == {"a.yaml": before.replace("k: 1", 'k: "2"')}


def test_the_mode_of_a_file_stays(tmp_path: Path) -> None:
    file = write(tmp_path, {"a.yaml": A}) / "a.yaml"
    file.chmod(0o640)
    changed(tmp_path, lambda listed: listed.items[0].set(("data", "k"), "2"))
    assert file.stat().st_mode & 0o7777 == 0o640


def set_first(listed: ResourceList) -> None:
    listed.items[0].set(("data", "k"), "2")


def remove_first(listed: ResourceList) -> None:
    listed.remove(listed.items[0])


def remove_all_but_last(listed: ResourceList) -> None:
    listed.remove(*listed.items[:-1])


def rename_first(listed: ResourceList) -> None:
    listed.items[0].set(("metadata", "name"), "z")


def swap(listed: ResourceList) -> None:
    for item, index in zip(listed.items, "10", strict=False):
        place(item, "a.yaml", index)


def move_first(listed: ResourceList) -> None:
    place(listed.items[0], "new/moved.yaml", "0")


def place(item: Resource, path: str, index: str) -> None:
    for prefix in ("config.kubernetes.io", "internal.config.kubernetes.io"):
        item.set_annotations({f"{prefix}/path": path})
        item.set_annotations({f"{prefix}/index": index})


def add(text: str) -> Callable[[ResourceList], object]:
    return lambda listed: listed.add(text)


def at(path: str, index: str | None = None) -> Callable[[ResourceList], object]:
    def add_there(listed: ResourceList) -> None:
        item = listed.add("# new\n" + C)
        item.set_annotations({"internal.config.kubernetes.io/path": path})
        if index is not None:
            item.set_annotations({"config.kubernetes.io/index": index})

    return add_there


CASES: dict[str, tuple[dict[str, str], Callable[[ResourceList], object], dict[str, str]]] = {
    "a document goes with its separator": (
        {"a.yaml": f"# top\n---\n{A}---\n# b\n{B}# end of b\n---\n{C}"},
        lambda listed: listed.remove(listed.items[1]),
        {"a.yaml": f"# top\n---\n{A}---\n{C}"},
    ),
    "the first document goes, the licence stays": (
        {"a.yaml": f"# licence\n\n# about a\n{A}---\n{B}"},
        remove_first,
        {"a.yaml": f"# licence\n\n---\n{B}"},
    ),
    "the first document goes, the licence above its start stays": (
        {"a.yaml": f"# licence\n--- # a\n{A}---\n{B}"},
        remove_first,
        {"a.yaml": f"# licence\n---\n{B}"},
    ),
    "the first document goes, its own comment too": (
        {"a.yaml": f"# a\n{A}---\n{B}"},
        remove_first,
        {"a.yaml": f"---\n{B}"},
    ),
    "a file goes with its last resource": (
        {"a.yaml": f"# licence\n---\n{A}", "b.yaml": B},
        remove_first,
        {"b.yaml": B},
    ),
    "a document that is no resource keeps its file": (
        {"a.yaml": f"x: 1\n---\n{A}", "b.yaml": B},
        remove_first,
        {"a.yaml": "x: 1\n", "b.yaml": B},
    ),
    "a resource with a new name is the same document": (
        {"a.yaml": f"# a\n{A}---\n{B}"},
        rename_first,
        {"a.yaml": f"# a\n{A}---\n{B}".replace("name: a", "name: z")},
    ),
    "resources change places, and others stay": (
        {"a.yaml": f"# a\n{A}---\nx: 1\n---\n{B}"},
        swap,
        {"a.yaml": f"---\n{B}---\nx: 1\n---\n# a\n{A}"},
    ),
    "a resource moves to a file that is not there": (
        {"a.yaml": f"# a\n{A}---\n{B}"},
        move_first,
        {"a.yaml": f"---\n{B}", "new/moved.yaml": f"# a\n{A}"},
    ),
    "a new resource gets the name that kpt gives": (
        {"a.yaml": A},
        add("# new\n" + C.replace("name: c", "name: c\n  namespace: n")),
        {"a.yaml": A, "n/configmap_c.yaml": "# new\n" + C.replace("name: c", "name: c\n  namespace: n")},
    ),
    "a new resource without an index comes last": (
        {"a.yaml": A[:-1]},
        at("./a.yaml"),
        {"a.yaml": f"{A}---\n# new\n{C}"},
    ),
    "a new resource comes where its index says": (
        {"a.yaml": f"{A}---\nx: 1\n---\n{B}"},
        at("a.yaml", "1"),
        {"a.yaml": f"{A}---\nx: 1\n---\n# new\n{C}---\n{B}"},
    ),
    "a new resource takes on the line ends of its file": (
        {"a.yaml": A.replace("\n", "\r\n")},
        at("a.yaml"),
        {"a.yaml": f"{A}---\n# new\n{C}".replace("\n", "\r\n")},
    ),
    "a new resource joins a file of comments": (
        {"a.yaml": "# c\n", "b.yaml": B},
        at("a.yaml"),
        {"a.yaml": f"# c\n---\n# new\n{C}", "b.yaml": B},
    ),
    "a new resource joins documents that end with `...`": (
        {"a.yaml": f"{A}... # end\n---\n{B}...\n# c\n"},
        at("a.yaml"),
        {"a.yaml": f"{A}... # end\n---\n{B}...\n# c\n---\n# new\n{C}"},
    ),
    "a new file of JSON is JSON": (
        {"b.yaml": B},
        at("a.json"),
        {
            "a.json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": 1}}\n',
            "b.yaml": B,
        },
    ),
    "JSON stays JSON": (
        {"a.json": '{"kind":"A",  "apiVersion":"v1", "metadata":{"name":"a"}, "data":{"k":"1"}}'},
        set_first,
        {"a.json": '{"kind":"A",  "apiVersion":"v1", "metadata":{"name":"a"}, "data":{"k":"2"}}'},
    ),
    "places that a file has itself stay as they are": (
        {"a.yaml": PLACED},
        set_first,
        {"a.yaml": PLACED.replace("k: 1", 'k: "2"')},
    ),
    "metadata that was made for the place goes again": (
        {"a.yaml": "kind: A\napiVersion: v1\ndata:\n  k: 1\n"},
        set_first,
        {"a.yaml": 'kind: A\napiVersion: v1\ndata:\n  k: "2"\n'},
    ),
    "comments below the metadata stay": (
        {"a.yaml": A.replace("name: a", "name: a # a\n  # below\n    # deeper\n# left")},
        set_first,
        {"a.yaml": A.replace("name: a", "name: a # a\n  # below\n    # deeper\n# left").replace("k: 1", 'k: "2"')},
    ),
    "annotations that are empty now go": (
        {"a.yaml": A.replace("name: a", "name: a\n  annotations:\n    x: y")},
        lambda listed: listed.items[0].delete("metadata.annotations.x"),
        {"a.yaml": A},
    ),
    "empty annotations stay": (
        {"a.yaml": A.replace("name: a", "name: a\n  annotations: {}")},
        set_first,
        {"a.yaml": A.replace("name: a", "name: a\n  annotations: {}").replace("k: 1", 'k: "2"')},
    ),
    "annotations that are null stay": (
        {"a.yaml": A.replace("name: a", "name: a\n  annotations:")},
        set_first,
        {"a.yaml": A.replace("name: a", "name: a\n  annotations:").replace("k: 1", 'k: "2"')},
    ),
    "metadata that are null stay": (
        {"a.yaml": "kind: A\napiVersion: v1\nmetadata:\ndata:\n  k: 1\n"},
        set_first,
        {"a.yaml": 'kind: A\napiVersion: v1\nmetadata:\ndata:\n  k: "2"\n'},
    ),
    "metadata that were null get a name": (
        {"a.yaml": "kind: A\napiVersion: v1\nmetadata:\n"},
        lambda listed: listed.items[0].set(("metadata", "name"), "a"),
        {"a.yaml": "kind: A\napiVersion: v1\nmetadata:\n  name: a\n"},
    ),
}

REPRINTED = [
    *("y", '"y"', "yes", "'no'", "'02:00:00'", "02:00:00", "0400", "0o17", "1_000", "0x1F", "1e3", "1.10", "~", "'~'"),
    *("2024-01-01", "2025-09-30T00:00:00Z", "2025-09-30 01:00:00 +01:00", "[a, 'y', 1:2:3:x]", "'2024-01-01'", ".inf"),
    *("1:30", "22:22:59", '!!int "7"', "!!bool yes"),
    *('"1e3"', "'12345e7'", '"019"', "'0o17'", "[x: '08']"),
]


@pytest.mark.parametrize("value", REPRINTED)
def test_a_value_that_a_program_only_read_and_printed_stays_as_it_is_written(value: str, tmp_path: Path) -> None:
    written = {"a.yaml": f"{A}  v: {value} # c\n"}
    write(tmp_path, written)
    printed = yaml.safe_dump(yaml.safe_load(text(tmp_path)))
    assert printed != text(tmp_path)
    assert sunk(tmp_path, resourcelist.read(printed).items) == []
    assert contents(tmp_path) == written


IN_JSON = ["y", "no", "1e3", "'1e3'", "2024-01-01", "2025-09-30T00:00:00Z", "08", "1:30", "0x1F", "1.10", "8080", "~"]


@pytest.mark.parametrize("value", IN_JSON)
def test_a_value_that_a_program_printed_as_json_stays_as_it_is_written(value: str, tmp_path: Path) -> None:
    written = {"a.yaml": f"{A}  v: {value} # c\n"}
    write(tmp_path, written)
    for read in (yaml.safe_load, YAML(typ="safe", pure=True).load):
        printed = json.dumps(read(text(tmp_path)), default=str)
        assert sunk(tmp_path, resourcelist.read(printed).items) == []
        assert contents(tmp_path) == written


@pytest.mark.parametrize("value", ["8080", "true", "1.5", "null"])
def test_quotes_around_what_is_no_string_to_any_reader_are_a_change(value: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": f"{A}  v: {value} # c\n"})
    listed = yaml.safe_load(text(tmp_path))
    listed["items"][0]["data"]["v"] = value
    assert sunk(tmp_path, resourcelist.read(json.dumps(listed)).items) == ["a.yaml"]
    assert contents(tmp_path) == {"a.yaml": f'{A}  v: "{value}" # c\n'}


def test_a_mode_that_a_program_of_yaml_1_2_read_and_printed_stays_octal(tmp_path: Path) -> None:
    written = {"a.yaml": f"{A}  v: 0775 # c\n"}
    write(tmp_path, written)
    printed = text(tmp_path).replace("0775 # c", "775")
    assert sunk(tmp_path, resourcelist.read(printed).items) == []
    assert sunk(tmp_path, resourcelist.read(printed.replace("775", "509")).items) == []
    assert sunk(tmp_path, resourcelist.read(printed.replace("775", "493")).items) == ["a.yaml"]
    assert contents(tmp_path) == {"a.yaml": f"{A}  v: 493 # c\n"}


TEXTS = """\
  run.sh: | # script
    #!/bin/sh
    echo one
      echo two

    done
  folded: >- # paragraphs
    folded text here
    and more

    second one
  quoted: "a b
    c \\u00e9"
  plain: one
    two
"""


CHANGED_TEXTS = """\
  run.sh: | # script
    #!/bin/sh
    echo 1
      echo two
      exit

    done
  folded: >- # paragraphs
    folded text there
    and more

    second one, too
  quoted: "a b
    C \\u00e9"
  plain: |-
    one

    two
"""


def test_a_changed_text_of_several_lines_keeps_the_form_that_its_author_gave_it(tmp_path: Path) -> None:
    """PyYAML prints the script in double quotes, on one line."""
    write(tmp_path, {"a.yaml": f"{A}{TEXTS}"})
    listed = yaml.safe_load(text(tmp_path))
    listed["items"][0]["data"] |= {
        "run.sh": "#!/bin/sh\necho 1\n  echo two\n  exit\n\ndone\n",
        "folded": "folded text there and more\nsecond one, too",
        "quoted": "a b C \u00e9",
        "plain": "one\n\ntwo",
    }
    sunk(tmp_path, resourcelist.read(yaml.safe_dump(listed)).items)
    assert contents(tmp_path) == {"a.yaml": f"{A}{CHANGED_TEXTS}"}


@pytest.mark.parametrize(
    ("value", "new"),
    [
        ("y", "n"),
        ("1:30", "91"),
        ("1", "true"),
        ("'1'", "1"),
        ("yes", "no"),
        ("yes", "'yes'"),
        ("2025-09-30T00:00:00Z", "2025-09-30T00:00:01Z"),
        ("a", "!x a"),
    ],
)
def test_a_value_that_no_reader_takes_for_the_old_one_is_written(value: str, new: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": f"{A}  v: {value} # c\n"})
    listed = resourcelist.read(text(tmp_path).replace(f"v: {value} ", f"v: {new} "))
    sunk(tmp_path, listed.items)
    assert contents(tmp_path) == {"a.yaml": f"{A}  v: {new} # c\n"}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_a_change_of_the_list_makes_of_the_files(
    case: tuple[dict[str, str], Callable[[ResourceList], object], dict[str, str]], tmp_path: Path
) -> None:
    before, change, after = case
    write(tmp_path, before)
    listed = resourcelist.read(text(tmp_path))
    change(listed)
    items = resourcelist.read(listed.emit().text).items
    sunk(tmp_path, items)
    assert contents(tmp_path) == after
    assert sunk(tmp_path, items) == [], "the same run again"
    assert contents(tmp_path) == after


def test_what_cannot_be_a_document_of_its_own_is_named_and_nothing_changes(tmp_path: Path) -> None:
    odd = "apiVersion: v1\nkind: X\nmetadata:\n  *a :\n    - &a\n"
    write(tmp_path, {"a.yaml": odd, "b.yaml": B})
    listed = resourcelist.read(text(tmp_path))
    with pytest.raises(FnError, match=r"it cannot be a document of its own: line \d+: it has a key that is no scalar"):
        sunk(tmp_path, listed.items)
    assert contents(tmp_path) == {"a.yaml": odd, "b.yaml": B}


FORMATTED = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: a
    annotations:
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'odd.yaml'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/path: 'odd.yaml'
      internal.config.kubernetes.io/seqindent: 'compact'
  data:
    k:
    - 1
    - 3
    new: yes
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: b
    labels: {}
    annotations:
      config.kubernetes.io/index: '2'
      config.kubernetes.io/path: 'odd.yaml'
      internal.config.kubernetes.io/index: '2'
      internal.config.kubernetes.io/path: 'odd.yaml'
      internal.config.kubernetes.io/seqindent: 'compact'
"""


def test_of_a_list_that_was_printed_anew_only_the_data_is_taken(tmp_path: Path) -> None:
    write(tmp_path, {"odd.yaml": ODD})
    assert sunk(tmp_path, resourcelist.read(FORMATTED).items) == ["odd.yaml"]
    assert contents(tmp_path) == {"odd.yaml": ODD.replace("[1,   2]   # list", "[1,   3]   # list\n    new: yes")}


def test_a_list_that_was_printed_anew_and_has_the_same_data_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"odd.yaml": ODD})
    same = FORMATTED.replace("- 3", "- 2").replace("    new: yes\n", "")
    assert sunk(tmp_path, resourcelist.read(same).items) == []
    as_json = resourcelist.read('{"kind": "ResourceList", "items": [' + ", ".join(flow(same)) + "]}")
    assert sunk(tmp_path, as_json.items) == []


def flow(text: str) -> list[str]:
    return [json.dumps(item) for item in yaml.safe_load(text)["items"]]


def test_a_comment_that_changed_is_a_change(tmp_path: Path) -> None:
    write(tmp_path, {"odd.yaml": ODD})
    listed = text(tmp_path).replace("# list", "# kpt-set: ${list}")
    assert sunk(tmp_path, resourcelist.read(listed).items) == ["odd.yaml"]
    assert contents(tmp_path) == {"odd.yaml": ODD.replace("# list", "# kpt-set: ${list}")}


def test_a_comment_comes_into_a_document_with_an_anchor(tmp_path: Path) -> None:
    """Its element comes back by its lines. As the editor writes it alone it has no anchors."""
    own = A.replace("name: a", "name: &a a # its name\n  labels: {l: *a}")
    write(tmp_path, {"a.yaml": own})
    listed = text(tmp_path).replace("# its name", "# its name # new")
    assert sunk(tmp_path, resourcelist.read(listed).items) == ["a.yaml"]
    assert contents(tmp_path) == {"a.yaml": own.replace("# its name", "# its name # new")}


def test_a_comment_comes_beside_a_text_with_a_line_end_that_only_some_readers_know(tmp_path: Path) -> None:
    own = A.replace("name: a", 'name: a # its name\n  labels: {l: "x\x85y"}')
    write(tmp_path, {"a.yaml": own})
    listed = text(tmp_path).replace("# its name", "# its name # new")
    assert sunk(tmp_path, resourcelist.read(listed).items) == ["a.yaml"]
    assert contents(tmp_path) == {"a.yaml": own.replace("# its name", "# its name # new")}


@pytest.mark.parametrize("licence", ["# licence\n---\n", "# licence\n\n--- # a\n\n", "\n---\n"])
def test_a_comment_comes_below_a_licence_to_metadata_in_brackets(licence: str, tmp_path: Path) -> None:
    """There is no place for lines that say where they are from: the editor writes these."""
    own = f"{licence}apiVersion: v1\nkind: A\nmetadata: {{name: a}} # its name\n"
    write(tmp_path, {"a.yaml": own})
    listed = text(tmp_path).replace("# its name", "# its name # new")
    assert "licence" not in listed
    assert sunk(tmp_path, resourcelist.read(listed).items) == ["a.yaml"]
    assert contents(tmp_path) == {"a.yaml": own.replace("# its name", "# its name # new")}


def test_a_block_that_keeps_its_blank_lines_changes_in_its_place_and_beside_others(tmp_path: Path) -> None:
    own = f"{A}text:\n- |\n  f1\n  end\n# c\n- |+ # keeps\n  x1\n\n- z\n- |+\n  y1\n\n\n"
    write(tmp_path, {"a.yaml": own})
    listed = text(tmp_path)
    for name in ("f", "x", "y"):
        own, listed = (one.replace(f"{name}1", f"{name}2") for one in (own, listed))
    assert sunk(tmp_path, resourcelist.read(listed).items) == ["a.yaml"]
    assert contents(tmp_path) == {"a.yaml": own}


@pytest.mark.parametrize("below", ["", "\n", "\n\n", "  \n\n\n"])
@pytest.mark.parametrize(("newline", "end"), [("\n", "- z\n"), ("\r\n", "- z\n"), ("\n", "")])
def test_blank_lines_of_a_block_stand_in_the_place_of_those_below_the_old_text(
    below: str, newline: str, end: str, tmp_path: Path
) -> None:
    """They would become its text."""
    before, after = (
        f"{A}text:\n- |\n  {one}{end}".replace("\n", newline) for one in ("f1\n- x1 # c\n{}", "f2\n- |+ # c\n  x2\n\n")
    )
    write(tmp_path, {"a.yaml": before.replace("{}", below.replace("\n", newline))})
    listed = (
        text(tmp_path).partition("  text:\n")[0]
        + "  text:\n  - |\n    f2\n  - |+ # c\n    x2\n\n"
        + "  - z\n" * bool(end)
    )
    assert sunk(tmp_path, resourcelist.read(listed).items) == ["a.yaml"]
    assert contents(tmp_path) == {"a.yaml": after}


def test_a_state_is_written_as_the_run_wrote_it(tmp_path: Path) -> None:
    """It is read by its lines. Brackets in the brackets of its fields would be damage, and its edits a person's."""
    template = "  - {apiVersion: e.com/v1, kind: Thing, metadata: {name: a}, spec: {x: $(TAG)}}\n"
    spec = f"spec:\n  variables: [{{name: TAG, value: 1}}]\n  templates:\n{template}"
    own = f"apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {{name: shop}}\n{spec}"
    write(tmp_path, {"a.yaml": A})
    for texts in ("x: $(TAG)", "x: $(TAG), b: {z: $(TAG)}", "x: new, b: {z: $(TAG)}"):
        function_config = Resource.alone(own.replace("x: $(TAG)", texts), "functionConfig")
        ran = pipeline.run(text(tmp_path), function_config, settle=lambda config: config.in_place())
        sunk(tmp_path, resourcelist.read(ran.text).items)
        assert [one.reason for one in ran.results if one.reason != "ValueChanged"] == []
    state = contents(tmp_path)["shop.generated.yaml"].partition("      spec:")[2]
    assert state == "\n        b: {z: keilja/hplibo}\n        x: bbfahk\n"
    assert contents(tmp_path)["thing_a.yaml"].endswith("spec: {x: new, b: {z: 1}}}\n")


def test_quotes_and_blank_lines_that_were_printed_anew_are_no_change(tmp_path: Path) -> None:
    own = 'apiVersion: v1\nkind: A\nmetadata:\n  name: a\nb: "5"\n\nc: 1\n'
    write(tmp_path, {"a.yaml": own})
    listed = yaml.safe_dump(yaml.safe_load(text(tmp_path)), sort_keys=False)
    assert sunk(tmp_path, resourcelist.read(listed).items) == []
    assert sunk(tmp_path, resourcelist.read(listed.replace("c: 1", "c: 2")).items) == ["a.yaml"]
    assert contents(tmp_path) == {"a.yaml": own.replace("c: 1", "c: 2")}


LISTS = "kind: A\napiVersion: v1\nmetadata: {name: a}\nspec:\n"


@pytest.mark.parametrize(
    ("before", "update", "after"),
    [
        ("  l:\n  - a # 1\n  - b # 2\n", "  l: [a, c, b]\n", "  l:\n  - a # 1\n  - c\n  - b # 2\n"),
        (
            "  l:\n  - name: x # 1\n    v: 1\n  - name: y # 2\n    v: 1\n",
            "  l: [{name: y, v: 2}]\n",
            "  l:\n  - name: y # 2\n    v: 2\n",
        ),
        (
            "  l:\n  - name: x # 1\n    v: 1\n  - name: y # 2\n    v: 1\n",
            "  l: [{name: z, v: 1}, {name: y, v: 1}]\n",
            "  l:\n  - name: z\n    v: 1\n  - name: y # 2\n    v: 1\n",
        ),
        (
            "  l:\n  - name: x # 1\n    v: 1\n  - name: y # 2\n    v: 1\n",
            "  l: [{name: y, v: 1}, {name: x, v: 2}]\n",
            "  l:\n  - name: y # 2\n    v: 1\n  - name: x # 1\n    v: 2\n",
        ),
        *(
            (
                f"  l:\n  - {key}: 1 # 1\n    v: 1\n  - {key}: 2 # 2\n    v: 1\n  - {key}: 3 # 3\n    v: 1\n",
                f"  l: [{{{key}: 2, v: 5}}, {{{key}: 3, v: 1}}]\n",
                f"  l:\n  - {key}: 2 # 2\n    v: 5\n  - {key}: 3 # 3\n    v: 1\n",
            )
            for key in ("key", "containerPort", "port", "mountPath", "ip", "id")
        ),
        ("  l:\n  - v: 1 # 1\n  - v: 1 # 2\n", "  l: [{v: 2}, {v: 3}]\n", "  l:\n  - v: 2 # 1\n  - v: 3 # 2\n"),
        ("  l: [] # none\n", "  l: [1]\n", "  l: [1] # none\n"),
        (
            "  m: &x {a: 1} # m\n  n: *x\n  o: 1\n",
            "  m: &x {a: 1}\n  n: *x\n  o: 2\n",
            "  m: &x {a: 1} # m\n  n: *x\n  o: 2\n",
        ),
        (
            "  m: &x {a: 1}\n  n:\n    # c\n    <<: *x\n    b: 1\n",
            "  m: {a: 1}\n  n: {a: 1, b: 2}\n",
            "  m: &x {a: 1}\n  n:\n    # c\n    <<: *x\n    b: 2\n",
        ),
        ("  m: &x {a: 1} # m\n  n: *x\n", "  m: &x {a: 2}\n  n: *x\n", "  m: &x {a: 2} # m\n  n: *x\n"),
        ("  a: 'x' # c\n  b: |\n    t\n", "  b: |\n    u\n", "  b: |\n    u\n"),
        ("  a: {b: 1} # c\n", "  a: [1]\n", "  a: [1] # c\n"),
        (
            "  l:\n  - name: x # 1\n    image: 'i' # 2\n    args: ['a', \"b\"] # 3\n  - name: y # 4\n",
            "  l:\n  - args: [a, b]\n    image: i\n    name: z\n  - name: y\n",
            "  l:\n  - name: z # 1\n    image: 'i' # 2\n    args: ['a', \"b\"] # 3\n  - name: y # 4\n",
        ),
        (
            "  l:\n  - image: 'i' # 2\n    args: ['a', \"b\"] # 3\n",
            "  l:\n  - args: [a, b]\n    image: i\n    name: z\n",
            "  l:\n  - image: 'i' # 2\n    args: ['a', \"b\"] # 3\n    name: z\n",
        ),
        ("  a: |\n    one\n    two\n", '  a: "one\\nsix\\n"\n', "  a: |\n    one\n    six\n"),
        ("  a: |\n    one\n    two\n", '  a: "one\\nsix\\n" # new\n', '  a: "one\\nsix\\n" # new\n'),
        ("  a: 'one' # old\n", "  a: two\n", "  a: 'two' # old\n"),
        ("  a: 'one' # old\n", "  a: two # new\n", "  a: 'two' # new\n"),
    ],
)
def test_lists_aliases_and_texts_that_were_printed_anew(before: str, update: str, after: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": LISTS + before})
    item = f"- {LISTS}{update}".replace("\n", "\n  ").rstrip(" ")
    item = item.replace("{name: a}", "{name: a, annotations: {config.kubernetes.io/path: a.yaml}}")
    sunk(tmp_path, resourcelist.read(f"kind: ResourceList\nitems:\n{item}").items)
    assert contents(tmp_path) == {"a.yaml": LISTS + after}


def test_items_that_kpt_lists_and_are_no_resources_stay_as_they_are(tmp_path: Path) -> None:
    """In a new directory they are written: kpt calls a kustomization one."""
    values = "x:  1\n"
    write(tmp_path / "old", {"a.yaml": f"{values}---\n{A}"})
    place = "metadata: {annotations: {config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: '0'}}"
    items = f"- x: 1\n  {place}\n" + item("a", path="a.yaml", index="1").replace("kind: A", "kind: ConfigMap")
    listed = resourcelist.read(f"kind: ResourceList\nitems:\n{items}")
    sunk(tmp_path / "old", listed.items)
    sunk(write(tmp_path / "new", {}), listed.items)
    assert contents(tmp_path / "old")["a.yaml"].startswith(values)
    assert contents(tmp_path / "new")["a.yaml"].startswith("x: 1\n---\n")


def test_plain_documents_and_items_with_wide_margins_are_items_too(tmp_path: Path) -> None:
    documents = "# top\n---\n# c\n" + config("a") + "---\n" + config("b")
    assert sunk(write(tmp_path / "plain", {}), resourcelist.read(documents).items) == [
        "configmap_a.yaml",
        "configmap_b.yaml",
    ]
    assert contents(tmp_path / "plain")["configmap_a.yaml"] == "# c\n" + A
    listed = (
        "kind: ResourceList\nitems:\n-   kind: A\n    apiVersion: v1\n    metadata: {name: a}\n    x: 'a\n\n     b'\n"
    )
    sunk(write(tmp_path / "wide", {}), resourcelist.read(listed).items)
    assert contents(tmp_path / "wide") == {"a_a.yaml": "kind: A\napiVersion: v1\nmetadata: {name: a}\nx: 'a\n\n b'\n"}


@pytest.mark.parametrize("between", ["x: 'a\nb'", "x: [a,\nb]", "x: 1\n# c\n  y: 2"])
def test_an_item_that_is_written_oddly_is_the_same_data(between: str, tmp_path: Path) -> None:
    listed = f"kind: List\nitems:\n- kind: A\n  apiVersion: v1\n  metadata: {{name: a}}\n  {between}\n"
    sunk(tmp_path, resourcelist.read(listed).items)
    assert yaml.safe_load(contents(tmp_path)["a_a.yaml"]) == yaml.safe_load(listed)["items"][0]


def refused(directory: Path, items: str) -> list[str]:
    with pytest.raises(FnError) as caught:
        sunk(directory, resourcelist.read(f"kind: ResourceList\nitems:\n{items}").items)
    return [str(result) for result in caught.value.results]


def item(name: str, **annotations: str) -> str:
    written = ", ".join(f'config.kubernetes.io/{key}: "{value}"' for key, value in annotations.items())
    return f"- {{apiVersion: v1, kind: A, metadata: {{name: {name}, annotations: {{{written}}}}}}}\n"


def test_what_is_refused_is_named_all_of_it_and_nothing_is_written(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"o.yaml": A})
    package = write(tmp_path / "package", {"a.yaml": A, "broken.yaml": "a: [\n", "f": "", "one.json": "{}"})
    (package / "link").symlink_to(outside)
    (package / "link.yaml").symlink_to(outside / "o.yaml")
    before = contents(tmp_path)
    assert refused(package, item("a", path="new.yaml") + item("b", path="/etc/b.yaml")) == [
        "[error] v1/A/b: it cannot be written: its path `/etc/b.yaml` is absolute",
    ]
    assert refused(
        package,
        item("a", path="../a.yaml")
        + item("b", path="b/../../b.yaml")
        + item("c", path=r"\e[2Jc\n.yaml")
        + item("d", path="d.txt")
        + item("e", path="e.yaml", index="-1")
        + item("f", path="f.yaml", index=r"1\n")
        + item("g", path="g.yaml", index="1")
        + item("h", path="./g.yaml", index="01")
        + "- {apiVersion: v1, kind: A, metadata: {generateName: a}}\n",
    ) == [
        "[error] v1/A/a: it cannot be written: its path `../a.yaml` has `..` in it",
        "[error] v1/A/b: it cannot be written: its path `b/../../b.yaml` has `..` in it",
        r"[error] v1/A/c: it cannot be written: its path `\x1b[2Jc\n.yaml` has control characters",
        "[error] v1/A/d: it cannot be written: its path `d.txt` must end with .yaml, .yml, .json, or be a Kptfile",
        "[error] v1/A/e: it cannot be written: its index `-1` is no number",
        r"[error] v1/A/f: it cannot be written: its index `1\n` is no number",
        "[error] v1/A/h: it cannot be written: index 1 of `g.yaml` is also that of v1/A/g: give it another",
        "[error] v1/A: it cannot be written: it has no path annotation, and no name to make a file name of",
    ]
    assert refused(
        package,
        item("a", path="link/o.yaml")
        + item("b", path="link/new.yaml")
        + item("c", path="link.yaml")
        + item("d", path="broken.yaml")
        + item("e", path="f/e.yaml")
        + item("f", path="two.json")
        + item("g", path="two.json")
        + item("h", path="one.json")
        + item("i", path="one.json"),
    ) == [
        "[error] one.json: a JSON file holds one object, and several have this path: give each a path of its own",
        "[error] link/o.yaml: `link` is a symbolic link, and links are not followed",
        "[error] link/new.yaml: `link` is a symbolic link, and links are not followed",
        "[error] link.yaml: `link.yaml` is a symbolic link, and links are not followed",
        (
            "[error] broken.yaml: it was left alone: it is not YAML: line 2, column 1: a value is missing here, or a "
            "bracket above is not closed; so it is not written: mend it, delete it, or choose another path"
        ),
        "[error] f/e.yaml: Not a directory",
        "[error] two.json: a JSON file holds one object, and several have this path: give each a path of its own",
    ]
    assert contents(tmp_path) == before


DEEP = "a/" * 50 + "x.yaml"
LONG = "a/" * 1000 + "x.yaml"
LIKE_GIT = [".GIT", ".Git", "git~1", "GIT~1", ".git.", ".git ", ".git::$INDEX_ALLOCATION", ".git . "]
AS_GIT = ", which some systems take for `.git`, and nothing in there is read again"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (".git/config.yaml", "its path `.git/config.yaml` has `.git` in it, and nothing in there is read again"),
        ("a/.git/hooks/x.yaml", "its path `a/.git/hooks/x.yaml` has `.git` in it, and nothing in there is read again"),
        *((f"{name}/x.yaml", f"its path `{name}/x.yaml` has `{name}` in it{AS_GIT}") for name in LIKE_GIT),
        (DEEP, f"its path `{DEEP[:100]}…` has 51 steps, and more than 50 are not read"),
        (LONG, f"its path `{LONG[:100]}…` has 1001 steps, and more than 50 are not read"),
    ],
)
def test_a_path_at_which_nothing_is_read_is_refused(path: str, message: str, tmp_path: Path) -> None:
    assert refused(write(tmp_path, {}), item("a", path=path)) == [f"[error] v1/A/a: it cannot be written: {message}"]
    assert [*tmp_path.iterdir()] == []


def test_a_path_of_fifty_steps_is_written_and_read(tmp_path: Path) -> None:
    path = DEEP.removeprefix("a/")
    listed = resourcelist.read(f"kind: ResourceList\nitems:\n{item('a', path=path)}")
    assert sunk(write(tmp_path, {}), listed.items) == [path]
    assert [one.file for one in resourcelist.read(text(tmp_path)).items] == [path]


def test_what_krmignore_leaves_out_is_not_written_there_or_not(tmp_path: Path) -> None:
    ignored = "`.krmignore` leaves it out, so it would not be read again: choose another path"
    before = {".krmignore": "out/\nx.yaml\n", "sub/Kptfile": config("s"), "sub/.krmignore": "/own", "out/a.yaml": A}
    write(tmp_path, before)
    paths = ("out/a.yaml", "out/deep/b.yaml", "deep/x.yaml", "sub/own/c.yaml")
    items = "".join(item(f"n{number}", path=path) for number, path in enumerate((*paths, "sub/x.yaml", "own/c.yaml")))
    assert refused(tmp_path, items) == [f"[error] {path}: {ignored}" for path in paths]
    assert contents(tmp_path) == before


def test_a_new_path_that_is_another_one_to_some_systems_is_refused(tmp_path: Path) -> None:
    """Those that are there may stay as they are."""
    before = {"b.yaml": B, "B.yaml": B, "values.yaml": "x: 1\n", "f.yaml": B, "d.yaml/x.yaml": B}
    write(tmp_path, before)
    there = text(tmp_path).partition("items:\n")[2]
    new = ("a.yaml", "A.yaml", "Values.yaml", "F.yaml", "n.yaml", "n.yaml/x.yaml", "f.yaml/x.yaml", "d.yaml")
    items = "".join(item(f"n{number}", path=path) for number, path in enumerate(new))
    assert refused(tmp_path, there + items) == [
        *(
            f"[error] {path}: this path differs from `{other}` in case alone, and some systems have one file for both: "
            "choose another one"
            for path, other in (("F.yaml", "f.yaml"), ("Values.yaml", "values.yaml"), ("a.yaml", "A.yaml"))
        ),
        *(
            f"[error] {path}: this path is a directory as well, by `{path}/x.yaml`: choose another one"
            for path in ("d.yaml", "f.yaml", "n.yaml")
        ),
        "[error] f.yaml/x.yaml: Not a directory",
        "[error] d.yaml: it is a directory",
    ]
    assert contents(tmp_path) == before
    listed = resourcelist.read(f"kind: ResourceList\nitems:\n{there.replace('k: 1', 'k: 2')}")
    assert len(sunk(tmp_path, listed.items)) == 4


def test_the_present_annotation_wins_over_the_old_one(tmp_path: Path) -> None:
    both = "{name: a, annotations: {config.kubernetes.io/path: old.yaml, internal.config.kubernetes.io/path: new.yaml}}"
    listed = resourcelist.read(f"kind: ResourceList\nitems:\n- {{apiVersion: v1, kind: A, metadata: {both}}}\n")
    assert sunk(write(tmp_path, {}), listed.items) == ["new.yaml"]


def test_annotations_that_cannot_be_changed_are_an_error(tmp_path: Path) -> None:
    annotations = "      ? config.kubernetes.io/path\n      : a.yaml # c\n      ? x\n      : y\n"
    listed = f"- kind: A\n  apiVersion: v1\n  metadata:\n    name: a\n    annotations:\n{annotations}"
    assert refused(write(tmp_path, {}), listed) == [
        (
            "[error] a.yaml: v1/A/a metadata.annotations['config.kubernetes.io/path']: the field cannot be changed: "
            "its key is written with `?`: change it by hand"
        )
    ]


def test_a_document_that_cannot_be_changed_is_an_error(tmp_path: Path) -> None:
    before = "? kind\n: A\n? apiVersion\n: v1\n? metadata\n: name: a # c\n? data\n: 1\n"
    write(tmp_path, {"a.yaml": before})
    assert refused(tmp_path, item("a", path="a.yaml")) == [
        (
            "[error] a.yaml: v1/A/a: its document cannot be changed: line 1: its key is written with `?`: "
            "change it by hand"
        )
    ]
    assert contents(tmp_path) == {"a.yaml": before}


def test_a_file_takes_time_in_proportion_to_its_documents(tmp_path: Path) -> None:
    few, some, many = (calls(tmp_path / str(count), count) for count in (20, 40, 80))
    assert many - some == pytest.approx(2 * (some - few), rel=0.01)


def calls(directory: Path, count: int) -> int:
    """Return how many functions are called to write a file of so many documents, all of which change."""
    write(directory, {"all.yaml": "---\n".join(config(f"c{number:02}") for number in range(count))})
    listed = resourcelist.read(text(directory))
    for item in listed.items:
        item.set(("data", "k"), 2)
    items = resourcelist.read(listed.emit().text).items
    return counted(lambda: sunk(directory, items))


@pytest.mark.parametrize("name", ["a.git", "git", "gitops", ".github", ".gitlab", ".git~1", "git~2", "é"])
def test_what_no_system_takes_for_git_is_written(name: str, tmp_path: Path) -> None:
    path = f"{name}/x.yaml"
    listed = resourcelist.read(f"kind: ResourceList\nitems:\n{item('a', path=path)}")
    assert sunk(write(tmp_path, {}), listed.items) == [path]


def test_a_name_with_characters_that_nobody_sees_is_that_of_git_too() -> None:
    assert paths.unread(".g\u200cit/x.yaml") is not None


@pytest.mark.parametrize(
    ("path", "above"), [("/", []), ("/a", ["/"]), ("/a/b", ["/", "/a"]), ("a", []), ("a/b/c", ["a", "a/b"])]
)
def test_no_directory_is_above_itself(path: str, above: list[str]) -> None:
    assert paths.folders_above(path) == above


ANCHORED = {
    "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: &app a\ndata:\n  k: *app\n",
    "b.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: !!str &app b\n  annotations: &app-1 {x: y}\n"
    "data:\n  k: *app\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: &app c\n  labels: &l {x: y}\n"
    '  annotations: *l\ndata: # &app\n  k: "&app"\n',
}


def test_anchors_have_one_name_in_a_list_which_other_programs_can_read_then_and_their_own_in_the_files(
    tmp_path: Path,
) -> None:
    write(tmp_path, ANCHORED)
    sent = text(tmp_path)
    read = yaml.safe_load(sent)
    assert [item["metadata"]["name"] for item in read["items"]] == ["a", "b", "c"]
    names = ["&app", "*app", "&app-1-", "&app-1", "*app-1-", "&app-2", "&app", "&app"]  # the last two are no anchors
    assert re.findall(r"[&*]app[\w-]*", sent) == names
    assert not sunk(tmp_path, resourcelist.read(sent).entries)
    # A program that knows data alone, and one that adds comments.
    for item in read["items"]:
        item["data"] = {**item.get("data", {}), "new": "1"}
    sunk(tmp_path, resourcelist.read(yaml.safe_dump(read)).entries)
    added = {path: re.sub("  k: .*\n", r"\g<0>  new: '1'\n", content) for path, content in ANCHORED.items()}
    assert contents(tmp_path) == added
    sunk(tmp_path, resourcelist.read(text(tmp_path).replace("  k: *", "  # why\n    k: *")).entries)
    assert contents(tmp_path) == {path: content.replace("  k: *", "  # why\n  k: *") for path, content in added.items()}
