"""Find the tools in a file, whatever format they were exported in."""
