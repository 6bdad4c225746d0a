"""Strict tools: rewrite schemas in the subset of JSON Schema for which a provider guarantees valid calls."""
