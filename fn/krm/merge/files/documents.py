"""The merge of three files: their objects are matched, merged one by one, and put together.

A file without a document counts as absent.
"""

from __future__ import annotations

from krm.file import File, detach_comments
from krm.merge.files.composition import composed
from krm.merge.files.matching import SIDES
from krm.merge.files.object_merge import BaseRule, Merging
from krm.merge.policy import Policy, base_rule
from krm.merge.text_merge import written_alike
from krm.results import Output, sort_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.merge.files.matching import Side
    from krm.merge.files.object_merge import Merge, Secrets


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
    for part in (part for file in files.values() for part in file.documents):
        _ = part.objects  # FnError for a document that is several
    # The base rule for whole files first: a file that only one side changed is taken byte for byte.
    whole = base_rule(*((file.bom, file.text) for file in given)) if is_base_rule else None
    if whole is not None:
        for part in update.documents if whole != (local.bom, local.text) else ():
            part.resource.find(())  # FnError unless it is YAML up to its end: its first lines may have told its name
        return Output(whole, [])
    for file in files.values() if is_base_rule else ():
        file.require_plain_lines()
    merging = Merging(files.values(), decide, secrets)
    return Output((composed(files, merging).text(),), sorted(merging.results, key=sort_key))


def _written_alike(*files: File) -> Iterator[File]:
    """Yield the files, written alike. A key that a mapping has again is another key."""
    for file, written in zip(files, written_alike(*[file.text for file in files]), strict=True):
        yield File(file.bom + written, file.name, file.path, file.state, numbers_keys=True)


def by_base_rule(policy: Policy) -> BaseRule:
    """Return the 3-way merge of one object with a policy."""
    return BaseRule(lambda _: policy)
