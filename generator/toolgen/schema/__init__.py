"""From a tool's JSON Schema, in whatever dialect, to the resolved graph that code is generated from."""
