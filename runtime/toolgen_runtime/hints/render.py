"""A hint as text: one line per field, within a budget, what is left out counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen_runtime.hints.text import BARE, BRIEF, FULL, SHORT, choices, clean, described, joined
from toolgen_runtime.hints.text import prose as prose

if TYPE_CHECKING:
    from toolgen_runtime.hints.retry_hint import FieldHint, Progress, RetryHint

_ONE_OF = "one of: "
_STATES = {"malformed_response": "ran, but its result is malformed", "tool_failed": "failed"}


def render(hint: RetryHint, max_chars: int) -> str:
    """Return the text for the model, at most `max_chars` characters."""
    for level in (FULL, BRIEF, SHORT, BARE):
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
        named = [field for field, _ in hint.problems[len(fields) :]] if level == FULL else []
        lines.append(_left_out(hint.omitted, named))
    return "\n".join(lines)


def _cut(hint: RetryHint, max_chars: int) -> str:
    """Return as many whole lines as the budget holds, then the count of the others."""
    lines = [_head(hint), *["- " + line(f, BARE) for f in hint.fields]]
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


def line(field: FieldHint, level: int = FULL) -> str:
    """`title (missing; string, max 80). Description: "One-line summary."`"""
    count, sentence = field.count, field.sentence
    advice = sentence.text(level)
    place = field.field or ("" if sentence.orders and field.constraint != "type" else "(arguments)")
    if field.constraint == "required":
        aside = "missing" if count < 2 else "missing in both" if count == 2 else f"missing in all {count}"
        if field.expects:
            aside = f"{aside}; {_expected(field, level)}"
    else:
        aside = f"{count} items" if count > 1 else ""
    if field.choice:
        aside = f"{aside}; {field.choice}" if aside else field.choice
    text = f"{place} ({aside})" if aside else place
    text = f"{text}: {advice}" if text and advice else text or advice
    if field.constraint == "required" and field.description and level == FULL and not _is_known(field):
        return joined([text, described(field.description)])
    return text


def _is_known(field: FieldHint) -> bool:
    """Return whether the sentence orders what to put into a missing field, so that no description is needed."""
    return field.rename_from is not None and not field.sentence.asks


def _expected(field: FieldHint, level: int) -> str:
    if level >= SHORT and field.allowed_values and field.expects.startswith(_ONE_OF):
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
