"""Explain why a text is not JSON: its first known mistake, or where parsing stops."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

from toolgen_runtime.hints.malformed.read_text import KINDS, Check, is_split, read_text
from toolgen_runtime.hints.quoting import clean, shown
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, field_of, revealed
from toolgen_runtime.validation.json_scan import Fault, find_fault

LONG = 2_000
"""The length from which a truncated text counts as too long."""
MAX_SCANNED = 200_000
MAX_SEEN = 30
"""The most characters of a text that a sentence shows; an escaped one may take six."""
MAX_FAULT_SHOWN = 60
_SEPARATOR = re.compile(r"[,:{\[]")
_BYTE = re.compile(r"UTF-8, not byte (0x[0-9a-f]{2}) at offset (\d+)")
_UTF8 = "Send the same JSON in UTF-8."
_UNCLOSED_KEY = re.compile(r"[{,]\s*(\"[\w$.-]{1,60}\s*:[^\"]*[}\]])\s*\Z")
_WORD = re.compile(r"-?([A-Za-z_$][\w$.-]*)")
_OPENING = {"}": "{", "]": "["}
_END, _VALUE, _NEXT = "nothing after the end of the value", "a JSON value|a number", '"," or'
_DIGITS, _RESULT, _QUOTES = "Send its plain digits.", "Send its value.", "Put strings in double quotes."
_FAULTS = tuple(
    (re.compile(wanted), re.compile(rf"(?:{before})\Z"), re.compile(rest), says)
    for wanted, before, rest, says in (
        ("", r"\A[\ufeff\s]*", "<", "the arguments are XML, not JSON{begin}. Send a JSON object."),
        ("", r"\A[\ufeff\s]*", r"[^\W\d_]", "the arguments are text, not JSON{begin}. Send a JSON object."),
        (_END, r'\A\s*"[^"]*"\s*', ":", "the opening brace is missing{seen}. Send a JSON object, in {{ }}."),
        (_END, "", r'[\s,]*\{|[^{}]{0,40}\{\s*"',
         "the arguments contain several JSON objects. Make a separate call for each object."),
        (_END, r"\}\s*", r',|"[^"]*"\s*:',
         "the object of the arguments is closed too early{before}. Send one object with all fields."),
        (_END, "", "", "there is text after the JSON of the arguments{begin}. Send the JSON object alone."),
        ("an escape", "", "", "there is a backslash that begins no escape{place}{seen}. Write each backslash as \\\\."),
        (".*bare control", "", "", "a string has a raw control character{place}. Write it as {control}."),
        ("", "", r"\.\.\.|…", 'the arguments are shortened with "..."{place}. Send them in full.'),
        (_NEXT, r"[\w.]", r"[._xXoObBeE0-9]", f"a number is not written as in JSON{{place}}{{value}}. {_DIGITS}"),
        (_NEXT, r"[\w.\"']\s*", r"[-+*/%^|&?<>=(]", f"there is an expression{{place}}{{value}}. {_RESULT}"),
        (_NEXT, r"\d\s*", r":|[^\W\d_]", f"a value has no quotes{{place}}{{value}}. {_QUOTES}"),
        (_NEXT, r"[}\]\"]\s*", r"[{\[]", "a comma is missing{place}{before}. Put it there."),
        ("", "", r'\\+"', "there is a backslash before the quotes{place}{seen}. Leave it out."),
        (_VALUE, "", r"[+-]?\.\d", f"a number is not written as in JSON{{place}}{{value}}. {_DIGITS}"),
        (_VALUE, "", r"(?i)-?(?:infinity|inf|nan|undefined)(?![\w$.-])",
         "{word} is not JSON: send a value{place}, or leave it out."),
        (_VALUE, "", rf"{_WORD.pattern}\s*[(+\[]", f"there is an expression{{place}}{{value}}. {_RESULT}"),
        (_VALUE, "", _WORD.pattern, f"a value has no quotes{{place}}{{bare}}. {_QUOTES}"),
        (_NEXT, r",\s*\"\s*", r"[\w$.-]{1,60}\"\s*:", "a string has no closing quote{place}{before}. Put it there."),
        (_NEXT, r"\"\s*", r"(?:if|or|and)\b", f"there is an expression{{place}}{{value}}. {_RESULT}"),
        (_NEXT, r"\"\s*", r";?\s*\"[^\"]+\"(?!\")", "a comma is missing{place}{before}. Put it there."),
        (_NEXT, r"\"\s*", r"[^}\])]",
         'a double quote ends a string too early{place}{before}. Within a string, write it as \\".'),
        ("", "", "", "the arguments are not valid JSON: {expected} is expected{place}{instead}."),
    )
)  # fmt: skip
"""Faults of texts without a reading: patterns of the expected token, the text before and at the fault; the sentence."""


def describe(
    issue: ValidationIssue, payload: Any, declared: Container[object], check: Check | None = None
) -> str:
    """Write the sentence about malformed JSON text (the issues `json`, `truncated` and `duplicate_key`).

    Args:
        issue: the issue; if its `got` is a `Secret`, the text is not shown.
        payload: the text, if it is known; any other value is ignored.
        declared: the names of the schema's fields.
        check: the tool's check, which decides whether several objects are parts of one call.
    """
    if issue.constraint == "duplicate_key":
        if issue.got is not MISSING:
            name = issue.got
        else:
            name = issue.expected
        place = field_of(issue.path[:-1])
        return f"the arguments name {shown(name)} twice{f' in {shown(place)[1:-1]}' if place else ''}. Send it once."
    got = revealed(issue.got)
    is_empty = issue.expected == "a JSON value" and not str(got).strip()
    if is_empty or (got is MISSING and issue.constraint != "truncated"):
        return "the arguments are missing. Send a JSON object, {} if there is nothing to say."
    if (sentence := _of_bytes(issue, payload)) is not None:
        return sentence
    if isinstance(payload, bytes):
        text = payload.decode("utf-8", "replace")
    else:
        text = payload
    if isinstance(text, str):
        fault = find_fault(text)
    else:
        fault = None
    if fault is None:  # the text is unknown, or has no fault
        if issue.constraint == "truncated":
            return "the arguments are cut off. Send the complete JSON object again."
        return f"the arguments are not valid JSON: {issue.expected} is expected."
    broken = _BrokenText(text, fault, isinstance(issue.got, Secret), declared)
    if "truncated" in (fault.issue.constraint, issue.constraint):
        return _cut_off(broken)
    return _first_slip(broken, check) or _fault(broken)


def _first_slip(broken: _BrokenText, check: Check | None) -> str:
    """Return the sentence for the first slip in a text; an empty string if no slip is known."""
    reading = read_text(broken.text[:MAX_SCANNED])
    is_unread = reading.value is MISSING or (reading.parts and not is_split(reading, check))
    for slip in reading.slips:
        if not is_unread or slip not in ("tags", "parts"):
            return KINDS[slip].sentence.format_map(broken.parts())
    return ""


def _fault(broken: _BrokenText) -> str:
    """Return the sentence for the fault at which parsing stops."""
    return next(
        sentence.format_map(broken.parts())
        for expected, before, rest, sentence in _FAULTS
        if expected.match(broken.fault.expected) and before.search(broken.last) and rest.match(broken.rest)
    )


def _of_bytes(issue: ValidationIssue, payload: Any) -> str | None:
    """Return the sentence for bytes that are not UTF-8; None for any other issue."""
    if isinstance(payload, bytes | bytearray) and b"\0" in payload[:4]:
        return f"the arguments are in UTF-16 or UTF-32, not in UTF-8. {_UTF8}"
    if isinstance(issue.expected, str):
        expected = issue.expected
    else:
        expected = ""
    if issue.constraint != "json" or (found := _BYTE.fullmatch(expected)) is None:
        return None
    return f"the arguments are not UTF-8 (byte {found[1]} at byte {int(found[2]) + 1:,}). {_UTF8}"


def _cut_off(text: _BrokenText) -> str:
    """Return the sentence for a truncated text. For a long text, it says to split the content across several calls."""
    key = _UNCLOSED_KEY.search(text.text[-200:])
    if text.fault.expected == "string" and key is not None:
        return f"a key has only one quote{text.seen(key[1])}. Put each key in double quotes."
    if text.place:
        place = f' inside "{text.place.removeprefix(" in ")}"'
    else:
        place = ""
    if text.text:
        length = f" after {len(text.text):,} characters"
    else:
        length = ""
    if len(text.text) >= LONG:
        return (
            f"the arguments are cut off{place}{length}: too long for one call."
            " Split the content across several calls."
        )
    return f"the arguments are cut off{place}{length}. Send the complete JSON object again."


def _alone(expression: str) -> str:
    """Return an expression without the closing brackets of the array or object around it."""
    while (last := expression[-1:]) in _OPENING and expression.count(last) > expression.count(_OPENING[last]):
        expression = expression[:-1].rstrip()
    return expression


class _BrokenText:
    """Text that is not JSON, and the fault at which parsing stops."""

    def __init__(self, text: str, fault: Fault, is_secret: bool, declared: Container[object]) -> None:
        at, path = fault.at, fault.path
        self.last = text[max(at - 200, 0) : at]
        self.text = text
        self.fault = fault
        self.is_secret = is_secret
        self.rest = text[at : at + 200]
        """The next 200 characters from the fault on."""
        if is_secret:
            if path and path[0] in declared:
                path = path[:1]
            else:
                path = ()
        field = clean(field_of(path)[:MAX_FAULT_SHOWN])
        if field and len(field) < MAX_FAULT_SHOWN:
            self.place = f" in {field}"
        else:
            self.place = ""
        """The field that contains the fault, after " in "; `""` if it is unknown or may be secret."""

    def parts(self) -> dict[str, str]:
        """Return the parts of the text that fill the placeholders of a sentence."""
        rest, word = self.rest or self.text[:200].lstrip("\ufeff \t\r\n"), _WORD.match(self.rest)
        if word is not None:
            bare = word[1]
        else:
            bare = ""
        value = _SEPARATOR.split(self.last)[-1].lstrip() + self.rest  # with the fault, or before it
        return {
            "expected": self.fault.expected,
            "control": self.fault.expected.split()[0],
            "place": self.place,
            "subject": self.place.removeprefix(" in ") or "a string",
            "word": bare,
            "bare": self.seen(bare),
            "begin": self.seen(rest),
            "seen": self.seen(rest, 20),
            "before": self.seen(rest, 20, ", before "),
            "instead": self.seen(rest, 20, ", not "),
            "value": self.seen(_alone(value), 20),
            "after": self.seen(self.last.rstrip().rpartition('"')[2][-20:], lead=" after "),
        }

    def seen(self, text: str, most: int = MAX_SEEN, lead: str = ": ") -> str:
        """Quote the start of a part of the text in backquotes, after `lead`.

        Return an empty string if the part may be secret.
        """
        line = text[:most].strip()
        if self.is_secret or not line:
            return ""
        shown = clean(line).replace("`", "'")
        cut = len(text.strip()) > len(line) or len(shown) > MAX_FAULT_SHOWN - 4
        return f"{lead}`{shown[: MAX_FAULT_SHOWN - 4]}{'…' if cut else ''}`"
