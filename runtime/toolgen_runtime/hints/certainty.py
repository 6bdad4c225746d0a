"""Decide whether an edit is certain. If it is, a hint tells the model to make it, and `repair` makes it.

The list of rules is closed: if no rule in `RULES` allows an edit, the hint asks about it, whichever strategy proposed
it. No rule moves a value from one object to another, and no rule relies on the possible meaning of an English name.
docs/hints.md describes the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgen_runtime.hints.edits import Edit, Op, last_key
from toolgen_runtime.hints.names import (
    TOOL_NAMES,
    WRAPPERS,
    holds_free_text,
    names_secret,
    word_set,
    words_of,
)
from toolgen_runtime.hints.same_spelling import same_value, same_words
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import is_one_of
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING

if TYPE_CHECKING:
    from toolgen_runtime.hints.problems import Call

_LABELS = {"type": ("function", "tool_use", "tool_call", "function_call"), "method": ("tools/call",)}
_ID_KEYS = ("id", "call_id", "tool_call_id")
LABELS = frozenset((*_LABELS, *TOOL_NAMES, *_ID_KEYS, "jsonrpc", "server", "server_name", "recipient_name"))
"""Keys among the arguments that may name the called tool or the call."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?:Z|:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))")
"""Matches a date and time with its zone. In `10:00-11:00`, without seconds, the zone can be the end of a time span."""
_WORD = re.compile(r"[^\W\d_][\w.@-]*|https?://[\w./?=%~:-]+[\w/]", re.ASCII)
"""Matches a text that is a single item: a name, an email address or a URL."""
_RANGE = re.compile(r"\d[-_][A-Za-z]*\d|\.\.")
"""Matches what may be a range or a pair: `A1-A9`, `A1_A2`, `a..z`."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_IDS_SAID = re.compile(r"\b(?:id|number|key|code|symbol)s?\b", re.IGNORECASE)
"""Matches a description that says that the items of a list are ids."""
_OTHER_ID_SAID = re.compile(
    r"digit|zero|character|\b0[0-9]+|uuid|e-?mail|iban|prefix|(?:begin|start)s? with|[a-z][-_:][0-9]",
    re.IGNORECASE,
)
"""Matches a description that says how an id is written, other than as a plain number."""
_THOUSANDS = re.compile(r"(?<![\d.])[1-9]\d{0,2}\.\d{3}(?!\d)")
"""Matches a number whose point may separate thousands, as in `12.345`."""
_FULL_NAME = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+")
"""Matches the name of one person or band."""
_REST_OF_TAG = re.compile(r"\" (\w+)=\"(?:json|string|number|integer|boolean|array|object|text)\Z")
"""Matches what is left of a tag's attribute that says how a value is written: `floors" mode="json`."""
_ABSENCE = re.compile(
    r"\b(?:if|when|unless|where)\s+(?:it is |they are |this is )?(?:not|missing|left|unset|empty|null|none)"
    r"|omit|absen|default|otherwise|unlimited|never|\ball\b|\bevery",
    re.IGNORECASE,
)
"""Matches a description that may say what a missing value means."""
_TEXT_OF_JSON = re.compile(
    r"json|serialized|stringified|encoded|delimited|separated|newline|body|content|markdown|text",
    re.IGNORECASE,
)
_CLASS = re.compile(
    r"[A-Za-z][a-z]{2,}[^siu\W]s|[A-Z]?[a-z]*men|children|[a-z]{2,}(?:ed|ing)|un[a-z]{3,}|non-[a-z]+"
)
"""Matches a word for a class of items or a state: `spammers`, `merged`, but not `news-1`, `status` or `Paris`."""
_NOT_ONE = word_set(
    "all any none nothing nobody everyone everybody everything each every anyone anybody anything someone"
    " somebody something both either neither other rest default auto true false yes no null nil undefined na same"
    " ditto unknown tbd self me us them you it this that these those here there various several many few more some"
    " empty never only except not result output response prev previous returned above from name item value element"
    " case record entry data list array input row number object variable string xxx your my old oldest new newest"
    " latest last first next recent pending stale active inactive former current open closed mon tue wed thu fri"
    " sat sun monday tuesday wednesday thursday friday saturday sunday daily weekly monthly yearly hourly weekday"
    " weekend today tomorrow yesterday now team group staff crew people person child kid parent family couple"
    " member clear remove unset reset delete keep unchanged existing original inherit inherited unassigned"
    " unassign unlabel drop omit disable detach purge wipe discard skip add and or but with without minus plus ex"
    " most half remaining online banned selected board management council hr worldwide global later tba sender"
    " author owner whoever myself yourself him her his tutti alle todo tout tous wszystkie keine aucun ninguno"
    " niemand nadie personne"
)
"""Words that are not a single item: they select or count items, mean none, or refer to something else."""


class Step(NamedTuple):
    """One edit, with everything that the rules need to know about it."""

    edit: Edit
    before: Any
    """The value at the edit's path before the edit."""
    after: Any
    """The value there after the edit."""
    node: SchemaNode
    """The node of the value."""
    around: SchemaNode
    """The node of the object or list that contains the value."""
    call: Call

    @property
    def name(self) -> str:
        """The last key of the edit's path."""
        return last_key(self.edit.path)

    @property
    def target(self) -> str:
        """The last key of `to`: the field that a key is renamed to, or the innermost wrapper."""
        return last_key(self.edit.to or ())

    @property
    def description(self) -> str:
        """The description of the value's schema."""
        text: str = self.node.first("description", str) or ""
        return text

    def is_secret(self) -> bool:
        """Return whether the edited value is secret, by its schema or by its key."""
        return self.node.secret or names_secret(self.name)


def rule_of(edit: Edit, before: Any, after: Any, node: SchemaNode, around: SchemaNode, call: Call) -> str:
    """Return the name of the rule that makes an edit certain (see `Change`); an empty string if there is
    none.
    """
    step = Step(edit, before, after, node, around, call)
    change = next((change for change, allows in RULES[edit.op] if allows(step)), "")
    if change and isinstance(before, list) and not isinstance(after, list):
        return "unwrapped"
    return change


def is_id(name: str) -> bool:
    """Return whether a field or key holds an id, judging by its name."""
    return words_of(name)[-1:] == ("id",)


def _json_text(step: Step) -> bool:
    text, value = step.before, step.after
    if not isinstance(text, str) or not isinstance(value, (dict, list)):
        return False
    if any(isinstance(item, str) and item and not any(map(str.isalnum, item)) for item in value):
        return False  # `["a", "..."]` leaves out items
    start = text.strip()[:1]
    if isinstance(value, list) and start == "{":
        return _is_item_as_text(step, text, value)
    return start in ("{", "[", "<", "`")  # alone, in tags or in a fence


def _is_item_as_text(step: Step, text: str, value: list[Any]) -> bool:
    """Return whether JSON text of an object certainly stands for a list: that under its own name, or of this object."""
    from toolgen_runtime.hints.malformed.json_in_fields import read_field

    inner = read_field(text, ["object"]).value
    if not isinstance(inner, dict):
        return False
    if [*inner] == [step.name] and isinstance(inner[step.name], list):
        return step.name not in step.node.child(ANY_ITEM).properties
    # A record with an id may be one of several, of which the others are lacking.
    return value == [inner] and not any(map(is_id, inner)) and _item_for_list(step._replace(before=inner))


def _boolean_text(step: Step) -> bool:
    text, written = step.before, str(step.after is True)
    if not isinstance(text, str) or type(step.after) is not bool:
        return False
    return text.strip() in (written, written.lower(), written.upper())


def _number_text(step: Step) -> bool:
    """Return whether a string is a number as JSON writes it, or several with a comma and a space between them.

    Several must have a decimal point: in `3, 14` the comma may be a decimal comma.
    """
    text, value = step.before, step.after
    if not isinstance(text, str) or step.node.allowed or _THOUSANDS.search(text):
        return False
    if isinstance(value, list) and all(type(each) is float for each in value):
        written = ", ".join(map(repr, value))
    elif type(value) in (int, float):
        written = repr(value)
    else:
        return False
    return text.strip() == written and "e" not in written


def _id_number(step: Step) -> bool:
    node, number = step.node, step.before
    if type(number) is not int or number <= 0 or step.after != str(number):
        return False
    if not is_id(step.name) or node.types != ("string",):
        return False
    if any(node.first(word, object) is not None for word in ("pattern", "minLength", "format")):
        return False
    if any(not str(each).isdigit() or str(each)[:1] == "0" for each in node.suggestions):
        return False
    return not _OTHER_ID_SAID.search(step.description)


def _allowed_value(step: Step) -> bool:
    got, value, allowed = step.before, step.after, step.node.allowed
    if isinstance(got, list) and len(got) == 1:
        got = got[0]
    if not is_one_of(value, allowed):
        return False
    if int in (type(got), type(value)):
        return str(got).strip() == str(value)
    if not isinstance(got, str) or not isinstance(value, str):
        return False
    return got == value or same_value(got, value, allowed)


def _trimmed(step: Step) -> bool:
    got, value = step.before, step.after
    if not isinstance(got, str) or step.is_secret() or value not in (got.strip(), got.strip().strip('"')):
        return False
    return any(map(str.isalnum, value))  # the spaces around a sign may be part of it


def _moment(step: Step) -> bool:
    is_time = isinstance(step.before, str) and step.node.first("format", str) == "date-time"
    return is_time and _MOMENT.fullmatch(step.before.strip()) is not None


def _default(step: Step) -> bool:
    """Return whether a missing field gets the default from its schema."""
    return step.before is MISSING and any(raw.get("default", MISSING) == step.after for raw in step.node.raws)


def _key(step: Step) -> bool:
    """Return whether two keys differ only in spelling.

    The differences may be case, separators, underscores at either end, and the remains of a tag's attribute.
    """
    key, name = step.name, step.target
    if key.startswith("_") and (holds_free_text(name) or name not in step.around.required):
        return False  # a key such as `_comment` may be meant for nobody
    rest = _REST_OF_TAG.search(key)
    if rest is not None:
        sent = step.call.locate(step.edit.path[:-1]).value
        if rest[1] not in step.around.properties or rest[1] in sent:
            key = key[: rest.start()]  # otherwise, `mode` may be meant as a field
    return same_words(key.strip("_"), name.strip("_"))


def _plural_of_one(step: Step) -> bool:
    """Return whether a key is the plural of a field that takes one name, and its value is one name.

    Two names look the same as one with a surname. But a call that has a list in another field would have one here, too.
    """
    value = step.before
    if step.name != f"{step.target}s" or step.node.types != ("string",) or not isinstance(value, str):
        return False
    if "name" not in words_of(step.description) or _FULL_NAME.fullmatch(value) is None or _is_vague(value):
        return False
    sent = step.call.locate(step.edit.path[:-1]).value
    return any(isinstance(other, list) for other in sent.values())


def _is_vague(text: str) -> bool:
    """Return whether a text may stand for several items, for none, or for something else."""
    return not _NOT_ONE.isdisjoint(words_of(text)) or any(map(_CLASS.fullmatch, text.split()))


def _item_for_list(step: Step) -> bool:
    value, item = step.before, step.node.child(ANY_ITEM)
    if step.edit.to is not None:
        return False  # a wrapper for arguments
    if isinstance(value, dict):
        return len(value) > 1 and value.keys() <= item.properties.keys() and item.required <= value.keys()
    if type(value) is int:
        sent = step.call.locate(step.edit.path[:-1]).value
        if isinstance(sent, dict) and [*sent.values()].count(value) > 1:
            return False  # it may count the items: `{"ids": 100, "limit": 100}`
        return value >= 0 and is_id(step.name)
    return isinstance(value, str) and (value in item.allowed or _is_one(value, step, item))


def _is_one(text: str, step: Step, item: SchemaNode) -> bool:
    """Return whether a string is certainly a single item of a list.

    It is not if it may stand for several items, for none, or for the result of another call. In a list of ids, the
    string must look like an id.
    """
    name, described = step.name, f"{step.description} {item.first('description', str)}"
    if _WORD.fullmatch(text) is None or _is_vague(text) or names_secret(name):
        return False
    if _RANGE.search(text) and not _UUID.fullmatch(text):
        return False
    if not {*words_of(name)}.isdisjoint(words_of(text)):
        return False
    has_ids = is_id(name) or _IDS_SAID.search(described)
    return not has_ids or text.isupper() or any(char.isdigit() or char == "@" for char in text)


def _list_for_item(step: Step) -> bool:
    value, node = step.after, step.node
    if step.before != [value] or step.is_secret():
        return False
    if isinstance(value, dict):
        # It may be a pair of a map, `[{"key": "a", "value": 1}]`, or the content of the object that was meant.
        return value.keys() <= node.properties.keys() and not _takes_itself(node, value)
    # A free text may be meant as it is: `["x"]` in a file.
    return not isinstance(value, str) or not (
        holds_free_text(step.name) or _TEXT_OF_JSON.search(f"{step.name} {step.description}")
    )


def _takes_itself(node: SchemaNode, value: dict[str, Any]) -> bool:
    """Return whether a list inside the object accepts the same object as an item."""
    inner = map(node.child, node.properties)
    return any("array" in c.types and value.keys() <= c.child(ANY_ITEM).properties.keys() for c in inner)


def _named_list(step: Step) -> bool:
    # Another key may say something about the values: `{"list": [...]}`, `{"except": [...]}`.
    return isinstance(step.before, dict) and [*step.before] == ["items"] and isinstance(step.after, list)


def _wrapper(step: Step) -> bool:
    value, to, declared, tool = step.before, step.edit.to or (), step.node.properties, step.call.tool
    names: set[Any] = {*WRAPPERS, tool} - {""}
    if step.edit.path:
        names &= {step.edit.path[-1]}  # inside the arguments, a wrapper can only be doubled
    for key in to:
        if key not in names:
            return False
        for other, label in value.items():
            if other in declared or (other != key and not _is_label(other, label, tool)):
                return False
        value = value[key]
    return to != ()


def _is_label(key: Any, value: Any, tool: str) -> bool:
    """Return whether a key next to the arguments only gives the name of the tool or the id of the call."""
    if not isinstance(value, str):
        return False
    if key in TOOL_NAMES and value == tool:
        return tool != ""
    return value in _LABELS.get(key, ()) or (key in _ID_KEYS and value.startswith(("call", "toolu")))


def _missing_wrapper(step: Step) -> bool:
    name = step.target
    if step.edit.path or name not in WRAPPERS or [*step.node.properties] != [name]:
        return False
    inner = step.node.child(name)
    if any(_is_label(key, value, step.call.tool) for key, value in step.before.items()):
        return False  # `{"name": "delete_vm"}` may name the tool that is called
    return inner.types == ("object",) and step.before.keys() <= inner.properties.keys()


def _null(step: Step) -> bool:
    """Return whether null means "no value" for an optional field. Under an unknown key, it may be a
    condition.
    """
    is_optional = step.name in step.around.properties and step.name not in step.around.required
    is_omitted = step.before is None and step.call.omits_null and is_optional
    return is_omitted and not _ABSENCE.search(step.description)


RULES: dict[Op, tuple[tuple[str, Callable[[Step], bool]], ...]] = {
    "set": (
        ("parsed", _json_text),
        ("parsed", _boolean_text),
        ("parsed", _number_text),
        ("text", _id_number),
        ("spelling", _allowed_value),
        ("spelling", _trimmed),
        ("spelling", _moment),
        ("default", _default),
    ),
    "rename": (("key", _key), ("key", _plural_of_one)),
    "move": (),
    "wrap": (("wrapped", _item_for_list), ("moved", _missing_wrapper)),
    "unwrap": (
        ("unwrapped", _list_for_item),
        ("unwrapped", _named_list),
        ("moved", _wrapper),
    ),
    "remove": (("dropped", _null),),
}
"""The rules for each kind of edit: the name that a repair records, and the condition."""
