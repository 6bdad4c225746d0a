"""Describe a call's missing fields, and build an example with a placeholder for each.

Examples contain placeholders because a model would copy a realistic value, and the call would run with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from toolgen_runtime.hints.clarifying_question import subject_of
from toolgen_runtime.hints.expected import required_of
from toolgen_runtime.hints.problems import may_be
from toolgen_runtime.hints.proposals import Finding
from toolgen_runtime.hints.quoting import clean, compact
from toolgen_runtime.schema.node import Path, SchemaNode, once_per_node
from toolgen_runtime.validation.issues import MISSING, key_text
from toolgen_runtime.validation.printing import plain

MAX_EXAMPLE_DEPTH = 6
MAX_EXAMPLE_STEPS = 50
"""The most steps of a path in an example."""
MAX_EXAMPLE_MEMBERS = 20
MAX_EXAMPLE_ITEMS = 20
MAX_EXAMPLE_PLACES = 1_000
"""The most members and items of one example."""
MAX_EXAMPLE_VALUE = 60
"""The most characters, as JSON, of an example value from the payload or the schema."""


class MissingField(NamedTuple):
    """A missing field of a call."""

    field: str
    """The dotted path."""
    path: Path
    example: Any
    """The value or placeholder in the example."""
    is_sent: bool
    """Whether the example is a value that was sent under another name."""
    subject: str | None
    """The name of the field in the question; `""` means its key, None that the user is not asked for it."""


def what_is_missing(
    findings: Sequence[Finding], noted: Sequence[tuple[str, str]]
) -> tuple[MissingField, ...]:
    """Collect the missing fields from a hint's findings. `noted` has the field text of each finding."""
    is_open = not _may_be_elsewhere(findings)
    found = []
    for finding, (field, _) in zip(findings, noted, strict=True):
        problem, node, subject = finding.problem, finding.problem.node, None
        if not problem.missing:
            continue
        name = key_text(problem.path[-1])
        if problem.location.tags(name):
            node = problem.location.wide.child(name)
        known = _last_built(node)
        if name not in known:
            known.clear()  # a node usually has one name, but the values of a map share a node under many
            known[name] = example(node, name), subject_of(node, name)
        if is_open and finding.proposal.rename_from is None and not problem.secret:
            subject = known[name][1]
        value = _sent(finding, node)
        is_sent = value is not MISSING
        if not is_sent:
            value = known[name][0]
        found.append(MissingField(field, problem.path, value, is_sent, subject))
    return tuple(found)


@once_per_node
def _last_built(_node: SchemaNode) -> dict[str, tuple[Any, str | None]]:
    """Return a dict that keeps the node's last example and question words, under the name of the missing field."""
    return {}


def _may_be_elsewhere(findings: Sequence[Finding]) -> bool:
    """Return whether the payload contains data that may belong to a missing field."""
    explained = {f.proposal.rename_from for f in findings if f.proposal.is_certain}
    for finding in findings:
        problem = finding.problem
        if problem.missing and not explained.issuperset(problem.location.undeclared):
            return True
        if problem.unknown or (finding.proposal.question and not problem.missing):
            return True
    return False


def example_input(missing: Sequence[MissingField]) -> dict[str, Any] | None:
    """Return an object with a value or placeholder for each missing field, nested as in the arguments.

    Return None if no path begins with a key, or if there is nothing to fill in.
    """
    root: dict[str, Any] = {}
    for each in missing:
        if isinstance(each.path[0], str) and len(each.path) <= MAX_EXAMPLE_STEPS:
            root = _with(root, each.path, deepcopy(each.example))
    if root and any(each.is_sent or _has_placeholder(each.example) for each in missing):
        return root
    return None


def _has_placeholder(value: Any) -> bool:
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        return not value or any(map(_has_placeholder, value))
    return isinstance(value, str) and value.startswith("<") and value.endswith(">")


def _sent(finding: Finding, node: SchemaNode) -> Any:
    """Return the value that was sent under another name, if it fits the field; otherwise `MISSING`."""
    sent, old = finding.problem.location.value, finding.proposal.rename_from
    if old is None or not isinstance(sent, dict) or node.schema.has_secrets:
        return MISSING
    value = sent.get(old, MISSING)
    if compact(value, MAX_EXAMPLE_VALUE) and may_be(node, value):
        return deepcopy(plain(value))
    return MISSING


def _with(old: Any, path: Path, value: Any) -> Any:
    """Return `old` with a value at a path. Each list on the path has one item."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        items = old if isinstance(old, list) else []
        return [_with(item, rest, value) for item in items or [None]]
    members = old if isinstance(old, dict) else {}
    return {**members, step: _with(members.get(step), rest, value)}


def example(node: SchemaNode, name: str, depth: int = 0, room: Iterator[int] | None = None) -> Any:
    """Return an example value for a schema node: its only allowed value, its default, or placeholders.

    `room` yields one number for each key and item that may still be added.
    """
    known = node.allowed
    if len(known) != 1:
        known = tuple([raw["default"] for raw in node.raws if "default" in raw])
    for value in known:
        is_small = value is not None and compact(value, MAX_EXAMPLE_VALUE) != ""
        if is_small and may_be(node, value) and not node.write_only:
            return value
    room = room or iter(range(MAX_EXAMPLE_PLACES))
    if depth == MAX_EXAMPLE_DEPTH:
        room = iter(())
    if node.unions:
        node = node.leaf_nodes[0]
    kind = next(iter(node.types), "object" if node.properties else "")
    if kind == "object":
        names = required_of(node)[:MAX_EXAMPLE_MEMBERS]
        return {n: example(node.child(n), n, depth + 1, room) for n, _ in zip(names, room, strict=False)}
    if kind == "array":  # `minItems` items with different placeholders, or one
        size = min(max(node.first("minItems", int) or 0, 1), MAX_EXAMPLE_ITEMS)
        if node.first("maxItems", int) == 0:
            size = 0
        return [
            example(node.child(i), f"{name} {i + 1}".removesuffix(" 1"), depth + 1, room)
            for i, _ in zip(range(size), room, strict=False)
        ]
    if kind == "null":
        return None
    return f"<{clean(name[:MAX_EXAMPLE_VALUE])}>"
