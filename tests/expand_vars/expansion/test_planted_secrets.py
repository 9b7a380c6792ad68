"""Secrets are where they may be written and nowhere else: planted values, searched for in all that comes out."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests import process
from tests.expand_vars.expansion.running import FUNCTION_CONFIG, Ran, indented, run

if TYPE_CHECKING:
    from collections.abc import Iterable

TEMPLATES = (
    "$(PASSWORD)",
    "pg://$(OWN)@$(URL)",
    "--all=$(S_b)$(REGION)",
    "$$(PASSWORD)",
    "$(LATER)$(NOBODY)",
    "$(X)",
    "plain",
)
SOURCES = """\
variables:
- {name: REGION, value: eu}
- {name: LATER, value: $(URL)$(URLL)}
- {name: PASSWORD, valueFrom: {secretKeyRef: {name: db, key: a, optional: true}}}
- {name: URL, value: $(REGION).$(PASSWORD)$(S_b)}
variablesFrom:
- secretRef: {name: db, optional: true}
  prefix: S_
targets:
- select: {kind: Secret}
  fieldPaths: ["stringData[*]", "data.wrong"]
- {preset: All}
record: Always
"""
INLINE = "inline: [Literals, Variables, Secrets]\n"
# What else may be said, to fail as often as to succeed.
MORE = (
    "",
    "escapes: Unescape\n",
    "unresolved: Error\n",
    "lookup: [Variables]\n",
    "selectors: {kind: Secret}\n",
    "kustomizeVars: [{name: X, objref: {kind: Secret, name: db}, fieldref: {fieldpath: data.a}}]\n",
    "kustomizeVars: [{name: X, objref: {kind: Secret, name: db}, fieldref: {fieldpath: metadata.annotations}}]\n",
    "kustomizeVars: [{name: X, objref: {kind: Secret, name: db}, fieldref: {fieldpath: 'stringData[*]'}}]\n",
)

words = st.lists(st.sampled_from(TEMPLATES), max_size=3)
markers = st.text("abcdefghijklmnopqrstuvwxyz", min_size=16, max_size=16)
shapes = st.sampled_from(["%s", "$(%s)", "$$(%s)", "$(PASSWORD%s)", "a$%s$", "'\"%s{:#", "é\n%s\\"])


@st.composite
def planted(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Return a Secret, and the texts by which each value in it would be found, whatever was done to it."""
    values = [draw(shapes) % draw(markers) for _ in range(2)]
    encoded = [b64encode(value.encode()).decode() for value in values]
    text = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: db}}\ndata: {{a: {encoded[0]}}}\n"
    text += f"stringData: {{b: {json.dumps(values[1])}}}\n"
    return text, [*encoded, *(marker for value in values for marker in re.findall("[a-z]{16}", value))]


@st.composite
def workloads(draw: st.DrawFn) -> str:
    env = [
        {"name": name, "value": draw(st.sampled_from(TEMPLATES))}
        for name in ("FIRST", "PASSWORD", "FIRST")[: draw(st.integers(0, 3))]
    ]
    own = {"name": "OWN", "valueFrom": {"secretKeyRef": {"name": "db", "key": "a"}}}
    container: dict[str, Any] = {
        "name": "web",
        "env": [*env, own],
        "args": draw(words),
        "image": draw(st.sampled_from(TEMPLATES)),
    }
    container |= {"livenessProbe": {"exec": {"command": draw(words)}}, "envFrom": [{"secretRef": {"name": "db"}}]}
    metadata = {"name": "web", "annotations": {"note": draw(st.sampled_from(TEMPLATES))}}
    return yaml.dump({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}})


def holder(text: str) -> str:
    """Return a Secret into which a text is written, as it may be, and as it may not."""
    return (
        f"apiVersion: v1\nkind: Secret\nmetadata: {{name: url}}\nstringData: {{u: {text}}}\ndata: {{wrong: {text}}}\n"
    )


def shown(ran: Ran, *, is_inlined: bool) -> str:
    """Return all that came out, but for the fields that may hold a secret."""
    items = [item for item in yaml.safe_load_all(ran.text) if item] if ran.text else []
    for item in items:
        item.pop("stringData", None)
        item.pop("data", None) if is_inlined or item["metadata"]["name"] == "db" else None
        if is_inlined:
            item.pop("spec", None)
            item["metadata"].get("annotations", {}).pop("note", None)
    return json.dumps(items, ensure_ascii=False) + "\n".join(map(repr, map(str, ran.results)))


def is_hidden(planted_texts: Iterable[str], seen: str) -> bool:
    return not [text for text in planted_texts if text in seen]


@given(planted(), workloads(), st.sampled_from(TEMPLATES), st.sampled_from(MORE), st.booleans())
def test_a_secret_is_nowhere_but_where_it_may_be_written(
    secret: tuple[str, list[str]],
    workload: str,
    held: str,
    more: str,
    is_inlined: bool,  # noqa: FBT001
) -> None:
    text, texts = secret
    spec = SOURCES + more + (INLINE if is_inlined else "")
    first = run(workload, holder(held), text, spec=spec)
    assert is_hidden(texts, shown(first, is_inlined=is_inlined))
    if first.text:
        expanded = "---\n".join(first.text.split("---\n")[:2])
        for second in (run(expanded, spec=spec), run(expanded, spec="{}"), run(first.text, spec=spec)):
            assert is_hidden(texts, shown(second, is_inlined=is_inlined))


# Input that fails, with a secret in it, and where the function may come upon it.
BROKEN = {
    "no base64": "data: {k: hidden!}",
    "no UTF-8": "data: {k: gIGCaGlkZGVu}",
    "a list": "stringData: {k: [hidden]}",
    "a mapping": "stringData: {k: {hidden: hidden}}",
    "a key twice": "stringData: {k: hidden, k: hidden}",
    "no YAML": "stringData: {k: hidden",
    "no end of a string": 'stringData: {k: "hidden}',
    "an alias": "stringData: {k: *hidden}",
    "a tab": "stringData:\n\tk: hidden",
    "no mapping": "stringData: hidden",
    "no mapping entry": "hidden",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_no_message_quotes_a_secret_that_cannot_be_read(data: str) -> None:
    secret = f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n{data}\n"
    spec = "inline: [Secrets, Variables]\nvariables: [{name: X, valueFrom: {secretKeyRef: {name: s, key: k}}}]"
    config = FUNCTION_CONFIG + indented(spec, 2)
    items = f"kind: ResourceList\nitems:\n- {indented(secret, 2).strip()}\nfunctionConfig:\n{indented(config, 2)}"
    failed = process.run(stdin=items.encode())
    assert failed.code == 1
    assert failed.stderr.startswith("[error] ")
    assert "hidden" not in failed.stderr
    assert "hidden" not in failed.stdout.decode().partition("\nresults:")[2]
