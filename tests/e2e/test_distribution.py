"""The wheel and the source distribution: complete, and at home in an environment that others use too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PIPE = ROOT / "examples" / "pipe"
# What other distributions install, and what a user may have beside a script of their own.
STRANGER = 'raise ImportError("this is not what was meant")\n'
SCRIPT = """\
import krm


def label(resource_list: krm.ResourceList) -> None:
    for item in resource_list.items:
        item.set("metadata.labels.team", "storefront")


krm.run(label)
"""
LABELLED = """\
apiVersion: v1
kind: Service
metadata:
  name: web
  labels:
    team: storefront
"""
SERVICE = LABELLED.partition("  labels")[0]


class Distribution(NamedTuple):
    """The two files that are uploaded."""

    wheel: Path
    source: Path


class Environment(NamedTuple):
    """A Python of one's own with the wheel in it."""

    folder: Path

    def run(self, *command: str, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE"))}
        done = subprocess.run(
            [str(self.folder / "bin" / command[0]), *command[1:]],
            cwd=cwd,
            env=clean,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stderr, done.returncode) == ("", 0)
        return done


@pytest.fixture(scope="module")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Distribution:
    """Build both as a release does: the wheel is made from the source distribution, which therefore is complete."""
    folder = built(tmp_path_factory.mktemp("checkout"), 0o022)
    (wheel,), (source,) = folder.glob("krm_expand_vars*.whl"), folder.glob("krm_expand_vars*.tar.gz")
    return Distribution(wheel, source)


def built(checkout: Path, mask: int) -> Path:
    """Build all in a copy of the project, whose files have the modes of somebody with this umask."""
    for name in tracked():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        mode = Path(shutil.copy(ROOT / name, checkout / name)).stat().st_mode
        (checkout / name).chmod((0o777 if mode & 0o100 else 0o666) & ~mask)
    (checkout / ".venv").symlink_to(ROOT / ".venv")
    command = ["make", "--silent", "dist", "--old-file=venv"]
    done = subprocess.run(command, cwd=checkout, umask=mask, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return checkout / "dist"


@pytest.fixture(scope="module")
def environment(distribution: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Install the wheel, and what it requires, into an environment with nothing else."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    made = Environment(folder)
    made.run(
        "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(distribution.wheel), cwd=folder
    )
    return made


@pytest.fixture(scope="module")
def index(distribution: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder that is an index: both names in both forms, what they require, and what builds them."""
    folder = tmp_path_factory.mktemp("index")
    shutil.copytree(distribution.wheel.parent, folder, dirs_exist_ok=True)
    needed = [str(distribution.wheel), "setuptools>=77", "wheel", "pip"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder), *needed]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_newest_pyyaml_is_read_like_the_pinned_one(tmp_path: Path) -> None:
    """`krm.process` knows the inside of PyYAML: its tests run with the release that an installation gets today."""
    needed = next(one for one in metadata.requires("krm-expand-vars") or () if one.startswith("PyYAML"))
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), needed]
    subprocess.run(install, check=True)
    names = ("test_process.py", "yamltree/test_parser.py", "yamltree/test_hostile.py")
    tests = [str(ROOT / "tests" / "krm" / name) for name in names]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not e2e", *tests]
    search = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": search}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_whoever_builds_gets_the_same_bytes(distribution: Distribution, tmp_path: Path) -> None:
    """At another time, in another place, with another umask, and beside what an earlier build left."""
    first = {path.name: path.read_bytes() for path in distribution.wheel.parent.iterdir()}
    assert len(first) == 4
    (tmp_path / "packaging" / "krm" / "krm.egg-info").mkdir(parents=True)
    (tmp_path / "packaging" / "krm" / "krm.egg-info" / "PKG-INFO").touch()
    again = {path.name: path.read_bytes() for path in built(tmp_path, 0o007).iterdir()}
    assert [name for name in {**first, **again} if first.get(name) != again.get(name)] == []


def test_the_index_would_take_what_is_built(index: Path) -> None:
    built = sorted(str(path) for path in index.glob("krm*"))
    assert len(built) == 4
    done = subprocess.run(["twine", "check", "--strict", *built], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("PASSED")) == (0, 4), done.stdout


FORMS = {
    "wheel": ("krm-expand-vars",),
    "source distribution": ("--no-binary", "krm-expand-vars", "krm-expand-vars"),
    "wheel of krm": ("krm",),
    "source distribution of krm": ("--no-binary", "krm", "krm"),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_installs_in_an_empty_environment(form: str, index: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    made = Environment(tmp_path / "venv")
    from_there = ("--quiet", "--disable-pip-version-check", "--no-index", "--find-links", str(index))
    made.run("python", "-m", "pip", "install", *from_there, *FORMS[form], cwd=tmp_path)
    assert made.run("expand-vars", cwd=tmp_path, stdin=SERVICE).stdout == SERVICE
    (tmp_path / "label.py").write_text(SCRIPT)
    assert made.run("python", "label.py", cwd=tmp_path, stdin=SERVICE).stdout == LABELLED


@pytest.mark.parametrize("platform", ["musllinux_1_2_x86_64", "musllinux_1_2_aarch64"])
@pytest.mark.parametrize("python", ["3.11", "3.14"])
def test_each_requirement_has_a_wheel_for_alpine(
    platform: str, python: str, distribution: Distribution, tmp_path: Path
) -> None:
    """Its images have no compiler. RE2 has no wheel there, and is an extra."""
    there = ("--only-binary", ":all:", "--platform", platform, "--python-version", python)
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--dest",
        str(tmp_path),
        *there,
        str(distribution.wheel),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert any(platform[:9] in path.name for path in tmp_path.iterdir())


def test_pipx_installs_the_program(index: Path, tmp_path: Path) -> None:
    there = {"PIPX_HOME": f"{tmp_path}/home", "PIPX_BIN_DIR": f"{tmp_path}/bin", "PIPX_MAN_DIR": f"{tmp_path}/man"}
    from_there = f"--no-index --find-links {index}"
    command = ["pipx", "install", "--backend", "pip", "--pip-args", from_there, "krm-expand-vars"]
    done = subprocess.run(command, env=os.environ | there, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Environment(tmp_path).run("expand-vars", cwd=tmp_path, stdin=SERVICE).stdout == SERVICE


def test_the_name_krm_installs_the_sdk(distribution: Distribution, environment: Environment, tmp_path: Path) -> None:
    """From an index with our wheels alone: what these require is in the environment already."""
    index = distribution.wheel.parent
    install = ("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index")
    environment.run(*install, "--find-links", str(index), "krm", cwd=tmp_path)
    (wheel,) = index.glob("krm-*.whl")
    with zipfile.ZipFile(wheel) as made:
        assert all(".dist-info/" in name for name in made.namelist())
    (tmp_path / "label.py").write_text(SCRIPT)
    given = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n"
    assert environment.run("python", "label.py", cwd=tmp_path, stdin=given).stdout == LABELLED


def test_the_wheel_has_the_two_packages_and_nothing_else(distribution: Distribution) -> None:
    with zipfile.ZipFile(distribution.wheel) as wheel:
        names = wheel.namelist()
    (information,) = {name.partition("/")[0] for name in names} - {"krm", "expand_vars"}
    assert information.endswith(".dist-info")
    written = {name.removeprefix("fn/") for name in tracked() if name.startswith("fn/")}
    assert {name for name in names if not name.startswith(information)} == written
    assert {f"{information}/licenses/{name}" for name in ("LICENSE", "NOTICE")} <= {*names}


def test_the_source_distribution_has_all_that_the_tests_need(distribution: Distribution) -> None:
    with tarfile.open(distribution.source) as source:
        names = {member.name.partition("/")[2] for member in source if member.isfile()}
    assert {name for name in tracked() if not name.startswith(".")} <= names


def tracked() -> list[str]:
    """Return the files of the project, which is built in a copy: other tests build in its folder."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_the_main_job_is_done_from_the_wheel(environment: Environment) -> None:
    given = (PIPE / "deploy.yaml").read_text()
    done = environment.run("expand-vars", "REGION=eu-west-1", "TAG=1.4.2", cwd=environment.folder, stdin=given)
    assert f"```yaml\n{done.stdout}```" in (PIPE / "README.md").read_text()


def test_the_demo_installs_the_program_alone(tmp_path: Path) -> None:
    for name in tracked():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    done = subprocess.run(["make", "--silent", "demo"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert f"```yaml\n{done.stdout}```" in (PIPE / "README.md").read_text()
    installed = {path.name for path in tmp_path.glob("build/demo/lib/python*/site-packages/*")}
    assert "yaml" in installed
    assert installed.isdisjoint({"re2", "rich", "jsonschema", "pytest"})
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("name", ["fn.py", "fn/__init__.py"])
def test_others_that_are_called_fn_do_no_harm(name: str, environment: Environment, tmp_path: Path) -> None:
    """The source root is called `fn`, as are two distributions, and as a user's own file may be."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    installed = environment.folder / "lib" / version / "site-packages"
    for folder in (installed, tmp_path):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(STRANGER)
    (tmp_path / "label.py").write_text(SCRIPT)
    given = LABELLED.partition("  labels")[0]
    as_item = "kind: ResourceList\nitems:\n- {}".format
    done = environment.run("python", "label.py", cwd=tmp_path, stdin=as_item(given.replace("\n", "\n  ").rstrip(" ")))
    assert done.stdout == as_item(LABELLED.replace("\n", "\n  ").rstrip(" "))
    assert environment.run("expand-vars", cwd=tmp_path, stdin=given).stdout == given
    assert environment.run("python", "-m", "expand_vars", cwd=tmp_path, stdin=given).stdout == given
    (installed / name).unlink()
