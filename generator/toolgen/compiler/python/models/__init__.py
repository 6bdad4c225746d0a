"""Payload models: the types in a tool's schema as pydantic classes."""
