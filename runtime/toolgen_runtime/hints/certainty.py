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
    negates,
    word_set,
    words_of,
)
from toolgen_runtime.hints.same_spelling import same_value, same_words
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, key_text

if TYPE_CHECKING:
    from toolgen_runtime.hints.problems import Call

_LABELS = {"type": ("function", "tool_use", "tool_call", "function_call"), "method": ("tools/call",)}
_ID_KEYS = ("id", "call_id", "tool_call_id")
LABELS = frozenset((*_LABELS, *TOOL_NAMES, *_ID_KEYS, "jsonrpc", "server", "server_name", "recipient_name"))
"""Keys among the arguments that may name the called tool or the call."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)")
_WORD = re.compile(r"[^\W\d_][\w.@-]*|https?://[\w./?=%~:-]+[\w/]", re.ASCII)
"""Matches a text that is a single item: a name, an email address or a URL."""
_RANGE = re.compile(r"[A-Za-z]*\d+[-_][A-Za-z]*\d+")
"""Matches what may be a range or a pair: `A1-A9`, `A1_A2`."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DIGITS_SAID = re.compile(r"digit|zero|character|\b0[0-9]+", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<![\d.])[1-9]\d{0,2}\.\d{3}(?!\d)")
"""Matches a number whose point may separate thousands, as in `12.345`."""
_NUMBERS = re.compile(r"-?\d+\.\d+(?:, -?\d+\.\d+)+")
"""Matches numbers between which a comma can only separate: in `3, 14` it may be a decimal comma."""
_FULL_NAME = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+")
"""Matches the name of one person or band."""
_REST_OF_TAG = re.compile(r"\" (\w+)=\"(?:json|string|number|integer|boolean|array|object|text)")
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
_PLURAL = re.compile(r"[A-Za-z][a-z]{2,}[^siu\W]s|[A-Z]?[a-z]*men|children")
"""Matches a word that names a class of items: `spammers`, but not `news-1`, `status` or `Paris`."""
_NOT_ONE = word_set(
    "all any none nothing nobody everyone everybody everything each every anyone anybody anything someone somebody"
    " something both either neither other rest default auto true false yes no null nil undefined na same ditto"
    " unknown tbd self me us them you it this that these those here there various several many few more some"
    " empty never only except not result output response prev previous returned above from name item value"
    " element case record entry data list array input row number object variable string xxx your my"
    " old oldest new newest latest last first next recent pending stale active inactive former current open closed"
    " mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday"
    " daily weekly monthly yearly hourly weekday weekend today tomorrow yesterday now"
    " team group staff crew people person child kid parent family couple member"
    " clear remove unset reset delete keep unchanged existing original inherit inherited unassigned unassign unlabel"
    " drop omit disable detach purge wipe discard skip add and or but with without minus plus ex most half remaining"
    " online banned selected board management council hr worldwide global later tba"
    " sender author owner whoever myself yourself him her his"
    " tutti alle todo tout tous wszystkie keine aucun ninguno niemand nadie personne"
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
    is_unwrapped = change and isinstance(before, list) and not isinstance(after, list)
    if is_unwrapped:
        return "unwrapped"
    return change


def _json_text(step: Step) -> bool:
    text, value = step.before, step.after
    if isinstance(text, list) and len(text) == 1 and isinstance(value, list):
        text = text[0]
    if not isinstance(text, str) or not isinstance(value, (dict, list)):
        return False
    if isinstance(value, list) and "object" not in step.node.types and text.strip()[:1] == "{":
        return _is_item_as_text(step, text, value)
    is_json = text.strip()[:1] in ("{", "[", "<", "`")  # alone, in tags or in a fence
    return admits(step.node.types, json_type(value)) and is_json


def _is_item_as_text(step: Step, text: str, value: list[Any]) -> bool:
    """Return whether JSON text of one object certainly stands for a list that contains this object."""
    from toolgen_runtime.hints.malformed.json_in_fields import read_field

    inner = read_field(text, ["object"]).value
    if not isinstance(inner, dict):
        return False
    name = step.name
    if inner.keys() == {name} and isinstance(inner[name], list):
        return name not in step.node.child(ANY_ITEM).properties
    if any(words_of(key)[-1:] == ("id",) for key in inner):
        return False  # a record of a list whose other records may be lacking
    return value == [inner] and _item_for_list(step._replace(before=inner))


def _scalar_text(step: Step) -> bool:
    text, value, written = step.before, step.after, repr(step.after)
    if not isinstance(text, str) or type(value) not in (bool, int, float) or _THOUSANDS.search(text):
        return False
    if type(value) is bool:
        return text.strip() in (written, written.lower(), written.upper())
    return not step.node.allowed and text.strip() == written and "e" not in written


def _id_number(step: Step) -> bool:
    node, digits = step.node, str(step.before)
    if type(step.before) is not int or step.before <= 0 or step.after != digits:
        return False
    if words_of(step.name)[-1:] != ("id",) or node.types != ("string",):
        return False
    if any(node.first(word, object) is not None for word in ("pattern", "minLength", "format")):
        return False
    is_padded = any(isinstance(v, str) and v.isdigit() and v[:1] == "0" for v in node.suggestions)
    return not is_padded and not _DIGITS_SAID.search(step.description)


def _allowed_value(step: Step) -> bool:
    got, value, allowed = step.before, step.after, step.node.allowed
    if isinstance(got, list) and len(got) == 1:
        got = got[0]
    kinds = {type(got), type(value)}
    if not is_one_of(value, allowed) or isinstance(got, (list, dict)):
        return False
    if int in kinds:
        return str(got).strip() == str(value)
    return kinds == {str} and (got == value or same_value(got, value, allowed))


def _trimmed(step: Step) -> bool:
    got, value = step.before, step.after
    if not isinstance(got, str) or not isinstance(value, str) or step.is_secret():
        return False
    if not any(map(str.isalnum, value)):
        return False  # the spaces around a sign may be part of it
    return value in (got.strip(), got.strip().strip('"')) and value != got


def _moment(step: Step) -> bool:
    got = step.before
    is_time = isinstance(got, str) and step.node.first("format", str) == "date-time"
    if is_time:
        match = _MOMENT.fullmatch(got.strip())
    else:
        match = None
    # `10:00-11:00` can be a time span.
    return match is not None and bool(match[1] or match[2] == "Z")


def _default(step: Step) -> bool:
    """Return whether a missing field gets the default from its schema."""
    return step.before is MISSING and any(raw.get("default", MISSING) == step.after for raw in step.node.raws)


def _key(step: Step) -> bool:
    """Return whether two keys differ only in spelling.

    The differences may be case, separators, underscores at either end, and the remains of a tag's attribute.
    """
    key, name = _keys_of(step)
    bare, own = key.strip("_"), name.strip("_")
    if key.startswith("_") and name not in step.around.required:
        return False  # a key such as `_comment` may be meant for nobody
    return bool(bare and own) and (bare == own or same_words(bare, own))


def _keys_of(step: Step) -> tuple[str, str]:
    """Return the key that was sent, without the remains of a tag, and the field that it means."""
    key, name = step.name, key_text((step.edit.to or ("",))[-1])
    bare, quote, rest = key.partition('"')
    attribute = _REST_OF_TAG.fullmatch(quote + rest)
    if attribute is None:
        return key, name
    sent = step.call.locate(step.edit.path[:-1]).value
    may_be_a_field = attribute[1] in step.around.properties and attribute[1] not in sent
    return (key, name) if may_be_a_field else (bare, name)


def _plural_of_one(step: Step) -> bool:
    """Return whether a key is the plural of a field that takes one name, and its value is one name.

    Two names look the same as one with a surname. But a call that has a list in another field would have one here, too.
    """
    (key, name), value = _keys_of(step), step.before
    if key != f"{name}s" or step.node.types != ("string",) or not isinstance(value, str):
        return False
    if "name" not in words_of(step.description) or _FULL_NAME.fullmatch(value) is None:
        return False
    if not _NOT_ONE.isdisjoint(words_of(value)) or any(map(_PLURAL.fullmatch, value.split())):
        return False
    sent = step.call.locate(step.edit.path[:-1]).value
    return any(isinstance(other, list) for other in sent.values())


def _numbers_text(step: Step) -> bool:
    """Return whether a string lists numbers separated by a comma and a space, and the new value is that list."""
    text, value = step.before, step.after
    if not isinstance(text, str) or not isinstance(value, list) or _NUMBERS.fullmatch(text.strip()) is None:
        return False
    if _THOUSANDS.search(text):
        return False
    return text.strip() == ", ".join(map(repr, value))


def _item_for_list(step: Step) -> bool:
    value, node, item = step.before, step.node, step.node.child(ANY_ITEM)
    if step.edit.to is not None or "array" not in node.types:
        return False
    if isinstance(value, dict):
        return len(value) > 1 and value.keys() <= item.properties.keys() and item.required <= value.keys()
    if isinstance(value, str) and value in item.allowed:
        return True
    if not item.types or not admits(item.types, json_type(value)):
        return False
    if type(value) is int:
        return value >= 0 and words_of(step.name)[-1:] == ("id",)
    return isinstance(value, str) and _is_one(value, step.name)


def _is_one(text: str, name: str) -> bool:
    """Return whether a string is certainly a single item.

    It is not if it may stand for several items, for none, or for the result of another call. In a list of ids, the
    string must look like an id.
    """
    if _WORD.fullmatch(text) is None or ".." in text or names_secret(name):
        return False
    if _RANGE.search(text) and not _UUID.fullmatch(text):
        return False
    words = {*words_of(text)}
    if words & {*words_of(name)} or not _NOT_ONE.isdisjoint(words):
        return False
    if _PLURAL.fullmatch(text):
        return False
    return words_of(name)[-1:] != ("id",) or any(char.isdigit() or char == "@" for char in text)


def _list_for_item(step: Step) -> bool:
    got = step.before
    if not isinstance(got, list) or len(got) != 1 or step.after != got[0] or step.is_secret():
        return False
    if not admits(step.node.types, json_type(step.after)):
        return False
    if isinstance(step.after, dict):
        # It may be a pair of a map, `[{"key": "a", "value": 1}]`, or the content of the object that was meant.
        return step.after.keys() <= step.node.properties.keys() and not _takes_itself(step.node, step.after)
    # A free text may be meant as it is: `["x"]` in a file.
    return not isinstance(step.after, str) or not (
        holds_free_text(step.name) or _TEXT_OF_JSON.search(f"{step.name} {step.description}")
    )


def _takes_itself(node: SchemaNode, value: dict[str, Any]) -> bool:
    """Return whether a list inside the object accepts the same object as an item."""
    lists = [c for name in node.properties if "array" in (c := node.child(name)).types]
    return any(value.keys() <= each.child(ANY_ITEM).properties.keys() for each in lists)


def _named_list(step: Step) -> bool:
    got = step.before
    if not isinstance(got, dict) or len(got) != 1:
        return False
    if not isinstance(step.after, list) or "array" not in step.node.types:
        return False
    # Another key may say something about the values: `{"list": [...]}`, `{"except": [...]}`.
    return key_text(next(iter(got))) == "items"


def _wrapper(step: Step) -> bool:
    got, to = step.before, step.edit.to
    if not to or not isinstance(got, dict):
        return False
    if step.edit.path:
        name = step.edit.path[-1]
        is_doubled = len(got) == 1 and set(to) == {name} and not negates(str(name))
        return is_doubled and to[0] not in step.node.properties
    names = {*WRAPPERS, step.call.tool} - {""}
    value: Any = got
    for key in to:
        if key not in names or key in step.node.properties:
            return False
        labels = {k: v for k, v in value.items() if k != key}
        if not all(_is_label(k, v, step.call.tool) for k, v in labels.items()):
            return False
        if not labels.keys().isdisjoint(step.node.properties):
            return False  # a value of a field, not a label
        value = value[key]
    return True


def _is_label(key: Any, value: Any, tool: str) -> bool:
    """Return whether a key next to the arguments only gives the name of the tool or the id of the call."""
    if not isinstance(key, str) or not isinstance(value, str):
        return False
    if key in TOOL_NAMES and value == tool:
        return tool != ""
    return value in _LABELS.get(key, ()) or (key in _ID_KEYS and value.startswith(("call", "toolu")))


def _missing_wrapper(step: Step) -> bool:
    edit, node, value = step.edit, step.node, step.before
    if edit.path or edit.to is None or len(edit.to) != 1 or not isinstance(value, dict):
        return False
    name = edit.to[0]
    if [*node.properties] != [name] or name not in WRAPPERS:
        return False
    inner = node.child(name)
    return inner.types == ("object",) and value.keys() <= inner.properties.keys()


def _null(step: Step) -> bool:
    """Return whether null means "no value" for an optional field. Under an unknown key, it may be a
    condition.
    """
    name = step.edit.path[-1] if step.edit.path else 0
    if step.before is not None or not step.call.omits_null:
        return False
    is_optional = name in step.around.properties and name not in step.around.required
    return is_optional and not _ABSENCE.search(step.description)


RULES: dict[Op, tuple[tuple[str, Callable[[Step], bool]], ...]] = {
    "set": (
        ("parsed", _json_text),
        ("parsed", _scalar_text),
        ("parsed", _numbers_text),
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
