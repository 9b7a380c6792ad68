"""The law of runs in place, behind the real `kpt pkg update`, and behind `git rebase` with our driver.

docs/reference/runs-in-place.md, "Updates".
"""

from __future__ import annotations

import os
import re
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.krm.merge import kpt
from tests.krm.template_comments import branches, model, test_law
from tests.krm.template_comments.test_law import pairs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.krm.template_comments.model import Package

pytestmark = pytest.mark.e2e

TIMES = 200 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 4
PUBLISHED, OURS = {"A": "ap", "B": "b", "C": "c"}, {"A": "eu", "B": "us", "C": "x"}
# kpt knows a package by its files and a resource by its name, so that neither moves here.
STEPS = [
    test_law.edit_within_the_shape,
    test_law.edit_out_of_the_shape,
    test_law.edit_a_free_line,
    test_law.write_another_reference,
    test_law.delete_a_comment,
    test_law.rename_a_container,
    test_law.copy_a_container,
    test_law.add_an_arg,
    test_law.copy_an_arg,
    test_law.delete_an_arg,
    test_law.reorder_args,
]


@pytest.mark.parametrize("seed", range(TIMES))
@pytest.mark.usefixtures("kpt")
@pytest.mark.parametrize("publisher", [None, {"A": "ap", "B": "b", "C": "c"}], ids=["as it is written", "rendered"])
def test_a_package_that_kpt_updates_follows_its_variables(
    seed: int, publisher: dict[str, str] | None, tmp_path: Path
) -> None:
    world = test_law.start(Random(seed))  # noqa: S311 - no secret
    for document in world.package.documents:
        document.file = document.file.replace("/", "-")
    origin = rendered(world.package, publisher)
    update = rendered(test_law.edited(world, origin, 2, STEPS)[-1], publisher)
    local = test_law.edited(world, rendered(origin, {"A": "eu", "B": "us", "C": "x"}), 1, STEPS)[-1]
    world.package = updated(tmp_path, origin, update, local) or local
    odd = pairs(world.package) - pairs(local) - pairs(update)
    # Comments above stay where a package that is published as it is written brings another text.
    texts, templates = {one.text for one in update.fields()}, {one.template for one in local.fields()}
    assert {form for form, _, _ in odd} <= (set() if publisher else {"brackets", "block"})
    assert all(text in texts and template in templates for _, text, template in odd)
    for step in (test_law.run, test_law.run, test_law.restore):
        step(world)


def rendered(package: Package, values: dict[str, str] | None) -> Package:
    package = package.copy()
    if values:
        package.run(values)
    return package


def updated(folder: Path, *sides: Package) -> Package | None:
    """Return what kpt makes of origin, update and local. None where it writes a field in a form of its own."""
    texts = [one.files() for one in sides]
    triples = {file[:-5]: kpt.Triple(*(one.get(file, "") for one in texts)) for file in {*texts[0], *texts[2]}}
    merged = kpt.updated(triples, folder)
    return model.read({f"{name}.yaml": _in_order(text) for name, text in merged.items()})


def _in_order(text: str) -> str:
    """Return a text with the name of each container first, and its command next: kpt sorts the fields of a new one."""
    head, *containers = re.split(r"(?m)^(?=      - \w)", text)
    for number, container in enumerate(containers):
        written, document, rest = container.partition("---\n")
        written = f"        {written[8:]}"
        for key in (r"(?:# expand: command.*\n        )?command: .*\n", r"name: .*\n"):
            if found := re.search(f"(?m)^        {key}", written):
                written = found[0] + written[: found.start()] + written[found.end() :]
        containers[number] = f"      - {written[8:]}{document}{rest}"
    return head + "".join(containers)


@pytest.mark.parametrize("seed", range(TIMES))
def test_the_commits_of_a_branch_are_put_on_another_one_by_our_driver(seed: int) -> None:
    world = test_law.start(Random(seed))  # noqa: S311 - no secret
    test_law.run(world)
    base = world.package
    ours, theirs = (test_law.edited(world, base, 2, [*STEPS, *[test_law.run] * 5]) for _ in range(2))
    files = [one.files() for one in ours]
    merged = branches.rebased(base.files(), files, theirs[-1].files(), seed % 2, has_driver=True)
    read = None if merged is None else model.read(merged)
    world.package = read or ours[-1]
    known = {pair for one in (*ours, theirs[-1]) for pair in pairs(one)}
    assert not [form for form, _, _ in pairs(world.package) - known if form != "block"]
    for step in (test_law.run, test_law.restore):
        step(world)
