"""`toolgen explain`: the problems of one payload, and the hint for it."""
