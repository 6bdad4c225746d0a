"""The shapes in which tools are exported: one file a shape."""
