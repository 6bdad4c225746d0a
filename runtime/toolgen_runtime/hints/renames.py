"""Find the field that an object's unknown key means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from toolgen_runtime.hints.names import (
    likeness,
    names_secret,
    opposed,
    word_likeness,
    worth_comparing,
)
from toolgen_runtime.hints.problems import Call, Location, Problem, are_forms, may_be
from toolgen_runtime.hints.values import readings_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type

MAX_KEYS_COMPARED = 50
"""The most keys of one object that are compared with its fields."""
MAX_CANDIDATES = 3
MAX_TEXT_READ = 2_000
"""The most characters of a text that is read to see whether it could be the value of another field."""
BY_WORDS = 4
"""The likeness of names that are similar only by their words, not as a whole."""
SHARED_WORD = 6
"""The likeness of names that share only a word; it gives candidates, but is no reason for a rename."""


class Keys(NamedTuple):
    """The missing and the unknown keys of one object."""

    call: Call
    location: Location
    missing: dict[str, Problem]
    unknown: dict[str, Problem]
    undeclared: list[str]
    """The sent keys that may be meant for another field, the reported ones first."""

    @property
    def node(self) -> SchemaNode:
        """The schema of the object."""
        return self.location.node

    @property
    def sent(self) -> Mapping[str, Any]:
        """The object that was sent."""
        value: Mapping[str, Any] = self.location.value
        return value


class Renames(NamedTuple):
    """What unknown keys may mean. A key is in at most one of the dicts."""

    renames: dict[str, str]
    """The field that a key means."""
    rivals: dict[str, list[str]]
    """The equally likely fields of a key."""
    spare: dict[str, str]
    """The field that a key resembles, for which another key fits better."""


def find_renames(keys: Keys) -> Renames:
    """Return which fields the undeclared keys may mean."""
    if not keys.undeclared:
        return Renames({}, {}, {})
    fields = dict.fromkeys((*keys.missing, *keys.node.properties))
    scores = [
        (score, key, name)
        for score, key, name in similar_pairs(keys.undeclared, [n for n in fields if n not in keys.sent])
        if (name in keys.missing or key in keys.unknown)
        and may_become(keys.sent[key], keys.node.child(name), name)
    ]
    pairs, rivals = _pair(scores, keys.missing)
    left = [key for key in keys.undeclared if key not in pairs and key not in rivals]
    spare = {
        key: name
        for score, key, name in scores
        if key in left and score < SHARED_WORD and name in pairs.values()
    }
    free = [name for name in keys.missing if name not in pairs.values()]
    return Renames({**pairs, **_by_elimination(keys, free, left)}, rivals, spare)


def _by_elimination(keys: Keys, names: Sequence[str], left: Sequence[str]) -> dict[str, str]:
    """Match each remaining key with a missing field by its value, and return the matches.

    A key matches if its value fits exactly one field, and no other key's value fits this field. This is weak evidence,
    so some keys are excluded: keys with a boolean or null, keys with the name of a secret, and keys whose name is the
    opposite of the field's. Fields that have an alternative (`anyOf`) are excluded too.
    """
    sent, wide = keys.sent, keys.location.wide
    named = [k for k in left if not names_secret(k) and sent[k] is not None and not isinstance(sent[k], bool)]
    nodes = {n: wide.child(n) for n in names if not are_forms(keys.missing[n].issues[0].expected)}
    if len(left) > MAX_CANDIDATES or len(nodes) > MAX_KEYS_COMPARED:
        return {}
    plain = {n: node for n, node in nodes.items() if node.allowed or len(node.types) == 1}
    fits = [(k, n) for k in named for n, node in plain.items() if may_be(node, sent[k])]
    times = Counter(name for fit in fits for name in {*fit})
    return {k: n for k, n in fits if times[k] == times[n] == 1 and not opposed(k, n) and not names_secret(n)}


def similar_pairs(keys: Sequence[str], names: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return (difference, key, name) for all similar pairs, the most similar pair first."""
    return sorted(
        (s, k, n) for k in keys for n in worth_comparing(k, names) if (s := how_far_apart(k, n)) is not None
    )


def how_far_apart(key: str, name: str) -> int | None:
    """Measure the difference between two names. Lower is more similar.

    It is 0 if they are equal when folded, and None if they are not similar or are opposites.
    """
    found = [s for s in (likeness(key, name), word_likeness(key, name)) if s is not None]
    if not found or 0 in found:
        return min(found, default=None)
    if opposed(key, name) or names_secret(key) != names_secret(name):
        return None
    return min(found)


def _pair(
    scores: list[tuple[int, str, str]], missing: Mapping[str, Problem]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the field for each key that has one best match; no field is used twice.

    For each other key, return the fields that match it equally well.
    """
    pairs: dict[str, str] = {}
    rivals: dict[str, list[str]] = {}

    def level(scored: tuple[int, str, str]) -> tuple[bool, bool, int]:
        # If names are about equally similar, a missing field comes before an optional one.
        score, _, name = scored
        return score >= SHARED_WORD, name not in missing, score

    for _, alike in groupby(sorted(scores, key=level), level):
        rest = [(k, n) for _, k, n in alike if not (k in pairs or k in rivals or n in pairs.values())]
        keys, names = Counter(k for k, _ in rest), Counter(n for _, n in rest)
        for key, name in rest:
            if keys[key] == names[name] == 1:
                pairs[key] = name
            elif keys[key] > 1:
                rivals.setdefault(key, []).append(name)
    return pairs, {key: sorted(names_of, key=len) for key, names_of in rivals.items()}


def may_become(value: Any, node: SchemaNode, name: str) -> bool:
    """Return whether a value has a type that a node allows, or can be converted to one."""
    if value is None or admits(node.types, json_type(value)):
        return True
    if isinstance(value, str) and len(value) > MAX_TEXT_READ:
        return value.lstrip()[:1] in ("{", "[") and not {"array", "object"}.isdisjoint(node.types)
    return bool(readings_of(node, value, node.types, name))
