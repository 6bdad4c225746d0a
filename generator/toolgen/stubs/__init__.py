"""Signatures of tools for a model's context, as Python or TypeScript declarations."""
