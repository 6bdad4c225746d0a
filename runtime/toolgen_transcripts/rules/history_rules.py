"""The rules about messages, calls and their results, and reasoning that must be sent back, as data."""

from __future__ import annotations

from toolgen_transcripts.rules.rule import ALL, BEDROCK, CLAUDE, rule


class HistoryRules:
    """The rules about the history, by name."""

    MALFORMED = rule(
        0,
        "a role or content of the wrong type",
        "send a message of an unknown role as the user's, and misplaced content as text",
        "Invalid type for parameter {place}, valid: {detail}",
        anthropic="{place}: Input should be {detail}",
        openai="Invalid type for '{place}': expected {detail}",
        gemini="Invalid value at '{place}': expected {detail}",
    )
    ORPHAN_RESULT = rule(
        1,
        "a result without its call",
        "remove results whose call is not in the previous assistant turn",
        "The number of toolResult blocks at {place}.content exceeds the number of toolUse blocks of"
        " previous turn.",
        r"No tool call found for (?:\w+ ){1,3}output",
        r"role 'tool' must be a response to a prece?eding message",
        anthropic="{place}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each"
        " `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        openai="Invalid parameter: messages with role 'tool' must be a response to a preceeding message"
        " with 'tool_calls'.",
        openai_responses="No tool call found for function call output with call_id {ids}.",
        gemini="Please ensure that function response turn comes immediately after a function call turn.",
    )
    MISSING_RESULT = rule(
        2,
        "a call without its result, or results in several messages",
        "put all results into the next message; add an error result for a missing one",
        "Expected toolResult blocks at {place}.content for the following Ids: {ids}",
        r"No tool output found for (?:\w+ ){1,3}call",
        r"insufficient tool messages following tool_calls message",
        r"Not the same number of function calls and responses",
        openai="An assistant message with 'tool_calls' must be followed by tool messages responding to each"
        " 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
        openai_responses="No tool output found for function call {ids}.",
        custom="No tool output found for custom tool call {ids}.",
        gemini="Please ensure that the number of function response parts is equal to the number of function"
        " call parts of the function call turn.",
    )
    MISSING_RESULT_CLAUDE = rule(
        3,
        "a call without its result, in Claude's wording",
        "put all results into the next message; add an error result for a missing one",
        "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each"
        " `tool_use` block must have a corresponding `tool_result` block in the next message.",
        of=frozenset({"anthropic"}),
    )
    RESULTS_NOT_FIRST = rule(
        4,
        "other content before the results",
        "move the results to the beginning of their message",
        "{place}: Did not find {detail} tool_result block(s) at the beginning of this message. Messages"
        " following tool_use blocks must begin with a matching number of tool_result blocks.",
        r"Did not find \d+ .?tool_result.? block",
        of=CLAUDE,
    )
    DUPLICATE_RESULT = rule(
        5,
        "two results for one call",
        "keep the first that is not an error; if all are errors, keep the first",
        "The toolResult blocks at {place}.content contain duplicate Ids: {ids}",
        gemini="The toolResult blocks at {place}.parts contain duplicate Ids: {ids}",
        gemini_interactions="Several function_result steps have one call_id: {ids}",
        anthropic="{place}: each tool_use must have a single result. Found multiple `tool_result` blocks"
        " with id: {ids}",
        openai="Duplicate tool messages for the tool_call_id {ids}",
        openai_responses="Duplicate function call output for call_id {ids}",
    )
    DUPLICATE_CALL_ID = rule(
        6,
        "two calls with one id",
        "give the later call and its result a new, numbered id",
        "The toolUse blocks at {place}.content contain duplicate Ids: {ids}",
        r"tool_use.? ids must be unique",
        gemini="The toolUse blocks at {place}.parts contain duplicate Ids: {ids}",
        gemini_interactions="Several function_call steps have one id: {ids}",
        anthropic="{place}: `tool_use` ids must be unique: {ids}",
        openai="Duplicate value for 'tool_call_id' in {place}: {ids}",
        openai_responses="Duplicate item found with call_id {ids}",
    )
    CALLS_WITHOUT_TOOLS = rule(
        7,
        "calls in the history, but no tools in the request",
        "send the tools with the request, or convert the history's calls to text",
        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        anthropic="Requests which include `tool_use` or `tool_result` blocks must define tools",
    )
    EMPTY_TEXT = rule(
        8,
        "an empty text block",
        "remove the block; use a placeholder if the message has no other content",
        "The text field in the ContentBlock object at {place} is blank. Add text to the text field, and try"
        " again.",
        r"required oneof field 'data' must have one initialized field",
        anthropic="{place}: text content blocks must be non-empty",
    )
    BLANK_TEXT = rule(
        9,
        "a text block with only white space",
        "remove the block; use a placeholder if the message has no other content",
        "{place}: text content blocks must contain non-whitespace text",
        of=CLAUDE,
    )
    EMPTY_MESSAGE = rule(
        10,
        "a message without content",
        "insert a placeholder text",
        "The content field in the Message object at {place} is empty. Add a ContentBlock object to the"
        " content field and try again.",
        of=CLAUDE | {"gemini"},
        anthropic="{place}: all messages must have non-empty content except for the optional final"
        " assistant message",
        gemini="{place}.parts: contents.parts must not be empty.",
    )
    EMPTY_ERROR = rule(
        11,
        "an error result without text",
        "add a text to every error result",
        "The content field at {place}.toolResult cannot be empty when status value is error.",
        anthropic="{place}.tool_result: content cannot be empty if `is_error` is true",
    )
    REPEATED_ROLE = rule(
        12,
        "two messages of one role in a row",
        "merge them",
        "A conversation must alternate between user and assistant roles. Make sure the conversation"
        " alternates between user and assistant roles and try again.",
        r"roles must alternate between",
    )
    ASSISTANT_FIRST = rule(
        13,
        "the conversation starts with the assistant",
        "insert a user message before it",
        "A conversation must start with a user message. Try again with a conversation that starts with a"
        " user message.",
        r"function call turn comes immediately after a user turn or after a function response turn",
        of=CLAUDE,
        anthropic='messages: first message must use the "user" role',
        gemini="Please ensure that single turn requests end with a user role or the role field is empty.",
    )
    ASSISTANT_LAST = rule(
        14,
        "the conversation ends with the assistant",
        "end with a user message",
        "This model does not support assistant message prefill. The conversation must end with a user"
        " message.",
        r"Expected last role User or Tool",
        of=CLAUDE,
    )
    TRAILING_SPACE = rule(
        15,
        "the last assistant message ends in white space",
        "remove the white space",
        "messages: final assistant content cannot end with trailing whitespace",
        of=CLAUDE,
    )
    MIXED_RESULTS = rule(
        16,
        "results and other content in one message",
        "insert a short assistant message between them",
        "{place}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
    )
    INPUT_NOT_OBJECT = rule(
        17,
        "a call's input that is not an object",
        "wrap the input in an object with a marker key",
        "The format of the value at {place}.toolUse.input is invalid. Provide a json object for the field"
        " and try again.",
        anthropic="{place}.tool_use.input: Input should be a valid dictionary",
        openai="Invalid type for '{place}.function.arguments': expected a string.",
        openai_responses="Invalid type for '{place}.arguments': expected a string.",
        gemini="Invalid value at '{place}.function_call.args': expected a Struct.",
        gemini_interactions="Invalid value at '{place}.arguments': expected a Struct.",
    )
    JSON_NOT_OBJECT = rule(
        18,
        "a JSON result that is not an object",
        "send it as text",
        "The format of the value at {place}.json is invalid. Provide a json object for the field and try"
        " again.",
        of=BEDROCK | {"gemini"},
        gemini="Invalid value at '{place}.function_response.response': expected a Struct.",
    )
    RESULT_MEDIA = rule(
        30,
        "an image inside a result, for a model that does not support this",
        "move the image to the user's message, or replace it with a text",
        "This model doesn't support the image field for user messages. Remove image and try again.",
        r"doesn't support the (?:image|document) (?:field|content block)",
    )
    DOCUMENT_WITHOUT_TEXT = rule(
        31,
        "a document in a message without text",
        "add a text to the message",
        "A text block must be included when using documents.",
        r"text field is required when using documents",
    )
    MALFORMED_TOOL_USE = rule(
        33,
        "the model wrote an invalid tool call",
        "send the same request again, a few times; this is an error of the model, not a temporary failure"
        " of the service",
        "Model produced invalid sequence as part of ToolUse. Please refer to the model tool use guide.",
        where="response",
    )
    TRUNCATED_CALL = rule(
        34,
        "a call that was cut off at the token limit, without an error",
        "wait for `messageStop`; do not run calls if its stop reason is `max_tokens`",
        "stopReason max_tokens",
        r"\bmax_tokens\b.{0,400}\b(?:stop|truncat|cut)",
        r"\b(?:stop|truncat|cut)\w*\b.{0,400}\bmax_tokens\b",
        where="stream",
    )
    UNSUPPORTED_MEDIA = rule(
        36,
        "media of a type, or from a location, that the model does not accept",
        "send the bytes, or use another model; otherwise replace it with a text",
        "This model doesn't support the {detail} content block that you provided. Remove {detail} and try"
        " again.",
        r"doesn't support the video (?:field|content block)",
        r"\b(?:document|image|video)\.source\.type: Field required",
        r"S3 ?location\b.{0,80}(?:not|n't) support|(?:not|n't) support.{0,80}\bS3 ?location",
        of=frozenset(),  # each model accepts other media
        s3="The model returned the following errors: {place}.source.type: Field required",
    )
    DOCUMENT_NAME = rule(
        37,
        "a document's name that the server refuses, or that two documents share",
        "remove the refused characters; number the names",
        "The document file name can only contain alphanumeric characters, whitespace characters, hyphens,"
        " parentheses, and square brackets. The name can't contain more than one consecutive whitespace"
        " character. Check that the file name conforms to these restrictions and retry your request.",
        r"document\.name'? failed to satisfy constraint",
        duplicate="Messages can't contain duplicate document names. Rename the document and retry your"
        " request.",
    )
    TOO_MANY_CACHE_POINTS = rule(
        38,
        "more than four cache points in a request",
        "leave out the oldest ones in the messages",
        "A maximum of 4 blocks with cache_control may be provided. Found {detail}.",
        r"maximum of 4 (?:blocks with cache_control|cache ?points?)",
        of=CLAUDE,
    )
    MISSING_THINKING = rule(
        42,
        "calls without the thinking that led to them, while thinking is on",
        "send thinking back with its calls, or turn thinking off; otherwise send the last calls and results"
        " as text",
        "{place}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{detail}`. When"
        " `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding"
        " the lastmost set of `tool_use` and `tool_result` blocks).",
        r"Expected .?thinking.? or .?redacted_thinking.?, but found",
        r"final .?assistant.? message must start with a thinking block",
        of=CLAUDE,
    )
    MISSING_REASONING = rule(
        43,
        "calls without the reasoning that led to them",
        "send `reasoning_content` back with the calls; otherwise send a placeholder",
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        r"in the thinking mode must be passed back",
        r"Missing .?reasoning_content.? field in the assistant message",
        r"reasoning_content is missing in assistant tool call message",
        of=frozenset({"openai"}),
    )
    MISSING_SIGNATURE = rule(
        44,
        "a call without its thought signature",
        "send signatures back; for a call that Gemini did not make, send the value that skips the check",
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to"
        " work correctly, and missing thought_signature may lead to degraded model performance. Additional"
        " data, function call `{detail}`, at {place}.",
        r"missing a .?thought_?signature",
        of=frozenset({"gemini"}),
    )
    FOREIGN_SIGNATURE = rule(
        45,
        "a signature from another host (Gemini: AI Studio, Vertex AI) or another model (Claude)",
        "repair the history with `moved=True`: this replaces Gemini's signatures with the value that skips"
        " the check, and leaves out Claude's thinking",
        "{place}: Invalid `signature` in `thinking` block",
        r"thought signature is not valid",
        r"(?:corrupted|invalid) thought_?\s?signature",
        r"invalid .?signature.? in .?thinking.? block",
        of=CLAUDE | {"gemini"},
        gemini="Corrupted thought signature.",
    )
    TORN_REASONING = rule(
        46,
        "reasoning without the item that followed it, or that item without its reasoning",
        "send reasoning items back with the items that followed them; leave out one whose next item is"
        " missing",
        "Item '{detail}' of type 'reasoning' was provided without its required following item.",
        r"of type '\w+' was provided without its required 'reasoning' item",
        of=frozenset({"openai_responses"}),
    )
    OTHER_PROVIDER = rule(
        47,
        "messages in another provider's format, or a request without messages",
        "read them with `decode_messages` of their own provider; `repair` does not change them",
        "{place} is not a message of this API; it looks like one of {detail}",
        of=ALL,
        request="the request has no '{place}'{detail}",
    )
    UNSTORED_REASONING = rule(
        49,
        "reasoning without `encrypted_content` that the server has not stored",
        "ask for `reasoning.encrypted_content` (`include`), or leave the item out",
        "Item with id '{detail}' not found. Items are not persisted when `store` is set to false. Try again"
        " with `store` set to true, or remove this item from your input.",
        r"Items are not persisted when .?store.? is set to false",
        of=frozenset({"openai_responses"}),
    )
