"""A key that is not a field, and the field that was meant by it: "rename X to Y"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.problems import Location, Problem
from toolgen_runtime.hints.similar_names import likeness
from toolgen_runtime.hints.union_forms import are_forms
from toolgen_runtime.hints.values.value_readings import readings_of
from toolgen_runtime.hints.words import names_secret, opposed, word_likeness, words_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.schema.spelling import MAX_NAME, fold
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, key_text

MAX_COMPARED = 50
"""Keys of one object that are compared with each other beyond their folded form."""
MAX_NAMES = 200
"""Names of fields that keys are compared with beyond their folded form."""
MAX_CANDIDATES = 3
_MAX_KEPT = 4_000
"""Characters of names whose comparison is remembered."""
MAX_READ = 2_000
"""Characters of a text that is read to see whether it could stand elsewhere."""
BY_WORDS = 4
"""The likeness of names that are like each other by their words, not as a whole."""
SHARED_WORD = 6
"""The likeness of names that share no more than a word; it names candidates, and renames nothing by itself."""
_EMPTY: tuple[Any, ...] = (None, "", [], {})


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


def strays_like_fields(location: Location, problems: Sequence[Problem]) -> list[Problem]:
    """Return, as problems, the keys that a schema lets pass though they are like fields that were not sent.

    No issue speaks of them, and once the issues are gone the call runs without what they hold.
    """
    sent, node = location.value, location.node
    if not node.properties or not location.has_strays() or len(sent) > MAX_COMPARED or node.closed:
        return []
    known = {p.path[-1] for p in problems if p.unknown and len(p.path) == 1}
    known |= {p.rename_from for p in problems if p.rename_from is not None}
    strays = [k for k in sent if isinstance(k, str) and k not in known]
    strays = [k for k in strays if len(k) <= MAX_NAME and not node.describes(k)]
    missing = {p.path[-1] for p in problems if p.missing}
    free = tuple([n for n in node.properties if n not in sent and n not in missing])
    found: list[Problem] = []
    free = _worth_comparing(strays, free)
    deeper = node.memo("inner_keys", inner_keys)
    for level, key, name in _scores(tuple(strays), free) if strays and free else ():
        if (
            level < (BY_WORDS if key in deeper else SHARED_WORD)
            and _may_be(sent[key], node.child(name), name)
            and key not in {p.path[-1] for p in found}
        ):
            issue = ValidationIssue((key,), "unknownKey", None, sent[key])
            problem = Problem((key,), issue, "unknownKey", location, node.child(key))
            problem.did_you_mean, problem.edits = name, _rename_edit(problem, name, certain=False)
            found.append(problem)
    return found


def _match_object(group: list[Problem], sent: dict[str, Any], node: SchemaNode) -> set[int]:
    """Match the problems of one object; return the ids of the unknown ones that were merged."""
    missing: dict[str, Problem] = {}
    unknown: dict[str, Problem] = {}
    for problem in group:
        (missing if problem.missing else unknown)[key_text(problem.path[-1])] = problem
    strays = [key for key in unknown if key in sent]  # issues may be of another payload
    if missing and len(sent) <= 4 * MAX_COMPARED:
        fields = node.properties.keys() | node.required
        strays += [k for k in sent if isinstance(k, str) and k not in unknown and k not in fields]
    strays = [k for k in strays[:MAX_COMPARED] if len(k) <= MAX_NAME]
    if strays:
        _match_keys(strays, missing, unknown, sent, node)
    renamed = {p.rename_from for p in missing.values()}
    lacking = any(p.rename_from is None for p in missing.values())
    for key, problem in unknown.items():
        if key not in renamed and not problem.edits:
            _leave_out(problem, sent, lacking=lacking)
    if missing:
        left = [k for k in strays if k not in renamed and k not in unknown and not node.describes(k)]
        told = next((p for p in missing.values() if p.rename_from is None), [*missing.values()][-1])
        told.strays = tuple(left)
    return {id(unknown[key]) for key in renamed if key in unknown}


def _match_keys(
    strays: list[str],
    missing: dict[str, Problem],
    unknown: dict[str, Problem],
    sent: dict[str, Any],
    node: SchemaNode,
) -> None:
    optional = [n for n in node.properties if n not in sent and n not in missing] if unknown else []
    names = _worth_comparing(strays, (*_worth_comparing(strays, (*missing,)), *optional))
    scores = [
        (s, k, n)
        for s, k, n in _scores(tuple(strays), names)
        if (n in missing or k in unknown) and _may_be(sent[k], node.child(n), n)
    ]
    pairs, candidates = _pair(scores, missing)
    if missing:
        pairs |= _by_elimination(strays, missing, pairs, sent, candidates)
    for key, name in pairs.items():
        level = next((s for s, k, n in scores if (k, n) == (key, name)), None)
        one_of_many = "array" in node.child(name).types or isinstance(sent[key], list)
        plural = level == 1 and one_of_many and words_of(key) == words_of(name)
        _rename(key, name, level == 0 or plural, missing, unknown)
    for key, likely in candidates.items():
        if key in unknown and key not in pairs:
            unknown[key].candidates = tuple(likely[:MAX_CANDIDATES])
            unknown[key].edits = _rename_edit(unknown[key], likely[0], certain=False)


def _worth_comparing(strays: Sequence[str], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names that strays are compared with: of very many, the first, and those that are spelt alike."""
    if len(names) <= MAX_NAMES:
        return names
    folded = {fold(key) for key in strays}
    return tuple(dict.fromkeys((*[n for n in names if fold(n) in folded], *names[:MAX_NAMES])))


def _rename(
    key: str, name: str, certain: bool, missing: dict[str, Problem], unknown: dict[str, Problem]
) -> None:
    problem = missing.get(name)
    if problem is not None:
        problem.rename_from, problem.rename_sure = key, certain
        path = (*problem.path[:-1], key)
        problem.edits = (Edit("rename", path, problem.path, certain=certain),)
    else:
        problem = unknown[key]
        problem.did_you_mean, problem.rename_sure = name, certain
        problem.edits = _rename_edit(problem, name, certain=certain)


def _rename_edit(problem: Problem, name: str, *, certain: bool) -> tuple[Edit, ...]:
    return (Edit("rename", problem.path, (*problem.path[:-1], name), certain=certain),)


def _leave_out(problem: Problem, sent: dict[str, Any], *, lacking: bool) -> None:
    """Leave out an unknown key with nothing in it; one with a value only if that is not what is missing."""
    value = sent.get(key_text(problem.path[-1]), MISSING)
    empty = any(value == e and type(value) is type(e) for e in _EMPTY)
    problem.rename_sure = empty
    if empty or not lacking:
        problem.edits = (Edit("remove", problem.path, certain=empty),)


def _scores(keys: tuple[str, ...], names: tuple[str, ...]) -> list[tuple[int, str, str]]:
    """(how far apart, key, name) of all that are alike."""
    is_small = sum(map(len, keys)) + sum(map(len, names)) <= _MAX_KEPT
    return (_known_scores if is_small else _known_scores.__wrapped__)(keys, names)


@lru_cache(maxsize=256)
def _known_scores(keys: tuple[str, ...], names: tuple[str, ...]) -> list[tuple[int, str, str]]:
    return sorted((s, k, n) for k in keys for n in names if (s := how_far_apart(k, n)) is not None)


def how_far_apart(key: str, name: str) -> int | None:
    """Return how far apart two names are, 0 the same when folded; None where they are not alike, or say opposites."""
    spelt = likeness(key, name)
    if spelt == 0:
        return 0
    if opposed(key, name) or names_secret(key) != names_secret(name):
        return None
    by_words = word_likeness(key, name)
    found = [s for s in (spelt, by_words) if s is not None]
    return min(found) if found else None


def _pair(
    scores: list[tuple[int, str, str]], missing: dict[str, Problem]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Pairs of which each key and each name is in one only, and where the best match is the only one; and rivals."""
    pairs: dict[str, str] = {}
    rivals: dict[str, list[str]] = {}
    levels: dict[tuple[int, bool, int], list[tuple[str, str]]] = {}
    for score, key, name in scores:
        levels.setdefault((_tier(score), name not in missing, score), []).append((key, name))
    for level in sorted(levels):
        taken = set(pairs.values())
        rest = [(k, n) for k, n in levels[level] if k not in pairs and k not in rivals and n not in taken]
        keys, names = Counter(k for k, _ in rest), Counter(n for _, n in rest)
        for key, name in rest:
            if keys[key] == names[name] == 1:
                pairs[key] = name
            elif keys[key] > 1:
                rivals.setdefault(key, []).append(name)
    for names_of in rivals.values():
        names_of.sort(key=len)
    return pairs, rivals


def _tier(score: int) -> int:
    """Return how well names are alike; within one tier, a missing field is rather meant than an optional one."""
    return score if score < 3 else 3 if score < SHARED_WORD else SHARED_WORD


def _by_elimination(
    strays: list[str],
    missing: dict[str, Problem],
    pairs: dict[str, str],
    sent: dict[str, Any],
    rivals: dict[str, list[str]],
) -> dict[str, str]:
    """Keys whose value fits exactly one of the missing fields, and is the only one to fit it.

    A weak reason, so a boolean is never moved by it: a flag says nothing about which flag it is. Nor is a secret, a
    key that says the opposite, or one for a field of which another would do as well.
    """
    keys = [k for k in strays if k not in pairs and k not in rivals and not names_secret(k)]
    names = [n for n in missing if n not in pairs.values() and not are_forms(missing[n].issues[0].expected)]
    if not keys or not names or len(keys) > 3 or len(names) > MAX_COMPARED:
        return {}
    fits = [(k, n) for k in keys for n in names if _is_of_type(sent.get(k, MISSING), missing[n].node)]
    left, right = [k for k, _ in fits], [n for _, n in fits]
    return {
        k: n
        for k, n in fits
        if left.count(k) == right.count(n) == 1 and not opposed(k, n) and not names_secret(n)
    }


def _is_of_type(value: object, node: SchemaNode) -> bool:
    """Return whether a value has the one type of a place; that a text is where almost anything may be says nothing."""
    if value is MISSING or value is None or isinstance(value, bool) or len(node.types) != 1:
        return False
    return admits(node.types, json_type(value)) and (not node.allowed or is_one_of(value, node.allowed))


def _may_be(value: Any, node: SchemaNode, name: str) -> bool:
    """Return whether a value is of a type that a place takes, or can be read as one."""
    if value is None or admits(node.types, json_type(value)):
        return True
    if isinstance(value, str) and len(value) > MAX_READ:
        return value.lstrip()[:1] in ("{", "[") and not {"array", "object"}.isdisjoint(node.types)
    return any(True for _ in readings_of(node, value, node.types, name))


def inner_keys(node: SchemaNode) -> frozenset[str]:
    """Return the keys that the members of an object, or the items of those that are lists, declare."""
    children = [node.child(name) for name in node.properties]
    items = [child.child(ANY_ITEM) for child in children if "array" in child.types]
    return frozenset(key for inner in (*children, *items) for key in inner.properties)
