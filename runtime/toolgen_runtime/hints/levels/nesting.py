"""Keys that stand one object too high, and values that stand in the place of their object."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.levels.moves import MAX_KEYS, Move, Place, keys_text, skeleton
from toolgen_runtime.hints.renames import inner_keys
from toolgen_runtime.hints.text import choices, name_shown
from toolgen_runtime.hints.values.text_readings import sole_holder
from toolgen_runtime.hints.words import word_likeness
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING

# -- a wrapper missing --------------------------------------------------------------------------------------


def push_down(place: Place) -> Move | None:
    """Keys that are declared one object further down, or whatever is not declared where an open object is missing."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or len(value) > MAX_KEYS:
        return None
    strays = [k for k in value if isinstance(k, str) and k not in node.properties]
    deeper = node.memo("inner_keys", inner_keys)
    targets: dict[str, list[str]] = {}
    for key in strays:
        holders = _declaring(key, value, node) if key in deeper else []
        if len(holders) == 1:
            targets.setdefault(holders[0], []).append(key)
    if len(targets) == 1:
        name, keys = targets.popitem()
        return _into(place, name, keys)
    if targets:
        return None
    opened = [n for n in place.missing if _is_open_object(node.child(n))]
    is_the_object = len(strays) == 1 and (  # under another name
        isinstance(value[strays[0]], dict) or any(word_likeness(strays[0], n) is not None for n in opened)
    )
    if is_the_object or (place.unknown and set(strays) != set(place.unknown)):
        return None
    if len(opened) == 1 and len(place.missing) == 1 and strays:
        return _into(place, opened[0], strays)
    return None


def _declaring(key: str, value: dict[Any, Any], node: SchemaNode) -> list[str]:
    """Return the properties that are objects, or lists of objects, which declare a key and do not have it yet."""
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


def _into(place: Place, name: str, keys: list[str]) -> Move:
    node, value = place.location.node, place.location.value
    is_list = "object" not in node.child(name).types and "array" in node.child(name).types
    target: Path = (name, 0) if is_list else (name,)
    at = (*place.path, name)
    child = node.child(name)
    inside = skeleton({k: value[k] for k in keys}, child.child(0) if is_list else child)
    form = f"{{{name_shown(name)}:{f'[{inside}]' if is_list else inside}}}"
    if len(keys) == len(value):
        whole = "these arguments" if not place.path else "its keys"
        edit = Edit("wrap", place.path, target, certain=True)
        return Move(at, (edit,), f"wrap {whole} in {name_shown(name)}: {form}")
    edits = [Edit("move", (*place.path, k), (*place.path, *target, k)) for k in keys]
    return Move(at, tuple(edits), f"put {keys_text(keys)} into {choices([name])}: {form}")


# -- the object itself is missing ---------------------------------------------------------------------------


def put_under(place: Place) -> Move | None:
    """Return a list or scalar that is the value of the one property of the object that belongs there."""
    value, node = place.location.value, place.location.node
    if node.types != ("object",) or not node.properties:
        return None
    kind = json_type(value)
    if kind in ("object", "null", ""):
        return None
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return None
    name = sole_holder(node, value)
    if name is None:
        return None
    form = f"{{{name_shown(name)}:{skeleton(value, node.child(name))}}}"
    return Move(
        place.path,
        (Edit("wrap", place.path, (name,)),),
        f"send an object: {form}",
        f"send an object: did you mean {form}",
    )
