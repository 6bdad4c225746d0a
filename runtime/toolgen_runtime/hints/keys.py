"""Correct an object's keys: misspelled keys, unknown keys and missing fields.

`propose_keys` looks at all keys of an object together, because a key can stand for only one field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolgen_runtime.hints.certainty import rule_of
from toolgen_runtime.hints.edits import Edit, apply_edits, at
from toolgen_runtime.hints.names import parts_of
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
from toolgen_runtime.schema.raw import is_one_of
from toolgen_runtime.schema.spelling import MAX_COMPARED_NAME
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
        found_renames = find_renames(keys)
        renames, spare = found_renames.renames, found_renames.spare
        for key, name in renames.items():
            problem = keys.missing.pop(name, None) or keys.unknown[key]
            rename = keys.renamed(key, name, problem)
            proposals[problem.path] = rename.doubted() if name in spare.values() else rename
            if problem.missing and key in keys.unknown:
                explained.add(keys.unknown[key].path)
        left = [key for key in keys.undeclared if key not in renames]
        for problem in keys.missing.values():
            if (found := _fill_in(keys, problem, left)) is not None:
                proposals[problem.path] = found
        for key, problem in keys.unknown.items():
            if key not in renames and key not in spare:
                proposals[problem.path] = _for_unknown(keys, key, problem, found_renames.rivals.get(key, []))
        # The line of the first missing field names the undeclared keys that no issue reports.
        if left and keys.missing:
            unnamed = tuple([k for k in left if k not in keys.unknown and not keys.node.describes(k)])
            path = next(iter(keys.missing.values())).path
            proposals[path] = proposals.get(path, NONE)._replace(undeclared=unnamed)
    return proposals, explained


def _objects(problems: Sequence[Problem], call: Call) -> Iterable[Keys]:
    """Return the objects that have missing or unknown keys."""
    found: dict[Path, Keys] = {}
    for problem in problems:
        path, location = problem.path[:-1], problem.location
        if not (problem.missing or problem.unknown) or not isinstance(location.value, dict):
            continue
        if path not in found:
            found[path] = Keys(call, location, {}, {}, [])
        keys = found[path]
        (keys.missing if problem.missing else keys.unknown)[key_text(problem.path[-1])] = problem
    for keys in found.values():
        names = [key for key in keys.unknown if key in keys.sent]  # issues may be of another payload
        if keys.missing and keys.location.undeclared:
            names += [
                k for k in keys.location.undeclared if k not in keys.unknown and k not in keys.node.required
            ]
        keys.undeclared.extend([key for key in names[:MAX_KEYS_COMPARED] if len(key) <= MAX_COMPARED_NAME])
    return found.values()


# -- missing fields ------------------------------------------------------------------------------------------------


def _fill_in(keys: Keys, problem: Problem, left: Sequence[str]) -> Proposal | None:
    """Return the proposal for a missing field that no key was meant for, with a value that the schema itself gives."""
    path, name, node = problem.path, key_text(problem.path[-1]), problem.node
    if not keys.sent and _is_optional(keys.call, path[:-1]):
        order = f"remove the key {name_shown(str(path[-2]))} if you have none"
        return Proposal((Edit("remove", path[:-1]),), order=order)
    if problem.secret:
        return None
    if tags := keys.location.tags(name):
        tag = _tag_of_sent_fields(keys, name)
        if is_one_of(tag, tags):
            return Proposal((Edit("set", path, None, tag),), did_you_mean=tag)
        return None
    if len(node.allowed) == 1:
        return Proposal((Edit("set", path, None, node.allowed[0]),))
    defaults = [raw["default"] for raw in node.raws if raw.get("default") is not None]
    if not defaults or not may_be(node, defaults[0]) or not (text := compact(defaults[0], MAX_DEFAULT)):
        return None
    edit = Edit("set", path, None, defaults[0])
    if left or keys.location.wide.unions or _is_said_otherwise(keys.call.payload, name, node, defaults[0]):
        rule = ""
    else:
        rule = rule_of(edit, MISSING, defaults[0], node, keys.node, keys.call)
    asked = f"did you mean {text}, the default"
    return proposal((edit,), (rule,), order=f"send {text} (the default)", question=asked)


def _is_said_otherwise(payload: Any, name: str, node: SchemaNode, default: Any) -> bool:
    """Return whether a default may contradict what was sent.

    This is so if the payload has the field elsewhere, or if one of its texts names the field or another of its values:
    with `5 EUR` as the amount, the currency is not the default.
    """
    others = [v for v in node.allowed[:MAX_KEYS_COMPARED] if isinstance(v, str) and v and v != default]
    pattern = "|".join((r"[\s_-]*".join(map(re.escape, parts_of(name))), *map(re.escape, others)))
    said = re.compile(rf"(?<![^\W\d_])(?:{pattern})(?![^\W\d_])", re.IGNORECASE)
    todo = [payload]
    for value in todo:  # grows while it is read
        if isinstance(value, str) and said.search(value[:MAX_TEXT_READ]):
            return True
        if isinstance(value, dict) and name in value:
            return True
        if isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
        if len(todo) > MAX_VALUES_READ:
            return True
    return False


def _is_optional(call: Call, path: Path) -> bool:
    around = call.locate(path[:-1])
    return path != () and isinstance(around.value, dict) and path[-1] not in around.node.required


def _tag_of_sent_fields(keys: Keys, name: str) -> Any:
    """Return the tag of the branch that declares all sent keys; `MISSING` unless there is exactly one such branch."""
    branches = [node for union in keys.location.wide.branches for node in union]
    fitting = [node.child(name).allowed for node in branches if node.properties.keys() >= {*keys.sent}]
    if keys.sent and len(fitting) == 1 and len(fitting[0]) == 1:
        return fitting[0][0]
    return MISSING


# -- unknown keys --------------------------------------------------------------------------------------------------


def _for_unknown(keys: Keys, key: str, problem: Problem, rivals: Sequence[str]) -> Proposal:
    """Return the proposal for an unknown key that is not renamed to a field.

    The proposal is another place for its value, a choice of fields, or its removal.
    """
    path = problem.path
    if rivals:
        edit = Edit("rename", path, (*path[:-1], rivals[0]))
        return Proposal((edit,), candidates=tuple(rivals[:MAX_CANDIDATES]))
    value = keys.sent.get(key, MISSING)
    if problem.constraint == "propertyNames" and (spelt := _valid_spelling(keys, key, path)):
        return Proposal((Edit("rename", path, (*path[:-1], spelt)),), did_you_mean=spelt)
    if target := _written_path(keys, key):
        place = ".".join(target)
        edit = Edit("move", path, (*path[:-1], *target))
        return Proposal((edit,), question=f"did you mean {place}")
    if keys.missing and value not in _EMPTY:
        return NONE  # its value may belong to a missing field, so it is kept
    if (name := _open_object(keys)) is not None and not keys.missing:
        into = f"not a field: did you mean to put it into {name_shown(name)}"
        return Proposal((Edit("move", path, (*path[:-1], name, key)),), question=into)
    edit = Edit("remove", path)
    return proposal((edit,), (rule_of(edit, value, value, problem.node, keys.node, keys.call),))


def _valid_spelling(keys: Keys, key: str, path: Path) -> str:
    """Return another spelling of a map's key that the check accepts; an empty string if there is none."""
    is_tried = key in keys.sent and len(keys.unknown) <= MAX_CANDIDATES  # each spelling costs a check
    if is_tried:
        words = parts_of(key)
    else:
        words = []
    for name in ("_".join(words), "-".join(words), "".join(words), "_".join(words).upper()):
        edit = Edit("rename", path, (*path[:-1], name))
        if name and name not in keys.sent:
            after = apply_edits(keys.call.payload, [edit])
        else:
            after = MISSING
        if after is not MISSING:
            left = keys.call.issues_of(after)
        else:
            left = []
        if after is not MISSING and not any(issue.path[: len(path)] == edit.to for issue in left):
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


def _open_object(keys: Keys) -> str | None:
    """Return the only sent field whose value is an object that may have any keys; None if there is not exactly one."""
    found = [n for n in keys.node.properties if isinstance(keys.sent.get(n), dict)]
    if len(found) == 1:
        node = keys.node.child(found[0])
    else:
        node = None
    is_open = node is not None and node.types == ("object",) and not node.properties and not node.closed
    if is_open:
        return found[0]
    return None


# -- keys that no issue reports ------------------------------------------------------------------------------------


def misspelt_root_fields(
    call: Call, problems: Sequence[Problem], proposals: Mapping[Path, Sequence[Proposal]]
) -> dict[Path, tuple[Problem, Proposal]]:
    """Find top-level keys that the schema allows but that resemble a field, and propose to rename them.

    No issue reports such a key. After the other corrections, the call would run without its value.
    """
    sent, node = call.root.value, call.root.node
    if problems and not node.closed:
        undeclared = call.root.undeclared
    else:
        undeclared = []
    if not undeclared or call.check is None or len(sent) > MAX_KEYS_COMPARED:
        return {}
    known = {problem.path[0] for problem in problems if len(problem.path) == 1}
    known |= {each[0].rename_from or "" for each in proposals.values() if each}
    names = [k for k in undeclared if k not in known and not node.describes(k)]
    free = [n for n in node.properties if n not in sent and n not in known]
    deeper = inner_keys(node) if names else frozenset[str]()
    found: dict[Path, tuple[Problem, Proposal]] = {}
    for level, key, name in similar_pairs(names, free):
        is_near = level < (BY_WORDS if key in deeper else SHARED_WORD)
        if is_near and (key,) not in found and may_become(sent[key], node.child(name), name):
            issue = ValidationIssue((key,), "unknownKey", None, sent[key])
            rename = Proposal((Edit("rename", (key,), (name,)),), did_you_mean=name)
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
