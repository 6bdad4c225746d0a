"""What wrong values were meant to be: readings of what was sent, one module a kind of value."""
