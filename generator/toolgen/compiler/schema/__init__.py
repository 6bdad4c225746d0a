"""Read a tool's JSON Schema in any dialect, and build the resolved graph for generating code."""
