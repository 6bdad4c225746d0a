"""`toolgen build`: write a package from specs."""
