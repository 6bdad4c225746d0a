"""Two fields in the text of one: `repo: "octo/site"` where `owner` and `repo` are wanted."""

from __future__ import annotations

import re
from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.levels.moves import Move, Place
from toolgen_runtime.hints.text import choice, shown
from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits

MAX_PAIR = 200
"""Characters of a text that is taken apart."""
_PAIR = re.compile(r"(?:https?://[\w.-]+/|git@[\w.-]+:)?([\w.-]+)/([\w.-]+?)(?:\.git)?/?")
_OWNER_NAMES = "owner org organization namespace workspace group user username account team"
_OWNERS = frozenset(_OWNER_NAMES.split())
_OWNED_NAMES = "repo repository project name slug model dataset package"
_OWNED = frozenset(_OWNED_NAMES.split())


def split_pair(place: Place) -> Move | None:
    """Return the move of an owner out of a text that names the owner and what is owned."""
    value, node = place.location.value, place.location.node
    owners = [n for n in place.missing if _is_one_of(n, _OWNERS, node)]
    if not isinstance(value, dict) or len(owners) != 1 or node.schema.has_secrets:
        return None
    missing = [n for n in place.missing if n != owners[0] and _is_one_of(n, _OWNED, node)]
    found = [
        (key, match)
        for key, text in value.items()
        if isinstance(text, str) and len(text) <= MAX_PAIR and (match := _PAIR.fullmatch(text)) is not None
        if (key not in node.properties and missing) or (not missing and _is_one_of(key, _OWNED, node))
    ]
    if len(found) != 1 or len(missing) > 1:
        return None
    key, match = found[0]
    return _split(place, key, owners[0], missing[0] if missing else key, match)


def has_owner(node: SchemaNode) -> bool:
    """Return whether an object, or one in it, must name an owner."""
    nodes = [node, *[node.child(name) for name in node.properties]]
    return any(_is_one_of(name, _OWNERS, one) for one in nodes for name in one.required)


def _split(place: Place, key: str, owner: str, owned: str, match: re.Match[str]) -> Move:
    edits = [Edit("set", (*place.path, owner), value=match[1])]
    if owned != key:
        edits.append(Edit("rename", (*place.path, key), (*place.path, owned)))
    edits.append(Edit("set", (*place.path, owned), value=match[2]))
    said = f"did you mean {choice(owner)} {shown(match[1])} and {choice(owned)} {shown(match[2])}?"
    return Move((*place.path, owner), tuple(edits), said, False)


def _is_one_of(name: Any, words: frozenset[str], node: SchemaNode) -> bool:
    """Return whether a field's name ends in one of these words, and a text may stand there."""
    if not isinstance(name, str) or name not in node.properties:
        return False
    child = node.child(name)
    return words_of(name)[-1:] != () and words_of(name)[-1] in words and admits(child.types, "string")
