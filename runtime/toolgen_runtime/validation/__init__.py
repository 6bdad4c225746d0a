"""Validation: issues, tools, and the functions that generated checks call. It needs only the standard library."""
