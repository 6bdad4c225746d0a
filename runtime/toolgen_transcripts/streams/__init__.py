"""Streams: messages that arrive as events, and their results."""
