"""Find the intended field of a key that is not a field: "rename X to Y"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from toolgen_runtime.hints.certainty import rule_of
from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.names import likeness, names_secret, opposed, word_likeness, worth_comparing
from toolgen_runtime.hints.problems import Call, Location, Problem, are_forms, may_be
from toolgen_runtime.hints.readings import readings_of
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.schema.spelling import MAX_NAME
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, ValidationIssue, key_text

MAX_COMPARED = 50
"""The most keys of one object that are compared with its fields."""
MAX_CANDIDATES = 3
MAX_READ = 2_000
"""The most characters of a text that is read to see whether it could be the value of another field."""
BY_WORDS = 4
"""The likeness of names that are similar only by their words, not as a whole."""
SHARED_WORD = 6
"""The likeness of names that share only a word; it gives candidates, but is no reason for a rename."""
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_Named = dict[str, Problem]
"""The problems of one object by key, either the missing fields or the unknown keys."""


def match_renames(problems: list[Problem], call: Call) -> list[Problem]:
    """Return the problems; an unknown key meant for a missing field is merged into the line of that field.

    An unknown key that resembles an optional field that was not sent gets that field as `did_you_mean`.
    """
    objects: dict[int, tuple[Location, _Named, _Named]] = {}
    for problem in problems:
        by_name = (problem.missing or problem.unknown) and isinstance(problem.path[-1], str)
        if by_name and isinstance(problem.location.value, dict):
            _, missing, unknown = objects.setdefault(id(problem.location), (problem.location, {}, {}))
            (missing if problem.missing else unknown)[key_text(problem.path[-1])] = problem
    merged: set[int] = set()
    for location, missing, unknown in objects.values():
        merged |= _match(call, location, missing, unknown)
    return [f for f in problems if id(f) not in merged] if merged else problems


def strays_like_fields(location: Location, problems: Sequence[Problem]) -> list[Problem]:
    """Return problems for keys that the schema allows although they resemble fields that were not sent.

    No issue reports these keys: after the other corrections, the call would run without their values.
    """
    sent, node = location.value, location.node
    if not node.properties or len(sent) > MAX_COMPARED:
        return []
    known = {p.path[-1] for p in problems if p.unknown and len(p.path) == 1} | {
        p.rename_from for p in problems
    }
    strays = [k for k in sent if isinstance(k, str) and k not in known and len(k) <= MAX_NAME]
    strays = [k for k in strays if not node.describes(k)]
    missing = {p.path[-1] for p in problems if p.missing}
    free = tuple([n for n in node.properties if n not in sent and n not in missing])
    deeper = node.memo("inner_keys", inner_keys)
    found: dict[str, Problem] = {}
    for level, key, name in _scores(strays, free):
        near = level < (BY_WORDS if key in deeper else SHARED_WORD)
        if near and key not in found and _may_be(sent[key], node.child(name), name):
            issue = ValidationIssue((key,), "unknownKey", None, sent[key])
            found[key] = problem = Problem((key,), issue, "unknownKey", location, node.child(key))
            problem.did_you_mean, problem.edits = name, (_renamed(problem.path, name),)
    return [*found.values()]


def _match(call: Call, location: Location, missing: _Named, unknown: _Named) -> set[int]:
    """Match the keys of one object; return the ids of the unknown keys' problems that were merged into others."""
    sent, node = location.value, location.node
    strays = [key for key in unknown if key in sent]  # issues may be of another payload
    if missing and len(sent) <= 4 * MAX_COMPARED:
        fields = node.properties.keys() | node.required
        strays += [k for k in sent if isinstance(k, str) and k not in unknown and k not in fields]
    strays = [k for k in strays[:MAX_COMPARED] if len(k) <= MAX_NAME]
    if strays:
        _rename(call, location, missing, unknown, strays)
    renamed = {p.rename_from for p in missing.values()}
    lacking = [p for p in missing.values() if p.rename_from is None]
    for key, problem in unknown.items():
        if key not in renamed and not problem.edits:  # a value may belong to a missing field, so it is kept
            value = sent.get(key, MISSING)
            is_empty = any(value == e and type(value) is type(e) for e in _EMPTY)
            if is_empty or not lacking:
                edit = Edit("remove", problem.path)
                problem.propose(edit, rules=[rule_of(edit, value, value, problem.node, node, call)])
    if missing:
        left = [k for k in strays if k not in renamed and k not in unknown and not node.describes(k)]
        (lacking or [*missing.values()][-1:])[0].strays = tuple(left)
    return {id(unknown[key]) for key in renamed if key in unknown}


def _rename(call: Call, location: Location, missing: _Named, unknown: _Named, strays: list[str]) -> None:
    """Propose to rename stray keys to a missing field, or to an optional field that was not sent."""
    sent, node = location.value, location.node
    optional = [n for n in node.properties if n not in sent and n not in missing] if unknown else []
    scores = [
        (s, k, n)
        for s, k, n in _scores(strays, (*missing, *optional))
        if (n in missing or k in unknown) and _may_be(sent[k], node.child(n), n)
    ]
    pairs, rivals = _pair(scores, missing)
    left = [k for k in strays if k not in pairs and k not in rivals]
    pairs |= _by_elimination({n: p for n, p in missing.items() if n not in pairs.values()}, sent, left)
    for key, name in pairs.items():
        problem = missing.get(name) or unknown[key]
        if problem.missing:
            problem.rename_from = key
        else:
            problem.did_you_mean = name
        edit = _renamed((*problem.path[:-1], key), name)
        problem.propose(edit, rules=[rule_of(edit, sent[key], sent[key], problem.node, node, call)])
    for key, likely in rivals.items():
        if key in unknown and key not in pairs:
            unknown[key].candidates = tuple(likely[:MAX_CANDIDATES])
            unknown[key].edits = (_renamed(unknown[key].path, likely[0]),)


def _by_elimination(missing: _Named, sent: dict[str, Any], keys: list[str]) -> dict[str, str]:
    """Return the missing field of each key whose value fits only that field and is the only one that fits it.

    This is a weak reason, so some keys are excluded: those with a boolean or null, with the name of a secret or of
    the field's opposite. Fields that have an alternative (`anyOf`) are excluded too.
    """
    told = [k for k in keys if not names_secret(k) and sent[k] is not None and not isinstance(sent[k], bool)]
    nodes = {n: p.node for n, p in missing.items() if not are_forms(p.issues[0].expected)}
    if len(keys) > 3 or len(nodes) > MAX_COMPARED:
        return {}
    fits = [(k, n) for k in told for n, d in nodes.items() if len(d.types) == 1 and may_be(d, sent[k])]
    left, right = [k for k, _ in fits], [n for _, n in fits]
    alone = [(k, n) for k, n in fits if left.count(k) == right.count(n) == 1]
    return {k: n for k, n in alone if not opposed(k, n) and not names_secret(n)}


def _renamed(path: Path, name: str) -> Edit:
    return Edit("rename", path, (*path[:-1], name))


def _scores(keys: Sequence[str], names: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return (difference, key, name) of all similar pairs, the most similar first."""
    return sorted(
        (s, k, n) for k in keys for n in worth_comparing(k, names) if (s := how_far_apart(k, n)) is not None
    )


def how_far_apart(key: str, name: str) -> int | None:
    """Return the difference of two names, 0 if equal when folded; None if they are not similar or are opposites."""
    spelt = likeness(key, name)
    if spelt == 0:
        return 0
    if opposed(key, name) or names_secret(key) != names_secret(name):
        return None
    found = [s for s in (spelt, word_likeness(key, name)) if s is not None]
    return min(found) if found else None


def _pair(
    scores: list[tuple[int, str, str]], missing: dict[str, Problem]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the field of each key with a single best match, each field once; and the rivals of the other keys."""
    pairs: dict[str, str] = {}
    rivals: dict[str, list[str]] = {}

    def level(scored: tuple[int, str, str]) -> tuple[int, bool, int]:
        # If names are about equally similar, a missing field comes before an optional one.
        score = scored[0]
        return (
            score if score < 3 else max(3, score // SHARED_WORD * SHARED_WORD),
            scored[2] not in missing,
            score,
        )

    for _, alike in groupby(sorted(scores, key=level), level):
        rest = [(k, n) for _, k, n in alike if not (k in pairs or k in rivals or n in pairs.values())]
        keys, names = Counter(k for k, _ in rest), Counter(n for _, n in rest)
        for key, name in rest:
            if keys[key] == names[name] == 1:
                pairs[key] = name
            elif keys[key] > 1:
                rivals.setdefault(key, []).append(name)
    return pairs, {key: sorted(names_of, key=len) for key, names_of in rivals.items()}


def _may_be(value: Any, node: SchemaNode, name: str) -> bool:
    """Return whether a value has a type that a node allows, or can be read as one."""
    if value is None or admits(node.types, json_type(value)):
        return True
    if isinstance(value, str) and len(value) > MAX_READ:
        return value.lstrip()[:1] in ("{", "[") and not {"array", "object"}.isdisjoint(node.types)
    return any(True for _ in readings_of(node, value, node.types, name))


def inner_keys(node: SchemaNode) -> frozenset[str]:
    """Return the keys that the members of an object declare, or the items of members that are lists."""
    children = [node.child(name) for name in node.properties]
    items = [child.child(ANY_ITEM) for child in children if "array" in child.types]
    return frozenset(key for inner in (*children, *items) for key in inner.properties)
