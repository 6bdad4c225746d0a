"""Hints: make a short text from a call's issues that tells the model how to correct the call."""

from toolgen_runtime.exports import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
