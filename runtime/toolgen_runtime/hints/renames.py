"""A missing key and an unknown key that are the same thing, misspelt: one line, "rename X to Y"."""

from __future__ import annotations

from functools import lru_cache

from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.similar_names import likeness
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.schema.spelling import MAX_NAME
from toolgen_runtime.validation.issues import MISSING, key_text

MAX_COMPARED = 50
"""Keys of one object that are compared with each other beyond their folded form."""


def match_renames(problems: list[Problem]) -> list[Problem]:
    """Return the problems with each unknown key that was meant for a missing one merged into that one's line.

    An unknown key that is like a declared key which the object does not have yet learns that key as `did_you_mean`.
    """
    objects: dict[int, list[Problem]] = {}
    for problem in problems:
        by_name = (problem.missing or problem.unknown) and isinstance(problem.path[-1], str)
        if by_name and isinstance(problem.location.value, dict):
            objects.setdefault(id(problem.location), []).append(problem)
    merged: set[int] = set()
    for group in objects.values():
        merged |= _match_object(group, group[0].location.value, group[0].location.node)
    return [f for f in problems if id(f) not in merged] if merged else problems


def _match_object(group: list[Problem], sent: dict[str, object], node: SchemaNode) -> set[int]:
    """Match the problems of one object; return the ids of the unknown ones that were merged."""
    missing: dict[str, Problem] = {}
    unknown: dict[str, Problem] = {}
    for problem in group:
        (missing if problem.missing else unknown)[key_text(problem.path[-1])] = problem
    strays = list(unknown)
    if missing and len(sent) <= 4 * MAX_COMPARED:
        strays += [k for k in sent if isinstance(k, str) and k not in unknown and k not in node.properties]
    if not strays:
        return set()
    strays = [k for k in strays[:MAX_COMPARED] if len(k) <= MAX_NAME]
    pairs = dict(_alike(tuple(strays), tuple(missing)))
    for key, name in pairs.items():
        missing[name].rename_from, missing[name].rename_sure = key, True
    if missing and unknown:
        for key, name in _by_elimination(unknown, missing, pairs, sent).items():
            missing[name].rename_from = key
            pairs[key] = name
    left = tuple([k for k in strays if k in unknown and k not in pairs])
    if left:
        for key, name in _alike(
            left, tuple([n for n in node.properties if n not in sent and n not in missing])
        ):
            unknown[key].did_you_mean = name
    return {id(unknown[key]) for key in pairs if key in unknown}


@lru_cache(maxsize=256)
def _alike(keys: tuple[str, ...], names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Pairs that are alike, each key and each name in one pair only and only where the best match is the only one."""
    names = names[: 4 * MAX_COMPARED]
    scores = [(s, k, n) for k in keys for n in names if (s := likeness(k, n)) is not None]
    pairs: dict[str, str] = {}
    for level in sorted({s for s, _, _ in scores}):
        rest = [(k, n) for s, k, n in scores if s == level and k not in pairs and n not in pairs.values()]
        keys_seen, names_seen = [k for k, _ in rest], [n for _, n in rest]
        pairs |= {k: n for k, n in rest if keys_seen.count(k) == names_seen.count(n) == 1}
    return list(pairs.items())


def _by_elimination(
    unknown: dict[str, Problem], missing: dict[str, Problem], pairs: dict[str, str], sent: dict[str, object]
) -> dict[str, str]:
    """Forbidden keys whose value fits exactly one of the missing fields, and is the only one to fit it.

    A weak reason, so a boolean is never moved by it: a flag says nothing about which flag it is.
    """
    keys = [k for k in unknown if k not in pairs]
    names = [n for n in missing if n not in pairs.values()]
    if not keys or not names or len(keys) > 3 or len(names) > MAX_COMPARED:
        return {}
    fits = [(k, n) for k in keys for n in names if _fits(sent.get(k, MISSING), missing[n].node)]
    left, right = [k for k, _ in fits], [n for _, n in fits]
    return {k: n for k, n in fits if left.count(k) == right.count(n) == 1}


def _fits(value: object, node: SchemaNode) -> bool:
    if value is MISSING or value is None or isinstance(value, bool) or not node.types:
        return False
    if node.allowed:
        return type(value) is str and value in node.allowed
    return admits(node.types, json_type(value))
