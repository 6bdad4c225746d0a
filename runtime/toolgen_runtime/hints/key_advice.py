"""Sentences about keys that are missing, and keys that are not fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.expected import MAX_NAMED, type_of
from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.text import Sentence, choice, choices, compact, form_of, name_shown
from toolgen_runtime.hints.union_forms import also_sent, are_forms, needed, not_fields
from toolgen_runtime.validation.issues import key_text


def missing(problem: Problem, then: Sentence | None) -> Sentence:
    """Return what to say of a missing field beside that it is missing: the key that was sent in its place.

    `then` is what to say of the value under its new name.
    """
    if problem.siblings:
        parts = [_with_type(f) for f in problem.siblings[:MAX_NAMED]]
        more = len(problem.siblings) - len(parts)
        return Sentence(f"{', '.join(parts)}{f', +{more} more' if more else ''}")
    if problem.rename_from is None:
        expected = problem.issues[0].expected
        forms = needed(expected) if are_forms(expected) else ""
        return Sentence("; ".join(filter(None, (forms, also_sent(problem.strays)))))
    old, new = name_shown(problem.rename_from), name_shown(key_text(problem.path[-1]))
    sent = problem.location.value
    value = sent.get(problem.rename_from) if isinstance(sent, dict) else None
    form = "" if problem.secret or then is not None else form_of(value, problem.node)
    shows = f": {form}" if form else ""
    found = Sentence(f"rename {old} to {new}{shows}", asks=not problem.rename_sure, orders=True)
    if then is not None:
        found = _with_its_value(found, problem, then, old, new)
    if problem.strays and not problem.rename_sure:
        found = found._replace(description="", label="You also sent", listed=not_fields(problem.strays))
    return found


def unknown(problem: Problem, near: Sequence[Any], then: Sentence | None) -> Sentence:
    """Return what to do with a key that is not a field; `near` are the valid ones to name."""
    if problem.did_you_mean is not None:
        name = name_shown(problem.did_you_mean)
        found = Sentence(f"not a field: rename it to {name}", asks=not problem.rename_sure)
        return found if then is None else _with_its_value(found, problem, then, "", name)
    if problem.candidates:
        names = " or ".join(name_shown(n) for n in problem.candidates)
        return Sentence(f"not a field: did you mean {names}", asks=True)
    if problem.rename_sure:
        return Sentence("not a field: remove it")
    if not problem.edits:
        return Sentence("not a field", label="Fields", listed=choices(near))
    if near:
        return Sentence(f"not a field: remove it if it is none of these: {choices(near)}")
    return Sentence("not a field: remove it if it is not needed")


def _with_its_value(found: Sentence, problem: Problem, then: Sentence, old: str, new: str) -> Sentence:
    """Return the sentence of a rename with that about its value: both in one, where the value is short."""
    inner = problem.then
    reading = inner.reading if inner is not None else None
    if inner is not None and reading is not None and not inner.group and not problem.group:
        value = [reading.value] if reading.op == "wrap" else reading.value
        text = "" if inner.secret or reading.op not in ("set", "wrap") else compact(value)
        if text and old:
            return Sentence(f"send {new}: {text} instead of {old}", found.asks, orders=True)
        if text:
            return Sentence(f"not a field: did you mean {new}: {text}", asks=True)
    if then.orders and not found.asks:
        return then._replace(core=f"{found.core} and {then.core}", orders=found.orders)
    mark = "?" if found.asks else "."
    return then._replace(
        core=f"{found.core}{mark} {then.core[:1].upper()}{then.core[1:]}", orders=found.orders
    )


def _with_type(problem: Problem) -> str:
    kind = type_of(problem.node)
    return choice(key_text(problem.path[-1])) + (f" ({kind})" if kind else "")
