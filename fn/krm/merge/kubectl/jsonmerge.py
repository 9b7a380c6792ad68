"""The JSON merge patch, as `kubectl apply` computes it for kinds of whose types it knows nothing (RFC 7386).

All is data: `patch` is what kubectl sends, `patched` what the server makes of it. A list is one value.
"""

from __future__ import annotations

from krm.merge.kubectl.strategic import equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.merge.kubectl.godata import Data, Fields


def patch(origin: Fields, update: Fields, local: Fields) -> Fields:
    """Return what turns local into what update says, without what origin says and update does not."""
    return _joined(_nulls(_difference(origin, update)), _values(_difference(local, update)))


def patched(target: Data, patch: Data) -> Data:
    """Return `target` after `patch`."""
    if not isinstance(patch, dict):
        return patch
    fields = {**target} if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            fields.pop(key, None)
        else:
            fields[key] = patched(fields.get(key), value)
    return fields


def _difference(base: Fields, update: Fields) -> Fields:
    """Return the patch that makes update of base."""
    patch: Fields = {}
    for key, value in update.items():
        before = base.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            below = _difference(before, value)
            patch |= {key: below} if below else {}
        elif key not in base or not equal(before, value):
            patch[key] = value
    return patch | {key: None for key in base if key not in update}


def _nulls(patch: Fields) -> Fields:
    """Return what a patch deletes. So does a null that the author of update wrote, unless origin has it too."""
    found = {key: _nulls(value) if isinstance(value, dict) else value for key, value in patch.items()}
    return {key: value for key, value in found.items() if value is None or (value and isinstance(value, dict))}


def _values(patch: Fields) -> Fields:
    """Return what a patch adds and changes. A map in which there is nothing but nulls is not added."""
    found = {key: _values(value) if isinstance(value, dict) else _pruned(value) for key, value in patch.items()}
    return {key: value for key, value in found.items() if value is not None and (value != {} or patch[key] == {})}


def _joined(deletions: Fields, changes: Fields) -> Fields:
    both = {key for key in changes if isinstance(changes[key], dict) and isinstance(deletions.get(key), dict)}
    return deletions | {key: _joined(deletions[key], of) if key in both else of for key, of in changes.items()}


def _pruned(value: Data) -> Data:
    """Return a value of a list without the nulls in its maps."""
    if isinstance(value, dict):
        return {key: _pruned(of_key) for key, of_key in value.items() if of_key is not None}
    return [_pruned(element) for element in value] if isinstance(value, list) else value
