"""Read a tool's JSON Schema in any dialect, and build the resolved graph from which code is generated."""
