"""Report messages whose role or content has the wrong type."""

from __future__ import annotations

from toolgen_transcripts.rules.draft import Draft
from toolgen_transcripts.rules.rule import rule, step

MALFORMED = rule(
    "malformed",
    0,
    "a role or content of the wrong type",
    "send a message of an unknown role as the user's, and misplaced content as text",
    "Invalid type for parameter {place}, valid: {detail}",
    anthropic="{place}: Input should be {detail}",
    openai="Invalid type for '{place}': expected {detail}",
    source="botocore 1.44.5",
    gemini="Invalid value at '{place}': expected {detail}",
)


@step(MALFORMED)
def report_malformed(draft: Draft) -> None:
    """Report the values of a wrong type that `well_formed` replaced before the messages were read."""
    for fault in draft.request.malformed:
        place = draft.request.place_in(*fault.path)
        draft.fix(MALFORMED, place, fault.action, detail=fault.expected)
