"""From a spec to the text of a package: specs, schemas, patterns, checks, models."""
