"""Assemble messages that arrive as a stream of events."""
