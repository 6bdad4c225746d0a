"""Turn a spec into the text of a package: specs, schemas, patterns, checks, models."""
