"""Data in another shape: values by position, the tag of a union as a key, members under another object's key."""

from __future__ import annotations

import re
from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.fits import fits
from toolgen_runtime.hints.levels.moves import MAX_KEYS, Move, Place, keys_text, skeleton
from toolgen_runtime.hints.text import choice, name_shown
from toolgen_runtime.hints.values.number_readings import number_in
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.issues import MISSING

_BETWEEN = re.compile(r"\s*[,;x\u00d7|]\s*|\s+")
MAX_TEXT = 60


def spread(place: Place) -> Move | None:
    """Return the move of a list's items to the missing fields, in their order: `[10, 20]` for x and y."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or len(place.missing) < 2 or node.schema.has_secrets:
        return None
    strays = [k for k in value if isinstance(k, str) and k not in node.properties]
    if len(strays) != 1 or (items := _items(value[strays[0]])) is None or len(items) != len(place.missing):
        return None
    names = [n for n in node.properties if n in place.missing]
    if len(names) != len(items) or not all(fits(node.child(n), v) for n, v in zip(names, items, strict=True)):
        return None
    edits = [Edit("remove", (*place.path, strays[0]))]
    edits += [Edit("set", (*place.path, n), None, v) for n, v in zip(names, items, strict=True)]
    said = f"did you mean to send the values in {name_shown(strays[0])} as {keys_text(names)}?"
    return Move((*place.path, names[0]), tuple(edits), said, False)


def _items(value: Any) -> list[Any] | None:
    """Return the items of a list of scalars; of a text, if all of them are numbers."""
    if isinstance(value, str) and len(value) <= MAX_TEXT:
        read = [number_in(part, ("number",)) for part in _BETWEEN.split(value.strip(" ()[]"))]
        return None if not all(read) else [r.value for r in read if r is not None]
    if isinstance(value, list) and not any(isinstance(v, (dict, list)) for v in value):
        return value
    return None


def retag(place: Place) -> Move | None:
    """Return the move of a tag that is the key of what belongs beside it: `{"click": {"selector": "#a"}}`."""
    value, node = place.location.value, place.location.wide
    if not isinstance(value, dict) or len(value) != 1 or not node.unions:
        return None
    ((key, inner),) = value.items()
    tag = _tag_for(node, key)
    if tag is None or not isinstance(inner, dict) or tag in inner:
        return None
    edits = (Edit("unwrap", place.path, (key,)), Edit("set", (*place.path, tag), None, key))
    said = f"did you mean {skeleton({tag: key, **inner}, node)}?"
    return Move(place.path, edits, said, False)


def _tag_for(node: SchemaNode, value: Any) -> str | None:
    """Return the tag of a union that has a value for one of its branches."""
    for profiles in node.profiles:
        for profile in profiles:
            for tag in profile.tags:
                if value in profile.node.child(tag).allowed:
                    return tag
    return None


def gather_round(place: Place) -> Move | None:
    """Return the move of a tag that stands in the place of its object, and of the members that stand beside it."""
    value, node = place.location.value, place.location.wide
    if (
        not isinstance(value, str)
        or not node.unions
        or not place.path
        or (tag := _tag_for(node, value)) is None
    ):
        return None
    above = place.locator.locate(place.path[:-1])
    if not isinstance(above.value, dict) or len(above.value) > MAX_KEYS:
        return None
    declared = {n for profiles in node.profiles for p in profiles for n in p.node.properties}
    keys = [k for k in above.value if k in declared and k not in above.node.properties]
    start = place.path[:-1]
    edits = [Edit("wrap", place.path, (tag,)), *[Edit("move", (*start, k), (*place.path, k)) for k in keys]]
    members = {tag: value, **{k: above.value[k] for k in keys}}
    return Move(place.path, tuple(edits), f"did you mean {skeleton(members, node)}?", False)


def across(place: Place) -> Move | None:
    """Return the move of an object's members that stand, undeclared, in another object beside it."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or len(value) > MAX_KEYS:
        return None
    for name in place.missing:
        child = node.child(name)
        if child.types != ("object",) or not child.required:
            continue
        for holder, inner in value.items():
            if (
                not isinstance(inner, dict)
                or holder not in node.properties
                or not child.required <= inner.keys()
            ):
                continue
            own = node.child(holder)
            keys = [k for k in inner if k in child.properties and k not in own.properties]
            if child.required <= {*keys}:
                return _across(place, holder, name, keys)
    return None


def _across(place: Place, holder: str, name: str, keys: list[str]) -> Move:
    inner = place.location.value[holder]
    if len(keys) == len(inner) and holder not in place.location.node.required:
        edits = [Edit("rename", (*place.path, holder), (*place.path, name))]
    else:
        edits = [Edit("move", (*place.path, holder, k), (*place.path, name, k)) for k in keys]
    form = skeleton({k: inner.get(k, MISSING) for k in keys}, place.location.node.child(name))
    said = f"did you mean to move {keys_text(keys)} from {choice(holder)} into {choice(name)}: {form}?"
    return Move((*place.path, name), tuple(edits), said, False)
