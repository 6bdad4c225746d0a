"""Calls: decode, check, run and encode one call, with typed errors, limits and hooks."""
