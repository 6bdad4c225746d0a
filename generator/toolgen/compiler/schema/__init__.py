"""Read a tool's JSON Schema in any dialect, and build a graph of it in which all references are resolved."""
