"""Validation: issues, tools, and what generated checks call. Needs the standard library alone."""
