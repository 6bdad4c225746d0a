"""Everything that is specific to Python: names, layout, checks, payload models and the files of a package."""
