"""What a diff shows of Secrets: no value of theirs, and no comment among these."""

from __future__ import annotations

from argparse import Namespace

import pytest

from krm.commands import masks, printing
from krm.package.file_changes import FileChange
from krm.yamltree.parser import ParseError

RESOURCE = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
MASKED = {
    "texts and what is between them": (
        "data: # S3\n  # S3\n  a: S3 # S3\n  b: |\n    S3\n\n  c: 'S3'\n  d:\n  # S3\n\n  # S3\ntype: x # t\n",
        "data: # ***\n  # ***\n  a: *** # ***\n  b: ***\n\n  c: ***\n  d:\n  # ***\n\n  # ***\ntype: *** # ***\n",
    ),
    "brackets": ('data: {a: S3, "b": "S3"}\n', 'data: {a: ***, "b": ***}\n'),
    "comments right behind signs": (
        "data: {# S3\n  a: S3,# S3\n  b: 'S3'# S3\n  }# S3\n",
        "data: {# ***\n  a: ***,# ***\n  b: ***# ***\n  }# ***\n",
    ),
    "what is no text": ("data: {a: [S3, {b: S3}]}\n", "data: {a: ***}\n"),
    "what is no mapping": ("data: S3\nstringData: [S3]\n", "data: ***\nstringData: ***\n"),
    "keys that are no texts": ("data: {[S3]: S3}\n", "data: ***\n"),
    "an anchor with its aliases": ("x: &x S3\ndata: {a: *x, b: *x}\n", "x: ***\ndata: {a: *x, b: *x}\n"),
    "data that is an alias": ("x: &x\n  a: S3 # S3\ndata: *x\n", "x: &x\n  a: *** # ***\ndata: *x\n"),
    "data that is merged in": ("x: &x {a: S3}\ndata: {<<: *x}\n", "x: &x {a: ***}\ndata: {<<: *x}\n"),
    "a Secret that is merged in": ("x: &x {data: {a: S3}}\n<<: *x\n", "x: &x {data: ***}\n<<: *x\n"),
    "an alias of nothing": ("--- &x\n---\nkind: Secret\nb: 1\n", "--- &x\n---\nkind: Secret\nb: 1\n"),
}


@pytest.mark.parametrize(("written", "shown"), MASKED.values(), ids=MASKED)
def test_values_and_comments_are_masked(written: str, shown: str) -> None:
    assert masks.masked(RESOURCE + written, RESOURCE + written, {}) == (RESOURCE + shown, RESOURCE + shown)


ELSEWHERE = {
    "comments behind a tag, an anchor and the sign of a block": (
        (
            "kind: Secret\nmetadata:\n  b: !!str # S3\n    c\n  d: &d # S3\n    c\n"
            "  e: &e !t |- # S3\n    c\ndata: {a: S3}\n"
        ),
        (
            "kind: Secret\nmetadata:\n  b: !!str # ***\n    c\n  d: &d # ***\n    c\n"
            "  e: &e !t |- # ***\n    c\ndata: {a: ***}\n"
        ),
    ),
    "a list": (
        "kind: List\nitems:\n- kind: Secret\n  data: {a: S3}\n- kind: A\n  data: {a: b}\n",
        "kind: List\nitems:\n- kind: Secret\n  data: {a: ***}\n- kind: A\n  data: {a: b}\n",
    ),
    "a list of Secrets without their kinds": (
        "kind: SecretList\nitems:\n- data: {a: S3}\n- x\n",
        "kind: SecretList\nitems:\n- data: {a: ***}\n- x\n",
    ),
    "one of several documents": (
        "kind: A\ndata: {a: b}\n---\nkind: Secret\ndata: {a: S3}\n---\n",
        "kind: A\ndata: {a: b}\n---\nkind: Secret\ndata: {a: ***}\n---\n",
    ),
    "JSON": ('{"kind": "Secret", "data": {"a": "S3"}}\n', '{"kind": "Secret", "data": {"a": ***}}\n'),
    "kubectl's copy in an annotation": (
        'kind: X\nc: \'{"kind":"Secret","data":{"a":"S3"}}\'\n',
        "kind: X\nc: ***\n",
    ),
    "a file with a byte order mark": ("\ufeffkind: Secret\ndata: {a: S3}\n", "\ufeffkind: Secret\ndata: {a: ***}\n"),
    "a kind that is written with an escape": (
        'kind: "\\x53ecret"\ndata: {a: S3}\n',
        'kind: "\\x53ecret"\ndata: {a: ***}\n',
    ),
    "a copy whose kind is written with an escape": (
        'kind: X\nc: \'{"kind":"\\u0053ecret","data":{"a":"S3"}}\'\n',
        "kind: X\nc: ***\n",
    ),
    "a comment above brackets": (
        "# S3\nkind: Secret\n# expand: data: {a: S3}\ndata: {a: S3}\n",
        "# ***\nkind: Secret\n# ***\ndata: {a: ***}\n",
    ),
    "data ahead of all": ("# S3\ndata: {a: S3}\nkind: Secret\n# S3\n", "# ***\ndata: {a: ***}\nkind: Secret\n# ***\n"),
    "a Secret in a ConfigMap": (
        "kind: ConfigMap\n# S3\ndata:\n  s: | # S3\n    kind: Secret\n    data: {a: S3}\n  t: u\n",
        "kind: ConfigMap\n# ***\ndata:\n  s: ***\n  t: u\n",
    ),
    "a text in a ConfigMap that is no YAML": (
        "kind: ConfigMap\ndata:\n  s: 'kind: Secret, data: {a: S3'\n",
        "kind: ConfigMap\ndata:\n  s: ***\n",
    ),
    "documents beside it": (
        "# a\nkind: A\n# b\n---\nkind: Secret\n# S3\ndata:\n- S3\n---\n# c\nkind: A\nb: | # d\n  x\n",
        "# a\nkind: A\n# b\n---\nkind: Secret\n# ***\ndata:\n***\n---\n# c\nkind: A\nb: | # d\n  x\n",
    ),
    "what only names a Secret": ("ref: {kind: Secret, name: a}\n", "ref: {kind: Secret, name: a}\n"),
}


@pytest.mark.parametrize(("written", "shown"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_secrets_are_known_wherever_they_stand(written: str, shown: str) -> None:
    assert masks.masked(written, written, {}) == (shown, shown)


def test_a_value_that_changed_shows_its_side() -> None:
    before, after = f"{RESOURCE}data: {{a: S3, b: S3, c: S3}}\n", f"{RESOURCE}data: {{a: S4, b: S3, d: S3}}\n"
    assert masks.masked(before, after, {}) == (
        f"{RESOURCE}data: {{a: *** (before), b: ***, c: ***}}\n",
        f"{RESOURCE}data: {{a: *** (after), b: ***, d: ***}}\n",
    )


HELD = "kind: Secret\nmetadata: {name: a}\nstringData:\n  pw: S3\n  no: ''\n"
SHOWN = "kind: Secret\nmetadata: {name: a}\nstringData:\n  pw: ***\n  no: ***\n"
LOST = {
    "its kind": HELD.replace("kind: Secret\n", ""),
    "a letter of its kind": HELD.replace("Secret", "SecretX"),
    "the key above its values": HELD.replace("stringData:\n", "").replace(" {name: a}", "\n  name: a"),
    "the object, which another one has": "kind: A\nb: [S3, '']\n",
}


@pytest.mark.parametrize("other", LOST.values(), ids=LOST)
def test_a_value_is_covered_where_a_side_has_lost_what_makes_it_secret(other: str) -> None:
    shown = other.replace("S3", "***")
    assert masks.masked(HELD, other, {}) == (SHOWN, shown)
    assert masks.masked(other, HELD, {}) == (shown, SHOWN)


def test_a_new_document_covers_nothing_of_another() -> None:
    above = "kind: A\na: S3\n---\n"
    assert masks.masked(HELD, above + HELD, {}) == (SHOWN, above + SHOWN)


def test_of_what_is_no_yaml_nobody_knows_what_is_secret() -> None:
    with pytest.raises(ParseError):
        masks.masked("", "kind: Secret\ndata: {{ S3 }}: [\n", {})


DIFFS = {
    "a text that is no YAML": ("kind: Secret\ndata: {{ x }}: [ # S3\n", False),
    "a change of a comment among values": (f"{RESOURCE}data: {{a: S3}} # S3\n", False),
    "what is to be shown": (f"{RESOURCE}data: {{a: S3}} # S3\n", True),
}


@pytest.mark.parametrize("case", DIFFS)
def test_a_change_that_masks_hide_is_told(case: str) -> None:
    text, show_secrets = DIFFS[case]
    change = FileChange("f", text.encode(), text.replace("# S3", "# S4").encode(), None)
    shown = printing.asked_diff([change], str, dict, Namespace(diff=True, show_secrets=show_secrets))
    if show_secrets:
        assert shown.endswith("-data: {a: S3} # S3\n+data: {a: S3} # S4\n")
    else:
        assert shown == "Files a/f and b/f differ in what may be a Secret: --show-secrets shows it\n"


def test_a_change_of_the_mode_alone_has_no_lines() -> None:
    change = FileChange("f", b"a: 1\n", b"a: 1\n", None)
    assert printing.asked_diff([change], str, dict, Namespace(diff=True, show_secrets=False)) == ""


def test_what_a_secret_gave_is_found_in_any_order_of_the_files() -> None:
    """An entry of `env` in one file is built of a secret, and a field of another file refers to that entry."""
    declaring = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - env:\n    - name: PW\n"
        "      valueFrom: {secretKeyRef: {name: s, key: k}}\n    - name: URL\n      value: u-S3 # expand: u-$(PW)\n"
    )
    referring = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata:\n  url: x-u-S3 # expand: x-$(URL)\n"
    expected = {("Pod", "a"): {("spec", "containers", 0, "env", 1, "value")}, ("ConfigMap", "b"): {("data", "url")}}
    assert masks.secret_fields([declaring, referring]) == expected
    assert masks.secret_fields([referring, declaring]) == expected
    assert "URL" in masks.secret_names([referring, declaring])
