"""Whole requests from any history, and what responses say, in one form for all providers."""
