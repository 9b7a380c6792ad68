"""What a run made of the files, beside what it has to make of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.expand_vars.memory import model
from tests.expand_vars.memory.model import NOWHERE
from tests.expand_vars.memory.world import BETWEEN, STATE, file_of, together

if TYPE_CHECKING:
    from tests.expand_vars.memory.expected import Outcome
    from tests.expand_vars.memory.orchestrator import Ran
    from tests.expand_vars.memory.world import Doc, Entry, World

# Each of these says what became of one resource, and nothing else may be said of it.
_OURS = re.compile(r"^    expandvars\.dev/(?:.*: \|\n(?:      .*\n)+|.*\n)", re.MULTILINE)
_ANNOTATIONS = re.compile(r"^  annotations:\n(?!    )", re.MULTILINE)
FEW = 5
FATES = {
    "Adopted",
    "AmbiguousCopies",
    "Copied",
    "HandedOver",
    "InOtherPackage",
    "KeptChanged",
    "Pruned",
    "PrunedWithEdits",
    "TakenOver",
}


def check(world: World, outcome: Outcome, ran: Ran) -> None:
    """Compare a run with what was expected, and let the world be as the run left it."""
    before = world.files
    states = world.states
    if outcome.is_refused:
        assert (ran.code, ran.files) == (1, before), ran.results
        _check_conflicts(world, outcome, ran)
        return
    assert ran.code == 0, ran.results
    # Of two states in a file the first may go: the line stays that parted it from the other one.
    world.states = {path: text.removeprefix(BETWEEN) for path, text in ran.files.items() if path.endswith(STATE)}
    after = _documents({path: text for path, text in ran.files.items() if path not in world.states}, outcome)
    for path in before.keys() - states.keys() - {file_of(key) for key in world.docs}:
        assert after.pop(path) == before[path], path
    for path, doc in world.docs.items():
        if path in outcome.docs:
            assert path in after, f"{path} is lost"
            if path in outcome.left:
                assert after[path] == doc.text, path
            else:
                _check_doc(world, path, outcome, after[path])
            outcome.docs[path] = outcome.docs[path].as_left(after.pop(path))
    # A new one may get the file of one that goes.
    _check_new(outcome, after)
    _check_told(world, outcome, ran)
    _check_pruned(world, outcome, ran)
    _check_secrets(world, outcome, ran)
    world.docs = dict(sorted(outcome.docs.items()))
    world.entries = outcome.entries


def _documents(files: dict[str, str], outcome: Outcome) -> dict[str, str]:
    """Return the texts of the resources in files. Those behind what has to be in a file are new."""
    found: dict[str, str] = {}
    for path, text in files.items():
        keys = together(outcome.docs, path) or [path]
        # Where the first of a file is pruned, the line stays that parted it from the next one.
        texts = text.removeprefix(BETWEEN).split(f"\n{BETWEEN}")
        last = int(keys[-1].partition("#")[2] or 0)
        keys += [f"{path}#{last + number}" for number in range(1, len(texts) - len(keys) + 1)]
        found |= zip(keys, texts, strict=True)
    return {key: text if text.endswith("\n") else f"{text}\n" for key, text in found.items()}


def _check_doc(world: World, path: str, outcome: Outcome, text: str) -> None:
    """A file has the data that it must have; where that is what it had, it has the same bytes."""
    was, doc = world.docs[path], outcome.docs[path]
    is_remembered = [was.owner, _entry(world, was)] == [doc.owner, _entry(outcome, doc)]
    wanted = model.shown(doc.tree, doc.values)
    assert model.tree(text) == wanted, f"{path}: {wanted} is wanted, and there is {text}"
    if wanted == model.tree(was.text) and is_remembered and doc.tree == was.tree and _used(doc) == _used(was):
        assert _without_ours(text) == _without_ours(was.text), path
    # In a list that the template changed, a comment goes with the element that it is about.
    ats = [at for at in doc.comments.values() if isinstance(model.at(was.tree, at), tuple)]
    given_up = [at for at in ats if model.at(was.tree, at) != model.at(doc.tree, at)]
    for comment, at in doc.comments.items():
        assert comment in text or at in given_up or model.at(wanted, at) is NOWHERE, f"{path}: {comment} at {at}"


def _entry(known: World | Outcome, doc: Doc) -> Entry | None:
    return None if doc.owner is None else known.entries.get(doc.owner)


def _without_ours(text: str) -> str:
    """Return a text without our annotations: what a user changed is forgotten there."""
    return _ANNOTATIONS.sub("", _OURS.sub("", text))


def _used(doc: Doc) -> dict[str, str]:
    """Return the values that stand in a resource."""
    return {name: value for name, value in doc.values.items() if name in model.names(doc.tree)}


def _check_new(outcome: Outcome, after: dict[str, str]) -> None:
    """What is new is there once, in a file of its own."""
    for doc in outcome.new:
        assert doc.owner is not None
        wanted = model.shown(doc.tree, doc.values)
        path = next((path for path, text in after.items() if model.tree(text) == wanted), None)
        assert path is not None, f"missing: {wanted} among {after}"
        outcome.docs[path] = replace(doc, text=after.pop(path))
        outcome.entries[doc.owner] = replace(outcome.entries[doc.owner], home=file_of(path))
    assert not after, f"nobody asked for {after}"


def _check_pruned(world: World, outcome: Outcome, ran: Ran) -> None:
    """What goes with a resource is named: labels, and the comments of which there are a few."""
    for path in world.docs.keys() - outcome.docs.keys():
        doc = world.docs[path]
        told = next(one for one in ran.results if one.reason.startswith("Pruned") and one.name == _name(doc))
        message = told.message
        entry = _entry(world, doc)
        assert entry is not None, path
        own, made = (dict(model.leaves(one["metadata"].get("labels", {}))) for one in (doc.tree, entry.origin))
        labels = [label for (label,) in own if own[label,] != made.get((label,))]
        for label in labels:
            assert f"metadata.labels.{label}" in message, message
        assert told.reason == "PrunedWithEdits" or not (labels or doc.comments), message
        if doc.tree["kind"] == "Secret":
            assert not doc.comments or "not shown as it holds a secret" in message, message
            continue
        for comment in [*doc.comments] if len(doc.comments) <= FEW else ():
            assert comment in message, message


def _check_secrets(world: World, outcome: Outcome, ran: Ran) -> None:
    """What is secret stands in the fields of Secrets, and nowhere else."""
    texts = [one.text for one in outcome.docs.values() if one.tree["kind"] != "Secret"]
    texts += [*world.states.values(), *("".join(_OURS.findall(one.text)) for one in outcome.docs.values())]
    texts += [one.message for one in ran.results]
    assert not any("hunter" in text for text in texts), world.pin


def _name(doc: Doc) -> str:
    return str(doc.tree["metadata"]["name"])


def _check_told(world: World, outcome: Outcome, ran: Ran) -> None:
    # One result names all copies.
    told = {(one.reason, "" if one.reason == "Copied" else one.name) for one in ran.results if one.reason in FATES}
    told = {("Pruned" if reason == "PrunedWithEdits" else reason, name) for reason, name in told}
    assert told == outcome.told, told ^ outcome.told
    _check_conflicts(world, outcome, ran)


def _check_conflicts(world: World, outcome: Outcome, ran: Ran) -> None:
    conflicts = {(one.name, one.field) for one in ran.results if one.reason == "Conflict"}
    wanted = {(world.docs[path].tree["metadata"]["name"], model.printed(one.path)) for path, one in outcome.conflicts}
    assert conflicts == wanted, conflicts ^ wanted
