"""Two branches of a package, merged by git: what a person then knows of each file."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from tests.expand_vars.memory import model
from tests.expand_vars.memory.model import NOWHERE
from tests.expand_vars.memory.world import BETWEEN, STATE, Config, Doc, Entry, World, file_of, together

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.expand_vars.memory.model import Conflict, Tree
    from tests.expand_vars.memory.world import Name

    Files = Mapping[str, str]

_IDENTITY = ("-c", "user.email=a@example.com", "-c", "user.name=a", "-c", "gc.auto=0")


class Repository:
    """A repository, used again for merge after merge."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp())
        self.git("init", "-q", "-b", "main")

    def close(self) -> None:
        shutil.rmtree(self.path)

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *_IDENTITY, *arguments], cwd=self.path, capture_output=True, text=True, check=False
        )
        return done.stdout

    def commit(self, files: Files) -> None:
        for old in self.path.iterdir():
            if old.name != ".git":
                shutil.rmtree(old) if old.is_dir() else old.unlink()
        for path, text in files.items():
            (self.path / path).parent.mkdir(parents=True, exist_ok=True)
            (self.path / path).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a")

    def merged(self, base: Files, ours: Files, theirs: Files) -> tuple[dict[str, str], set[str]]:
        """Return the files after a merge, and those of them that are in conflict."""
        self.commit(base)
        self.git("checkout", "-q", "-B", "theirs")
        self.commit(theirs)
        self.git("checkout", "-q", "main")
        self.commit(ours)
        # A file that one side moved and the other changed is a conflict: who moved what is not git's to guess here.
        self.git("merge", "-q", "-X", "no-renames", "-m", "a", "theirs")
        unmerged = {*self.git("diff", "--name-only", "--diff-filter=U").splitlines()}
        paths = (path for path in self.path.rglob("*") if path.is_file() and ".git" not in path.parts)
        files = {str(path.relative_to(self.path)): path.read_text() for path in paths}
        if unmerged:
            self.git("add", "-A")
            self.git("commit", "-q", "-m", "a")
        return files, unmerged


def merged(repository: Repository, base: World, ours: World, theirs: World) -> World:
    """Return what comes of two branches. A conflict is resolved to ours, file by file."""
    files, unmerged = repository.merged(base.files, ours.files, theirs.files)
    world = ours.copy()
    for path, config in ours.configs.items():
        is_clean = path not in unmerged
        world.configs[path] = _config(files[path], config, theirs.configs[path]) if is_clean else config
    for path in {file_of(key) for key in (*ours.docs, *theirs.docs)} - unmerged:
        texts = files[path].split(f"\n{BETWEEN}") if path in files else []
        docs = _docs(path, [text if text.endswith("\n") else f"{text}\n" for text in texts], base, ours, theirs)
        if docs is not None:
            world.docs = {key: doc for key, doc in world.docs.items() if file_of(key) != path} | docs
    world.states = {
        path: ours.states.get(path, "") if path in unmerged else files[path] for path in files if path.endswith(STATE)
    }
    world.entries = _entries(unmerged, base, ours, theirs)
    world.docs = dict(sorted(world.docs.items()))
    return world


def _entries(unmerged: set[str], base: World, ours: World, theirs: World) -> dict[Name, Entry]:
    """Return what the merged states say. One that git could not merge is that of ours."""
    found = {}
    paths = {config.name: path.replace(".yaml", STATE) for path, config in ours.configs.items()}
    for name in {*ours.entries, *theirs.entries}:
        before, own, other = (side.entries.get(name) for side in (base, ours, theirs))
        if own == before and paths.get(name[0]) not in unmerged:
            own = other
        elif before and own and other and paths.get(name[0]) not in unmerged:
            home = other.home if own.home == before.home else own.home
            written = _merged([], before.written, own.written, other.written)
            own = Entry(_merged([], before.origin, own.origin, other.origin), home, written)
        if own is not None:
            found[name] = own
    return found


def _config(text: str, ours: Config, theirs: Config) -> Config:
    known = next((one for one in (ours, theirs) if one.text == text), None)
    if known is not None:
        return known
    try:
        data = model.loaded(text)
        spec = data["spec"]
        values = {one["name"]: one["value"] for one in spec["variables"] if "value" in one} | {
            "PIN": ours.values["PIN"]
        }
        templates = [model.read(one) for one in spec["templates"]]
        found = Config(data["metadata"]["name"], values, templates, spec["merge"]["onConflict"])
    except (model.YAMLError, KeyError, TypeError):
        return ours
    names = {model.written(one) for one in templates}
    return found if found.text == text and len(names) == len(templates) else ours


def _docs(path: str, texts: list[str], *sides: World) -> dict[str, Doc] | None:
    """Return what is known of the resources in a file that git has merged; None where a person would take ours."""
    known = [{key: side.docs[key] for key in together(side.docs, path)} for side in sides]
    for docs in (*known[1:], {}):
        if [doc.text for doc in docs.values()] == texts:
            return docs
    if not (known[0].keys() == known[1].keys() == known[2].keys() and len(texts) == len(known[0])):
        return None
    found = [_doc(text, *(docs[key] for docs in known)) for key, text in zip(known[0], texts, strict=True)]
    docs = {key: doc for key, doc in zip(known[0], found, strict=True) if doc is not None}
    return docs if len(docs) == len(found) else None


def _doc(text: str, base: Doc, ours: Doc, theirs: Doc) -> Doc | None:
    """Return what is known of a resource that git has merged; None where a person would look, and take ours."""
    known = next((one for one in (ours, theirs) if one.text == text), None)
    if known is not None or ours.owner != theirs.owner:
        return known
    conflicts: list[Conflict] = []
    sides = (base, ours, theirs)
    tree = _merged(conflicts, *(one.tree for one in sides))
    values = _merged(conflicts, *(one.values for one in sides))
    doc = Doc(text, tree, values, ours.owner, ours.comments | theirs.comments)
    try:
        is_known = not conflicts and model.tree(text) == model.shown(tree, values)
    except model.YAMLError:
        return None
    return doc if is_known and all(one in text for one in doc.comments) else None


def _merged(conflicts: list[Conflict], base: Tree, ours: Tree, theirs: Tree) -> Tree:
    return NOWHERE if NOWHERE in (base, ours, theirs) else model.merged(base, ours, theirs, conflicts)
