"""The target language: names, layout, checks, payload models and the files of a package, in Python."""
