"""Which merge is the result, git's or ours: by the rows of the table in docs/guides/git.md, and its corners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.git import cascade, line_merge
from krm.git.line_merge import Labels, LineMergeError, ThreeTexts

if TYPE_CHECKING:
    from pathlib import Path

MARKED = "<<<<<<< HEAD\n{}=======\n{}>>>>>>> update\n"
NAMES = "abcdefgh"
CONTAINER = "kind: Pod\nspec:\n  containers:\n  - name: c\n    env:\n"
ENV = "".join(f"    - name: {name}\n      value: v\n" for name in NAMES)
VALUE = "      value: $(R)\n"
USER = f"    - name: U\n{VALUE}"
DEFINED = f"    - name: R\n      value: r\n{USER}"
SERVICE = "apiVersion: v1\nkind: Service\nspec:\n  type: {}\n  ports:\n  - name: a\n    port: 80\n{}{}"
PORT, NEW_PORT = "    nodePort: 30080\n", "  - name: b\n    port: 443\n"
MINE, OTHERS = (f"    - name: X\n      value: {value}\n" for value in ("mine", "others"))
COMMAND = "    command:\n    - |\n      one\n      two\n"
SELECTOR = (
    "apiVersion: v1\nkind: Service\nspec:\n  selector:\n    z: {}\n    a: a\n    b: b\n    c: c\n    d: d\n    e: {}\n"
)
KEYS = "".join(f"{name}: 1\n" for name in NAMES)
FILE = "data:\n  old: |\n    one\n    two\n    three\n    four\n    five\n"
BOTH_VALUES = MARKED.format("      value: mine\n", "      value: others\n")
ARGS = "".join(f"- {name}\n" for name in NAMES)
BLOCK = "l:\n- a: |\n      x\n  \n"
SILENT = "1 conflict of fields, which the merge by lines decides in silence: "
BELOW = SILENT.replace("silence: ", "silence, by one of several equal lines: ")
SILENT_X = f"{SILENT}`spec.containers[name=c].env[name=X].value`"
OTHER_DATA = "merged by fields: the merge by lines is clean, but says something else"
SOLVED = "1 conflict of lines solved by fields"

AGAIN = "x:\n  w: {}\n  a: {}\n  a: {}\n  y: 1\nz: 1\n"
AGAIN_CHANGED = "  w: 1\n  a: 1\n  a: 3\n", "  w: 2\n  a: 1\n  a: 2\n"
AGAIN_IN_BRACKETS = "x: {w: 1, a: 1, a: 1, y: 2}\nz: 1\n"
ELEMENT = "  columns:\n    - {}\n{}  schema:\n    k: 0\n    m: {}\n    rule: r\n    last: z\n  storage: {}\n"
FIRST = "- name: v1\n" + ELEMENT.format("p\n    - q", "  deprecated: true\n", "both", "false")
SECOND = "- name: v2\n" + ELEMENT.format("p\n    - q", "", "both", "true")
ALONE = "- name: v1\n" + ELEMENT.format("r", "", "both", "true")
STEPS = "steps:\n{}- run: a\n- run: b\n- run: c\n{}- run: z\n"
JOB = "jobs:\n  {}:\n    steps:\n    - uses: checkout@v{}\n      with: {{p: 1}}\n    - run: {}\n    - run: {}\n"
A, B, C = (f"kind: ConfigMap\nmetadata: {{name: {name}}}\n{KEYS}" for name in "abc")
NEW = A.replace("d: 1", "d: 2")

# origin, update, local; the result and its note.
ENTRY = "metadata:\n  name: web\n"
POD = "kind: Pod\nspec:\n  containers:\n  - name: a\n    env:\n    - {name: A, value: a}\n"
EMPTY, EMPTY_MINE, HOST = "    emptyDir: {}\n", "    emptyDir: {} # mine\n", "    hostPath: {path: /x}\n"
VOLUME = "kind: Pod\nspec:\n  volumes:\n  - name: v\n{}"
TARGETS = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nspec:\n  targets:\n  - {kind: A}\n"
FLUX = "kind: K\nmetadata: {{name: {0}}}\nspec:\n  path: ./{0}\n  interval: 10m\n  prune: true\n  wait: {1}\n"
FLUX_A, FLUX_OLD, FLUX_NEW, FLUX_CHANGED = (
    FLUX.format(*each) for each in (("a", "true"), ("old", "true"), ("new", "true"), ("old", "false"))
)
HOST_A, HOST_B = "hosts:\n- host: a\n  port: 1\n", "- host: b\n  port: 2\n"
FOLDED = "command: >-\n  timeout 240s\n  run\n  --x\n  --y\n"
FOLDED_ELEMENT = FOLDED.replace("command: ", "l:\n- ")
PLAIN = "command: timeout 240s\n  run\n  --x\n  --y # why\nd: 1\n"
PLAIN_ALONE, BLOCK_ALONE = "command: timeout 240s\n  run\n", "command: |-\n  timeout 240s\n  run\n"
RUN = '- "timeout 240s\n'
QUOTED = f'c:\n{RUN}  run\n\n  --y" # why\nd: 1\n'
INDENTED = QUOTED.replace("- ", "  - ").replace("\n  ", "\n    ").replace("    - ", "  - ")
KYAML = '---\n{{\n  kind: "A",\n  data: {{\n    x: "{}",\n    y: "{}",\n  }},\n}}\n'
JSON = '{{\n  "kind": "A",\n  "x": {},\n  "y": {}\n}}\n'
ONE = '{{"kind": "A", "metadata": {{"name": "{}"}}}}\n'
X, Y = (f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  a: v\n" for name in "xy")
LISTED = '{{"kind": "List", "items": [{{"kind": "A", "metadata": {{"name": "a"}}, "x": {}}}]}}\n'
BLOCK_LIST = "kind: List\nitems:\n- kind: A\n  metadata: {{name: a}}\n  x: {}\n- kind: A\n  metadata: {{name: b}}\n"
BEHIND = "---\nkind: B\nmetadata: {name: c}\n"
CASES = {
    "brackets with one entry in a line": (
        KYAML.format(1, 1), KYAML.format(2, 1), KYAML.format(1, 3), KYAML.format(2, 3), SOLVED,
    ),
    "a list of objects as JSON, in conflict": (
        LISTED.format(1), LISTED.format(2), LISTED.format(3),
        MARKED.format(LISTED.format(3), LISTED.format(2)), "",
    ),
    "a document behind a list": (
        BLOCK_LIST.format(1), BLOCK_LIST.format(1) + BEHIND, BLOCK_LIST.format(2), BLOCK_LIST.format(2) + BEHIND, "",
    ),
    "a list that local deleted and update changed": (
        A + "---\n" + BLOCK_LIST.format(1), A + "---\n" + BLOCK_LIST.format(2), A,
        A + MARKED.format("", "---\n" + BLOCK_LIST.format(2)), "",
    ),
    "a document that one side deleted, and the other took comments and blank lines out of": (
        f"{A}---\n# b\n{B}# end\n\n", f"{A}---\n{B}", A, A, SOLVED,
    ),
    "a document that one side deleted, and the other gave a comment": (
        f"{A}---\n{B}", f"{A}---\n# b\n{B}", A, A + MARKED.format("", f"---\n# b\n{B}"), "",
    ),
    "JSON": (JSON.format(1, 1), JSON.format(2, 1), JSON.format(1, 3), JSON.format(2, 3), SOLVED),
    "lines that git gives to another object": (
        f"{FLUX_A}---\n{FLUX_OLD}", f"{FLUX_NEW}---\n{FLUX_A}", f"{FLUX_A}---\n{FLUX_CHANGED}",
        f"{FLUX_NEW}---\n{FLUX_A}" + MARKED.format(f"---\n{FLUX_CHANGED}", ""), f"{SILENT}`kind`, `metadata`, `spec`",
    ),
    "an object that both changed, under two names": (
        "kind: A\nmetadata:\n  name: a\nx: 1\ny: 1\n---\nkind: B\n",
        "kind: A\nmetadata:\n  name: b\nx: 1\ny: 1\n---\nkind: B\n",
        "kind: A\nmetadata:\n  name: a\nx: 1\ny: 1\nz: 1\n---\nkind: B\n",
        "kind: A\nmetadata:\n  name: b\nx: 1\ny: 1\nz: 1\n---\nkind: B\n",
        "taken for one object by all but its name: origin A/a, update A/b, local A/a",
    ),
    "an element that one side renamed and the other took away": (
        f"{HOST_A}{HOST_B}", HOST_A, HOST_A + HOST_B.replace("b", "c"),
        HOST_A + MARKED.format(HOST_B.replace("b", "c"), ""), "",
    ),
    "lines of a folded text": (
        FOLDED, FOLDED.replace("  --y", "  --force\n  --y"), FOLDED.replace("240", "600"),
        FOLDED.replace("240", "600").replace("  --y", "  --force\n  --y"), "",
    ),
    "lines of a folded text in a list": (
        FOLDED_ELEMENT, FOLDED_ELEMENT.replace("  --y", "  --force\n  --y"), FOLDED_ELEMENT.replace("240", "600"),
        FOLDED_ELEMENT.replace("240", "600").replace("  --y", "  --force\n  --y"), "",
    ),
    "lines of a plain text": (
        PLAIN, PLAIN.replace("--y", "--z"), PLAIN.replace("240", "600"),
        PLAIN.replace("240", "600").replace("--y", "--z"), "",
    ),
    "a plain text that one side wrote as a block": (
        PLAIN_ALONE, BLOCK_ALONE, PLAIN_ALONE.replace("240", "600"),
        MARKED.format("command: timeout 600s\n", "command: |-\n  timeout 240s\n") + "  run\n", "",
    ),
    "neighbouring lines of a plain text": (
        PLAIN_ALONE, PLAIN_ALONE.replace("240", "600"), PLAIN_ALONE.replace("run", "go"),
        MARKED.format(PLAIN_ALONE.replace("run", "go"), PLAIN_ALONE.replace("240", "600")), "",
    ),
    "lines of a quoted text, which one side indented": (
        QUOTED, INDENTED.replace("--y", "--z"), QUOTED.replace("240", "600"),
        INDENTED.replace("240", "600").replace("--y", "--z"), SOLVED,
    ),
    "one line of a quoted text": (
        QUOTED, QUOTED.replace("240", "900"), QUOTED.replace("240", "600"),
        QUOTED.replace(RUN, MARKED.format(RUN.replace("240", "600"), RUN.replace("240", "900"))), "",
    ),
    "a patch of kustomize": (
        "x:\n  $patch: delete\na: 1\nb: 1\n",
        "x:\n  $patch: delete\na: 1\nb: 2\n",
        "x:\n  $patch: delete\na: 2\nb: 1\n",
        "x:\n  $patch: delete\na: 2\nb: 2\n",
        SOLVED,
    ),
    "a key that is there again": (
        AGAIN.format(1, 1, 1), AGAIN.format(2, 1, 1), AGAIN.format(1, 2, 1), AGAIN.format(2, 2, 1), SOLVED,
    ),
    "a key that is there again, which both changed": (
        AGAIN.format(1, 1, 1), AGAIN.format(2, 1, 2), AGAIN.format(1, 1, 3),
        f"x:\n{MARKED.format(*AGAIN_CHANGED)}  y: 1\nz: 1\n", "",
    ),
    "a key that both sides added, at places that git does not join": (
        "a: 1\nk: 2\nz: 5\n", "q: 7\na: 1\nk: 2\nz: 6\n", "a: 1\nk: 2\nz: 7\nq: 3\n",
        "a: 1\nk: 2\n" + MARKED.format("z: 7\nq: 3\n", "z: 6\nq: 7\n"), "",
    ),
    "a key that is there again, of which each side deletes another one": (
        "a: 1\nb: 1\na: 2\nc: 1\n", "b: 1\na: 2\nc: 2\n", "a: 1\nb: 1\nc: 1\n",
        "b: 1\n" + MARKED.format("c: 1\n", "a: 2\nc: 2\n"), "",
    ),
    "a key that is there again, in brackets on one side": (
        AGAIN.format(1, 1, 1), AGAIN.format(2, 1, 1), AGAIN_IN_BRACKETS,
        MARKED.format(AGAIN_IN_BRACKETS[:-5], AGAIN.format(2, 1, 1)[:-5]) + "z: 1\n", "",
    ),
    "no YAML": ("{{ a }}: 1\n", "{{ a }}: 2\n", "{{ a }}: 3\n", MARKED.format("{{ a }}: 3\n", "{{ a }}: 2\n"), ""),
    "not UTF-8": ("a: \udcff\n", "a: 2\n", "a: 3\n", MARKED.format("a: 3\n", "a: 2\n"), ""),
    "both say the same": (
        "a: 1\nb: 1\nc: 1\nd: 1\n",
        "a: 1\nb: 1\nc: 1\nd: 2 # new\n",
        "# mine\na: 2\nb: 1\nc: 1\nd: 1\n",
        "# mine\na: 2\nb: 1\nc: 1\nd: 2 # new\n",
        "",
    ),
    "neighbours, with an alias of what the other side changed": (
        "a: &a 1\nb: 1\n", "a: &a 2\nb: 1\n", "a: &a 1\nb: 2\nc: *a\n",
        "a: &a 2\nb: 2\nc: *a\n", SOLVED
    ),
    "neighbours, with an alias that stays": (
        *(f"a: &a 1\nb: {b}\nc: {c}\nd: *a\n" for b, c in ((1, 1), (2, 1), (1, 2), (2, 2))), SOLVED
    ),
    "documents that update moved, and an empty one": (
        f"{A}---\n{B}---\n{C}---\n", f"{A}---\n{C}---\n{B}", f"{NEW}---\n{B}---\n{C}---\n", f"{NEW}---\n{C}---\n{B}", ""
    ),
    "an entry of env that came to stand above what it refers to": (
        CONTAINER + ENV, CONTAINER + DEFINED + ENV, CONTAINER + ENV + "    # mine\n" + DEFINED.partition(USER)[0],
        CONTAINER + "    # mine\n" + DEFINED + ENV, OTHER_DATA
    ),
    "the same beside a comment that both changed": (
        CONTAINER + "    # one\n" + ENV, CONTAINER + DEFINED + "    # two\n" + ENV,
        CONTAINER + "    # three\n" + ENV + DEFINED.partition(USER)[0],
        CONTAINER + DEFINED.replace(USER, MARKED.format("    # three\n", "    # two\n") + USER) + ENV, ""
    ),
    "the same where both changed what refers to it": (
        CONTAINER + ENV + USER, CONTAINER + DEFINED.replace("R)", "R)/o") + ENV,
        CONTAINER + ENV + USER.replace("R)", "R)/m") + DEFINED.partition(USER)[0],
        CONTAINER + DEFINED.replace(VALUE, MARKED.format("      value: $(R)/m\n", "      value: $(R)/o\n")) + ENV, ""
    ),
    "the same where no kubelet reads it": (
        "env:\n" + ENV, "env:\n" + DEFINED + ENV, "env:\n" + ENV + DEFINED.partition(USER)[0],
        "env:\n" + USER + ENV + DEFINED.partition(USER)[0], OTHER_DATA
    ),
    "a port with a number that the type of the other side has not": (
        SERVICE.format("NodePort", PORT, ""), SERVICE.format("ClusterIP", "", ""),
        SERVICE.format("NodePort", PORT, NEW_PORT + PORT),
        SERVICE.format("ClusterIP", "", NEW_PORT), SOLVED
    ),
    "the same without a number": (
        SERVICE.format("NodePort", PORT, ""), SERVICE.format("ClusterIP", "", ""),
        SERVICE.format("NodePort", PORT, NEW_PORT), SERVICE.format("ClusterIP", "", NEW_PORT), SOLVED
    ),
    "elements of both sides": (
        f"args:\n{ARGS}", f"args:\n- u\n{ARGS}", f"args:\n{ARGS}- l\n", f"args:\n- u\n{ARGS}- l\n", ""
    ),
    "elements of both sides, and one that both changed alike": (
        f"args:\n- v1\n{ARGS}",
        f"args:\n- v2\n{ARGS}- u\n",
        f"args:\n- v2\n{ARGS}".replace("- d\n", "- d\n- l\n"),
        f"args:\n- v2\n{ARGS}- u\n".replace("- d\n", "- d\n- l\n"),
        "",
    ),
    "elements of both sides beside another document": (
        f"args:\n{ARGS}---\nb: 1\n",
        f"args:\n- u\n{ARGS}---\nb: 1\n",
        f"args:\n{ARGS}- l\n---\nb: 1\n---\nc: 1\n",
        f"args:\n- u\n{ARGS}- l\n---\nb: 1\n---\nc: 1\n",
        "",
    ),
    "an entry that both added twice": (
        CONTAINER + ENV, CONTAINER + ENV + MINE, CONTAINER + MINE + ENV, CONTAINER + MINE + ENV, OTHER_DATA
    ),
    "an entry that both added, and not alike": (
        CONTAINER + ENV,
        CONTAINER + ENV + OTHERS,
        CONTAINER + MINE + ENV,
        f"{CONTAINER}    - name: X\n{BOTH_VALUES}{ENV}",
        SILENT_X,
    ),
    "a key that both added, which lines make two": (
        KEYS, f"{KEYS}x: 1\n", f"x: 1\n{KEYS}", f"x: 1\n{KEYS}", OTHER_DATA
    ),
    "a key that one side renamed, with a change below it": (
        FILE,
        FILE.replace("five", "FIVE"),
        FILE.replace("old", "new"),
        FILE.replace("old", "new").replace("five", "FIVE"),
        "",
    ),
    "a key that one side renamed, with an element that comes": (
        "old:\n- a\n- b\n", "old:\n- a\n- b\n- c\n", "new:\n- a\n- b\n", "new:\n- a\n- b\n- c\n", ""
    ),
    "neighbours": ("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n", "a: 2\nb: 2\n", SOLVED),
    "entries of env, one with a reference to the one above": (
        POD,
        f"{POD}    - {{name: U, value: $(A)}}\n",
        f"{POD.replace('value: a', 'value: l')}    - {{name: L, value: l}}\n",
        f"{POD.replace('value: a', 'value: l')}    - {{name: L, value: l}}\n    - {{name: U, value: $(A)}}\n",
        SOLVED,
    ),
    "targets of an ExpandVars": (
        TARGETS,
        f"{TARGETS}  - {{kind: U}}\n",
        f"{TARGETS}  - {{kind: L}}\n",
        f"{TARGETS}  - {{kind: L}}\n  - {{kind: U}}\n",
        SOLVED,
    ),
    "neighbours, one with a new comment": (
        "a: 1\nb: 1\n", "# new\na: 2\nb: 1\n", "a: 1\nb: 2\n", "# new\na: 2\nb: 2\n", SOLVED
    ),
    "one comment, two answers": (
        "a: 1\n", "# one\na: 1\n", "# two\na: 1\n", MARKED.format("# two\n", "# one\n") + "a: 1\n", ""
    ),
    "neighbours, with a comment between blank lines": (
        "a: 1\nb: 1\n", "a: 2\n# new\n\nb: 1\n", "a: 1\nb: 2\n", "a: 2\n# new\n\nb: 2\n", SOLVED
    ),
    "neighbours, with a comment in brackets": (
        "a: [1]\nb: 1\n", "a: [ # new\n  1]\nb: 1\n", "a: [1]\nb: 2\n", "a: [ # new\n  1]\nb: 2\n", SOLVED
    ),
    "neighbours, with a comment between key and value": (
        "a: x\nb: 1\n", "a: # new\n  x\nb: 1\n", "a: x\nb: 2\n",
        "a: # new\n  x\nb: 2\n", SOLVED
    ),
    "neighbours, with a comment behind a text": (
        f"{BLOCK}- b: 1\n  c: 1\n", f"{BLOCK}\n # new\n- b: 2\n  c: 1\n", f"{BLOCK}- b: 1\n  c: 2\n",
        f"{BLOCK}\n # new\n- b: 2\n  c: 2\n", SOLVED
    ),
    "documents that no name tells apart": (
        *(f"a: {number}\n---\nc: {number}\n" for number in (1, 2, 3)),
        MARKED.format("a: 3\n---\nc: 3\n", "a: 2\n---\nc: 2\n"), "",
    ),
    "a selector, which is one value": (
        SELECTOR.format(1, 1), SELECTOR.format(2, 1), SELECTOR.format(3, 2),
        SELECTOR.format("M", 2).replace("    z: M\n", MARKED.format("    z: 3\n", "    z: 2\n")), "",
    ),
    "an entry that both added, and not alike, beside a text and an empty document": (
        CONTAINER + ENV + COMMAND,
        CONTAINER + ENV + OTHERS + COMMAND,
        f"{CONTAINER}{MINE}{ENV}{COMMAND}---\n",
        f"{CONTAINER}    - name: X\n{BOTH_VALUES}{ENV}{COMMAND}---\n",
        SILENT_X,
    ),
    "longer by fields, as each side took another line for the key": (
        "a: {}\nold:\nnew:\n  k: 1\n  l: 2\n", "a: {}\nnew:\n  k: 1\n  l: 2\n", "a: {}\nold:\n  k: 1\n  l: 2\n",
        "a: {}\n" + MARKED.format("old:\n", "new:\n") + "  k: 1\n  l: 2\n", "",
    ),
    "a comment in a field that the other side's field excludes": (
        VOLUME.format(EMPTY), VOLUME.format(HOST), VOLUME.format(EMPTY_MINE),
        VOLUME.format(MARKED.format(EMPTY_MINE, HOST)), "",
    ),
    "a comment in a mapping that the other side renamed, beside an entry that both deleted": (
        "labels:\n  a: v3\n  b: v5\n  c: v7\n",
        "other:\n  a: v3\n  c: v7\n",
        "labels:\n  # mine\n  b: v5\n  c: v7\n",
        MARKED.format("labels:\n  # mine\n  b: v5\n  c: v7\n", "") + "other:\n  a: v3\n  c: v7\n",
        "",
    ),
    "an element that one side deleted, beside a named one that became like it": (
        f"v:\n{FIRST}{SECOND}", f"v:\n{FIRST}" + SECOND.replace("both", "either"), f"v:\n{ALONE}",
        f"v:\n{ALONE}" + MARKED.format("", SECOND.replace("both", "either")), f"{SILENT}`v[name=v2]`",
    ),
    "an entry that one side wrote anew, with the only change of the other": (
        JOB.format("trivy", 4, "a", "b"), JOB.format("trivy", 5, "a", "b"), JOB.format("build", 5, "x", "y"),
        JOB.format("build", 5, "x", "y"), "",
    ),
    "an entry that one side moved, and the other deleted": (
        "a:\n  x: 1\n  y: 2\nb: 1\nc: 1\nd: 1\n", "b: 1\nc: 1\na:\n  x: 1\n  y: 3\nd: 1\n", "b: 1\nc: 1\nd: 1\n",
        "b: 1\nc: 1\n" + MARKED.format("", "a:\n  x: 1\n  y: 3\n") + "d: 1\n", f"{BELOW}`a`",
    ),
    "an element without a name that one side moved, and the other deleted": (
        STEPS.format("", "- uses: x\n  with: {v: 1}\n"), STEPS.format("- name: n\n  uses: x\n  with: {v: 1}\n", ""),
        STEPS.format("", ""), STEPS.format(MARKED.format("", "- name: n\n  uses: x\n  with: {v: 1}\n"), ""),
        f"{SILENT}`steps[name=n]`",
    ),
    "a key that both sides added, at two places": (
        KEYS, f"n:\n  x: 1\n{KEYS}", f"{KEYS}n: text\n", KEYS + MARKED.format("n: text\n", "n:\n  x: 1\n"),
        f"{SILENT}`n`",
    ),
    "an object to which equal lines lead the change of another one": (
        f"{X}---\n{Y}---\n# c\n", f"---\n# c\n{X}", f"{X}---\n{Y}  b: mine\n---\n# c\n",
        f"---\n# c\n{X}" + MARKED.format(f"---\n{Y}  b: mine\n", ""), "",
    ),
    "an object to which both sides gave another identity": (
        X, X.replace("ConfigMap", "U"), X.replace("ConfigMap", "L").replace("name: x", "name: l"),
        X.replace("kind: ConfigMap\n", MARKED.format("kind: L\n", "kind: U\n")).replace("name: x", "name: l"),
        "taken for one object by its content: origin v1/ConfigMap/x, update v1/U/x, local v1/L/l",
    ),
    "a document that one side emptied": (
        "---\n# c\nv: 1\n", "---\n# c\n", "---\n# c\nv: 2\n", "---\n# c\n" + MARKED.format("v: 2\n", ""), "",
    ),
    "a comment of which the other side takes away an equal one": (
        "a: 1 # six\nb: 1 # old\nc: 1\n", "a: 2 # five\nb: 2 # six\nc: 1\n", "a: 1 # six\nb: 2 # six\nc: 1\n",
        "a: 2 # five\nb: 2 # six\nc: 1\n", SOLVED,
    ),
    "a comment for which JSON has no place": (
        f"---\n{ONE.format('a')}", f"---\n# why\n---\n{ONE.format('a')}", f"---\n{ONE.format('b')}",
        "---\n" + MARKED.format(ONE.format("b"), f"# why\n---\n{ONE.format('a')}"), "",
    ),
    "blanks behind the line that starts a document": (
        f"# s\n---\n{A}", f"--- # t\n{B}# s\n---\n{A}", f"---   \n{A}", f"--- # t\n{B}# s\n---   \n{A}", SOLVED,
    ),
    "each deleted another key of a document, and one changed what is left": (
        "# c\na: 1\nb: 2\n", "# c\na: 1\n", "# c\nb: 3\n", "# c\n" + MARKED.format("b: 3\n", "{}\n"), "",
    ),
    "each deleted another element of a document, and one changed what is left": (
        "- a\n- b: 2\n  c: 3\n", "- b: 2\n  c: 4\n", "- a\n", MARKED.format("[]\n", "- b: 2\n  c: 4\n"), "",
    ),
    "both added an anchor of one name": (
        "a: 1\nb: 2\nc: 3\n",
        "a: &x 1\nb: 2\nc: *x\n",
        "a: 1\nb: &x 2\nc: 3\nd: *x\n",
        "a: 1\nb: &x 2\nc: 1\nd: *x\n",
        SOLVED,
    ),
    "an entry of few fields that one side renamed": (
        "- name: t\n  file:\n    mode: 1\n    path: p\n", "- name: t\n  builtin.file:\n    mode: 1\n    path: p\n",
        "- name: t\n  file:\n    path: p\n", "- name: t\n  builtin.file:\n    path: p\n", SOLVED,
    ),
    "a list of two that one side renamed": (
        "bases:\n- a\n- b\n", "resources:\n- a\n- b\n", "bases:\n- b\n", "resources:\n- b\n", SOLVED,
    ),
    "both added a value, update with an anchor": (
        "a: 1\n", "a: 1\nb: &x 2\nc: &y\n  z: 3\nd: [*x, *y]\n", "a: 1\nb: 2 # l\nc:\n  z: 3\n",
        "a: 1\nb: &x 2 # l\nc: &y\n  z: 3\nd: [*x, *y]\n", SOLVED,
    ),
    "a key that both renamed alike, and what is below it": (
        "job:\n  a: 1\n  b: 2\n  c: 3\nz: 0\n", "task:\n  a: 1\n  c: 3\nz: 0\n",
        "task:\n  a: 1\n  b: 2\n  c: 3 # x\nz: 0\n", "task:\n  a: 1\n  c: 3 # x\nz: 0\n", SOLVED,
    ),
    "a label deleted with its mapping, and renamed": (
        f"{ENTRY}  labels:\n    app: web\nspec: 1\n",
        f"{ENTRY}  labels:\n    app.kubernetes.io/name: web\nspec: 1\n",
        f"{ENTRY}spec: 1\n",
        ENTRY + MARKED.format("", "  labels:\n    app.kubernetes.io/name: web\n") + "spec: 1\n",
        "",
    ),
    "a label deleted with its mapping, and another one added": (
        f"{ENTRY}  labels:\n    app: web\nspec: 1\n",
        f"{ENTRY}  labels:\n    team: a\nspec: 1\n",
        f"{ENTRY}spec: 1\n",
        f"{ENTRY}  labels:\n    team: a\nspec: 1\n",
        SOLVED,
    ),
    "in brackets over several lines": (
        "args: [\n  a,\n  b,\n  c,\n]\n",
        "args: [\n  a,\n  u,\n  c,\n]\n",
        "args: [\n  a,\n  l,\n  c,\n]\n",
        "args: [\n  a,\n" + MARKED.format("  l,\n", "  u,\n") + "  c,\n]\n",
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_which_merge_is_the_result(case: str) -> None:
    *sides, expected, note = CASES[case]
    origin, update, local = (side.encode(errors="surrogateescape") for side in sides)
    texts = ThreeTexts(origin, update, local)
    result = cascade.merge(texts, "a.yaml", Labels(), line_merge.MARKER_SIZE)
    assert (result.text.decode(), result.note) == (expected, note)
    assert result.conflicts == expected.count("=======")


def test_the_labels_that_git_passes_are_taken() -> None:
    labels = line_merge.labels_of_a_merge("HEAD", "0a1b2c3", "feature")
    assert (labels.local, labels.origin, labels.update) == ("HEAD", "0a1b2c3", "feature")


def test_without_git_nothing_is_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LineMergeError, match=r"^git cannot be started: No such file or directory$"):
        line_merge.merge(ThreeTexts(b"", b"", b""), Labels(), line_merge.MARKER_SIZE)


def test_without_git_there_is_nothing_to_solve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from krm.commands import solve  # noqa: PLC0415 - as the command line imports it

    monkeypatch.setenv("PATH", str(tmp_path))
    assert solve.main(["solve", "--all"]) == 1
