"""A hint as text: one line per field, within a budget, what is left out counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen_runtime.hints.text import choices, clean
from toolgen_runtime.hints.text import prose as prose

if TYPE_CHECKING:
    from toolgen_runtime.hints.retry_hint import FieldHint, Progress, RetryHint

_FULL, _BRIEF, _SHORT, _BARE = range(4)
"""How much a line says: with descriptions; without; with a few of the allowed values; with none of them."""
_DESCRIPTION, _ALLOWED, _FIELDS, _ONE_OF = ' Description: "', " Allowed: ", " Fields: ", "one of: "

_QUOTE, _MARK = '"', "'"

_STATES = {"malformed_response": "ran, but its result is malformed", "tool_failed": "failed"}


def render(hint: RetryHint, max_chars: int) -> str:
    """Return the text for the model, at most `max_chars` characters."""
    for level in (_FULL, _BRIEF, _SHORT, _BARE):
        text = _whole(hint, level)
        if len(text) <= max_chars:
            return text
    return _cut(hint, max_chars)


def _whole(hint: RetryHint, level: int) -> str:
    fields = hint.fields
    if len(fields) == 1 and not hint.omitted:
        return f"{_head(hint)} {line(fields[0], level)}"
    lines = [_head(hint), *["- " + line(f, level) for f in fields]]
    if hint.omitted:
        named = [field for field, _ in hint.problems[len(fields) :]] if level == _FULL else []
        lines.append(_left_out(hint.omitted, named))
    return "\n".join(lines)


def _cut(hint: RetryHint, max_chars: int) -> str:
    """Return as many whole lines as the budget holds, then the count of the others."""
    lines = [_head(hint), *["- " + line(f, _BARE) for f in hint.fields]]
    for kept in range(len(lines), 0, -1):
        left = hint.omitted + len(lines) - kept
        text = "\n".join([*lines[:kept], _left_out(left, [])] if left else lines)
        if len(text) <= max_chars:
            return text
    return lines[0] if len(lines[0]) <= max_chars else lines[0][: max(max_chars - 1, 0)] + "…"[:max_chars]


def _left_out(count: int, fields: list[str]) -> str:
    named = [f for f in fields[:5] if len(f) <= 40]
    return f"+{count} more" + (f": {', '.join(named)}{', …' if count > len(named) else ''}" if named else "")


def headline(hint: RetryHint) -> str:
    """Return what a hint says first: its first line, or what went wrong; `""` where it says neither."""
    return line(hint.fields[0]) if hint.fields else hint.detail


def line(field: FieldHint, level: int = _FULL) -> str:
    """`title (missing; string, max 80). Description: "One-line summary."`"""
    text, advice, count = field.field or "(arguments)", field.advice, field.count
    if level != _FULL:
        advice = _shortened(field, level)
    if field.constraint == "required":
        aside = f"missing in all {count}" if count > 1 else "missing"
        if field.expects:
            aside = f"{aside}; {_expected(field, level)}"
    else:
        aside = f"{count} items" if count > 1 else ""
    if field.choice:
        aside = f"{aside}; {field.choice}" if aside else field.choice
    if aside:
        text = f"{text} ({aside})"
    if advice:
        text = f"{text}: {advice.removesuffix('.')}"
    if field.constraint == "required" and field.description and level == _FULL and not _is_known(field):
        stop = "" if text.endswith("?") else "."
        text = f"{text}{stop}{_DESCRIPTION}{field.description.replace(_QUOTE, _MARK)}{_QUOTE}"
    return text


def _is_known(field: FieldHint) -> bool:
    """Return whether the advice orders what to put into a missing field, so that no description is needed."""
    return field.rename_from is not None and field.advice.startswith("Rename ")


def _shortened(field: FieldHint, level: int) -> str:
    """Return the advice without its description, and without some or all of the allowed values."""
    advice = field.advice.partition(_DESCRIPTION)[0]
    if level == _BRIEF:
        return advice
    advice, allowed, _ = advice.partition(_ALLOWED)
    if allowed and level == _SHORT and field.allowed_values:
        return f"{advice}{allowed}{choices(field.allowed_values)}"
    return advice.partition(_FIELDS)[0]


def _expected(field: FieldHint, level: int) -> str:
    if level >= _SHORT and field.allowed_values and field.expects.startswith(_ONE_OF):
        return _ONE_OF + choices(field.allowed_values)
    return field.expects


def _head(hint: RetryHint) -> str:
    """Return what happened and what to do, ready to be followed by the lines; one line alone needs no announcement."""
    tool, state, count = hint.tool, _STATES.get(hint.reason, "was not run"), len(hint.fields) + hint.omitted
    if len(tool) > 80 or not tool.isprintable():
        tool = clean(tool[:80])
    text = f"{tool} {state}: {hint.detail}" if hint.detail else f"{tool} {state}."
    if hint.progress is not None:
        text += _changed(hint.progress)
    return text if count == 1 and hint.recovery == "correct" else text + _next(hint, count)


def _changed(progress: Progress) -> str:
    if progress.same_arguments:
        return " You sent the same arguments again."
    if not progress.fixed:
        return " Nothing was fixed since the last call." if progress.remaining and not progress.new else ""
    counts = [(len(progress.fixed), "fixed"), (len(progress.remaining), "left"), (len(progress.new), "new")]
    return f" Since the last call: {', '.join(f'{n} {word}' for n, word in counts if n)}."


def _next(hint: RetryHint, count: int) -> str:
    if hint.recovery == "give_up":
        times = f"It failed {hint.attempts} times in the same way: do" if hint.attempts > 1 else "Do"
        return f" {times} not call it again like this.{' Still wrong:' if count else ''}"
    if not count:
        return ""
    if hint.recovery == "ask_user":
        return " Ask the user, then fix:" if count == 1 else f" Ask the user, then fix {count} fields:"
    if count == 1:
        return ""
    return f" Wrong in {count} fields:" if hint.reason == "malformed_response" else f" Fix {count} fields:"
