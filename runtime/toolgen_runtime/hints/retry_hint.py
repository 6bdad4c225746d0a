"""The hint about a failed call, as data and as text of limited length (`RetryHint`).

Both are named tuples. A frozen dataclass with as many fields takes three times as long to create; that is a fifth of
the time for a hint (benchmarks/speed/README.md). Do not unpack them or compare their order. Values that are rarely
needed are properties, which are computed on access.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from toolgen_runtime.hints.clarifying_question import clarifying_question
from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.expected import Summary
from toolgen_runtime.hints.missing_fields import MissingField, example_input
from toolgen_runtime.hints.quoting import clean
from toolgen_runtime.hints.recovery import MAX_CHARS, Recovery
from toolgen_runtime.hints.sentence import BARE, FULL, Sentence, described, joined
from toolgen_runtime.validation.issues import MISSING, key_text

MAX_MISSING = 3
"""The most names in `missing_fields`, and fields in the question."""
MAX_EXAMPLES = 10
"""The most fields in the example."""
Reason = Literal[
    "invalid_arguments", "malformed_response", "malformed_json", "truncated", "unknown_tool", "tool_failed"
]


class FieldHint(NamedTuple):
    """One field to correct. It becomes one line in the text of the hint."""

    field: str
    """The dotted path; equal problems of many items share one, `rows[0-29].qty`."""
    constraint: str
    """The first broken constraint: a JSON Schema keyword, or `reported` if only an error message mentions it."""
    summary: Summary
    """What the schema says about the field, for the properties below."""
    expects: str = ""
    """Type and limits in brief: `string, max 80`, `integer >= 1`."""
    allowed_values: tuple[Any, ...] | None = None
    """At most five, then `…`; for an unknown key, the valid keys most similar to it."""
    got: Any = MISSING
    """The invalid scalar, at most 60 characters of it; `MISSING` for containers, secrets and missing values."""
    did_you_mean: Any = None
    """The most likely intended allowed value or valid key."""
    rename_from: str | None = None
    """The unknown key that holds the value of this field."""
    count: int = 1  # type: ignore[assignment]  # the contract's name; tuple.count has no use here
    """The number of items that share this line."""
    choice: str = ""
    """The branch of a union that the value was compared with, and the reason: `kind="slack"`."""
    sentence: Sentence = Sentence("")
    """The parts of `advice`; a shorter text contains fewer of them."""

    @property
    def description(self) -> str | None:
        """The schema's description, its first 100 characters."""
        return self.summary.description

    @property
    def type(self) -> str | None:
        """The schema's type: `string`, `array of integers`, ..."""
        return self.summary.type

    @property
    def pattern(self) -> str | None:
        """The schema's pattern."""
        return self.summary.pattern

    @property
    def minimum(self) -> int | float | None:
        """The minimum value of a number, length of a string (code points), or number of items."""
        return self.summary.minimum

    @property
    def maximum(self) -> int | float | None:
        """The maximum value of a number, length of a string, or number of items."""
        return self.summary.maximum

    @property
    def format(self) -> str | None:
        """The schema's format."""
        return self.summary.format

    @property
    def advice(self) -> str:
        """The problem and its correction as one line of limited length."""
        return self.sentence.whole()

    def to_dict(self) -> dict[str, Any]:
        """Return the field as plain JSON values, without attributes that are unknown."""
        out: dict[str, Any] = {"field": self.field, "constraint": self.constraint}
        for name in _OPTIONAL:
            value = getattr(self, name)
            if value is not None and value != "" and value is not MISSING and (name != "count" or value > 1):
                out[name] = list(value) if isinstance(value, tuple) else value
        if self.got is None:
            out["got"] = None
        return out


_OPTIONAL = (
    "advice", "description", "type", "expects", "allowed_values", "pattern", "minimum", "maximum", "format", "got",
    "did_you_mean", "rename_from", "count", "choice",
)  # fmt: skip


class RetryHint(NamedTuple):
    """The reason why a call failed, and the recommended next step.

    `clarifying_question` is meant for the user, and everything else for the model. The next hint compares its own
    `problems` and `fingerprint` with these, and says what has changed.
    """

    tool: str
    reason: Reason
    recovery: Recovery
    fields: tuple[FieldHint, ...] = ()
    missing: tuple[MissingField, ...] = ()
    """The source of `missing_fields`, `clarifying_question` and `example_input`."""
    omitted: int = 0
    """The number of lines that were left out, plus the number of issues after the first 10,000."""
    edits: tuple[Edit, ...] = ()
    """The hint's advice as data: `apply_edits(payload, hint.edits)`."""
    detail: str = ""
    """One line about the problem, if it does not belong to a field."""
    suggestions: tuple[str, ...] = ()
    """Names of tools that resemble an unknown one."""
    progress: str = ""
    """A sentence about what changed since the previous hint."""
    attempts: int = 1
    """The number of identical failures in a row, including this one."""
    failures: int = 1
    """The number of failed calls to the tool in a row, including this one and whatever the reasons."""
    problems: tuple[tuple[str, str], ...] = ()
    """The field and the constraint of each line, before lines are left out; at most 64."""
    fingerprint: str = ""
    """A checksum of the arguments; `""` if there are none."""
    corrected: str | None = None
    """The line of corrected arguments, if every edit is certain and the check accepts the result."""

    @property
    def missing_fields(self) -> tuple[str, ...]:
        """The names of the first three missing fields."""
        return tuple([each.field for each in self.missing[:MAX_MISSING]])

    @property
    def clarifying_question(self) -> str | None:
        """The question to the user about missing values that only they can know; None if there are none."""
        asked = [(each.subject, key_text(each.path[-1])) for each in self.missing if each.subject is not None]
        return clarifying_question(asked, MAX_MISSING)

    @property
    def example_input(self) -> dict[str, Any] | None:
        """An example with all missing fields, nested as in the arguments.

        It is None if no fields are missing or the hint says to give up.
        """
        is_final = self.recovery == "give_up" or not self.missing
        if is_final:
            return None
        return example_input(self.missing[:MAX_EXAMPLES])

    def to_dict(self) -> dict[str, Any]:
        """Return the hint as plain JSON values."""
        out = {name: getattr(self, name) for name in _SAID}
        out["fields"] = [f.to_dict() for f in self.fields]
        out["edits"] = [e.to_dict() for e in self.edits]
        listed = {name: list(value) if isinstance(value, tuple) else value for name, value in out.items()}
        return {name: value for name, value in listed.items() if value or name not in _LEFT_OUT}

    def render(self, max_chars: int = MAX_CHARS) -> str:
        """Return the text for the model, with one line for each field, in at most `max_chars` characters."""
        if self.corrected is not None:
            text = f"{self._replace(corrected=None).render(max_chars)}\n{self.corrected}"
            if len(text) <= max_chars:
                return text
        head, level, kept = _head(self), FULL, len(self.fields)
        while kept >= 0:  # first with fewer details, then with fewer lines
            text = _text(self, head, level, kept)
            if len(text) <= max_chars:
                return text
            if level < BARE:
                level += 1
            else:
                kept -= 1
        if len(head) <= max_chars:
            return head
        return head[: max(max_chars - 1, 0)] + "…"[:max_chars]

    def limited(self, most: int) -> RetryHint:
        """Advise to give up if at least `most` calls to the tool have failed in a row; otherwise return the
        hint unchanged.
        """
        if self.failures < most or self.recovery == "give_up":
            return self
        return self._replace(recovery="give_up", corrected=None)

    def headline(self) -> str:
        """Return the line about the first field, or `detail` if there are no fields."""
        if self.fields:
            return line(self.fields[0])
        return self.detail

    def __str__(self) -> str:
        return self.render()


_SAID = (
    "tool", "reason", "recovery", "missing_fields", "fields", "clarifying_question", "example_input", "omitted",
    "edits", "corrected", "detail", "suggestions", "progress", "attempts",
)  # fmt: skip
_LEFT_OUT = ("corrected", "detail", "suggestions", "progress")
"""Members that `to_dict` leaves out if they are empty."""
_STATES = {"malformed_response": "ran, but its result is malformed", "tool_failed": "failed"}


def _text(hint: RetryHint, head: str, level: int, kept: int) -> str:
    """Return the first sentences, the first `kept` lines, and the number of lines that are left out.

    At level `FULL`, some of the fields that are left out are named.
    """
    left = hint.omitted + len(hint.fields) - kept
    if kept == 1 and not left:
        return f"{head} {line(hint.fields[0], level)}"
    lines = [head, *["- " + line(f, level) for f in hint.fields[:kept]]]
    if left:
        if level == FULL:
            others = hint.problems[kept : kept + 5]
        else:
            others = ()
        named = [field for field, _ in others if len(field) <= 40]
        more = ", …" if left > len(named) else ""
        lines.append(f"+{left} more" + (f": {', '.join(named)}{more}" if named else ""))
    return "\n".join(lines)


def line(field: FieldHint, level: int = FULL) -> str:
    """Return the line about a field: `priority: change "HIGH" to "high"`, or `add the key "title" (string,
    max 80)`.
    """
    sentence = field.sentence
    said = sentence.text(level)
    if sentence.subject is not None:
        return f"{sentence.subject}: {said}" if sentence.subject else said
    subject = field.field or ("" if sentence.orders else "the arguments")
    if details := _details(field):
        subject = f"{subject} ({details})"
    if subject and said:
        text = f"{subject}: {said}"
    else:
        text = subject or said
    if field.constraint == "required" and field.description and level == FULL:
        is_known = field.rename_from is not None and not sentence.asks  # the line already orders a value
        if not is_known:
            return joined([text, described(field.description)])
    return text


def _details(field: FieldHint) -> str:
    """Return the text in parentheses: that the field is missing, what it accepts, and the branch of a union."""
    if field.constraint == "required":
        return "; ".join(filter(None, (_missing_in(field.count), field.expects, field.choice)))
    if field.count == 1:
        return field.choice
    return "; ".join(filter(None, (f"{field.count} items", field.choice)))


def _missing_in(count: int) -> str:
    if count == 1:
        return "missing"
    if count == 2:
        return "missing in both"
    return f"missing in all {count}"


def _head(hint: RetryHint) -> str:
    """Return the first sentences, which say what happened and what to do.

    A hint with only one line needs no introduction.
    """
    tool, state = hint.tool or "the call", _STATES.get(hint.reason, "was not run")
    count = len(hint.fields) + hint.omitted
    if len(tool) > 80 or not tool.isprintable():
        tool = clean(tool[:80])
    if hint.detail:
        text = f"{tool} {state}: {hint.detail}"
    else:
        text = f"{tool} {state}."
    if hint.progress:
        text = f"{text} {hint.progress}"
    return text + _next(hint, count)


def _next(hint: RetryHint, count: int) -> str:
    if hint.recovery == "give_up":
        still = " Still wrong:" if count else ""
        if hint.attempts > 1:
            return f" It failed {hint.attempts} times in the same way: do not call it again like this.{still}"
        if hint.failures > 1:
            return f" It failed {hint.failures} times: do not call it again in this turn.{still}"
        return f" Do not call it again like this.{still}"
    if not count:
        return ""
    if hint.recovery == "ask_user":
        if count == 1:
            return " Ask the user, then fix:"
        return f" Ask the user, then fix {count} fields:"
    if count == 1:
        return ""
    if hint.reason == "malformed_response":
        return f" Wrong in {count} fields:"
    return f" Fix {count} fields:"
