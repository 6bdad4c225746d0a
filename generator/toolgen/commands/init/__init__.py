"""`toolgen init`: write a project's settings and its first spec."""
