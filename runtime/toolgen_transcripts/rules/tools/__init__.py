"""The rules about the tools of a request: one family of rules a module."""
