"""Write the text of a package to its folder, and load a toolset from the folder or the text."""
