"""`toolgen list`: list the tools of specs."""
