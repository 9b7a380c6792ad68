"""The merge of whole directories (docs/reference/merge.md, "Directories").

Objects are matched across files, so an object may have moved to another file. Each merged object is in one file, next
to its neighbours. Files without objects are merged as text, line by line. Nothing is read or written here: a side is
the contents of its files by their paths.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

from krm.encoding import split_bom
from krm.file import File, SeveralError, holds_more, is_template
from krm.merge import outcome, policy
from krm.merge.files import composition, matching, renames
from krm.merge.files.composition import Composition
from krm.merge.files.matching import SIDES, STEPS, STEPS_BY_IDENTITY
from krm.merge.files.object_merge import BaseRule, Merging
from krm.merge.kinds.schema import DEFINITION_KIND
from krm.merge.lines.line_walk import spelled_comments
from krm.merge.outcome import COMMENT_GONE, COMMENT_KEPT
from krm.merge.policy import base_rule, changed_by, won
from krm.merge.text_merge import Hunk, of_texts, text_of, written_alike
from krm.results import CONFLICT, FnError, Result, notice, sort_key
from krm.yamltree import cuts
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
    from typing import Literal, TypeAlias

    from krm.file import Object
    from krm.merge.files.matching import MatchedObjects, OriginPaths, Side
    from krm.merge.files.merged_object import MergedObject
    from krm.merge.files.object_merge import Merge, Secrets
    from krm.merge.policy import ConflictResolution, OnConflict, Winner
    from krm.results import ResourceRef

    Contents: TypeAlias = Mapping[str, bytes]
    FileWinner: TypeAlias = Winner | Literal["both"]
    MergedFile: TypeAlias = tuple[bytes | None, Mapping[str, ConflictResolution]]
    """The new contents of a file, None if it is deleted; and a sentence for each conflict, with its resolution."""


class FileVersions:
    """One file on the sides that have it, whatever its name is there, and the merged objects that come into it."""

    def __init__(self) -> None:
        self.sides: dict[Side, File] = {}
        self.merged_objects: dict[Hashable, MergedObject] = {}


class MergedDirectory:
    """The merge of three directories: `decide` merges an object, `on_conflict` decides about files and places.

    Objects are matched only within one package. `package_of` returns the package of a path, None for a file without
    objects. `named` returns the name of a side's file in results, and `secrets` the fields that results do not quote.
    `contents` are the new contents of local's files that change, by path, None for a deleted file.
    """

    def __init__(  # noqa: PLR0913 - the rules of a merge
        self,
        sides: Mapping[Side, Contents],
        decide: Merge,
        on_conflict: OnConflict,
        *,
        package_of: Callable[[str], str | None],
        named: Callable[[Side, str], str],
        secrets: Secrets = lambda _: set(),
    ) -> None:
        self.contents: dict[str, bytes | None] = {}
        self.results: list[Result] = []
        self._sides = sides
        self._decide = decide
        self._is_base_rule = isinstance(decide, BaseRule)
        self._on_conflict = on_conflict
        self._package_of = package_of
        self._named = named
        self._secrets = secrets
        self._files: dict[Side, dict[str, File]] = {side: {} for side in SIDES}

    def merge(self) -> None:
        """Merge the directories. FnError if an object or a file cannot be merged."""
        definitions: list[File] = []
        others: list[str] = []
        # A file that is the same on all sides is not parsed: few files of a large package change.
        for path in sorted({path for contents in self._sides.values() for path in contents}):
            if len({contents.get(path) for contents in self._sides.values()}) > 1:
                files = self._with_objects(path)
                for side, file in files.items():
                    self._files[side][path] = file
                others += [] if files else [path]
            elif DEFINITION_KIND.encode() in self._sides["local"][path]:
                # A definition that no side changed is needed for the merge of other objects, and is parsed then.
                definitions += self._read(path, ["local"]).values()
        self._merge_objects(definitions)
        self._merge_texts(others)
        self.results.sort(key=sort_key)

    def _with_objects(self, path: str) -> dict[Side, File]:
        """Return the sides of a file that has objects, none for any other file."""
        files = self._read(path) if self._package_of(path) is not None else {}
        for part in () if self._is_base_rule else [part for file in files.values() for part in file.documents]:
            part.open()
        return files if any(file.objects for file in files.values()) else {}

    def _merge_objects(self, definitions: Iterable[File]) -> None:
        """Merge the objects, package by package, and compose their files. `definitions` are unchanged files."""
        files = [file for side in SIDES for file in self._files[side].values()]
        merging = Merging([*files, *definitions], self._decide, self._secrets)
        texts = {side: {path: file.text for path, file in there.items()} for side, there in self._files.items()}
        known = renames.origin_paths(texts, renames.of_one_name, renames.similar)
        versions: dict[str, FileVersions] = {}
        for side in SIDES:
            for path, file in self._files[side].items():
                versions.setdefault(known.get((side, path), path), FileVersions()).sides[side] = file
        for one in versions.values() if self._is_base_rule else ():
            one.sides = composition.for_lines(one.sides)
            for side, file in one.sides.items():
                self._files[side][file.path] = file
        matches = [*self._matched(known)]
        winners = self._winners(matches)
        self.contents |= {path: self._sides["update"].get(path) for path in winners if winners[path] == "update"}
        for one in versions.values():
            one.sides = {side: file for side, file in one.sides.items() if winners[file.path] is None}
        for match in (match for match in matches if winners[match.first.document.file.path] is None):
            merged_object = merging.merge(match)
            if merged_object is not None:
                versions[self._home(match, known)].merged_objects[id(match)] = merged_object
        by_object = matching.by_object(matches)
        self._join_renamed(versions.values(), by_object)
        self._compose(versions.values(), by_object, merging)
        self.results += merging.results

    def _compose(
        self, versions: Iterable[FileVersions], by_object: Mapping[int, MatchedObjects], merging: Merging
    ) -> None:
        """Compose the files of their merged objects. A file without objects is deleted."""
        for one in (one for one in versions if one.sides):
            path, local = self._path({side: file.path for side, file in one.sides.items()}), one.sides.get("local")
            if local is None and not one.merged_objects:
                self._tell_comments(one.sides["update"].above if "update" in one.sides else "", one.sides)
                continue
            # By kubectl's rules origin is no earlier version of the file, nor is it of one that local has deleted.
            if local is None or not self._is_base_rule:
                one.sides.pop("origin", None)
            text = Composition(one.sides, by_object, one.merged_objects, merging).text()
            after = text.encode() if holds_more(split_bom(text)[1]) else None
            if after is None:
                self._tell_comments(text, one.sides)
            if local is not None and local.path != path:
                self.contents[local.path] = None
            if after != self._sides["local"].get(path):
                self.contents[path] = after

    def _read(self, path: str, sides: Iterable[Side] = SIDES) -> dict[Side, File]:
        """Return the sides of a file, none if it is merged line by line, which is right for any text.

        It is if a side is no YAML, or a template, or if nothing tells which of its objects are the same.
        """
        try:
            texts = [self._sides[side].get(path, b"").decode() for side in sides]
            is_merged = self._is_base_rule and len(texts) == len(SIDES)
            files = {side: File(each, self._named(side, path), path) for side, each in zip(sides, texts, strict=True)}
            for file in files.values() if is_merged else ():
                file.number_keys()
            for file in {file.text: file for file in files.values()}.values() if len(files) > 1 else ():
                file.require_plain_lines()
                for part in file.documents:
                    # This raises an error unless it is YAML up to its end. It is not parsed as a whole.
                    cuts.holds_more(file.text, part.span)
            objects = [(file, found) for file in files.values() for found in file.objects]
            is_odd = any("{{" in file.text and is_template(found.resource.root) for file, found in objects)
            if is_merged and not all(matching.is_named(found) for _, found in objects):
                matching.check(matching.matched({side: file.objects for side, file in files.items()}, STEPS))
        except SeveralError:
            # A file that only one side changed is that side's, whatever is in it.
            if self._winner(path) is None:
                raise
            return {}
        except (UnicodeDecodeError, ParseError, FnError):
            return {}
        return {} if is_odd else {side: file for side, file in files.items() if path in self._sides[side]}

    def _matched(self, known: OriginPaths) -> Iterator[MatchedObjects]:
        """Yield the matches of the objects of each package."""
        packages: dict[str | None, dict[Side, list[Object]]] = {}
        for side in SIDES:
            for path, file in self._files[side].items():
                package = packages.setdefault(self._package_of(path), {side: [] for side in SIDES})
                package[side] += file.objects
        for objects in packages.values():
            by_identity: dict[object, list[MatchedObjects]] = {}
            for match in matching.matched(objects, STEPS if self._is_base_rule else STEPS_BY_IDENTITY, known):
                yield match
                if len(match.objects) < len(SIDES) and matching.is_named(match.first):
                    by_identity.setdefault(matching.identity(match.first), []).append(match)
            self.results += (result for together in by_identity.values() for result in _unknown(together))

    def _winner(self, path: str) -> FileWinner | None:
        """Return the only side that changed a file, as for `changed_by`, but "both" if both changed it alike.

        None by other rules than the base rule.
        """
        origin, update, local = (self._sides[side].get(path) for side in SIDES)
        winner = "both" if origin != update == local else changed_by(origin, update, local)
        return winner if self._is_base_rule else None

    def _winners(self, matches: list[MatchedObjects]) -> dict[str, FileWinner | None]:
        """Return from which side each file with objects is taken byte for byte, None if it is merged.

        Files among which objects have moved are taken together, if one side, or both alike, changed them all.
        """
        winners = {path: self._winner(path) for files in self._files.values() for path in files}
        places = [{found.document.file.path for found in match.objects.values()} for match in matches]
        while contested := {path for some in places if len({winners[path] for path in some}) > 1 for path in some}:
            winners |= dict.fromkeys(contested)
        return winners

    # The files of objects.

    def _home(self, match: MatchedObjects, known: OriginPaths) -> str:
        """Return the file of a merged object, as origin calls it, by the base rule: the file is merged like a field."""
        paths = {side: found.document.file.path for side, found in match.objects.items()}
        home = {side: known.get((side, path), path) for side, path in paths.items()}
        # A List that `kubectl get` printed is one file: its elements stay in it.
        if len(home) < len(SIDES) or match.objects["local"].is_element:
            return next(home[side] for side in reversed(SIDES) if side in home)
        one = base_rule(home["origin"], home["update"], home["local"])
        if one is not None:
            return one
        message = f"both sides moved this, update to `{paths['update']}`, local to `{paths['local']}`"
        self._report(message, paths["local"], self._on_conflict, match.first.resource.ref)
        return policy.won(policy.winner(self._on_conflict), update=home["update"], local=home["local"])

    def _path(self, sides: Mapping[Side, str]) -> str:
        """Return the path of a file, by the base rule. A side that lacks the file has not renamed it."""
        origin, update, local = map(sides.get, SIDES)
        update, local = update or origin or local or "", local or origin or update or ""
        one = base_rule(origin or local, update, local)
        if one is not None:
            return one
        message = f"both sides renamed `{origin}`, update to `{update}`, local to `{local}`"
        self._report(message, local, self._on_conflict)
        return policy.won(policy.winner(self._on_conflict), update=update, local=local)

    def _join_renamed(self, versions: Collection[FileVersions], by_object: Mapping[int, MatchedObjects]) -> None:
        """Join a file of a side, whose objects all come into one new file of the other, with that: so it is renamed.

        It keeps its comments, its order and its layout then.
        """
        homes_of = {key: one for one in versions for key in one.merged_objects}
        sides: tuple[Side, Side] = ("local", "update")
        for (side, other), own in product((sides, sides[::-1]), versions):
            if {"origin", side} == own.sides.keys():
                keys = {id(by_object[id(each)]) for each in own.sides[side].objects}
                found = {id(homes_of[key]): homes_of[key] for key in keys & homes_of.keys()}
                new = next(iter(found.values()), own) if len(found) == 1 else own
                if side not in new.sides and new.sides[other].path not in self._sides[side]:
                    new.sides |= own.sides
                    own.sides = {}

    def _tell_comments(self, text: str, sides: Mapping[Side, File]) -> None:
        """Report comments between documents that go with the last object of a file, unless origin has them."""
        written = {side: spelled_comments(file.text) for side, file in sides.items()}
        left = spelled_comments(text) - written.get("origin", Counter())
        for side in (side for side in written if left & written[side]):
            message = f"the objects of this file are gone or elsewhere now, and a comment of {side}'s goes with them"
            reason = COMMENT_GONE if side == "local" else COMMENT_KEPT
            self.results.append(notice(message, reason, file=sides[side].name))

    # Files without objects.

    def _merge_texts(self, paths: Collection[str]) -> None:
        """Merge files as text, each on all sides, whatever they call it."""
        texts: dict[Side, dict[str, str]] = {
            # Contents that are no text are compared, too.
            side: {path: contents[path].decode("latin-1") for path in paths if path in contents}
            for side, contents in self._sides.items()
        }
        known = renames.origin_paths(texts, renames.similar)
        versions: dict[str, dict[Side, str]] = {}
        for side in SIDES:
            for path in texts[side]:
                versions.setdefault(known.get((side, path), path), {})[side] = path
        for sides in versions.values():
            origin, update, own = (self._sides[side].get(sides.get(side, "")) for side in SIDES)
            data, conflicts = _merged(origin, update, own, self._on_conflict)
            path, local = self._path(sides), sides.get("local")
            for conflict, resolution in conflicts.items():
                self._report(conflict, local or path, resolution)
            if local is not None and (data is None or local != path):
                self.contents[local] = None
            if data not in (None, self._sides["local"].get(path)):
                self.contents[path] = data

    def _report(self, message: str, path: str, resolution: ConflictResolution, ref: ResourceRef | None = None) -> None:
        severity, decided = outcome.verdict(resolution)
        told = f"{message}: {decided}"
        self.results.append(Result(told, severity, CONFLICT, file=self._named("local", path), ref=ref))


def _unknown(matches: list[MatchedObjects]) -> Iterator[Result]:
    """Yield a warning if some of these objects of one name could be the same, and nobody can tell which ones."""
    # Several objects of one name are right if each has its own file on all sides, as in the overlays of kustomize.
    for side in SIDES:
        several = [match for match in matches if side in match.objects]
        others = [match for match in matches if side not in match.objects]
        is_open = any(not one.objects.keys() & other.objects.keys() for one in several for other in others)
        if len(several) > 1 and is_open:
            paths = " and ".join(sorted(f"`{match.objects[side].document.file.path}`" for match in several))
            first = several[0].objects[side]
            message = (
                f"{side} has this object in {paths}, and nothing tells which of them the other directories have: each "
                "stays what it is there"
            )
            yield notice(message, outcome.DUPLICATE_KEYS, ref=first.resource.ref, file=first.document.file.name)


def _merged(origin: bytes | None, update: bytes | None, local: bytes | None, on_conflict: OnConflict) -> MergedFile:
    """Merge the contents of a file, None for a side without it. In a conflict the winner's contents are taken."""
    # The base rule for whole files first: the contents of the changed side are taken byte for byte.
    side = changed_by(origin, update, local)
    whole = won(side or policy.winner(on_conflict), update=update, local=local)
    if side is not None:
        return whole, {}
    if update is None:
        return whole, {"update deleted this file, and local changed it": on_conflict}
    if local is None:
        return whole, {"local deleted this file, and update changed it": on_conflict}
    before, new, own = _as_text(origin or b""), _as_text(update), _as_text(local)
    if before is None or new is None or own is None:
        return whole, {"both sides changed this file, which is no text": on_conflict}
    return _merged_lines((before, new, own), on_conflict)


def _merged_lines(sides: tuple[str, str, str], on_conflict: OnConflict) -> MergedFile:
    """Merge texts line by line. A conflict is reported with its line in the merged text."""
    resolutions: list[ConflictResolution] = []

    def take(update: str, local: str, both: str | None) -> str:
        found, resolution = policy.decided(on_conflict, update, local, both)
        resolutions.append(resolution)
        return found

    written = ""
    conflicts: dict[str, ConflictResolution] = {}
    for piece in of_texts(written_alike(*sides), take):
        if isinstance(piece, Hunk):
            line = written.count("\n") + 1
            conflicts[f"line {line}: both sides changed these lines"] = resolutions[-1]
        written += text_of([piece])
    return written.encode(), conflicts


def _as_text(data: bytes) -> str | None:
    """Return contents as text, None if they are binary to git, or are not UTF-8."""
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None
