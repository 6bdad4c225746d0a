"""Compare a package with its output folder, and write the changes. Nothing else writes to the folder."""
