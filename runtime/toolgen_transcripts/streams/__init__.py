"""Streams: messages that arrive in events, and their result."""
