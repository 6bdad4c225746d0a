"""Read files, folders and values in memory as `ToolSpec`s. The place of each part in its source is recorded."""
