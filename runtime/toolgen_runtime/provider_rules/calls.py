"""The rules about calls and their results, as data."""

from __future__ import annotations

from toolgen_runtime.provider_rules.rule import ALL, BEDROCK, CLAUDE, Rule, RuleId

RULES: tuple[Rule, ...] = (
    Rule(
        RuleId.ORPHAN_RESULT,
        "a result without its call",
        "remove results whose call is not in the previous assistant turn",
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
        ALL,
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
            "custom": "No tool output found for custom tool call {ids}.",
            "gemini": "Please ensure that the number of function response parts is equal to the number of function"
            " call parts of the function call turn.",
        },
        ALL - {"anthropic"},
        also=(
            r"No tool output found for (?:\w+ ){1,3}call",
            r"insufficient tool messages following tool_calls message",
            r"Not the same number of function calls and responses",
        ),
    ),
    Rule(
        RuleId.MISSING_RESULT_CLAUDE,
        "a call without its result, in Claude's wording",
        "put all results into the next message; add an error result for a missing one",
        {
            "": "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}."
            " Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        },
        frozenset({"anthropic"}),
    ),
    Rule(
        RuleId.RESULTS_NOT_FIRST,
        "other content before the results",
        "move the results to the beginning of their message",
        {
            "": "{place}: Did not find {detail} tool_result block(s) at the beginning of this message. Messages"
            " following tool_use blocks must begin with a matching number of tool_result blocks."
        },
        CLAUDE,
        also=(r"Did not find \d+ .?tool_result.? block",),
    ),
    Rule(
        RuleId.DUPLICATE_RESULT,
        "two results for one call",
        "keep the first that is not an error; if all are errors, keep the first",
        {
            "": "The toolResult blocks at {place}.content contain duplicate Ids: {ids}",
            "gemini": "The toolResult blocks at {place}.parts contain duplicate Ids: {ids}",
            "gemini_interactions": "Several function_result steps have one call_id: {ids}",
            "anthropic": "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with"
            " id: {ids}",
            "openai": "Duplicate tool messages for the tool_call_id {ids}",
            "openai_responses": "Duplicate function call output for call_id {ids}",
        },
        ALL,
    ),
    Rule(
        RuleId.DUPLICATE_CALL_ID,
        "two calls with one id",
        "give the later call and its result a new, numbered id",
        {
            "": "The toolUse blocks at {place}.content contain duplicate Ids: {ids}",
            "gemini": "The toolUse blocks at {place}.parts contain duplicate Ids: {ids}",
            "gemini_interactions": "Several function_call steps have one id: {ids}",
            "anthropic": "{place}: `tool_use` ids must be unique: {ids}",
            "openai": "Duplicate value for 'tool_call_id' in {place}: {ids}",
            "openai_responses": "Duplicate item found with call_id {ids}",
        },
        ALL,
        also=(r"tool_use.? ids must be unique",),
    ),
    Rule(
        RuleId.CALLS_WITHOUT_TOOLS,
        "calls in the history, but no tools in the request",
        "send the tools with the request, or convert the history's calls to text",
        {
            "": "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
            "anthropic": "Requests which include `tool_use` or `tool_result` blocks must define tools",
        },
        CLAUDE,
    ),
    Rule(
        RuleId.MIXED_RESULTS,
        "results and other content in one message",
        "insert a short assistant message between them",
        {
            "": "{place}.content: Conversation blocks and tool result blocks cannot be provided in the same turn."
        },
    ),
    Rule(
        RuleId.INPUT_NOT_OBJECT,
        "a call's input that is not an object",
        "wrap the input in an object with a marker key",
        {
            "": "The format of the value at {place}.toolUse.input is invalid. Provide a json object for the field and"
            " try again.",
            "anthropic": "{place}.tool_use.input: Input should be a valid dictionary",
            "openai": "Invalid type for '{place}.function.arguments': expected a string.",
            "openai_responses": "Invalid type for '{place}.arguments': expected a string.",
            "gemini": "Invalid value at '{place}.function_call.args': expected a Struct.",
            "gemini_interactions": "Invalid value at '{place}.arguments': expected a Struct.",
        },
        ALL,
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
        BEDROCK | {"gemini"},
    ),
    Rule(
        RuleId.INVALID_LABEL,
        "a name or an id that the provider does not accept",
        "rename it with the codec, both in the tools and in the history",
        {
            "": "Value '{detail}' at '{place}' failed to satisfy constraint: Member must satisfy regular expression"
            " pattern",
            "anthropic": "{place}: String should match pattern ({detail})",
            "openai": "Invalid '{place}': string does not match pattern or is too long ({detail})",
            "gemini": "Invalid function name at {place} ({detail}). Must start with a letter or an underscore.",
        },
        ALL,
        also=(
            r"(?:toolSpec\.name|toolUse\.name|toolUseId)'? failed to satisfy constraint: Member must",
            r"Invalid '(?:tools|messages|input)\[\d+\](?!\S*description').{0,200}does not match pattern",
            r"Invalid '(?:tools|messages|input)\[\d+\](?!\S*description').{0,200}string too long",
            r"Invalid function name",
            r"function_(?:call|response)\.name: Name cannot be empty",
            r"(?:tools|messages)\.\d+.{0,200}String should match pattern",
            r"function_(?:call|response)\.name: (?:\[\S{0,80}\])?:? ?Name cannot be empty",
            r"Invalid '(?:tools|messages|input)\[\d+\][^']{0,80}name': empty string",
            r"(?:tools|messages)\.\d+\S{0,120}\.name: String should have at (?:most|least)",
        ),
    ),
    Rule(
        RuleId.MISTRAL_ID,
        "a call id that Mistral does not accept",
        "replace the id with one of nine letters and digits (the codec does this)",
        {"": "Tool call id was {ids} but must be a-z, A-Z, 0-9, with a length of 9."},
        ALL,
    ),
    Rule(
        RuleId.MALFORMED_TOOL_USE,
        "the model wrote an invalid tool call",
        "send the same request again, a few times; this is an error of the model, not a temporary"
        " failure of the service",
        {"": "Model produced invalid sequence as part of ToolUse. Please refer to the model tool use guide."},
        where="response",
    ),
    Rule(
        RuleId.TRUNCATED_CALL,
        "a call that was cut off at the token limit, without an error",
        "wait for `messageStop`; do not run calls if its stop reason is `max_tokens`",
        {"": "stopReason max_tokens"},
        where="stream",
        also=(
            r"\bmax_tokens\b.{0,400}\b(?:stop|truncat|cut)",
            r"\b(?:stop|truncat|cut)\w*\b.{0,400}\bmax_tokens\b",
        ),
    ),
)
