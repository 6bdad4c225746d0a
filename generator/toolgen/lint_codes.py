"""The closed table of findings; `docs/lint.md` shows the same table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolgen.diagnostic_codes import DiagnosticCode

_Code = DiagnosticCode

LINT_CODES: Final[Mapping[str, DiagnosticCode]] = {
    # What the model reads
    "no-description": _Code(
        "A tool has no description, so the model chooses it by its name alone.",
        "Say in a sentence or two what the tool does and when to use it.",
        ("warning",),
    ),
    "undescribed-field": _Code(
        "A required field has no description of its own.",
        "Say what it holds, in which form, and where the value comes from.",
        ("note",),
    ),
    "instructing-text": _Code(
        "A text tries to instruct the model beyond the tool, as poisoned tools do.",
        "Describe what the tool does; leave out orders, secrecy and other tools.",
        ("warning",),
    ),
    "hidden-characters": _Code(
        "A text has characters that people do not see and a model reads.",
        "Remove the characters.",
        ("warning",),
    ),
    "large-tool": _Code(
        "A tool's definition takes many tokens of every request.",
        "Shorten the descriptions, split the tool, or move what is rare into another one.",
        ("note",),
    ),
    "large-server": _Code(
        "The tools of a file together take many tokens of every request.",
        "Offer fewer tools at a time, or let the model search for them.",
        ("note",),
    ),
    "missing-enum": _Code(
        "A description lists the allowed values, and the schema takes any text.",
        "List the values under `enum`.",
        ("note",),
    ),
    "near-duplicate": _Code(
        "Two tools have the same description and the same fields, so only their names differ.",
        "Say in their descriptions when to use which, or make them one.",
        ("warning",),
    ),
    # What the schema lets pass
    "open-object": _Code(
        "The arguments may have unknown keys, so a misspelt optional key is not reported.",
        "Set `additionalProperties: false`, or check calls with `unknown_keys`.",
        ("note",),
    ),
    "required-default": _Code(
        "A required field has a default, which is never used.",
        "Make the field optional, or remove the default.",
        ("note",),
    ),
    "invalid-default": _Code(
        "A default is not valid under its own schema.", "Correct the default or the schema.", ("warning",)
    ),
    "null-default": _Code(
        "A default is null, which the schema refuses; models copy it into their calls.",
        'Allow null in the schema (`"type": ["string", "null"]`), or remove the default.',
        ("note",),
    ),
    "invalid-example": _Code(
        "An example is not valid under its own schema; models copy examples.",
        "Correct the example or the schema.",
        ("warning",),
    ),
    # What no payload or no branch can satisfy
    "contradictory-bounds": _Code("No value is within the bounds.", "Correct one of them.", ("error",)),
    "unknown-format": _Code(
        "A format is not one that JSON Schema has, so it is not checked.",
        "Write the name of the format that is meant.",
        ("warning",),
    ),
    "impossible-value": _Code(
        "A value under `enum` or `const` is refused by another keyword of the schema.",
        "Remove the value, or correct the other keyword.",
        ("warning",),
    ),
    "unreachable-branch": _Code(
        "A branch of a union takes nothing that another branch does not take already, or nothing at all.",
        "Remove the branch, or say what sets it apart.",
        ("warning",),
    ),
    "untagged-union": _Code(
        "The branches of a union of objects have no field that tells them apart.",
        "Give every branch a required field with a `const` of its own.",
        ("note",),
    ),
    # What is hard for a model or a machine
    "deep-nesting": _Code(
        "Arguments are nested deeply, which models get wrong more often.", "Flatten the arguments.", ("note",)
    ),
    "large-enum": _Code(
        "A field has very many allowed values.",
        "Take a text and look it up in the tool, or offer a tool that searches the values.",
        ("note",),
    ),
    # Providers and protocols
    "root-not-object": _Code(
        "The arguments need not be an object, which providers demand.",
        'Give the schema `"type": "object"` at its root.',
        ("warning",),
    ),
    "provider-name": _Code(
        "A provider refuses the tool's name; toolgen sends it another one, which its codec leads back.",
        "Use letters, digits, `_` and `-`, at most 64 characters.",
        ("note",),
    ),
    "mcp-name": _Code(
        "The name is not one that MCP recommends (server/tools, tool names).",
        "Use 1 to 128 letters, digits, `_`, `-` and `.`.",
        ("warning",),
    ),
    "strict-refused": _Code(
        "A provider's strict mode cannot take the tool, even if its schema is rewritten.",
        "Change what the message names, or call the tool without strict mode.",
        ("note",),
    ),
    "strict-rewritten": _Code(
        "A provider's strict mode takes the tool only if toolgen rewrites its schema.",
        'Encode the tools with `strict="auto"`.',
        ("note",),
    ),
    "mcp-header": _Code(
        "`x-mcp-header` breaks its rules, so clients over HTTP leave the tool out (MCP 2026-07-28,"
        " streamable HTTP).",
        "Correct what the message names.",
        ("error", "warning"),
    ),
    # The linter itself
    "unused-ignore": _Code(
        "`x-toolgen-ignore` names a code that is not reported there.", "Remove it.", ("note",)
    ),
}

ONCE_A_FILE: Final = ("open-object", "null-default")
"""Codes that a file often has many times: one finding says how often."""
