"""Read a tool's JSON Schema in any dialect, and make the resolved graph from which code is generated."""
