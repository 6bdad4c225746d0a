"""The neutral transcript, and the functions that check, repair, shorten and convert a provider's history.

Import every public name from here. A module is loaded when one of its names is first used, so that codecs can use
the messages, and `check` and `repair` can use the codecs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.history.check import Repaired as Repaired, check as check, repair as repair
    from toolgen_runtime.transcript.messages import (
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
    from toolgen_runtime.history.fit import (
        Fitted as Fitted,
        estimate_tokens as estimate_tokens,
        fit as fit,
    )
    from toolgen_runtime.history.rules.draft import Change as Change
    from toolgen_runtime.history.request import UNSET as UNSET, Violation as Violation
    from toolgen_runtime.provider_rules.rule import Rule as Rule
    from toolgen_runtime.provider_rules.table import (
        RULES as RULES,
        explain_provider_error as explain_provider_error,
    )
    from toolgen_runtime.requests.decode import (
        DecodedResponse as DecodedResponse,
        Usage as Usage,
        decode_response as decode_response,
    )
    from toolgen_runtime.requests.encode import (
        EncodedRequest as EncodedRequest,
        encode_request as encode_request,
    )
    from toolgen_runtime.requests.settings import Settings as Settings
else:
    from toolgen_runtime.exports import lazy_exports

    __all__, __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "toolgen_runtime.history.check": "Repaired check repair",
            "toolgen_runtime.transcript.messages": (
                "Block CachePoint Json Media Opaque Reasoning Role Source Text ToolCall ToolResult "
                "Transcript Turn"
            ),
            "toolgen_runtime.history.fit": "Fitted estimate_tokens fit",
            "toolgen_runtime.history.rules.draft": "Change",
            "toolgen_runtime.history.request": "UNSET Violation",
            "toolgen_runtime.provider_rules.rule": "Rule",
            "toolgen_runtime.provider_rules.table": "RULES explain_provider_error",
            "toolgen_runtime.requests.decode": "DecodedResponse Usage decode_response",
            "toolgen_runtime.requests.encode": "EncodedRequest encode_request",
            "toolgen_runtime.requests.settings": "Settings",
        },
    )
