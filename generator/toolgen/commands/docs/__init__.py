"""`toolgen docs`: write a page about the tools of a built package."""
