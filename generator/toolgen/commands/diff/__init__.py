"""Decide whether changes to tools break their callers, by comparing schemas or finding a payload that breaks."""
