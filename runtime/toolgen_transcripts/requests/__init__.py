"""Create whole requests from any history, and read responses, in one form for all providers."""
