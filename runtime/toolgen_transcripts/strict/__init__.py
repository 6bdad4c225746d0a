"""Strict tools: rewrite schemas for the subset of JSON Schema for which a provider guarantees valid calls."""
