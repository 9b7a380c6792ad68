"""Both images do their work whoever runs them, without network, without anything to write to."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import IMAGE
from tests.e2e import container
from tests.krm.package.directories import write

if TYPE_CHECKING:
    import docker

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
DEPLOY_FILE = ROOT / "examples" / "pipe" / "deploy.yaml"
DEPLOY = DEPLOY_FILE.read_bytes()
REQUIREMENTS = (ROOT / "image-requirements.txt").read_text()
OVER_THE_BASE = 16_000_000
WITHOUT_A_SYSTEM = 60_000_000
BASE, LOCAL_BASE = "python:3.13-slim", "expand-vars-base:bookworm"
ARGUMENTS = ["REGION=eu-west-1", "TAG=1.4.2"]


@pytest.fixture(scope="module", params=["", "-shell"], ids=["small", "shell"])
def either(image: str, request: pytest.FixtureRequest) -> str:
    """The image without a system, and the one with a shell."""
    return f"{image}{request.param}"


@pytest.fixture(scope="module")
def expected() -> bytes:
    """What the package itself makes of the example, outside any container."""
    command = [sys.executable, "-m", "expand_vars", *ARGUMENTS]
    return subprocess.run(command, input=DEPLOY, stdout=subprocess.PIPE, check=True).stdout


@pytest.mark.parametrize("user", ["nobody", "12345", "12345:54321", "root"])
def test_runs_as_any_user(engine: docker.DockerClient, either: str, user: str, expected: bytes) -> None:
    assert b"eu-west-1" in expected
    done = container.run(engine, either, DEPLOY, command=ARGUMENTS, user=user, cap_drop=["ALL"])
    assert done == (0, expected, b"")


def test_runs_as_the_orchestrators_start_it(engine: docker.DockerClient, either: str, expected: bytes) -> None:
    # kustomize's environment, and a caller's that would lead a Python astray.
    environment = {
        "LOG_TO_STDERR": "true",
        "STRUCTURED_RESULTS": "true",
        "PYTHONPATH": "/proc",
        "LC_ALL": "C",
    }
    done = container.run(engine, either, DEPLOY, command=ARGUMENTS, environment=environment)
    assert done == (0, expected, b"")


def test_text_is_utf_8_in_any_locale(engine: docker.DockerClient, either: str) -> None:
    text = DEPLOY.replace(b"--region", "--größe=😀".encode())
    done = container.run(engine, either, text, command=["REGION=Zürich", "TAG=1.4.2"], environment={"LC_ALL": "C"})
    assert "--größe=😀=Zürich\n".encode() in done.stdout


def test_help_reads_no_input(engine: docker.DockerClient, either: str) -> None:
    """As `kpt fn doc` asks for it. That of 1.0.0-beta.61 ends before: it gives Docker an option that Docker lacks."""
    help_text = engine.containers.run(either, ["--help"], remove=True, network_mode="none", user="nobody")
    assert b"  kind: ExpandVars\n" in help_text
    assert f"  kpt fn eval PACKAGE --image {IMAGE} -- REGION=eu-west-1\n".encode() in help_text


def test_the_other_program_is_there_too(engine: docker.DockerClient, either: str) -> None:
    done = container.run(engine, either, entrypoint=["krm", "--version"])
    assert (done.code, done.stdout.partition(b" ")[0]) == (0, b"krm")


def test_empty_input_says_what_is_missing(engine: docker.DockerClient, either: str) -> None:
    done = container.run(engine, either)
    assert (done.code, done.stdout) == (1, b"")
    assert b"standard input is empty; with docker run, give -i" in done.stderr


def test_start_needs_no_compiler(engine: docker.DockerClient, either: str) -> None:
    """Every module that the function imports has its bytecode in the image, and PyYAML its libyaml."""
    script = (
        "import sys; sys.path.insert(0, '/opt/expand-vars')\n"
        "import expand_vars.__main__, expand_vars.pipeline, yaml, os\n"
        "assert yaml.__with_libyaml__\n"
        "print([name for name, module in sys.modules.items()\n"
        "       if getattr(module, '__cached__', None) and not os.path.exists(module.__cached__)])\n"
    )
    done = container.run(engine, either, entrypoint=["python3", "-IS", "-c", script])
    assert done == (0, b"[]\n", b"")


def test_it_stands_in_an_empty_directory(engine: docker.DockerClient, either: str) -> None:
    script = "import os; print(os.getcwd(), os.listdir())"
    assert container.run(engine, either, entrypoint=["python3", "-IS", "-c", script]) == (0, b"/work []\n", b"")
    done = container.run(engine, either, command=["eval", "."])
    assert done == (0, b"there is no resource in .: nothing changes\n", b"")


def test_labels_say_what_it_is(engine: docker.DockerClient, either: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    labels = engine.images.get(either).labels
    kinds = {name.removeprefix("org.opencontainers.image.") for name in labels}
    assert kinds == {"title", "description", "version", "licenses", "source", "documentation"}
    for label, value in [
        ("title", next(iter(project["scripts"]))),
        ("description", project["description"]),
        ("version", project["version"]),
        ("licenses", project["license"]),
        ("source", project["urls"]["Source"]),
    ]:
        assert labels[f"org.opencontainers.image.{label}"] == value


WALK = """\
import os, stat, sys
for folder, folders, files in os.walk("/"):
    folders[:] = [one for one in folders if folder != "/" or one not in ("proc", "dev", "sys")]
    for name in [*folders, *files]:
        path = os.path.join(folder, name)
        state = os.lstat(path)
        if not stat.S_ISLNK(state.st_mode) and ({}):
            print(path)
"""


def found(engine: docker.DockerClient, image: str, condition: str, **options: Any) -> list[str]:
    """Return the paths in an image for which a condition of Python holds, but for links. Not each image has `find`."""
    command = ["python3", "-IS", "-c", WALK.format(condition)]
    done = container.run(engine, image, entrypoint=command, **options)
    assert done.stderr == b""
    return done.stdout.decode().split()


def test_nothing_gives_rights_away(engine: docker.DockerClient, either: str) -> None:
    assert found(engine, either, "state.st_mode & 0o6000 and stat.S_ISREG(state.st_mode)", user="root") == []


# A user without a group has root's, as in OpenShift.
@pytest.mark.parametrize("user", ["65534:65534", "12345:54321", "1000"])
def test_nothing_can_be_written_to(engine: docker.DockerClient, either: str, user: str) -> None:
    # Three files in /etc are Docker's own, of each container.
    writable = found(engine, either, "os.access(path, os.W_OK)", user=user, read_only=False)
    assert writable == []


def test_nothing_installs_packages_for_python(engine: docker.DockerClient, either: str) -> None:
    installs = 'name in ("pip", "ensurepip", "rich") or name.startswith("pip-") or "/bin/pip" in path'
    assert found(engine, either, installs, user="root") == []


def test_the_small_one_has_no_shell_and_three_programs(engine: docker.DockerClient, image: str) -> None:
    programs = (
        "state.st_mode & 0o111 and stat.S_ISREG(state.st_mode) and not name.endswith('.py') and '.so' not in name"
    )
    # Docker puts a file of its own into each container.
    there = sorted({*found(engine, image, programs, user="root")} - {"/.dockerenv"})
    assert [re.sub(r"^/usr/(local/)?bin/python3\.\d+$", "python", path) for path in there] == [
        "python",
        "/usr/local/bin/expand-vars",
        "/usr/local/bin/krm",
    ]


def size(engine: docker.DockerClient, image: str) -> int:
    found: int = engine.images.get(image).attrs["Size"]
    return found


def test_the_small_one_is_small(engine: docker.DockerClient, image: str) -> None:
    assert 0 < size(engine, image) < WITHOUT_A_SYSTEM


def test_the_one_with_a_shell_is_little_more_than_its_base(engine: docker.DockerClient, image: str) -> None:
    base = LOCAL_BASE if engine.images.list(LOCAL_BASE) else BASE
    assert 0 < size(engine, f"{image}-shell") - size(engine, base) < OVER_THE_BASE
    assert container.run(engine, f"{image}-shell", b"echo $((1 + 1))\n", entrypoint=["sh"]) == (0, b"2\n", b"")


UNFIT = "does not fit: it needs a python3 of 3.11 or later that runs here, on the C library of GNU"
# The start of a program for a 64 bit ARM.
OF_ARM = b"\x7fELF\2\1\1" + bytes(9) + (2).to_bytes(2, "little") + (183).to_bytes(2, "little") + bytes(44)
# A Python on musl has no such name.
AS_WITH_MUSL = "import os\ndel os.confstr_names['CS_GNU_LIBC_VERSION']\n"
RECIPES = {
    "expand-vars-test-no-python:1": "FROM scratch\nLABEL a=b\n",
    "expand-vars-test-other-architecture:1": "FROM scratch\nCOPY python3 /bin/python3\nENV PATH=/bin\n",
    "expand-vars-test-other-c-library:1": (
        f"FROM {IMAGE}-shell\nUSER root\nCOPY sitecustomize.py /site/\nENV PYTHONPATH=/site\n"
    ),
}


@pytest.mark.parametrize(
    ("base", "problem"),
    [
        ("no.such/base:1", "is not here, and no registry gives it: name one that is here, make image BASE=IMAGE"),
        ("expand-vars-test-no-python:1", UNFIT),
        ("expand-vars-test-other-architecture:1", UNFIT),
        ("expand-vars-test-other-c-library:1", UNFIT),
    ],
)
@pytest.mark.usefixtures("image")
def test_a_base_that_does_not_do_is_told_before_anything_is_built(base: str, problem: str, tmp_path: Path) -> None:
    if base in RECIPES:
        write(tmp_path, {"Dockerfile": RECIPES[base], "python3": OF_ARM, "sitecustomize.py": AS_WITH_MUSL})
        (tmp_path / "python3").chmod(0o755)
        subprocess.run(["docker", "build", "--quiet", "--tag", base, tmp_path], check=True, capture_output=True)
    done = subprocess.run(["make", "image", f"BASE={base}"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr.splitlines()[0]) == ("", f"the base {base} {problem}")


def test_on_a_terminal_it_writes_without_rich(engine: docker.DockerClient, either: str) -> None:
    volumes = {str(DEPLOY_FILE): {"bind": "/deploy.yaml", "mode": "ro"}}
    shown = engine.containers.run(
        either, ["explain", "/deploy.yaml", *ARGUMENTS], remove=True, network_mode="none", tty=True, volumes=volumes
    )
    assert b"eu-west-1" in shown
    assert b"Traceback" not in shown


def test_the_bill_is_that_of_the_image_without_a_system(engine: docker.DockerClient, image: str) -> None:
    # The image is the one that the other tests run: it is not to be built anew beside them.
    subprocess.run(["make", "sbom", "--old-file=image"], cwd=ROOT, check=True, capture_output=True)
    bill = json.loads((ROOT / "build" / "sbom.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    distributions = {one["name"]: one["version"] for one in bill["components"] if one["purl"].startswith("pkg:pypi/")}
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", REQUIREMENTS, re.MULTILINE))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    del pinned["pip"], pinned["setuptools"]
    assert distributions == {"krm-expand-vars": version, **pinned}
    assert "python" in {one["name"] for one in bill["components"]}
    of_base = [one["name"] for one in bill["components"] if one["purl"].startswith("pkg:deb/")]
    assert {"libc6", "zlib1g"} <= {*of_base}
    # dpkg itself says which files each of these has: one is there, but for documents, and of a shell's package none is.
    made = engine.containers.create(image)
    with tarfile.open(fileobj=io.BytesIO(b"".join(made.export()))) as exported:
        there = {f"/{member.name}" for member in exported if not member.isdir() and "/" in member.name}
    made.remove()
    for name in [*of_base, "dash", "coreutils", "dpkg"]:
        listed = (
            container.run(engine, f"{image}-shell", entrypoint=["dpkg", "--listfiles", name]).stdout.decode().split()
        )
        paths = {path for one in listed for path in (one, f"/usr{one}")}
        assert bool(paths & there) is (name in of_base), name


def test_every_package_is_pinned_by_hash() -> None:
    entries = re.findall(
        r"^([a-z0-9-]+)==\S+ \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", REQUIREMENTS, re.MULTILINE
    )
    names = [line.partition("=")[0] for line in REQUIREMENTS.splitlines() if re.match("[a-z]", line)]
    assert [name for name, _ in entries] == names
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {re.split("[>=]", one)[0].lower() for one in needed} - {"rich"} < {*names}
