"""Rules about the tools of a request."""
