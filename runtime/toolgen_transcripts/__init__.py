"""The neutral transcript, and the functions that check, repair, shorten and convert a provider's history.

Import every public name from here. A module is loaded when one of its names is first used, so that codecs can use
the messages, and `check` and `repair` can use the codecs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_transcripts.codec.names import Codec as Codec, codec_for as codec_for
    from toolgen_transcripts.messages import (
        Block as Block,
        CachePoint as CachePoint,
        Json as Json,
        Media as Media,
        Opaque as Opaque,
        Reasoning as Reasoning,
        Role as Role,
        Source as Source,
        Text as Text,
        ToolCall as ToolCall,
        ToolResult as ToolResult,
        Transcript as Transcript,
        Turn as Turn,
    )
    from toolgen_transcripts.requests.decode import (
        DecodedResponse as DecodedResponse,
        Usage as Usage,
        decode_response as decode_response,
    )
    from toolgen_transcripts.requests.encode import (
        EncodedRequest as EncodedRequest,
        encode_request as encode_request,
    )
    from toolgen_transcripts.requests.fit import (
        Fitted as Fitted,
        estimate_tokens as estimate_tokens,
        fit as fit,
    )
    from toolgen_transcripts.requests.settings import Settings as Settings
    from toolgen_transcripts.rules.check import (
        Repaired as Repaired,
        check as check,
        repair as repair,
    )
    from toolgen_transcripts.rules.draft import Change as Change
    from toolgen_transcripts.rules.request import UNSET as UNSET, Violation as Violation
    from toolgen_transcripts.rules.rule import Rule as Rule
    from toolgen_transcripts.rules.table import (
        RULES as RULES,
        explain_provider_error as explain_provider_error,
    )
else:
    from toolgen_runtime.exports import lazy_exports

    __all__, __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "toolgen_transcripts.codec.names": "Codec codec_for",
            "toolgen_transcripts.rules.check": "Repaired check repair",
            "toolgen_transcripts.messages": (
                "Block CachePoint Json Media Opaque Reasoning Role Source Text ToolCall ToolResult "
                "Transcript Turn"
            ),
            "toolgen_transcripts.requests.fit": "Fitted estimate_tokens fit",
            "toolgen_transcripts.rules.draft": "Change",
            "toolgen_transcripts.rules.request": "UNSET Violation",
            "toolgen_transcripts.rules.rule": "Rule",
            "toolgen_transcripts.rules.table": "RULES explain_provider_error",
            "toolgen_transcripts.requests.decode": "DecodedResponse Usage decode_response",
            "toolgen_transcripts.requests.encode": "EncodedRequest encode_request",
            "toolgen_transcripts.requests.settings": "Settings",
        },
    )
