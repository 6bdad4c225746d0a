"""Payload models: the typed, types-only view of a tool's schema as pydantic classes."""
