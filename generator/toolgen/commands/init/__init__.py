"""`toolgen init`: the settings and the first spec of a project."""
