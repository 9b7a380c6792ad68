"""The law of runs in place: each field says its template with the last value that a run declared for each name.

Or it says its author's own text; and what was replaced, or could not follow, is told (docs/reference/runs-in-place.md,
"What a name gets", "What becomes of your edit").
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from expand_vars import pipeline
from expand_vars.functionconfig import decoding
from krm.package import file_changes, files, transaction
from krm.package.folder import Folder
from krm.template_comments import writing
from tests.krm.template_comments import branches, model
from tests.krm.template_comments.model import Container, Document, Field, Package

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from krm.results import Result

    Step: TypeAlias = Callable[["World"], None]

TIMES = 5000 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 100
VALUES = ["eu", "us", "a-b", "b", "eu-1"]
TEMPLATES = [
    "$(A)",
    "x-$(A)",
    "x-$(B)",
    "$(A)-$(B)",
    "$(B)/$(C)",
    "$(A)-$(A)",
    "$(A)-$(B)-$(A)",
    "$(A)$(A)$(B)",
    "$(A)-$(B)-$(C)",
    "$(A)/$(B)-$(C)",
    "$(C).x",
]
FORMS = ["plain", "plain", "quoted", "block"]
ABOUT_FIELDS = ("EditedByHand", "AmbiguousText", "TemplateDoubled", "UnplacedTemplate", "NoRoomForReference")


class World:
    """A package in a model, whose choices are those of `random`."""

    def __init__(self, package: Package, random: Random) -> None:
        self.package = package
        self.random = random

    def template(self) -> str:
        return f"--v={self.random.choice(TEMPLATES)}"

    def values(self) -> dict[str, str]:
        names = self.random.sample("ABC", self.random.randint(1, 3))
        return {name: self.random.choice(VALUES) for name in names}

    def name(self) -> str:
        return f"n{self.random.randrange(10**9)}"

    def field(self) -> Field:
        return self.random.choice(self.package.fields())

    def container(self) -> Container | None:
        found = [one for document in self.package.documents for one in document.containers]
        return self.random.choice(found) if found else None


def start(random: Random) -> World:
    """Return a package of three documents in two files."""
    world = World(Package([]), random)
    for file in ("a.yaml", "b/b.yaml"):
        made = [Container(world.name(), [_made(world, "brackets")], _args(world)) for _ in range(random.randint(1, 2))]
        world.package.documents.append(Document(file, world.name(), made))
    fields = [_made(world, form) for form in ("size", "host")]
    for one in fields:
        one.template, one.text = one.text, model.said(one.text, {"A": "eu", "B": "b", "C": "us"})
    world.package.documents.append(Document("a.yaml", world.name(), fields=fields))
    return world


def _args(world: World) -> list[Field]:
    return [_made(world, world.random.choice(FORMS)) for _ in range(world.random.randint(1, 3))]


def _made(world: World, form: str) -> Field:
    return Field(form, world.template())


def edit_within_the_shape(world: World) -> None:
    one = world.field()
    if one.template is not None:
        one.text = model.said(one.template, {name: world.random.choice(VALUES) for name in "ABC"})


def edit_out_of_the_shape(world: World) -> None:
    world.field().text = "--own=x"


def edit_a_free_line(world: World) -> None:
    world.field().free = world.name()


def write_another_reference(world: World) -> None:
    world.field().text = world.template()


def put_a_template_back(world: World) -> None:
    one = world.field()
    one.text = one.template or one.text


def put_a_reference_back(world: World) -> None:
    one = world.field()
    for name, text in (model.readings(one) or [{}])[0].items():
        if world.random.random() < 0.5:
            one.text = one.text.replace(text, f"$({name})", 1) if text else one.text


def delete_a_comment(world: World) -> None:
    world.field().template = None


def write_a_comment(world: World) -> None:
    one = world.field()
    one.template = world.template()


def rename_a_document(world: World) -> None:
    world.random.choice(world.package.documents).name = world.name()


def rename_a_container(world: World) -> None:
    if one := world.container():
        one.name = world.name()


def move_a_document(world: World) -> None:
    documents = world.package.documents
    one = documents.pop(world.random.randrange(len(documents)))
    one.file = world.random.choice(["a.yaml", "b/b.yaml", "c.yaml"])
    documents.insert(world.random.randint(0, len(documents)), one)


def copy_a_document(world: World) -> None:
    one = Package([world.random.choice(world.package.documents)]).copy().documents[0]
    one.name, one.file = world.name(), world.random.choice(["a.yaml", "d.yaml"])
    world.package.documents.append(one)


def delete_a_document(world: World) -> None:
    if len(world.package.documents) > 1:
        world.package.documents.remove(world.random.choice(world.package.documents))


def copy_a_container(world: World) -> None:
    found = [one for one in world.package.documents if one.containers]
    if found:
        of, to = world.random.choice(found), world.random.choice(found)
        one = Package([of]).copy().documents[0].containers[0]
        one.name = world.name()
        to.containers.insert(world.random.randint(0, len(to.containers)), one)


def move_an_arg(world: World) -> None:
    one, other = world.container(), world.container()
    if one and other and one.args:
        other.args.insert(0, one.args.pop(world.random.randrange(len(one.args))))


def copy_an_arg(world: World) -> None:
    one, other = world.container(), world.container()
    if one and other and one.args:
        found = world.random.choice(one.args)
        other.args.append(Field(found.form, found.text, found.template, found.free))


def add_an_arg(world: World) -> None:
    if one := world.container():
        one.args.insert(world.random.randint(0, len(one.args)), _made(world, world.random.choice(FORMS)))


def delete_an_arg(world: World) -> None:
    one = world.container()
    if one and one.args:
        one.args.pop()


def reorder_args(world: World) -> None:
    if one := world.container():
        world.random.shuffle(one.args)


def run(world: World) -> None:
    """Run with some values: the files say what the model says, and all is told that it tells."""
    before = world.package.files()
    values = world.values()
    expected = world.package.run(values)
    after, found = ran(before, list(values.items()))
    about = [one for one in found if one.reason in ABOUT_FIELDS]
    told = Counter((one.reason, one.file or "", path) for one in about for path in paths(one))
    assert after == world.package.files(), (before, values)
    # The warning about a doubled template names the others of the list, too.
    assert expected.told.keys() <= told.keys()
    assert {reason for reason, _, _ in told.keys() - expected.told.keys()} <= {"TemplateDoubled"}
    of_names = [one for one in found if one.reason in ("KeptLastValue", "ValueChanged")]
    names = Counter(in_order(one.message) for one in of_names if "in most" not in one.message)
    assert names == Counter(map(in_order, expected.messages)), before
    assert ran(after, list(values.items()))[0] == after, (before, values)


def restore(world: World) -> None:
    """Put all templates back: a field says its template, or its author's own text, and that is told."""
    after, found = ran(world.package.files(), [])
    own: model.Told = Counter()
    for document in world.package.documents:
        for path, _, one in document.placed():
            if model.readings(one):
                one.template, one.text = None, str(one.template)
            elif one.template is not None:
                own["EditedByHand", document.file, path.replace("command[1]", "command")] += 1
    assert after == world.package.files()
    assert Counter((one.reason, one.file or "", path) for one in found for path in paths(one)) == own


def paths(result: Result) -> list[str]:
    assert result.ref is not None
    return [f"{result.ref.name} {path}" for path in [result.field, *(path for path, _ in result.further)]]


def in_order(message: str) -> str:
    """Return a message about a changed value with the old ones in order."""
    now, was, rest = message.partition(" now, and was ")
    listed, of, number = rest.rpartition(", in ")
    return now + was + ", ".join(sorted(listed.split(", "))) + of + number


def ran(before: dict[str, str], arguments: list[tuple[str, str]]) -> tuple[dict[str, str], list[Result]]:
    """Return the files behind a run in place, and its results. Without arguments the templates go back."""
    with TemporaryDirectory() as name:
        for file, text in before.items():
            (Path(name) / file).parent.mkdir(exist_ok=True)
            (Path(name) / file).write_text(text)
        with Folder(name) as opened:
            package = files.read(opened)
            if arguments:
                config = decoding.with_arguments(decoding.decode(None), arguments)
                pipeline.expand(package, config.in_place())
                found = [*package.results]
            else:
                found = [*writing.restore(package.items, lambda *_: None)]
            transaction.commit(opened, file_changes.of(package))
        return {file: (Path(name) / file).read_text() for file in before}, found


STEPS: list[Step] = [
    edit_within_the_shape,
    edit_out_of_the_shape,
    edit_a_free_line,
    write_another_reference,
    put_a_template_back,
    put_a_reference_back,
    delete_a_comment,
    write_a_comment,
    rename_a_document,
    rename_a_container,
    move_a_document,
    copy_a_document,
    delete_a_document,
    copy_a_container,
    move_an_arg,
    copy_an_arg,
    add_an_arg,
    delete_an_arg,
    reorder_args,
]


def merge(world: World) -> None:
    """Merge two branches by lines."""
    base = world.package
    ours, theirs = (edited(world, base, 2)[-1] for _ in range(2))
    merged = branches.merged_by_lines(world.random.randrange(2), *(one.files() for one in (base, ours, theirs)))
    _take(world, merged, ours)


def merge_by_driver(world: World) -> None:
    """Merge two branches by our driver: of one line a value and its template come from one side."""
    base = world.package
    ours, theirs = (edited(world, base, 2)[-1] for _ in range(2))
    merged = branches.merged_by_driver(world.random.randrange(2), *(one.files() for one in (base, ours, theirs)))
    _take(world, merged, ours)
    odd = pairs(world.package) - pairs(ours) - pairs(theirs)
    assert not [form for form, _, _ in odd if form != "block"]


def rebase(world: World) -> None:
    """Put the commits of one branch on another one."""
    base = world.package
    ours, theirs = edited(world, base, 2), edited(world, base, 2)[-1]
    files = [one.files() for one in ours]
    _take(world, branches.rebased(base.files(), files, theirs.files(), world.random.randrange(2)), ours[-1])


def edited(world: World, base: Package, times: int, steps: Sequence[Step] = ()) -> list[Package]:
    """Return what becomes of a package in some steps, behind each of them."""
    found = []
    world.package = base.copy()
    for step in world.random.choices(steps or [*STEPS, run, run, run], k=times):
        step(world)
        found.append(world.package.copy())
    return found


def _take(world: World, merged: dict[str, str] | None, other: Package) -> None:
    """Go on with merged files, or with another package where lines of one field met those of another one."""
    read = None if merged is None else model.read(merged)
    world.package = read if read is not None and read.fields() else other


def pairs(package: Package) -> set[tuple[str, str, str | None]]:
    """Return the fields with a template, each with its text."""
    return {(one.form, one.text, one.template) for one in package.fields() if one.template is not None}


ALL = st.sampled_from([*STEPS, merge, merge_by_driver, rebase, *[run] * 8])


@settings(max_examples=TIMES)
@given(seed=st.integers(0, 2**32), steps=st.lists(ALL, min_size=3, max_size=10))
def test_each_field_says_its_template_with_the_last_value_of_each_name_or_its_authors_text(
    seed: int, steps: list[Step]
) -> None:
    world = start(Random(seed))  # noqa: S311 - no secret
    for step in [run, *steps, run, restore]:
        if world.package.fields():
            step(world)
