"""`eval --check --strict` ends with 1 for each way in which a reference stays (docs/reference/results.md).

A way is the files of a directory, the arguments, and all that standard error has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from expand_vars import __main__ as cli
from krm.package.paths import folders_above
from tests.calls import counted
from tests.krm.package.directories import write

if TYPE_CHECKING:
    from pathlib import Path

    Way = tuple[dict[str, str], list[str], str]

POD = "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - name: c\n    image: {}\n"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\ndata:\n  a: {}\n"
TEMPLATE = "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}"
CONFIG = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {{name: f}}\nspec: {{{}}}\n"
KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
IMAGE = "a.yaml:7: v1/Pod/p spec.containers[name=c].image"
NO_RESOURCE = (
    "there is no resource, so nothing is expanded: each has an `apiVersion` and a `kind`, and kustomize gives them to "
    "`transformers`, not to `generators` (NoEffect)"
)
NO_COMMENT = "or expand it with `record: Never` (NoRoomForReference)"

WAYS: dict[str, Way] = {
    "a comment of another tool": (
        {"a.yaml": POD.format('"nginx:$(TAG)" # {"$imagepolicy": "a:b"}')},
        ["TAG=1"],
        (
            f"{IMAGE}: another tool reads a comment of this field, and ours beside it would break that: the field "
            "stays as it is; remove one of the two comments, or expand it with `record: Never` (OwnedByOther)"
        ),
    ),
    "no room for a comment": (
        {"a.yaml": POD.format("i") + '    command: [&a x]\n    args: [*a, "$(TAG)"]\n'},
        ["TAG=1"],
        (
            "a.yaml:9: v1/Pod/p spec.containers[name=c].args[1]: no comment can keep the reference of this field,"
            " which stays as it is: brackets with an alias, an anchor, a tag, `<<` or a `$(` in a key cannot "
            f"stand in a comment; {NO_COMMENT}"
        ),
    ),
    "line ends that no comment may have": (
        {"a.yaml": (POD.format("i:$(TAG)") + "    args: [a]\n").replace("\n", "\r")},
        ["TAG=1"],
        (
            "a.yaml:1: v1/Pod/p spec.containers[name=c].image: no comment can keep the reference of this field, which "
            f"stays as it is: this line ends in another way than LF and CRLF: convert the line ends of the text first; "
            f"{NO_COMMENT}"
        ),
    ),
    "a functionConfig among the generators": (
        {
            "a.yaml": POD.format("i:1"),
            "kustomization.yaml": f"{KUSTOMIZATION}resources: [a.yaml]\ngenerators: [f.yaml]\n",
            "f.yaml": CONFIG.format("strict: true"),
        },
        [],
        (
            "kustomization.yaml:4: kustomize.config.k8s.io/v1beta1/Kustomization generators[0]: kustomize gives a "
            "generator no resources, so that this expands nothing: name it in `transformers` (NoEffect)"
        ),
    ),
    "JSON": (
        {"a.json": '{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","image":"a:$(TAG)"}]}}'},
        ["TAG=1"],
        (
            "a.json:1: v1/Pod spec.containers[name=c].image: no comment can keep the reference of this field, "
            f"which stays as it is: JSON has no comments; {NO_COMMENT}"
        ),
    ),
    "a text of another shape than its template": (
        {"a.yaml": POD.format("nginx:1 # expand: apache:$(TAG)")},
        ["TAG=2"],
        (
            f"{IMAGE}: `nginx:1` is not what the template in its comment can become: it stays as it is, and does "
            "not follow `$(TAG)`; write it as the template says, or delete the comment (EditedByHand)"
        ),
    ),
    "one template of several elements": (
        {"a.yaml": POD.format("i") + "    args:\n    - x # expand: $(A)\n    - y # expand: $(A)\n"},
        ["A=1"],
        (
            "a.yaml:9: v1/Pod/p spec.containers[name=c].args[0] and 1 more: elements of one list have the same "
            "template and different texts, as where a tool copies comments to new elements: no text tells which "
            "of them it is of, so none is changed; delete the comments that are not theirs (TemplateDoubled)"
        ),
    ),
    "an image, and `unresolved: Ignore`": (
        {"a.yaml": POD.format("a:$(TAG)"), "f.yaml": CONFIG.format("unresolved: Ignore")},
        [],
        (
            f"{IMAGE}: no variable defines `$(TAG)`: it stays as it is written, until `variables` or an argument "
            "declares it (UnresolvedReference)"
        ),
    ),
    "blanks in an image": (
        {"a.yaml": POD.format('"a:$( TAG )"')},
        [],
        (
            f"{IMAGE}: no variable defines `$( TAG )`: a reference is `$(NAME)`, without blanks and without a "
            "default (UnresolvedReference)"
        ),
    ),
    "a default in an image": (
        {"a.yaml": POD.format('"a:$(TAG:-1)"')},
        ["TAG=1"],
        (
            f"{IMAGE}: `TAG` is given, and nothing that may be changed refers to it: `$(TAG...)` is no reference: "
            "write `$(TAG)` if the variable is meant (UnusedArgument)"
        ),
    ),
    "a key": (
        {"a.yaml": MAP.format("x") + "---\n" + MAP.format('y\n  "$(K)": x').replace("name: m", "name: $(K)")},
        ["K=1"],
        (
            "a.yaml:12: v1/ConfigMap/1 data['$(K)']: `$(K)` stays here: no run changes a key of an object that is"
            " there (UntargetedReference)"
        ),
    ),
    "a kustomization without a resource": (
        {"kustomization.yaml": "configMapGenerator: [{name: x, files: [app.cfg]}]\n", "app.cfg": "url=$(HOST)\n"},
        ["HOST=x"],
        (
            "app.cfg:1: `$(HOST)` stays: a file that a generator names is not expanded in place: write the value,"
            " or render the package: `--output DIRECTORY --target All` (UntargetedReference)"
        ),
    ),
    "a field of a kustomization": (
        {"kustomization.yaml": KUSTOMIZATION + "namePrefix: $(TAG)-\n", "a.yaml": POD.format("a:$(TAG)")},
        ["TAG=1"],
        (
            "kustomization.yaml:3: kustomize.config.k8s.io/v1beta1/Kustomization namePrefix: `$(TAG)` stays: this "
            "field may hold any text, and is expanded only as a target: give a functionConfig of kind `ExpandVars` "
            "with `targets: [{select: {group: kustomize\\.config\\.k8s\\.io, kind: Kustomization}, fieldPaths: "
            "[namePrefix]}]` (UntargetedReference)"
        ),
    ),
    "a field of a kustomization that says no kind": (
        {"kustomization.yaml": "images: [{name: a, newTag: $(TAG)}]\n", "a.yaml": POD.format("a:$(TAG)")},
        ["TAG=1"],
        (
            "kustomization.yaml:1: images[name=a].newTag: `$(TAG)` stays: this kustomization has no "
            "`apiVersion` and `kind`, without which nothing is a target: add them (UntargetedReference)"
        ),
    ),
    "a patch in a kustomization that says no kind": (
        {"kustomization.yaml": "patches: [{patch: '{spec: {a: $(TAG)}}'}]\n", "a.yaml": POD.format("a")},
        ["TAG=1"],
        (
            "kustomization.yaml:1: patches[0].patch: `TAG` is given, and nothing that may be changed refers to it: "
            "`TAG` stands here, and is left alone: kustomize puts it as it is into what it builds, where it can be "
            "expanded (UnusedArgument)"
        ),
    ),
    "no resource": ({"values.yaml": "image: a:$(TAG)\n"}, ["TAG=1"], NO_RESOURCE),
    "a manifest with the markers of a merge": (
        {"a.yaml": f"<<<<<<< HEAD\n{POD.format('a:1')}=======\n>>>>>>> main\n"},
        [],
        (
            "a.yaml: left alone: it is not YAML: line 1, column 1: this is the marker of a conflict: solve the "
            "conflict first (BrokenManifest)"
        ),
    ),
    "two templates of one object": (
        {"f.yaml": CONFIG.format(f"templates: [{TEMPLATE},\n  {TEMPLATE}]")},
        [],
        (
            "f.yaml:5: expandvars.dev/v1alpha1/ExpandVars/f spec.templates[1]: this is ConfigMap `m` again, which "
            "`spec.templates[0]` generates (InvalidFunctionConfig)"
        ),
    ),
    "a template of the functionConfig": (
        {"f.yaml": CONFIG.format(f"templates: [{TEMPLATE[:-1]},\n  data: {{a: '-', b: [$(A), $(A)]}}}}]")},
        [],
        (
            "f.yaml:5: v1/ConfigMap/m data.b[0] and 1 more: no variable defines `$(A)`: it stays as it is written, "
            "until `variables` or an argument declares it (UnresolvedReference)"
        ),
    ),
    "a broken manifest alone": (
        {"a.yaml": "apiVersion: v1\nkind: [\n"},
        ["TAG=1"],
        (
            "a.yaml: left alone: it is not YAML: line 3, column 1: a value is missing here, or a bracket above is"
            " not closed (BrokenManifest)"
        ),
    ),
    "a result from before its object is named": (
        {"a.yaml": POD.replace("p}", "$(N)}").format("a:1 #expand: a:$(T)")},
        ["N=web"],
        (
            "a.yaml:7: v1/Pod/web spec.containers[name=c].image: this comment is no template: it has to begin exactly "
            "with `# expand: `; the field stays as it is (UnplacedTemplate)"
        ),
    ),
    "a broken manifest beside several functionConfigs": (
        {"a.yaml": "apiVersion: v1\nkind: [\n", "x/f.yaml": CONFIG.format(""), "y/f.yaml": CONFIG.format("")},
        [],
        (
            "a.yaml: left alone: it is not YAML: line 3, column 1: a value is missing here, or a bracket above is"
            " not closed (BrokenManifest)"
        ),
    ),
    "no functionConfig at the file": (
        {"a.yaml": POD.format("a:$(TAG)"), "x/f.yaml": CONFIG.format(""), "y/f.yaml": CONFIG.format("")},
        [],
        (
            "a.yaml: several functionConfigs are there, and none is beside these files or above them, so that "
            "they stay as they are: a.yaml. Name one for all with `--fn-config FILE#NAME` (NoFunctionConfig)"
        ),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_reference_that_stays_fails(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    files, arguments, expected = WAYS[way]
    write(tmp_path, {path: text.encode() for path, text in files.items()})
    monkeypatch.chdir(tmp_path)
    code = cli.run(["eval", ".", "--check", "--strict", *arguments])
    assert (capfd.readouterr().err, code) == (f"[error] {expected}\n", 1)


def test_a_name_of_the_author_beside_a_variable_is_none_of_a_later_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """`All` leaves `$(OWN)` to its author. So it does where the first run has written the template into a comment."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"a.yaml": MAP.format("$(A) $(OWN) $(B)")})
    run = ["eval", ".", "--target", "All", "--strict"]
    for given, after in {("A=1", "B=2"): "1 $(OWN) 2", ("A=1", "B=3"): "1 $(OWN) 3", ("A=2",): "2 $(OWN) 3"}.items():
        assert cli.run([*run, *given]) == 0
        assert (tmp_path / "a.yaml").read_text() == MAP.format(f"{after} # expand: $(A) $(OWN) $(B)")
        capfd.readouterr()
        told = "1 note not shown (--verbose tells them)\n" if given == ("A=2",) else ""
        assert (cli.run([*run, "--check", *given]), capfd.readouterr()) == (0, ("nothing changes\n", told))
    assert cli.run(["eval", ".", "--strict", "A=2"]) == 1
    assert capfd.readouterr().err == (
        "[error] a.yaml:5: v1/ConfigMap/m data.a: no variable defines `$(OWN)`: it stays as it is written, until "
        "`variables` or an argument declares it (UnresolvedReference)\n1 note not shown (--verbose tells them)\n"
    )


def test_a_kustomization_without_a_kind_is_explained_once_beside_two_functionconfigs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    files = {f"{name}/f.yaml": CONFIG.format("variables: [{name: NS, value: a}]") for name in "xy"}
    files |= {"x/kustomization.yaml": "namespace: $(NS)\n", "kustomization.yaml": "namespace: $(NS)\n"}
    write(tmp_path, {path: text.encode() for path, text in files.items()})
    monkeypatch.chdir(tmp_path)
    assert cli.run(["explain", ".", "NS=b"]) == 0
    shown = capfd.readouterr().out
    assert [line for line in shown.splitlines() if line.endswith(".yaml")] == [
        "x/kustomization.yaml",
        "kustomization.yaml",
    ]
    assert shown.count("without which nothing is a target") == 2


PATCHED = "resources: [a.yaml]\npatches: [{path: p.yaml, target: {kind: Pod}}]\n"
HEADLESS = "kind: Pod\nmetadata: {name: any}\nspec: {containers: [{name: c, args: [%s]}]}\n"


def test_a_patch_that_does_not_say_what_it_changes_is_no_broken_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """kustomize asks the target. A patch that refers to a name is told: it is not expanded without a head."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(POD.format("a:1"))
    (tmp_path / "p.yaml").write_text(HEADLESS % "x")
    told = "p.yaml: left alone: line 1: this resource has no `apiVersion`: add it (BrokenManifest)\n"
    for kustomization, patch, expected in (
        (PATCHED, "x", (0, "")),
        (PATCHED.replace("p.yaml", "q.yaml"), "x", (1, f"[error] {told}")),
        (PATCHED, "$(A)", (1, f"[error] {told}")),
    ):
        (tmp_path / "kustomization.yaml").write_text(kustomization)
        (tmp_path / "p.yaml").write_text(HEADLESS % patch)
        assert (cli.run(["eval", ".", "--check", "--strict"]), capfd.readouterr().err) == expected
        assert cli.run(["explain", "."]) == 0
        assert ("has no `apiVersion`" in "".join(capfd.readouterr())) == (expected[0] == 1)


def test_a_name_that_kustomize_expands_in_what_it_builds_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    built = "resources: [base, a.yaml]\nconfigMapGenerator: [{name: x, literals: [a=$(TAG)]}]\n"
    files = {
        "kustomization.yaml": built,
        "a.yaml": POD.format("a:1"),
        "base/kustomization.yaml": "vars: [{name: TAG}]\n",
    }
    write(tmp_path, {path: text.encode() for path, text in files.items()})
    monkeypatch.chdir(tmp_path)
    assert cli.run(["eval", ".", "--strict", "--verbose", "TAG=1"]) == 0
    assert "`$(TAG)` stays: `vars` of base/kustomization.yaml define it" in capfd.readouterr().err


@pytest.mark.parametrize(
    "targets", ["text", "[text, ~]", "{select: {}}", "[{select: text, fieldPaths: {}}]", "[{select: []}]"]
)
def test_what_kustomize_would_refuse_in_a_replacement_replaces_nothing(
    targets: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    kustomization = f"{KUSTOMIZATION}resources: [a.yaml]\nreplacements: [text, {{targets: {targets}}}]\n"
    write(tmp_path, {"kustomization.yaml": kustomization.encode(), "a.yaml": MAP.format("$(TAG)").encode()})
    monkeypatch.chdir(tmp_path)
    assert (cli.run(["eval", ".", "TAG=1", "--target", "All"]), capfd.readouterr().err) == (
        0,
        "1 note not shown (--verbose tells them)\n",
    )


REPLACEMENT = "{source: {kind: Pod, fieldPath: metadata.name}, targets: [{fieldPaths: [spec.containers.0.image]}]}"


@pytest.mark.parametrize(("found", "code"), [(f"[{REPLACEMENT}]", 0), (REPLACEMENT, 0), ("[text]", 1), ("{", 1)])
def test_replacements_in_a_file_of_their_own_count(
    found: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    kustomization = f"{KUSTOMIZATION}resources: [a.yaml]\nreplacements: [{{path: none.yaml}}, {{path: r.yaml}}]\n"
    files = {"kustomization.yaml": kustomization, "a.yaml": POD.format("a:$(TAG)"), "r.yaml": found}
    write(tmp_path, {path: text.encode() for path, text in files.items()})
    monkeypatch.chdir(tmp_path)
    assert cli.run(["eval", ".", "--strict", "--verbose"]) == code
    told = "`$(TAG)` stays: `replacements` below kustomization.yaml write this field (OfKustomize)"
    assert (told in capfd.readouterr().err) is (code == 0)


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
@pytest.mark.parametrize("folder", ["", "web/"])
def test_a_kustomization_beside_or_above_one_file_counts_by_any_of_its_names(
    name: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    files = {name: f"vars: [{{name: TAG}}]\nresources: [{folder}a.yaml]\n", f"{folder}a.yaml": POD.format("a:$(TAG)")}
    write(tmp_path, {f"base/{path}": text.encode() for path, text in files.items()})
    monkeypatch.chdir(tmp_path)
    told = f"`$(TAG)` stays: `vars` of base/{name} define it, and kustomize expands it"
    for path in ("base", f"base/{folder}a.yaml"):
        assert cli.run(["eval", path, "--strict", "--verbose"]) == 0
        assert told in capfd.readouterr().err
        assert cli.run(["explain", path]) == 0
        assert told in "".join(capfd.readouterr())


def test_the_object_that_a_patch_changes_may_declare_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patch.yaml").write_text(POD.format("i:1") + "    args: [$(MODEL)]\n")
    assert cli.run(["eval", ".", "--strict"]) == 1
    (tmp_path / "kustomization.yaml").write_text(f"{KUSTOMIZATION}patches: [{{path: patch.yaml}}]\n")
    capfd.readouterr()
    assert cli.run(["eval", ".", "--strict", "--verbose"]) == 0
    told = "`$(MODEL)` stays: a kustomization names this file as a patch, and the object that it changes may declare"
    assert told in capfd.readouterr().err


def test_a_function_config_that_makes_resources_may_be_a_generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kustomization.yaml").write_text(f"{KUSTOMIZATION}generators: [f.yaml, g.yaml]\n")
    (tmp_path / "f.yaml").write_text(CONFIG.format(f"strict: true, templates: [{TEMPLATE}]"))
    assert (cli.run(["eval", "."]), capfd.readouterr().err) == (0, "")


def test_one_mistake_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each file is judged, whatever is wrong in another one, and none is written."""
    several = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\napiVersion: v1\nkind: Pod\n"
    files = {f"{name}/f.yaml": CONFIG.format("variables: [{name: TAG, value: a}]") for name in "xyz"}
    files |= {"x/f.yaml": CONFIG.format("vars: []"), "y/p.yaml": POD.format("a:$(TGA)"), "z/p.yaml": several}
    files |= {"z/q.yaml": "apiVersion: v1\nkind: [\n", "y/q.yaml": POD.format("a:$(TAG)")}
    told = {
        "x/f.yaml:4": "InvalidFunctionConfig",
        "y/p.yaml:7": "UnresolvedReference",
        "z/p.yaml": "InvalidInput",
        "z/q.yaml": "BrokenManifest",
    }
    write(tmp_path, {path: text.encode() for path, text in files.items()})
    monkeypatch.chdir(tmp_path)
    for arguments in (["."], [".", "--fn-config", "x/f.yaml"]):
        assert cli.run(["eval", "--strict", *arguments]) == 1
        lines = capfd.readouterr().err.splitlines()
        found = {line.split(" ")[1].removesuffix(":"): line.rpartition("(")[2].rstrip(")") for line in lines}
        # Nothing is expanded without a functionConfig.
        assert found == {path: reason for path, reason in told.items() if len(arguments) == 1 or path != "y/p.yaml:7"}
        assert (tmp_path / "y/q.yaml").read_text() == files["y/q.yaml"]


@pytest.mark.pure
def test_many_functionconfigs_cost_in_proportion(tmp_path: Path) -> None:
    def run(count: int) -> None:
        top = tmp_path / str(count)
        for number in range(count):
            pod = POD.format("a:$(TAG)")
            write(top / str(number), {"f.yaml": CONFIG.format("variables: [{name: TAG, value: a}]"), "p.yaml": pod})
        assert cli.run(["eval", "--check", str(top)]) == 3

    few, many = (counted(lambda: run(10), folders_above.__code__), counted(lambda: run(20), folders_above.__code__))
    assert 0 < many <= 2 * few
