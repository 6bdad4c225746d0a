"""Texts that try to become code, and tools that have one text in every place of a spec."""

from __future__ import annotations

from itertools import product
from urllib.parse import quote

from helpers.support import JsonObject

_CALL = "__import__('os').system('touch PWNED')"
_QUOTES = ("'", '"', '"""', "'''", "`")
_ENDS = ("", "\\", "\\\\", "\n", "\r\n")
_LINE_ENDS = ("\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
TEXTS: tuple[str, ...] = (
    # literals that are ended, with every quote and with every number of backslashes before it
    *(f"{end}{quoted}\n{_CALL}\n{quoted}" for quoted, end in product(_QUOTES, _ENDS)),
    *(f"{quoted}){end}" for quoted, end in product(_QUOTES[:4], _ENDS)),
    "'; " + _CALL + "; '", '") or ' + _CALL + ' or ("', "\\", "\\" * 7, "\\N{BEL}\\x41\\u0041\\U0001F600\\101",
    "{__import__('os')}", "f'{1}'", 'rb"""', "\\'", '\\"', "x\\",
    # lines that end where Python or an editor ends them
    *(f"a{end}import os" for end in _LINE_ENDS), *(f"# {end}{_CALL}" for end in _LINE_ENDS), *_LINE_ENDS,
    "a\\\n", "a\n    b\n\tc", "\ufeffimport os", "\x1a", "\x04",
    # what is not text, or not to be seen
    "\0", "a\0b", "\x7f", "\x80\x9f", "\x1b[31m", "\x08" * 5, "\xad",
    "\u200b", "\u2060", "\ufffe", "\uffff", "\U0010ffff", "\U000e0041\U000e007f", "\ufe0f", "e\u0301" * 40,
    # bidirectional controls and homoglyphs ("Trojan Source", CVE-2021-42574, CVE-2021-42694)
    "\u202e\u2066# \u2069\u2066" + _CALL, "\u202a\u202b\u202c\u202d\u2067\u2068", "\u200e\u200f\u061c",
    "v\u0430lidate", "\uff49\uff4d\uff50\uff4f\uff52\uff54", "\u2170f", "\u037e", "\u02ba\u201c\uff02",
    "\u00b5", "\ufb01nd",
    "\u01c5", "\u0130\u0131", "\u00df\u1e9e", "\u2126",
    # templates: jinja2, str.format, %, string.Template, shells, markup, workflow commands
    "{{ 7 * 7 }}", "{% for x in y %}", "{%- raw -%}", "{# c #}", "{{", "}}", "{%", "#}", "{{ ''.__class__ }}",
    "# line", "##",
    "{}", "{0.__class__}", "{name}", "{", "}", "%s", "%(name)s", "%", "${x}", "$x", "$(touch PWNED)", "`touch PWNED`",
    "<script>", "-->", "]]>", "::error::x", "##[error]x", "|| true", "&& touch PWNED", "; touch PWNED",
    # encoding cookies and other comments that tools read
    "# -*- coding: utf-7 -*-", "coding: rot13", "+AGkAbQBwAG8AcgB0-", "# type: ignore", "# noqa", "# fmt: off",
    "#!/bin/sh",
    ">>> " + _CALL, "# pragma: no cover", "vim: set ft=sh:",
    # names that mean something to Python, pydantic, the runtime or a file system
    "__class__", "__init__", "__proto__", "__builtins__", "__import__", "__getattr__", "__all__", "__doc__",
    "__debug__",
    "None", "True", "class", "match", "type", "self", "cls", "validate", "parse", "tool", "SCHEMA", "issues",
    "payload", "v",
    "MISSING", "ValidationIssue", "Payload", "PayloadRoot", "Field", "Any", "model_config", "model_fields",
    "root", "bind",
    "../../../tmp/x", "/etc/passwd", "C:\\x", "a/b", ".", "..", "~", "con", "NUL", "aux.py", "lpt1", "-rf",
    " ", "a" * 300,
    "__init__.py", "_models", "toolset", "toolgen-manifest.json", ".toolgen-new", "create_issue.py:Zone.Identifier",
    # words of JSON Schema and URIs where data is expected
    "$defs", "#/$defs/x", "properties", "json", "~0~1", "%2F", "#", "http://[::1", "urn:x:y", "file:///etc/passwd",
    # others
    '")\nimport os\nx = ("', "'); raise SystemExit; ('", "\t", "</script>", "\u65e5\u672c", "x: int\nimport os\n",
    "]; import os #", "__dict__", "a\u202eb", "{v}", "as_object", "left", "k", "a" * 5000, "\xe9",
)  # fmt: skip
HUGE = ("\\\"'{}%\n\u2028\0\u202e" * 120_000)[:1_000_000]
"""A million characters, of which all are escaped in a literal."""

_ANNOTATIONS = (
    "title",
    "description",
    "$comment",
    "contentMediaType",
    "contentEncoding",
    "format",
    "x-made-up",
)
RESTRICTED = (
    "$id", "$anchor", "$dynamicAnchor", "$ref", "$dynamicRef", "$schema", "pattern", "patternProperties", "type",
    "required", "$vocabulary", "id", "definitions", "dependencies", "additionalProperties", "enum",
)  # fmt: skip
"""Keywords that a text may make malformed."""


def pointer(key: str) -> str:
    """The reference to a definition (RFC 6901, section 6)."""
    escaped = key.replace("~", "~0").replace("/", "~1")
    return f"#/$defs/{quote(escaped)}"


def schema_of(text: str) -> JsonObject:
    """A schema with a text in every place that takes any text."""
    annotated = {**dict.fromkeys(_ANNOTATIONS, text), "examples": [text, {text: text}], "default": text}
    tagged = [
        {
            "type": "object",
            "properties": {text: {"const": tag}, "value ": {"type": "string"}},
            "required": [text, "value "],
        }
        for tag in (text, text + "2")
    ]
    return {
        **dict.fromkeys(_ANNOTATIONS[:5], text),
        text if text not in _WORDS else "x": text,
        "type": "object",
        "properties": {
            text: {"type": "string", **annotated, "enum": [text, "other"]},
            "known ": {"const": {text: [text]}},
            "tagged ": {"oneOf": tagged},
            "defined ": {"$ref": pointer(text)},
            "inner ": {"type": "object", "title": text, "properties": {text: {"type": "integer"}}},
            "several ": {"type": "array", "items": {"enum": [text, 5, None]}, "default": [text]},
            "mapped ": {"type": "object", "additionalProperties": {"type": "integer", "description": text}},
        },
        "required": [text],
        "dependentRequired": {"known ": [text]},
        "dependentSchemas": {text: {"maxProperties": 9}},
        "propertyNames": {"not": {"const": text + "?"}},
        "additionalProperties": {"not": {"const": text}},
        "$defs": {text: {"type": "integer", "title": text}},
    }  # fmt: skip


_WORDS = frozenset(("$defs", "properties", "type"))


def payloads_of(text: str) -> tuple[JsonObject, list[tuple[JsonObject, str]]]:
    """A valid payload, and invalid ones with the constraint that each breaks."""
    valid = {
        text: text,
        "known ": {text: [text]},
        "tagged ": {text: text, "value ": "x"},
        "defined ": 5,
        "inner ": {text: 1},
        "several ": [text, 5, None],
        "mapped ": {text: 7},
    }
    return valid, [
        ({**valid, text: text + "?"}, "enum"),
        ({}, "required"),
        ({**valid, "known ": {text: [text + "?"]}}, "const"),
        ({**valid, "tagged ": {text: text}}, "required"),
        ({**valid, "defined ": text}, "type"),
        ({**valid, "inner ": {text: text}}, "type"),
        ({**valid, "several ": [text + "?"]}, "enum"),
        ({**valid, "mapped ": {text: text}}, "type"),
        ({**valid, "else": text}, "not"),
    ]


def tool_of_text(text: str, prefix: str = "") -> JsonObject:
    """A tool with a text in every place that takes any, its own name among them."""
    return {
        "name": prefix + text,
        "description": text,
        "title": text,
        "annotations": {"title": text, text: text, "readOnlyHint": True},
        "inputSchema": schema_of(text),
        "outputSchema": {"type": "object", "properties": {text: {"enum": [text]}}},
        "icons": [{"src": text, "mimeType": text}],
        "_meta": {text: text},
    }


def restricted_tools(text: str) -> list[JsonObject]:
    """A tool for each keyword that takes some texts only."""
    values: JsonObject = {
        "patternProperties": {text: {"type": "integer"}},
        "definitions": {text: {"type": "integer"}},
        "$vocabulary": {text: True},
        "dependencies": {text: [text]},
        "required": [text],
        "enum": [text],
    }
    return [
        {"name": f"{keyword} {text}", "inputSchema": {"properties": {"p": {keyword: values.get(keyword, text)}}}}
        for keyword in RESTRICTED
    ]  # fmt: skip
