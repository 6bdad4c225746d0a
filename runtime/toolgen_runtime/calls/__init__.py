"""Decode, check, run and encode one tool call, with typed errors, limits and hooks."""
