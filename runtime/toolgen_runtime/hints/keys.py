"""Correct an object's keys: misspelled keys, unknown keys and missing fields.

`propose_keys` looks at all keys of an object together, because a key can stand for only one field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolgen_runtime.hints.certainty import rule_of
from toolgen_runtime.hints.edits import Edit, apply_edits, at
from toolgen_runtime.hints.names import conditions, parts_of
from toolgen_runtime.hints.problems import Call, Problem, may_be, problem_of
from toolgen_runtime.hints.proposals import NONE, Proposal, proposal
from toolgen_runtime.hints.quoting import compact, name_shown
from toolgen_runtime.hints.renames import (
    BY_WORDS,
    MAX_CANDIDATES,
    MAX_KEYS_COMPARED,
    MAX_TEXT_READ,
    SHARED_WORD,
    Keys,
    find_renames,
    may_become,
    similar_pairs,
)
from toolgen_runtime.schema.node import Path, SchemaNode, once_per_node
from toolgen_runtime.schema.raw import named
from toolgen_runtime.schema.spelling import MAX_COMPARED_NAME, fold
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, ValidationIssue, key_text

MAX_VALUES_READ = 1_000
"""The maximum number of values that are searched for a contradiction to a default."""
MAX_DEFAULT = 60
"""The most characters of a default, as JSON, that a sentence names."""
_EMPTY: tuple[Any, ...] = (None, "", [], {})


def propose_keys(problems: Sequence[Problem], call: Call) -> tuple[dict[Path, Proposal], set[Path]]:
    """Propose a correction for each missing or unknown key, where there is one.

    Also return the paths that another problem's line explains.
    """
    proposals: dict[Path, Proposal] = {}
    explained: set[Path] = set()
    for keys in _objects(problems, call):
        renames, rivals, spare = find_renames(keys)
        for key, name in renames.items():
            problem = keys.missing.pop(name, None) or keys.unknown[key]
            proposals[problem.path] = _renamed(keys, key, name, problem)
            if name in spare.values():
                proposals[problem.path] = proposals[problem.path].doubted()
            if problem.missing and key in keys.unknown:
                explained.add(keys.unknown[key].path)
        left = [key for key in keys.undeclared if key not in renames]
        for problem in keys.missing.values():
            proposals[problem.path] = _fill_in(keys, problem, left)
        for key, problem in keys.unknown.items():
            if key not in renames and key not in spare:
                proposals[problem.path] = _for_unknown(keys, key, problem, rivals.get(key, []))
        # The line of the first missing field names the undeclared keys that no issue reports.
        if left and keys.missing:
            known, wide = keys.unknown, keys.location.wide
            unnamed = tuple([k for k in left if k not in known and not wide.describes(k)])
            path = next(iter(keys.missing.values())).path
            proposals[path] = proposals[path]._replace(undeclared=unnamed)
    return proposals, explained


def _objects(problems: Sequence[Problem], call: Call) -> Iterator[Keys]:
    """Yield the objects that have missing or unknown keys."""
    groups: dict[Path, list[Problem]] = {}
    for problem in problems:
        if (problem.missing or problem.unknown) and isinstance(problem.location.value, dict):
            groups.setdefault(problem.path[:-1], []).append(problem)
    for group in groups.values():
        location = group[0].location
        missing = {key_text(p.path[-1]): p for p in group if p.missing}
        unknown = {key_text(p.path[-1]): p for p in group if p.unknown}
        names = [key for key in unknown if key in location.value]  # issues may be of another payload
        if missing:
            required = location.node.required
            names += [k for k in location.undeclared if k not in unknown and k not in required]
        # Another spelling of a field that was sent is not meant for a third one.
        spelt = {fold(name) for name in location.node.properties if name in location.value}
        names = [key for key in names[:MAX_KEYS_COMPARED] if fold(key) not in spelt]
        compared = [key for key in names if len(key) <= MAX_COMPARED_NAME]
        yield Keys(call, location, missing, unknown, compared)


def _rename(path: Path, name: str) -> Edit:
    return Edit("rename", path, (*path[:-1], name))


def _renamed(keys: Keys, key: str, name: str, problem: Problem) -> Proposal:
    """Propose to rename a key to a field's name."""
    edit, value = _rename((*problem.path[:-1], key), name), keys.sent[key]
    rule = rule_of(edit, value, value, problem.node, keys.node, keys.call)
    if problem.missing:
        return proposal((edit,), (rule,), rename_from=key)
    return proposal((edit,), (rule,), did_you_mean=name)


# -- missing fields ------------------------------------------------------------------------------------------------


def _fill_in(keys: Keys, problem: Problem, left: Sequence[str]) -> Proposal:
    """Return the proposal for a missing field that no key was meant for, with a value that the schema itself gives."""
    path, node = problem.path, problem.node
    name = key_text(path[-1])
    if not keys.sent and len(path) > 1:
        around = keys.call.locate(path[:-2])
        if isinstance(around.value, dict) and path[-2] not in around.node.required:
            order = f"remove the key {name_shown(str(path[-2]))} if you have none"
            return Proposal((Edit("remove", path[:-1]),), order=order)
    if problem.secret:
        return NONE
    if keys.location.tags(name):
        return _tag_of_sent_fields(keys, name, path)
    if len(node.allowed) == 1:
        return Proposal((Edit("set", path, None, node.allowed[0]),))
    defaults = [raw["default"] for raw in node.raws if raw.get("default") is not None]
    if not defaults or not may_be(node, defaults[0]) or not (text := compact(defaults[0], MAX_DEFAULT)):
        return NONE
    edit, rule = Edit("set", path, None, defaults[0]), ""
    if not left and not keys.location.wide.unions and not _is_said_otherwise(keys, name, node, defaults[0]):
        rule = rule_of(edit, MISSING, defaults[0], node, keys.node, keys.call)
    asked = f"did you mean {text}, the default"
    return proposal((edit,), (rule,), order=f"send {text} (the default)", question=asked)


def _is_said_otherwise(keys: Keys, name: str, node: SchemaNode, default: Any) -> bool:
    """Return whether a default may contradict what was sent.

    This is so if the payload has the field elsewhere, or if one of its texts names the field or another of its values:
    with `5 EUR` as the amount, the currency is not the default.
    """
    others = [v for v in node.allowed[:MAX_KEYS_COMPARED] if isinstance(v, str) and v and v != default]
    pattern = "|".join((r"[\s_-]*".join(map(re.escape, parts_of(name))), *map(re.escape, others)))
    said = re.compile(rf"(?<![^\W\d_])(?:{pattern})(?![^\W\d_])", re.IGNORECASE)
    todo = [keys.call.payload]
    for value in todo:  # grows while it is read
        if isinstance(value, str) and said.search(value[:MAX_TEXT_READ]):
            return True
        if isinstance(value, dict):
            if name in value:
                return True
            todo += value.values()
        elif isinstance(value, list):
            todo += value
        if len(todo) > MAX_VALUES_READ:
            return True
    return False


def _tag_of_sent_fields(keys: Keys, name: str, path: Path) -> Proposal:
    """Propose the tag of the branch that declares all sent keys, if there is exactly one such branch."""
    branches = keys.location.wide.all_branches
    fitting = [node.child(name).allowed for node in branches if node.properties.keys() >= {*keys.sent}]
    if not keys.sent or len(fitting) != 1 or len(fitting[0]) != 1:
        return NONE
    return Proposal((Edit("set", path, None, fitting[0][0]),), did_you_mean=fitting[0][0])


# -- unknown keys --------------------------------------------------------------------------------------------------


def _for_unknown(keys: Keys, key: str, problem: Problem, rivals: Sequence[str]) -> Proposal:
    """Return the proposal for an unknown key that is not renamed to a field.

    The proposal is another place for its value, a choice of fields, or its removal.
    """
    path, value = problem.path, keys.sent.get(key, MISSING)
    if rivals:
        return Proposal((_rename(path, rivals[0]),), candidates=tuple(rivals[:MAX_CANDIDATES]))
    is_named = problem.constraint == "propertyNames" or key_patterns(keys.node)
    if is_named and (spelt := _valid_spelling(keys, key, path)):
        return Proposal((_rename(path, spelt),), did_you_mean=spelt)
    if target := _written_path(keys, key):
        edit = Edit("move", path, (*path[:-1], *target))
        nested = "…"
        for step in reversed(target):
            nested = f"{{{name_shown(step)}: {nested}}}"
        return Proposal((edit,), question=f"did you mean {nested}")
    if keys.missing:
        if value not in _EMPTY:
            return NONE  # its value may belong to a missing field, so it is kept
    elif (name := _open_object(keys)) != "":
        into = f"not a field: did you mean to put it into {name_shown(name)}"
        return Proposal((Edit("move", path, (*path[:-1], name, key)),), question=into)
    edit = Edit("remove", path)
    return proposal((edit,), (rule_of(edit, value, value, problem.node, keys.node, keys.call),))


def key_patterns(node: SchemaNode) -> list[str]:
    """Return the patterns that describe keys of an object."""
    return [pattern for raw in node.raws for pattern in named(raw, "patternProperties")]


def _valid_spelling(keys: Keys, key: str, path: Path) -> str:
    """Return another spelling of a map's key that the check accepts; an empty string if there is none."""
    words = parts_of(key)
    if key not in keys.sent or not words or len(keys.unknown) > MAX_CANDIDATES:
        return ""  # each spelling costs a check
    for name in ("_".join(words), "-".join(words), "".join(words), "_".join(words).upper()):
        edit = _rename(path, name)
        if name not in keys.sent:
            left = keys.call.issues_of(apply_edits(keys.call.payload, [edit]))
            if not any(issue.path[: len(path)] == edit.to for issue in left):
                return name
    return ""


def _written_path(keys: Keys, key: str) -> tuple[str, ...]:
    """Return the path that a key spells out, such as `loc.lat` or `loc[lat]`.

    Return an empty path if the schema does not declare it, or if it already has a value.
    """
    steps = tuple(key.replace("[", ".").replace("]", "").split("."))
    node = keys.node
    for step in steps:
        if step not in node.properties:
            return ()
        node = node.child(step)
    if at(keys.sent, steps) is MISSING:
        return steps
    return ()


def _open_object(keys: Keys) -> str:
    """Return the only sent field whose value is an object that may have any keys; an empty string if there is none."""
    found = [name for name in keys.node.properties if isinstance(keys.sent.get(name), dict)]
    for name in found:
        node = keys.node.child(name)
        if len(found) == 1 and node.types == ("object",) and not node.properties and not node.closed:
            return name
    return ""


# -- keys that no issue reports ------------------------------------------------------------------------------------


def ignored_keys(
    call: Call, problems: Sequence[Problem], proposals: Mapping[Path, Sequence[Proposal]]
) -> list[str]:
    """Return the top-level keys that the schema allows without a word about them: the tool would ignore them.

    No issue reports such a key, and no missing field is meant by it.
    """
    known = {problem.path[0] for problem in problems if problem.path}
    known |= {each[0].rename_from or "" for each in proposals.values() if each}
    return [k for k in call.root.undeclared if k not in known and not call.root.node.describes(k)]


def may_matter(call: Call, ignored: Sequence[str]) -> bool:
    """Return whether an ignored key may change what the call means.

    It does if it is a condition, gives a field a second value, or holds an object, perhaps the call that was meant.
    """
    sent, spelt = call.root.value, set(map(fold, call.root.node.properties))
    return any(conditions(k) or isinstance(sent[k], dict) or fold(k) in spelt for k in ignored)


def misspelt_root_fields(
    call: Call, problems: Sequence[Problem], ignored: Sequence[str]
) -> dict[Path, tuple[Problem, Proposal]]:
    """Find ignored keys that resemble a field, and propose to rename them."""
    sent, node = call.root.value, call.root.node
    if not ignored or call.check is None or len(sent) > MAX_KEYS_COMPARED:
        return {}
    known = {problem.path[0] for problem in problems if problem.path}
    free = [n for n in node.properties if n not in sent and n not in known]
    deeper = inner_keys(node)
    found: dict[Path, tuple[Problem, Proposal]] = {}
    for level, key, name in similar_pairs(ignored, free):
        is_near = level < (BY_WORDS if key in deeper else SHARED_WORD)
        if is_near and (key,) not in found and may_become(sent[key], node.child(name), name):
            issue = ValidationIssue((key,), "unknownKey", None, sent[key])
            rename = Proposal((_rename((key,), name),), did_you_mean=name)
            found[(key,)] = problem_of(call, (key,), "unknownKey", [issue]), rename
    return found


@once_per_node
def inner_keys(node: SchemaNode) -> frozenset[str]:
    """Return the keys that are declared one level deeper: in an object's fields, and in the items of its
    lists.
    """
    children = [node.child(name) for name in node.properties]
    items = [child.child(ANY_ITEM) for child in children if "array" in child.types]
    return frozenset(key for inner in (*children, *items) for key in inner.properties)
