"""Payload models: a view of a tool's schema as pydantic classes, with types only."""
