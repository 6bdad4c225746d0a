"""`toolgen init`: write the settings and the first spec of a project."""
