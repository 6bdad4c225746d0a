"""A hint as text: one line per field, within a budget, what is left out counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen_runtime.hints.text import clean

if TYPE_CHECKING:
    from toolgen_runtime.hints.model import FieldHint, Progress, RetryHint

_FULL, _BRIEF, _BARE = range(3)
"""How much a line says: with descriptions; without; without the list of allowed values too."""

_STATES = {"malformed_response": "ran, but its result is malformed", "tool_failed": "failed"}


def render(hint: RetryHint, max_chars: int) -> str:
    """The text for the model, at most `max_chars` characters."""
    for level in (_FULL, _BRIEF, _BARE):
        text = _whole(hint, level)
        if len(text) <= max_chars:
            return text
    return _cut(hint, max_chars)


def _whole(hint: RetryHint, level: int) -> str:
    lines = [line(f, level) for f in hint.fields]
    if len(lines) == 1 and not hint.omitted:
        return f"{_head(hint)} {lines[0]}"
    lines = [_head(hint), *["- " + text for text in lines]]
    if hint.omitted:
        named = [field for field, _ in hint.problems[len(hint.fields) :]] if level == _FULL else []
        lines.append(_left_out(hint.omitted, named))
    return "\n".join(lines)


def _cut(hint: RetryHint, max_chars: int) -> str:
    """As many whole lines as the budget holds, then the count of the others."""
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


def line(field: FieldHint, level: int = _FULL) -> str:
    """`title (missing; string, max 80): One-line summary.`"""
    mend, missing = field.mend, field.constraint == "required"
    if level == _BARE:
        mend = mend.partition(" Allowed: ")[0].partition(" Fields: ")[0]
    if not missing and field.count == 1 and not field.choice:
        return f"{field.field or '(arguments)'}: {mend.removesuffix('.')}"
    aside = (
        [_absence(field), field.expects] if missing else [f"{field.count} items" if field.count > 1 else ""]
    )
    text = f"{field.field or '(arguments)'} ({'; '.join([a for a in (*aside, field.choice) if a])})"
    if missing and level == _FULL and field.description:
        said = field.description if field.description[-1] in ".!?…" else field.description + "."
        mend = f"{said} {mend}" if mend else said
    return f"{text}: {mend.removesuffix('.')}" if mend else text


def _absence(field: FieldHint) -> str:
    return f"missing in all {field.count}" if field.count > 1 else "missing"


def _head(hint: RetryHint) -> str:
    text = f"{_name(hint.tool)} {_STATES.get(hint.reason, 'was not run')}{': ' + hint.detail if hint.detail else '.'}"
    if hint.progress is not None:
        text += _changed(hint.progress)
    return text + _next(hint)


def _name(tool: str) -> str:
    return tool if len(tool) <= 80 and tool.isprintable() else clean(tool[:80])


def _changed(progress: Progress) -> str:
    if progress.same_arguments:
        return " You sent the same arguments again."
    if not progress.fixed:
        return " Nothing was fixed since the last call." if progress.remaining and not progress.new else ""
    counts = [(len(progress.fixed), "fixed"), (len(progress.remaining), "left"), (len(progress.new), "new")]
    return f" Since the last call: {', '.join(f'{n} {word}' for n, word in counts if n)}."


def _next(hint: RetryHint) -> str:
    """What to do, ready to be followed by the lines; one line alone needs no announcement."""
    count = len(hint.fields) + hint.omitted
    if hint.recovery == "give_up":
        times = f"It failed {hint.attempts} times in the same way: do" if hint.attempts > 1 else "Do"
        return f" {times} not call it again like this.{' Still wrong:' if count else ''}"
    if not count:
        return " Send the whole call again." if hint.reason == "truncated" else ""
    if hint.recovery == "ask_user":
        return " Ask the user, then fix:" if count == 1 else f" Ask the user, then fix {count} fields:"
    if count == 1:
        return ""
    return f" Wrong in {count} fields:" if hint.reason == "malformed_response" else f" Fix {count} fields:"
