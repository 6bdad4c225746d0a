"""The rules about the tools of a request, and about names and ids, as data."""

from __future__ import annotations

from functools import partial

from toolgen_transcripts.rules import rule as rules
from toolgen_transcripts.rules.rule import ALL, BEDROCK, CLAUDE, OPENAI

rule = partial(rules.rule, where="tools")


class ToolRules:
    """The rules about the tools, and about the names and ids of calls, by name."""

    INVALID_LABEL = rules.rule(
        19,
        "a name or an id that the provider does not accept",
        "rename it with the codec, both in the tools and in the history",
        "Value '{detail}' at '{place}' failed to satisfy constraint: Member must satisfy regular expression"
        " pattern",
        r"(?:toolSpec\.name|toolUse\.name|toolUseId)'? failed to satisfy constraint: Member must",
        r"Invalid '(?:tools|messages|input)\[\d+\](?!\S*description').{0,200}does not match pattern",
        r"Invalid '(?:tools|messages|input)\[\d+\](?!\S*description').{0,200}string too long",
        r"Invalid function name",
        r"(?:tools|messages)\.\d+.{0,200}String should match pattern",
        r"function_(?:call|response)\.name: (?:\[\S{0,80}\])?:? ?Name cannot be empty",
        r"Invalid '(?:tools|messages|input)\[\d+\][^']{0,80}name': empty string",
        r"(?:tools|messages)\.\d+\S{0,120}\.name: String should have at (?:most|least)",
        anthropic="{place}: String should match pattern ({detail})",
        openai="Invalid '{place}': string does not match pattern or is too long ({detail})",
        gemini="Invalid function name at {place} ({detail}). Must start with a letter or an underscore.",
    )
    EMPTY_DESCRIPTION = rule(
        20,
        "an empty description",
        "leave it out",
        "Value '' at '{place}' failed to satisfy constraint: Member must have length greater than or equal"
        " to 1",
        r"description'? failed to satisfy constraint: Member must have length greater",
    )
    EMPTY_TOOLS = rule(
        21,
        "an empty list of tools",
        "leave the tools out",
        "Value at '{place}' failed to satisfy constraint: Member must have length greater than or equal to 1",
        r"\[\] is too short - 'tools'",
        of=BEDROCK | {"openai"},
        openai="Invalid '{place}': empty array. Expected an array with minimum length 1",
    )
    ROOT_NOT_OBJECT = rule(
        22,
        "a tool whose schema is not an object at the root",
        "wrap the root in an object, and unwrap the arguments of calls",
        "The value at {place}.type must be one of the following: object.",
        of=ALL,
        anthropic="{place}.type: Input should be 'object'",
        openai="Invalid schema for function '{detail}': schema must be a JSON Schema of 'type: \"object\"'",
    )
    ROOT_UNION = rule(
        23,
        "a union at the root of a tool's schema",
        "merge its branches into one object",
        "{place}: input_schema does not support oneOf, allOf, or anyOf at the top level",
        of=CLAUDE | OPENAI,
        openai="Invalid schema for function '{detail}': schema must have type 'object' and not have"
        " 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
    )
    INVALID_SCHEMA = rule(
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
    )
    NOT_STRICT = rule(
        25,
        "a strict tool whose schema is outside the strict subset",
        "leave out unsupported keywords; send tools with open objects without `strict`",
        "{place}: {detail}",
        r"'additionalProperties' must be explicitly set to false",
        r"For '\w+' type, property '\w+' is not supported",
        r"'additionalProperties' is required to be supplied and to be false",
        r"'required' is required to be supplied and to be an array including every key",
        r"In context=\(.{0,80}?\), '\w+' is not permitted",
        of=CLAUDE | OPENAI,
        openai="Invalid schema for function at {place}: {detail}",
    )
    TOO_MANY_UNIONS = rule(
        26,
        "too many parameters of union type in strict tools",
        "send the tools over the limit without `strict`",
        "Schemas contains too many parameters with union types ({detail} parameters with type arrays or"
        " anyOf) (limit: 16 parameters with unions).",
        r"too many parameters with union types",
        of=CLAUDE,
    )
    UNSUPPORTED_CHOICE = rule(
        27,
        "a tool choice that the model does not support",
        "use `auto`",
        "This model doesn't support the toolConfig.toolChoice.{detail} field. Remove it and try again.",
    )
    FORCED_WHILE_THINKING = rule(
        28,
        "a forced call while thinking",
        "use `auto` while thinking is on",
        "Thinking may not be enabled when tool_choice forces tool use.",
        of=CLAUDE,
    )
    UNSUPPORTED_FEATURE = rule(
        29,
        "a feature that the model does not support: tools while streaming, or the status of a result",
        "call the model without streaming; leave out the status",
        "This model doesn't support tool use in streaming mode.",
        status="This model doesn't support the status field. Remove status and try again.",
    )
    CACHE_POINT = rule(
        32,
        "a cache point among the tools, for a model that does not support this",
        "leave out the cache point",
        "#/{place}: extraneous key [cachePoint] is not permitted",
    )
    MISTRAL_ID = rules.rule(
        35,
        "a call id that Mistral does not accept",
        "replace the id with one of nine letters and digits (the codec does this)",
        "Tool call id was {ids} but must be a-z, A-Z, 0-9, with a length of 9.",
        of=ALL,
    )
    TOO_MANY_STRICT = rule(
        39,
        "too many strict tools, or too many optional parameters in them",
        "send the tools over the limit without `strict`",
        "Too many strict tools ({detail}). The maximum number of strict tools supported is 20.",
        r"too many strict tools",
        r"too many optional parameters",
        r"compiled grammar is too large",
        r"schema is too complex for compilation",
        of=CLAUDE,
        optional="Schemas contains too many optional parameters ({detail}), which would make grammar"
        " compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit:"
        " 24).",
    )
    TOO_MANY_TOOLS = rule(
        40,
        "more than 128 tools",
        "offer fewer tools, or let the model search for them",
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with"
        " length {detail} instead.",
        of=OPENAI,
    )
    LONG_DESCRIPTION = rule(
        41,
        "a description of more than 1,024 characters",
        # refused 2024-07 to 2025-04 (sentry-mcp#106, OpenHands#7167, litellm#4735); api.openai.com accepted 15,664
        # characters on 2025-12-19 and 2026-01-15 (gpt-4o-2024-08-06)
        "shorten it if the server refuses it; in December 2025 api.openai.com accepted longer ones",
        "Invalid '{place}': string too long. Expected a string with maximum length 1024, but got a string"
        " with length {detail} instead.",
        r"Invalid '(?:tools|functions)\[\d+\]\S*description': string too long",
        of=frozenset(),
    )
    DUPLICATE_TOOL = rule(
        48,
        "two tools with one name",
        "leave one of them out, or rename one",
        "The tool {detail} is already defined at {place}.",
        anthropic="tools: Tool names must be unique.",
        gemini="Duplicate function declaration found: {detail}",
    )
