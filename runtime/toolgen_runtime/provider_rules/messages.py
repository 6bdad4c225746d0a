"""The rules about what messages hold, and how they follow each other, as data."""

from __future__ import annotations

from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.provider_rules.rule import ALL, Rule

_B = frozenset({"bedrock"})
_BA = _B | {"anthropic"}

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
        _BA,
        also=(r"required oneof field 'data' must have one initialized field",),
    ),
    Rule(
        RuleId.BLANK_TEXT,
        "a text block with only white space",
        "remove the block; use a placeholder if the message has no other content",
        {"": "{place}: text content blocks must contain non-whitespace text"},
        _BA,
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
        _BA | {"gemini"},
        also=(r"all messages must have non-empty content", r"contents\.parts must not be empty"),
    ),
    Rule(
        RuleId.EMPTY_ERROR,
        "an error result without text",
        "add a text to every error result",
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
        "insert a user message before it",
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
        "remove the white space",
        {"": "messages: final assistant content cannot end with trailing whitespace"},
        _BA,
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
        also=(
            r"A text block must be included when using documents",
            r"text field is required when using documents",
        ),
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
        _BA,
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
