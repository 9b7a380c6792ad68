"""Current items: their fields have the values of this run already, as their text shows without a tree.

    - --region=eu # expand: --region=$(REGION)      is current while REGION is `eu`

A run does not change a current item and has no result about it, so a search of its text is enough. An item whose text
is not clear is not current: then a run reads the tree.
"""

from __future__ import annotations

import re
from functools import cache

from expand_vars.functionconfig import GROUP
from expand_vars.functionconfig.model import LOOKUP, VARIABLES
from krm.resource import FOR_TOOLS, KPTFILE
from krm.template_comments.reading import MARK, OF_OTHERS, is_owned
from krm.workloads import is_among, names_of_controllers
from krm.yamltree import lines, scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.history import History
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.config import Config
    from krm.resource import Resource

_REFERENCE = re.compile(r"\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)")
_HEAD = re.compile(r" *(?:- +)?(?:([\w./-]+): +)?")
_COMMENT = re.compile(r"[ \t]+#")
_VALUE = re.compile(r"""value['"]?:[ ]*([^\s,}]*)""")
# With one of these words, only a tree shows if the item may change, which values it gets, and what is secret.
_UNTOLD = ("\\", "envFrom", "local-config", KPTFILE, "Secret", GROUP)


class Current:
    """The current items of a run, found one by one. There are none if the functionConfig has more than variables."""

    def __init__(self, config: Config, variables: Variables) -> None:
        self._found: dict[int, list[str]] = {}
        self._variables = variables
        self._is_asked = (
            config.record != "Never"
            and config.lookup == LOOKUP
            and VARIABLES in config.inline
            and all(target.preset for target in config.targets)
            and not (config.selectors or config.exclude or config.runtime_names or config.kustomize_vars)
        )
        self._ref = () if config.ref is None else (config.ref.kind,)
        self._values: dict[str, str] = {}
        self._spelled: dict[str, str] = {}

    def __contains__(self, item: Resource) -> bool:
        """True if `take` has found an item to be current."""
        return id(item) in self._found

    def take(self, item: Resource, text: str | None) -> bool:
        """True if the `text` of an item shows that it is current. None is an unknown text."""
        is_alone = item.outer is None and item.pending is None
        names = None if text is None or not (self._is_asked and is_alone) else self._names_in(text)
        if names:
            self._found[id(item)] = names
        return bool(names)

    def note(self, item: Resource, history: History) -> None:
        """Note in the history that the fields of an item keep the values of the variables."""
        for name in self._found[id(item)]:
            text = self._variables.use(name)
            history.change(name, item, (), text, text, is_secret=False)

    def _names_in(self, text: str) -> list[str] | None:
        """Return the names in the templates of a current item, by its text. None if it is not current."""
        if any(map(text.__contains__, (*_UNTOLD, *self._ref))):
            return None
        templates: list[str] = []
        position = text.find(MARK)
        while position >= 0:
            end = lines.line_end(text, position)
            start = lines.line_start(text, position)
            templates.append(text[position + len(MARK) : end].strip(" \t"))
            # A comment above a line may be for brackets, which only a tree shows.
            is_one = self._stands(text[start:position].rstrip(" \t"), templates[-1])
            if not is_one or is_owned(text, lines.past_blanks(text, start)):
                return None
            position = text.find(MARK, end)
        names = [name for one in templates for name in dict.fromkeys(_REFERENCE.findall(one))]
        if text.count("$") != sum(one.count("$") for one in templates) or _has_refused_value(text):
            return None
        if any(text.count(name) != sum(one.count(name) for one in templates) for name in {*names}):
            return None  # a container may declare it
        return names if lines.odd_break(text) is None and _plainly().fullmatch(f"{text}\n") else None

    def _stands(self, written: str, template: str) -> bool:
        """True if a line has, behind its key or dash, the text that this run makes from its template."""
        head = _HEAD.match(written)
        assert head is not None, "it matches the empty text"  # noqa: S101 - for mypy
        spelled, value = self.spelled(template), written[head.end() :]
        if not spelled or (head[1] or "").startswith(FOR_TOOLS) or not value.startswith(spelled):
            return False
        behind = value[len(spelled) :]
        return not behind or (_COMMENT.match(behind) is not None and OF_OTHERS.search(behind) is None)

    def spelled(self, template: str) -> str:
        """Return a template with its values, as this run writes it. Empty if this depends on the field."""
        if template not in self._spelled:
            style = template[0] if template[:1] in ("'", '"') else ""
            inside = template[1:-1] if style else template
            text = self._filled(inside)
            is_plain = scalars.fits_plain(template, flow=False)
            is_told = template[-1] == style and style not in inside if style else is_plain
            made = scalars.leaf(text, flow=False, style=style) if text and is_told else ""
            # One reference alone may take the type of its value. A field with this text has a type, and keeps it.
            is_one = not style and _REFERENCE.fullmatch(inside) and scalars.is_json_value(text)
            self._spelled[template] = text if is_one else made
        return self._spelled[template]

    def _filled(self, template: str) -> str:
        """Return a template with values in the place of its references, empty if a value is not known."""
        names = _REFERENCE.findall(template)
        if not names or len(names) != template.count("$") or not all(map(self._is_known, names)):
            return ""
        return _REFERENCE.sub(lambda reference: self._values[reference[1]], template)

    def _is_known(self, name: str) -> bool:
        """True if every container that does not declare a name gets the same text for it, unchanged."""
        variables = self._variables
        if name not in self._values and name in variables and not variables.is_secret(name):
            text = variables.text(name)
            if text and text.isprintable() and not {"$", "\\"} & {*text} and not is_among(name, names_of_controllers()):
                self._values[name] = text
        return name in self._values


def _has_refused_value(text: str) -> bool:
    """True if an entry of `env` may have a value that the API refuses. Each run reports such a value."""
    values = _VALUE.findall(text)
    if any(not one or one[0] in "[{|>&*!" or (one[0] not in "'\"" and scalars.is_typed(one)) for one in values):
        return True
    # Two keys of one element have no dash between them.
    return "valueFrom" in text and any("valueFrom" in one and "value:" in one for one in re.split(r"\n *- ", text))


@cache
def _plainly() -> re.Pattern[str]:
    """Return the pattern of lines that each have a whole entry or element."""
    # So the text behind a key or a dash is the whole value, and what looks like a comment is one. No line of a block
    # scalar has the mark.
    quoted = r""""[^"\\\n]*+"|(?:'[^'\n]*+')++"""
    inside = flow = rf"""(?:[^\[\]{{}}'"#\r\n]|{quoted})*+"""
    for _ in range(3):
        flow = rf"{inside}(?:[\[{{]{flow}[\]}}]{inside})*+"
    plain = r"""(?:[^\s\[\]{}'"|>&*!%@`#,?:-]|[-?:](?=\S))(?:[^\r\n#:]|(?<!\s)#|:(?=\S))*+(?!\s*\n(?P=margin) ++-)"""
    block = rf"[|>][-+0-9]*+ *+(?:#[^\n]*+)?+(?:\r?\n(?: *+(?=\r?\n)|(?P=margin) (?![^\n]*?{MARK})[^\n]*+))*+"
    key = rf"(?:[\w./-]++|{quoted}):(?=\s) *+"
    value = rf"(?:{block}|{plain}|{quoted}|[\[{{]{flow}[\]}}])?+"
    entry = rf"(?:(?:-(?: ++|(?=\r?\n)))++(?:{key})?+|{key}){value}"
    return re.compile(rf"(?:(?P<margin> *+)(?:---(?=\s)|{entry})?+[ \t]*+(?:(?<!\S)#[^\n]*+)?+\r?\n)*+")
