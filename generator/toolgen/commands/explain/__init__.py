"""`toolgen explain`: show what is wrong with a payload, and the hint that a model would get."""
