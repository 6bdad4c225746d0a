"""Write a package's text to its folder, and load a toolset from the folder or from the text."""
