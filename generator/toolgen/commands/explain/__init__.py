"""`toolgen explain`: show what is wrong with one payload, and the hint for it."""
