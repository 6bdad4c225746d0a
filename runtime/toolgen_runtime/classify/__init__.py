"""Classify errors: failed requests to models and MCP servers, and exceptions of tools."""

from toolgen_runtime.classify.error_kinds import (
    Classified,
    DecidedBy,
    classify_handler_error,
    classify_llm_error,
    classify_mcp_error,
)
from toolgen_runtime.classify.error_tables import LLMErrorKind
from toolgen_runtime.classify.evidence import ForeignError

__all__ = [
    "Classified",
    "DecidedBy",
    "ForeignError",
    "LLMErrorKind",
    "classify_handler_error",
    "classify_llm_error",
    "classify_mcp_error",
]
