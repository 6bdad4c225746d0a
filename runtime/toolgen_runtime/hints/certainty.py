"""Certainty: the closed list of rules under which a hint orders an edit and `repair` applies it.

If no rule of `RULES` allows an edit, the hint asks about it, regardless of its source. No rule moves a value from
one object to another. docs/hints.md describes the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from toolgen_runtime.hints.edits import Edit, Op, last_key
from toolgen_runtime.hints.names import (
    TOOL_NAMES,
    WRAPPERS,
    names_secret,
    narrows,
    only_reads,
    same_value,
    same_words,
    word_set,
    words_of,
)
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.validation.issues import ANY_ITEM, key_text

if TYPE_CHECKING:
    from toolgen_runtime.hints.problems import Call

_LABELS = {"type": ("function", "tool_use", "tool_call", "function_call"), "method": ("tools/call",)}
_ID_KEYS = ("id", "call_id", "tool_call_id")
LABELS = frozenset((*_LABELS, *TOOL_NAMES, *_ID_KEYS, "jsonrpc", "server"))
"""Keys among the arguments that may name the called tool or the call."""
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)")
_WORD = re.compile(r"[^\W\d_][\w.@-]*|https?://[\w./?=%~:-]+[\w/]", re.ASCII)
"""Matches a text that is a single item: a name, an email address or a URL."""
_DIGITS_SAID = re.compile(r"digit|zero|character|\b0[0-9]+", re.IGNORECASE)
_TEXT_OF_JSON = re.compile(
    r"json|serialized|stringified|encoded|delimited|separated|newline|body", re.IGNORECASE
)
_NOT_ONE = word_set(
    "all any none nothing nobody everyone everybody everything each every anyone anybody anything someone somebody"
    " something both either neither other others rest default auto true false yes no null nil undefined na same ditto"
    " unknown tbd self me us them you it this that these those here there various several many few more some"
    " empty never always only except not result output response prev previous returned above from name item value"
    " element case record entry data list array input row number object variable"
)
"""Words that are not a single item: they select or count items, mean none, or refer to the result of another call."""


class Step(NamedTuple):
    """One edit with the payload's values and schemas that the rules need."""

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


def rule_of(edit: Edit, before: Any, after: Any, node: SchemaNode, around: SchemaNode, call: Call) -> str:
    """Return the name, as in `Change`, of the rule under which an edit is certain; `""` if no rule allows it."""
    step = Step(edit, before, after, node, around, call)
    change = next((change for change, allows in RULES[edit.op] if allows(step)), "")
    is_unwrapped = change and isinstance(before, list) and not isinstance(after, list)
    return "unwrapped" if is_unwrapped else change


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
    """Return whether the text of one object is certainly the list of it: both steps are certain."""
    from toolgen_runtime.hints.malformed.in_fields import read_field

    inner = read_field(text, ["object"]).value
    if not isinstance(inner, dict):
        return False
    name = step.edit.path[-1] if step.edit.path else ""
    if inner.keys() == {name} and isinstance(inner[name], list):
        return name not in step.node.child(ANY_ITEM).properties
    if any(words_of(key)[-1:] == ("id",) for key in inner):
        return False  # a record of a list whose other records may be lacking
    return value == [inner] and _item_for_list(step._replace(before=inner, edit=Edit("wrap", step.edit.path)))


def _scalar_text(step: Step) -> bool:
    text, value, written = step.before, step.after, repr(step.after)
    if not isinstance(text, str) or type(value) not in (bool, int, float):
        return False
    if type(value) is bool:
        return text.strip() in (written, written.lower(), written.upper())
    return not step.node.allowed and text.strip() == written and "e" not in written


def _id_number(step: Step) -> bool:
    name, node = last_key(step.edit.path), step.node
    return (
        type(step.before) is int
        and step.before > 0
        and step.after == str(step.before)
        and words_of(name)[-1:] == ("id",)
        and node.types == ("string",)
        and not any(node.first(word, object) is not None for word in ("pattern", "minLength", "format"))
        and not _DIGITS_SAID.search(node.first("description", str) or "")
    )


def _allowed_value(step: Step) -> bool:
    got, value, allowed = step.before, step.after, step.node.allowed
    if isinstance(got, list) and len(got) == 1:
        got = got[0]
    kinds = {type(got), type(value)}
    if not is_one_of(value, allowed) or isinstance(got, (list, dict)):
        return False
    if int in kinds:
        return bool not in kinds and str(got).strip() == str(value)
    return kinds == {str} and (got == value or same_value(got, value, allowed))


def _trimmed(step: Step) -> bool:
    got, value = step.before, step.after
    if not isinstance(got, str) or not isinstance(value, str) or _is_secret(step):
        return False
    return value in (got.strip(), got.strip().strip('"')) and value != got


def _moment(step: Step) -> bool:
    got, value = step.before, step.after
    is_time = isinstance(got, str) and step.node.first("format", str) == "date-time"
    match = _MOMENT.fullmatch(got.strip()) if is_time else None
    if match is None or not (match[3] or match[4] == "Z"):
        return False  # `10:00-11:00` can be a time span.
    return str(value) == f"{match[1]}T{match[2]}{match[3] or ':00'}{match[4]}"


def _key(step: Step) -> bool:
    path, to = step.edit.path, step.edit.to
    return bool(to) and same_words(key_text(path[-1]), key_text((to or path)[-1]))


def _item_for_list(step: Step) -> bool:
    value, node, item = step.before, step.node, step.node.child(ANY_ITEM)
    if step.edit.to is not None or "array" not in node.types:
        return False
    if isinstance(value, dict):
        return len(value) > 1 and value.keys() <= item.properties.keys() and item.required <= value.keys()
    if not item.types or not admits(item.types, json_type(value)):
        return False
    if type(value) is int:
        return value >= 0 and words_of(last_key(step.edit.path))[-1:] == ("id",)
    return isinstance(value, str) and (value in item.allowed or _is_one(value, last_key(step.edit.path)))


def _is_one(text: str, name: str) -> bool:
    """Return whether a text is one item, and not a word for several, none, or the result of another call."""
    if _WORD.fullmatch(text) is None or ".." in text or text.casefold() == name.casefold():
        return False
    return _NOT_ONE.isdisjoint(words_of(text)) and not names_secret(name)


def _list_for_item(step: Step) -> bool:
    got = step.before
    if not isinstance(got, list) or len(got) != 1 or step.after != got[0]:
        return False
    if not admits(step.node.types, json_type(step.after)) or _is_secret(step):
        return False
    if isinstance(step.after, dict) and not step.after.keys() <= step.node.properties.keys():
        return False  # It may be a pair of a map, `[{"key": "a", "value": 1}]`.
    said = f"{last_key(step.edit.path)} {step.node.first('description', str) or ''}"
    return not (isinstance(step.after, str) and _TEXT_OF_JSON.search(said))


def _named_list(step: Step) -> bool:
    got = step.before
    if not isinstance(got, dict) or len(got) != 1:
        return False
    if not isinstance(step.after, list) or "array" not in step.node.types:
        return False
    return (key := key_text(next(iter(got)))) in ("items", "list") or key == last_key(step.edit.path) != ""


def _wrapper(step: Step) -> bool:
    got, to = step.before, step.edit.to
    if not to or not isinstance(got, dict):
        return False
    if step.edit.path:
        return len(got) == 1 and set(to) == {step.edit.path[-1]} and to[0] not in step.node.properties
    names = {*WRAPPERS, step.call.tool} - {""}
    value: Any = got
    for key in to:
        if key not in names or key in step.node.properties:
            return False
        if not all(k == key or _labels(k, v, step.call.tool) for k, v in value.items()):
            return False
        value = value[key]
    return True


def _labels(key: Any, value: Any, tool: str) -> bool:
    """Return whether a member next to the arguments only names the called tool or the call."""
    if not isinstance(key, str) or not isinstance(value, str):
        return False
    if key in TOOL_NAMES and value == tool:
        return tool != ""
    return value in _LABELS.get(key, ()) or (
        key in _ID_KEYS and value.startswith(("call", "toolu", "tooluse"))
    )


def _missing_wrapper(step: Step) -> bool:
    edit, node, value = step.edit, step.node, step.before
    if edit.path or edit.to is None or len(edit.to) != 1 or not isinstance(value, dict):
        return False
    inner, is_only = node.child(edit.to[0]), [*node.properties] == [*edit.to]
    return is_only and inner.types == ("object",) and value.keys() <= inner.properties.keys()


def _null(step: Step) -> bool:
    name, around, node = step.edit.path[-1] if step.edit.path else 0, step.around, step.node
    if (
        step.before is not None
        or step.call.changes
        or name not in around.properties
        or name in around.required
    ):
        return False
    said = node.first("description", str) or ""
    has_default = "default" in said.lower() or any("default" in raw for raw in node.raws)
    return only_reads(step.call.tool) or not (narrows(str(name)) or has_default)


def _unknown_null(step: Step) -> bool:
    name, around = step.edit.path[-1] if step.edit.path else 0, step.around
    is_unknown = isinstance(name, str) and name not in around.properties and around.closed
    return step.before is None and is_unknown and not narrows(str(name))


def _is_secret(step: Step) -> bool:
    return step.node.secret or names_secret(last_key(step.edit.path))


RULES: dict[Op, tuple[tuple[str, Callable[[Step], bool]], ...]] = {
    "set": (
        ("parsed", _json_text),
        ("parsed", _scalar_text),
        ("text", _id_number),
        ("spelling", _allowed_value),
        ("spelling", _trimmed),
        ("spelling", _moment),
    ),
    "rename": (("key", _key),),
    "wrap": (("wrapped", _item_for_list), ("moved", _missing_wrapper)),
    "unwrap": (
        ("unwrapped", _list_for_item),
        ("unwrapped", _named_list),
        ("moved", _wrapper),
    ),
    "remove": (("dropped", _null), ("dropped", _unknown_null)),
}
"""The rules for each kind of edit: the name that a repair records, and the condition."""
