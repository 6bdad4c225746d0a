"""What is said of a text that is not JSON: its first slip, or what is at the place where it stops being JSON."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

from toolgen_runtime.hints.malformed.frames import Objects
from toolgen_runtime.hints.malformed.read_text import KINDS, read_text
from toolgen_runtime.hints.text import clean, shown
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, field_of, revealed
from toolgen_runtime.validation.json_scan import Fault, find_fault

LONG = 2_000
"""Characters from which a text that was cut off was too long."""
MAX_SCANNED = 200_000
MAX_SEEN = 30
"""Characters of a text that a sentence shows; one that is not printable may take six."""
MAX_SHOWN = 60
_SEPARATOR = re.compile(r"[,:{\[]")
_BYTE = re.compile(r"UTF-8, not byte (0x[0-9a-f]{2}) at offset (\d+)")
_UTF8 = "Send the same JSON in UTF-8."
_UNCLOSED_KEY = re.compile(r"[{,]\s*(\"[\w$.-]{1,60}\s*:[^\"]*[}\]])\s*\Z")
_VALUE_END = re.compile(r",\s*\"\Z")
_KEY_END = re.compile(r"[\w$.-]{1,60}\"\s*:")
_WORD = re.compile(r"[A-Za-z_$][\w$.-]*")
_POINT = re.compile(r"[+-]?\.\d")
_OPERAND = re.compile(r"[\w.\"']")
_OPERATORS = tuple("+-*/%^|&?<>=(")
_OPENING = {"}": "{", "]": "["}
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def describe(issue: ValidationIssue, payload: Any, declared: Container[object]) -> str:
    """Return the sentence for an issue of a text (`json`, `truncated`, `duplicate_key`).

    Args:
        issue: the issue; if its `got` is a `Secret`, nothing of the text is shown.
        payload: the text, if it is known; anything else is left aside.
        declared: the names of the schema's fields.
    """
    if issue.constraint == "duplicate_key":
        name = issue.got if issue.got is not MISSING else issue.expected
        place = field_of(issue.path[:-1])
        return f"the arguments name {shown(name)} twice{f' in {shown(place)[1:-1]}' if place else ''}. Send it once."
    if _is_absent(issue):
        return "the arguments are missing. Send a JSON object, {} if there is nothing to say."
    if (sentence := _of_bytes(issue, payload)) is not None:
        return sentence
    text = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else payload
    fault = find_fault(text) if isinstance(text, str) else None
    if fault is None:  # the text is not known, or is JSON as far as it goes
        if issue.constraint == "truncated":
            return "the arguments are cut off. Send the complete JSON object again."
        return f"the arguments are not valid JSON: {issue.expected} is expected."
    broken = _BrokenText(text, fault, isinstance(issue.got, Secret), declared)
    if fault.is_cut or issue.constraint == "truncated":
        return _cut_off(broken)
    if (sentence := _several_objects(broken)) is not None:
        return sentence
    reading = read_text(text[:MAX_SCANNED])
    slips = [slip for slip in reading.slips if reading.value is not MISSING or slip != "tags"]
    return _of_slip(slips[0], broken) if slips else _of_fault(broken)


def _is_absent(issue: ValidationIssue) -> bool:
    """Return whether there was no text; a stream may end before one, which is another thing."""
    got = revealed(issue.got)
    if got is MISSING:
        return issue.constraint != "truncated"
    return issue.expected == "a JSON value" and not str(got).strip()


def _of_bytes(issue: ValidationIssue, payload: Any) -> str | None:
    """Return what is said of bytes that are not UTF-8; None for any other issue."""
    if isinstance(payload, bytes | bytearray) and b"\0" in payload[:4]:
        return f"the arguments are in UTF-16 or UTF-32, not in UTF-8. {_UTF8}"
    expected = issue.expected if isinstance(issue.expected, str) else ""
    if issue.constraint != "json" or (found := _BYTE.fullmatch(expected)) is None:
        return None
    return f"the arguments are not UTF-8 (byte {found[1]} at byte {int(found[2]) + 1:,}). {_UTF8}"


def _cut_off(text: _BrokenText) -> str:
    """Return where a text ends that goes on; only a long one is better sent in several calls."""
    key = _UNCLOSED_KEY.search(text.text[-200:])
    if text.fault.expected == "string" and key is not None:
        return f"a key has only one quote{text.seen(key[1])}. Put each key in double quotes."
    place = f' inside "{text.place.removeprefix(" in ")}"' if text.place else ""
    length = f" after {len(text.text):,} characters" if text.text else ""
    if len(text.text) >= LONG:
        return (
            f"the arguments are cut off{place}{length}: too long for one call."
            " Split the content across several calls."
        )
    return f"the arguments are cut off{place}{length}. Send the complete JSON object again."


def _several_objects(text: _BrokenText) -> str | None:
    """Return that a text holds different objects."""
    if text.fault.expected != "nothing after the end of the value":
        return None
    objects = Objects(text.text[:MAX_SCANNED])
    count = len(objects.filled)
    if not objects.is_whole or count < 2 or objects.are_same:
        return None
    named = _COUNTS[count] if count < len(_COUNTS) else str(count)
    others = "a second call for the other" if count == 2 else "another call for each of the others"
    return f"the arguments contain {named} JSON objects. Send one object per call; make {others}."


def _of_slip(slip: str, text: _BrokenText) -> str:
    kind, rest = KINDS[slip], text.rest or text.head
    subject = text.place.removeprefix(" in ") or "a string"
    said = kind.says.format(
        place=text.place,
        subject=subject,
        seen=text.seen(rest, 20),
        before=text.seen(rest, 20, ", before "),
        after=text.seen(text.before.rpartition('"')[2][-20:], lead=" after "),
    )
    return f"{said}. {kind.send.format()}"


def _of_fault(text: _BrokenText) -> str:
    """Return what is at the place where a text without a reading stops being JSON, and what to send."""
    expected, first, place = text.fault.expected, text.rest[:1], text.place
    seen, before = text.seen(text.rest, 20), text.seen(text.rest, 20, ", before ")
    if text.is_at_start and (text.head[:1].isalpha() or text.head[:1] == "<"):
        what = "XML" if first == "<" else "text"
        return f"the arguments are {what}, not JSON{text.seen(text.head)}. Send a JSON object."
    if expected == "nothing after the end of the value":
        return _after_the_end(text)
    if expected == "an escape that JSON knows":
        return f"there is a backslash that begins no escape{place}{seen}. Write each backslash as \\\\."
    if expected.endswith("bare control character"):
        return f"a string has a raw control character{place}. Write it as {expected.split()[0]}."
    if text.rest.startswith(("...", "…")):
        return f'the arguments are shortened with "..."{place}. Send them in full.'
    if (sentence := _of_value(text)) is not None:
        return sentence
    if expected.startswith('"," or') and _VALUE_END.search(text.before) and _KEY_END.match(text.rest):
        return f"a string has no closing quote{place}{before}. Put it there."
    if expected.startswith('"," or') and text.before.endswith('"') and first and first not in "}])":
        return f'a double quote ends a string too early{place}{before}. Within a string, write it as \\".'
    return f"the arguments are not valid JSON: {expected} is expected{place}{text.seen(text.rest, 20, ', not ')}."


def _after_the_end(text: _BrokenText) -> str:
    if text.rest.lstrip(", \t\r\n").startswith("{"):
        return "the arguments contain more than one JSON object. Send one object per call."
    if text.rest.startswith(",") and text.head.startswith("{"):
        before = text.seen(text.rest, lead=", before ")
        return f"the object of the arguments is closed too early{before}. Send one object with all fields."
    return f"there is text after the JSON of the arguments{text.seen(text.rest)}. Send the JSON object alone."


def _of_value(text: _BrokenText) -> str | None:
    """Return what is in the place of a value: a word, an expression, a number in another notation, nothing."""
    expected, first, place = text.fault.expected, text.rest[:1], text.place or " for a value"
    is_after = expected.startswith('"," or') and _OPERAND.match(text.before[-1:]) is not None
    if is_after and text.is_within and first and first in "._xXoObBeE0123456789":
        return f"a number is not written as in JSON{place}{text.seen(text.value, 12)}. Send its plain digits."
    if is_after and first and first in _OPERATORS:
        return f"there is an expression{place}{text.seen(_alone(text.value), 20)}. Send its value."
    if is_after and text.before[-1:].isdigit() and first and (first == ":" or first.isalpha()):
        return f"a value has no quotes{text.place}{text.seen(text.value, 12)}. Put strings in double quotes."
    if expected not in ("a JSON value", "a number"):
        return None
    if _POINT.match(text.rest):
        return f"a number is not written as in JSON{place}{text.seen(text.rest, 12)}. Send its plain digits."
    found = _WORD.match(text.rest.removeprefix("-"))
    if found is None:
        return None
    if found[0].lower() in ("infinity", "inf", "nan", "undefined"):
        return f"{found[0]} is not JSON: send a value{text.place}, or leave it out."
    if text.rest[found.end() :].lstrip().startswith(("(", "+", "[")):
        return f"there is an expression{place}{text.seen(_alone(text.rest))}. Send its value."
    return f"a value has no quotes{text.place}{text.seen(found[0])}. Put strings in double quotes."


def _alone(expression: str) -> str:
    """Return an expression without the brackets after it, which close what it is in."""
    while (last := expression[-1:]) in _OPENING and expression.count(last) > expression.count(_OPENING[last]):
        expression = expression[:-1].rstrip()
    return expression


class _BrokenText:
    """A text that is not JSON, and the fault at which it stops being JSON."""

    def __init__(self, text: str, fault: Fault, is_secret: bool, declared: Container[object]) -> None:
        at, path = fault.at, fault.path
        last = text[max(at - 200, 0) : at]
        self.text = text
        self.fault = fault
        self.is_secret = is_secret
        self.head = text[:200].lstrip("\ufeff \t\r\n")
        self.before = last.rstrip()
        self.rest = text[at : at + 200]
        """The text from the fault on, as far as anyone looks."""
        self.value = _SEPARATOR.split(last)[-1].lstrip() + self.rest
        """The text from the value on that the fault is in or after."""
        self.is_within = not last[-1:].isspace()
        """Whether no space is before the fault."""
        self.is_at_start = not path and not text[:at].strip("\ufeff \t\r\n")
        """Whether not even the beginning is JSON."""
        if is_secret:
            path = path[:1] if path and path[0] in declared else ()
        field = clean(field_of(path)[:MAX_SHOWN])
        self.place = f" in {field}" if field and len(field) < MAX_SHOWN else ""
        """The field that the fault is in; `""` where it is unknown or may be secret."""

    def seen(self, text: str, most: int = MAX_SEEN, lead: str = ": ") -> str:
        """Return the beginning of a part of the text in backquotes after `lead`; `""` where it may be secret."""
        line = text[:most].strip()
        if self.is_secret or not line:
            return ""
        shown = clean(line).replace("`", "'")
        cut = len(text.strip()) > len(line) or len(shown) > MAX_SHOWN - 4
        return f"{lead}`{shown[: MAX_SHOWN - 4]}{'…' if cut else ''}`"
