"""docs/reference/expansion.md, "What is reported": where a declared name stands otherwise than as a reference."""

from __future__ import annotations

import pytest

from tests.expand_vars.expansion.running import pod, run

GIVEN = "`REGION` is given, and nothing that may be changed refers to it: "
FIRST = {
    "$REGION": "$REGION",
    "${REGION}": "${REGION}",
    "${REGION-eu}": "${REGION}",
    "$( REGION )": "$( REGION )",
    "$(REGION": "$(REGION",
    "$$(REGION)": "$$(REGION)",
    "$(REGION:-eu)": "$(REGION...)",
    '$(REGION:\\"eu\\")': "$(REGION...)",
    "$(REGION = eu)": "$(REGION...)",
    "$($(REGION))": "$($(REGION)",
    "$(A:-eu$(REGION))": "$(...$(REGION)",
    "$((REGION))": "$((REGION))",
}
WORDS = ["$(REGION now)", "{{ .REGION }}", "%REGION%", "$[REGION]", "$(env:REGION)"]
NOWHERE = ["MY-REGION REGIONS", "${OTHER} $OTHER"]
WRONG = {
    "annotations: {expandvars.dev/skip: 'yes'}": (
        "metadata.annotations['expandvars.dev/skip']: its value has no effect: write `\"true\"`, or remove it"
    ),
    "labels: {expandvars.dev/skip: 'true'}": (
        "metadata.labels['expandvars.dev/skip']: this is a label, and only an annotation has an effect: move it to "
        "`annotations`"
    ),
}
HEADS = {
    "annotations: {config.kubernetes.io/local-config: 'true'}": "it is `local-config`",
    "annotations: {expandvars.dev/skip: 'true'}": "it has the annotation `expandvars.dev/skip`",
}


def unused(text: str, more: str = "") -> str:
    """Return what is told of an argument that nothing refers to, where an element of `args` has this text."""
    ran = run(pod(f'args: ["{text}"]\n{more}'), arguments=[("REGION", "eu")])
    (message,) = [one.message for one in ran.results if one.reason == "UnusedArgument"]
    return message.removeprefix(GIVEN)


@pytest.mark.parametrize("text", FIRST)
def test_an_argument_without_use_is_shown_where_it_stands_first(text: str) -> None:
    assert unused(text) == f"`{FIRST[text]}` is no reference: write `$(REGION)` if the variable is meant"


@pytest.mark.parametrize("text", WORDS)
def test_or_where_its_name_stands_as_a_word(text: str) -> None:
    stands = "`REGION` stands here, and a reference is `$(REGION)`"
    assert unused(text) == f"{stands}: write that, or leave the argument out"


def test_or_as_a_word_in_another_case() -> None:
    stands = "`region` stands here, and a reference is `$(REGION)`"
    assert unused("nginx:{{ .Values.region }}") == f"{stands}: write that, or leave the argument out"


@pytest.mark.parametrize("text", NOWHERE)
def test_what_an_env_declares_is_no_place_for_a_reference(text: str) -> None:
    assert unused(text, "env: [{name: REGION, value: eu}]") == "mend the name, or leave it out"


@pytest.mark.parametrize("head", WRONG)
def test_what_looks_like_our_annotation_and_has_no_effect(head: str) -> None:
    assert run(pod("args: [x]", head=head)).told == [f"warning NoEffect {WRONG[head]}"]
    assert run(pod("args: [x]", head="annotations: {expandvars.dev/skip: 'false'}")).told == []


def test_a_name_in_what_is_no_resource_or_secret() -> None:
    ran = run("- kind: Pod\n  a: $(REGION)\n", arguments=[("REGION", "eu")])
    assert [one.message for one in ran.results] == [
        f"{GIVEN}`REGION` stands here, and is left alone: it is no mapping, and so no resource"
    ]
    ran = run(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: REGION}\n", arguments=[("REGION", "eu")]
    )
    assert [one.message for one in ran.results] == [f"{GIVEN}mend the name, or leave it out"]


@pytest.mark.parametrize("head", HEADS)
def test_an_argument_that_only_an_item_has_that_is_left_alone(head: str) -> None:
    ran = run(pod("args: [$(REGION)]", head=head), arguments=[("REGION", "eu")])
    (result,) = ran.results
    assert result.message == f"{GIVEN}`REGION` stands here, and is left alone: {HEADS[head]}"


@pytest.mark.parametrize(
    ("comment", "hint"),
    [
        ("expand: nginx:${REGION}", "`${REGION}` is no reference: write `$(REGION)` if the variable is meant"),
        ("nginx:$(REGION)", "it stands in a comment, which is a template only behind `# expand: `"),
        (
            "kpt-set: nginx:${REGION}",
            "it stands in a comment of kpt's setters: `expand-vars migrate --from-setters` makes templates of these",
        ),
    ],
)
def test_an_argument_that_only_a_comment_has(comment: str, hint: str) -> None:
    ran = run(pod(f"args: [] # {comment}"), arguments=[("REGION", "eu")])
    (result,) = ran.results
    assert (result.reason, result.message, result.line()) == ("UnusedArgument", GIVEN + hint, 8)


def test_a_comment_may_also_have_a_name_that_is_used() -> None:
    ran = run(pod("args: [$(ZONE)] # $(ZONE) $(REGION)"), arguments=[("REGION", "eu"), ("ZONE", "a")])
    assert [one.tags["name"] for one in ran.of("UnusedArgument")] == ["REGION"]


def test_a_word_is_shown_at_its_first_place() -> None:
    ran = run(pod("args: [REGION]"), pod("args: [REGION, ZONE]"), arguments=[("REGION", "eu"), ("ZONE", "a")])
    assert [(one.tags["name"], one.line()) for one in ran.results] == [("REGION", 8), ("ZONE", 17)]


def test_a_shell_reads_its_own_syntax() -> None:
    text = 'command: [sh, -c, "echo $((REGION)) ${REGION}"]\nargs: ["$(REGION)"]'
    assert run(pod(text), arguments=[("REGION", "eu")]).reasons == []


def test_what_no_shell_reads_as_a_variable_is_told_beside_one_too() -> None:
    text = 'command: [sh, -c, "echo $( REGION )"]\nargs: ["$(REGION)"]'
    assert run(pod(text), arguments=[("REGION", "eu")]).reasons == ["MisspeltReference"]


@pytest.mark.parametrize("mark", ["# Expand: i:$(REGION)", "# expand:i:$(REGION)", "#expand: i:$(REGION)"])
@pytest.mark.parametrize("is_strict", [False, True])
def test_a_comment_that_is_nearly_a_template_is_told_once(mark: str, is_strict: bool) -> None:  # noqa: FBT001 - of a table
    spec = f"strict: {str(is_strict).lower()}"
    (result,) = run(pod(f"image: i:1 {mark}"), spec=spec, arguments=[("REGION", "eu")]).results
    assert (result.severity, result.reason) == ("error" if is_strict else "warning", "UnplacedTemplate")


@pytest.mark.parametrize("tag", ["!foo", "!!int", "!<tag:example.com,2026:x>"])
@pytest.mark.parametrize("field", ["image: {} nginx:$(REGION)", "args: [{} $(REGION)]"])
def test_a_reference_behind_a_tag_is_told_beside_one_that_is_expanded(field: str, tag: str) -> None:
    ran = run(pod(f"command: [$(REGION)]\n{field.format(tag)}"), arguments=[("REGION", "eu")])
    (result,) = [one for one in ran.results if one.reason == "MisspeltReference"]
    why = "only its readers know what the tag in front of the value means: remove the tag"
    assert (result.severity, result.message) == ("warning", f"`$(REGION)` stays here: {why}")


def test_nobody_asks_for_what_unresolved_ignores() -> None:
    spec = "variables: [{name: REGION, value: eu}]\nunresolved: Ignore"
    ran = run(pod('args: ["$(REGION)", "${REGION}"]'), spec=spec)
    assert ran.results == []


def test_a_secret_is_not_quoted_behind_a_name() -> None:
    held = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {url: '$(USER:-hunter2) ${USER:-hunter3}'}\n"
    ran = run(pod("args: []"), held, arguments=[("USER", "me")])
    assert ran.results
    assert not any("hunter" in one.message for one in ran.results)


def test_what_flux_substitutes_is_its_own() -> None:
    flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k}\n"
    flux += "spec: {postBuild: {substitute: {REGION: eu}}}\n"
    given = [pod('image: "web:${REGION}"\nargs: ["$(REGION)"]')]
    spec = "variables: [{name: REGION, value: eu}]"
    assert run(*given, spec=spec).reasons == ["MisspeltReference"]
    assert run(*given, flux, spec=spec).reasons == []
    assert run(*given, flux.replace("substitute: {REGION: eu}", "substituteFrom: [{name: a}]"), spec=spec).reasons == []
    assert run(*given, flux.replace("kustomize.toolkit.fluxcd.io", "example.com"), spec=spec).reasons == [
        "MisspeltReference"
    ]
