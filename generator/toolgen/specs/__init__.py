"""Specs: files, folders and values in memory to `ToolSpec`s with their places."""
