"""`toolgen docs`: write a page that shows people the tools of a built package."""
