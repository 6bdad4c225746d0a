"""Decide whether a change of tools breaks callers: compare the schemas, or find a payload that breaks."""
