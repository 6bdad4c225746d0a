"""Foreign errors as kinds: what a failed request of a model or of an MCP server means, and a tool's own exception."""

from toolgen_runtime.classify.error_kinds import (
    Classified,
    DecidedBy,
    ForeignError,
    LLMErrorKind,
    classify_handler_error,
    classify_llm_error,
    classify_mcp_error,
)

__all__ = [
    "Classified",
    "DecidedBy",
    "ForeignError",
    "LLMErrorKind",
    "classify_handler_error",
    "classify_llm_error",
    "classify_mcp_error",
]
