"""`krm merge3` and `merge2` as processes: files in, one text out, every conflict told."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from krm.commands import merge
from tests import process
from tests.krm.package.directories import contents
from tests.krm.package.test_transaction import Failing

ROOT = Path(__file__).parents[3]
SOURCE_ROOT = ROOT / "fn"
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\n"


def config_map(data: str, name: str = "a") -> str:
    return HEAD.replace("NAME", name) + f"data: {data}\n"


class Files(NamedTuple):
    """A folder with the files of a merge."""

    folder: Path

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.folder / f"{name}.yaml").write_bytes(text.encode())

    def merge(self, command: str, stdin: bytes = b"") -> process.Answer:
        """Run a command line in which each word that is a file of the folder stands for it."""
        words = [str(path) if (path := self.folder / word).suffix else word for word in command.split()]
        answer = process.krm(*words, stdin=stdin)
        return answer._replace(stderr=answer.stderr.replace(f"{self.folder}/", ""))

    def read(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


MERGE3 = "merge3 origin.yaml update.yaml local.yaml"
TAKING = f"{MERGE3} --on-conflict TakeUpdate"
APPLY = f"{MERGE3} --strategy Apply"
CONFLICT = "[{}] local.yaml:4: v1/ConfigMap/a data.k: both sides changed this, origin `o`, update `u`, local `l`: {}\n"


@pytest.mark.parametrize(
    ("policy", "value", "severity", "decided", "code"),
    [
        ("", "l", "error", "local's stays, and you have to decide (Conflict)", 1),
        ("--on-conflict TakeUpdate", "u", "warning", "update's is taken (Conflict)", 0),
        ("--on-conflict KeepLocal", "l", "warning", "local's stays (Conflict)", 0),
        ("--on-conflict Error", "l", "error", "local's stays, and you have to decide (Conflict)", 1),
    ],
)
def test_a_conflict_goes_by_the_policy(  # noqa: PLR0913 - a row of the table
    files: Files, policy: str, value: str, severity: str, decided: str, code: int
) -> None:
    files.write(origin=config_map("{k: o}"), update=config_map("{k: u}"), local=config_map("{k: l}  # mine"))
    answer = files.merge(f"{MERGE3} {policy}")
    assert answer.stdout.decode() == config_map(f"{{k: {value}}}  # mine")
    assert (answer.stderr, answer.code) == (CONFLICT.format(severity, decided), code)


def test_a_comment_that_has_no_place_refuses_no_merge(files: Files) -> None:
    files.write(
        origin=config_map("{k: o}"),
        update=config_map("{k: u} # new"),
        local=config_map("# mine\n  k: o\n  mine: 1"),
    )
    answer = files.merge(f"{MERGE3} --results results.yaml")
    told = "[warning] local.yaml:5: v1/ConfigMap/a data: update has another comment here: local's stays (CommentKept)\n"
    assert answer == process.Answer(config_map("# mine\n  k: u\n  mine: 1").encode(), told, 0)
    assert "update has another comment here: local's stays" in files.read("results.yaml")
    files.write(local=config_map("\n  k: o\n  mine: 1"))
    assert files.merge(MERGE3) == (config_map("# new\n  k: u\n  mine: 1").encode(), "", 0)


def test_results_have_all_three_values(files: Files) -> None:
    files.write(origin=config_map("{k: o}"), update=config_map("{k: u}"), local=config_map("{k: l}"))
    files.merge(f"{TAKING} --results results.yaml")
    assert files.read("results.yaml").replace(f"{files.folder}/", "") == (
        "results:\n"
        '- message: "both sides changed this, origin `o`, update `u`, local `l`: update\'s is taken"\n'
        "  severity: warning\n"
        "  resourceRef:\n    apiVersion: v1\n    kind: ConfigMap\n    name: a\n"
        "  field:\n    path: data.k\n    currentValue: l\n    proposedValue: u\n"
        "  file:\n    path: local.yaml\n"
        '  tags:\n    reason: Conflict\n    origin: o\n    line: "4"\n    column: "11"\n'
    )


def test_no_results_are_an_empty_list(files: Files) -> None:
    files.write(origin="", update="", local=config_map("{}"))
    files.merge(f"{MERGE3} --results results.yaml")
    assert files.read("results.yaml") == "results: []\n"


@pytest.mark.parametrize("update", ["data: {k: hidden-update}\n", "stringData: {k: hidden}\n", "type: Opaque\n", ""])
def test_a_secret_is_in_no_message(files: Files, update: str) -> None:
    head = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
    origin, local = (f"{head}data: {{k: hidden-{side}}}\nstringData: {{k: hidden-{side}}}\n" for side in "ol")
    files.write(origin=origin, update=update and head + update, local=local)
    answer = files.merge(f"{MERGE3} --results results.yaml")
    assert "both sides changed this" in answer.stderr
    assert "hidden" not in answer.stderr + files.read("results.yaml")


@pytest.mark.parametrize("kinds", ["Secret ConfigMap ConfigMap", "ConfigMap Secret ConfigMap", "ConfigMap A Secret"])
def test_what_is_a_secret_on_one_side_is_in_no_message(files: Files, kinds: str) -> None:
    sides = zip(("origin", "update", "local"), kinds.split(), strict=True)
    object_of = "apiVersion: v1\nkind: {}\nmetadata: {{name: s}}\ndata: {{k: hidden-{}}}\n"
    files.write(**{side: object_of.format(kind, side) for side, kind in sides})
    answer = files.merge(f"{MERGE3} --results results.yaml")
    assert "v1/ConfigMap/s data.k: both sides" in answer.stderr or "v1/Secret/s data.k: both sides" in answer.stderr
    assert "hidden" not in answer.stderr + files.read("results.yaml")


LISTED = "apiVersion: v1\nkind: KIND\nitems:\n- {apiVersion: v1, kind: Secret, stringData: {k: hidden-SIDE}}\n"
NOTED = """apiVersion: v1
kind: Secret
metadata: {name: s, annotations: {kubectl.kubernetes.io/last-applied-configuration: hidden-SIDE}}
"""


@pytest.mark.parametrize(
    ("template", "update"),
    [
        (LISTED.replace("KIND", "List"), None),
        (LISTED.replace("KIND", "SecretList"), None),
        (NOTED, "apiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: none}\n"),
    ],
    ids=["List", "SecretList", "what kubectl noted"],
)
def test_a_secret_that_is_elsewhere_is_in_no_message(files: Files, template: str, update: str | None) -> None:
    origin, new, local = (template.replace("SIDE", side) for side in "oul")
    files.write(origin=origin, update=update or new, local=local)
    answer = files.merge(f"{MERGE3} --results results.yaml")
    assert "both sides changed this" in answer.stderr
    assert "hidden" not in answer.stderr + files.read("results.yaml")


def test_the_output_goes_to_a_file_at_the_end(files: Files) -> None:
    files.write(origin=config_map("{k: o}"), update=config_map("{k: u}"), local=config_map("{k: o}"))
    answer = files.merge(f"{MERGE3} --output local.yaml")
    assert answer == (b"", "", 0)
    assert files.read("local.yaml") == config_map("{k: u}")


def test_an_output_that_cannot_be_written_stays_as_it_is(
    files: Files, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    files.write(origin=config_map("{k: o}"), update=config_map("{k: u}"), local=config_map("{k: o}"))
    before = contents(files.folder)
    monkeypatch.chdir(files.folder)
    monkeypatch.setattr(os, "fsync", Failing(os.fsync, 1))
    assert merge.main([*MERGE3.split(), "--output", "local.yaml"]) == 1
    assert capfd.readouterr() == ("", "[error] local.yaml: No space left on device (InvalidInput)\n")
    assert contents(files.folder) == before


def test_the_output_goes_to_no_file_where_the_results_cannot_be_written(files: Files) -> None:
    files.write(origin=config_map("{k: o}"), update=config_map("{k: u}"), local=config_map("{k: o}"))
    answer = files.merge(f"{MERGE3} --output local.yaml --results /dev/full")
    assert answer == (b"", "[error] /dev/full: No space left on device (InvalidInput)\n", 1)
    assert files.read("local.yaml") == config_map("{k: o}")


def test_the_output_may_be_standard_output(files: Files) -> None:
    files.write(origin=config_map("{k: o}"), update=config_map("{k: u}"), local=config_map("{k: o}"))
    assert files.merge(f"{MERGE3} --output -") == (config_map("{k: u}").encode(), "", 0)


@pytest.mark.parametrize("side", ["origin", "update", "local"])
def test_a_side_may_be_standard_input(files: Files, side: str) -> None:
    sides = {"origin": config_map("{k: o}"), "update": config_map("{k: u}"), "local": config_map("{k: o}")}
    given = sides.pop(side)
    files.write(**sides)
    answer = files.merge(MERGE3.replace(f"{side}.yaml", "-"), stdin=given.encode())
    assert answer == (config_map("{k: u}").encode(), "", 0)


def documents(*data: str) -> str:
    start = "---\n" if data[:1] == ("---",) else ""
    pairs = (one.split("=") for one in data if one != "---")
    return start + "---\n".join(config_map(f"{{k: {value}}}", name) for name, value in pairs)


@pytest.mark.parametrize(
    ("origin", "update", "local", "expected"),
    [
        pytest.param("", "a=1", "", "a=1", id="a file that is not there is made"),
        pytest.param("a=1", "", "a=1", "", id="a file is gone"),
        pytest.param("a=1 b=1", "b=2 a=1", "a=1 b=1", "b=2 a=1", id="whatever the order"),
        pytest.param("a=1", "a=1 b=1", "a=1 c=1", "a=1 c=1 b=1", id="a new one comes behind the others"),
        pytest.param("a=1 b=1", "b=1", "a=1 b=1", "b=1", id="the first is gone"),
        pytest.param("a=1 b=1", "a=1", "a=1 b=1 c=1", "a=1 c=1", id="one between others is gone"),
        pytest.param("a=1 a=1", "a=1 a=2", "a=1 a=1", "a=1 a=2", id="two of one name"),
        pytest.param("a=1", "a=1", "", "", id="deleted, and not changed upstream"),
        pytest.param("a=1 b=1", "b=1 c=2", "--- a=1 b=1", "--- b=1 c=2", id="a text that starts with a marker"),
    ],
)
def test_documents_are_matched_by_identity(files: Files, origin: str, update: str, local: str, expected: str) -> None:
    files.write(origin=documents(*origin.split()), update=documents(*update.split()), local=documents(*local.split()))
    answer = files.merge(MERGE3)
    assert answer == (documents(*expected.split()).encode(), "", 0)


@pytest.mark.parametrize(
    ("head", "upstream"),
    [
        ("metadata: # kpt-merge: shop/a\n  name: mine\n", "metadata:\n  name: a\n  namespace: shop\n"),
        ("metadata:\n  name: mine\n  annotations: {internal.kpt.dev/upstream-identifier: '|ConfigMap|~C|a'}\n", ""),
        (
            "metadata:\n  name: mine\n  annotations: {internal.kpt.dev/upstream-identifier: '|ConfigMap|default|a'}\n",
            "",
        ),
        ("metadata:\n  name: a\n  namespace: default\n", ""),
    ],
    ids=["the comment", "the annotation", "its default namespace", "a default namespace"],
)
def test_an_object_is_known_by_what_kpt_noted_or_what_is_the_default(files: Files, head: str, upstream: str) -> None:
    kind = "apiVersion: v1\nkind: ConfigMap\n"
    upstream = upstream or "metadata:\n  name: a\n"
    files.write(
        origin=f"{kind}{upstream}data: {{k: o}}\n",
        update=f"{kind}{upstream}data: {{k: u}}\n",
        local=f"{kind}{head}data: {{k: o}}\n",
    )
    assert files.merge(MERGE3) == (f"{kind}{head}data: {{k: u}}\n".encode(), "", 0)


def placed(*data: str) -> str:
    """Return ConfigMaps, each written as namespace/name=value."""
    found = []
    for one in data:
        where, _, value = one.partition("=")
        namespace, _, name = where.rpartition("/")
        ref = f"{name}, namespace: {namespace}" if namespace else name
        found.append(config_map(f"{{k: {value}}}", ref))
    return "---\n".join(found)


@pytest.mark.parametrize("merge3", [TAKING, APPLY])
@pytest.mark.parametrize(
    ("origin", "update", "local", "expected"),
    [
        pytest.param("a=1", "a=2", "shop/a=1", "shop/a=2", id="in the namespace of what is live"),
        pytest.param("", "a=2", "shop/a=1", "shop/a=2", id="without an origin"),
        pytest.param("", "a=2 b=2", "shop/b=1 shop/a=1", "shop/b=2 shop/a=2", id="several"),
        pytest.param("", "a=2", "shop/a=1 a=1", "shop/a=1 a=2", id="the one without is there"),
        pytest.param("", "a=2", "shop/a=1 test/a=1", "shop/a=1 test/a=1 a=2", id="in two namespaces"),
        pytest.param("", "test/a=2", "shop/a=1", "shop/a=1 test/a=2", id="in another namespace"),
        pytest.param("", "default/a=2", "shop/a=1", "shop/a=1 default/a=2", id="in the default one"),
        pytest.param("", "a=2 shop/a=3", "shop/a=1", "a=2 shop/a=3", id="update has both"),
        pytest.param("", "a=2 a=3", "shop/a=1", "shop/a=1 a=2 a=3", id="neither of two"),
        pytest.param("", "a=2", "shop/a=1 shop/a=1", "shop/a=1 shop/a=1 a=2", id="local has two"),
    ],
)
def test_what_names_no_namespace_is_what_is_live_in_one(  # noqa: PLR0913 - a row of the table
    files: Files, merge3: str, origin: str, update: str, local: str, expected: str
) -> None:
    files.write(origin=placed(*origin.split()), update=placed(*update.split()), local=placed(*local.split()))
    answer = files.merge(merge3)
    assert (answer.stdout, answer.code) == (placed(*expected.split()).encode(), 0)


@pytest.mark.parametrize("strategy", ["Merge3", "Apply"])
def test_what_is_live_brings_its_origin_along(files: Files, strategy: str) -> None:
    applied = '{"apiVersion":"v1","data":{"gone":"1"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"}}'
    noted = f"a, namespace: shop, annotations: {{kubectl.kubernetes.io/last-applied-configuration: '{applied}'}}"
    live = config_map('{gone: "1", mine: "1"}', noted)
    files.write(origin="", update=config_map('{k: "2"}'), local=live)
    answer = files.merge(f"{MERGE3} --strategy {strategy}")
    assert (answer.code, answer.stdout.count(b"kind: ConfigMap")) == (0, 1)
    data = {"Merge3": b'{k: "2", mine: "1"}', "Apply": b'{mine: "1", k: "2"}'}[strategy]
    assert answer.stdout.endswith(b"data: %b\n" % data)
    assert b"name: a, namespace: shop" in answer.stdout


def test_what_leaves_its_namespace_is_another_object(files: Files) -> None:
    files.write(origin=placed("shop/a=1"), update=placed("a=1"), local=placed("shop/a=1", "z=1"))
    note = "1 note not shown (--results FILE has them)\n"
    assert files.merge(MERGE3) == (placed("a=1", "z=1").encode(), note, 0)


@pytest.mark.parametrize("strategy", ["Merge3", "Apply"])
def test_a_byte_order_mark_stays(files: Files, strategy: str) -> None:
    before, after = "\ufeff" + config_map("{k: o}"), "\ufeff" + config_map("{k: u}")
    files.write(origin=before, update=after, local=before)
    assert files.merge(f"{MERGE3} --strategy {strategy}") == (after.encode(), "", 0)


def test_json_stays_json(files: Files) -> None:
    local = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "o"}}\n'
    files.write(origin=config_map("{k: o}"), update=config_map("{k: u, new: true}"), local=local)
    expected = local.replace('"k": "o"', '"k": "u", "new": true')
    assert files.merge(MERGE3) == (expected.encode(), "", 0)
    files.write(update=documents("a=o", "b=1"))
    message = "[error] local.yaml is JSON, which holds one object: no other can be added to it (NotEditable)\n"
    assert files.merge(APPLY) == (b"", message, 1)


def test_a_definition_in_the_files_says_how_a_list_merges(files: Files) -> None:
    def widgets(*entries: str) -> str:
        listed = "".join(f"  - {entry}\n" for entry in entries)
        return f"apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: w}}\nspec:\n  parts:\n{listed}"

    definition = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              parts: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [code]}
"""
    sides = {
        "origin": widgets("{code: a, v: 1, w: 1}", "{code: b, v: 1, w: 1}"),
        "update": widgets("{code: b, v: 2, w: 2}"),
        "local": widgets("{code: b, v: 1, w: 1, x: 1}", "{code: a, v: 1, w: 1}"),
    }
    files.write(**sides)
    assert files.merge(TAKING).stdout.decode() == widgets("{code: b, v: 2, w: 2}")
    files.write(**sides | {"local": f"{definition}---\n{sides['local']}"})
    expected = f"{definition}---\n{widgets('{code: b, v: 2, w: 2, x: 1}')}"
    assert files.merge(MERGE3) == (expected.encode(), "", 0)


@pytest.mark.parametrize(
    ("texts", "command", "message"),
    [
        (
            {"local": "a: [1", "update": ""},
            APPLY,
            "local.yaml: line 1, column 6: `,` or `]` is missing: the list starts in line 1",
        ),
        (
            {"update": config_map("[1")},
            APPLY,
            "update.yaml: line 5, column 1: `,` or `]` is missing: the list starts in line 4 (InvalidInput)\n",
        ),
        (
            {"update": "a: 1\na: 2\n", "local": ""},
            APPLY,
            "update.yaml: line 2, column 1: the key `a` is here again, first in line 1",
        ),
        (
            {"local": "a: 1\n---\nb:\n- *none\n"},
            APPLY,
            "local.yaml: document 2: line 4: the alias `*none` names nothing",
        ),
        (
            {"local": "%YAML 1.1\n---\na: [1"},
            APPLY,
            "local.yaml: line 3, column 6: `,` or `]` is missing: the list starts in line 3",
        ),
        (
            {"update": config_map("{k: v}\nkind: A")},
            MERGE3,
            "update.yaml: line 5, column 1: the key `kind` is here again",
        ),
        ({}, "merge3 origin.yaml update.yaml none.yaml", "none.yaml: No such file or directory"),
        ({}, f"{MERGE3} --output none/local.yaml", "none/local.yaml: No such file or directory"),
    ],
)
def test_what_cannot_be_merged_is_one_sentence(files: Files, texts: dict[str, str], command: str, message: str) -> None:
    plain = config_map("{k: v}")
    files.write(**{"origin": plain, "update": plain, "local": plain} | texts)
    answer = files.merge(command)
    assert answer.stderr.startswith(f"[error] {message}")
    assert (answer.stderr.count("\n"), answer.code) == (1, 1)


ALWAYS = "--on-conflict cannot be given with --strategy Apply, which lets update win always"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("merge3 a b", "the following arguments are required: LOCAL"),
        ("merge3 - - a", "only one file can be standard input"),
        ("merge2 a b c", "`c` is one argument too many"),
        (
            "merge2 a b --on-conflict Error",
            "`--on-conflict` is no option of `krm merge2`; it is one of `krm merge3`",
        ),
        ("merge3 a b c --strategy Apply --on-conflict Error", ALWAYS),
        ("merge3 a b c --on-conflict Mine", "argument --on-conflict: invalid choice: 'Mine'"),
    ],
)
def test_wrong_usage(files: Files, command: str, message: str) -> None:
    answer = files.merge(command)
    assert f"error: {message}" in answer.stderr
    assert (answer.stdout, answer.code) == (b"", 2)


def test_a_list_is_merged_too(files: Files) -> None:
    files.write(origin="[1, 2]\n", update="[1, 3]\n", local="---\n[1, 2]  # mine\n")
    assert files.merge(MERGE3) == (b"---\n[1, 3]  # mine\n", "", 0)


def test_merge2_leaves_nulls_out_of_what_comes_in(files: Files) -> None:
    files.write(update=config_map("{k: u, gone: null}"), local="")
    told = "[warning] update.yaml:1: v1/ConfigMap/a: local has no such object: the overlay is added to it (NotPlaced)\n"
    assert files.merge("merge2 update.yaml local.yaml") == (config_map("{k: u}").encode(), told, 0)


def test_merge2_puts_fields_over_fields(files: Files) -> None:
    files.write(update=config_map("{k: u, gone: null}"), local=config_map("{k: l, gone: 1, mine: 2}  # mine"))
    assert files.merge("merge2 update.yaml local.yaml") == (config_map("{k: u, mine: 2}  # mine").encode(), "", 0)


@pytest.mark.parametrize("command", ["merge2", "merge3 --strategy Apply /dev/null"])
@pytest.mark.parametrize("sides", [("{k: u}", "{k: 1}", "{k: 2}"), ("{k: u}", "{j: u}", "{k: 1}")])
def test_nothing_tells_which_of_several_objects_is_changed(
    command: str, sides: tuple[str, str, str], files: Files
) -> None:
    """What is for one of them was added beside them."""
    documents = [*map(config_map, sides)]
    split = 1 if "{k: 2}" in sides else 2
    files.write(update="---\n".join(documents[:split]), local="---\n".join(documents[split:]))
    told = (
        "[error] update.yaml:1: v1/ConfigMap/a: update or local has this object several times, and nothing tells which "
        "of them are one: let each have it once (NotMergeable)\n"
    )
    assert files.merge(f"{command} update.yaml local.yaml") == (b"", told, 1)


def test_merge2_takes_directives_for_no_data_of_a_new_object(files: Files) -> None:
    files.write(update=config_map("{k: u, gone: null}", "b"), local=config_map("{}"))
    expected = f"{config_map('{}')}---\n{config_map('{k: u}', 'b')}"
    told = "[warning] update.yaml:1: v1/ConfigMap/b: local has no such object: the overlay is added to it (NotPlaced)\n"
    assert files.merge("merge2 update.yaml local.yaml") == (expected.encode(), told, 0)


def test_a_document_need_not_be_an_object(files: Files) -> None:
    files.write(origin="- 1\n- 2\n", update="- 1\n- 3\n", local="- 1  # one\n- 2\n")
    assert files.merge(MERGE3) == (b"- 1  # one\n- 3\n", "", 0)


def test_a_key_that_is_there_again_is_told_once(files: Files) -> None:
    text = "x:\n  <<: {{a: 1}}\n  <<: {{a: 2}}\n  b: {}\n  c: {}\n"
    files.write(origin=text.format(1, 1), update=text.format(2, 1), local=text.format(1, 2))
    told = "[warning] local.yaml: line 3, column 3: the key `<<` is here again, first in line 2 (InvalidInput)\n"
    assert files.merge(MERGE3) == (text.format(2, 2).encode(), told, 0)


def test_a_key_that_is_there_again_in_a_list_hides_no_conflict(files: Files) -> None:
    text = "kind: List\nitems:\n- kind: A\n  metadata: {{name: s}}\n  data:\n    b: 1\n    b: 2\n    a: {}\n"
    files.write(origin=text.format(1), update=text.format(2), local=text.format(3))
    answer = files.merge(MERGE3)
    assert (answer.stdout.decode(), answer.code) == (text.format(3), 1)
    assert answer.stderr == (
        "[warning] local.yaml: line 7, column 5: the key `b` is here again, first in line 6 (InvalidInput)\n"
        "[error] local.yaml:8: A/s data.a: both sides changed this, origin `1`, update `2`, local `3`: local's stays, "
        "and you have to decide (Conflict)\n"
    )


def test_a_key_that_is_there_again_and_that_both_changed_is_merged_line_by_line(files: Files) -> None:
    text = "data:\n  a: {}\n  x: 1\n  y: 1\n  a: {}\n  z: 1\n  w: {}\n"
    files.write(origin=text.format(1, 1, 1), update=text.format(2, 1, 2), local=text.format(1, 3, 1))
    told = "merged line by line, since local.yaml: line 5, column 3: the key `a` is here again, first in line 2"
    assert files.merge(MERGE3) == (text.format(2, 3, 2).encode(), f"[warning] {told} (InvalidInput)\n", 0)


def test_a_key_that_is_there_again_in_what_kubectl_applied(files: Files) -> None:
    noted = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"},"data":{"a":"1"}}'
    update = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: s\ndata:\n  a: '1'\n  b: '3'\n"
    note = f"  name: s\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {noted}\n"
    local = update.replace("  name: s\n", note) + "  d: '1'\n  d: '2'\n"
    files.write(origin=config_map("{}", name="t"), update=update, local=local)
    told = (
        "[warning] merged line by line, since local.yaml: line 12, column 3: the key `d` is here again, first in "
        "line 11 (InvalidInput)\n"
        "[error] local.yaml: line 3: both sides changed these lines: local's stays, and you have to decide (Conflict)\n"
    )
    assert files.merge(MERGE3) == (local.encode(), told, 1)


WITHOUT_YAML = {
    "a list that is not closed": ("a: [\n{}b\n\n\n\n{}", "line 7, column 1: `,` or `]` is missing"),
    "a template of Helm": ("{{{{ if .X }}}}\n{}a: {{{{ y }}}}\n{{{{ end }}}}\n\n\n{}", "line 2, column 1: a document"),
    "a version of YAML that is none": ("%YAML 9\n{}%x\n\n\n{}", "line 1, column 8: did not find"),
    "an alias of nothing": ("a: *b\n{}\n\n\n{}", "line 1: the alias `*b` names nothing"),
}


@pytest.mark.parametrize(("text", "message"), WITHOUT_YAML.values(), ids=WITHOUT_YAML)
def test_what_is_no_yaml_is_merged_line_by_line(files: Files, text: str, message: str) -> None:
    files.write(
        origin=text.format("x: 1\n", ""), update=text.format("x: 2\n", ""), local=text.format("x: 1\n", "y: 1\n")
    )
    answer = files.merge(MERGE3)
    assert answer.stderr.startswith(f"[warning] merged line by line, since origin.yaml: {message}")
    assert (answer.stdout.decode(), answer.code) == (text.format("x: 2\n", "y: 1\n"), 0)
    files.write(local=text.format("x: 3\n", ""))
    told = (
        "[error] local.yaml: line 2: both sides changed these lines: local's stays, and you have to decide (Conflict)\n"
    )
    answer = files.merge(MERGE3)
    assert answer.stderr.endswith(told)
    assert (answer.stdout.decode(), answer.code) == (text.format("x: 3\n", ""), 1)
    files.write(local="")
    answer = files.merge(TAKING)
    assert (answer.stdout.decode(), answer.code) == (text.format("x: 2\n", ""), 0)


def test_what_cannot_be_written_is_told_with_its_line(files: Files) -> None:
    local = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}\n'
    plain = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    files.write(origin=plain, update=f"{plain}immutable: !odd a\n", local=local)
    answer = files.merge(APPLY)
    assert answer.stderr.startswith("[error] v1/ConfigMap/a: local.yaml: line 1: ")
    assert (answer.stdout, answer.stderr.count("\n"), answer.code) == (b"", 1, 1)


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(SOURCE_ROOT),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    }  # fmt: skip
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("theirs", "mine", "merged", "code"),
    [
        ("{k: u, a: 1}", "{k: o, a: 1, b: 2}", "{k: u, a: 1, b: 2}", 0),
        ("{k: u, a: 1}", "{k: l, a: 1}", "{k: l, a: 1}", 1),
    ],
    ids=["merged", "a conflict"],
)
def test_git_merges_with_it(tmp_path: Path, theirs: str, mine: str, merged: str, code: int) -> None:
    driver = f"{shlex.quote(sys.executable)} -m krm merge3 --on-conflict Error --output %A %O %B %A"
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "merge.krm.driver", driver)
    file = tmp_path / "a.yaml"
    (tmp_path / ".gitattributes").write_text("*.yaml merge=krm\n")
    for branch, data in (("main", "{k: o, a: 1}"), ("upstream", theirs), ("main", mine)):
        git(
            tmp_path,
            "checkout",
            "-q",
            "-B" if branch == "upstream" else branch,
            *([branch] if branch == "upstream" else []),
        )
        file.write_text(config_map(data))
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", data)
    answer = git(tmp_path, "merge", "upstream")
    assert file.read_text() == config_map(merged)
    assert answer.returncode == code
    unmerged = git(tmp_path, "ls-files", "--unmerged").stdout
    assert bool(unmerged) == bool(code)


ABSENT = {
    "another name": (
        config_map("{k: w}", "not-used"),
        "update.yaml:1: v1/ConfigMap/not-used: local has no such object: the overlay is added to it",
        "NotPlaced",
    ),
    "an object to delete": (
        HEAD.replace("NAME", "b") + "$patch: delete\n",
        "update.yaml:1: v1/ConfigMap/b: `$patch: delete` finds nothing here",
        "NothingToDelete",
    ),
    "a field to delete": (
        HEAD.replace("NAME", "a") + "binaryData: {$patch: delete}\n",
        "local.yaml:1: v1/ConfigMap/a binaryData: `$patch: delete` finds nothing here",
        "NothingToDelete",
    ),
}


@pytest.mark.parametrize(("update", "message", "reason"), ABSENT.values(), ids=ABSENT)
def test_an_overlay_says_what_it_could_not_place(files: Files, update: str, message: str, reason: str) -> None:
    files.write(update=update, local=config_map("{k: v}"))
    answer = files.merge("merge2 update.yaml local.yaml --results results.yaml")
    assert (answer.stderr, answer.code) == (f"[warning] {message} ({reason})\n", 0)
    assert message.rpartition(": ")[2] in files.read("results.yaml")
    strict = files.merge("merge2 update.yaml local.yaml --strict --output out.yaml")
    assert (strict.stderr, strict.code) == (f"[error] {message} ({reason})\n", 1)
    assert not (files.folder / "out.yaml").exists()


def test_a_strict_overlay_that_finds_its_object(files: Files) -> None:
    files.write(update=config_map("{k: w}"), local=config_map("{k: v}"))
    assert files.merge("merge2 update.yaml local.yaml --strict") == (config_map("{k: w}").encode(), "", 0)


REPLACED = {
    "the object": config_map("{k: w}") + "$patch: replace\n",
    "a field, and what was in it": config_map("{$patch: replace, k: w, m: {$patch: delete}}"),
}


@pytest.mark.parametrize("update", REPLACED.values(), ids=REPLACED)
def test_what_an_overlay_replaces_is_there(files: Files, update: str) -> None:
    files.write(update=update, local=config_map("{k: v, m: {n: 1}}"))
    assert files.merge("merge2 update.yaml local.yaml --strict") == (config_map("{k: w}").encode(), "", 0)


def test_a_list_of_operations_is_no_overlay(files: Files) -> None:
    files.write(update="- {op: replace, path: /data/k, value: w}\n", local=config_map("{k: v}"))
    assert files.merge("merge2 update.yaml local.yaml") == (
        b"",
        (
            "[error] update.yaml:1: this is a list of operations (JSON6902), and an overlay is an object: write the "
            "fields that change, or apply it with `kubectl patch --type json` (NotMergeable)\n"
        ),
        1,
    )
