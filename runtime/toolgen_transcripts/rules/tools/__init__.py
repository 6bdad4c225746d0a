"""The rules about the tools of a request, with one module for each family of rules."""
