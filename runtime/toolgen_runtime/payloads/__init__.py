"""Payload models: the typed view of a payload that passed its check. This package needs pydantic."""
