"""The merge of three files: their objects are matched, merged one by one, and put together.

A file without a document counts as absent.
"""

from __future__ import annotations

from krm.file import File, detach_comments
from krm.merge.files import matching
from krm.merge.files.composition import Composition
from krm.merge.files.matching import SIDES, STEPS, STEPS_BY_IDENTITY
from krm.merge.files.object_merge import BaseRule, Merging
from krm.merge.outcome import GUESSED
from krm.merge.policy import Policy, base_rule
from krm.merge.text_merge import written_alike
from krm.results import Output, sort_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.merge.files.matching import ObjectsBySide, Side
    from krm.merge.files.object_merge import Merge, Secrets
    from krm.merge.text_merge import Piece


def merge(origin: File, update: File, local: File, decide: Merge, secrets: Secrets = lambda _: set()) -> Output:
    """Return local's text with each object as `decide` merges it, and the results.

    `secrets` finds secret fields of kinds that are no Secret. FnError if an object cannot be merged.
    """
    is_base_rule = isinstance(decide, BaseRule)
    given = origin, update, local
    files: dict[Side, File] = dict(zip(SIDES, _written_alike(*given) if is_base_rule else given, strict=True))
    detach_comments(files.values() if is_base_rule else ())
    for part in () if is_base_rule else [part for file in files.values() for part in file.documents]:
        part.open()
    objects = {side: file.objects for side, file in files.items()}
    # The base rule for whole files first: a file that only one side changed is taken byte for byte.
    whole = base_rule(*((file.bom, file.text) for file in given)) if is_base_rule else None
    if whole is not None:
        for part in update.documents if whole != (local.bom, local.text) else ():
            part.resource.find(())  # FnError unless it is YAML up to its end: its first lines may have told its name
        return Output(whole, [])
    for file in files.values() if is_base_rule else ():
        file.require_plain_lines()
    merging = Merging(files.values(), decide, secrets)
    composition = _composition(files, objects, merging)
    return Output((composition.text(),), sorted(merging.results, key=sort_key))


def for_git(files: dict[Side, File]) -> tuple[list[Piece], list[Piece], list[str]]:
    """Return local's text with marked conflicts, the merge by lines, and what to tell of objects matched by a guess.

    FnError if an object cannot be merged, or cannot be written.
    """
    detach_comments(files.values())
    merging = Merging(files.values(), by_base_rule(Policy()), lambda _: set(), has_markers=True)
    composition = _composition(files, {side: file.objects for side, file in files.items()}, merging)
    pieces, guesses = composition.pieces(), [one.message for one in merging.results if one.reason == GUESSED]
    return pieces, composition.by_lines, guesses


def _composition(files: dict[Side, File], objects: ObjectsBySide, merging: Merging) -> Composition:
    """Return the composition of merged objects. FnError as above."""
    matches = matching.matched(objects, STEPS if merging.is_base_rule else STEPS_BY_IDENTITY)
    if merging.is_base_rule:
        matching.check(matches)
    by_object = matching.by_object(matches)
    for match in matches:
        merging.merge(match)
    if not merging.is_base_rule:
        del files["origin"]  # by other rules local's order and line ends stay
    return Composition(files, by_object, merging.merged_objects, merging)


def _written_alike(*files: File) -> Iterator[File]:
    """Yield the files, written alike."""
    for file, written in zip(files, written_alike(*[file.text for file in files]), strict=True):
        yield file if written == file.text else File(file.bom + written, file.name, file.path, file.state)


def by_base_rule(policy: Policy) -> BaseRule:
    """Return the 3-way merge of one object with a policy."""
    return BaseRule(lambda _: policy)
