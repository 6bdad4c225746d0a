"""`toolgen build`: build a package from specs."""
