"""Keys that stand one object too high or too deep, and values that stand in the place of their object."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.fits import fits, sole_holder
from toolgen_runtime.hints.levels.moves import MAX_KEYS, Move, Place, keys_text, skeleton
from toolgen_runtime.hints.renames import could_be, inner_keys
from toolgen_runtime.hints.text import choice, choices, name_shown
from toolgen_runtime.hints.words import word_likeness
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, field_of

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
        certain = len(keys) > 1 or len(keys) == len(value) or name in place.missing or name in value
        return _into(place, name, keys, certain=certain) if _completes(place, name, keys) else None
    if targets:
        return _into_several(place, targets)
    opened = [n for n in place.missing if _is_open_object(node.child(n))]
    is_the_object = len(strays) == 1 and (  # under another name
        isinstance(value[strays[0]], dict) or any(word_likeness(strays[0], n) is not None for n in opened)
    )
    if is_the_object or (place.unknown and set(strays) != set(place.unknown)):
        return None
    if len(opened) == 1 and len(place.missing) == 1 and strays:
        return _into(place, opened[0], strays, certain=False)
    return None


def _completes(place: Place, name: str, keys: list[str]) -> bool:
    """Whether the keys are all that the object further down needs, and none is like a field that is missing here."""
    node, value = place.location.node, place.location.value
    child, sent = node.child(name), value.get(name)
    is_list = "object" not in child.types and "array" in child.types
    if is_list:
        child = child.child(ANY_ITEM)
    like_another = any(
        word_likeness(key, other) is not None and could_be(value[key], node.child(other))
        for key in keys
        for other in place.missing
    )
    whole = child.required <= {*keys, *(sent if isinstance(sent, dict) else ())}
    return not like_another or (whole and not is_list)


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


def _into_several(place: Place, targets: dict[str, list[str]]) -> Move | None:
    """Return the move of keys into several objects, all of which are missing and are whole then."""
    node, value = place.location.node, place.location.value
    for name, keys in targets.items():
        child = node.child(name)
        if name not in place.missing or "object" not in child.types or not child.required <= {*keys}:
            return None
    edits: list[Edit] = []
    puts, forms = [], []
    for name, keys in targets.items():
        edits += [Edit("move", (*place.path, k), (*place.path, name, k), certain=True) for k in keys]
        puts.append(f"{keys_text(keys)} into {choices([name])}")
        forms.append(f"{name_shown(name)}:{skeleton({k: value[k] for k in keys}, node.child(name))}")
    said = f"put {', '.join(puts[:-1])} and {puts[-1]}: {{{','.join(forms)}}}."
    return Move((*place.path, next(iter(targets))), tuple(edits), said, True)


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


def pull_up(place: Place) -> Move | None:
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


def lift(place: Place) -> Move | None:
    """Fields that are missing here and stand, undeclared, in an object below; with them what else belongs here."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or len(value) > MAX_KEYS:
        return None
    found: dict[str, list[str]] = {}
    for name in place.missing:
        holders = [
            key
            for key, inner in value.items()
            if isinstance(inner, dict) and name in inner and name not in node.child(key).properties
        ]
        if len(holders) == 1 and fits(node.child(name), value[holders[0]][name]):
            found.setdefault(holders[0], []).append(name)
    if not found:
        return None
    holder, names = next(iter(found.items()))
    return _out_of(place, holder, names) if len(found) == 1 else _out_of_several(place, found)


def _out_of(place: Place, holder: str, names: list[str]) -> Move:
    """Return the move of fields out of one object; one that is no field itself goes, once nothing is left in it.

    What is left in one that the schema lets pass may belong elsewhere, too: nothing is certain then.
    """
    value, node = place.location.value, place.location.node
    inner = value[holder]
    if holder in node.properties:
        return _out_of_several(place, {holder: names})
    belong = [
        k
        for k in inner
        if k in names or (k in node.properties and k not in value and fits(node.child(k), inner[k]))
    ]
    if len(belong) < len(inner):
        return _out_of_several(place, {holder: belong}, certain=node.closed)
    at = (*place.path, holder)
    edits = [Edit("move", (*at, k), (*place.path, k), certain=True) for k in belong]
    said = f"send {skeleton(inner, node)} without {name_shown(holder)} around it."
    return Move(at, (*edits, Edit("remove", at, certain=True)), said, True)


def _out_of_several(place: Place, found: dict[str, list[str]], *, certain: bool = True) -> Move:
    moves = [(holder, name) for holder, names in found.items() for name in names]
    edits = [Edit("move", (*place.path, *m), (*place.path, m[1]), certain=certain) for m in moves]
    where = field_of(place.path) or "the top level"
    move = f"move {keys_text([name for _, name in moves])} out of it, to {where}"
    said = f"{move}." if certain else f"did you mean to {move}?"
    return Move(edits[0].path[:-1], tuple(edits), said, certain)


def fetch(place: Place) -> Move | None:
    """Fields that are missing here and stand, undeclared, in an object further up, which lets any key pass."""
    if not place.path or not place.missing or any(isinstance(step, int) for step in place.path):
        return None  # Of several items, any may lack it.
    for length in range(len(place.path) - 1, -1, -1):
        above = place.locator.locate(place.path[:length])
        if not isinstance(above.value, dict):
            continue
        found = [
            k
            for k in place.missing
            if k in above.value
            and k not in above.node.properties
            and fits(place.location.node.child(k), above.value[k])
        ]
        if found:
            start = place.path[:length]
            edits = [Edit("move", (*start, k), (*place.path, k), certain=True) for k in found]
            where = field_of(start) or "the top level"
            said = f"move {keys_text(found)} from {where} into {choice(str(place.path[-1]))}."
            return Move((*place.path, found[0]), tuple(edits), said, True)
    return None


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
    certain = kind == "array" and (name in node.required or len(node.properties) == 1)
    form = f"{{{name_shown(name)}:{skeleton(value, node.child(name))}}}"
    said = f"send an object: {form}." if certain else f"send an object. Did you mean {form}?"
    return Move(place.path, (Edit("wrap", place.path, (name,), certain=certain),), said, certain)
