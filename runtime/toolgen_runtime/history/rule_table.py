"""The 35 rules as data. Numbers, wordings and fixes are those of the Bedrock rule list in docs/providers.md."""

from __future__ import annotations

from toolgen_runtime.history.rule_ids import RuleId
from toolgen_runtime.history.rules import Rule

_B = frozenset({"bedrock"})
_BA = _B | {"anthropic"}
_ALL = _BA | {"openai", "openai_responses", "gemini"}

RULES: tuple[Rule, ...] = (
    Rule(
        RuleId.ORPHAN_RESULT,
        "a result without its call",
        "drop results whose call is not in the assistant turn just before",
        {
            "": "The number of toolResult blocks at {place}.content exceeds the number of toolUse blocks of previous"
            " turn.",
            "anthropic": "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each"
            " `tool_result` block must have a corresponding `tool_use` block in the previous message.",
            "openai": "Invalid parameter: messages with role 'tool' must be a response to a preceeding message"
            " with 'tool_calls'.",
            "openai_responses": "No tool call found for function call output with call_id {ids}.",
            "gemini": "Please ensure that function response turn comes immediately after a function call turn.",
        },
        _ALL,
        also=(
            r"No tool call found for (?:\w+ ){1,3}output",
            r"role 'tool' must be a response to a prece?eding message",
        ),
    ),
    Rule(
        RuleId.MISSING_RESULT,
        "a call without its result, or results in several messages",
        "put all results into the next message; add an error result for a missing one",
        {
            "": "Expected toolResult blocks at {place}.content for the following Ids: {ids}",
            "openai": "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
            " 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
            "openai_responses": "No tool output found for function call {ids}.",
            "gemini": "Please ensure that the number of function response parts is equal to the number of function"
            " call parts of the function call turn.",
        },
        _ALL - {"anthropic"},
        also=(
            r"No tool output found for (?:\w+ ){1,3}call",
            r"insufficient tool messages following tool_calls message",
            r"Not the same number of function calls and responses",
        ),
    ),
    Rule(
        RuleId.MISSING_RESULT_CLAUDE,
        "a call without its result, as Claude says it",
        "put all results into the next message; add an error result for a missing one",
        {
            "": "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}."
            " Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        },
        frozenset({"anthropic"}),
        also=(r"tool_use` ids were found without `tool_result",),
    ),
    Rule(
        RuleId.RESULTS_NOT_FIRST,
        "something before the results",
        "put the results first in their message",
        {
            "": "{place}: Did not find {detail} tool_result block(s) at the beginning of this message. Messages"
            " following tool_use blocks must begin with a matching number of tool_result blocks."
        },
        _BA,
        also=(r"Did not find \d+ .?tool_result.? block",),
    ),
    Rule(
        RuleId.DUPLICATE_RESULT,
        "two results for one call",
        "keep one: the first that is not an error, else the first",
        {
            "": "The toolResult blocks at {place}.content contain duplicate Ids: {ids}",
            "gemini": "The toolResult blocks at {place}.parts contain duplicate Ids: {ids}",
            "anthropic": "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with"
            " id: {ids}",
            "openai": "Duplicate tool messages for the tool_call_id {ids}",
            "openai_responses": "Duplicate function call output for call_id {ids}",
        },
        _ALL,
        also=(r"each tool_use must have a single result",),
    ),
    Rule(
        RuleId.DUPLICATE_CALL_ID,
        "two calls with one id",
        "give the later call and its result an id of their own, by ordinal",
        {
            "": "The toolUse blocks at {place}.content contain duplicate Ids: {ids}",
            "gemini": "The toolUse blocks at {place}.parts contain duplicate Ids: {ids}",
            "anthropic": "{place}: `tool_use` ids must be unique: {ids}",
            "openai": "Duplicate value for 'tool_call_id' in {place}: {ids}",
            "openai_responses": "Duplicate item found with call_id {ids}",
        },
        _ALL,
        also=(r"tool_use.? ids must be unique",),
    ),
    Rule(
        RuleId.CALLS_WITHOUT_TOOLS,
        "calls in the history, but no tools in the request",
        "keep the tools in the request, or flatten the history's calls to text",
        {
            "": "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
            "anthropic": "Requests which include `tool_use` or `tool_result` blocks must define tools",
        },
        _BA,
    ),
    Rule(
        RuleId.EMPTY_TEXT,
        "an empty text block",
        "drop it, or put a placeholder where it is all there is",
        {
            "": "The text field in the ContentBlock object at {place} is blank. Add text to the text field, and try"
            " again.",
            "anthropic": "{place}: text content blocks must be non-empty",
        },
        _BA,
        also=(
            r"text content blocks must be non-empty",
            r"required oneof field 'data' must have one initialized field",
        ),
    ),
    Rule(
        RuleId.BLANK_TEXT,
        "a text block of nothing but white space",
        "drop it, or put a placeholder where it is all there is",
        {"": "{place}: text content blocks must contain non-whitespace text"},
        _BA,
        also=(r"text content blocks must contain non-whitespace text",),
    ),
    Rule(
        RuleId.EMPTY_MESSAGE,
        "a message without content",
        "put a placeholder text",
        {
            "": "The content field in the Message object at {place} is empty. Add a ContentBlock object to the content"
            " field and try again.",
            "anthropic": "{place}: all messages must have non-empty content except for the optional final assistant"
            " message",
            "gemini": "{place}.parts: contents.parts must not be empty.",
        },
        _BA | {"gemini"},
        also=(r"all messages must have non-empty content", r"contents\.parts must not be empty"),
    ),
    Rule(
        RuleId.EMPTY_ERROR,
        "an error result that says nothing",
        "always give an error a text",
        {
            "": "The content field at {place}.toolResult cannot be empty when status value is error.",
            "anthropic": "{place}.tool_result: content cannot be empty if `is_error` is true",
        },
        _BA,
    ),
    Rule(
        RuleId.REPEATED_ROLE,
        "two messages of one role in a row",
        "merge them",
        {
            "": "A conversation must alternate between user and assistant roles. Make sure the conversation alternates"
            " between user and assistant roles and try again."
        },
        also=(r"roles must alternate between",),
    ),
    Rule(
        RuleId.ASSISTANT_FIRST,
        "the conversation starts with the assistant",
        "put a user message before it",
        {
            "": "A conversation must start with a user message. Try again with a conversation that starts with a user"
            " message.",
            "anthropic": 'messages: first message must use the "user" role',
            "gemini": "Please ensure that single turn requests end with a user role or the role field is empty.",
        },
        _BA,
        also=(r"function call turn comes immediately after a user turn or after a function response turn",),
    ),
    Rule(
        RuleId.ASSISTANT_LAST,
        "the conversation ends with the assistant",
        "end with a user message",
        {
            "": "This model does not support assistant message prefill. The conversation must end with a user message."
        },
        _BA,
        also=(r"Expected last role User or Tool",),
    ),
    Rule(
        RuleId.TRAILING_SPACE,
        "the last assistant message ends in white space",
        "strip its end",
        {"": "messages: final assistant content cannot end with trailing whitespace"},
        _BA,
    ),
    Rule(
        RuleId.MIXED_RESULTS,
        "results and other content in one message",
        "part them by a short assistant message",
        {
            "": "{place}.content: Conversation blocks and tool result blocks cannot be provided in the same turn."
        },
        also=(r"Conversation blocks and tool result blocks cannot be provided in the same turn",),
    ),
    Rule(
        RuleId.INPUT_NOT_OBJECT,
        "a call's input that is not an object",
        "wrap it in a marked object",
        {
            "": "The format of the value at {place}.toolUse.input is invalid. Provide a json object for the field and"
            " try again.",
            "anthropic": "{place}.tool_use.input: Input should be a valid dictionary",
            "openai": "Invalid type for '{place}.function.arguments': expected a string.",
            "openai_responses": "Invalid type for '{place}.arguments': expected a string.",
            "gemini": "Invalid value at '{place}.function_call.args': expected a Struct.",
        },
        _ALL,
        also=(r"tool_use\.input: Input should be a valid dictionary",),
    ),
    Rule(
        RuleId.JSON_NOT_OBJECT,
        "a JSON result that is not an object",
        "send it as text",
        {
            "": "The format of the value at {place}.json is invalid. Provide a json object for the field and"
            " try again.",
            "gemini": "Invalid value at '{place}.function_response.response': expected a Struct.",
        },
        _B | {"gemini"},
    ),
    Rule(
        RuleId.INVALID_LABEL,
        "a name or an id that the provider does not take",
        "rename by the codec, in tools and history alike",
        {
            "": "Value '{detail}' at '{place}' failed to satisfy constraint: Member must satisfy regular expression"
            " pattern",
            "anthropic": "{place}: String should match pattern ({detail})",
            "openai": "Invalid '{place}': string does not match pattern or is too long ({detail})",
            "gemini": "Invalid function name at {place} ({detail}). Must start with a letter or an underscore.",
        },
        _ALL,
        also=(
            r"(?:toolSpec\.name|toolUse\.name|toolUseId)'? failed to satisfy constraint: Member must",
            r"(?:tools|messages)\.\d+.{0,200}String should match pattern",
            r"Invalid '(?:tools|messages|input)\[\d+\].{0,200}(?:does not match pattern|string too long)",
            r"Invalid function name",
            r"function_(?:call|response)\.name: (?:\[\S{0,80}\])?:? ?Name cannot be empty",
            r"Invalid '(?:tools|messages|input)\[\d+\][^']{0,80}name': empty string",
            r"(?:tools|messages)\.\d+\S{0,120}\.name: String should have at (?:most|least)",
        ),
    ),
    Rule(
        RuleId.EMPTY_DESCRIPTION,
        "an empty description",
        "leave it out",
        {
            "": "Value '' at '{place}' failed to satisfy constraint: Member must have length greater than or equal"
            " to 1"
        },
        where="tools",
        also=(r"description'? failed to satisfy constraint: Member must have length greater",),
    ),
    Rule(
        RuleId.EMPTY_TOOLS,
        "an empty list of tools",
        "leave the tools out",
        {
            "": "Value at '{place}' failed to satisfy constraint: Member must have length greater than or equal to 1",
            "openai": "Invalid '{place}': empty array. Expected an array with minimum length 1",
        },
        _B | {"openai"},
        "tools",
        also=(r"\[\] is too short - 'tools'",),
    ),
    Rule(
        RuleId.ROOT_NOT_OBJECT,
        "a tool whose root is not an object",
        "make the root an object and unwrap on the way back",
        {
            "": "The value at {place}.type must be one of the following: object.",
            "anthropic": "{place}.type: Input should be 'object'",
            "openai": "Invalid schema for function '{detail}': schema must be a JSON Schema of 'type: \"object\"'",
        },
        _ALL,
        "tools",
    ),
    Rule(
        RuleId.ROOT_UNION,
        "a union at the root of a tool's schema",
        "merge its branches into one object",
        {
            "": "{place}: input_schema does not support oneOf, allOf, or anyOf at the top level",
            "openai": "Invalid schema for function '{detail}': schema must have type 'object' and not have"
            " 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
        },
        _ALL - {"gemini"},
        "tools",
        also=(r"input_schema does not support oneOf, allOf, or anyOf",),
    ),
    Rule(
        RuleId.INVALID_SCHEMA,
        "a tool's schema that is not a JSON Schema",
        "check it against its metaschema at build time; leave the malformed keyword out",
        {
            "": "The json schema definition at {place} is invalid. Fix the following errors and try again: {detail}",
            "anthropic": "{place}: JSON schema is invalid. It must match JSON Schema draft 2020-12 ({detail})",
            "openai": "Invalid schema for function at {place}: {detail}",
        },
        _ALL,
        "tools",
        also=(
            r"json schema definition at \S+ is invalid",
            r"JSON schema is invalid\.",
            r"array schema (?:is )?missing items",
            r"\bparameters\S{0,400}\.items: missing field",
            r"Unknown name \\?\"[$\w]+\\?\" at '(?:request\.)?tools\[",
        ),
    ),
    Rule(
        RuleId.NOT_STRICT,
        "a strict tool outside the strict subset",
        "leave unsupported keywords out; send open objects without strict",
        {"": "{place}: {detail}"},
        _BA,
        "tools",
        also=(
            r"'additionalProperties' must be explicitly set to false",
            r"For '\w+' type, property '\w+' is not supported",
        ),
    ),
    Rule(
        RuleId.TOO_MANY_UNIONS,
        "too many parameters of union type in strict tools",
        "send the tools over the limit without strict",
        {
            "": "Schemas contains too many parameters with union types ({detail} parameters with type arrays or anyOf)"
            " (limit: 16 parameters with unions)."
        },
        _BA,
        "tools",
        also=(r"too many parameters with union types",),
    ),
    Rule(
        RuleId.UNSUPPORTED_CHOICE,
        "a tool choice that the model lacks",
        "choose auto",
        {"": "This model doesn't support the toolConfig.toolChoice.{detail} field. Remove it and try again."},
        where="tools",
        also=(r"doesn't support the toolConfig\.toolChoice\.\w+ field",),
    ),
    Rule(
        RuleId.FORCED_WHILE_THINKING,
        "a forced call while thinking",
        "choose auto while thinking is on",
        {"": "Thinking may not be enabled when tool_choice forces tool use."},
        _BA,
        "tools",
    ),
    Rule(
        RuleId.UNSUPPORTED_FEATURE,
        "tools while streaming, or a status, that the model lacks",
        "call it without streaming; leave the status out",
        {
            "": "This model doesn't support tool use in streaming mode.",
            "status": "This model doesn't support the status field. Remove status and try again.",
        },
        where="tools",
        also=(r"doesn't support the status field",),
    ),
    Rule(
        RuleId.RESULT_MEDIA,
        "an image inside a result that the model cannot see there",
        "move it to the user's message, or name it in text",
        {"": "This model doesn't support the image field for user messages. Remove image and try again."},
        also=(r"doesn't support the (?:image|document|video) (?:field|content block)",),
    ),
    Rule(
        RuleId.DOCUMENT_WITHOUT_TEXT,
        "a document without a text",
        "add a text",
        {"": "A text block must be included when using documents."},
        also=(
            r"A text block must be included when using documents",
            r"text field is required when using documents",
        ),
    ),
    Rule(
        RuleId.CACHE_POINT,
        "a cache point among the tools of a model without",
        "leave the cache point out",
        {"": "#/{place}: extraneous key [cachePoint] is not permitted"},
        where="tools",
        also=(r"extraneous key \[cachePoint\] is not permitted",),
    ),
    Rule(
        RuleId.MALFORMED_TOOL_USE,
        "the model wrote an invalid tool use",
        "ask again a few times with the same history; it is not a passing fault of the service",
        {"": "Model produced invalid sequence as part of ToolUse. Please refer to the model tool use guide."},
        where="response",
        also=(r"Model produced invalid sequence as part of ToolUse",),
    ),
    Rule(
        RuleId.TRUNCATED_CALL,
        "a call cut off at the token limit, without any error",
        "decide at messageStop only: after max_tokens no call is run",
        {"": "stopReason max_tokens"},
        where="stream",
        also=(
            r"\bmax_tokens\b.{0,400}\b(?:stop|truncat|cut)",
            r"\b(?:stop|truncat|cut)\w*\b.{0,400}\bmax_tokens\b",
        ),
    ),
    Rule(
        RuleId.MISTRAL_ID,
        "a call id that Mistral does not take",
        "re-id by the codec: nine letters and digits",
        {"": "Tool call id was {ids} but must be a-z, A-Z, 0-9, with a length of 9."},
        _ALL,
    ),
)
"""Every rule, in the order of its number."""

MALFORMED = Rule(
    RuleId.MALFORMED,
    "a role or content of the wrong type",
    "send an unknown role as the user's, and what cannot stand where it is as text",
    {
        "": "Invalid type for parameter {place}, valid: {detail}",
        "anthropic": "{place}: Input should be {detail}",
        "openai": "Invalid type for '{place}': expected {detail}",
        "gemini": "Invalid value at '{place}': expected {detail}",
    },
    _ALL,
)
"""Not a rule of a server's: what is not of the API's types, which most clients refuse to send."""

BY_NUMBER = {rule.number: rule for rule in (MALFORMED, *RULES)}
"""The rules by number."""
