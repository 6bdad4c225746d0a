"""Find the tools in an export of any known format."""
