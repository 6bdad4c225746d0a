"""The sentence for a union of which several branches are as likely: what each of them asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolgen_runtime.hints.text import choice, choices, clean
from toolgen_runtime.schema.keywords import OTHER_KEYS
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.issues import key_text

MAX_FORMS = 3
MAX_PARTS = 5
_SAID = {"required", "properties", *OTHER_KEYS}


def are_forms(expected: Any) -> bool:
    """Return whether what an issue of a union expects is what each branch asks for, not the names of branches."""
    return isinstance(expected, tuple) and bool(expected) and all(isinstance(e, Mapping) for e in expected)


def needed(forms: Sequence[Mapping[str, Any]]) -> str:
    """Return what to send for one form or another; `""` where that is not a matter of fields.

    >>> needed(({"required": ["width", "height"]}, {"required": ["aspect_ratio"]}))
    'send width and height, or aspect_ratio'
    """
    texts = [_form(form) for form in forms[:MAX_FORMS]]
    if not all(texts):
        return ""
    more = ", or another form" if len(forms) > MAX_FORMS else ""
    comma = "," if any(" and " in text for text in texts) else ""
    return f"send {f'{comma} or '.join(texts)}{more}"


def forms_of(branches: Sequence[SchemaNode]) -> list[dict[str, Any]]:
    """Return the fields that branches require; none where a branch is not an object that requires some."""
    if not all(node.types == ("object",) and node.required for node in branches):
        return []
    forms: list[dict[str, Any]] = []
    for node in branches:
        names = [n for n in node.properties if n in node.required] or sorted(node.required)
        fixed = {n: {"const": values[0]} for n in names if len(values := node.child(n).allowed) == 1}
        form = {"properties": fixed, "required": [n for n in names if n not in fixed]}
        forms += [form] if form not in forms else []
    return forms


def sole_name(expected: Any) -> str | None:
    """Return the first of the fields that a union asks one of; None where a form asks for anything else."""
    if not are_forms(expected):
        return None
    names = [
        form["required"][0] for form in expected if [*form] == ["required"] and len(form["required"]) == 1
    ]
    return names[0] if len(names) == len(expected) else None


def also_sent(strays: Sequence[str]) -> str:
    """Return that keys were sent which are not fields; `""` without any."""
    if not strays:
        return ""
    return f"you sent {not_fields(strays)}"


def not_fields(strays: Sequence[str]) -> str:
    """Return keys and that they are not fields, as a part of a sentence."""
    if len(strays) == 1:
        return f"{choice(strays[0])}, which is not a field"
    more = f" and {len(strays) - MAX_PARTS} more" if len(strays) > MAX_PARTS else ""
    return f"{choices(strays[:MAX_PARTS])}{more}, which are not fields"


def _form(form: Mapping[str, Any]) -> str:
    if not form.keys() <= _SAID:
        return ""
    parts = [f"{choice(key_text(n))}{_value(member)}" for n, member in form.get("properties", {}).items()]
    parts += [choice(key_text(name)) for name in form.get("required", ())]
    kept = parts[:MAX_PARTS]
    return " and ".join(kept) + (f" and {len(parts) - MAX_PARTS} more" if len(parts) > MAX_PARTS else "")


def _value(member: Mapping[str, Any]) -> str:
    """Return what a field's value must be, in parentheses, where that takes few words."""
    if "const" in member:
        return f" ({choice(member['const'])})"
    if isinstance(member.get("enum"), list):
        listed = member["enum"][:MAX_PARTS]
        return f" ({choices([*listed, '…'] if len(member['enum']) > MAX_PARTS else listed)})"
    for keyword in ("type", "format"):
        if isinstance(text := member.get(keyword), str):
            return f" ({clean(text[:30])})"
    return ""
