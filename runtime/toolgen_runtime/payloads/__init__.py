"""Payload models: a typed view of a payload that has passed its check. This package needs pydantic."""
