"""Data at the wrong level: what stands one object too high, too deep, or under a name of another level."""
