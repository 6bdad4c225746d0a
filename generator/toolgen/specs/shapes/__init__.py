"""Find the tools in an export, whichever shape they have."""
