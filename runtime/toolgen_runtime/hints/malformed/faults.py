"""Explain why a text is not JSON: its first known mistake, or where parsing stops."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

from toolgen_runtime.hints.expected import counted
from toolgen_runtime.hints.malformed.read_text import KINDS, Check, has_value, read_text
from toolgen_runtime.hints.quoting import clean, shown
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, field_of, revealed
from toolgen_runtime.validation.json_scan import Fault, find_fault

LONG = 2_000
"""The length from which a truncated text counts as too long."""
MAX_SCANNED = 200_000
MAX_SEEN = 30
"""The most characters of a text that a sentence shows; an escaped one may take six."""
MAX_FAULT_SHOWN = 60
SHOWN = 200
"""The characters before and after a fault that are looked at."""
_SEPARATOR = re.compile(r"[,:{\[]")
_BYTE = re.compile(r"UTF-8, not byte (0x[0-9a-f]{2}) at offset (\d+)")
_UNCLOSED_KEY = re.compile(r"[{,]\s*(\"[\w$.-]{1,60}\s*:[^\"]*[}\]])\s*\Z")
_WORD = re.compile(r"-?([A-Za-z_$][\w$.-]*)|")
_VALUE_TEXT = re.compile(r"(?:[^\[\]{}]|\[[^\]]*\]|\{[^}]*\})*+")
"""A text without the closing brackets of the array or object around it."""
_END, _VALUE = "nothing after the end of the value", "a JSON value|a number"
_NEXT, _ITEM, _KEY = '"," or', '"," or "]"', "a key"
_FAULTS = tuple(
    (re.compile(wanted), re.compile(text), says)
    for wanted, text, says in (
        ("", r"\A[\ufeff\s]*\0<", "the arguments are XML, not JSON{begin}. Send a JSON object."),
        ("", r"\A[\ufeff\s]*\0[^\W\d_]", "the arguments are text, not JSON{begin}. Send a JSON object."),
        (_END, r'\A\s*"[^"]*"\s*\0:', "the opening brace is missing{seen}. Send a JSON object, in {{ }}."),
        (_END, r'\0(?:[\s,]*\{|[^{}]{0,40}\{\s*")',
         "the arguments contain several JSON objects. Make a separate call for each object."),
        (_END, r'\}\s*\0(?:,(?!\s*\Z)|"[^"]*"\s*:)',
         "the object of the arguments is closed too early{before}. Send one object with all fields."),
        (_END, "", "there is text after the JSON of the arguments{begin}. Send the JSON object alone."),
        ("an escape", "", "there is a backslash that begins no escape{place}{seen}. Write each backslash as \\\\."),
        (".*bare control", "", "a string has a raw control character{place}. Write it as {expected:.6}."),
        ("", r"\0(?:\.\.\.|…)", 'the arguments are shortened with "..."{place}. Send them in full.'),
        (_NEXT, r"[\w.]\0[._xXoObBeE0-9]",
         "a number is not written as in JSON{place}{value}. Send its plain digits."),
        (_NEXT, r"\d\s*\0(?::|[^\W\d_])", "a value has no quotes{place}{value}. Put strings in double quotes."),
        (_NEXT, r"\0;", "there is a semicolon{place}{seen}. Write a comma instead."),
        (_NEXT, r'[}\]"]\s*\0[{\[]|"\s*\0"[^"]+"\s*[:=]', "a comma is missing{place}{before}. Put it there."),
        (_ITEM, r'"\s*\0"[^"]+"(?!")', "a comma is missing{place}{before}. Put it there."),
        (_KEY, r"\d,\0\d", "there is a comma in a number{before}. Send its plain digits."),
        ("", r'\0\\+"', "there is a backslash before the quotes{place}{seen}. Leave it out."),
        (_VALUE, r"\0[+-]?\.\d", "a number is not written as in JSON{place}{value}. Send its plain digits."),
        (_VALUE, r"\0(?i:-?(?:infinity|inf|nan|undefined)(?![\w$.-]))",
         "{word} is not JSON: send a value{place}, or leave it out."),
        (_VALUE, r"\0-?[A-Za-z_$][\w$.-]*\s*[(+\[]", "there is an expression{place}{value}. Send its value."),
        (_VALUE, r"\0-?[A-Za-z_$]", "a value has no quotes{place}{bare}. Put strings in double quotes."),
        (_NEXT, r',\s*"\s*\0[\w$.-]{1,60}"\s*:', "a string has no closing quote{place}{before}. Put it there."),
        (_NEXT, r"""[\w."']\s*\0[-+*/%^|&?<>=(]|"\s*\0(?:if|or|and)\b""",
         "there is an expression{place}{value}. Send its value."),
        (_NEXT, r'"\s*\0[^}\])\0-\x1f]',
         'a double quote ends a string too early{place}{before}. Within a string, write it as \\".'),
        ("", "", "the arguments are not valid JSON: {expected} is expected{place}{instead}."),
    )
)  # fmt: skip
"""Faults of texts without a reading: patterns of the expected token and of the text around the fault (`\\0`)."""


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
        place = field_of(issue.path[:-1])
        where = place and f" in {shown(place)[1:-1]}"
        return f"the arguments name {shown(issue.got)} twice{where}. Send it once."
    got = revealed(issue.got)
    is_empty = issue.expected == "a JSON value" and not str(got).strip()
    if is_empty or (got is MISSING and issue.constraint != "truncated"):
        return "the arguments are missing. Send a JSON object, {} if there is nothing to say."
    text, fault = payload, None
    if isinstance(payload, bytes | bytearray):
        if b"\0" in payload[:4]:
            return "the arguments are in UTF-16 or UTF-32, not in UTF-8. Send the same JSON in UTF-8."
        text = payload.decode("utf-8", "replace")
    if found := _BYTE.fullmatch(str(issue.expected)):
        at = int(found[2]) + 1
        return f"the arguments are not UTF-8 (byte {found[1]} at byte {at:,}). Send the same JSON in UTF-8."
    if isinstance(text, str) and text:
        fault = find_fault(text)
    if fault is None:  # the text is unknown, or has no fault
        if issue.constraint == "truncated":
            return "the arguments are cut off. Send the complete JSON object again."
        return f"the arguments are not valid JSON: {issue.expected} is expected."
    parts = _parts(text, fault, isinstance(issue.got, Secret), declared)
    if "truncated" in (fault.issue.constraint, issue.constraint):
        return _cut_off(text, fault).format_map(parts)
    return (_first_slip(text, check) or _known_fault(text, fault)).format_map(parts)


def _first_slip(text: str, check: Check | None) -> str:
    """Return the sentence for the first slip in a text; an empty string if no slip is known.

    An escape that may not be meant is named too: a model that mends only the slip would send it again.
    """
    reading = read_text(text[:MAX_SCANNED])
    is_read = has_value(reading, check)
    for slip in reading.slips:
        if is_read or slip not in ("tags", "parts"):
            said = KINDS[slip].sentence
            if slip != "escape" and "escape" in reading.slips:
                said = f"{said} {KINDS['escape'].sentence}"
            return said
    return ""


def _known_fault(text: str, fault: Fault) -> str:
    """Return the sentence for the fault at which parsing stops."""
    at = fault.at
    around = f"{text[max(at - SHOWN, 0) : at]}\0{text[at : at + SHOWN]}"
    return next(
        sentence
        for expected, pattern, sentence in _FAULTS
        if expected.match(fault.expected) and pattern.search(around)
    )


def _cut_off(text: str, fault: Fault) -> str:
    """Return the sentence for a truncated text. For a long text, it says to split the content across several calls."""
    if fault.expected == "string" and _UNCLOSED_KEY.search(text[-SHOWN:]):
        return "a key has only one quote{key}. Put each key in double quotes."
    said = f"the arguments are cut off{{inside}} after {counted(f'{len(text):,}', 'character')}"
    if len(text) >= LONG:
        return f"{said}: too long for one call. Split the content across several calls."
    return f"{said}. Send the complete JSON object again."


def _parts(text: str, fault: Fault, is_secret: bool, declared: Container[object]) -> dict[str, str]:
    """Return the parts of a text and its fault that fill the placeholders of a sentence.

    Of a text that may be secret, only the first step of the path is shown, if it is declared.
    """
    at, path = fault.at, fault.path
    last, rest = text[max(at - SHOWN, 0) : at], text[at : at + SHOWN]
    word = bare = _WORD.findall(rest)[0]
    value = _VALUE_TEXT.findall(_SEPARATOR.split(last)[-1].lstrip() + rest)[0]  # with the fault, or before it
    rest = rest or text[:SHOWN].lstrip("\ufeff \t\r\n")
    after, key = last.rstrip().rpartition('"')[2][-20:], "".join(_UNCLOSED_KEY.findall(text[-SHOWN:]))
    if is_secret:
        path = tuple(step for step in path[:1] if step in declared)
        bare = value = rest = after = key = ""
    field = clean(field_of(path)[:MAX_FAULT_SHOWN])
    if len(field) >= MAX_FAULT_SHOWN:
        field = ""
    return {
        "expected": fault.expected,
        "place": field and f" in {field}",
        "inside": field and f' inside "{field}"',
        "subject": field or "a string",
        "word": word,
        "bare": _seen(bare, MAX_SEEN),
        "begin": _seen(rest, MAX_SEEN),
        "seen": _seen(rest),
        "before": _seen(rest, lead=", before "),
        "instead": _seen(rest, lead=", not "),
        "value": _seen(value),
        "after": _seen(after, lead=" after "),
        "key": _seen(key, MAX_SEEN),
    }


def _seen(text: str, most: int = 20, lead: str = ": ") -> str:
    """Quote the start of a part of the text in backquotes, after `lead`; an empty string if there is none."""
    line = text[:most].strip()
    if not line:
        return ""
    shown = clean(line).replace("`", "'")
    cut = len(text.strip()) > len(line) or len(shown) > MAX_FAULT_SHOWN - 4
    return f"{lead}`{shown[: MAX_FAULT_SHOWN - 4]}{'…' if cut else ''}`"
