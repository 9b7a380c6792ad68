"""A package: the files of a directory that hold resources, each with its documents and the lines between them.

Which files are read, in which order, and how they are counted is as kpt does it (docs/reference/packages.md, "What is
read").
"""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat

from krm import encoding, envelope, lists, newitem, syntax
from krm.encoding import NotUtf8Error, visible
from krm.file import BYTES, File, SeveralError, holds_states_alone, is_template
from krm.package import folder, paths
from krm.package.listing import NOT_UTF_8, DirectoryWalk
from krm.resource import ABOVE_KEYS, KUSTOMIZATION, KUSTOMIZATIONS, STATE, STATE_FILE
from krm.results import BROKEN_MANIFEST, DAMAGED_STATE, FnError, locate, location, notice
from krm.yamltree import cuts
from krm.yamltree.nodes import Mapping, Scalar, at, text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Final

    from krm.package.folder import Folder
    from krm.resource import Resource
    from krm.results import Result, SpotOf

TEMPLATE: Final = "template"
LINK: Final = "link"
NOT_YAML: Final = "not YAML"
BROKEN: Final = "broken manifest"
HEADLESS: Final = "manifest without a head"
NOT_READABLE: Final = "not readable"
ODD_NAME: Final = "odd name"
PIPED: Final = "ResourceList"

_API_VERSION = "apiVersion"
_SETTLED = (
    "what is in conflict here counts as lost, and is written by what agrees with the templates now; `git add` the file "
    "then, if git takes it for unmerged"
)
_LOST = "this state cannot be read, so it counts as lost: a new one is written, by what agrees with the templates now"
# What only Helm's templates name, and no other tool's that are written with the same brackets.
_OF_HELM = re.compile(r"\{\{[^{}]*?(?:\.(?:Values|Release|Chart|Capabilities|Files|Template)\b|\binclude |\btpl )")
_MAY_BE_TEMPLATE = re.compile(r"\{\s*\{")
_STARTS_AS_MANIFEST = rf"(?:(?:%|<{{7}} )[^\n]*\n)*{ABOVE_KEYS}(?:\{{\s*\"?)?(?:apiVersion|kind)\"?:"


class NotRead(Exception):  # noqa: N818 - it is no error: the file is left alone
    """A file is left alone: a clause that says why, and the noun by which such files are counted."""

    def __init__(self, reason: str, noun: str) -> None:
        super().__init__(reason)
        self.noun = noun


class Package:
    """The files of a `folder` that hold YAML, by path, in the order in which kpt reads them.

    `entries` are their resources, and `items` these with the elements of each List in its place; they are changed in
    place, and come and go by `add` and `remove`. `results` are those of a run. `left_alone` tells of each file that
    might hold resources and was not read, and why; so do `reasons`, by the path of the file. `listings` are
    the walks that found the files, and `leftovers` the staged files of a run that was killed. `elements` are the
    resources as a list for other programs has them, by `id()`; only `wire.read` makes them. `placed` has the paths and
    indexes of new items that have any.
    """

    def __init__(self, directory: Folder) -> None:
        self.folder = directory
        self.files: dict[str, File] = {}
        self.entries: tuple[Resource, ...] = ()
        self.items: tuple[Resource, ...] = ()
        self.results: list[Result] = []
        self.left_alone: list[Result] = []
        self.reasons: dict[str, NotRead] = {}
        self.listings: list[DirectoryWalk] = []
        self.leftovers: list[str] = []
        self.elements: dict[int, str] = {}
        self.placed: dict[int, tuple[str, int | None]] = {}

    @property
    def resources(self) -> list[Resource]:
        """The resources of the files, as they were read."""
        return [resource for file in self.files.values() for resource in file.resources.values()]

    @property
    def kustomizations(self) -> list[Resource]:
        """The documents of the files that kustomize reads, which need say no `kind`."""
        named = (file for path, file in self.files.items() if posixpath.basename(path) in KUSTOMIZATIONS)
        return [part.resource for file in named for part in file.documents]

    @property
    def root(self) -> str:
        """The absolute path of the directory."""
        return os.path.realpath(self.folder.name)

    def text_of(self, path: str) -> str | None:
        """Return the text of a file, None for one that is not there or is no text.

        Outside of the directory that is a kustomization alone: it may build what is in the directory.
        """
        is_outside = path.startswith("../") and posixpath.basename(path) not in KUSTOMIZATIONS
        try:
            found = None if is_outside else self.folder.read(path)
            return None if found is None else encoding.decoded(found[0])
        except (FnError, NotUtf8Error):
            return None

    def take_all(self) -> None:
        """Make the resources of all files the items."""
        self.entries = tuple(self.resources)
        self.items = lists.opened(self.entries)

    @property
    def added(self) -> list[Resource]:
        """The items that came, which no file has yet."""
        return envelope.added_and_removed(tuple(self.resources), self.entries)[0]

    def add(self, text: str, *, is_yaml: bool = False) -> Resource:
        """Add a document behind the other items, with its comments, order and quotes. FnError if it is no mapping."""
        item = newitem.document(text, f"the new item {len(self.items) + 1}", "\n", is_yaml=is_yaml)
        self.items += (item,)
        self.entries += (item,)
        return item

    def place(self, item: Resource, path: str, index: int | None) -> None:
        """Give a new item its file, and its place in that."""
        self.placed[id(item)] = path, index

    def remove(self, *items: Resource) -> None:
        """Remove items, each with the comments that belong to it. A List stays when its last element goes."""
        self.items, self.entries = lists.without(items, self.items, self.entries)

    def leave_alone(self, path: str, reason: str, noun: str) -> None:
        """Leave a file alone with all of its items, and note why."""
        if self.files.pop(path, None) is not None:
            self.take_all()
        is_manifest = noun in (BROKEN, HEADLESS)
        self.left_alone.append(folder.left_alone(path, reason, BROKEN_MANIFEST if is_manifest else folder.LEFT_ALONE))
        self.reasons[path] = NotRead(reason, noun)

    def excuse_patches(self, patches: Iterable[str]) -> None:
        """Tell nothing of files without a head that are patches, whose targets say what they change.

        One that refers to a name is told: without a head it is never expanded.
        """
        headless = {path for path, reason in self.reasons.items() if reason.noun == HEADLESS}
        if headless:
            excused = {path for path in headless.intersection(patches) if not syntax.refers(self.text_of(path) or "")}
            self.left_alone = [one for one in self.left_alone if one.file not in excused]

    def leaves_out(self, path: str) -> bool:
        """True if a `.krmignore` leaves out a file: written there, it would not be read again."""
        return any(listing.leaves_out(path) for listing in self.listings)

    def unreadable(self, named: Iterable[str | None]) -> dict[str, NotRead]:
        """Return why files have to be left alone after all, by their paths."""
        found: dict[str, NotRead] = {}
        for path in {*self.files}.intersection(filter(None, named)):
            try:
                for resource in self.files[path].resources.values():
                    _ = resource.root
                    resource.release()
            except FnError as error:
                found[path] = _left_alone(self.files[path].text, error)
        return found

    def locate(self, found: Iterable[Result]) -> None:
        """Let results about the resources of these files name the lines of the files."""
        spots: dict[object, SpotOf] = {(one.file, one.index): one.spot for one in self.resources}
        for result in found:
            locate(result, spots.get((result.file, result.index), location(result)[0]))


class PackagePart:
    """Some items of a package, as the list of a run of their own: what comes or goes does so in the package."""

    def __init__(self, package: Package, items: Iterable[Resource], kustomizations: Iterable[Resource]) -> None:
        self._package = package
        self.place = package.place
        self.root = package.root
        self.text_of = package.text_of
        self.items = tuple(items)
        self.kustomizations = [*kustomizations]
        self.results: list[Result] = []

    def add(self, text: str, *, is_yaml: bool = False) -> Resource:
        """Add a document behind the other items. FnError if it is no mapping."""
        item = self._package.add(text, is_yaml=is_yaml)
        self.items += (item,)
        return item

    def remove(self, *items: Resource) -> None:
        """Remove items."""
        self._package.remove(*items)
        gone = set(map(id, items))
        self.items = tuple(item for item in self.items if id(item) not in gone)


def read(directory: Folder, below: Iterable[str] = ("",)) -> Package:
    """Read a directory; given paths in it, the files and directories at these. FnError if one cannot be read."""
    package = Package(directory)
    for path in below:
        with folder.failing(path):
            with directory.parent(path or ".") as (descriptor, name):
                is_folder = not path or stat.S_ISDIR(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode)
                if not is_folder:
                    _read(package, path, name, descriptor)
            if is_folder:
                # With `/.` behind it the directory itself is a step, too: no step follows a link.
                with directory.parent(f"{path}/." if path else ".") as (descriptor, _):
                    _read_all(package, descriptor, f"{path}/" if path else "")
    package.take_all()
    return package


def _read_all(package: Package, descriptor: int, above: str) -> None:
    """Read the files of an open directory and of those below it. `above` is its path with a `/` behind it."""
    listing = DirectoryWalk(package.leave_alone)
    package.listings.append(listing)
    for entry in listing.entries(descriptor, above):
        if entry.kind == "leftover":
            package.leftovers.append(entry.path)
        elif entry.kind == "linked directory":
            package.leave_alone(entry.path, folder.IS_LINK, LINK)
        elif paths.is_resource_file(entry.name) or entry.name == KUSTOMIZATION:
            _read(package, entry.path, entry.name, entry.parent)
            # kpt reads no file that is called so: what is in it is nobody's item.
            if entry.name == KUSTOMIZATION and entry.path in package.files:
                package.files[entry.path].resources = {}


def _read(package: Package, path: str, name: str, descriptor: int) -> None:
    """Read a file in an open directory, or note why it is left alone."""
    if visible(path) != path:
        package.leave_alone(path, folder.UNSEEN, ODD_NAME)
        return
    try:
        data, state = folder.read(name, descriptor)
    except OSError as error:
        noun = LINK if error.errno == errno.ELOOP else NOT_READABLE
        package.leave_alone(path, error.strerror or str(error), noun)
        return
    try:
        file = package.files[path] = _file(path, data, state)
        if file.is_unmerged:
            message = _SETTLED if file.text else _LOST
            package.left_alone.append(notice(message, DAMAGED_STATE, file=visible(path)))
    except NotRead as reason:
        # Settings of editors are JSON with comments, and nobody's manifests.
        if not (path.endswith(".json") and _API_VERSION.encode() not in data):
            package.leave_alone(path, str(reason), reason.noun)
    except SeveralError as error:
        package.left_alone += error.results


def _file(path: str, data: bytes, state: os.stat_result) -> File:
    """Return a file with its resources, none for a state that is lost. NotRead, SeveralError if it is left alone."""
    # UTF-16 of a manifest is that manifest with zeros.
    text = data.replace(b"\0", b"").decode(errors="ignore")
    is_state = holds_states_alone(text)
    try:
        file = File(encoding.decoded(data), "", path, state)
        file.resources = dict(_resources(file))
        if is_state:
            _require_states(file)
    except (NotUtf8Error, ParseError, FnError, NotRead) as error:
        reason = error if isinstance(error, SeveralError | NotRead) else _left_alone(text, error)
        # A machine's file asks nobody: what cannot be read is lost. A person's manifest or template there is no state.
        if not is_state and not (path.endswith(STATE_FILE) and getattr(reason, "noun", "") in (NOT_YAML, NOT_UTF_8)):
            raise reason from None
        file = File("", "", path, state)
        file.bom, file.written = encoding.split_bom(data.decode(errors=BYTES))
    return file


def _require_states(file: File) -> None:
    """Raise NotRead or FnError for a state that does not say what it is, has a key of its head twice, or odd lines."""
    documents = sum(cuts.holds_more(file.text, part.span) for part in file.documents)
    if not documents or sum(one.is_state for one in file.resources.values()) < documents:
        raise NotRead("it is no state", BROKEN)
    file.require_plain_lines()
    for one in file.resources.values():
        one.at("spec", "generatedBy")
        one.release()


def _resources(file: File) -> Iterator[tuple[int, Resource]]:
    # kpt counts documents that are no resources, and does not count what holds nothing.
    index = 0
    for number, part in enumerate(file.documents):
        if not cuts.holds_more(file.text, part.span):
            continue
        resource = part.resource
        resource.path, resource.file_index = file.path, index
        part.require_one()
        if _is_resource(resource):
            yield number, resource
        resource.release()
        index += 1


def _left_alone(text: str, error: Exception) -> NotRead:
    """Return why a file is left alone. A text that begins as a manifest is a broken one."""
    noun = NOT_YAML
    if isinstance(error, FnError):
        reason = error.results[0].message
    elif isinstance(error, NotUtf8Error):
        reason, noun = f"it {error}", NOT_UTF_8
    elif re.search(r"\{[{%]", text):  # as templates of Go and Jinja are
        return _template(text)
    else:
        reason = f"it is not YAML: {error}"
    return NotRead(reason, BROKEN if re.match(_STARTS_AS_MANIFEST, text) else noun)


def _template(text: str) -> NotRead:
    tool = "Helm" if _OF_HELM.search(text) else "another tool"
    return NotRead(f"it is a template of {tool}", TEMPLATE)


def _is_resource(resource: Resource) -> bool:
    """True if a document says what it is. Any other stays in its file, and is nobody's item."""
    # Asked of the text first: values files and settings of other tools are then never parsed.
    if not (resource.may_contain(_API_VERSION) and resource.may_contain("kind")):
        _require_whole(resource)
        return False
    if resource.spells("{") and _MAY_BE_TEMPLATE.search(resource.source):
        if is_template(resource.root):
            raise _template(resource.source)
    else:
        # To parse each document would take most of a run.
        spelled = resource.spelled()
        if spelled.get(_API_VERSION) and spelled.get("kind") not in (None, envelope.RESOURCE_LIST):
            return True
    if not isinstance(resource.root, Mapping):
        return False
    if envelope.kind(resource.root) == envelope.RESOURCE_LIST:
        raise NotRead("it is a ResourceList, which a pipe reads: give it to the program on standard input", PIPED)
    # A damaged state is to be told, not written beside.
    if resource.kind and (resource.api_version or resource.kind == STATE):
        return True
    _require_whole(resource)  # the word may stand below
    if re.match(_STARTS_AS_MANIFEST, resource.source):
        _require_head(resource, resource.root)
    return False


def _require_whole(resource: Resource) -> None:
    """Raise NotRead for an object that lacks its `apiVersion` or its `kind`, by the lines at its margin."""
    keys = resource.spelled()
    missing = [key for key in (_API_VERSION, "kind") if key not in keys]
    if "metadata" in keys and len(missing) == 1 and any(keys.values()):
        raise NotRead(f"line {resource.spot(())[0]}: this resource has no `{missing[0]}`: add it", HEADLESS)


def _require_head(resource: Resource, root: Mapping) -> None:
    """Raise NotRead for a manifest whose `apiVersion` or `kind` is there and says nothing."""
    for key in (_API_VERSION, "kind"):
        if root.get(key) is not None and not text_at(root, key):
            found = "empty" if isinstance(at(root, key), Scalar) else envelope.described(at(root, key))
            raise NotRead(f"line {resource.spot((key,))[0]}: `{key}` is {found}: write a text", BROKEN)
