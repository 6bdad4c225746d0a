"""`toolgen list`: list the tools in the specs."""
