"""A hint as text: one line per field, within a budget, what is left out counted."""

from __future__ import annotations

from toolgen_runtime.hints.model import FieldHint, RetryHint
from toolgen_runtime.hints.text import clean

_FULL, _BRIEF, _BARE = range(3)
"""How much a line says: with descriptions; without; without the list of allowed values too."""


def render(hint: RetryHint, max_chars: int) -> str:
    """The text for the model, at most `max_chars` characters."""
    for level in (_FULL, _BRIEF, _BARE):
        text = _whole(hint, level)
        if len(text) <= max_chars:
            return text
    return _cut(hint, max_chars)


def _whole(hint: RetryHint, level: int) -> str:
    lines = [_head(hint), *(line(f, level) for f in hint.fields)]
    if hint.omitted:
        lines.append(
            _left_out(
                hint.omitted, [p for p, _ in hint.problems[len(hint.fields) :]] if level == _FULL else []
            )
        )
    return "\n".join(lines)


def _cut(hint: RetryHint, max_chars: int) -> str:
    """As many whole lines as the budget holds, then the count of the others."""
    lines = [_head(hint), *(line(f, _BARE) for f in hint.fields)]
    for kept in range(len(lines), 0, -1):
        text = "\n".join([*lines[:kept], _left_out(hint.omitted + len(lines) - kept, [])])
        if len(text) <= max_chars:
            return text
    return lines[0] if len(lines[0]) <= max_chars else lines[0][: max(max_chars - 1, 0)] + "…"[:max_chars]


def _left_out(count: int, fields: list[str]) -> str:
    named = [f for f in fields[:5] if len(f) <= 40]
    return f"+{count} more" + (f": {', '.join(named)}{', …' if count > len(named) else ''}" if named else "")


def line(field: FieldHint, level: int = _FULL) -> str:
    """`- title (missing; string, max 80): One-line summary.`"""
    aside = []
    if field.constraint == "required":
        aside = [_missing(field), field.expects]
    elif field.count > 1:
        aside = [f"{field.count} items"]
    if field.choice:
        aside.append(field.choice)
    inner = "; ".join(a for a in aside if a)
    text = f"- {field.field or '(arguments)'}{f' ({inner})' if inner else ''}"
    mend = field.mend if level < _BARE else field.mend.partition(" Allowed: ")[0].partition(" Fields: ")[0]
    if field.constraint == "required":
        described = field.description if level == _FULL and field.description else ""
        if described and described[-1] not in ".!?…":
            described += "."
        return (
            f"{text}: {described} {mend}"
            if described and mend
            else f"{text}{': ' if described or mend else '.'}{described or mend}"
        )
    return f"{text}: {mend}"


def _missing(field: FieldHint) -> str:
    return f"missing in all {field.count}" if field.count > 1 else "missing"


def _head(hint: RetryHint) -> str:
    parts = [_happened(hint)]
    if hint.progress is not None:
        parts.append(_changed(hint))
    parts.append(_next(hint))
    return " ".join(p for p in parts if p)


def _happened(hint: RetryHint) -> str:
    ran = {"malformed_response": "ran, but its result is malformed", "tool_failed": "failed"}
    state = ran.get(hint.reason, "was not run")
    return f"{_name(hint.tool)} {state}{': ' + hint.detail if hint.detail else '.'}"


def _name(tool: str) -> str:
    return tool if len(tool) <= 80 and tool.isprintable() else clean(tool[:80])


def _changed(hint: RetryHint) -> str:
    progress = hint.progress
    if progress is None:
        return ""
    if progress.same_arguments:
        return "You sent the same arguments again."
    if not progress.fixed:
        return "Nothing was fixed since the last call." if progress.remaining and not progress.new else ""
    counts = [(len(progress.fixed), "fixed"), (len(progress.remaining), "left"), (len(progress.new), "new")]
    return f"Since the last call: {', '.join(f'{n} {word}' for n, word in counts if n)}."


def _next(hint: RetryHint) -> str:
    count = len(hint.fields) + hint.omitted
    fields = f"{count} field{'' if count == 1 else 's'}"
    if hint.recovery == "give_up":
        times = f"It failed {hint.attempts} times in the same way: do" if hint.attempts > 1 else "Do"
        return f"{times} not call it again like this.{' Still wrong:' if count else ''}"
    if hint.reason == "malformed_response":
        return f"{fields} wrong:" if count else ""
    if not count:
        return {"truncated": "Send the whole call again.", "retry": "Call it again."}.get(hint.reason, "")
    if hint.recovery == "ask_user":
        return f"Ask the user, fix {fields} and call it again:"
    return f"Fix {fields} and call it again:"
