"""From the text of a package to its folder, and from the folder or the text to a toolset."""
