"""Read files, folders and values in memory as `ToolSpec`s, with their places in the source."""
