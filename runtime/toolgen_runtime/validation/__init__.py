"""Validation: issues, tools, and the functions that generated checks call. Only the standard library is needed."""
