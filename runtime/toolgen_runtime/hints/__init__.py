"""Hints are short texts that tell the model how to correct a failed call."""

from toolgen_runtime.exports import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(__name__)
