"""Find data at the wrong level: one object too high, too deep, or under the name of another level."""
