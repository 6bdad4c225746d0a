"""Build a package from tool specs (as text or in memory), write it to a folder, and load built packages."""
