"""Values at another level under another name: `latitude` for `location.lat`, `project: {key}` for `project_key`.

A name is compared with the names on the way to a place, joined or word by word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.fits import sole_holder
from toolgen_runtime.hints.levels.moves import MAX_KEYS, Move, Place, series
from toolgen_runtime.hints.renames import SHARED_WORD, could_be, how_far_apart
from toolgen_runtime.hints.text import choice
from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.spelling import MAX_NAME, fold
from toolgen_runtime.validation.issues import MISSING

MAX_DEPTH = 3
"""Objects within one another in which a name is looked for."""
MAX_TARGETS = 100
"""Places that a name is compared with."""
_SAME, _BY_WORDS, _BY_LAST_NAME = range(3)
"""How a name is like a path: its names joined, their words, its last name only."""


_OWN_NAMES = frozenset(("name", "id", "key", "value", "title", "text", "number", "slug", "code", "login"))
"""Members that stand for the object that they are in."""


class Target(NamedTuple):
    """A place in an object further down where nothing was sent."""

    path: Path
    node: SchemaNode
    above: SchemaNode
    """The object that it is in."""
    needed: bool
    """Whether it must be there, as must the objects on the way to it."""


class Match(NamedTuple):
    """A value and the place that it may belong to; when sorted, the likeliest come first."""

    level: int
    optional: bool
    apart: int
    source: Path
    target: Path

    @property
    def rank(self) -> tuple[int, bool, int]:
        """How likely it is."""
        return self[:3]


def sink_surely(place: Place) -> Move | None:
    """Return the move of keys whose names are those of places further down, if all is valid then."""
    matches = place.once(_downward)
    if any(m.level != _SAME or m.optional or 0 in m.target for m in matches) or not _renames(matches):
        return None
    return _move(place, matches, certain=True)


def sink(place: Place) -> Move | None:
    """Return the move of keys that are like places further down."""
    matches = place.once(_downward)
    return _move(place, matches, certain=False) if matches else None


def rise_surely(place: Place) -> Move | None:
    """Return the move of members whose names, joined with their object's, are fields here, if all is valid then."""
    matches = place.once(_upward)
    if any(m.level != _SAME for m in matches) or not _renames(matches):
        return None
    return _move(place, matches, certain=True)


def rise(place: Place) -> Move | None:
    """Return the move of members of objects that are not fields to fields that are like them.

    It is certain where each member of such an object has the very name of a field.
    """
    matches = place.once(_upward)
    if not matches:
        return None
    value = place.location.value
    whole = sum(len(value[holder]) for holder in {m.source[0] for m in matches}) == len(matches)
    certain = whole and all(m.source[1:] == m.target for m in matches)
    return _move(place, matches, certain=certain)._replace(whole=False)


def _renames(matches: Sequence[Match]) -> bool:
    """Return whether any value gets another name: what keeps its name is for `nesting` to move."""
    return any(m.source[-1] != m.target[-1] for m in matches)


def _move(place: Place, matches: Sequence[Match], *, certain: bool) -> Move:
    """Return the move of each value to its place; an object that is not a field goes, once nothing is left in it."""
    edits = [
        Edit("move", (*place.path, *m.source), (*place.path, *m.target), certain=certain) for m in matches
    ]
    holders = dict.fromkeys(m.source[0] for m in matches if len(m.source) > 1)
    for holder in holders:
        if all(any((holder, k) == m.source[:2] for m in matches) for k in place.location.value[holder]):
            edits.append(Edit("remove", (*place.path, holder), certain=certain))
    send = f"send {series([f'{_shown(m.source)} as {_shown(m.target)}' for m in matches])}"
    first = {m.target[0] for m in matches}
    at = (*place.path, *first) if len(first) == 1 else place.path
    said = f"{send}." if certain else f"did you mean to {send}?"
    return Move(at, tuple(edits), said, certain, whole=certain)


def _shown(path: Path) -> str:
    return ".".join(choice(str(step)) for step in path)


# -- down ---------------------------------------------------------------------------------------------------


def _downward(place: Place) -> list[Match]:
    """Return the keys that are like one place further down, each with that place."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or len(value) > MAX_KEYS or not node.memo("has_objects", _has_objects):
        return []
    strays = [k for k in value if isinstance(k, str) and k not in node.properties and len(k) <= MAX_NAME]
    targets = [*_targets(node, value, ())][:MAX_TARGETS] if strays else []
    free = [n for n in node.properties if n not in value][:MAX_TARGETS]
    found: list[Match] = []
    for key in strays if targets else ():
        here = _nearest_here(key, value[key], node, free)
        matches = [m for t in targets if (m := _match(key, value[key], t)) is not None]
        found += [m for m in matches if here is None or (m.level == _SAME and here > 1)]
    return _one_each(found)


def _has_objects(node: SchemaNode) -> bool:
    children = [node.child(name) for name in node.properties]
    return any("object" in c.types or ("array" in c.types and "object" in c.child(0).types) for c in children)


def _nearest_here(key: str, value: Any, node: SchemaNode, free: Sequence[str]) -> int | None:
    """Return how far a key is from the field of this very object that it is most like; None if from all of them."""
    found = [d for n in free if (d := _apart(key, n)) is not None and could_be(value, node.child(n))]
    return min(found, default=None)


def _apart(key: str, name: str) -> int | None:
    found = how_far_apart(key, name)
    return None if found is None or found >= SHARED_WORD else found


def _targets(node: SchemaNode, value: Any, above: Path, *, needed: bool = True) -> Iterator[Target]:
    """Yield the free places in the objects below one; the object itself is `value`, `MISSING` if it was not sent."""
    for name in [*node.properties][:MAX_TARGETS]:
        child = node.child(name)
        sent = value.get(name, MISSING) if isinstance(value, dict) else MISSING
        path, must = (*above, name), needed and name in node.required
        if above and sent is MISSING:
            yield Target(path, child, node, must)
        if len(above) >= MAX_DEPTH:
            continue
        if "object" in child.types and (sent is MISSING or isinstance(sent, dict)):
            yield from _targets(child, sent, path, needed=must)
        elif "array" in child.types and sent is MISSING and "object" in child.child(0).types:
            yield from _targets(child.child(0), MISSING, (*path, 0), needed=must)


def _match(key: str, value: Any, target: Target) -> Match | None:
    """Return how a key is like a place, if its value may stand there."""
    if not could_be(value, target.node):
        return None
    path, folded = target.path, fold(key)
    names = [step for step in path if isinstance(step, str)]
    last, holder = names[-1], names[-2]
    joined = any(folded == fold("_".join(names[i:])) for i in range(len(names) - 1))
    if joined or (folded == fold(last) and len(names) == 2 and target.needed):
        return Match(_SAME, not target.needed, 0, (key,), path)
    if sole_holder(target.above, value) == last and (apart := _apart(key, holder)) is not None:
        return Match(_BY_WORDS, not target.needed, apart, (key,), path)
    own, around = words_of(key), words_of(holder)
    if own[: len(around)] == around and own[len(around) :]:
        apart = _apart("_".join(own[len(around) :]), last)
        if apart is not None:
            return Match(_BY_WORDS, not target.needed, apart, (key,), path)
    apart = _apart(key, last)
    if apart is None or not (target.needed or apart == 0):
        return None
    return Match(_BY_LAST_NAME, not target.needed, apart + len(path) - len(names), (key,), path)


def _one_each(found: list[Match]) -> list[Match]:
    """Return the best match of each value and place, without those that are no better than another."""
    chosen: list[Match] = []
    doubted: set[Path] = set()
    for match in sorted(found, key=lambda m: (m.rank, m.source, [str(s) for s in m.target])):
        if match.source in doubted or any(m.source == match.source for m in chosen):
            continue
        rivals = [m for m in found if m is not match and m.rank == match.rank]
        if any(m.source == match.source or m.target == match.target for m in rivals):
            doubted.add(match.source)
        elif not any(_overlap(m.target, match.target) for m in chosen):
            chosen.append(match)
    return sorted(chosen, key=lambda m: found.index(m))


def _overlap(a: Path, b: Path) -> bool:
    """Return whether one place is the other, or in it."""
    least = min(len(a), len(b))
    return a[:least] == b[:least]


# -- up -----------------------------------------------------------------------------------------------------


def _upward(place: Place) -> list[Match]:
    """Return the members of objects that are not fields, each with the field here that it is like."""
    value, node = place.location.value, place.location.node
    if not isinstance(value, dict) or len(value) > MAX_KEYS:
        return []
    free = [n for n in node.properties if n not in value][:MAX_TARGETS]
    found: list[Match] = []
    for holder, inner in value.items():
        if isinstance(holder, str) and holder not in node.properties and isinstance(inner, dict):
            for source, member in [*_members(inner, (holder,))][:MAX_TARGETS]:
                alone = len(inner) == 1 and len(source) == 2
                for name in free:
                    if could_be(member, node.child(name)):
                        match = _match_upward(source, name, needed=name in node.required, alone=alone)
                        found += [match] if match is not None else []
    return _one_each(found)


def _members(value: dict[Any, Any], above: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the members of an object, and of those in it, with their paths."""
    for key, member in value.items():
        if isinstance(key, str) and len(key) <= MAX_NAME:
            yield (*above, key), member
            if isinstance(member, dict) and len(above) < MAX_DEPTH:
                yield from _members(member, (*above, key))


def _match_upward(source: Path, name: str, *, needed: bool, alone: bool) -> Match | None:
    """Return how a member is like a field; `alone`: it is the only one of its object."""
    holder, key, folded = str(source[-2]), str(source[-1]), fold(name)
    if folded == fold(f"{holder}_{key}") or (folded == fold(key) and (len(source) == 2 or needed)):
        return Match(_SAME, not needed, 0, source, (name,))
    around, own, wanted = set(words_of(holder)), set(words_of(key)), set(words_of(name))
    if own < wanted <= around | own:
        return Match(_BY_WORDS, not needed, 0, source, (name,))
    if (alone or len(source) > 2) and key in _OWN_NAMES and (apart := _apart(holder, name)) is not None:
        return Match(_BY_WORDS, not needed, apart, source, (name,))
    apart = _apart(key, name) if needed and len(source) == 2 else None
    return None if apart is None else Match(_BY_LAST_NAME, False, apart, source, (name,))
