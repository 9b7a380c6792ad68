"""Memory: which fields of a package show the templates in their comments, and which texts their names have now.

A field that shows its template is read as its author wrote it. A name without a value keeps the text that it has in the
field (docs/reference/runs-in-place.md, "What a name gets").
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

from krm import secrets, syntax
from krm.results import UNPLACED_TEMPLATE
from krm.template_comments import patterns, reading
from krm.template_comments.patterns import Pattern
from krm.template_comments.reading import TemplateComment
from krm.yamltree import nodes
from krm.yamltree.nodes import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import Result
    from krm.template_comments import VariableTexts
    from krm.template_comments.patterns import Reading, TextsByName

    Group: TypeAlias = tuple[int, tuple[str, ...], str]

OWNED_BY_OTHER = "OwnedByOther"
EDITED_BY_HAND = "EditedByHand"
AMBIGUOUS_TEXT = "AmbiguousText"
TEMPLATE_DOUBLED = "TemplateDoubled"

OWNED = (
    "another tool reads a comment of this field, and ours beside it would break that: the field stays as it is; remove "
    "one of the two comments, or expand it with `record: Never`"
)
_DOUBLED = (
    "elements of one list have the same template and different texts, as where a tool copies comments to new "
    "elements: {}; delete the comments that are not theirs"
)
_NOBODYS = "no text tells which of them it is of, so none is changed"
_GAP = "\0"  # no file has it


class TemplateField:
    """A field with a template in a comment: its text, the template, and how the text is read beside the template.

    `written` are the lines of the template of a literal block; any other template is one text. `substitute` is the
    template as a scalar of `source`, in place of the text for readers, None if the text does not match. `texts` has the
    text of each name, none if they are unclear. The field `is_open` if it has several readings. `matched` is the text
    without the lines that a block template lacks. The text `has_values`, final ones, if the kubelet does not expand it,
    else EnvVar text. It `has_reference_again` if one of the template is in it: `put_back` has those that are read as
    the text of their names. `unescaped` has each declared name whose `$$(NAME)` is `$(NAME)` in the text.
    """

    def __init__(
        self, comment: TemplateComment, place: Place, template: Scalar, text: str, *, has_values: bool
    ) -> None:
        self.comment = comment
        self.place = place
        self.template = template
        self.text = self.matched = text
        self.has_values = has_values
        self.substitute: Scalar | None = None
        self.source = comment.source
        self.texts: TextsByName = {}
        self._found: list[Reading] = []
        self.is_open = False
        self.written = [template.value] if comment.lines is None else comment.lines
        self.beside = patterns.MatchedText(place[-1], text, apart=comment.lines is not None)
        self.names = syntax.names("\n".join(self.written))
        self.unescaped = patterns.gone_escapes(self.written, text)
        put_back = {*syntax.names(text)} - self.unescaped
        self.put_back = {name: f"$({name})" for name in self.names if name in put_back}
        self.has_reference_again = bool(self.put_back)
        if not self.read({}):
            self.put_back = {}
            self.read({})

    def read(self, *known: TextsByName) -> bool:
        """Read the text with the texts of names that each source knows. True if it matches the template.

        A source under which only one reading is left decides. If two decide differently, the field stays open.
        """
        found = [readings for texts in known if (readings := self._readings(texts))]
        readings = [*chain.from_iterable([one for one in found if len(one) == 1] or found)]
        if readings:
            self._found, (numbers, texts) = readings, readings[0]
            self.is_open = any(one != readings[0] for one in readings)
            self.texts = {} if self.is_open else texts
            # Two readings of different lines: nobody knows which lines follow the template.
            if all(others == numbers for others, _ in readings):
                self.matched = "\n".join(self.beside.lines[number] for number in numbers)
                self.substitute = self.template
                if self.comment.lines is not None:
                    self.substitute, self.source = self.comment.literal(self.beside.template(numbers, self.written))
        return self.substitute is not None

    def settle(self, given: Collection[str]) -> None:
        """Take one of the readings if the names that are `given` a value have the same text at one place in all."""
        ways = []
        for _, texts in self._found:
            gaps = texts | dict.fromkeys(given, _GAP)
            around = [Pattern.of(line).filled(gaps).literals for line in self.written]
            ways.append((around, [texts.get(name) for name in given]))
        # Of a template with a repeated name not all readings are known.
        is_known = len({*self.names}) == len(self.names)
        if given and is_known and self.substitute is not None and all(one == ways[0] for one in ways):
            self.texts, self.is_open = self._found[0][1], False

    def _readings(self, known: TextsByName) -> list[Reading]:
        """Return the readings of the text: one, two if there are more, or none.

        A reference that somebody put back is the text of its name.
        """
        known = known | self.put_back
        given = {name: known[name] for name in self.names if name in known}
        found = next(self.beside.readings(self.written, known), [])
        return [(numbers, texts | given) for numbers, texts in found]

    @property
    def refers(self) -> bool:
        """True if the text of a name has a reference of its own."""
        return any(syntax.refers(text) for name, text in self.texts.items() if text != f"$({name})")

    def group(self, item: Resource) -> Group:
        """Return what fields with one template have in common that are at the same place in elements of one list."""
        return id(item), tuple("" if isinstance(step, int) else step for step in self.place), "\n".join(self.written)

    def leave(self) -> None:
        """Keep the text as it is: the field does not follow its template."""
        self.substitute, self.texts, self.is_open = None, {}, False


class Memory:
    """The templates in the comments of one item.

    `fields` are the fields whose text may differ from the template, by their places. `parts` are the fields of each
    comment, by its place. `results` are about the comments. The fields that are `followed` have a template from a
    functionConfig: True if the state has all that they show, and no comment is needed.
    The expansion of the item adds to `new_texts` the texts of the names of each field, and to `unread` each field that
    stays because the texts of its names are unclear.
    """

    def __init__(self) -> None:
        self.followed: dict[Place, bool] = {}
        self.comments: dict[Place, TemplateComment] = {}
        self.fields: dict[Place, TemplateField] = {}
        self.parts: dict[Place, list[TemplateField]] = {}
        self.results: list[Result] = []
        self.new_texts: dict[Place, TextsByName] = {}
        self.unread: list[Place] = []

    @classmethod
    def of(cls, item: Resource, is_expanded: Callable[[Place], bool] = lambda _: True) -> Memory:
        """Return the templates in the comments of an item, whatever it shows in the place of its texts."""
        memory, found = cls(), reading.templates(item.editor.text, item.editor.get(item.base))
        memory.comments = found.templates
        for place, problem, _ in found.unplaced:
            message = f"this comment is no template: {problem}; the field stays as it is"
            memory.results.append(item.notice(message, UNPLACED_TEMPLATE, *([place] if place else [])))
        memory.results += [item.notice(OWNED, OWNED_BY_OTHER, place) for place in found.of_others]
        shared = reading.places(item)
        for comment in found.templates.values():
            for place in shared.get(id(comment.node), [comment.place]):
                fields = _fields(comment, place, is_expanded)
                memory.fields |= {field.place: field for field in fields}
                memory.parts.setdefault(comment.place, []).extend(fields)
        return memory

    @property
    def substitutes(self) -> dict[Place, Scalar]:
        """The scalars with templates that readers get in place of the texts of fields."""
        return {place: field.substitute for place, field in self.fields.items() if field.substitute is not None}

    def follow(self, item: Resource, place: Place, template: Scalar, source: str, *, is_expanded: bool) -> None:
        """Let a field show the template of a functionConfig, a scalar of the text `source`."""
        self.followed[place] = True
        if place in self.fields:  # the field has a comment with its template, too
            return
        node = item.editor.get((*item.base, *place))
        assert isinstance(node, Scalar)  # noqa: S101 - a text in its place
        if place in item.secrets:  # it shows the template itself, and its comment will have the form of the field
            template, source = node, item.editor.text
        # As in a comment, there is no line behind the last line end.
        lines = Scalar(template.start, template.end, template.value.removesuffix("\n"), template.style, None, None)
        comment = TemplateComment(place, node, (0, 0), lines, source)
        field = TemplateField(comment, place, template, node.value, has_values=not is_expanded)
        # The template has the person's lines. So any further line is of a value that has several.
        if field.substitute is None or field.substitute.value != template.value:
            field.leave()
        field.substitute, field.source = template, source
        self.fields[place] = field

    def note(self, place: Place, known: dict[str, str], own: AbstractSet[str] = frozenset()) -> bool:
        """Note the texts that names get in a field. False if its text stays, since it cannot be read.

        The `own` names have their values from the container or from a Service: these are noted where they are new.
        """
        field = self.fields.get(place)
        # A text that is ambiguous is no new template, whatever references it has. It is told already.
        if field is not None and field.is_open and field.substitute is None:
            return False
        is_unclear = field is not None and field.substitute is not None and not field.texts
        if is_unclear and not known.keys() | self.fields[place].put_back.keys() >= {*self.fields[place].names}:
            self.unread.append(place)
            return False
        new = {name: text for name, text in known.items() if name not in own or text != self.present_text(place, name)}
        self.new_texts[place] = new
        return True

    def comment(self, place: Place) -> TemplateComment | None:
        """Return the comment of a field, or of the brackets around it."""
        field = self.fields.get(place)
        around = ([] if field is None else [field.comment.place]) + [place[:end] for end in range(len(place), 0, -1)]
        return next((self.comments[one] for one in around if one in self.comments), None)

    def present_text(self, place: Place, name: str) -> str | None:
        """Return the text that a field has now for a name of its template, None if it has none, or an unclear one."""
        field = self.fields.get(place)
        text = None if field is None else field.texts.get(name)
        return None if text == f"$({name})" else text


def _fields(comment: TemplateComment, place: Place, is_expanded: Callable[[Place], bool]) -> list[TemplateField]:
    """Return the fields of a comment whose entry is at `place`.

    An entry without the template's shape, with other keys, elements or literals, is one field that stays as it is.
    """
    found: list[TemplateField] = []
    rest, is_alike = dict(nodes.placed(comment.node, place)), True
    for at, template in nodes.placed(comment.template, place):
        there = rest.pop(at, None)
        if not (isinstance(template, Scalar) and isinstance(there, Scalar)):
            is_alike = is_alike and type(template) is type(there)
        elif not syntax.refers(template.value):
            is_alike = is_alike and (template.value, template.style == "") == (there.value, there.style == "")
        # In brackets, a leaf that is equal to its template is a field without one.
        elif template.value != there.value or at == place:
            found.append(TemplateField(comment, at, template, there.value, has_values=not is_expanded(at)))
    if is_alike and not rest:
        return found
    text = "\n".join(leaf.value or "" for leaf in nodes.leaves(comment.node))
    left = TemplateField(comment, place, Scalar(0, 0, comment.source, "", None, None), text, has_values=False)
    left.leave()
    return [left]


class RunMemories:
    """The memories of all items of a run. A text with several readings is read by the texts of other fields.

    `package_of` returns the package of an item.
    """

    def __init__(
        self, listed: Iterable[Resource], memories: dict[int, Memory], package_of: Callable[[Resource], str]
    ) -> None:
        self._items = [(item, memories[id(item)]) for item in listed if id(item) in memories]
        self._package_of = package_of
        self._groups: dict[tuple[str, str, bool], dict[str, Counter[Group]]] | None = None
        self._declared: dict[tuple[int, str], bool] = {}

    def decide(self, variables: VariableTexts) -> None:
        """Decide for each field whether it shows its template, by the values that this run gives."""
        fields = [(item, field) for item, memory in self._items for field in memory.fields.values()]
        opened = [(item, field) for item, field in fields if field.is_open]
        for _, field in opened:
            field.read(_given(field, variables))
        for _, field in fields:
            _leave_if_new(field, variables)
        # What is learnt from other fields is not used to learn more. Else a second run would know more than the first.
        seen = [(field, self._others(item, field, variables)) for item, field in opened if field.is_open or field.texts]
        for field, others in seen:
            field.read(_given(field, variables), others)
            # Elsewhere the container may give a name its text, and no reading knows that.
            if field.is_open and field.has_values:
                field.settle([name for name in field.names if name in variables])
            _leave_if_new(field, variables)
        for item, memory in self._items:
            left = [field for field in memory.fields.values() if field.substitute is None]
            memory.results += [result for field in left for result in unmatched(item, field, variables)]
            memory.results += self._doubled(item, memory, variables)
            item.show(memory.substitutes)

    def _others(self, item: Resource, field: TemplateField, variables: VariableTexts) -> TextsByName:
        """Return the text that other fields agree on for each name without a value, {} if they disagree about one."""
        found: TextsByName = {}
        for name in (one for one in field.names if one not in variables):
            own, alone = field.texts.get(name), {field.group(item): 1}
            texts = [text for text, of in self._all_texts(item, name, field).items() if text != own or of != alone]
            if len(texts) != 1:
                return {}
            found[name] = texts[0]
        return found

    def _all_texts(self, item: Resource, name: str, field: TemplateField) -> dict[str, Counter[Group]]:
        """Return the texts that a name has in the package, in the form of a field, and the groups that have each."""
        if self._declares(item, name) or name.endswith("_SERVICE_HOST") or "_SERVICE_PORT" in name:
            return {}
        if self._groups is None:
            self._groups = {}
            for other, memory in self._items:
                for one in memory.fields.values():
                    for of_name, text in one.texts.items():
                        if text != f"$({of_name})" and not self._declares(other, of_name):
                            key = self._package_of(other), of_name, one.has_values
                            self._groups.setdefault(key, {}).setdefault(text, Counter())[one.group(other)] += 1
        return self._groups.get((self._package_of(item), name, field.has_values), {})

    def _declares(self, item: Resource, name: str) -> bool:
        """True if a container of an item may declare a name. The whole text is searched, so the answer is kept."""
        key = id(item), name
        if key not in self._declared:
            self._declared[key] = any(map(item.spells, (f"name: {name}\n", f'name: "{name}"', f"name: {name},")))
        return self._declared[key]

    def _doubled(self, item: Resource, memory: Memory, variables: VariableTexts) -> list[Result]:
        """Let the fields stay to which a template may have been copied, and return the warnings about them."""
        # Orchestrators copy comments by position: a new sidecar gets the template of the container that was there.
        groups: dict[Group, list[TemplateField]] = {}
        for field in memory.fields.values():
            is_listed = any(isinstance(step, int) for step in field.place)
            if is_listed and field.substitute is not None and not field.has_reference_again:
                groups.setdefault(field.group(item), []).append(field)
        warnings = []
        for fields in groups.values():
            if len({field.matched for field in fields}) > 1 and any(name in variables for name in fields[0].names):
                own = dict.fromkeys(field.place for field in fields if self._is_own(item, field, variables))
                left = [field for field in fields if field.place not in own]
                for field in left:
                    field.leave()
                if left:
                    message = _DOUBLED.format("the others stay as they are" if own else _NOBODYS)
                    warnings.append(item.notice(message, TEMPLATE_DOUBLED, *(field.place for field in left), *own))
        return warnings

    def _is_own(self, item: Resource, field: TemplateField, variables: VariableTexts) -> bool:
        """True if a field has this run's value of a variable, or the same text as a field outside of its group."""
        for name in filter(variables.__contains__, field.texts):
            text = field.texts[name]
            groups = self._all_texts(item, name, field).get(text, {}).keys()
            if text == _value(variables, name, field) or not groups <= {field.group(item)}:
                return True
        return False


def _value(variables: VariableTexts, name: str, field: TemplateField) -> str:
    """Return the value of a variable in the form that the field has: final, or with its escapes."""
    text = variables.text(name)
    return syntax.value(text) if field.has_values else text


def _given(field: TemplateField, variables: VariableTexts) -> TextsByName:
    """Return the values of this run for the names of a field. An empty one is at every place, so it tells nothing."""
    return {name: value for name in field.names if name in variables and (value := _value(variables, name, field))}


def _leave_if_new(field: TemplateField, variables: VariableTexts) -> None:
    """Let a field leave its template if its text has a new reference: that makes it a new template."""
    for name, text in field.texts.items():
        live = syntax.names(text) if text != f"$({name})" else []
        if name in variables and text == _value(variables, name, field):
            continue
        # The old value of a secret may look like a reference, and a name without a value keeps its text, with any.
        is_gone = any(map(syntax.is_name, live)) and name in variables and not variables.may_be_secret(name)
        if is_gone or any(one in variables for one in live):
            field.leave()


def unmatched(item: Resource, field: TemplateField, variables: VariableTexts) -> Iterator[Result]:
    """Yield the warning about a text that does not follow its template, though this run has a value for it."""
    own = [] if field.is_open else syntax.names(field.text)
    # A text with a reference of its own is a new template, and this run expands it.
    if not any(name in variables for name in field.names) or any(name in variables for name in own):
        return
    shown = _quoted(item, field, variables)
    listed = ", ".join(f"`$({name})`" for name in dict.fromkeys(field.names))
    if field.is_open:
        message = (
            f"{shown} can be read in several ways beside the template in its comment, so it stays as it is; write the "
            f"reference there again, {listed}, and delete the comment"
        )
        yield item.notice(message, AMBIGUOUS_TEXT, field.place)
    else:
        # A text with a reference is not quoted: it may be the value of a secret that looks like one by chance.
        problem = f"{shown} is not what the template in its comment can become: it"
        if own:
            problem = "what stands here has a reference of its own, so it"
        elif field.comment.lines and not secrets.is_secret(item, field.place):
            line = field.beside.missing(field.written)
            problem = f"no line here can be what `{line}` of the template becomes, with the blanks ahead of it: it"
        stays = f"{problem} stays as it is, and does not follow {listed}"
        yield item.notice(f"{stays}; write it as the template says, or delete the comment", EDITED_BY_HAND, field.place)


def _quoted(item: Resource, field: TemplateField, variables: VariableTexts) -> str:
    """Return how a message names the text of a field: not by the text where that is, or may be, secret."""
    of_item = secrets.NamesOfSecrets([item])
    # Another run may have written the value of a Secret for a name that this run does not declare.
    is_secret = secrets.is_secret(item, field.place) or any(
        name not in variables or name in of_item or variables.may_be_secret(name) for name in field.names
    )
    return "what stands here" if is_secret or "\n" in field.text or not field.text else f"`{field.text}`"
