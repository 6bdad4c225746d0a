"""The table of all lint findings, which `docs/lint.md` shows too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolgen.compiler.diagnostic_codes import NOTE, WARNING, DiagnosticCode

_Code = DiagnosticCode

LINT_CODES: Final[Mapping[str, DiagnosticCode]] = {
    # Texts that the model reads
    "no-description": _Code(
        "A tool has no description, so the model chooses it by its name alone.",
        "Say in a sentence or two what the tool does and when to use it.",
        WARNING,
    ),
    "undescribed-field": _Code(
        "A required field has no description, and no title that says more than its name.",
        "Describe the value, its format, and where it comes from.",
        NOTE,
    ),
    "instructing-text": _Code(
        "A description gives the model instructions that go beyond the tool, as malicious tools do.",
        "Describe only what the tool does. Do not instruct the model, ask it to keep secrets, or mention other tools.",
        WARNING,
    ),
    "hidden-characters": _Code(
        "A title or description contains characters that are invisible to people, but not to a model.",
        "Remove the characters.",
        WARNING,
    ),
    "large-tool": _Code(
        "A tool's definition takes many tokens in every request.",
        "Shorten the descriptions, split the tool, or move rarely used fields into another tool.",
        NOTE,
    ),
    "large-server": _Code(
        "The tools of a file together take many tokens in every request.",
        "Offer fewer tools at a time, or let the model search for them.",
        NOTE,
    ),
    "missing-enum": _Code(
        "A description lists the allowed values, but the schema accepts any string.",
        "List the values under `enum`.",
        NOTE,
    ),
    "near-duplicate": _Code(
        "A model cannot tell two tools apart: their descriptions and fields are the same, or their names and required"
        " fields mean the same.",
        "Describe when to use each tool, or merge them.",
        WARNING,
    ),
    # Schemas that accept too much, and defaults and examples
    "open-object": _Code(
        "The arguments may have unknown keys, so a misspelled optional key is not reported.",
        "Set `additionalProperties: false`, or check calls with `unknown_keys`.",
        NOTE,
    ),
    "unknown-required": _Code(
        "A required key is not declared in `properties`. If it is misspelled in either place, every call is rejected.",
        "Declare the key in `properties`, or correct its name under `required`.",
        WARNING,
    ),
    "required-default": _Code(
        "A required field has a default, which is never used.",
        "Make the field optional, or remove the default.",
        NOTE,
    ),
    "invalid-default": _Code(
        "A default is not valid under its own schema.", "Correct the default or the schema.", WARNING
    ),
    "null-default": _Code(
        "A default is null, but the schema rejects null. Models copy the default into their calls.",
        'Allow null in the schema (`"type": ["string", "null"]`), or remove the default.',
        NOTE,
    ),
    "invalid-example": _Code(
        "An example is not valid under its own schema. Models copy examples into their calls.",
        "Correct the example or the schema.",
        WARNING,
    ),
    # Constraints that no value or no branch can satisfy
    "contradictory-bounds": _Code("No value satisfies both bounds.", "Correct one of the bounds."),
    "impossible-schema": _Code(
        "Schemas that apply to the same value contradict each other, so no value is valid.",
        "Declare all fields of a closed object in one schema, or correct one of the schemas.",
    ),
    "unknown-format": _Code(
        "JSON Schema does not define the format, so it is not checked.",
        "Use the name of a format that JSON Schema defines.",
        WARNING,
    ),
    "impossible-value": _Code(
        "Another keyword of the schema rejects a value of `enum` or `const`.",
        "Remove the value, or correct the other keyword.",
        WARNING,
    ),
    "unreachable-branch": _Code(
        "A branch of a union can never match: it contradicts itself or the keywords next to the union. Or it accepts"
        " only values that another branch also accepts.",
        "Remove the branch, or change it so that it differs.",
        WARNING,
    ),
    "untagged-union": _Code(
        "The branches of a union of objects have no field that identifies the branch.",
        "Give every branch a required field with a different `const`.",
        NOTE,
    ),
    # Schemas that are hard for a model or a program
    "deep-nesting": _Code(
        "Arguments are deeply nested. Models make more mistakes with nested arguments.",
        "Flatten the arguments.",
        NOTE,
    ),
    "large-enum": _Code(
        "A field has a very large number of allowed values.",
        "Accept a string and look it up in the tool, or offer a tool that searches the values.",
        NOTE,
    ),
    # Providers and protocols
    "root-not-object": _Code(
        "The schema allows arguments that are not an object, but providers require an object.",
        'Add `"type": "object"` to the root of the schema.',
        WARNING,
    ),
    "provider-name": _Code(
        "A provider rejects the tool's name. toolgen sends an encoded name, and decodes it in"
        " the model's response.",
        "Use only letters, digits, `_` and `-`, and at most 64 characters.",
        NOTE,
    ),
    "mcp-name": _Code(
        "The name does not follow MCP's recommendation (server/tools, tool names).",
        "Use 1 to 128 letters, digits, `_`, `-` and `.`.",
        WARNING,
    ),
    "strict-refused": _Code(
        "A provider's strict mode does not support the tool, even if its schema is rewritten.",
        "Change the part of the schema that the message names, or call the tool without strict mode.",
        NOTE,
    ),
    "strict-rewritten": _Code(
        "A provider's strict mode supports the tool only if toolgen rewrites its schema.",
        'Encode the tools with `strict="auto"`.',
        NOTE,
    ),
    "mcp-header": _Code(
        "`x-mcp-header` breaks MCP's rules, so clients over HTTP ignore the tool (MCP"
        " 2026-07-28, streamable HTTP).",
        "Correct the value that the message names.",
        ("error", "warning"),
    ),
    "missing-items": _Code(
        "An array has no `items`. OpenAI and VS Code reject the tool. toolgen's exports add `items`.",
        "Describe the items, or set `items` to `{}`.",
        NOTE,
    ),
    "contradictory-annotations": _Code(
        "Annotations contradict each other or the verb in the tool's name. Clients run read-only tools without asking.",
        "Correct the annotations, or the name.",
        WARNING,
    ),
    "missing-annotations": _Code(
        "A directory of servers requires annotations that the tool does not have (`--provider openai-apps` or"
        " `claude-directory`).",
        "Set each required annotation to true or false in `annotations`.",
        WARNING,
    ),
    "read-and-write": _Code(
        "A tool both reads and writes. Claude's directory rejects such a tool (`--provider claude-directory`).",
        "Make one tool that reads, and others that write.",
        WARNING,
    ),
    # The linter itself
    "unused-ignore": _Code(
        "`x-toolgen-ignore` names a code that is not reported there.", "Remove the code.", NOTE
    ),
}

ONCE_A_FILE: Final = ("open-object", "null-default", "missing-annotations")
"""Codes that often occur many times in a file. Each is reported once, with the number of places."""
