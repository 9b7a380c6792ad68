"""Items whose fields show the values of this run already: their text tells, and nobody builds a tree of them.

    - --region=eu # expand: --region=$(REGION)      is current while REGION is `eu`

A run changes nothing in such an item and has nothing to say of it, so it costs a search of its text. Whatever is not
certain is left to the tree: an item of which the text tells less than that is not current.
"""

from __future__ import annotations

import re
from functools import cache

from expand_vars.functionconfig import GROUP
from expand_vars.functionconfig.model import LOOKUP, VARIABLES
from krm.references.comments import MARK, is_of_others, is_owned_above
from krm.resource import BOOKKEEPING
from krm.workloads import is_among, names_of_controllers
from krm.yamltree import lines, scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.history import History
    from expand_vars.functionconfig.config import Config
    from krm.references import Variables
    from krm.resource import Resource

_REFERENCE = re.compile(r"\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)")
_HEAD = re.compile(r" *(?:- +)?(?:([\w./-]+): +)?")
_COMMENT = re.compile(r"[ \t]+#")
_VALUE = re.compile(r"""value['"]?:[ ]*([^\s,}]*)""")
# What such a text is about, only a tree tells: whether the item may change, who gives it its values, what is secret.
_UNTOLD = ("\\", "envFrom", "local-config", "Kptfile", "Secret", GROUP)


class Current:
    """The items of a run that are current, found one by one. It has none where a functionConfig asks for more."""

    __slots__ = ("_found", "_is_asked", "_ref", "_spelled", "_values", "_variables")

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
        """True if an item was found to be current."""
        return id(item) in self._found

    def take(self, item: Resource, text: str | None) -> bool:
        """Find out if an item is current, by its `text`, None where nobody knows it. False if nobody can tell."""
        is_alone = item.outer is None and item.pending is None
        names = None if text is None or not (self._is_asked and is_alone) else self._names_in(text)
        if names:
            self._found[id(item)] = names
        return bool(names)

    def note(self, item: Resource, history: History) -> None:
        """Note that the fields of an item have the values of the variables, as they had before."""
        for name in self._found[id(item)]:
            text = self._variables.use(name)
            history.change(name, item, (), text, text, is_secret=False)

    def _names_in(self, text: str) -> list[str] | None:
        """Return the names in the templates of the text of an item that is current, None for one that is not."""
        if any(map(text.__contains__, (*_UNTOLD, *self._ref))):
            return None
        templates: list[str] = []
        position = text.find(MARK)
        while position >= 0:
            end = lines.line_end(text, position)
            start = lines.line_start(text, position)
            templates.append(text[position + len(MARK) : end].strip(" \t"))
            # A comment above a line is that of brackets, which only a tree can tell.
            is_one = self._stands(text[start:position].rstrip(" \t"), templates[-1])
            if not is_one or is_owned_above(text, lines.past_blanks(text, start)):
                return None
            position = text.find(MARK, end)
        names = [name for one in templates for name in dict.fromkeys(_REFERENCE.findall(one))]
        if text.count("$") != sum(one.count("$") for one in templates) or _has_refused_value(text):
            return None
        if any(text.count(name) != sum(one.count(name) for one in templates) for name in {*names}):
            return None  # a container may declare it
        return names if lines.odd_break(text) is None and _plainly().fullmatch(f"{text}\n") else None

    def _stands(self, written: str, template: str) -> bool:
        """True if a line has, behind its key or dash, the text that this run makes of its template."""
        head = _HEAD.match(written)
        assert head is not None, "it matches the empty text"  # noqa: S101 - for mypy
        spelled, value = self.spelled(template), written[head.end() :]
        if not spelled or (head[1] or "").startswith(BOOKKEEPING) or not value.startswith(spelled):
            return False
        behind = value[len(spelled) :]
        return not behind or (_COMMENT.match(behind) is not None and not is_of_others(behind))

    def spelled(self, template: str) -> str:
        """Return how this run writes what it makes of a template, nothing where only the field can tell."""
        if template not in self._spelled:
            style = template[0] if template[:1] in ("'", '"') else ""
            inside = template[1:-1] if style else template
            text = self._filled(inside)
            is_plain = scalars.fits_plain(template, flow=False)
            is_told = template[-1] == style and style not in inside if style else is_plain
            made = scalars.leaf(text, flow=False, style=style) if text and is_told else ""
            # One reference alone takes the type of its value, or not: what has that text already keeps its type.
            is_one = not style and _REFERENCE.fullmatch(inside) and scalars.is_json_value(text)
            self._spelled[template] = text if is_one else made
        return self._spelled[template]

    def _filled(self, template: str) -> str:
        """Return a template with values in the place of its references, nothing if one has none that is known."""
        names = _REFERENCE.findall(template)
        if not names or len(names) != template.count("$") or not all(map(self._is_known, names)):
            return ""
        return _REFERENCE.sub(lambda reference: self._values[reference[1]], template)

    def _is_known(self, name: str) -> bool:
        """True if every container that does not declare a name gets the same text for it, and as it stands."""
        variables = self._variables
        if name not in self._values and name in variables and not variables.is_secret(name):
            text = variables.text(name)
            if text and text.isprintable() and not {"$", "\\"} & {*text} and not is_among(name, names_of_controllers()):
                self._values[name] = text
        return name in self._values


def _has_refused_value(text: str) -> bool:
    """True if an entry of `env` may have a value that the API refuses, which each run says again."""
    values = _VALUE.findall(text)
    if any(not one or one[0] in "[{|>&*!" or (one[0] not in "'\"" and scalars.is_typed(one)) for one in values):
        return True
    # Of two keys of one element the second stands before the next dash.
    return "valueFrom" in text and any("valueFrom" in one and "value:" in one for one in re.split(r"\n *- ", text))


@cache
def _plainly() -> re.Pattern[str]:
    """Return the pattern of lines that are each an entry or an element of its own, with nothing open at its end."""
    # So the text behind a key or a dash is all of the value, and what looks like a comment is one. Of the lines of a
    # block of text none has the mark.
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
