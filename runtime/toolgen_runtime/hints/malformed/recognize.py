"""What a text that is not JSON was meant to be, in a sentence: what was seen, and what to send."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from toolgen_runtime.hints.malformed import encoding, marks, surroundings, syntax
from toolgen_runtime.hints.malformed.broken_text import BrokenText
from toolgen_runtime.hints.text import shown
from toolgen_runtime.validation.issues import MISSING, ValidationIssue, field_of, revealed

LONG = 2_000
"""Characters from which a text that was cut off was too long."""


@dataclass(frozen=True, slots=True)
class Recognizer:
    """One kind of text: its name, and what says what is wrong with a text of that kind, or None."""

    kind: str
    sentence: Callable[[BrokenText], str | None]


RECOGNIZERS = (
    Recognizer("fence", surroundings.fence),
    Recognizer("thoughts", surroundings.thoughts),
    Recognizer("xml", surroundings.xml),
    Recognizer("call", surroundings.call),
    Recognizer("lines", surroundings.lines),
    Recognizer("prose", surroundings.prose),
    Recognizer("quoted", surroundings.quoted),
    Recognizer("outer_braces", surroundings.outer_braces),
    Recognizer("after_the_end", surroundings.after_the_end),
    Recognizer("control", syntax.control),
    Recognizer("escape", syntax.escape),
    Recognizer("escaped", marks.escaped),
    Recognizer("full_width", marks.full_width),
    Recognizer("placeholder", marks.placeholder),
    Recognizer("braces", marks.braces),
    Recognizer("half_key", marks.half_key),
    Recognizer("comment", syntax.comment),
    Recognizer("ellipsis", syntax.ellipsis),
    Recognizer("comma", syntax.comma),
    Recognizer("colon", marks.colon),
    Recognizer("quotes", syntax.quotes),
    Recognizer("word", syntax.word),
    Recognizer("tuple", marks.tuples),
    Recognizer("number", syntax.number),
    Recognizer("digits", syntax.digits),
    Recognizer("expression", syntax.expression),
    Recognizer("separator", syntax.separator),
    Recognizer("other", syntax.anything),
)
"""In the order in which they are asked; the last one knows every text."""


def recognize(text: BrokenText) -> tuple[str, str]:
    """Return the kind of a text that is not JSON, and the sentence about it."""
    for recognizer in RECOGNIZERS:
        if (sentence := recognizer.sentence(text)) is not None:
            return recognizer.kind, sentence
    raise AssertionError("the last recognizer knows every text")


def describe(issue: ValidationIssue, payload: Any, declared: Container[object]) -> str:
    """Return the sentence for an issue of a text (`json`, `truncated`, `duplicate_key`).

    Args:
        issue: the issue; where its `got` is a `Secret`, nothing of the text is shown.
        payload: the text, if it is known; anything else is left aside.
        declared: the names of the schema's fields.
    """
    if issue.constraint == "duplicate_key":
        name = issue.got if issue.got is not MISSING else issue.expected
        place = field_of(issue.path[:-1])
        return f"the arguments name {shown(name)} twice{f' in {shown(place)[1:-1]}' if place else ''}. Send it once."
    if _is_absent(issue):
        return "the arguments are missing. Send a JSON object, {} if there is nothing to say."
    if (sentence := encoding.sentence(issue, payload)) is not None:
        return sentence
    text = BrokenText(issue, payload if isinstance(payload, str | bytes) else None, declared)
    if issue.constraint == "truncated" or text.fault.is_cut:
        return marks.unclosed_last_key(text) or _cut_off(text)
    return recognize(text)[1]


def _is_absent(issue: ValidationIssue) -> bool:
    """Return whether there was no text; a stream may end before one, which is another thing."""
    got = revealed(issue.got)
    if got is MISSING:
        return issue.constraint != "truncated"
    return issue.expected == "a JSON value" and not str(got).strip()


def _cut_off(text: BrokenText) -> str:
    """Return where a text ends that goes on; never to send the same again, which is cut off again."""
    length = "" if text.is_excerpt else f" after {len(text.text):,} characters"
    why = " They are too long." if len(text.text) >= LONG else ""
    return (
        f"the arguments were cut off{length}{text.place}.{why} Send less in one call, for example in parts."
    )
