"""The neutral transcript, and the rules that keep a provider's history acceptable.

Every public name is imported from here; its module is loaded when the name is asked for. So codecs can use the
messages, and `check` and `repair` the codecs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.history.check import check as check
    from toolgen_runtime.transcript.messages import (
        Block as Block,
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
    from toolgen_runtime.history.estimate import estimate_tokens as estimate_tokens
    from toolgen_runtime.history.fit import Fitted as Fitted, fit as fit
    from toolgen_runtime.history.outline import (
        log_structure as log_structure,
        structure as structure,
    )
    from toolgen_runtime.history.repair import Repaired as Repaired, repair as repair
    from toolgen_runtime.history.draft import Change as Change
    from toolgen_runtime.history.request import Violation as Violation
    from toolgen_runtime.history.whole_request import UNSET as UNSET
    from toolgen_runtime.history.rules import (
        Rule as Rule,
        explain_provider_error as explain_provider_error,
    )
    from toolgen_runtime.history.rule_table import RULES as RULES
else:
    from toolgen_runtime.exports import lazy_exports

    __all__, __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "toolgen_runtime.history.check": "check",
            "toolgen_runtime.transcript.messages": (
                "Block Json Media Opaque Reasoning Role Source Text ToolCall ToolResult Transcript Turn"
            ),
            "toolgen_runtime.history.estimate": "estimate_tokens",
            "toolgen_runtime.history.fit": "Fitted fit",
            "toolgen_runtime.history.outline": "log_structure structure",
            "toolgen_runtime.history.repair": "Repaired repair",
            "toolgen_runtime.history.draft": "Change",
            "toolgen_runtime.history.request": "Violation",
            "toolgen_runtime.history.whole_request": "UNSET",
            "toolgen_runtime.history.rules": "Rule explain_provider_error",
            "toolgen_runtime.history.rule_table": "RULES",
        },
    )
