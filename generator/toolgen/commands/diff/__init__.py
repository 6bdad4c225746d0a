"""Decide whether a change to tools breaks callers, by comparing the schemas or by finding a payload that breaks."""
