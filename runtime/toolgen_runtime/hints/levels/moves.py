"""The moves: a wrapper too many or missing, fields in the text of another, keys one object too high, a bare value.

A move is a proposal: the edits, and how to say so; `wrong_level` makes it and asks the check.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from toolgen_runtime.hints.certainty import LABELS, holds_arguments
from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.problems import Location, Locator
from toolgen_runtime.hints.renames import inner_keys
from toolgen_runtime.hints.text import clean, keys_text, name_shown, skeleton
from toolgen_runtime.hints.values.text_readings import parsed_container, sole_holder
from toolgen_runtime.hints.words import word_likeness
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue

MAX_DEPTH = 4
"""Wrappers around one another."""
MAX_KEYS = 40
"""Keys of an object whose keys are moved."""


class Move(NamedTuple):
    """Values that belong elsewhere: the edits, and how to say so."""

    at: Path
    """The place that the line is about."""
    edits: tuple[Edit, ...]
    put: str
    """What to do, as an order without its stop."""
    asked: str = ""
    """The question, where it is not "did you mean to" do it."""


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


_OPEN, _CLOSE = '<parameter name="', "</parameter>"
"""The tags between which some models write a field."""
MAX_TEXT = 100_000
"""Characters of a text that is searched for other fields."""


def unwrap(place: Place) -> Move | None:
    """Propose the object inside the one that was sent: its only member, or the one next to labels of a call."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or not admits(node.types, "object"):
        return None
    path: list[str] = []
    inner: Any = value
    while isinstance(inner, dict) and len(path) < MAX_DEPTH and (key := _wrapper(inner, node)) is not None:
        path.append(key)
        inner = inner[key]
    if not path:
        return None
    edits = [Edit("unwrap", place.path, tuple(path), certain=True)]
    if isinstance(inner, str) and (text := parsed_container(inner.strip())) is not MISSING:
        inner = text
        edits.append(Edit("set", place.path, value=_hidden(inner, node), certain=True))
    if not isinstance(inner, dict) or not _belongs(inner, node):
        return None
    return Move(place.path, tuple(edits), _send(inner, node, path, place.path))


def _send(inner: dict[Any, Any], node: SchemaNode, wrappers: list[str], path: Path) -> str:
    around = " and ".join(name_shown(key) for key in dict.fromkeys(wrappers))
    if path or not inner:
        return f"send {skeleton(inner, node) if inner else '{}'} without {around} around it"
    return f"send {keys_text([*inner])} at the top level, not inside {around}"


def _wrapper(value: dict[Any, Any], node: SchemaNode) -> str | None:
    """Return the key that holds what its object should be: the only one, or the one next to labels of a call."""
    keys = [k for k in value if isinstance(k, str) and k not in node.properties]
    if len(value) == 1:
        return keys[0] if keys else None
    holders = [k for k in keys if holds_arguments(k)]
    rest = [k for k in value if k not in holders]
    labels = all(isinstance(k, str) and k.lower() in LABELS and isinstance(value[k], str) for k in rest)
    return holders[0] if len(holders) == 1 and labels else None


def _belongs(inner: dict[Any, Any], node: SchemaNode) -> bool:
    """Return whether an object is one of a place: at least one key is declared, or it may have any."""
    if not inner:
        return not node.required
    return not node.properties.keys().isdisjoint(inner) or not node.properties


def split_parameters(place: Place) -> Move | None:
    """Propose the fields in the text of another one, between the tags in which a model writes its calls."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or not place.missing:
        return None
    for key, text in value.items():
        if not isinstance(text, str) or _OPEN not in text[:MAX_TEXT]:
            continue
        own, found = _parameters_in(text[:MAX_TEXT])
        if not found or not all(n in node.properties and n not in value for n in found):
            continue
        others = {n: _value_in(node.child(n), inner) for n, inner in found.items()}
        edits = [Edit("set", (*place.path, key), value=_hidden(own, node))]
        edits += [Edit("set", (*place.path, n), value=_hidden(v, node)) for n, v in others.items()]
        return Move((*place.path, key), tuple(edits), *_apart(key, [*others]))
    return None


def _apart(key: str, names: list[str]) -> tuple[str, str]:
    """Return how to say that a text holds other fields, and how to ask whether it does."""
    tag = f'its text has a <parameter name="{clean(names[0][:40])}"> tag'
    put = f"send {keys_text([key, *names])} as {len(names) + 1} fields"
    return f"{tag}: {put}", f"{tag}: did you mean to {put}"


def _parameters_in(text: str) -> tuple[str, dict[str, str]]:
    """Return the text before the first tag and the fields in the tags; no fields where anything else is between."""
    own, *parts = text.split(_OPEN)
    found: dict[str, str] = {}
    for part in parts:
        name, _, rest = part.partition('">')
        inner, _, tail = rest.partition(_CLOSE)
        if not name.isidentifier() or name in found or (tail.strip() and not tail.strip().startswith("</")):
            return own, {}
        found[name] = inner
    own = own.rstrip()
    at = own.rfind("</")
    return (own[:at] if at >= 0 and own[at + 2 : -1].isidentifier() and own[-1] == ">" else own), found


def _hidden(value: Any, node: SchemaNode) -> Any:
    """Return a value of an edit, which may be or contain a secret if the schema has any."""
    return Secret(value) if node.schema.has_secrets else value


def _value_in(node: SchemaNode, text: str) -> Any:
    """Return a field's value as a model writes it between tags: containers as JSON, the rest as it is."""
    if "string" not in node.types and text.strip()[:1] in ("{", "["):
        value = parsed_container(text.strip())
        return text if value is MISSING else value
    return text


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
    child = node.child(name)
    inside = skeleton({k: value[k] for k in keys}, child.child(0) if is_list else child)
    form = f"[{inside}]" if is_list else inside
    if len(keys) == len(value):
        whole = "these arguments" if not place.path else "its keys"
        edit = Edit("wrap", place.path, target, certain=True)
        wrapped = f"{{{name_shown(name)}:{form}}}"
        return Move(place.path, (edit,), f"wrap {whole} in {name_shown(name)}: {wrapped}")
    edits = [Edit("move", (*place.path, k), (*place.path, *target, k)) for k in keys]
    return Move((*place.path, name), tuple(edits), f"put {keys_text(keys)} into it: {form}")


# -- the object itself is missing ---------------------------------------------------------------------------


def put_under(place: Place) -> Move | None:
    """Propose a list or scalar as the value of the one property of the object that belongs there."""
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
