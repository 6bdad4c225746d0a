"""Hints: issues in, what a model needs to know to mend its call out. Loaded on failure only."""

from toolgen_runtime.hints.build import build_hint, unknown_tool
from toolgen_runtime.hints.model import Caps, FieldHint, Progress, Reason, Recovery, RetryHint

__all__ = ["Caps", "FieldHint", "Progress", "Reason", "Recovery", "RetryHint", "build_hint", "unknown_tool"]
