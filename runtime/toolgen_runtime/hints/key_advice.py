"""Sentences about keys that are missing, and keys that are not fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.expected import MAX_NAMED, type_of
from toolgen_runtime.hints.fits import is_allowed
from toolgen_runtime.hints.levels.moves import form_of
from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.text import choice, choices, name_shown, shown
from toolgen_runtime.hints.union_forms import are_forms, needed
from toolgen_runtime.validation.issues import key_text


def missing(problem: Problem) -> str:
    """Return what to say of a missing field beside that it is missing: the key that was sent in its place."""
    if problem.siblings:
        parts = [_with_type(f) for f in problem.siblings[:MAX_NAMED]]
        more = len(problem.siblings) - len(parts)
        return f"{', '.join(parts)}{f', +{more} more' if more else ''}."
    if problem.rename_from is None:
        expected = problem.issues[0].expected
        return f"{needed(expected)}." if are_forms(expected) else _also_sent(problem.strays)
    old, new = name_shown(problem.rename_from), name_shown(key_text(problem.path[-1]))
    sent = problem.location.value
    form = (
        ""
        if problem.secret or problem.then is not None
        else form_of(sent.get(problem.rename_from), problem.node)
    )
    shows = f": {form}" if form else ""
    if problem.rename_sure:
        return f"Rename {old} to {new}{shows}."
    return f"{old} is not a field: rename it if you meant {new}{shows}."


def also_sent(problem: Problem) -> str:
    """Return which other keys were sent that are not fields, where a rename is asked for."""
    told = problem.rename_from is not None and not problem.rename_sure and problem.strays
    return f" {_also_sent(problem.strays, 'You also sent')}" if told else ""


def _also_sent(strays: Sequence[str], you_sent: str = "You sent") -> str:
    if not strays:
        return ""
    if len(strays) == 1:
        return f"{you_sent} {choice(strays[0])}, which is not a field."
    more = f" and {len(strays) - MAX_NAMED} more" if len(strays) > MAX_NAMED else ""
    return f"{you_sent} {choices(strays[:MAX_NAMED])}{more}, which are not fields."


def _with_type(problem: Problem) -> str:
    kind = type_of(problem.node)
    return choice(key_text(problem.path[-1])) + (f" ({kind})" if kind else "")


def unknown(problem: Problem, near: Sequence[Any]) -> str:
    """Return what to do with a key that is not a field; `near` are the valid ones to name."""
    if problem.did_you_mean is not None:
        name = name_shown(problem.did_you_mean)
        form = shown(problem.got) if _is_listed(problem) else _form(problem)
        shows = f": {form}" if form else ""
        return f"not a field: rename it {'to' if problem.rename_sure else 'if you meant'} {name}{shows}."
    if problem.candidates:
        return f"not a field: did you mean {' or '.join(name_shown(n) for n in problem.candidates)}?"
    if problem.rename_sure:
        return "not a field: remove it."
    if not problem.edits:
        return f"not a field. Fields: {choices(near)}." if near else "not a field."
    if near:
        return f"not a field: remove it if it is none of these: {choices(near)}."
    return "not a field: remove it if it is not needed."


def _form(problem: Problem) -> str:
    """Return the form of what stands under a key, if it is an object or a list and nothing is wrong with it there."""
    if problem.secret or problem.then is not None:
        return ""
    return form_of(problem.got, problem.location.node.child(problem.did_you_mean))


def _is_listed(problem: Problem) -> bool:
    """Return whether the value is one that the schema lists for the field that was meant."""
    node, value = problem.location.node.child(problem.did_you_mean), problem.got
    return isinstance(value, str) and bool(node.allowed) and not problem.secret and is_allowed(node, value)
