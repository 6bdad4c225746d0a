"""Facts of a schema by dotted key: `parent.child`, `rows[].qty`."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.spelling import same_key
from toolgen_runtime.validation.field_path import items_field, parse_field
from toolgen_runtime.validation.issues import field_of


def required_keys(facts: SchemaFacts) -> tuple[str, ...]:
    """Return the keys that every payload must have, the declared ones first, in the schema's order."""
    root = facts.root
    declared = [name for name in root.properties if name in root.required]
    return (*declared, *sorted(root.required.difference(declared)))


def description(facts: SchemaFacts, key: str) -> str | None:
    """Return the description of a property; None where there is none."""
    return _text(facts, key, "description")


def format_of(facts: SchemaFacts, key: str) -> str | None:
    """Return the `format` of a property; None where it has none."""
    return _text(facts, key, "format")


def allowed_values(facts: SchemaFacts, key: str) -> tuple[Any, ...]:
    """Return the values that `enum` or `const` allow for a property, null included; none where they are not listed."""
    node = _find(facts, key)
    if node is None or not node.allowed:
        return ()
    return (*node.allowed, None) if node.null_listed and None not in node.allowed else node.allowed


def canonical_key(facts: SchemaFacts, key: str) -> str | None:
    """Return the schema's own spelling of a key; None where no property, or more than one, is meant."""
    path = parse_field(key)
    if path is None:
        return None
    node, steps = facts.root, []
    for step in path:
        if isinstance(step, str) and step not in node.properties:
            known = same_key(step, node.properties)
            if known is None:
                return None
            step = known
        steps.append(step)
        node = node.child(step)
    return items_field(field_of(steps))


def _text(facts: SchemaFacts, key: str, keyword: str) -> str | None:
    node = _find(facts, key)
    value = node.first(keyword, str) if node is not None else None
    return value if isinstance(value, str) else None


def _find(facts: SchemaFacts, key: str) -> SchemaNode | None:
    """Return the node of a key, if every property on the way is declared."""
    path = parse_field(key)
    if path is None:
        return None
    node = facts.root
    for step in path:
        if isinstance(step, str) and step not in node.properties:
            return None
        node = node.child(step)
    return node
