"""Hints: make a short text from a call's issues that tells the model how to correct the call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.hints.build import (
        build_hint as build_hint,
        unknown_tool as unknown_tool,
    )
    from toolgen_runtime.hints.edits import Edit as Edit, apply_edits as apply_edits
    from toolgen_runtime.hints.recovery import Recovery as Recovery
    from toolgen_runtime.hints.retry_hint import (
        FieldHint as FieldHint,
        Reason as Reason,
        RetryHint as RetryHint,
    )
else:
    from toolgen_runtime.exports import lazy_exports

    __all__, __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "toolgen_runtime.hints.build": "build_hint unknown_tool",
            "toolgen_runtime.hints.edits": "Edit apply_edits",
            "toolgen_runtime.hints.recovery": "Recovery",
            "toolgen_runtime.hints.retry_hint": "FieldHint Reason RetryHint",
        },
    )
