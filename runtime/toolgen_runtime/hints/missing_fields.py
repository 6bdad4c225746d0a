"""Describe a call's missing fields, and build an example with a placeholder for each.

Examples contain placeholders because a model would copy a realistic value, and the call would run with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

from toolgen_runtime.hints.clarifying_question import subject_of
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
    missing = [(f, field) for f, (field, _) in zip(findings, noted, strict=True) if f.problem.missing]
    is_asked = bool(missing) and not _may_be_elsewhere(findings)
    found = []
    for finding, field in missing:
        problem = finding.problem
        node, name = problem.node, key_text(problem.path[-1])
        known = _last_built(node)
        if name not in known:
            known.clear()  # a node usually has one name, but the values of a map share a node under many
            known[name] = example(node, name), subject_of(node, name)
        value, subject = known[name]
        is_sent = False
        if finding.proposal.rename_from is not None:
            subject = None
            if (sent := _sent(finding)) is not MISSING:
                value, is_sent = sent, True
        elif problem.location.tags(name):
            value, subject = f"<{clean(name[:MAX_EXAMPLE_VALUE])}>", None
        is_open = is_asked and not problem.secret
        found.append(MissingField(field, problem.path, value, is_sent, subject if is_open else None))
    return tuple(found)


@once_per_node
def _last_built(_node: SchemaNode) -> dict[str, tuple[Any, str | None]]:
    """Return a dict that keeps the node's last example and question words, under the name of the missing field."""
    return {}


def _may_be_elsewhere(findings: Sequence[Finding]) -> bool:
    """Return whether the payload contains data that may belong to a missing field."""
    explained = {f.proposal.rename_from for f in findings if f.proposal.rename_from and f.proposal.is_certain}
    for finding in findings:
        problem, proposal = finding.problem, finding.proposal
        is_moved = proposal.question != "" and not problem.missing
        if is_moved or problem.unknown or (proposal.rename_from and not proposal.is_certain):
            return True
        if problem.missing and not explained.issuperset(problem.location.undeclared):
            return True
    return False


def example_input(missing: Sequence[MissingField]) -> dict[str, Any] | None:
    """Return an object with a value or placeholder for each missing field, nested as in the arguments.

    Return None if no path begins with a key, or if there is nothing to fill in.
    """
    root: dict[str, Any] = {}
    for each in missing:
        _put(root, each.path, deepcopy(each.example))
    is_open = any(each.is_sent or _has_placeholder(each.example) for each in missing)
    if root and is_open:
        return root
    return None


def _has_placeholder(value: Any) -> bool:
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        return not value or any(map(_has_placeholder, value))
    return isinstance(value, str) and value.startswith("<") and value.endswith(">")


def _sent(finding: Finding) -> Any:
    """Return the value that was sent under another name, if it fits the field; otherwise `MISSING`."""
    problem, then = finding.problem, finding.then
    sent, node = problem.location.value, problem.node
    if not isinstance(sent, dict) or problem.secret or node.schema.has_secrets:
        return MISSING
    value = sent.get(finding.proposal.rename_from, MISSING)
    if then is not None and then.proposal.is_certain:
        reading = then.proposal.reading
    else:
        reading = None
    if reading is not None and reading.op != "remove" and not reading.above:
        value = reading.result()
    fits = value is not MISSING and compact(value, MAX_EXAMPLE_VALUE) and may_be(node, value)
    if fits:
        return deepcopy(plain(value))
    return MISSING


def _put(root: dict[str, Any], path: Path, value: Any) -> None:
    """Write a value at its path. Each list on the path gets one item."""
    if not path or not isinstance(path[0], str) or len(path) > MAX_EXAMPLE_STEPS:
        return
    here: Any = root
    for step, below in pairwise(path):
        kind: type[Any] = list if isinstance(below, int) else dict
        if isinstance(here, list):
            here[:] = here or [kind()]
            here = here[0]
        else:
            here = here.setdefault(step, kind())
        if type(here) is not kind:
            return
    if isinstance(here, list):
        here[:] = here or [value]
    else:
        here[path[-1]] = value


def example(node: SchemaNode, name: str, depth: int = 0, room: Iterator[int] | None = None) -> Any:
    """Return an example value for a schema node: its only allowed value, its default, or placeholders.

    `room` yields one number for each key and item that may still be added.
    """
    if room is None:
        room = iter(range(MAX_EXAMPLE_PLACES))
    offered = _offered(node)
    if offered is not MISSING:
        return offered
    if node.unions:
        node = node.leaf_nodes[0]
    kind = next(iter(node.types), "object" if node.properties else "")
    if kind == "object":
        declared = [n for n in node.properties if n in node.required]
        if depth < MAX_EXAMPLE_DEPTH:
            names = [*declared, *sorted(node.required.difference(declared))]
        else:
            names = []
        return {
            n: example(node.child(n), n, depth + 1, room)
            for n, _ in zip(names[:MAX_EXAMPLE_MEMBERS], room, strict=False)
        }
    if kind == "array":  # `minItems` items with different placeholders, or one
        least, most = max(node.first("minItems", int) or 0, 1), node.first("maxItems", int)
        size = min(least, MAX_EXAMPLE_ITEMS if most is None else max(most, 0), MAX_EXAMPLE_ITEMS)
        if depth >= MAX_EXAMPLE_DEPTH:
            size = 0
        return [
            example(node.child(i), f"{name} {i + 1}" if i else name, depth + 1, room)
            for i, _ in zip(range(size), room, strict=False)
        ]
    if kind == "null":
        return None
    return f"<{clean(name[:MAX_EXAMPLE_VALUE])}>"


@once_per_node
def _offered(node: SchemaNode) -> Any:
    """Return the only allowed value or the default in a schema, if it is small and valid; otherwise `MISSING`."""
    if node.write_only:
        return MISSING
    defaults = [raw["default"] for raw in node.raws if "default" in raw]
    for value in node.allowed if len(node.allowed) == 1 else defaults:
        if value is not None and compact(value, MAX_EXAMPLE_VALUE) and may_be(node, value):
            return value
    return MISSING
