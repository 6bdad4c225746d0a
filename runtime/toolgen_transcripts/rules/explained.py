"""Rules that cannot be checked in a request. They are only used to explain error messages of servers."""

from __future__ import annotations

from toolgen_transcripts.rules.rule import NOWHERE, rule

MALFORMED_TOOL_USE = rule(
    "malformed-tool-use",
    33,
    "the model wrote an invalid tool call",
    "send the same request again, a few times; this is an error of the model, not a temporary failure"
    " of the service",
    "Model produced invalid sequence as part of ToolUse. Please refer to the model tool use guide.",
    r"\btool_use_failed\b",
    r"Failed to call a function\. Please adjust your prompt",
    where="response",
    source="harness-sdk#649, smolagents#1119, mastra#9688",
)


CHANGED_THINKING = rule(
    "changed-thinking",
    76,
    "thinking in the last assistant message that is not as the model wrote it",
    "send the blocks back unchanged and in their order; otherwise leave out the thinking of that message with"
    " its calls",
    "{place}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These"
    " blocks must remain as they were in the original response.",
    r"thinking.{0,30} blocks in the latest assistant message cannot be modified",
    of=NOWHERE,  # only the server knows what the model wrote
    source="claude-code#63374, gajae-code#4247",
)


UNKNOWN_CALL_ID = rule(
    "unknown-call-id",
    79,
    "an id in a Gemini call or result, for a server that does not know ids",
    "leave the ids out: calls and results are matched by name and order",
    "Invalid JSON payload received. Unknown name \"id\" at '{place}.function_call': Cannot find field.",
    r"Unknown name \\?\"id\\?\" at '?\S{0,120}function_(?:call|response)",
    of=NOWHERE,  # older versions of Vertex AI, and proxies
    source="koog#735, AstrBot#7357",
)


TRUNCATED_CALL = rule(
    "truncated-call",
    34,
    "a call that was cut off at the token limit, without an error",
    "wait for `messageStop`; do not run calls if its stop reason is `max_tokens`",
    "stopReason max_tokens",
    r"\bmax_tokens\b.{0,400}\b(?:stop|truncat|cut)",
    r"\b(?:stop|truncat|cut)\w*\b.{0,400}\bmax_tokens\b",
    where="stream",
    source="goose#11838",
)


UNSUPPORTED_MEDIA = rule(
    "unsupported-media",
    36,
    "media of a type, or from a location, that the model does not accept",
    "send the bytes, or use another model; otherwise replace it with text",
    "This model doesn't support the {detail} content block that you provided. Remove {detail} and try again.",
    r"doesn't support the video (?:field|content block)",
    r"\b(?:document|image|video)\.source\.type: Field required",
    r"S3 ?location\b.{0,80}(?:not|n't) support|(?:not|n't) support.{0,80}\bS3 ?location",
    of=NOWHERE,  # each model accepts other media
    s3="The model returned the following errors: {place}.source.type: Field required",
    source="https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-call.html",
)


LONG_DESCRIPTION = rule(
    "long-description",
    41,
    "a description of more than 1,024 characters",
    # refused 2024-07 to 2025-04 (sentry-mcp#106, OpenHands#7167, litellm#4735); api.openai.com accepted 15,664
    # characters on 2025-12-19 and 2026-01-15 (gpt-4o-2024-08-06)
    "shorten it if the server rejects it; in December 2025 api.openai.com accepted longer ones",
    "Invalid '{place}': string too long. Expected a string with maximum length 1024, but got a string"
    " with length {detail} instead.",
    r"Invalid '(?:tools|functions)\[\d+\]\S*description': string too long",
    of=NOWHERE,
    where="tools",
    source="sentry-mcp#106, OpenHands#7167, litellm#4735",
)
