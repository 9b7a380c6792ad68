"""The real `kubectl apply`, asked without a cluster what it makes of origin, update and local.

kubectl sees the world through a server: here one on the loopback interface, which knows each kind of the cases, gives
the live objects and keeps the patches that it is sent. It has no OpenAPI to offer, so kubectl falls back on what it
was built with: the Go types of the built-in kinds, and a JSON merge for all others.

A cluster would then apply the patches. kubectl holds that code too, and runs it in three commands:
- `patch --local`: one object a process;
- the same with a JSON merge, on one object that has all the cases for its fields: thousands a process;
- `rollout history`: a revision of a DaemonSet or a StatefulSet is a strategic merge patch: thousands a process. What
  it shows was read into Go's types first, as a cluster does: nulls, unknown fields, left-over directives are gone.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
WITH_HISTORY = ("DaemonSet", "StatefulSet")

# A process of kubectl lives for milliseconds: threads and the collection of garbage would double them.
_ENVIRONMENT = {**os.environ, "GOGC": "off", "GOMAXPROCS": "1", "KUBECONFIG": os.devnull}
_NOT_FOUND = {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404}


class Triple(NamedTuple):
    """What was applied last (None: nothing was), what is applied now, what is live."""

    origin: dict | None
    update: dict
    local: dict

    @property
    def live(self) -> dict:
        """Local as a cluster has it: with what was applied last in its annotation."""
        if self.origin is None:
            return self.local
        metadata = self.local["metadata"]
        annotations = {**(metadata.get("annotations") or {}), LAST_APPLIED: json.dumps(self.origin)}
        return {**self.local, "metadata": {**metadata, "annotations": annotations}}


class Patch(NamedTuple):
    """What kubectl sends: `type` is `strategic` or `merge`."""

    type: str
    content: dict


def applied(triples: Sequence[Triple]) -> list[dict]:
    """Return what each live object becomes by `kubectl apply`. No two objects have one name."""
    answers = [triple.live for triple in triples]
    sent = {index: patch for index, patch in enumerate(patches(triples)) if patch is not None}
    merges = {index: patch for index, patch in sent.items() if patch.type == "merge"}
    strategic = {index: patch for index, patch in sent.items() if patch.type == "strategic"}
    merged = _merged([(answers[index], patch) for index, patch in merges.items()])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        patched = pool.map(_patched, [answers[index] for index in strategic], strategic.values())
        for index, answer in zip((*merges, *strategic), (*merged, *patched), strict=True):
            answers[index] = answer
    return answers


def patches(triples: Sequence[Triple]) -> list[Patch | None]:
    """Return the patch of `kubectl apply` for each triple, None where nothing is to change."""
    world = _World([triple.live for triple in triples])
    _kubectl("apply", *_NOT_VALIDATED, stdin=_stream([triple.update for triple in triples]), world=world)
    return [world.patches.get(_path(triple.local)) for triple in triples]


def answers(triples: Sequence[Triple]) -> list[dict | None]:
    """Return what each live object becomes by `kubectl apply`, None where kubectl or the cluster's code refuses."""
    world = _World([triple.live for triple in triples])
    done = _run("apply", *_NOT_VALIDATED, stdin=_stream([triple.update for triple in triples]), world=world)
    # It goes on behind an object that it refuses, and prints a line for each of the others: `pod/c1 configured`.
    named = {line.split()[0].partition("/")[2] for line in done.stdout.splitlines()}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [*pool.map(lambda triple: _answer(triple, world) if _name(triple) in named else None, triples)]


def _name(triple: Triple) -> str:
    return triple.update["metadata"]["name"]


def _answer(triple: Triple, world: _World) -> dict | None:
    patch = world.patches.get(_path(triple.local))
    if patch is None:
        return triple.live
    try:
        return _patched(triple.live, patch)
    except AssertionError:
        return None


def remembered(config: str, live: dict) -> str:
    """Return what `kubectl apply` writes down of a configuration, which is as its author wrote it."""
    world = _World([live])
    _kubectl("apply", *_NOT_VALIDATED, stdin=config, world=world)
    (patch,) = world.patches.values()
    return patch.content["metadata"]["annotations"][LAST_APPLIED]


def refusal(triple: Triple) -> str:
    """Return what `kubectl apply` says to a triple that it refuses."""
    done = _run("apply", *_NOT_VALIDATED, stdin=_stream([triple.update]), world=_World([triple.live]))
    assert done.returncode == 1
    return done.stderr


def read(live: Sequence[dict], sent: Sequence[Sequence[dict]]) -> list[list[dict]]:
    """Return what a cluster reads in each live object, of a kind with history, after each of these patches to it."""
    world = _World([{**each, "metadata": {**each["metadata"], "uid": _UID}} for each in live])
    for each, contents in zip(live, sent, strict=True):
        world.revisions[each["metadata"]["namespace"]] = [_revision(each, *one) for one in enumerate(contents, start=1)]
    shown = _kubectl("rollout", "history", *_FROM_STDIN, "--output", "json", stdin=_stream(live), world=world)
    answers = iter(shown.split("\n}\n"))
    return [[_without_uid(next(answers) + "}") for _ in contents] for contents in sent]


_UID = "its-own"
_FROM_STDIN = ("--filename", "-")
_NOT_VALIDATED = ("--validate=false", *_FROM_STDIN)


def _patched(live: dict, patch: Patch) -> dict:
    with tempfile.NamedTemporaryFile("w+") as file:
        json.dump(patch.content, file)
        file.flush()
        command = ("patch", "--local", *_FROM_STDIN, "--type", patch.type, "--patch-file", file.name)
        return json.loads(_kubectl(*command, "--output", "json", stdin=json.dumps(live)))


def _merged(patched: list[tuple[dict, Patch]]) -> list[dict]:
    """Return what JSON merges make of objects: in one process, each object a field of one, each patch a field of it."""
    together = {"apiVersion": "example.com/v1", "kind": "All", "metadata": {"name": "all"}}
    lives = {str(index): live for index, (live, _) in enumerate(patched)}
    contents = {str(index): patch.content for index, (_, patch) in enumerate(patched)}
    answer = _patched({**together, "cases": lives}, Patch("merge", {"cases": contents}))
    return [answer["cases"][str(index)] for index in range(len(patched))]


def _revision(owner: dict, number: int, content: dict) -> dict:
    reference = {"apiVersion": "apps/v1", "kind": owner["kind"], "name": "owner", "uid": _UID, "controller": True}
    return {"metadata": {"name": f"r{number}", "ownerReferences": [reference]}, "revision": number, "data": content}


def _without_uid(text: str) -> dict:
    answer = json.loads(text)
    answer["metadata"].pop("uid", None)
    return answer


class _World:
    """The objects that the server knows, by their path; the patches that it was sent; revisions by namespace."""

    def __init__(self, live: Sequence[dict]) -> None:
        self.live = {_path(each): each for each in live}
        self.patches: dict[str, Patch] = {}
        self.revisions: dict[str, list[dict]] = {}
        self._kinds = defaultdict(set)
        for each in live:
            self._kinds[each["apiVersion"]].add(each["kind"])

    def answer(self, path: str) -> dict | None:
        """Return what GET gives, an object or what the server says of itself; None for what is not there."""
        if path == "/api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        if path == "/apis":
            return {"kind": "APIGroupList", "groups": [_group(version) for version in self._kinds if "/" in version]}
        if path.endswith("/controllerrevisions"):
            return {
                "kind": "ControllerRevisionList",
                "apiVersion": "apps/v1",
                "items": self.revisions[path.split("/")[5]],
            }
        if path in self.live:
            return self.live[path]
        return next((self._resources(version) for version in ("v1", *self._kinds) if path == _prefix(version)), None)

    def _resources(self, version: str) -> dict:
        resources = [{"name": _plural(kind), "kind": kind, "namespaced": True} for kind in self._kinds[version]]
        return {"kind": "APIResourceList", "groupVersion": version, "resources": resources}


def _path(each: dict) -> str:
    metadata = each["metadata"]
    return (
        f"{_prefix(each['apiVersion'])}/namespaces/{metadata['namespace']}/{_plural(each['kind'])}/{metadata['name']}"
    )


def _prefix(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"


def _plural(kind: str) -> str:
    return f"{kind.lower()}s"


def _group(group_version: str) -> dict:
    group, _, version = group_version.partition("/")
    known = {"groupVersion": group_version, "version": version}
    return {"name": group, "versions": [known], "preferredVersion": known}


class _Server(ThreadingHTTPServer):
    """A server of one world."""

    def __init__(self, world: _World) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.world = world


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        self._send(self.server.world.answer(self.path.partition("?")[0]))

    def do_PATCH(self) -> None:
        path = self.path.partition("?")[0]
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = "strategic" if "strategic" in self.headers["Content-Type"] else "merge"
        self.server.world.patches[path] = Patch(kind, content)
        self._send(self.server.world.live[path])

    def _send(self, found: dict | None) -> None:
        body = json.dumps(found or _NOT_FOUND).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@contextmanager
def _serving(world: _World) -> Iterator[str]:
    with _Server(world) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def _stream(objects: Sequence[dict]) -> str:
    return "\n".join(map(json.dumps, objects))


def _run(*command: str, stdin: str, world: _World | None = None) -> subprocess.CompletedProcess[str]:
    if world is not None:
        with _serving(world) as address:
            return _run(*command, "--server", address, "--cache-dir", os.devnull, stdin=stdin)
    program = ("kubectl", *command)
    return subprocess.run(program, input=stdin, capture_output=True, check=False, text=True, env=_ENVIRONMENT)


def _kubectl(*command: str, stdin: str, world: _World | None = None) -> str:
    done = _run(*command, stdin=stdin, world=world)
    assert done.returncode == 0, done.stderr
    return done.stdout
