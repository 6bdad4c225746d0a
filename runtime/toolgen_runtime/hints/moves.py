"""Where values belong that stand at the wrong level: each way of going wrong as one function from a place to a move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.fits import fits, is_allowed
from toolgen_runtime.hints.problems import Location, Locator
from toolgen_runtime.hints.text import choices, name_shown, shown
from toolgen_runtime.hints.text_readings import parsed_container
from toolgen_runtime.hints.words import word_likeness, words_of
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.schema.spelling import fold
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, field_of

MAX_DEPTH = 4
"""Wrappers around one another."""
MAX_SHOWN = 12
"""Keys of one object that a line names."""
MAX_KEYS = 40
"""Keys of an object whose keys are moved."""

_HOLDERS = "argument arg kwarg input parameter param payload data body request request_body value tool_input"
_LABELS = "name tool toolname tool_name function type id call_id tool_call_id callid method jsonrpc server"
_WRAPPERS = frozenset(_HOLDERS.split())
"""Keys under which models and protocols put the arguments; as the words of the key, joined."""
_ENVELOPE = frozenset(_LABELS.split())
"""Keys that say which tool is called, beside its arguments."""


class Move(NamedTuple):
    """Values that belong elsewhere: the edits, and how to say so."""

    at: Path
    """The place that the line is about."""
    edits: tuple[Edit, ...]
    said: str
    certain: bool


class Place(NamedTuple):
    """An object, or what stands in the place of one, that has problems."""

    path: Path
    location: Location
    locator: Locator
    issue: ValidationIssue
    """The first issue there."""
    unknown: tuple[str, ...]
    """The keys of its issues that are not fields."""
    missing: tuple[str, ...]
    tool: str = ""
    """The tool's name."""
    alone: bool = True
    """Whether no other item of the same list has such problems."""


# -- a wrapper too many -------------------------------------------------------------------------------------


def _unwrap(place: Place) -> Move | None:
    """The object is the only member of the one that was sent, or stands beside the tool's name."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or not admits(node.types, "object"):
        return None
    path: list[str] = []
    inner: Any = value
    certain = True
    while isinstance(inner, dict) and len(path) < MAX_DEPTH and (key := _wrapper(inner, node)) is not None:
        certain = certain and all(k == key or _labels_a_call(k, inner[k], place.tool) for k in inner)
        path.append(key)
        inner = inner[key]
    edits = [Edit("unwrap", place.path, tuple(path), certain=certain)]
    if isinstance(inner, str) and (text := parsed_container(inner.strip())) is not MISSING:
        inner = text
        edits.append(Edit("set", place.path, value=inner, certain=certain))
    if not path or not isinstance(inner, dict) or not _belongs(inner, node):
        return None
    around = " and ".join(name_shown(key) for key in dict.fromkeys(path))
    send = f"send {skeleton(inner, node) if inner else '{}'} without {around} around it"
    return Move(place.path, tuple(edits), f"{send}." if certain else f"did you mean to {send}?", certain)


def _wrapper(value: dict[Any, Any], node: SchemaNode) -> str | None:
    """The key that holds what its object should be: the only one, or the one beside what labels a call."""
    keys = [k for k in value if isinstance(k, str) and k not in node.properties]
    if len(value) == 1:
        return keys[0] if keys else None
    holders = [k for k in keys if "_".join(words_of(k)) in _WRAPPERS]
    rest = [k for k in value if k not in holders]
    labels = all(isinstance(k, str) and k.lower() in _ENVELOPE and isinstance(value[k], str) for k in rest)
    return holders[0] if len(holders) == 1 and labels else None


def _labels_a_call(key: str, value: Any, tool: str) -> bool:
    """Whether a member beside the arguments says no more than which tool is called, or which call it is."""
    words = words_of(key)
    if words[-1:] == ("id",):
        return isinstance(value, str) and value.startswith(("call", "toolu", "tool"))
    if words in (("type",), ("method",), ("jsonrpc",)):
        return value in ("function", "tool_use", "tool_call", "function_call", "tools/call", "2.0")
    return isinstance(value, str) and bool(tool) and fold(value).endswith(fold(tool))


def _belongs(inner: dict[Any, Any], node: SchemaNode) -> bool:
    """Whether an object is one of a place: at least one key is declared, or it may have any."""
    if not inner:
        return not node.required
    return not node.properties.keys().isdisjoint(inner) or not node.properties


# -- a wrapper missing --------------------------------------------------------------------------------------


def _push_down(place: Place) -> Move | None:
    """Keys that are declared one object further down, or whatever is not declared where an open object is missing."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or len(value) > MAX_KEYS:
        return None
    strays = [k for k in value if isinstance(k, str) and k not in node.properties]
    holders = {k: _declaring(k, value, node) for k in strays}
    names = {names[0] for names in holders.values() if len(names) == 1}
    if len(names) == 1:
        name = names.pop()
        keys = [k for k in strays if holders[k] == [name]]
        return _into(place, name, keys, certain=True) if _completes(place, name, keys) else None
    if names:
        return None
    opened = [n for n in place.missing if _is_open_object(node.child(n))]
    if len(opened) == 1 and len(place.missing) == 1 and strays and set(strays) == set(place.unknown):
        return _into(place, opened[0], strays, certain=False)
    return None


def _completes(place: Place, name: str, keys: list[str]) -> bool:
    """Whether the keys are all that the object further down needs, and none is like a field that is missing here."""
    child, sent = place.location.node.child(name), place.location.value.get(name)
    if "object" not in child.types and "array" in child.types:
        child = child.child(ANY_ITEM)
    if child.required <= {*keys, *(sent if isinstance(sent, dict) else ())}:
        return True
    return not any(word_likeness(key, other) is not None for key in keys for other in place.missing)


def _declaring(key: str, value: dict[Any, Any], node: SchemaNode) -> list[str]:
    """The properties that are objects, or lists of objects, which declare a key and do not have it yet."""
    found = []
    for name in node.properties:
        child, sent = node.child(name), value.get(name, MISSING)
        if "object" in child.types or (not child.types and child.properties):
            free = sent is MISSING or (isinstance(sent, dict) and key not in sent)
            if free and key in child.properties:
                found.append(name)
        elif "array" in child.types and sent is MISSING and key in child.child(ANY_ITEM).properties:
            found.append(name)
    if len(found) > 1:
        required = [name for name in found if name in node.required and name not in value]
        found = required if len(required) == 1 else found
    return found


def _is_open_object(node: SchemaNode) -> bool:
    return node.types == ("object",) and not node.properties and not node.closed


def _into(place: Place, name: str, keys: list[str], *, certain: bool) -> Move:
    node, value = place.location.node, place.location.value
    is_list = "object" not in node.child(name).types and "array" in node.child(name).types
    target: Path = (name, 0) if is_list else (name,)
    if len(keys) == len(value):
        edits = [Edit("wrap", place.path, target, certain=certain)]
    else:
        edits = [Edit("move", (*place.path, k), (*place.path, *target, k), certain=certain) for k in keys]
    child = node.child(name)
    inside = skeleton({k: value[k] for k in keys}, child.child(0) if is_list else child)
    form = f"{{{name_shown(name)}:{f'[{inside}]' if is_list else inside}}}"
    put = f"put {keys_text(keys)} into {choices([name])}: {form}"
    said = f"{put}." if certain else f"did you mean to {put}?"
    return Move((*place.path, name), tuple(edits), said, certain)


# -- one object too deep ------------------------------------------------------------------------------------


def _pull_up(place: Place) -> Move | None:
    """Keys that an object further up declares, and does not have."""
    value = place.location.value
    if not place.path or not place.alone or not isinstance(value, dict):
        return None
    keys = place.unknown or tuple(
        k for k in value if isinstance(k, str) and k not in place.location.node.properties
    )
    for length in range(len(place.path) - 1, -1, -1):
        above = place.locator.locate(place.path[:length])
        sent, node = above.value, above.node
        if not isinstance(sent, dict):
            continue
        found = [k for k in keys if k in node.properties and k not in sent and fits(node.child(k), value[k])]
        if place.missing and not node.required.issuperset(found):
            return None  # What is missing here is rather here, under another name.
        if found:
            edits = [Edit("move", (*place.path, k), (*place.path[:length], k), certain=True) for k in found]
            where = field_of(place.path[:length]) or "the top level"
            said = f"move {keys_text(found)} out of it, to {where}."
            return Move(place.path, tuple(edits), said, True)
    return None


# -- the object itself is missing ---------------------------------------------------------------------------


def _put_under(place: Place) -> Move | None:
    """A list or scalar that is the value of the one property of the object that belongs there."""
    value, node = place.location.value, place.location.node
    kind = json_type(value)
    if kind in ("object", "null", "") or not node.properties or node.types != ("object",):
        return None
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return None
    names = [n for n in node.properties if _holds(node.child(n), value, kind)]
    needed = [n for n in names if n in node.required]
    if len(needed) == 1 and set(needed) == set(node.required):
        names = needed
    if len(names) != 1 or not node.required <= set(names):
        return None
    certain = kind == "array" and (names == needed or len(node.properties) == 1)
    form = f"{{{name_shown(names[0])}:{skeleton(value, node.child(names[0]))}}}"
    said = f"send an object: {form}." if certain else f"send an object. Did you mean {form}?"
    return Move(place.path, (Edit("wrap", place.path, (names[0],), certain=certain),), said, certain)


def _holds(node: SchemaNode, value: Any, kind: str) -> bool:
    return bool(node.types) and kind in node.types and fits(node, value)


STRATEGIES: tuple[Callable[[Place], Move | None], ...] = (
    _unwrap,
    _push_down,
    _pull_up,
    _put_under,
)


# -- in words -----------------------------------------------------------------------------------------------


def keys_text(keys: Sequence[str]) -> str:
    """`title, body and labels`; after ten, how many more."""
    names = [choices([k]) for k in list(keys)[:MAX_SHOWN]]
    if len(keys) > MAX_SHOWN:
        names.append(f"{len(keys) - MAX_SHOWN} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def skeleton(value: Any, node: SchemaNode, depth: int = 0) -> str:
    """A value as its keys, and what the schema lists: `{"kind":"a","to":{"name":…}}`; of each list the first item."""
    if depth < MAX_DEPTH and isinstance(value, dict) and value:
        members = [f"{name_shown(k)}:{skeleton(v, node.child(k), depth + 1)}" for k, v in _members(value)]
        return f"{{{','.join(members)}{',…' if len(value) > MAX_SHOWN else ''}}}"
    if depth < MAX_DEPTH and isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        return f"[{skeleton(value[0], node.child(0), depth + 1)}{',…' if len(value) > 1 else ''}]"
    listed = isinstance(value, str) and node.allowed and not node.secret and is_allowed(node, value)
    return shown(value) if listed else "…"


def _members(value: dict[Any, Any]) -> Iterator[tuple[Any, Any]]:
    return iter(list(value.items())[:MAX_SHOWN])
