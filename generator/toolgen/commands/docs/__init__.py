"""`toolgen docs`: one page with the tools of a built package, for people."""
