"""Streams: messages that arrive as events, and what is returned when they have ended."""
