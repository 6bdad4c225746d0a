"""The shapes in which tools are exported. There is one file for each shape."""
