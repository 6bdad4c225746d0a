"""Check payloads: issues, tools, and the functions that generated checks call. This needs only the standard
library.
"""
