"""The rules about what messages hold, how they follow each other, and the reasoning that models want back."""

from __future__ import annotations

from toolgen_runtime.provider_rules.rule import ALL, CLAUDE, Rule, RuleId

RULES: tuple[Rule, ...] = (
    Rule(
        RuleId.EMPTY_TEXT,
        "an empty text block",
        "remove the block; use a placeholder if the message has no other content",
        {
            "": "The text field in the ContentBlock object at {place} is blank. Add text to the text field, and try"
            " again.",
            "anthropic": "{place}: text content blocks must be non-empty",
        },
        CLAUDE,
        also=(r"required oneof field 'data' must have one initialized field",),
    ),
    Rule(
        RuleId.BLANK_TEXT,
        "a text block with only white space",
        "remove the block; use a placeholder if the message has no other content",
        {"": "{place}: text content blocks must contain non-whitespace text"},
        CLAUDE,
    ),
    Rule(
        RuleId.EMPTY_MESSAGE,
        "a message without content",
        "insert a placeholder text",
        {
            "": "The content field in the Message object at {place} is empty. Add a ContentBlock object to the content"
            " field and try again.",
            "anthropic": "{place}: all messages must have non-empty content except for the optional final assistant"
            " message",
            "gemini": "{place}.parts: contents.parts must not be empty.",
        },
        CLAUDE | {"gemini"},
    ),
    Rule(
        RuleId.EMPTY_ERROR,
        "an error result without text",
        "add a text to every error result",
        {
            "": "The content field at {place}.toolResult cannot be empty when status value is error.",
            "anthropic": "{place}.tool_result: content cannot be empty if `is_error` is true",
        },
        CLAUDE,
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
        "insert a user message before it",
        {
            "": "A conversation must start with a user message. Try again with a conversation that starts with a user"
            " message.",
            "anthropic": 'messages: first message must use the "user" role',
            "gemini": "Please ensure that single turn requests end with a user role or the role field is empty.",
        },
        CLAUDE,
        also=(r"function call turn comes immediately after a user turn or after a function response turn",),
    ),
    Rule(
        RuleId.ASSISTANT_LAST,
        "the conversation ends with the assistant",
        "end with a user message",
        {
            "": "This model does not support assistant message prefill. The conversation must end with a user message."
        },
        CLAUDE,
        also=(r"Expected last role User or Tool",),
    ),
    Rule(
        RuleId.TRAILING_SPACE,
        "the last assistant message ends in white space",
        "remove the white space",
        {"": "messages: final assistant content cannot end with trailing whitespace"},
        CLAUDE,
    ),
    Rule(
        RuleId.RESULT_MEDIA,
        "an image inside a result, for a model that does not support this",
        "move the image to the user's message, or replace it with a text",
        {"": "This model doesn't support the image field for user messages. Remove image and try again."},
        also=(r"doesn't support the (?:image|document) (?:field|content block)",),
    ),
    Rule(
        RuleId.DOCUMENT_WITHOUT_TEXT,
        "a document in a message without text",
        "add a text to the message",
        {"": "A text block must be included when using documents."},
        also=(r"text field is required when using documents",),
    ),
    Rule(
        RuleId.UNSUPPORTED_MEDIA,
        "media of a type, or from a location, that the model does not accept",
        "send the bytes, or use another model; otherwise replace it with a text",
        {
            "": "This model doesn't support the {detail} content block that you provided. Remove {detail} and try"
            " again.",
            "s3": "The model returned the following errors: {place}.source.type: Field required",
        },
        also=(
            r"doesn't support the video (?:field|content block)",
            r"\b(?:document|image|video)\.source\.type: Field required",
            r"S3 ?location\b.{0,80}(?:not|n't) support|(?:not|n't) support.{0,80}\bS3 ?location",
        ),
    ),
    Rule(
        RuleId.DOCUMENT_NAME,
        "a document's name that the server refuses, or that two documents share",
        "remove the refused characters; number the names",
        {
            "": "The document file name can only contain alphanumeric characters, whitespace characters, hyphens,"
            " parentheses, and square brackets. The name can't contain more than one consecutive whitespace character."
            " Check that the file name conforms to these restrictions and retry your request.",
            "duplicate": "Messages can't contain duplicate document names. Rename the document and retry your request.",
        },
        also=(r"document\.name'? failed to satisfy constraint",),
    ),
    Rule(
        RuleId.TOO_MANY_CACHE_POINTS,
        "more than four cache points in a request",
        "leave out the oldest ones in the messages",
        {"": "A maximum of 4 blocks with cache_control may be provided. Found {detail}."},
        CLAUDE,
        also=(r"maximum of 4 (?:blocks with cache_control|cache ?points?)",),
    ),
    Rule(
        RuleId.OTHER_PROVIDER,
        "messages in another provider's format, or a request without messages",
        "read them with `decode_messages` of their own provider; `repair` does not change them",
        {
            "": "{place} is no message of this API; it looks like one of {detail}",
            "request": "the request has no '{place}'{detail}",
        },
        ALL,
    ),
    Rule(
        RuleId.MISSING_THINKING,
        "calls without the thinking that led to them, while thinking is on",
        "send thinking back with its calls, or turn thinking off; otherwise send the last calls"
        " and results as text",
        {
            "": "{place}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{detail}`. When"
            " `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the"
            " lastmost set of `tool_use` and `tool_result` blocks)."
        },
        CLAUDE,
        also=(
            r"Expected .?thinking.? or .?redacted_thinking.?, but found",
            r"final .?assistant.? message must start with a thinking block",
        ),
    ),
    Rule(
        RuleId.MISSING_REASONING,
        "calls without the reasoning that led to them",
        "send `reasoning_content` back with the calls; otherwise send a placeholder",
        {"": "The `reasoning_content` in the thinking mode must be passed back to the API."},
        frozenset({"openai"}),
        also=(
            r"in the thinking mode must be passed back",
            r"Missing .?reasoning_content.? field in the assistant message",
            r"reasoning_content is missing in assistant tool call message",
        ),
    ),
    Rule(
        RuleId.MISSING_SIGNATURE,
        "a call without its thought signature",
        "send signatures back; for a call that Gemini did not make, send the value that skips the check",
        {
            "": "Function call is missing a thought_signature in functionCall parts. This is required for tools to"
            " work correctly, and missing thought_signature may lead to degraded model performance. Additional data,"
            " function call `{detail}`, at {place}."
        },
        frozenset({"gemini"}),
        also=(r"missing a .?thought_?signature",),
    ),
    Rule(
        RuleId.FOREIGN_SIGNATURE,
        "a signature from another host (Gemini: AI Studio, Vertex AI) or another model (Claude)",
        "repair the history with `moved=True`: this replaces Gemini's signatures with the value"
        " that skips the check, and leaves out Claude's thinking",
        {
            "": "{place}: Invalid `signature` in `thinking` block",
            "gemini": "Corrupted thought signature.",
        },
        frozenset({"gemini", "anthropic", "bedrock"}),
        also=(
            r"thought signature is not valid",
            r"(?:corrupted|invalid) thought_?\s?signature",
            r"invalid .?signature.? in .?thinking.? block",
        ),
    ),
    Rule(
        RuleId.UNSTORED_REASONING,
        "reasoning without `encrypted_content` that the server has not stored",
        "ask for `reasoning.encrypted_content` (`include`), or leave the item out",
        {
            "": "Item with id '{detail}' not found. Items are not persisted when `store` is set to false. Try again"
            " with `store` set to true, or remove this item from your input."
        },
        frozenset({"openai_responses"}),
        also=(r"Items are not persisted when .?store.? is set to false",),
    ),
    Rule(
        RuleId.TORN_REASONING,
        "reasoning without the item that followed it, or that item without its reasoning",
        "send reasoning items back with the items that followed them; leave out one whose next item is missing",
        {"": "Item '{detail}' of type 'reasoning' was provided without its required following item."},
        frozenset({"openai_responses"}),
        also=(r"of type '\w+' was provided without its required 'reasoning' item",),
    ),
)

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
    ALL,
)
"""Not a rule of a server's: what is not of the API's types, which most clients refuse to send."""
