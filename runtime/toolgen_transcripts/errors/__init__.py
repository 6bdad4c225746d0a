"""Classify the errors of failed requests to models and MCP servers."""

from toolgen_runtime.calls.error_decision import Classified, DecidedBy
from toolgen_runtime.calls.error_facts import ForeignError
from toolgen_transcripts.errors.llm import classify_llm_error
from toolgen_transcripts.errors.llm_tables import LLMErrorKind
from toolgen_transcripts.errors.mcp import classify_mcp_error

__all__ = [
    "Classified",
    "DecidedBy",
    "ForeignError",
    "LLMErrorKind",
    "classify_llm_error",
    "classify_mcp_error",
]
