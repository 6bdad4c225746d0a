"""Payload models: pydantic classes for the types in a tool's schema."""
