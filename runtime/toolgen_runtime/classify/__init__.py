"""Classify errors: failed requests to models and MCP servers, and exceptions of tools."""

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
