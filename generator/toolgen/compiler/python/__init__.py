"""Everything about the target language Python: names, layout, checks, payload models and the files of a package."""
