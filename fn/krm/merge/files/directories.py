"""The merge of whole directories (docs/merge.md, "Directories").

Objects are matched across files, so that one that moved to another file is followed. Each comes out in one file, next
to its neighbours. Files without objects are merged as text, line by line. Nothing is read or written here: a side is
the contents of its files by their paths.
"""

from __future__ import annotations

from krm.file import File, SeveralError, holds_more, is_template
from krm.merge import directives, outcome, policy, text
from krm.merge.files import comment_documents, documents, matching, plainfiles
from krm.merge.files.matching import SIDES, STEPS, STEPS_BY_IDENTITY
from krm.merge.files.writing import Added, Writing
from krm.merge.kinds.schema import DEFINITION_KIND
from krm.results import ERROR, FnError, Result, sort_key
from krm.yamltree import cuts
from krm.yamltree.parser import ParseError
from krm.yamltree.target import Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from krm.file import Object
    from krm.merge.files.documents import Merge
    from krm.merge.files.matching import MatchedObjects, Side
    from krm.merge.files.object_lines import Wanted
    from krm.merge.policy import OnConflict
    from krm.results import ResourceRef

    Contents: TypeAlias = Mapping[str, bytes]


class DirectoryRules:
    """The rules of a merge of directories: `decide` merges an object, `on_conflict` decides about files and places.

    Objects are matched only within one package: `package_of` says which one a path is in, None for a file that holds no
    objects. `named` is what results call the file of a side.
    """

    __slots__ = ("by_identity", "decide", "named", "on_conflict", "package_of")

    def __init__(
        self,
        decide: Merge,
        on_conflict: OnConflict,
        *,
        package_of: Callable[[str], str | None],
        named: Callable[[Side, str], str],
        by_identity: bool = False,
    ) -> None:
        self.decide = decide
        self.on_conflict = on_conflict
        self.package_of = package_of
        self.named = named
        self.by_identity = by_identity


class MergedDirectory:
    """The files of local that change: their contents by path, None for one that goes; and the results."""

    __slots__ = ("contents", "results")

    def __init__(self) -> None:
        self.contents: dict[str, bytes | None] = {}
        self.results: list[Result] = []


def merge(sides: dict[Side, Contents], rules: DirectoryRules) -> MergedDirectory:
    """Merge directories. FnError if an object or a file cannot be merged."""
    merging = _Merging(sides, rules)
    # A file that is the same everywhere is not even read: of a large package few files change.
    changed = [
        path
        for path in sorted({path for contents in sides.values() for path in contents})
        if len({contents.get(path) for contents in sides.values()}) > 1
    ]
    for path in changed:
        merging.read(path)
    merging.merge_objects()
    merging.outcome.results.sort(key=sort_key)
    return merging.outcome


class _Merging:
    """Three directories while they are merged."""

    def __init__(self, sides: dict[Side, Contents], rules: DirectoryRules) -> None:
        self.outcome = MergedDirectory()
        self._sides = sides
        self._rules = rules
        self._files: dict[Side, dict[str, File]] = {side: {} for side in SIDES}
        self._writings: dict[str, Writing] = {}
        self._new: dict[int, Added] = {}
        self._gone: set[int] = set()

    def read(self, path: str) -> None:
        """Take the objects of a file that is not the same on all sides, or merge it as text."""
        files = self._read(path) if self._rules.package_of(path) is not None else {}
        if any(file.objects for file in files.values()):
            for side, file in files.items():
                self._files[side][path] = file
        else:
            self._merge_text(path)

    def merge_objects(self) -> None:
        """Merge the objects, package by package."""
        definitions = [*self._unchanged_definitions()]
        files = [file for side in ("local", "origin", "update") for file in self._files[side].values()]
        merging = documents.Merging(
            [*files, *definitions], self._rules.decide, self._take, is_base_rule=not self._rules.by_identity
        )
        packages: dict[str | None, dict[Side, list[Object]]] = {}
        for side in SIDES:
            for path, file in self._files[side].items():
                package = packages.setdefault(self._rules.package_of(path), {side: [] for side in SIDES})
                package[side] += file.objects
        matches = [match for package in packages.values() for match in self._matched(package)]
        for match in matches:
            merging.merge(match)
        by_object = matching.by_object(matches)
        for path in self._files["local"]:
            merging.merge_list_documents(
                {side: files[path] for side, files in self._files.items() if path in files}, by_object
            )
        self._write(matches)
        self.outcome.results += merging.results

    def _read(self, path: str) -> dict[Side, File]:
        """Return the sides of a file, none if one of them is no YAML, or a template, or a patch with directives.

        Line by line nothing of such a file is misunderstood.
        """
        found: dict[Side, File] = {}
        for side in SIDES:
            data = self._sides[side].get(path)
            if data is None:
                continue
            try:
                found[side] = file = File(data.decode(), self._rules.named(side, path), path)
                written = file.text
                cuts.documents(written)  # is it YAML to its end? Otherwise nobody would parse all of it here
                objects = file.objects
                is_odd = any(map(_is_template, objects)) if "{{" in written else False
            except SeveralError:
                raise
            except (UnicodeDecodeError, ParseError, FnError):
                return {}
            # A directive makes a resource a patch of kustomize: it is no state that could be merged with another state.
            if is_odd or any(directive in written for directive in directives.ALL):
                return {}
        return found

    def _unchanged_definitions(self) -> Iterator[File]:
        """Yield the files with definitions of resources that no side changed: they say how others are merged."""
        for path, data in self._sides["local"].items():
            if path not in self._files["local"] and DEFINITION_KIND.encode() in data:
                files = self._read(path)
                if files:
                    yield files["local"]

    def _matched(self, objects: dict[Side, list[Object]]) -> list[MatchedObjects]:
        steps = STEPS_BY_IDENTITY if self._rules.by_identity else STEPS
        matches = matching.matched(objects, steps, across=True)
        by_identity: dict[object, list[MatchedObjects]] = {}
        for match in matches:
            if len(match.objects) < len(SIDES) and matching.is_named(match.first):
                by_identity.setdefault(matching.identity(match.first), []).append(match)
        for together in by_identity.values():
            _require_one(together)
        return matches

    def _take(self, match: MatchedObjects, wanted: Wanted) -> None:
        found = match.objects.get("local")
        if found is not None:
            self._writing(_path(found)).put(found, wanted)
            if wanted is None:
                self._gone.add(id(match))
        elif isinstance(wanted, Graft):
            self._new[id(match)] = Added(match.objects["update"], wanted)

    def _writing(self, path: str) -> Writing:
        if path not in self._writings:
            update = self._files["update"].get(path)
            is_listed = update is not None and any(part.is_list for part in update.parts)
            self._writings[path] = Writing(self._files["local"][path], keeps_empty_lists=is_listed)
        return self._writings[path]

    # Where objects come out.

    def _write(self, matches: list[MatchedObjects]) -> None:
        """Give each object its place, and keep the contents of the files that change."""
        incoming: dict[str, dict[int, Added]] = {}
        leaving: dict[str, list[tuple[MatchedObjects, str]]] = {}
        for match in matches:
            found = match.objects.get("local")
            if found is None:
                if id(match) in self._new:
                    incoming.setdefault(_path(match.objects["update"]), {})[id(match)] = self._new[id(match)]
            elif id(match) not in self._gone and (place := self._place(match)) != _path(found):
                leaving.setdefault(_path(found), []).append((match, place))
        renamed = self._renamed(leaving)
        for path, moves in leaving.items():
            for match, place in moves:
                if path not in renamed:
                    incoming.setdefault(place, {})[id(match)] = self._writing(path).take_out(match.objects["local"])
        by_object = matching.by_object(matches)
        names = {place: path for path, place in renamed.items()}
        for place in {**incoming, **names}:
            self._add(place, names.get(place, place), incoming.get(place, {}), by_object)
        for path in self._files["local"] if not self._rules.by_identity else ():
            place = renamed.get(path, path)
            self._merge_comment_documents(path, place, by_object, incoming.get(place, {}))
        for path, writing in self._writings.items():
            place = renamed.get(path, path)
            self._keep(place, path, writing)
            if place != path:
                self.outcome.contents[path] = None

    def _place(self, match: MatchedObjects) -> str:
        """Return the file of an object: a field like others, with the same base rule."""
        paths = {side: _path(found) for side, found in match.objects.items()}
        local, update, origin = paths["local"], paths.get("update"), paths.get("origin")
        # What `kubectl get` printed as one List is one file: no element of it moves out.
        if match.objects["local"].part.is_list or update is None or origin is None:
            return local
        one = text.settled(origin, update, local)
        if one is not None:
            return one
        message = f"both sides moved this, update to `{update}`, local to `{local}`"
        self._report(message, local, match.first.resource.ref)
        return policy.won(policy.winner(self._rules.on_conflict), update=update, local=local)

    def _renamed(self, leaving: dict[str, list[tuple[MatchedObjects, str]]]) -> dict[str, str]:
        """Return new names for files of local: those whose objects all go to one new file."""
        found: dict[str, str] = {}
        for path, moves in leaving.items():
            places = {place for _, place in moves}
            leaves = {id(match.objects["local"]) for match, _ in moves}
            stay = [each for each in self._files["local"][path].objects if id(each) not in leaves]
            place = next(iter(places))
            # Then the file itself is renamed: its comments, its order and its layout go along.
            is_free = place not in self._sides["local"] and place not in found.values()
            if len(places) == 1 and is_free and path not in self._files["update"] and self._are_gone(stay):
                found[path] = place
        for path in found:
            self._writing(path)  # a file that only moves is written, too
        return found

    def _are_gone(self, objects: Iterable[Object]) -> bool:
        return all(self._writing(_path(found)).is_gone(found) for found in objects)

    def _add(self, place: str, base: str, new: dict[int, Added], by_object: dict[int, MatchedObjects]) -> None:
        """Add objects to a file of local. One that is not there yet is made of update's, with its comments."""
        update = self._files["update"][place]
        if base in self._files["local"]:
            documents.place(by_object, update, self._files["local"][base], new, self._writing(base))
            return
        self._writings[place] = writing = Writing(update, keeps_empty_lists=False)
        for found in update.objects:
            added = new.get(id(by_object[id(found)]))
            # Local may have deleted it, have it elsewhere, or have edited it: update's own text is then not what comes.
            if added is None or not added.is_whole or by_object[id(found)].objects.get("local") is not None:
                writing.put(found, None)
                if added is not None:
                    writing.add(added, found)

    def _merge_comment_documents(
        self, path: str, place: str, by_object: dict[int, MatchedObjects], new: dict[int, Added]
    ) -> None:
        """Merge the documents of comments alone in a file, which has another path in update if it was renamed."""
        paths = {"origin": path, "update": place, "local": path}
        sides = {side: files[paths[side]] for side, files in self._files.items() if paths[side] in files}
        if "update" in sides and any(map(comment_documents.are_in, sides.values())):
            self.outcome.results += comment_documents.merge(sides, by_object, new, self._writing(path))

    def _keep(self, place: str, path: str, writing: Writing) -> None:
        """Keep the text of a file if it changes. A file without any object left goes."""
        side: Side = "local" if path in self._sides["local"] else "update"
        written = writing.text()
        after = written.encode() if holds_more(written.removeprefix(self._files[side][path].mark)) else None
        if after != self._sides["local"].get(place):
            self.outcome.contents[place] = after

    # Files without objects.

    def _merge_text(self, path: str) -> None:
        origin, update, local = (self._sides[side].get(path) for side in SIDES)
        merged = plainfiles.merge(origin, update, local, winner=policy.winner(self._rules.on_conflict))
        for conflict in merged.conflicts:
            self._report(conflict, path)
        if merged.data != local:
            self.outcome.contents[path] = merged.data

    def _report(self, message: str, path: str, ref: ResourceRef | None = None) -> None:
        severity = outcome.severity(self._rules.on_conflict)
        decided = f"{message}: {outcome.decision(self._rules.on_conflict)}"
        self.outcome.results.append(
            Result(decided, severity, outcome.CONFLICT, file=self._rules.named("local", path), ref=ref)
        )


def _path(found: Object) -> str:
    return found.part.file.path


def _is_template(found: Object) -> bool:
    return is_template(found.resource.root)


def _require_one(matches: list[MatchedObjects]) -> None:
    """Raise FnError if some of these, which have one name, could be one object, and nothing tells which of them are."""
    # Several of a name are fine where each has its own file on all sides, as in the overlays of kustomize.
    for side in SIDES:
        several = [match for match in matches if side in match.objects]
        others = [match for match in matches if side not in match.objects]
        is_open = any(not one.objects.keys() & other.objects.keys() for one in several for other in others)
        if len(several) > 1 and is_open:
            paths = " and ".join(sorted(f"`{_path(match.objects[side])}`" for match in several))
            first = several[0].objects[side]
            message = (
                f"{side} has this object in {paths}, and nothing tells which of them the other directories have: "
                "delete one, or rename it"
            )
            raise FnError(Result(message, ERROR, outcome.REFUSED, ref=first.resource.ref, file=first.part.file.name))
