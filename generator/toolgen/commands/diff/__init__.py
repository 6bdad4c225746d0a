"""Decide whether a change to tools breaks callers. The schemas are compared, or a payload that breaks is found."""
