"""`toolgen list`: the tools of the specs."""
