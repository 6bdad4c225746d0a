"""Repair tool schemas that a provider does not accept."""

from __future__ import annotations

from typing import Any, Final

from toolgen_runtime.schema.raw import each_schema
from toolgen_transcripts.codec import models
from toolgen_transcripts.codec.members import Native, as_list
from toolgen_transcripts.codec.wire import paths
from toolgen_transcripts.codec.wrapped import WRAPPED
from toolgen_transcripts.rules.draft import Draft
from toolgen_transcripts.rules.native_tools import malformed_keywords, without_malformed
from toolgen_transcripts.rules.request import Request
from toolgen_transcripts.rules.rule import ALL, CLAUDE, OPENAI, rule, step
from toolgen_transcripts.tools.openapi import SPELLINGS
from toolgen_transcripts.tools.schemas import object_schema

ROOT_NOT_OBJECT = rule(
    "root-not-object",
    22,
    "a tool whose schema is not an object at the root",
    "wrap the root in an object, and unwrap the arguments of calls",
    "The value at {place}.type must be one of the following: object.",
    of=ALL,
    anthropic="{place}.type: Input should be 'object'",
    openai="Invalid schema for function '{detail}': schema must be a JSON Schema of 'type: \"object\"'",
    where="tools",
    source="goose#5064",
)


ROOT_UNION = rule(
    "root-union",
    23,
    "a union at the root of a tool's schema",
    "merge its branches into one object",
    "{place}: input_schema does not support oneOf, allOf, or anyOf at the top level",
    of=CLAUDE | OPENAI,
    openai="Invalid schema for function '{detail}': schema must have type 'object' and not have"
    " 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
    where="tools",
    source="cua#3303",
)


INVALID_SCHEMA = rule(
    "invalid-schema",
    24,
    "a tool's schema that is not a JSON Schema",
    "check the schema against its metaschema when you build; leave out the malformed keyword",
    "The json schema definition at {place} is invalid. Fix the following errors and try again: {detail}",
    r"Unknown name .{1,40} at '\S*function_declarations",
    r"array schema (?:is )?missing items",
    r"\bparameters\S{0,400}\.items: missing field",
    r"Unknown name \\?\"[$\w]+\\?\" at '(?:request\.)?tools\[",
    of=ALL,
    anthropic="{place}: JSON schema is invalid. It must match JSON Schema draft 2020-12 ({detail})",
    openai="Invalid schema for function at {place}: {detail}",
    where="tools",
    source="bifrost#1720, pizza-bot#62, tidebreak#1516, 9router#3018",
)


_OPENAPI: Final = paths(
    "additionalProperties anyOf default defs description enum example format items maxItems maxLength maxProperties "
    "maximum minItems minLength minProperties minimum nullable pattern properties propertyOrdering ref required title "
    "type $defs $ref"
)
"""The fields of an OpenAPI schema (google-genai 3.4.0, `types.Schema`; the API rejects a request with any other), and
the two that it has under other names; `parametersJsonSchema` takes any JSON Schema (hermes-agent#98928)."""


def _find_foreign_keyword(schema: Any) -> str:
    for _, part in each_schema(schema):
        for word, value in part.items():
            is_list = word == "type" and isinstance(value, list)
            # The members of `enum` are strings (TYPE_STRING), whatever the type (azure-devops-mcp#145, reposkein#14).
            is_typed = word == "enum" and not all(isinstance(each, str) for each in as_list(value))
            if is_list or is_typed or SPELLINGS.get(word, word) not in _OPENAPI:
                return word
    return ""


@step(INVALID_SCHEMA)
def use_json_schema(draft: Draft) -> None:
    """Move a schema from `parameters` to `parametersJsonSchema` if it is JSON Schema and not Gemini's
    dialect.
    """
    for tool in draft.tools():
        schema = tool.schema if tool.openapi and isinstance(tool.schema, dict) else {}
        word = _find_foreign_keyword(schema)
        if not word:
            continue
        draft.find(INVALID_SCHEMA, tool.schema_place, detail=f"{word} is not in OpenAPI's subset")
        types = (part.get("type") for _, part in each_schema(schema))
        if not any(
            isinstance(kind, str) and kind != kind.lower() for kind in types
        ):  # else it mixes both languages
            draft.note(INVALID_SCHEMA, tool.schema_place, "sent as parametersJsonSchema")
            tool.spec["parametersJsonSchema"] = tool.spec.pop(tool.schema_keys[-1])


def _object(schema: Any, *, flat: bool, openapi: bool) -> tuple[Native, str]:
    """Return a schema with an object at its root, and a description of the changes."""
    if openapi:
        inner = schema if isinstance(schema, dict) else {}
        made = {"type": "OBJECT", "properties": {WRAPPED: inner}, "required": [WRAPPED]}
        return made, f"no object at the root: sent as the property {WRAPPED!r}"
    made, losses = object_schema(schema if isinstance(schema, dict | bool) else {}, flat=flat)
    return made, "; ".join(loss.message for loss in losses) or "root made an object"


def _is_flat(request: Request) -> bool:
    """Return whether the model rejects unions at a schema's root. An unknown model on Bedrock may be Claude."""
    if request.is_compatible or not request.tests(ROOT_UNION):
        return False
    return not request.wire.tools.model_roots or request.model is None or models.is_claude(request.model)


@step(ROOT_NOT_OBJECT, ROOT_UNION, INVALID_SCHEMA)
def fix_schemas(draft: Draft) -> None:
    """Remove malformed keywords from schemas, and make their roots objects."""
    request, refused = draft.request, draft.request.wire.tools.refused_at_root
    flat = _is_flat(request)
    for tool in draft.tools():
        schema, place = tool.schema, tool.schema_place
        untyped = isinstance(schema, dict) and "type" not in schema and request.is_compatible
        no_object = not tool.root_is_object(request.wire.tools) and not untyped
        union = flat and isinstance(schema, dict) and not schema.keys().isdisjoint(refused)
        if no_object:
            draft.find(ROOT_NOT_OBJECT, place, detail=str(tool.name))
        if union:
            draft.find(ROOT_UNION, place, detail=str(tool.name))
        if bad := [] if tool.openapi else list(malformed_keywords(schema)):
            for pointer in bad:
                draft.find(INVALID_SCHEMA, place, detail=f"malformed keyword at {pointer}")
            draft.note(INVALID_SCHEMA, place, f"malformed keywords left out: {', '.join(bad)}")
            schema = without_malformed(schema)
            union = union and not schema.keys().isdisjoint(refused)
        if no_object or union:
            rule = ROOT_NOT_OBJECT if no_object else ROOT_UNION
            schema, said = _object(schema, flat=flat, openapi=tool.openapi)
            draft.note(rule, place, said)
        if schema is not tool.schema:
            tool.put_schema(schema)
